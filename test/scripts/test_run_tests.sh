#!/usr/bin/env bash
# The runner itself: what is counted, and that nothing bad goes by unnoticed.
# shellcheck disable=SC2016 # texts of other scripts
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

# A tree and a build that hold nothing but tests: `program NAME` reads its text from stdin.
mkdir -p tree/scripts tree/test build/test/a
cp "$FILUM_SOURCE/scripts/run_tests" tree/scripts/
program() {
    { echo '#!/usr/bin/env bash' && cat; } >"build/test/a/$1"
    chmod +x "build/test/a/$1"
    echo "a/$1" >>build/test/programs
}
fresh() {
    rm -f build/test/programs build/test/a/*
    touch build/test/programs
}

# expect NAME CODE LAST-LINE
expect() {
    local output code
    output=$(FILUM_TEST_SECONDS=1 tree/scripts/run_tests build 2>&1)
    code=$?
    if [[ $code == "$2" && $(tail -n 1 <<<"$output") == "$3" ]]; then
        ok "$1"
    else
        fail "$1" "status $code: $output"
    fi
}

fresh
program good <<<'echo ok one; echo ok two; echo other words'
expect counts_passed 0 "2 passed, 0 failed"
program skips <<<'echo skip three: no data'
expect counts_skipped 0 "2 passed, 0 failed, 1 skipped"
program bad <<<'echo ok four; echo FAIL five: why; exit 1'
expect counts_failed 1 "3 passed, 1 failed, 1 skipped"
fresh
program crash <<<'echo ok one; kill -SEGV $$'
expect notices_a_crash 1 "1 passed, 1 failed"
fresh
program hang <<<'echo ok one; sleep 60'
expect notices_a_hang 1 "1 passed, 1 failed"
fresh
program silent <<<'true'
expect notices_silence 1 "0 passed, 1 failed"
fresh
echo 'a/missing' >>build/test/programs
expect notices_a_missing_program 1 "0 passed, 1 failed"
fresh
echo 'echo "ok $(ls | wc -l) in an empty folder"' >tree/test/test_script.sh
expect runs_scripts 0 "1 passed, 0 failed"
rm tree/test/test_script.sh
check_exit nothing_to_run 2 "no test" tree/scripts/run_tests build word
