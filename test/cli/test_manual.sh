#!/usr/bin/env bash
# filum manual and filum completion: both are made from the tables of commands, and must fit them.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

check manual_is_written "$FILUM" manual
"$FILUM" manual >filum.1

# clean NAME COMMAND...: succeeds and says nothing on stderr; skipped without the program.
clean() {
    local name=$1 errors
    shift
    if ! command -v "$1" >/dev/null; then
        skip "$name" "no $1"
    elif errors=$("$@" 2>&1 >/dev/null) && [[ -z $errors ]]; then
        ok "$name"
    else
        fail "$name" "$errors"
    fi
}
clean manual_groff groff -ww -man -Tutf8 filum.1
clean manual_man man --warnings -l filum.1
if command -v mandoc >/dev/null; then
    # An empty date is on purpose: the same sources make the same page.
    lint=$(mandoc -T lint -W warning filum.1 | grep -v 'missing date')
    if [[ -z $lint ]]; then ok manual_mandoc; else fail manual_mandoc "$lint"; fi
else
    skip manual_mandoc "no mandoc"
fi

# Every command and every option of it is there.
commands=$("$FILUM" help | sed -n '/^Commands$/,/^$/p' | sed -n 's/^  \([a-z ]*[a-z]\)  .*/\1/p')
missing=''
while read -r command; do
    grep -q "^\.SS filum $command" filum.1 || missing+=" '$command'"
    # shellcheck disable=SC2086 # the command is one word or two
    while read -r option; do
        sed -n "/^\.SS filum $command/,/^\.SS /p; /^\.SH OPTIONS/,/^\.SH COMMANDS/p" filum.1 |
            grep -qF -- "\\-\\-${option//-/\\-}" || missing+=" $command --$option"
    done < <("$FILUM" help $command | sed -n 's/^  ....--\([a-z-]*\).*/\1/p')
done <<<"$commands"
if [[ $(wc -l <<<"$commands") -gt 8 && -z $missing ]]; then ok manual_is_complete; else fail manual_is_complete "$commands:$missing"; fi
hidden=$("$FILUM" help | grep -c -e ' manual ' -e ' completion ')
if [[ $hidden == 0 ]]; then ok manual_stays_aside; else fail manual_stays_aside "$hidden lines of the overview"; fi
check manual_has_help "$FILUM" help manual

# ---- completion
"$FILUM" completion >completion.bash
check completion_is_bash bash -n completion.bash
clean completion_shellcheck shellcheck -s bash completion.bash
# shellcheck source=/dev/null
source completion.bash

# completes NAME EXPECTED WORDS...: the words up to the cursor give exactly these, in alphabetical order.
completes() {
    local name=$1 expected=$2 got
    shift 2
    COMP_WORDS=(filum "$@") COMP_CWORD=$#
    COMPREPLY=()
    _filum
    got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')
    if [[ $got == "$expected" ]]; then ok "$name"; else fail "$name" "'$got' instead of '$expected'"; fi
}
mkdir folder
touch folder/hair.obj folder/head.json
completes completion_command "contact convert" "con"
completes completion_every_command "$("$FILUM" help | sed -n '/^Commands$/,/^$/p' | sed -n 's/^  \([a-z]*\) .*/\1/p' |
    sort -u | paste -sd ' ')" ""
completes completion_global_option "--version" "--v"
completes completion_group "batch" contact b
completes completion_option "--to-unit" convert --to
completes completion_option_in_group "--max-iterations" contact solve --max
completes completion_common_option "--json" contact solve --j
completes completion_after_operand "--out" plot folder --o
completes completion_choice "fb fclib" contact solve --merit f
completes completion_choice_behind_equals "natural" contact solve --merit = n
completes completion_choice_all "global local" contact generate --form ""
completes completion_solver "gs" contact solve -s g
completes completion_model "der" validate de
completes completion_generator "scalp" render sc
completes completion_kind "groom" info gr
completes completion_name_of_kind "ponytail" info groom po
completes completion_colour "auburn" render a.obj --colour au
completes completion_colour_by "strain strand" render a.obj --colour str
completes completion_unit "cm" convert --unit c
completes completion_file "folder/hair.obj folder/head.json" render folder/h
completes completion_file_of_option "folder/head.json" contact solve --warm folder/he
completes completion_number_has_no_words "" render --samples ""
completes completion_no_such_command "" nonsense x
