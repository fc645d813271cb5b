#!/usr/bin/env bash
# filum convert, and filum info of grooms.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

cat >a.obj <<'END'
v 0 0 0
v 0 10 0
v 0 20 0
v 5 0 0
v 5 10 1
v 5 20 0
v 5 20 0
l 1 2 3
l 4 5 6 7
END

check_output convert_says_what "a.usda: 2 strands, 6 vertices, in m" "$FILUM" convert a.obj a.usda
for ending in hair tfx data ply usda obj; do
    check_output "convert_to_$ending" "2 strands, 6 vertices, in cm" "$FILUM" convert a.usda "b.$ending" --to-unit cm
    check_output "info_of_$ending" "$ending, 2 strands, 6 vertices (3 to 3 each)" "$FILUM" info "b.$ending" --unit cm
    check_output "info_of_${ending}_length" "lengths   0.2 to 0.201 m" "$FILUM" info "b.$ending" --unit cm
done
check_output info_guess "cm (guessed" "$FILUM" info a.obj
check_output info_unit "unit      in" "$FILUM" info a.obj --unit in
check_output info_unit_number "unit      0.5 m" "$FILUM" info a.obj --unit 0.5
check_output info_defects "0 strands, 1 repeated vertices, 0 not finite" "$FILUM" info a.obj
check_output info_json '"vertices_doubled": 1' "$FILUM" info a.obj --json
check_output convert_json '"out": "j.ply"' "$FILUM" convert a.obj j.ply --json
check_output convert_inches "in in" "$FILUM" convert a.obj i.obj --to-unit in
check_output convert_unit_is_kept "unit      in" "$FILUM" info i.obj
check_output convert_resample "r.data: 2 strands, 82 vertices" "$FILUM" convert a.obj r.data --resample 0.005
check_exit convert_tells_defects 0 "dropped 0 strands, 1 repeated" "$FILUM" convert a.obj d.obj
check_exit convert_tells_guess 0 "taken to be in cm" "$FILUM" convert a.obj d.obj
check_exit convert_quiet 0 "" "$FILUM" convert a.obj d.obj --quiet

# Bad usage and input.
check_exit convert_no_out 2 "OUT" "$FILUM" convert a.obj
check_exit convert_unit_unknown 2 "--unit: must be m, cm, mm, in or a number" "$FILUM" convert a.obj b.obj --unit parsec
check_exit convert_unit_zero 2 "--to-unit: must be" "$FILUM" convert a.obj b.obj --to-unit 0
check_exit convert_resample_zero 2 "--resample" "$FILUM" convert a.obj b.obj --resample 0
check_exit convert_resample_tiny 2 "too many" "$FILUM" convert a.obj b.obj --resample 1e-12
check_exit convert_missing 2 "none.obj: cannot open" "$FILUM" convert none.obj b.obj
check_exit convert_ending 2 "did you mean '.usda'?" "$FILUM" convert a.obj b.usd
check_exit convert_itself 2 "is the input" "$FILUM" convert a.obj ./a.obj
ln -s a.obj link.obj
check_exit convert_itself_by_link 2 "is the input" "$FILUM" convert a.obj link.obj
check_exit info_missing_groom 2 "none.obj: cannot open" "$FILUM" info none.obj
check_exit info_unit_without_file 2 "--unit: belongs to one groom" "$FILUM" info contact --unit cm
printf 'v 0 0 0\nl 1 2\n' >bad.obj
check_exit info_bad_groom 2 "bad.obj: line 2: the index 2 is out of range (1 vertices)" "$FILUM" info bad.obj
: >empty.hair
check_exit info_empty_groom 2 "empty.hair: the file is empty" "$FILUM" info empty.hair

# What is there stays when something goes wrong, and nothing is left behind.
echo before >kept.tfx
printf 'v 0 0 0\nv 0 0 1\nv 0 0 2\nl 1 2 3\nl 1 3\n' >uneven.obj
check_exit convert_uneven_tfx 2 "same number of vertices" "$FILUM" convert uneven.obj kept.tfx
check_exit convert_bad_in 2 "bad.obj" "$FILUM" convert bad.obj kept.tfx
check convert_keeps_output grep -qx before kept.tfx
check_exit convert_no_folder 3 "cannot write" "$FILUM" convert a.obj no/such/b.obj
mkdir folder.obj
check_exit convert_to_folder 3 "cannot write" "$FILUM" convert a.obj folder.obj
left=$(find . -name '*.part')
if [[ -z $left ]]; then ok convert_leaves_nothing; else fail convert_leaves_nothing "$left"; fi
full() { (ulimit -f 1 && trap '' XFSZ && "$FILUM" convert a.obj kept.obj --resample 0.0001); }
echo before >kept.obj
check_exit convert_full_disk 3 "cannot write" full
check convert_full_disk_keeps_output grep -qx before kept.obj

for name in harolongo.data ratboy_mohawk.tfx creamystrand_hair_ball_1k.obj; do
    groom=$FILUM_DATA/grooms/$name
    if [[ -r $groom ]]; then
        check_output "convert_$name" "strands" "$FILUM" convert "$groom" real.ply
    else
        skip "convert_$name" "no grooms/$name in FILUM_DATA"
    fi
done

# The corpus of the fuzzer, replayed.
check curves_corpus_replay "$FILUM_BUILD/fuzz/fuzz_curves" "$FILUM_SOURCE/fuzz/corpus/curves"

# Generators stand in for files.
check convert_generator "$FILUM" convert line:strands=3,length=0.1 line.obj
check info_generator "$FILUM" info coil:turns=3
check_exit convert_generator_typo 2 "did you mean 'length'" "$FILUM" convert line:lenght=1 line.obj
check_exit convert_no_such_file 2 "" "$FILUM" convert nothing.obj out.obj

# Films.
cat >scene.json <<'END'
{"time": {"duration": 0.1, "fps": 30, "settle": false}, "groups": [{"name": "a", "groom": "line:strands=2,segment=0.05"}]}
END
check run_film "$FILUM" run scene.json -o film --quiet
check_output convert_film_usda "film.usda: 4 frames of 2 strands, 10 vertices" "$FILUM" convert film film.usda
check_output convert_film_usda_reads_back "usda, 2 strands, 10 vertices" "$FILUM" info film.usda
check_output convert_film_each "f_%03d.ply: 4 frames" "$FILUM" convert film f_%03d.ply
check convert_film_each_is_there test -s f_000.ply -a -s f_003.ply -a ! -e f_004.ply
check_output convert_film_frame "last.hair: 1 frame of" "$FILUM" convert film last.hair --frame 3
check_output convert_film_still '"frames": 1' "$FILUM" convert film still.usda --frame 0 --json
check_exit convert_film_ending 2 "film.abc: is no groom by its name" "$FILUM" convert film film.abc
check_exit convert_film_no_frame 2 "last.hair: holds one frame: choose it with --frame" "$FILUM" convert film last.hair
check_exit convert_film_frame_beyond 2 "--frame: film has the frames 0 to 3 (got 4)" "$FILUM" convert film a.ply --frame 4
check_exit convert_film_pattern 2 "is written %d or %04d, once" "$FILUM" convert film 'f_%s.ply'
check_exit convert_film_two_patterns 2 "is written %d or %04d, once" "$FILUM" convert film 'f_%d_%d.ply'
check_exit convert_film_both 2 "leave one of the two out" "$FILUM" convert film f_%d.ply --frame 1
check_exit convert_film_ending 2 "is no groom by its name" "$FILUM" convert film f_%d.txt
check_exit convert_film_resample 2 "--resample: belongs to a groom" "$FILUM" convert film f.usda --resample 0.1
check_exit convert_film_foreign 2 "is not a folder with results" "$FILUM" convert . f.usda
check_exit convert_frame_of_groom 2 "--frame: belongs to a folder" "$FILUM" convert a.obj b.obj --frame 1
