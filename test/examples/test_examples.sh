#!/usr/bin/env bash
# The examples do what their text says.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

check embed_is_short test "$(wc -l <"$FILUM_SOURCE/examples/embed.c")" -lt 60
output=$("$FILUM_BUILD/examples/embed")
if [[ $output == "after 2.0 s the tip of the first strand is at "* ]]; then ok embed; else fail embed "$output"; fi
