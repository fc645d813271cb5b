#!/usr/bin/env bash
# The set-up script, with stand-ins for the tools of Debian: nothing is installed here.
# shellcheck disable=SC2016 # texts of other scripts
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

mkdir bin
export LOG=$PWD/log
stand_in() {
    { echo '#!/bin/bash' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}
export PATH=$PWD/bin:$PATH

# dpkg-query knows every package but those in $MISSING, and fails when asked for one of them, as the true one does.
stand_in dpkg-query <<'END'
shift 3
code=0
for package; do
    if [[ " $MISSING " == *" $package "* ]]; then code=1; else echo "$package installed"; fi
done
exit $code
END
stand_in apt-get <<<'echo "apt-get $*" >>"$LOG"; [[ -z $APT_FAILS ]]'
stand_in apt-cache <<<'exit 1'
stand_in sudo <<<'[[ -n $SUDO_WORKS ]] || exit 1; shift; exec "$@"'
stand_in id <<<'echo "$USER_ID"'
export MISSING="" APT_FAILS="" SUDO_WORKS="" USER_ID=0
setup=$FILUM_SOURCE/scripts/setup

# says NAME WORD: the log of what apt-get was asked contains WORD.
says() {
    if grep -qF -- "$2" "$LOG"; then ok "$1"; else fail "$1" "$(cat "$LOG")"; fi
}

: >"$LOG"
check nothing_missing "$setup"
if [[ -s $LOG ]]; then fail nothing_missing_calls_nothing "$(cat "$LOG")"; else ok nothing_missing_calls_nothing; fi
MISSING="check cmake" check root_installs "$setup"
says root_installs_the_missing "--no-install-recommends cmake check"
MISSING=libclang-rt-dev check unavailable_optional_package "$setup"
MISSING=check APT_FAILS=1 check_exit tells_that_apt_failed 1 "could not install: check" "$setup"
MISSING=check USER_ID=1000 check_exit prints_the_line 1 "sudo apt-get install -y check" "$setup"
: >"$LOG"
MISSING=check USER_ID=1000 SUDO_WORKS=1 check sudo_installs "$setup"
says sudo_installs_the_missing "--no-install-recommends check"
: >"$LOG"
MISSING=libsiconos-numerics-dev check bench_packages_are_not_for_all "$setup"
MISSING=libsiconos-numerics-dev check bench_packages "$setup" bench
says bench_packages_on_demand "libsiconos-numerics-dev"
