#!/usr/bin/env bash
# filum follow: few strands are simulated, many go along.
# shellcheck disable=SC2016 # programs of awk
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

cat >scene.json <<'END_OF_SCENE'
{
  "time": {"duration": 0.2, "fps": 10},
  "paths": {"shake": {"keys": [{"time": 0}, {"time": 0.2, "position": [0.5, 0, 0], "turn": [0, 90, 0]}]}},
  "groups": [
    {"name": "hair", "groom": {"type": "file", "file": "hair.usda", "every": 10}, "model": "tridiag",
     "root": {"hold": "clamped", "path": "shake"}},
    {"name": "still", "groom": {"type": "line", "strands": 2}, "model": "tridiag"}
  ]
}
END_OF_SCENE
"$FILUM" convert scalp:strands=400,length=0.1 hair.usda >/dev/null 2>&1
"$FILUM" run scene.json -o out --quiet >/dev/null
all=(--set groups.hair.groom.every=1)

check_output follow_says_what "dense: 3 frames of 402 strands, which follow 42" "$FILUM" follow out -o dense "${all[@]}"
check_output follow_json '"guides": 42' "$FILUM" follow out -o json "${all[@]}" --json
check_output follow_twice "3 frames" "$FILUM" follow out -o dense "${all[@]}" --force
check follow_is_drawn "$FILUM" render dense -o dense.png --frame 2 --samples 1 --size 32x32
check follow_is_converted "$FILUM" convert dense dense.usda

# points FOLDER FRAME: the places of its vertices, one a line, group after group.
points() {
    "$FILUM" convert "$1" "$1.$2.obj" --frame "$2" >/dev/null 2>&1
    grep '^v ' "$1.$2.obj"
}

# What has not moved is where the groom has it, and so is what did not change.
points dense 0 >dense_first
"$FILUM" convert hair.usda hair.obj >/dev/null 2>&1
check follow_begins_at_the_groom awk '
    NR == FNR { for (k = 2; k <= 4; ++k) from[NR, k] = $k; n = NR; next }
    FNR <= n { ++seen; for (k = 2; k <= 4; ++k) if ((from[FNR, k] - $k) ^ 2 > 1e-12) exit bad = 1 }
    END { exit bad || n < 400 || seen != n }' <(grep '^v ' hair.obj) dense_first
points out 2 >few
points dense 2 >many
tail -n 82 few >few_still
tail -n 82 many >many_still
check follow_leaves_other_groups cmp few_still many_still

# The roots go with the head: half a metre, and a quarter turn. So those of all hairs have the same distances as before.
check follow_goes_along awk '
    NR == FNR { for (k = 2; k <= 4; ++k) from[NR, k] = $k; n = NR; next }
    { for (k = 2; k <= 4; ++k) to[FNR, k] = $k }
    END {
        for (k = 2; k <= 4; ++k) { moved += (to[1, k] - from[1, k]) ^ 2 }
        exit moved < 0.04
    }' dense_first many

# Hairs that are guides are where their guides are: each tenth strand of the groom.
check follow_of_a_guide awk '
    NR == FNR { for (k = 2; k <= 4; ++k) guide[NR, k] = $k; n = NR; next }
    { for (k = 2; k <= 4; ++k) hair[FNR, k] = $k; m = FNR }
    END {
        each = (m - 82) / 400
        for (i = 1; i <= n - 82; ++i) {
            strand = int((i - 1) / each); at = (10 * strand) * each + (i - 1) % each + 1
            for (k = 2; k <= 4; ++k) if ((guide[i, k] - hair[at, k]) ^ 2 > 1e-8) ++off
        }
        exit each != int(each) || n <= 82 || off > 0
    }' few many

# Bad usage and input; what is there stays.
check_exit follow_no_out 2 "--out DIR is missing" "$FILUM" follow out "${all[@]}"
check_exit follow_itself 2 "is the input" "$FILUM" follow out -o ./out "${all[@]}" --force
ln -s out link
check_exit follow_itself_by_link 2 "is the input" "$FILUM" follow out -o link "${all[@]}" --force
check_exit follow_no_force 2 "holds results already" "$FILUM" follow out -o dense "${all[@]}"
check_exit follow_nothing 2 "no group has other strands" "$FILUM" follow out -o new
check_exit follow_no_folder 2 "none" "$FILUM" follow none -o new "${all[@]}"
check_exit follow_bad_set 2 "unknown key 'evry'" "$FILUM" follow out -o new --set groups.hair.groom.evry=1
check_exit follow_unwritable 3 "/proc/new" "$FILUM" follow out -o /proc/new "${all[@]}"
cp -r out damaged
head -c 100 out/frames/000001.fil >damaged/frames/000001.fil
check_exit follow_damaged 2 "damaged/frames/000001.fil" "$FILUM" follow damaged -o new "${all[@]}"
check follow_leaves_nothing test ! -e new
check follow_results_are_whole "$FILUM" render out -o out.png --frame 2 --samples 1 --size 32x32
"$FILUM" convert scalp:strands=300,length=0.1 hair.usda >/dev/null 2>&1
check_exit follow_groom_changed 2 "has the file of the groom changed?" "$FILUM" follow out -o new "${all[@]}"
