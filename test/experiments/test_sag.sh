#!/usr/bin/env bash
# How far a horizontal strand of live models sags, and the claims of its README.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2013_han/sag
check sag_runs "$folder/run" out
check sag_claims "$folder/check" out
if grep -q '</svg>' out/sag.svg; then ok sag_figure; else fail sag_figure "no picture"; fi

sag=$FILUM_BUILD/experiments/2013_han/sag
check_exit sag_unknown_option 2 "no such option" "$sag" --uot out
check_exit sag_missing_value 2 "needs a value" "$sag" --out
