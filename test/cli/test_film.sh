#!/usr/bin/env bash
# filum render of results' folders and scenes: stills, numbered pictures, films.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

cat >scene.json <<'END'
{
  "time": {"duration": 0.2, "fps": 25, "step": 0.01},
  "paths": {"swing": {"keys": [{"time": 0}, {"time": 0.2, "position": [0.05, 0, 0], "turn": [0, 90, 0]}]}},
  "groups": [
    {"name": "straight", "groom": "line:strands=4,segment=0.04", "root": {"hold": "clamped", "path": "swing"},
     "look": {"colour": "auburn", "hairs": 5, "spread": 0.004}},
    {"name": "curls", "groom": "line:strands=3,style=curly", "look": {"colour": "black"}}
  ],
  "bodies": [{"shape": {"type": "sphere", "radius": 0.03}, "path": "swing"}],
  "picture": {"width": 64, "height": 48, "samples": 1}
}
END
render() { "$FILUM" render "$@"; }

if ! render scene.json -o first.png >shown.txt 2>error.txt; then
    if grep -q libembree error.txt || grep -q libpng error.txt; then
        skip film "built without Embree or libpng"
    else
        fail film "$(cat error.txt)"
    fi
    exit 0
fi
ok still_of_a_scene
if grep -q "first.png: 64 × 48, 7 strands drawn as 23 hairs" shown.txt; then ok tells; else fail tells "$(cat shown.txt)"; fi

# A folder and its scene give the same pictures; so does any number of threads, and a frame alone or in a range.
check run "$FILUM" run scene.json -o out --quiet
for colour in brown strand strain speed force; do
    check "folder_$colour" render out -o "folder_${colour}_%d.png" --frames 1-2 --colour $colour --threads 1
    check "scene_$colour" render scene.json -o "scene_${colour}_%d.png" --frames 1-2 --colour $colour --threads 4
    for f in 1 2; do
        # Stretch is stored in 16 bits: strain and force may be a shade off.
        case $colour in
        strain | force) check "there_${colour}_$f" test -s "folder_${colour}_$f.png" -a -s "scene_${colour}_$f.png" ;;
        *) check "same_${colour}_$f" cmp "folder_${colour}_$f.png" "scene_${colour}_$f.png" ;;
        esac
    done
done
check two_threads render out -o "two_%d.png" --frames 1-2 --colour speed --threads 2
check same_bits cmp two_2.png folder_speed_2.png
if cmp -s folder_strand_1.png folder_brown_1.png || cmp -s folder_speed_1.png folder_strain_1.png; then
    fail colours_differ "two ways to colour give the same picture"
else
    ok colours_differ
fi

# A folder needs no file of a groom any more.
check make_groom "$FILUM" convert line:strands=3 groom.obj
check run_groom "$FILUM" run scene.json -o from_file --quiet --set 'groups.0.groom={"type": "file", "file": "groom.obj"}' \
    --set time.duration=0.04
rm groom.obj
check groom_is_gone render from_file -o gone.png

# Which frames: names carry the number of the frame.
check numbered render out -o "n_%03d.png" --frames 1- --every 2
if [[ $(echo n_*.png) == "n_001.png n_003.png n_005.png" ]]; then ok numbers; else fail numbers "$(echo n_*)"; fi
check last_of_a_folder render out -o last.png
check frame_5 render out -o five.png --frame 5
check is_the_last cmp last.png five.png
check first_of_a_scene render scene.json -o zero.png --frame 0
check is_the_first cmp first.png zero.png

# Options beat the scene; --set changes it.
render scene.json -o set.png --size 32x20 --hairs 2 --ground off --set groups.curls.groom=line:strands=9 --json >shown.json
if grep -q '"width": 32' shown.json && grep -q '"strands": 13' shown.json && grep -q '"hairs": 26' shown.json; then
    ok options
else
    fail options "$(cat shown.json)"
fi

check_exit no_frame 2 "--frame: must be 0 to 5 (got 6)" render out -o a.png --frame 6
check_exit no_range 2 "--frames: must be FIRST-LAST within 0 to 5 (got '3-9')" render out -o a_%d.png --frames 3-9
check_exit bad_range 2 "--frames: must be FIRST-LAST" render out -o a_%d.png --frames 3-1
check_exit odd_range 2 "--frames: must be FIRST-LAST" render out -o a_%d.png --frames=-1
check_exit two_numbers 2 "is written %d or %04d, once" render out -o a_%d_%d.png
check_exit wide_number 2 "is written %d or %04d, once" render out -o a_%0999999999999d.png
check_exit bad_ending 2 "must end in .png" render out -o a.avi
check_exit no_colour 2 "must be strand, strain, speed or force, or one of black" render out -o a.png --colour mauve
check_exit bad_ground 2 "--ground: must be on or off" render out -o a.png --ground maybe
check_exit frame_of_a_film 2 "--frame: is for a single picture" render out -o a.mp4 --frame 1
check_exit frames_of_a_still 2 "--frames: is for films" render out -o a.png --frames 1-2
check_exit set_of_a_folder 2 "--set: is for scenes alone" render out -o a.png --set time.fps=3
check_exit unit_of_a_scene 2 "--unit: is for grooms alone" render scene.json -o a.png --unit cm
check_exit groom_film 2 "a groom does not move" render line -o a.mp4
check_exit groom_strain 2 "a groom has no strain" render line -o a.png --colour strain
check_exit bad_scene 2 "did you mean 'young'" render scene.json -o a.png --set groups.0.material.yung=3
check_exit no_scene 2 "none.json" render none.json -o a.png
check_exit no_folder 3 "cannot write" render scene.json -o nowhere/a_%d.png
mkdir empty
check_exit not_results 2 "empty" render empty -o a.png
cp -r out damaged
printf x | dd of=damaged/frames/000003.fil bs=1 seek=100 conv=notrunc 2>/dev/null
check_exit damaged_frame 2 "000003.fil" render damaged -o a_%d.png
check other_frames render damaged -o a.png --frame 2
rm -r damaged/frames
check_exit no_frames 2 "damaged" render damaged -o a.png

# Films.
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    probe() {
        ffprobe -v error -count_frames -show_entries stream=width,height,r_frame_rate,nb_read_frames -of csv=p=0 "$1"
    }
    check mp4 render out -o film.mp4
    if [[ $(probe film.mp4) == 64,48,25/1,6 ]]; then ok mp4_is_right; else fail mp4_is_right "$(probe film.mp4)"; fi
    check gif render scene.json -o film.gif --every 2 --size 33x21
    if [[ $(probe film.gif) == 33,21,25/2,3 ]]; then ok gif_is_right; else fail gif_is_right "$(probe film.gif)"; fi
    check webm render out -o film.webm --frames 0-1 --fps 10
    if [[ $(probe film.webm) == 64,48,10/1,2 ]]; then ok webm_is_right; else fail webm_is_right "$(probe film.webm)"; fi
    check_exit odd_size 2 "even width and height (got 33 x 21): take 34 x 22" render out -o a.mp4 --size 33x21
else
    skip mp4 "ffmpeg is not installed"
fi
mkdir fake
cat >fake/ffmpeg <<'END'
#!/usr/bin/env bash
head -c 20000 >/dev/null
echo "No space left on device" >&2
exit 1
END
chmod +x fake/ffmpeg
PATH=$PWD/fake:$PATH check_exit full_disk 3 "b.mp4: ffmpeg failed: No space left on device" render out -o b.mp4
PATH=$PWD/empty check_exit no_ffmpeg 3 "apt install ffmpeg" render out -o b.mp4
check_exit film_nowhere 3 "cannot write" render out -o nowhere/b.mp4

# Ctrl-C leaves no film.
cat >fake/ffmpeg <<'END'
#!/usr/bin/env bash
cat >/dev/null
END
PATH=$PWD/fake:$PATH "$FILUM" render out -o c.mp4 --size 1600x1200 --samples 400 2>stopped.txt &
sleep 1
kill -INT $!
wait $!
code=$?
if [[ $code == 1 ]] && grep -q "interrupted: c.mp4 was not written" stopped.txt; then
    ok interrupted
else
    fail interrupted "status $code: $(cat stopped.txt)"
fi
left=$(find . -maxdepth 1 \( -name '*.part' -o -name 'a.png.*' -o -name 'b.mp4*' -o -name 'c.mp4*' -o -name 'a.mp4*' \))
if [[ -z $left ]]; then ok nothing_half; else fail nothing_half "$left"; fi
