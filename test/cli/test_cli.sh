#!/usr/bin/env bash
# The command: help, info, exit codes, bad usage, nonsense input, outputs, the same result on any number of threads.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

# json_value FILE KEY: a number or word of our own JSON, which has one key per line.
json_value() { sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -1; }

# Help and version
check_output version "filum 0." "$FILUM" --version
check_output help "contact solve" "$FILUM" help
check_output help_option "contact solve" "$FILUM" --help
check_output help_group "contact judge" "$FILUM" help contact
for command in "contact solve" "contact compare" "contact batch" "contact generate" "contact judge" validate convert info help; do
    # shellcheck disable=SC2086 # two words
    check_output "help_${command// /_}" "Examples" "$FILUM" help $command
    # shellcheck disable=SC2086
    check_output "option_help_${command// /_}" "Examples" "$FILUM" $command --help
done
check_exit no_command 2 "" "$FILUM"
check_exit group_alone 2 "" "$FILUM" contact
check_exit unknown_command 2 "did you mean 'info'?" "$FILUM" inof
check_exit unknown_subcommand 2 "did you mean 'contact solve'?" "$FILUM" contact slove
check_exit group_left_out 2 "did you mean 'contact solve'?" "$FILUM" solve a
check_exit unknown_first_option 2 "unknown option '-v'" "$FILUM" -v
check_exit help_of_nothing 2 "unknown command" "$FILUM" help xyzzy
check_exit unknown_option 2 "did you mean '--solver'?" "$FILUM" contact solve a --solvr gs
check_exit longer_option 2 "did you mean '--tol'?" "$FILUM" contact solve a --tolerance 1
check_exit shorter_option 2 "did you mean '--max-iterations'?" "$FILUM" contact solve a --iterations 1
check_exit missing_value 2 "--tol: needs a value" "$FILUM" contact solve a --tol
check_exit value_of_flag 2 "--json: takes no value" "$FILUM" contact solve a --json=yes
check_exit option_twice 2 "--tol: given twice" "$FILUM" contact solve a --tol 1 --tol 2
check_exit missing_file_name 2 "FILE is missing" "$FILUM" contact solve
check_exit empty_file_name 2 "FILE must not be empty" "$FILUM" contact solve ""
check_exit too_many_words 2 "too many words: 'b'" "$FILUM" contact solve a b

# Info
check_output info_all "strand" "$FILUM" info
check_output info_contact "gs" "$FILUM" info contact
check_output info_settings "relaxation" "$FILUM" info contact gs
check_output info_local "4sides" "$FILUM" info local
check_output info_strand "der" "$FILUM" info strand
check_output info_strand_settings "hessian" "$FILUM" info strand der
check_output info_material "young" "$FILUM" info material
check_output info_motion_json '"scheme"' "$FILUM" info motion --json
check_output info_touch "friction_body" "$FILUM" info touch
check_output info_contacts_json '"halvings"' "$FILUM" info contacts --json
check_exit info_material_has_no_names 2 "unknown name" "$FILUM" info material hair
check_exit info_strand_swapped_letters 2 "did you mean 'der'?" "$FILUM" info strand dre
check_output info_json '"name": "gs"' "$FILUM" info contact --json
check_output info_json_whole_range '"max": 1000000' "$FILUM" info contact gs --json
check_exit info_kind_left_out 2 "did you mean 'info contact gs'?" "$FILUM" info gs
check_exit info_unknown_kind 2 "must be contact, local, strand, groom, material, motion, touch or contacts" "$FILUM" info contct
check_exit info_unknown_name 2 "did you mean 'anderson'?" "$FILUM" info contact andersen

# Generate
small=(--rods 30 --dofs 12 --contacts-per-rod 8)
generate() { "$FILUM" contact generate "${small[@]}" "$@"; }
check generate generate -o a.hdf5
check generate_again generate -o again.hdf5
check same_seed_same_file cmp a.hdf5 again.hdf5
check generate_local generate --form local -o local.hdf5
check generate_count generate --count 3 -o 'family-%d.hdf5' --quiet
check generate_count_files test -s family-3.hdf5
check generate_empty "$FILUM" contact generate --rods 3 --contacts-per-rod 0 -o empty.hdf5
check_output generate_json '"contacts"' generate --json -o a.hdf5
check_exit generate_no_out 2 "--out FILE is missing" generate
check_exit generate_bad_form 2 "--form" generate --form gobal -o x.hdf5
check_exit generate_no_place 2 "%d" generate --count 2 -o x.hdf5
check_exit generate_zero_rods 2 "--rods: must be from 1" "$FILUM" contact generate --rods 0 -o x.hdf5
check_exit generate_negative_mu 2 "--mu: must be from 0" generate --mu -1 -o x.hdf5
check_exit generate_fraction 2 "whole number" "$FILUM" contact generate --dofs 2.5 -o x.hdf5
hair() { "$FILUM" contact generate --strands 30 --vertices 12 --contacts-per-strand 8 "$@"; }
check_output generate_hair "hair.hdf5: 124 contacts, 30 strands, 1200 dofs" hair -o hair.hdf5
check generate_hair_again hair -o again.hdf5 --threads 1
check hair_same_seed_same_file cmp hair.hdf5 again.hdf5
check solve_hair "$FILUM" contact solve hair.hdf5 --tol 1e-6
check_output generate_hair_json '"strands"' hair --shape curly --step 0.004 --json -o curly.hdf5
check generate_hair_steps hair --steps 2 -o 'step-%d.hdf5' --quiet
check hair_begins_with_step_0 cmp step-0.hdf5 hair.hdf5
check hair_steps_differ bash -c '! cmp -s step-0.hdf5 step-1.hdf5'
check_exit generate_rods_and_strands 2 "--rods is for rods and --strands for strands" hair --rods 3 -o x.hdf5
check_exit generate_steps_of_rods 2 "--dofs is for rods and --steps for strands" \
    "$FILUM" contact generate --dofs 9 --steps 2 -o 'x-%d.hdf5'
check_exit generate_bad_shape 2 "--shape: must be straight, wavy, curly or parallel" hair --shape bent -o x.hdf5
check_exit generate_two_vertices 2 "--vertices: must be from 4" "$FILUM" contact generate --vertices 2 -o x.hdf5
check_exit generate_steps_no_place 2 "the place of the step" hair --steps 2 -o x.hdf5
check_exit generate_steps_and_count 2 "only one of them" hair --steps 2 --count 2 -o 'x-%d.hdf5'
check_exit generate_unwritable 3 "cannot write" generate -o missing/x.hdf5
check nothing_left_behind bash -c '! ls | grep -E "part|^x.hdf5"'

# Solve
"$FILUM" contact solve a.hdf5 --json --tol 1e-6 --out solved.hdf5 --svg a.svg --trace a.csv >a.json 2>a.err
code=$?
if [[ $code == 0 ]]; then ok solve; else fail solve "status $code: $(cat a.err)"; fi
for key in file contacts blocks solver local merit tolerance iterations sweeps newton_steps factorisations \
    residual_natural residual_fclib residual_fb seconds_setup seconds_solve local_calls failsafe_calls local_failures \
    status finished_by threads; do
    if [[ -n $(json_value a.json $key) ]]; then ok "json_$key"; else fail "json_$key" "$(cat a.json)"; fi
done
if [[ $(json_value a.json status) == solved ]]; then ok status_solved; else fail status_solved "$(cat a.json)"; fi
if command -v python3 >/dev/null; then check json_is_valid python3 -m json.tool a.json; else skip json_is_valid "no python3"; fi
check trace_has_header grep -q '^iterations,seconds,phase,residual,best$' a.csv
check svg_is_whole grep -q '</svg>' a.svg
check no_escapes bash -c '! grep -q $'"'\\033'"' a.json a.err'
check_output human_summary "solved" "$FILUM" contact solve a.hdf5 --tol 1e-4
check_output local_form "solved" "$FILUM" contact solve local.hdf5 --tol 1e-4
check_output zero_contacts "solved" "$FILUM" contact solve empty.hdf5
check_output zero_contacts_json '"blocks": 0' "$FILUM" contact solve empty.hdf5 --json
cp a.hdf5 $'b\xff.hdf5'
check_output foreign_file_name '"file": "b?.hdf5"' "$FILUM" contact solve $'b\xff.hdf5' --tol 1e-2 --json
check_output warm "solved" "$FILUM" contact solve a.hdf5 --tol 1e-6 --warm solved.hdf5
check_output judge "natural" "$FILUM" contact judge solved.hdf5
check_output judge_other '"residual_natural"' "$FILUM" contact judge a.hdf5 --solution solved.hdf5 --json
check_exit strands_only 2 "admm: takes problems of strands only" "$FILUM" contact solve a.hdf5 --solver admm
check_exit missed_goal 1 "" "$FILUM" contact solve a.hdf5 --solver gs --max-iterations 2

# The solution on file is the one that was judged; u comes from W there and from A and H here, so the last digits differ.
"$FILUM" contact judge solved.hdf5 --json >judged.json
if [[ $(printf %.3e "$(json_value judged.json residual_natural)") == "$(printf %.3e "$(json_value a.json residual_natural)")" ]]; then
    ok judge_agrees
else
    fail judge_agrees "$(cat judged.json)"
fi

# Same residuals on any number of threads.
for solver in auto gs gs:order=coloured; do
    residuals=$(for threads in 1 2 4; do
        "$FILUM" contact solve a.hdf5 --solver $solver --tol 1e-6 --max-iterations 300 --threads $threads --json >t.json
        json_value t.json residual_natural
    done | sort -u | wc -l)
    if [[ $residuals == 1 ]]; then ok "threads_$solver"; else fail "threads_$solver" "$residuals different residuals"; fi
done

# Nonsense
: >nothing.hdf5
echo "this is not a problem" >text.hdf5
mkdir folder
head -c 1000 a.hdf5 >cut.hdf5
for file in absent.hdf5 nothing.hdf5 text.hdf5 folder cut.hdf5; do
    check_exit "reads_$file" 2 "$file" "$FILUM" contact solve "$file"
done
check_exit negative_tolerance 2 "--tol: must be above 0 (got -1)" "$FILUM" contact solve a.hdf5 --tol -1
check_exit nan_tolerance 2 "--tol: must be a finite number" "$FILUM" contact solve a.hdf5 --tol nan
check_exit word_tolerance 2 "--tol: must be a finite number" "$FILUM" contact solve a.hdf5 --tol small
check_exit negative_iterations 2 "--max-iterations" "$FILUM" contact solve a.hdf5 --max-iterations -5
check_exit unknown_solver 2 "did you mean 'anderson'?" "$FILUM" contact solve a.hdf5 --solver andersn
check_exit unknown_local 2 "unknown local solver 'mfc'" "$FILUM" contact solve a.hdf5 --local mfc
check_exit unknown_merit 2 "--merit: must be natural" "$FILUM" contact solve a.hdf5 --merit good
check_exit unknown_setting 2 "did you mean 'relaxation'?" "$FILUM" contact solve a.hdf5 --solver gs:relaxatoin=1
check_exit setting_out_of_range 2 "must be from" "$FILUM" contact solve a.hdf5 --solver gs:relaxation=9
check_exit warm_without_solution 2 "a.hdf5" "$FILUM" contact solve a.hdf5 --warm a.hdf5
check_exit judge_without_solution 2 "a.hdf5" "$FILUM" contact judge a.hdf5
check_exit unwritable_out 3 "cannot write" "$FILUM" contact solve a.hdf5 --out missing/s.hdf5
check_exit unwritable_svg 3 "cannot write" "$FILUM" contact solve a.hdf5 --svg folder
full_output() { "$FILUM" help >/dev/full; }
if [[ -w /dev/full ]]; then check_exit full_stdout 3 "standard output" full_output; fi
full_json() { "$FILUM" info --json >/dev/full; }
only_the_disk() { [[ $(full_json 2>&1) == "filum: cannot write to standard output" ]]; }
if [[ -w /dev/full ]]; then check full_stdout_json only_the_disk; fi
check_exit local_in_solver 2 "--local (got 'gs@mfb')" "$FILUM" contact solve a.hdf5 --solver gs@mfb

# No output replaces an input or another output.
cp a.hdf5 kept.hdf5
ln -s a.hdf5 link.hdf5
for option in --out --svg --trace; do
    check_exit "input_is_${option#--}" 2 "$option: a.hdf5 is an input" "$FILUM" contact solve a.hdf5 $option a.hdf5
done
check_exit input_behind_link 2 "--svg: link.hdf5 is an input" "$FILUM" contact solve a.hdf5 --svg link.hdf5
check_exit warm_is_output 2 "--out: solved.hdf5 is an input" "$FILUM" contact solve a.hdf5 --warm solved.hdf5 --out solved.hdf5
check_exit compare_input_is_csv 2 "--csv: ./a.hdf5 is an input" "$FILUM" contact compare a.hdf5 --solvers gs --csv ./a.hdf5
check_exit batch_input_is_svg 2 "--svg: a.hdf5 is an input" "$FILUM" contact batch . --solvers gs --svg a.hdf5
check_exit one_file_twice 2 "--svg: ./new is the file of --out, too" "$FILUM" contact solve a.hdf5 --out new --svg ./new
check inputs_are_untouched cmp a.hdf5 kept.hdf5
check_output device_twice "solved" "$FILUM" contact solve a.hdf5 --tol 1e-2 --out /dev/null --svg /dev/null

# Compare and batch
check_output compare "finished by" "$FILUM" contact compare a.hdf5 --tol 1e-4 --max-iterations 500 --csv c.csv --svg c.svg \
    --solvers 'gs:relaxation=1.2,freeze=false,gs@mfb:+enum,auto'
if [[ $(wc -l <c.csv) == 4 ]]; then ok compare_splits_lists; else fail compare_splits_lists "$(cat c.csv)"; fi
check compare_quotes_cells grep -q '"gs:relaxation=1.2,freeze=false"' c.csv
mkdir family && mv family-*.hdf5 family
check_output batch "%alt" "$FILUM" contact batch family --solvers gs@mfb+enum,gs@4sides --tol 1e-4 --max-iterations 300 \
    --csv b.csv --svg b.svg
if [[ $(wc -l <b.csv) == 7 ]]; then ok batch_rows; else fail batch_rows "$(cat b.csv)"; fi
check batch_svg grep -q '</svg>' b.svg
check_output batch_json '"percent_above_tolerance"' "$FILUM" contact batch family/family-1.hdf5 --solvers auto --tol 1e-4 --json
check_exit batch_skips_bad 2 "1 of 2 files were left out" "$FILUM" contact batch family/family-1.hdf5 text.hdf5 \
    --solvers gs --tol 1e-2
check_exit batch_empty_folder 2 "no .hdf5" "$FILUM" contact batch folder --solvers gs
check_exit batch_no_solvers 2 "--solvers LIST is missing" "$FILUM" contact batch family
check_exit batch_empty_item 2 "empty" "$FILUM" contact batch family --solvers gs,,auto
check_exit batch_bad_item 2 "unknown contact solver" "$FILUM" contact batch family --solvers gs,nonsense9

# Ctrl-C returns the best so far. (In the foreground: otherwise timeout signals its group, too, and twice ends at once.)
"$FILUM" contact generate --rods 150 --dofs 16 --contacts-per-rod 25 -o hard.hdf5 >/dev/null
timeout --foreground -s INT 1 "$FILUM" contact solve hard.hdf5 --solver gs --tol 1e-15 --json --threads 1 >cancelled.json
if [[ $(json_value cancelled.json status) == cancelled ]]; then ok interrupt; else fail interrupt "$(cat cancelled.json)"; fi
mkdir many
check_exit interrupt_generate 1 "of 100000 problems were written" \
    timeout --foreground --preserve-status -s INT 1 "$FILUM" contact generate --rods 100 --count 100000 -o 'many/%d.hdf5' --threads 1
whole_files() { ! find many -name '*part*' | grep . && "$FILUM" contact solve many/1.hdf5 --tol 1e-1; }
check interrupt_leaves_whole_files whole_files
