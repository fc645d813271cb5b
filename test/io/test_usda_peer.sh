#!/usr/bin/env bash
# OpenUSD files of ours, read by the parser of TinyUSDZ (npm). Skipped without node, or when the package cannot be had.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

package=tinyusdz version=0.9.0-rc10
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/filum/npm/$package-$version
peer=$FILUM_SOURCE/test/io/usda_peer.mjs

# The package alone, without what it is usually shown with; once, then it stays in the cache.
fetch() {
    [[ -r $cache/package/tinyusdz.wasm ]] && return
    mkdir -p "$cache" || return
    timeout 60 npm pack --silent --fetch-retries=0 --fetch-timeout=20000 --pack-destination "$PWD" \
        "$package@$version" >/dev/null 2>&1 || return
    tar -xzf "$package-$version.tgz" -C "$cache"
}

names=(usda_peer_still usda_peer_generator usda_peer_film usda_peer_notices)
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    for name in "${names[@]}"; do skip "$name" "no node or npm"; done
    exit
elif ! fetch; then
    for name in "${names[@]}"; do skip "$name" "the npm package $package cannot be had"; done
    exit
fi

printf 'v 0 0 0\nv 0 1.5 0\nv 1e-3 -2 3\nv 5 5 5\nv 1 2 3\nl 1 2 3\nl 4 5\n' >a.obj
"$FILUM" convert a.obj a.usda --unit cm --quiet
check usda_peer_still node "$peer" "$cache/package" a.usda
"$FILUM" convert scalp:strands=50,style=curly b.usda --quiet
check usda_peer_generator node "$peer" "$cache/package" b.usda

cat >scene.json <<'END'
{
  "time": {"duration": 0.2, "fps": 24, "settle": false},
  "groups": [
    {"name": "a", "groom": "line:strands=2,lean=90,segment=0.02"},
    {"name": "b c", "groom": "coil:turns=3"}
  ]
}
END
"$FILUM" run scene.json -o film --quiet && "$FILUM" convert film film.usda --to-unit cm --quiet
check usda_peer_film node "$peer" "$cache/package" film.usda

# A comparison that cannot fail would show nothing.
head -c 1500 film.usda >cut.usda
if node "$peer" "$cache/package" cut.usda >/dev/null 2>&1; then
    fail usda_peer_notices "a file that is cut passes"
else
    ok usda_peer_notices
fi
