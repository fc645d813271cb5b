#!/usr/bin/env bash
# filum audit: what is known to be in the frames is found there, and nothing else.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

# audit NAME CODE LINE WORDS...: `filum audit WORDS` ends with CODE, and a line of its output matches.
audit() {
    local name=$1 expected=$2 line=$3 output code
    shift 3
    output=$("$FILUM" audit "$@" 2>&1)
    code=$?
    if [[ $code == "$expected" ]] && grep -qE "$line" <<<"$output"; then ok "$name"; else fail "$name" "status $code: $output"; fi
}

# Two hairs that are held at both ends are pushed through a row of four, a frame for every step.
cat >cross.json <<'END'
{
  "time": {"duration": 0.1, "fps": 100, "step": 0.01},
  "gravity": [0, 0, 0],
  "paths": {"push": {"keys": [{"time": 0}, {"time": 0.1, "position": [0, 0, 0.2]}]}},
  "groups": [
    {"name": "still", "groom": "line:strands=4,length=0.2,segment=0.02,spacing=0.01", "root": {"hold": "clamped"}},
    {"name": "moving", "groom": "line:strands=2,length=0.2,segment=0.02,spacing=0.05",
     "place": {"turn": [0, 0, 90], "position": [-0.1, -0.1, -0.1]},
     "root": {"hold": "clamped", "path": "push"}, "tip": {"hold": "clamped", "path": "push"}}
  ]
}
END
check run_cross "$FILUM" run cross.json -o cross --quiet
audit finds_crossings 1 '^crossings +8 ' cross
audit counts_passes 1 'passed through each other 8 times$' cross
audit names_strands 1 '^  frame [0-9]+: still 0, segment [0-9]+, through moving 0, segment [0-9]+, at \(-0.015, ' cross
audit tells_only_the_first 1 '^  \.\.\.$' cross
audit takes_only_stretch 0 '^crossings +- +not checked$' cross --only stretch
audit takes_frames 0 '^cross: frames 0 to 3, 6 strands, 66 vertices$' cross --frames 0-3
audit takes_one_frame 0 'frames 10 to 10' cross --frames 10
"$FILUM" audit cross --threads 1 >one.txt
"$FILUM" audit cross --threads 7 >seven.txt
check same_on_all_threads cmp one.txt seven.txt
check no_escapes bash -c '! grep -q $'"'\\033'"' one.txt'

# They stop before they are there; and they go through and come back, from one frame to the next.
check run_clean "$FILUM" run cross.json -o clean --quiet --set time.duration=0.03
audit finds_nothing 0 '^crossings +0 ' clean
audit is_silent_on_findings 0 '^not finite +0$' clean
cat >back.txt <<'END'
paths.push.keys=[{"time": 0}, {"time": 0.05, "position": [0, 0, 0.2]}, {"time": 0.1}]
END
check run_back "$FILUM" run cross.json -o back --quiet --set time.fps=10 --set "$(cat back.txt)"
audit back_is_nothing 0 '^crossings +0 ' back
check run_back_seen "$FILUM" run cross.json -o seen --quiet --set "$(cat back.txt)"
audit back_is_seen_in_more_frames 1 '^crossings +16 ' seen

# With contacts they are kept apart.
check run_touch "$FILUM" run cross.json -o touch --quiet --set 'contact={}' --set time.step=0.001 --set time.fps=1000
audit contacts_keep_apart 0 '^crossings +0 ' touch

# A ball around free tips. Held roots in a ball do not count.
cat >ball.json <<'END'
{
  "time": {"duration": 0.02, "fps": 100, "step": 0.01},
  "gravity": [0, 0, 0],
  "groups": [{"name": "hair", "groom": "line:length=0.2,segment=0.02", "root": {"hold": "clamped"}}],
  "bodies": [{"name": "ball", "shape": "sphere:radius=0.03", "place": {"position": [0, -0.18, 0.001]}}]
}
END
check run_ball "$FILUM" run ball.json -o ball --quiet
audit finds_inside 1 '^inside bodies +[1-9][0-9]*   more than 0.1 mm; deepest (29|30|2[0-9]\.[0-9]) mm$' ball
audit names_the_body 1 'hair 0, (vertex|segment) [0-9]+, .* mm inside ball, at' ball
audit takes_depth 0 '^inside bodies +0   more than 40 mm' ball --depth 0.04
check run_root "$FILUM" run ball.json -o root --quiet --set bodies.0.place.position='[0, 0, 0]' --set bodies.0.shape.radius=0.015
audit held_roots_do_not_count 0 '^inside bodies +0 .*deepest 0 mm$' root
check run_plane "$FILUM" run ball.json -o plane --quiet --set 'bodies=[{"name": "floor", "shape": "plane", "place": {"position": [0, -0.1, 0]}}]'
audit finds_below_a_plane 1 ' mm inside floor, at' plane
check run_ghost "$FILUM" run ball.json -o ghost --quiet --set bodies.0.solid=false
audit what_is_not_solid_is_left_alone 0 '^inside bodies +0 ' ghost
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
check run_open "$FILUM" run ball.json -o open --quiet --set 'bodies=[{"name": "sheet", "shape": {"type": "mesh", "file": "open.obj"}}]'
audit open_is_told 0 '^sheet: is not closed: not checked$' open

# A rubber band that is pulled.
cat >stretch.json <<'END'
{
  "time": {"duration": 0.1, "fps": 20, "step": 0.01},
  "paths": {"pull": {"keys": [{"time": 0}, {"time": 0.1, "position": [0, -0.02, 0]}]}},
  "groups": [{"name": "band", "groom": "line:length=0.2,segment=0.05", "root": {"hold": "clamped"},
    "tip": {"hold": "clamped", "path": "pull"}}]
}
END
check run_stretch "$FILUM" run stretch.json -o stretch --quiet
audit finds_stretch 1 '^stretched +[1-9][0-9]*   more than 5 %; worst \+[1-9]' stretch
audit takes_stretch 0 '^stretched +0   more than 50 %' stretch --stretch 0.5

if command -v python3 >/dev/null; then
    "$FILUM" audit cross --json --only crossings >cross.out
    "$FILUM" audit ball --json >ball.out
    check json_is_valid python3 -c '
import json
cross, ball = json.load(open("cross.out")), json.load(open("ball.out"))
assert cross["crossings"] == 8 and cross["passes"] == 8 and cross["frames"] == 11
assert cross["inside"] is None and cross["worst_stretch"] is None and cross["not_finite"] == 0
first = cross["findings"][0]
assert first["kind"] == "crossing" and first["group"] == "still" and first["other_group"] == "moving"
assert len(first["place"]) == 3
assert ball["inside"] > 0 and 0.02 < ball["deepest"] < 0.03 and ball["findings"][0]["body"] == "ball"'
else
    skip json_is_valid "no python3"
fi

# Bad usage and input.
check_exit no_folder_named 2 "DIR" "$FILUM" audit
check_exit missing_folder 2 "nowhere" "$FILUM" audit nowhere
check_exit foreign_folder 2 "is not a folder with results" "$FILUM" audit .
check_exit a_file 2 "cross.json" "$FILUM" audit cross.json
check_exit frames_beyond 2 "--frames: must be FIRST-LAST within 0 to 10 (got '5-11')" "$FILUM" audit cross --frames 5-11
check_exit unknown_check 2 "--only: must be crossings, inside or stretch (got 'stretched')" "$FILUM" audit cross --only stretched
check_exit negative_depth 2 "--depth: must be from 0" "$FILUM" audit cross --depth -1
check_exit bad_stretch 2 "--stretch: must be a finite number" "$FILUM" audit cross --stretch nan
cp -r cross damaged
printf 'x' | dd of=damaged/frames/000004.fil bs=1 seek=100 conv=notrunc 2>/dev/null
check_exit damaged_frame 2 "frames/000004.fil" "$FILUM" audit damaged
cp -r cross short
truncate -s 50 short/strands.fil
check_exit short_strands 2 "strands.fil" "$FILUM" audit short
cp -r cross no_scene
rm no_scene/scene.json
check_exit missing_scene 2 "scene.json" "$FILUM" audit no_scene
cp -r cross other
sed -i 's/"strands": 4/"strands": 5/' other/scene.json
check_exit other_scene 2 "other/scene.json: groups[0]: its groom has other strands than strands.fil" "$FILUM" audit other
cp -r cross empty
rm -r empty/frames/*
check_exit no_frame_yet 2 "empty: holds no frame yet" "$FILUM" audit empty
