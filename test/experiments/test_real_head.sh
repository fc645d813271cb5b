#!/usr/bin/env bash
# The real head, with a few of its strands and a moment of its film.
# shellcheck source=/dev/null
source "$FILUM_SOURCE/test/test.sh"

folder=$FILUM_SOURCE/experiments/2011_daviet/real_head
FILUM=$FILUM_BUILD/filum
export FILUM
check_exit real_head_needs_data 0 "skipped: /nowhere" env FILUM_DATA=/nowhere "$folder/run" out

data=${FILUM_DATA:-$FILUM_SOURCE/../shared/data}
if [[ -f $data/grooms/harolongo.data ]]; then
    # The verdict on all that is inside the body belongs to whoever makes the film: a few places are from the start.
    said=$("$folder/run" out --quiet --set groups.hair.groom.every=200 --set time.duration=0.04 2>&1) || true
    if grep -Eq 'crossings +0 ' <<<"$said"; then ok real_head_runs; else fail real_head_runs "$said"; fi
else
    skip real_head_runs "$data/grooms/harolongo.data is not there"
fi
