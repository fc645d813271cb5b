#!/usr/bin/env bash
# filum render: a picture of a groom.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

if ! "$FILUM" render line:strands=5 -o first.png --size 64x48 --samples 1 >shown.txt 2>error.txt; then
    if grep -q libembree error.txt || grep -q libpng error.txt; then
        skip render "built without Embree or libpng"
    else
        fail render "$(cat error.txt)"
    fi
    exit 0
fi
ok render
if [[ $(head -c 4 first.png | tail -c 3) == PNG ]]; then ok is_png; else fail is_png "$(head -c 8 first.png | od -c)"; fi
if grep -q "5 strands drawn as 5 hairs" shown.txt; then ok tells; else fail tells "$(cat shown.txt)"; fi

# The same bits on any number of threads.
check one_thread "$FILUM" render fur:strands=300 -o one.png --size 96x64 --samples 2 --threads 1
check two_threads "$FILUM" render fur:strands=300 -o two.png --size 96x64 --samples 2 --threads 2
check same_bits cmp one.png two.png

check make_file "$FILUM" convert coil:strands=3 coil.obj
check from_file "$FILUM" render coil.obj -o coil.png --size 64x48 --samples 1 --hairs 3
cat >taper.ply <<'END'
ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
property float radius
property int strand_id
end_header
0 0 0 4e-5 0
0 -0.1 0 2e-5 0
0 -0.2 0 0 0
END
check tip_without_thickness "$FILUM" render taper.ply -o taper.png --size 64x48 --samples 1
"$FILUM" render line -o j.png --size 64x48 --samples 1 --json >shown.json
if grep -q '"hairs": 1' shown.json; then ok as_json; else fail as_json "$(cat shown.json)"; fi

check_exit no_out 2 "--out FILE is missing" "$FILUM" render line
check_exit bad_size 2 "--size: must be WIDTHxHEIGHT" "$FILUM" render line -o a.png --size 3x
check_exit bad_colour 2 "one of black, brown" "$FILUM" render line -o a.png --colour mauve
check_exit bad_groom 2 "did you mean 'length'" "$FILUM" render line:lenght=2 -o a.png
check_exit no_file 2 "nothing.obj" "$FILUM" render nothing.obj -o a.png
check_exit no_folder 3 "cannot write" "$FILUM" render line -o nowhere/a.png
cp one.png keep.png
check_exit not_over_input 2 "is the input" "$FILUM" render keep.png -o keep.png
check input_intact cmp one.png keep.png
