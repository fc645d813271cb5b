#!/usr/bin/env bash
# A strand that swings by live models [Han13, figures 3 and 4, table 1], and the claims of its README.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2013_han/swing
check swing_runs "$folder/run" out
check swing_claims "$folder/check" out
for figure in stretch trajectory; do
    if grep -q '</svg>' "out/$figure.svg"; then ok "swing_${figure}_figure"; else fail "swing_${figure}_figure" "no picture"; fi
done

swing=$FILUM_BUILD/experiments/2013_han/swing
check_exit swing_unknown_option 2 "no such option" "$swing" --uot out
check_exit swing_missing_value 2 "needs a value" "$swing" --out
check_exit swing_no_such_folder 2 "cannot be written" "$swing" --out nowhere
