#!/usr/bin/env bash
# filum check: every scene of the tree is in order; what it tells, --set, mistakes.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

for scene in "$FILUM_SOURCE"/scenes/*.json; do
    check "check_$(basename "$scene" .json)" "$FILUM" check "$scene"
done

cat >scene.json <<'END'
{
  "title": "Two kinds",
  "time": {"duration": 1, "fps": 10},
  "groups": [
    {"name": "short", "groom": {"type": "line", "strands": 3, "length": 0.1, "segment": 0.01}},
    {"groom": {"type": "file", "file": "hair.obj"}}
  ]
}
END
cat >hair.obj <<'END'
v 0 0 0
v 0 -0.1 0
v 0 -0.1 0
v 0 -0.10001 0
v 0 -0.2 0
l 1 2 3 4 5
END

contains() { # NAME TEXT WORD
    if [[ $2 == *"$3"* ]]; then ok "$1"; else fail "$1" "'$3' is not in: $2"; fi
}
told=$("$FILUM" check scene.json 2>remarks)
contains tells_title "$told" "Two kinds"
contains tells_groups "$told" "short: 3 strands, 33 vertices, model der"
contains tells_length "$told" "1 strand, 3 vertices, model der, 0.2 m long"
contains tells_frames "$told" "10 frames after the first, 50 steps of 0.002 s each"
contains tells_size "$told" "5.54 kB"
contains tells_repairs "$(cat remarks)" "1 repeated"
contains tells_merged "$(cat remarks)" "merged 1 short segments"
json=$("$FILUM" check scene.json --json --quiet)
contains json_vertices "$json" '"vertices": 36'
contains json_repairs "$json" '"segments_merged": 1'
contains json_bytes "$json" '"bytes": 5544'
told=$("$FILUM" check scene.json --quiet --set groups.short.groom.strands=5 --set=time.fps=20 --set groups.0.model=lifted)
contains sets_strands "$told" "5 strands, 55 vertices, model lifted"
contains sets_frames "$told" "20 frames"

check_exit wrong_value 2 "scene.json: groups[0].material.young: must be from 1e-06 to 1e+15 Pa (got -3)" \
    "$FILUM" check scene.json --set groups.0.material.young=-3
check_exit wrong_key 2 "unknown key 'yung': did you mean 'young'?" \
    "$FILUM" check scene.json --set groups.0.material.yung=3
check_exit wrong_set 2 "must be KEY=VALUE" "$FILUM" check scene.json --set groups
check_exit empty_set 2 "--set: must not be empty" "$FILUM" check scene.json --set ""
check_exit groom_as_scene 2 "hair.obj: is a groom, not a scene" "$FILUM" check hair.obj
printf '\xef\xbb\xbf{"groups": [{}]}' >marked.json
check mark_before_scene "$FILUM" check marked.json
check_exit missing_scene 2 "none.json: cannot open" "$FILUM" check none.json
check_exit folder_as_scene 2 "is a directory, not a scene" "$FILUM" check .
check_exit no_operand 2 "SCENE is missing" "$FILUM" check

# What touches.
echo '{"contact": {"rules": [{"between": "a"}]}, "groups": [{"name": "a"}], "bodies": [{}, {"solid": false}]}' >touch.json
contains tells_contact "$("$FILUM" check touch.json)" "contact    adonis, solver auto, tolerance 1e-06, 1 rule"
contains tells_solid "$("$FILUM" check touch.json)" "bodies     2, of them 1 solid"
contains tells_contact_json "$("$FILUM" check touch.json --json --set contact.tolerance=0.5)" '"tolerance": 0.5,'
echo '{"groups": [{}], "bodies": [{}]}' >through.json
contains tells_no_contact "$("$FILUM" check through.json)" "1 solid, but without \`contact\` strands feel nothing"
contains tells_no_contact_json "$("$FILUM" check through.json --json)" '"contact": null'
