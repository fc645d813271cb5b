#!/usr/bin/env bash
# Many short strands [Han13, section 4]: that the program runs. Times are not claimed here.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

crowd=$FILUM_BUILD/experiments/2013_han/crowd
check crowd_runs "$crowd" --strands 500 --steps 3 --threads 1 --device cpu --csv out.csv
# shellcheck disable=SC2016
check crowd_no_strand_fails awk -F, 'NR == 2 && $11 == 0 { fine = 1 } END { exit !fine }' out.csv
check crowd_scene "$FILUM" check "$FILUM_SOURCE/experiments/2013_han/crowd/mushroom.json"
check_exit crowd_unknown_option 2 "no such option" "$crowd" --strand 5
check_exit crowd_missing_value 2 "needs a value" "$crowd" --csv
check_exit crowd_bad_device 2 "cpu, opencl or opencl-strand" "$crowd" --device gpu
check_exit crowd_bad_number 2 "whole number" "$crowd" --strands 0
check_exit crowd_no_such_folder 2 "cannot be written" "$crowd" --csv nowhere/out.csv
