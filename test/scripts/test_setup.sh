#!/usr/bin/env bash
# scripts/setup on a machine that lacks packages, played by stand-ins: dpkg-query knows gcc alone and fails for the rest.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

mkdir stand-ins
stand_in() { # name, body
    printf '#!/bin/sh\n%s\n' "$2" >"stand-ins/$1"
    chmod +x "stand-ins/$1"
}
stand_in dpkg-query 'echo "gcc installed"; exit 1'
stand_in apt-cache 'exit 1'
stand_in id 'echo 1000'
stand_in sudo 'exit 1'

# gcc is there, so it is not in the line; cmake is not.
check_exit setup_without_rights 1 "sudo apt-get install -y libc6-dev make cmake" \
    env PATH="$PWD/stand-ins:$PATH" "$FILUM_SOURCE/scripts/setup"
