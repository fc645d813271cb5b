#!/usr/bin/env bash
# The comparison of [Jia20, Table 4-1] on a small ball: every trial makes its steps from the same state.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2020_jia/hair_ball
check hair_ball_runs "$folder/run" out --strands 40 --moment 0.3 --steps 2 --iterations 100 --threads 2
rows=$(awk -F, 'NR > 1 && $11 > 0' out/hair_ball.csv | wc -l)
if [[ $rows == 9 ]]; then ok hair_ball_rows; else fail hair_ball_rows "$rows of 9 trials have contacts"; fi
exact=$(awk -F, '$1 == "1e-6" && $2 != "impulse" && $15 <= 1e-6 && $17 + $18 == 0' out/hair_ball.csv | wc -l)
if [[ $exact == 2 ]]; then ok hair_ball_exact; else fail hair_ball_exact "$exact of 2 methods reach 1e-6 without crossings"; fi

ball=$FILUM_BUILD/experiments/2020_jia/hair_ball
check_exit hair_ball_no_scene 2 "must be given" "$ball"
check_exit hair_ball_unknown_option 2 "no such option" "$ball" "$folder/hair_ball.json" --cvs out.csv
check_exit hair_ball_missing_value 2 "needs a value" "$ball" "$folder/hair_ball.json" --csv
check_exit hair_ball_bad_number 2 "must be a number" "$ball" "$folder/hair_ball.json" --steps 0
check_exit hair_ball_bad_scene 2 "nowhere.json" "$ball" nowhere.json
