// filum completion: a script for bash that completes commands, options and their values, from the tables that make the
// help and from the lists of solvers, models and generators.
//
// What a value may be follows from how help calls it: "on|off" are the words themselves, FILE and the like are names of
// files; some options and operands stand for one of our lists.
#include "cli/completion.h"

#include "filum/extend.h"
#include "render/shoot.h"
#include "scene/colour.h"
#include "scene/unit.h"

#include <stdio.h>
#include <string.h>

static const char *contact_name(int index)
{
    return fil_contact_type_at(index)->name;
}

static const char *local_name(int index)
{
    return fil_local_type_at(index)->name;
}

static const char *strand_name(int index)
{
    return fil_strand_type_at(index)->name;
}

static const char *groom_name(int index)
{
    return fil_groom_type_at(index)->name;
}

// What strands are coloured by, then the colours.
enum { COLOURED_BY = FIL_SHOOT_COLOURS - FIL_SHOOT_BY_STRAND };

static int count_colours(void)
{
    return COLOURED_BY + fil_colour_count();
}

static const char *colour_name(int index)
{
    return index < COLOURED_BY ? fil_shoot_colour_name((fil_shoot_colour)(FIL_SHOOT_BY_STRAND + index))
                               : fil_colour_name(index - COLOURED_BY);
}

static int count_commands(void)
{
    return fil_command_count;
}

static const char *command_name(int index)
{
    return fil_commands[index]->name;
}

// Who asks: an option by its name, or an operand by what help calls it.
static const struct {
    const char *asker;
    int (*count)(void);
    const char *(*name)(int index);
} lists[] = {
    {"solver", fil_contact_type_count, contact_name}, {"solvers", fil_contact_type_count, contact_name},
    {"local", fil_local_type_count, local_name},      {"colour", count_colours, colour_name},
    {"unit", fil_unit_count, fil_unit_name_at},       {"to-unit", fil_unit_count, fil_unit_name_at},
    {"MODEL", fil_strand_type_count, strand_name},    {"GROOM", fil_groom_type_count, groom_name},
    {"IN", fil_groom_type_count, groom_name},         {"COMMAND", count_commands, command_name},
};

static void put_list(const char *asker, size_t length)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if (strlen(lists[i].asker) == length && memcmp(lists[i].asker, asker, length) == 0)
            for (int k = 0; k < lists[i].count(); ++k)
                printf(" %s", lists[i].name(k));
}

// "[contact|local [NAME]] | FILE": words in lower case stand for themselves, the others for a list. True: some may be
// names of files.
static bool put_words(const char *meaning)
{
    bool files = false;
    while (*meaning) {
        size_t length = strcspn(meaning, "[]|. ");
        bool capital = *meaning >= 'A' && *meaning <= 'Z';
        if (length > 0 && capital)
            put_list(meaning, length);
        else if (length > 0)
            printf(" %.*s", (int)length, meaning);
        static const char *const no_files[] = {"MODEL", "COMMAND", "NAME"};
        bool file = length > 0 && capital;
        for (int i = 0; i < 3; ++i)
            file &= strlen(no_files[i]) != length || memcmp(no_files[i], meaning, length) != 0;
        files |= file;
        meaning += length + (meaning[length] != '\0');
    }
    return files;
}

static bool has_list(const char *asker)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if (strcmp(lists[i].asker, asker) == 0)
            return true;
    return false;
}

// What may follow an option.
static void put_value(const fil_option *option)
{
    static const char *const files[] = {"FILE", "DIR", "FOLDER", "SCENE"};
    printf("            --%s", option->name);
    if (option->letter)
        printf(" | -%c", option->letter);
    printf(") value=1 words='");
    bool file = false;
    for (int i = 0; i < 4; ++i)
        file |= strncmp(option->value, files[i], strlen(files[i])) == 0;
    if (has_list(option->name))
        put_list(option->name, strlen(option->name));
    else if (strchr(option->value, '|'))
        file |= put_words(option->value);
    printf("' files=%s ;;\n", file ? "1" : "''");
}

static void put_option_names(const fil_option *options, int count)
{
    for (int i = 0; i < count; ++i) {
        printf(" --%s", options[i].name);
        if (options[i].letter)
            printf(" -%c", options[i].letter);
    }
}

static void put_command(const fil_command *command)
{
    printf("        '%s')\n            options='", command->name);
    put_option_names(command->options, command->option_count);
    put_option_names(fil_common_options, fil_common_option_count);
    printf("'\n            words='");
    bool files = put_words(command->operands);
    printf("'%s\n            case $previous in\n", files ? " files=1" : "");
    for (int i = 0; i < command->option_count; ++i)
        if (command->options[i].value)
            put_value(&command->options[i]);
    printf("            *) ;;\n            esac\n            ;;\n");
}

// `filum info` KIND takes a name of that kind.
static void put_info(void)
{
    static const char *const kinds[][2] = {
        {"contact", "solver"}, {"local", "local"}, {"strand", "MODEL"}, {"groom", "GROOM"}};
    printf("    case \"$command $previous\" in\n");
    for (int i = 0; i < 4; ++i) {
        printf("        'info %s') files='' words='", kinds[i][0]);
        put_list(kinds[i][1], strlen(kinds[i][1]));
        printf("' ;;\n");
    }
    printf("        *) ;;\n    esac\n");
}

// The first words of commands: `contact` stands for its group.
static void put_first_words(void)
{
    for (int i = 0; i < fil_command_count; ++i) {
        size_t length = strcspn(fil_commands[i]->name, " ");
        bool known = false;
        for (int k = 0; k < i; ++k)
            known |= strncmp(fil_commands[k]->name, fil_commands[i]->name, length) == 0 &&
                     strcspn(fil_commands[k]->name, " ") == length;
        if (!known && !fil_commands[i]->aside)
            printf(" %.*s", (int)length, fil_commands[i]->name);
    }
}

static void put_groups(void)
{
    for (int i = 0; i < fil_command_count; ++i) {
        const char *name = fil_commands[i]->name, *space = strchr(name, ' ');
        bool first = space != NULL;
        for (int k = 0; first && k < i; ++k)
            first = strncmp(fil_commands[k]->name, name, (size_t)(space - name) + 1) != 0;
        if (!first)
            continue;
        printf("        '%.*s') words='", (int)(space - name), name);
        for (int k = i; k < fil_command_count; ++k)
            if (strncmp(fil_commands[k]->name, name, (size_t)(space - name) + 1) == 0)
                printf(" %s", fil_commands[k]->name + (space - name) + 1);
        printf("' ;;\n");
    }
}

static fil_cli_exit completion_run(const fil_arguments *arguments)
{
    (void)arguments;
    printf("# Completes the command lines of filum %s in bash. Made by `filum completion`.\n", fil_version());
    printf("_filum() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command='' options='' words='' files='' value=''\n"
           "    # --option=value comes as three words.\n"
           "    if [[ $current == '=' ]]; then\n"
           "        current=''\n"
           "    elif [[ $previous == '=' ]]; then\n"
           "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
           "    case $command in\n"
           "        '') words='");
    put_first_words();
    printf("' options='--help -h --version -V' ;;\n");
    put_groups();
    printf("        *) ;;\n    esac\n"
           "    # The second word of a group belongs to its name.\n"
           "    if [[ $command && $words ]] && ((COMP_CWORD > 2)); then\n"
           "        command+=\" ${COMP_WORDS[2]}\"\n"
           "        words=''\n"
           "    fi\n"
           "    case $command in\n");
    for (int i = 0; i < fil_command_count; ++i)
        put_command(fil_commands[i]);
    printf("        *) ;;\n    esac\n");
    put_info();
    printf("    if [[ ! $value && $current == -* ]]; then\n"
           "        words=$options\n"
           "        files=''\n"
           "    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    if [[ $files ]]; then\n"
           "        compopt -o filenames 2>/dev/null\n"
           "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$current\")\n"
           "    fi\n"
           "}\n"
           "complete -F _filum filum\n");
    return FIL_EXIT_OK;
}

static const fil_example examples[] = {
    {"source <(filum completion)", "Complete in this shell"},
};
const fil_command fil_command_completion = {
    .name = "completion",
    .operands = "",
    .summary = "write a script that makes bash complete command lines",
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .aside = true,
    .run = completion_run,
};
