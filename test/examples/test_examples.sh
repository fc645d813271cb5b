#!/usr/bin/env bash
# The examples do what their text says.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

check embed_is_short test "$(wc -l <"$FILUM_SOURCE/examples/embed.c")" -lt 60
output=$("$FILUM_BUILD/examples/embed")
if [[ $output == "after 2.0 s the tip of the first strand is at "* ]]; then ok embed; else fail embed "$output"; fi

cat >scene.json <<'EOF'
{"time": {"duration": 0.2, "fps": 20}, "groups": [{"groom": "line:strands=3,lean=60"}]}
EOF
output=$("$FILUM_BUILD/examples/film" scene.json last.ply)
if [[ $output == "5 frames, 0 strands did not converge" ]]; then ok film; else fail film "$output"; fi
# The command gives the same strands.
check film_run "$FILUM" run scene.json -o out --quiet
check film_convert "$FILUM" convert out frame.ply --frame 4 --quiet
for name in last frame; do "$FILUM" convert $name.ply $name.obj --quiet >/dev/null; done
check film_is_the_same cmp last.obj frame.obj
check_exit film_without_scene 1 "none.json: cannot open" "$FILUM_BUILD/examples/film" none.json last.ply
