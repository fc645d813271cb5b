#!/usr/bin/env bash
# Strands that slide for several frictions [Jia20, figures 4-5 and 4-6], and the claims of their README.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2020_jia/slide
check slide_runs "$folder/run" out
check slide_claims "$folder/check" out
if grep -q '</svg>' out/slide.svg; then ok slide_figure; else fail slide_figure "no picture"; fi

slide=$FILUM_BUILD/experiments/2020_jia/slide
check_exit slide_no_folder 2 "must be given" "$slide"
check_exit slide_unknown_option 2 "no such option" "$slide" out --cvs out.csv
check_exit slide_missing_value 2 "needs a value" "$slide" out --csv
check_exit slide_no_results 2 "nowhere" "$slide" nowhere
