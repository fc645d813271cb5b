#!/usr/bin/env bash
# Installs into an empty folder and uses what is there, as a host program would: by CMake and by pkg-config, with the
# shared and with the static library.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

if ! grep -q '^FILUM_SANITIZE:STRING=$' "$FILUM_BUILD/CMakeCache.txt" ||
    grep -q '^FILUM_COVERAGE:BOOL=ON' "$FILUM_BUILD/CMakeCache.txt"; then
    skip install "an instrumented build is not for installing"
    exit 0
fi

prefix=$PWD/prefix
check install cmake --install "$FILUM_BUILD" --prefix "$prefix"
library=$(dirname "$(find "$prefix" -name filum.pc)")/..
for file in include/filum/filum.h include/filum/types.h include/filum/extend.h; do
    check "has_$(basename "$file")" test -r "$prefix/$file"
done
check has_static_library test -r "$library/libfilum.a"
check has_shared_library test -r "$library/libfilum.so"

# Only the public functions are visible from outside.
names=$(nm -D --defined-only "$library/libfilum.so" | awk '{ print $3 }' | grep -v '^fil_')
if [[ -z $names ]]; then ok exports; else fail exports "$names"; fi
hidden=$(nm -D --defined-only "$library/libfilum.so" | grep -c 'fil_arena_')
if [[ $hidden == 0 ]]; then ok hides_the_inside; else fail hides_the_inside "fil_arena_* is exported"; fi

mkdir program && cd program || exit 1
cat >host.c <<'END'
#include <filum/extend.h>
#include <filum/filum.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = NULL;
    int good = context && fil_contact_problem_create_dual(context, 0, 0, &problem) == FIL_OK &&
               fil_contact_problem_check(context, problem) == FIL_OK && strcmp(fil_version(), FIL_VERSION) == 0;
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
    puts(good ? "good" : "bad");
    return !good;
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(host C)
find_package(filum 0.1 REQUIRED)
add_executable(host host.c)
target_link_libraries(host filum::filum)
add_executable(host_static host.c)
target_link_libraries(host_static filum::filum_static)
END

use_cmake() {
    cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" && cmake --build build && build/host && build/host_static
}
check cmake_package use_cmake

export PKG_CONFIG_PATH=$library/pkgconfig
use_pkg_config() {
    # shellcheck disable=SC2046 # the flags are words
    cc -o shared host.c $(pkg-config --cflags --libs filum) && LD_LIBRARY_PATH=$library ./shared
}
check pkg_config use_pkg_config
use_pkg_config_static() {
    # shellcheck disable=SC2046
    cc -o static host.c $(pkg-config --cflags filum) "$library/libfilum.a" \
        $(pkg-config --static --libs filum | sed 's/-lfilum//') && ./static
}
check pkg_config_static use_pkg_config_static

# The program of docs/library.md.
use_document() {
    # shellcheck disable=SC2016,SC2046 # backticks of Markdown; the flags are words
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$FILUM_SOURCE/docs/library.md" >two.c &&
        cc -std=c17 -Wall -Wextra -Werror -o two two.c $(pkg-config --cflags --libs filum) &&
        LD_LIBRARY_PATH=$library ./two | sed 's/^/    /' >two.txt &&
        [[ -s two.txt && $(grep -cxFf two.txt "$FILUM_SOURCE/docs/library.md") == $(wc -l <two.txt) ]]
}
check program_of_the_document use_document

# C++ hosts can include the headers.
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046
    check cplusplus c++ -x c++ -fsyntax-only -Wall -Wextra -Werror $(pkg-config --cflags filum) host.c
fi

# The command, when this build has one.
if [[ -x $FILUM ]]; then
    check command_is_installed "$prefix/bin/filum" --version
    check manual_is_installed grep -q '^.TH FILUM 1' "$prefix/share/man/man1/filum.1"
    check completion_is_installed bash -n "$prefix/share/bash-completion/completions/filum"
    check completion_knows_the_command grep -qx 'complete -F _filum filum' \
        "$prefix/share/bash-completion/completions/filum"
fi
