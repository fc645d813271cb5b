#!/usr/bin/env bash
# filum run: frames do not depend on threads and interruptions, whatever happens; results are never lost or mixed up.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"
chmod 755 . # somebody else looks at it, too
RANDOM=7 # the moments of the kills

frames=31 steps=17 # of a frame
cat >scene.json <<'EOF'
{
  "time": {"duration": 1, "fps": 30, "step": 0.002, "settle": true},
  "wind": {"keys": [{"time": 0, "value": [0, 0, 0]}, {"time": 0.5, "value": [2, 0, 0]}]},
  "paths": {"swing": {"keys": [{"time": 0}, {"time": 0.4, "position": [0.05, 0, 0], "turn": [0, 0, 20]}]}},
  "groups": [
    {"name": "curls", "material": {"young": 4e9}, "groom": {"type": "line", "strands": 8, "style": "curly"},
     "root": {"hold": "clamped", "path": "swing", "release": 0.7}},
    {"name": "straight", "model": "lifted", "groom": {"type": "line", "strands": 3}},
    {"name": "live", "model": "tridiag:grid=0.02", "groom": {"type": "line", "strands": 20, "style": "wavy"},
     "root": {"hold": "clamped", "path": "swing", "release": 0.7}}
  ]
}
EOF

# same_frames DIR [COUNT]: its first frames are those of the run without interruption, and so is what the rows tell.
same_frames() {
    local i name count=${2:-$frames}
    for ((i = 0; i < count; ++i)); do
        name=$(printf 'frames/%06d.fil' "$i")
        cmp "ref/$name" "$1/$name" || return 1
    done
    cmp ref/strands.fil "$1/strands.fil" &&
        cmp <(head -n $((count + 1)) ref/stats.csv | cut -d, -f1-33) <(head -n $((count + 1)) "$1/stats.csv" | cut -d, -f1-33)
}
# whole DIR: all frames, as they should be, and nothing half-written.
whole() {
    same_frames "$1" && [[ $(find "$1/frames" -type f | wc -l) == "$frames" && $(wc -l <"$1/stats.csv") == $((frames + 1)) ]] &&
        [[ -z $(find "$1" -name '*.part') ]]
}
# until_frame DIR FRAME: waits until a run has written it.
until_frame() {
    local name
    name=$1/$(printf 'frames/%06d.fil' "$2")
    for ((tries = 0; tries < 600; ++tries)); do
        if [[ -e $name ]]; then return 0; fi
        sleep 0.05
    done
    return 1
}
run() { "$FILUM" run "$@" --quiet; }

start=$(date +%s%N)
check run_makes_frames run scene.json -o ref --threads 1
milliseconds=$((($(date +%s%N) - start) / 1000000))
check run_is_whole whole ref
check run_two_threads run scene.json -o two --threads 2
check run_same_with_two_threads whole two
check run_copies_the_scene grep -q curly ref/scene.json

# What is there is not touched.
check_exit run_twice 2 "ref: holds results already: go on with --resume, replace them with --force" "$FILUM" run scene.json -o ref
check_exit run_resume_other_scene 2 "ref: holds results of another scene" "$FILUM" run scene.json -o ref --resume --set groups.curls.material.young=5e9
check_exit run_resume_other_rate 2 "ref: holds results of another scene" "$FILUM" run --resume -o ref --set time.fps=25
check run_resume_finished bash -c "'$FILUM' run scene.json -o ref --resume | grep -q 'all frames are there already ($frames)'"
check run_resume_without_scene run --resume -o ref
check run_untouched whole ref
mkdir mine && echo mine >mine/scene.json
check_exit run_foreign_folder 2 "mine: the folder holds files that are not results of filum" "$FILUM" run scene.json -o mine --force
check run_foreign_kept grep -qx mine mine/scene.json
mkdir -p begun/frames && touch begun/filum.lock begun/strands.fil.9.part # what is left when it is killed right at the start
check run_begun run scene.json -o begun
check run_begun_is_whole whole begun
run scene.json --set time.duration=0.5 -o replaced && echo notes >replaced/notes.txt
check run_force run scene.json -o replaced --force
check run_force_replaces whole replaced
check run_force_keeps_others grep -qx notes replaced/notes.txt

# Usage and input.
check_exit run_needs_folder 2 "--out DIR is missing" "$FILUM" run scene.json
check_exit run_film_as_folder 2 "must be a folder, for frames: \`filum render\` makes films" "$FILUM" run scene.json -o film.mp4
check run_made_no_film test ! -e film.mp4
check_exit run_needs_scene 2 "SCENE is missing" "$FILUM" run -o nothing
check_exit run_no_such_scene 2 "none.json: cannot open" "$FILUM" run none.json -o nothing
check_exit run_resume_nothing 2 "nothing/scene.json: cannot open" "$FILUM" run --resume -o nothing
check_exit run_resume_and_force 2 "name one of them" "$FILUM" run scene.json -o nothing --resume --force
check_exit run_no_parent 3 "no/such: cannot make the folder" "$FILUM" run scene.json -o no/such
check_exit run_file_as_folder 2 "Not a directory" "$FILUM" run scene.json -o scene.json
check run_makes_no_empty_folder test ! -e nothing

# In parts: some frames, more of them, a longer film, with other numbers of threads.
check run_frames run scene.json -o parts --frames 5 --threads 2
check run_frames_count test "$(find parts/frames -type f | wc -l)" == 5
check run_frames_same same_frames parts 5
check run_frames_more run scene.json -o parts --resume --frames 12 --threads 4
check run_frames_all run scene.json -o parts --resume --threads 1
check run_parts_are_whole whole parts
# A place after each step that does not end at a frame; the frames are the same.
check run_ways run scene.json -o ways --parts --frames 5
check run_ways_same same_frames ways 5
check run_ways_count test "$(find ways/frames -name '*-*.fil' | wc -l)" == "$((4 * (steps - 1)))"
check run_ways_go_on run scene.json -o ways --parts --resume --frames 7
check run_ways_more test "$(find ways/frames -name '*-*.fil' | wc -l)" == "$((6 * (steps - 1)))"
check run_one_frame run scene.json -o still --set time.duration=0
check run_one_frame_is_all bash -c "'$FILUM' run --resume -o still | grep -q 'all frames are there already (1)'"
check run_one_frame_same same_frames still 1
check run_short run scene.json -o longer --set time.duration=0.5
check run_longer run --resume -o longer --set time.duration=1
check run_longer_is_whole whole longer

check run_other_colour run --resume -o longer --set time.duration=1.1 --set groups.curls.look.colour=black
check run_other_colour_same same_frames longer
check run_other_colour_kept grep -q black longer/scene.json

# Names of files in a scene hold from anywhere.
mkdir -p files/sub
"$FILUM" convert line:strands=3 files/hair.obj >/dev/null
echo '{"time": {"duration": 0.2}, "groups": [{"name": "h", "groom": {"type": "file", "file": "../hair.obj", "unit": "m"}}]}' >files/sub/file.json
check run_file run files/sub/file.json -o files/out --frames 3
check run_file_from_elsewhere bash -c "cd files && '$FILUM' run --resume -o out --quiet"
check run_file_whole test "$(find files/out/frames -type f | wc -l)" == 7

# One run at a time; Ctrl-C and SIGTERM.
for signal in INT TERM; do
    env -u OMP_WAIT_POLICY "$FILUM" run scene.json --set time.duration=1000 -o "stopped$signal" --threads 1 2>"stopped$signal.txt" &
    pid=$!
    check "run_${signal}_starts" until_frame "stopped$signal" 4
    # Threads that wait for each other leave the cores to others.
    check "run_${signal}_is_polite" grep -qz '^OMP_WAIT_POLICY=passive$' /proc/$pid/environ
    check_exit "run_${signal}_second_refused" 2 "another run is writing into this folder" "$FILUM" run scene.json --set time.duration=1000 -o "stopped$signal" --resume
    kill "-$signal" $pid
    wait $pid
    code=$?
    if [[ $code == 1 ]]; then ok "run_${signal}_status"; else fail "run_${signal}_status" "status $code"; fi
    check "run_${signal}_tells" grep -q "interrupted after .* frames: .filum run --resume -o stopped$signal. goes on" "stopped$signal.txt"
    check "run_${signal}_goes_on" run scene.json -o "stopped$signal" --resume --threads 2
    check "run_${signal}_same" same_frames "stopped$signal"
done

# Damage: the checkpoint before the last, or the start.
damaged() {
    rm -rf hurt && run scene.json -o hurt --frames 20 && run scene.json -o hurt --resume --frames 25 || return 1
    for file in "$@"; do printf x | dd of="hurt/$file" bs=1 seek=60 conv=notrunc status=none; done
    "$FILUM" run scene.json -o hurt --resume 2>hurt.txt >hurt.out && whole hurt
}
check run_damaged_checkpoint damaged checkpoint.fil
check run_damaged_checkpoint_told grep -q "hurt/checkpoint.fil: is damaged or cut short" hurt.txt
check run_damaged_checkpoint_goes_on grep -q "of $frames frames are there: goes on" hurt.txt
check run_damaged_frame damaged frames/000024.fil
check run_damaged_frame_told grep -q "hurt/frames/000024.fil: is damaged or cut short" hurt.txt
check run_damaged_first_frame damaged frames/000000.fil
check run_damaged_first_frame_told grep -q "it begins again" hurt.txt
check run_damaged_both damaged checkpoint.fil checkpoint_earlier.fil
if damaged strands.fil >/dev/null; then fail run_damaged_strands "was taken for good"; else ok run_damaged_strands; fi
check run_damaged_strands_told grep -q "strands.fil is damaged: begin again with --force" hurt.txt
truncate_stats() {
    rm -rf hurt && run scene.json -o hurt --frames 20 && printf '20,0.6' >>hurt/stats.csv && run scene.json -o hurt --resume && whole hurt
}
check run_cuts_half_a_row truncate_stats

# Killed at any moment, once or three times in a row; gone on with any number of threads. A run that ended before it was
# killed does not count, and the next ones are killed earlier: the machine may be faster now.
wanted=$((milliseconds > 3000 ? 6 : 20)) # sanitizers are slow
killed=0
threads=(1 2 4)
for ((trial = 0; killed < wanted && trial < 4 * wanted; ++trial)); do
    rm -rf kill
    hit=0
    for ((again = 0; again < (trial % 4 == 3 ? 3 : 1); ++again)); do
        "$FILUM" run scene.json -o kill --resume --quiet --threads "${threads[RANDOM % 3]}" >/dev/null &
        pid=$!
        moment=$((RANDOM % (milliseconds + 1)))
        sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        if [[ $? == 137 ]]; then hit=1; else milliseconds=$((milliseconds * 7 / 10 + 20)); fi
    done
    if ! run scene.json -o kill --resume --threads "${threads[trial % 3]}" >kill.txt 2>&1 || ! whole kill >>kill.txt 2>&1; then
        fail "run_killed_$trial" "$(cat kill.txt)"
        hit=0
    fi
    ((killed += hit))
done
check run_killed_and_resumed test "$killed" == "$wanted"

# No room. The limit lets frames through but not the first checkpoint.
limited() { (ulimit -f 60 && trap '' XFSZ && "$FILUM" run scene.json -o limited --threads 1); }
check_exit run_too_large 3 "limited/checkpoint.fil: cannot write: File too large" limited
check run_too_large_leaves_nothing test -z "$(find limited -name '*.part')"
check run_too_large_goes_on run scene.json -o limited --resume
check run_too_large_whole whole limited

cat >full.sh <<'EOF'
mount -t tmpfs -o "size=$(($(du -sk ref | cut -f1) / 2))k" tmpfs small || exit 77
"$FILUM" run scene.json -o small/out --threads 1 2>full.txt
echo $? >full.code
find small -name '*.part' >full.left
find small/out/frames -type f | wc -l >full.count
mount -o remount,size=20m small && "$FILUM" run --resume -o small/out --quiet && cp -r small/out full
EOF
mkdir small
unshare --mount bash full.sh 2>/dev/null
case $? in
0)
    check run_full_disk_status grep -qx 3 full.code
    check run_full_disk_told grep -q "cannot write: No space left on device" full.txt
    check run_full_disk_leaves_nothing test ! -s full.left
    check run_full_disk_had_frames test "$(cat full.count)" -gt 1
    check run_full_disk_goes_on whole full
    ;;
1 | 77) skip run_full_disk "cannot mount a small disk here" ;;
*) fail run_full_disk "$(cat full.txt)" ;;
esac

# The folder goes away while it is written to.
"$FILUM" run scene.json --set time.duration=1000 -o gone --threads 1 2>gone.txt &
pid=$!
until_frame gone 2
mv gone elsewhere
wait $pid
code=$?
if [[ $code == 3 ]]; then ok run_folder_gone; else fail run_folder_gone "status $code: $(cat gone.txt)"; fi
check run_folder_gone_told grep -q "gone/frames/.*: cannot write: No such file or directory" gone.txt
check run_folder_gone_goes_on run scene.json -o elsewhere --resume
check run_folder_gone_same same_frames elsewhere

mkdir locked && chmod 555 locked
nobody=()
if [[ $(id -u) == 0 ]]; then nobody=(setpriv --reuid=65534 --clear-groups); fi
if "${nobody[@]}" test -r scene.json -a -x "$FILUM" 2>/dev/null; then
    check_exit run_unwritable 3 "locked/filum.lock: cannot write: Permission denied" "${nobody[@]}" "$FILUM" run scene.json -o locked
else
    skip run_unwritable "cannot become another user"
fi

# Contacts.
cat >touch.json <<'EOF'
{
  "time": {"duration": 0.1, "step": 0.01},
  "contact": {},
  "groups": [{"name": "hair", "groom": "line:strands=2"}],
  "bodies": [{"name": "floor", "shape": "plane", "place": {"position": [0, -5, 0]}}]
}
EOF
check run_touch run touch.json -o touch --dump-problems problems --every 2
check run_touch_makes_folder test -d problems
check run_touch_columns grep -q '^frame,.*,residual,contacts,closed,kept,parts,.*,contact_residual,crossings,inside,trouble,seconds_control' touch/stats.csv
check run_touch_rows awk -F, 'NR > 1 && NF != 43 {exit 1}' touch/stats.csv
check run_touch_plots "$FILUM" plot touch --quiet
check_exit run_touch_other 2 "holds results of another scene" "$FILUM" run touch.json -o touch --resume --set time.step=0.02
check_exit run_dump_every_alone 2 "--every is for --dump-problems DIR" "$FILUM" run touch.json -o nothing --every 3
check_exit run_dump_no_parent 3 "no/such: cannot make the folder" "$FILUM" run touch.json -o dumped --dump-problems no/such
check_exit run_bad_solver 2 "touch.json: contact.solver: unknown contact solver 'gss': did you mean 'gs'?" "$FILUM" run touch.json -o nothing --set contact.solver=gss
check run_touch_json bash -c "'$FILUM' run touch.json -o tj --json >tj.json && grep -q '\"contacts\": 0' tj.json && grep -q '\"crossings\": 0' tj.json && grep -q '\"contact_residual\": 0' tj.json && grep -q '\"rough_parts\": 0' tj.json"

# Strands that do touch: a few fall across a held one, onto a ball that turns and the floor.
cat >pile.json <<'EOF'
{
  "time": {"duration": 0.3, "fps": 100, "step": 0.005},
  "contact": {},
  "groups": [
    {"name": "line", "groom": "line:strands=4,length=0.1,spacing=0.004,segment=0.01", "root": "free", "touch": {"radius": 0.001},
     "place": {"position": [0, 0.06, 0.01], "turn": [0, 30, 80]}, "material": {"radius": 0.0005, "young": 1e7, "viscosity": 1e4}},
    {"name": "bar", "groom": "line:strands=1,length=0.1,segment=0.01", "tip": "clamped", "touch": {"radius": 0.001},
     "place": {"position": [-0.05, 0.04, 0.02], "turn": [0, 0, 90]}, "material": {"radius": 0.0005}}
  ],
  "bodies": [
    {"name": "floor", "shape": "plane", "friction": 0.5},
    {"name": "ball", "shape": "sphere:radius=0.02", "place": {"position": [0, 0.01, 0]}, "path": {"keys": [{"time": 0}, {"time": 0.3, "turn": [0, 0, 90]}]}}
  ]
}
EOF
same_frames() {
    local frame
    for frame in pile/frames/*; do
        cmp "$frame" "$1/frames/${frame##*/}" || return 1
    done
}
check run_pile "$FILUM" run pile.json -o pile --threads 1
# shellcheck disable=SC2016
check run_pile_touches awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "contacts") c = i} NR > 1 && $c > 0 {n++} END {exit !(n > 10)}' pile/stats.csv
"$FILUM" run pile.json -o pile4 --threads 4 --quiet
check run_pile_threads same_frames pile4
"$FILUM" run pile.json -o half --frames 17 --quiet
"$FILUM" run --resume -o half --quiet
check run_pile_resumes same_frames half
("$FILUM" run pile.json -o killed --quiet & sleep 0.3; kill -9 $!; wait $!) 2>/dev/null
"$FILUM" run pile.json --resume -o killed --quiet
check run_pile_survives_a_kill same_frames killed
check run_pile_audit "$FILUM" audit pile --stretch 0.2
check run_pile_dump "$FILUM" run pile.json -o dumping --dump-problems pile-problems --every 20
check run_pile_dump_solves bash -c "find pile-problems -name '*.hdf5' | sort | tail -1 | xargs '$FILUM' contact solve --tol 1e-6 --quiet"
# A dumped problem holds the impulses that the step began with: nearer than none.
last_problem=$(find pile-problems -name '*.hdf5' | sort | tail -1)
"$FILUM" contact solve "$last_problem" --quiet --tol 1e-6 --trace cold.csv >/dev/null
"$FILUM" contact solve "$last_problem" --quiet --tol 1e-6 --warm "$last_problem" --trace warm.csv >/dev/null
check run_pile_dump_begins_warm bash -c "paste -d, cold.csv warm.csv | awk -F, 'NR == 2 {exit !(\$9 < 0.5 * \$4)}'"
check run_pile_linear "$FILUM" run pile.json -o linear --set contact.method=linear --set contact.stretch=1

# Strands that come to rest on a bar before the first frame stay there.
cat >rest.json <<'EOF'
{
  "time": {"duration": 0.1, "fps": 50, "step": 0.002, "settle": true},
  "contact": {"tolerance": 1e-5},
  "groups": [{"name": "cord", "groom": "line:strands=2,length=0.1,spacing=0.004,segment=0.01", "touch": {"radius": 0.0005},
              "place": {"position": [-0.05, 0.05, 0], "turn": [0, 0, 90]}, "material": {"radius": 0.0005, "young": 1e6}}],
  "bodies": [{"name": "bar", "shape": "cylinder:radius=0.01,length=0.2", "place": {"position": [0, 0.03, 0], "turn": [90, 0, 0]}}]
}
EOF
check run_rest "$FILUM" run rest.json -o rest
# shellcheck disable=SC2016
check run_rest_stays awk -F, 'NR > 2 && !($4 < 1e-9) {exit 1}' rest/stats.csv
check run_rest_outside "$FILUM" audit rest

# For scripts.
check run_json bash -c "'$FILUM' run scene.json -o j --frames 3 --json >j.json && grep -q '\"frames\": 3' j.json && grep -q '\"folder\": \"j\"' j.json"
if command -v python3 >/dev/null; then
    # The reader of docs/io/cache.md, as it stands there.
    # shellcheck disable=SC2016
    sed -n '/^```python$/,/^```$/{/^```/d;p}' "$FILUM_SOURCE/docs/io/cache.md" >reader.py
    echo 'import sys; time, x, s = read_frame(sys.argv[1]); print(len(x) // 3, len(s), round(time, 6))' >>reader.py
    vertices=$((($(stat -c %s ref/frames/000003.fil) - 40) / 14))
    check run_python_reads bash -c "[[ \$(python3 reader.py ref/frames/000003.fil) == '$vertices $vertices 0.1' ]]"
    cp ref/frames/000003.fil hurt.fil && printf x | dd of=hurt.fil bs=1 seek=200 conv=notrunc status=none
    check_exit run_python_notices_damage 1 "hurt.fil: damaged" python3 reader.py hurt.fil
fi
