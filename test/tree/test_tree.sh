#!/usr/bin/env bash
# The rules of the source tree itself: layers, style, scripts.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"
cd "$FILUM_SOURCE" || exit 1

check layers tools/check_layers "$FILUM_BUILD/libfilum.a"

# A broken tree must be noticed.
tree=$(mktemp -d)
mkdir -p "$tree/tools" "$tree/src/base" "$tree/src/cli"
cp tools/check_layers "$tree/tools/"
echo '#include "contact/contact.h"' >"$tree/src/base/a.c"
echo 'void fil_b(void) { exit(1); }' >"$tree/src/base/b.c"
echo 'int main(void) { printf("in the command it is fine"); }' >"$tree/src/cli/main.c"
found=$("$tree/tools/check_layers")
if [[ $found == *'src/base may not include "contact/contact.h"'* && $found == *"b.c: the library never prints"* &&
    $found != *main.c* ]]; then
    ok layers_notice_a_broken_tree
else
    fail layers_notice_a_broken_tree "$found"
fi
rm -rf "$tree"

# Files by find, not by git: the tree may come without its history.
mapfile -t sources < <(find include src test bench fuzz -name '*.[ch]' 2>/dev/null)
if command -v clang-format >/dev/null; then
    check format clang-format --dry-run --Werror "${sources[@]}"
else
    skip format "no clang-format"
fi

mapfile -t scripts < <(grep -rlE '^#!/usr/bin/env bash' scripts tools .ci && find test -name '*.sh')
if command -v shellcheck >/dev/null; then
    check shellcheck shellcheck -x "${scripts[@]}"
else
    skip shellcheck "no shellcheck"
fi
