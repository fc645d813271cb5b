#!/usr/bin/env bash
# The orderings of [Daviet11, Table 2] on 30 generated problems; on 306 in the long tests.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2011_daviet/table2
problems=30
[[ -n ${FILUM_LONG:-} ]] && problems=306
# The real problems take longer and are not part of the check.
[[ -n ${FILUM_LONG:-} ]] || export FILUM_DATA=/nonexistent
check table2_runs "$folder/run" out "$problems"
check table2_orderings "$folder/check" out
rows=$(wc -l <out/fb.csv)
if [[ $rows == $((problems * 13 + 1)) ]]; then ok table2_rows; else fail table2_rows "$rows rows"; fi
if grep -q '</svg>' out/fb.svg; then ok table2_figure; else fail table2_figure "no picture"; fi
