#!/usr/bin/env bash
# The coil tests of [Shi23] and the claims of their README.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2023_shi/coils
check coils_runs "$folder/run" out
check coils_claims "$folder/check" out
if grep -q '</svg>' out/compress-60.svg; then ok coils_figure; else fail coils_figure "no picture"; fi

coils=$FILUM_BUILD/experiments/2023_shi/coils
check_exit coils_unknown_option 2 "no such option" "$coils" --tset straight
check_exit coils_unknown_test 2 "no such test" "$coils" --test bent
check_exit coils_bad_number 2 "--seeds" "$coils" --seeds 0
check_exit coils_mean_axes_of_lifted 2 "Gauss-Newton" "$coils" --test straight --method "lifted filter" --mean-axes
