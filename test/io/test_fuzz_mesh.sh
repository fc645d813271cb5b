#!/usr/bin/env bash
# A minute of coverage-guided fuzzing of the reader of meshes; in `make test-long` only.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

name=fuzz_mesh_for_a_minute
if [[ -z ${FILUM_LONG:-} ]]; then
    skip $name "long (make test-long)"
elif ! command -v clang >/dev/null; then
    skip $name "clang is missing (apt install clang)"
else
    build=$FILUM_SOURCE/build/fuzz
    (cd "$FILUM_SOURCE" && cmake --preset fuzz && cmake --build build/fuzz --target fuzz_mesh) >build.log 2>&1 ||
        { fail $name "$(tail -5 build.log)"; exit; }
    # What it finds new stays in this folder; the corpus of the tree is read only.
    mkdir new
    check $name "$build/fuzz/fuzz_mesh" -max_total_time=60 -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        -artifact_prefix="$build/" new "$FILUM_SOURCE/fuzz/corpus/mesh"
fi
