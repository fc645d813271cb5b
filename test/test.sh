# Helpers of the test scripts: source "$FILUM_SOURCE/test/test.sh". See scripts/run_tests for what a script is given.
# shellcheck shell=bash
set -uo pipefail

ok() { echo "ok $1"; }
skip() { echo "skip $1: $2"; }
fail() {
    echo "FAIL $1: $(tr '\n' ' ' <<<"$2" | cut -c1-500)"
}

# check NAME COMMAND...: the command succeeds.
check() {
    local name=$1 output code
    shift
    output=$("$@" 2>&1)
    code=$?
    if [[ $code == 0 ]]; then ok "$name"; else fail "$name" "status $code: $output"; fi
}

# check_exit NAME CODE WORD COMMAND...: the command ends with CODE and writes WORD (a fixed string) to stderr.
check_exit() {
    local name=$1 expected=$2 word=$3 errors code
    shift 3
    errors=$("$@" 2>&1 >/dev/null)
    code=$?
    if [[ $code != "$expected" ]]; then
        fail "$name" "status $code instead of $expected: $errors"
    elif [[ $errors != *"$word"* ]]; then
        fail "$name" "'$word' is not in: $errors"
    else
        ok "$name"
    fi
}

# check_output NAME WORD COMMAND...: the command succeeds and writes WORD to stdout.
check_output() {
    local name=$1 word=$2 output code
    shift 2
    output=$("$@" 2>/dev/null)
    code=$?
    if [[ $code == 0 && $output == *"$word"* ]]; then ok "$name"; else fail "$name" "status $code: $output"; fi
}
