#!/usr/bin/env bash
# filum validate: the table, JSON, pictures, exit codes, bad input.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

"$FILUM" validate der --quick --svg pictures >table.txt 2>errors.txt
code=$?
if [[ $code == 0 ]]; then ok validate; else fail validate "status $code: $(cat errors.txt table.txt)"; fi
check has_header grep -qE '^der +theory +measured +error +bound +verdict$' table.txt
check has_rows grep -qE '^  H/W at Gamma = 100 .* 1 %  pass$' table.txt
check says_coarse grep -q '^  coarse: ' table.txt
check ends_with_sum bash -c "tail -1 table.txt | grep -qE '^[0-9]+ pass, 0 miss, 0 by design, 1 coarse$'"
check no_escapes bash -c '! grep -q $'"'\\033'"' table.txt errors.txt'
if [[ -s errors.txt ]]; then fail nothing_on_stderr "$(cat errors.txt)"; else ok nothing_on_stderr; fi
# All verdicts stand in one column.
columns=$(grep -E '^  .*  (pass|coarse)$' table.txt | sed -E 's/(pass|coarse)$//' | awk '{ print length($0) }' | sort -u | wc -l)
if [[ $columns == 1 ]]; then ok aligned; else fail aligned "$columns columns"; fi
for picture in cantilever bend-twist; do
    check "picture_$picture" grep -q '</svg>' "pictures/$picture.svg"
done
if [[ $(find pictures -type f | wc -l) == 2 ]]; then ok only_pictures; else fail only_pictures "$(ls pictures)"; fi

# A model that misses: natural shapes need directions. The status says so, JSON is valid all the same.
"$FILUM" validate der:bend=isotropic --quick --json >isotropic.json 2>errors.txt
code=$?
if [[ $code == 1 ]]; then ok missed; else fail missed "status $code: $(cat errors.txt)"; fi
if command -v python3 >/dev/null; then
    check json_is_valid python3 -c '
import json
top = json.load(open("isotropic.json"))
assert top["miss"] > 0
assert top["models"][0]["model"] == "der:bend=isotropic"
rows = top["models"][0]["rows"]
assert sum(row["verdict"] == "miss" for row in rows) == top["miss"]
assert {"case", "quantity", "theory", "measured", "error", "bound", "bar", "verdict", "reason"} == set(rows[0])'
else
    skip json_is_valid "no python3"
fi

check_exit unknown_model 2 "did you mean 'der'?" "$FILUM" validate dre
check_exit unknown_setting 2 "did you mean 'hessian'?" "$FILUM" validate der:hesian=filter
check_exit bad_setting 2 "hessian" "$FILUM" validate der:hessian=guess
check_exit empty_model 2 "must not be empty" "$FILUM" validate ""
check_exit two_models 2 "too many words: 'lifted'" "$FILUM" validate der lifted
check_exit unknown_option 2 "did you mean '--quick'?" "$FILUM" validate --quik
check_exit svg_without_folder 2 "--svg: needs a value" "$FILUM" validate --svg
: >file
check_exit svg_is_a_file 2 "is not a folder" "$FILUM" validate --svg file
check_exit svg_nowhere 3 "cannot make the folder" "$FILUM" validate --svg nowhere/pictures
mkdir taken taken/cantilever.svg
check_exit svg_is_taken 3 "cantilever.svg" "$FILUM" validate --quick --svg taken
