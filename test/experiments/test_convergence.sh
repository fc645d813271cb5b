#!/usr/bin/env bash
# Local impulses on one contact [Jia20, figure 4-8], and the claims of their README.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2020_jia/convergence
check convergence_runs "$folder/run" out
check convergence_claims "$folder/check" out
if grep -q '</svg>' out/convergence.svg; then ok convergence_figure; else fail convergence_figure "no picture"; fi

convergence=$FILUM_BUILD/experiments/2020_jia/convergence
check_exit convergence_unknown_option 2 "no such option" "$convergence" --cvs out.csv
check_exit convergence_missing_value 2 "needs a value" "$convergence" --csv
check_exit convergence_no_such_folder 2 "cannot be written" "$convergence" --csv nowhere/out.csv
