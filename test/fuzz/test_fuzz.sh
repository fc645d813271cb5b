#!/usr/bin/env bash
# Every fuzzer of fuzz/: its corpus is replayed, and in `make test-long` it runs for a minute.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"
build=$FILUM_SOURCE/build/fuzz

# Coverage-guided. What it finds new stays in this folder; the corpus of the tree is read only.
fuzz_for_a_minute() {
    mkdir "new_$1"
    "$build/fuzz/fuzz_$1" -max_total_time=60 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -artifact_prefix="$build/" \
        "new_$1" "$FILUM_SOURCE/fuzz/corpus/$1"
}
build_fuzzer() {
    (cd "$FILUM_SOURCE" && cmake --preset fuzz && cmake --build build/fuzz --target "fuzz_$1") >build.log 2>&1
}

for source in "$FILUM_SOURCE"/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    check "fuzz_${name}_corpus" "$FILUM_BUILD/fuzz/fuzz_$name" "$FILUM_SOURCE/fuzz/corpus/$name"
    if [[ -z ${FILUM_LONG:-} ]]; then
        skip "fuzz_${name}_for_a_minute" "long (make test-long)"
    elif ! command -v clang >/dev/null; then
        skip "fuzz_${name}_for_a_minute" "clang is missing (apt install clang)"
    elif ! build_fuzzer "$name"; then
        fail "fuzz_${name}_for_a_minute" "$(tail -5 build.log)"
    else
        check "fuzz_${name}_for_a_minute" fuzz_for_a_minute "$name"
    fi
done
