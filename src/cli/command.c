// Parsing of a command line from the table of its command: --name VALUE, --name=VALUE, -n VALUE, `--` ends the options.
// Options and operands may come in any order. Every mistake is one sentence that names the option.
#include "cli/command.h"

#include "base/settings.h"
#include "cli/report.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const fil_option fil_common_options[] = {
    {"help", 'h', FIL_OPTION_FLAG, NULL, NULL, 0, 0, "show this help"},
    {"json", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "write the result as JSON"},
    {"quiet", 'q', FIL_OPTION_FLAG, NULL, NULL, 0, 0, "no progress and no remarks, only results and errors"},
};
const int fil_common_option_count = sizeof fil_common_options / sizeof *fil_common_options;

static int option_count(const fil_command *command)
{
    return fil_common_option_count + command->option_count;
}

static const fil_option *option_at(const fil_command *command, int index)
{
    return index < fil_common_option_count ? &fil_common_options[index]
                                           : &command->options[index - fil_common_option_count];
}

// The index of an option by its name (`length` characters of it), or -1.
static int find_name(const fil_command *command, const char *name, size_t length)
{
    for (int i = 0; i < option_count(command); ++i) {
        const char *known = option_at(command, i)->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

static int find_letter(const fil_command *command, char letter)
{
    for (int i = 0; i < option_count(command); ++i)
        if (letter && option_at(command, i)->letter == letter)
            return i;
    return -1;
}

static void unknown_option(const fil_command *command, const char *word)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int count = option_count(command) < MOST ? option_count(command) : MOST;
    for (int i = 0; i < count; ++i)
        names[i] = option_at(command, i)->name;
    char name[64];
    const char *start = word + strspn(word, "-");
    size_t length = strcspn(start, "=");
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, start, length);
    name[length] = '\0';
    // Longer and shorter words for the same come first: --tolerance, --iterations.
    const char *nearest = NULL;
    for (int i = 0; i < count && !nearest && length > 2; ++i)
        if (strstr(name, names[i]) || strstr(names[i], name))
            nearest = names[i];
    nearest = nearest ? nearest : fil_settings_nearest(name, names, count);
    if (nearest)
        fil_report_error("unknown option '%s': did you mean '--%s'?", word, nearest);
    else
        fil_report_error("unknown option '%s' (see `filum help %s`)", word, command->name);
}

// Checks a value against its row of the table.
static bool check_value(const fil_option *option, const char *text)
{
    if (option->kind == FIL_OPTION_TEXT || option->kind == FIL_OPTION_TEXTS || option->kind == FIL_OPTION_FLAG) {
        if (option->kind != FIL_OPTION_FLAG && *text == '\0') {
            fil_report_error("--%s: must not be empty", option->name);
            return false;
        }
        return true;
    }
    char *end;
    double value = strtod(text, &end);
    bool whole = option->kind == FIL_OPTION_WHOLE;
    if (end == text || *end || !isfinite(value) || (whole && value != floor(value))) {
        fil_report_error("--%s: must be a %s number (got '%s')", option->name, whole ? "whole" : "finite", text);
        return false;
    }
    if (option->kind == FIL_OPTION_POSITIVE && !(value > 0)) {
        fil_report_error("--%s: must be above 0 (got %s)", option->name, text);
        return false;
    }
    if (option->kind != FIL_OPTION_POSITIVE && (value < option->min || value > option->max)) {
        fil_report_error("--%s: must be from %.15g to %.15g (got %s)", option->name, option->min, option->max, text);
        return false;
    }
    return true;
}

// One option at words[*at]; moves *at to its last word.
static bool parse_option(const fil_command *command, int count, const char *const *words, int *at, fil_arguments *out)
{
    const char *word = words[*at];
    const char *value = NULL;
    int index;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        index = find_name(command, word + 2, length);
        value = word[2 + length] ? word + 3 + length : NULL;
    } else {
        index = find_letter(command, word[1]);
        value = word[1] && word[2] ? word + 2 : NULL;
    }
    if (index < 0) {
        unknown_option(command, word);
        return false;
    }
    const fil_option *option = option_at(command, index);
    if (option->kind == FIL_OPTION_FLAG) {
        if (value) {
            fil_report_error("--%s: takes no value (got '%s')", option->name, value);
            return false;
        }
        value = "";
    } else if (!value) {
        if (*at + 1 >= count) {
            fil_report_error("--%s: needs a value: --%s %s", option->name, option->name, option->value);
            return false;
        }
        value = words[++*at];
    }
    if (option->kind == FIL_OPTION_TEXTS)
        out->list[out->list_count++] = value;
    if (out->given[index] && option->kind != FIL_OPTION_FLAG && option->kind != FIL_OPTION_TEXTS) {
        fil_report_error("--%s: given twice", option->name);
        return false;
    }
    out->given[index] = true;
    out->texts[index] = value;
    return check_value(option, value);
}

static bool check_operands(const fil_command *command, const fil_arguments *arguments)
{
    if (arguments->operand_count < command->least) {
        fil_report_error("%s: %s is missing (see `filum help %s`)", command->name, command->operands, command->name);
        return false;
    }
    if (command->most >= 0 && arguments->operand_count > command->most) {
        fil_report_error("%s: too many words: '%s'", command->name, arguments->operands[command->most]);
        return false;
    }
    return true;
}

bool fil_arguments_parse(const fil_command *command, int count, const char *const *words, fil_arguments *out)
{
    int options = option_count(command);
    *out = (fil_arguments){.command = command};
    const char **operands = calloc((size_t)count + 1, sizeof *operands);
    out->operands = operands;
    out->texts = calloc((size_t)options, sizeof *out->texts);
    out->given = calloc((size_t)options, sizeof *out->given);
    out->list = calloc((size_t)count + 1, sizeof *out->list);
    if (!operands || !out->texts || !out->given || !out->list) {
        fil_report_error("out of memory");
        return false;
    }
    for (int i = 0; i < options; ++i)
        out->texts[i] = option_at(command, i)->def;
    bool only_operands = false;
    for (int at = 0; at < count; ++at) {
        const char *word = words[at];
        if (*word == '\0' && command->most != 0) {
            fil_report_error("%s: %s must not be empty", command->name, command->operands);
            return false;
        }
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = true;
        else if (only_operands || word[0] != '-' || word[1] == '\0')
            operands[out->operand_count++] = word;
        else if (!parse_option(command, count, words, &at, out))
            return false;
    }
    return fil_arguments_given(out, "help") || check_operands(command, out);
}

void fil_arguments_free(fil_arguments *arguments)
{
    free((void *)arguments->operands);
    free((void *)arguments->texts);
    free(arguments->given);
    free((void *)arguments->list);
}

static int index_of(const fil_arguments *arguments, const char *option)
{
    int index = find_name(arguments->command, option, strlen(option));
    assert(index >= 0); // a command asks for its own options only
    return index;
}

bool fil_arguments_given(const fil_arguments *arguments, const char *option)
{
    return arguments->given[index_of(arguments, option)];
}

const char *fil_arguments_text(const fil_arguments *arguments, const char *option)
{
    return arguments->texts[index_of(arguments, option)];
}

const char *const *fil_arguments_list(const fil_arguments *arguments, const char *option, int *count)
{
    assert(option_at(arguments->command, index_of(arguments, option))->kind == FIL_OPTION_TEXTS);
    (void)option;
    *count = arguments->list_count;
    return arguments->list;
}

double fil_arguments_number(const fil_arguments *arguments, const char *option)
{
    const char *text = fil_arguments_text(arguments, option);
    return text ? strtod(text, NULL) : 0;
}

int64_t fil_arguments_whole(const fil_arguments *arguments, const char *option)
{
    return (int64_t)fil_arguments_number(arguments, option);
}

const fil_command *fil_command_find(int count, const char *const *words, int *taken)
{
    for (int i = 0; i < fil_command_count; ++i) {
        const char *name = fil_commands[i]->name;
        const char *space = strchr(name, ' ');
        size_t first = space ? (size_t)(space - name) : strlen(name);
        *taken = space ? 2 : 1;
        if (count >= *taken && strlen(words[0]) == first && memcmp(words[0], name, first) == 0 &&
            (!space || strcmp(words[1], space + 1) == 0))
            return fil_commands[i];
    }
    *taken = 0;
    return NULL;
}

// The full name of the command whose second word is nearest to `word`, for those who leave out the first; or NULL.
static const char *inside_group(const char *word)
{
    enum { MOST = 32 };
    const char *seconds[MOST], *names[MOST];
    int known = 0;
    for (int i = 0; i < fil_command_count && known < MOST; ++i) {
        const char *space = strchr(fil_commands[i]->name, ' ');
        if (space) {
            names[known] = fil_commands[i]->name;
            seconds[known++] = space + 1;
        }
    }
    const char *nearest = fil_settings_nearest(word, seconds, known);
    for (int i = 0; i < known; ++i)
        if (seconds[i] == nearest)
            return names[i];
    return NULL;
}

void fil_command_unknown(int count, const char *const *words)
{
    enum { MOST = 32 };
    const char *names[MOST];
    char word[160], group[32];
    int known = 0;
    bool in_group = fil_help_is_group(words[0]) && count > 1;
    for (int i = 0; i < fil_command_count && known < MOST; ++i) {
        const char *name = fil_commands[i]->name, *space = strchr(name, ' ');
        if (!in_group)
            names[known++] = name;
        else if (space && strncmp(name, words[0], (size_t)(space - name)) == 0)
            names[known++] = space + 1;
    }
    snprintf(group, sizeof group, "%s%s", in_group ? words[0] : "", in_group ? " " : "");
    snprintf(word, sizeof word, "%s", in_group ? words[1] : words[0]);
    if (!in_group && known < MOST)
        names[known++] = "contact";
    const char *nearest = fil_settings_nearest(word, names, known);
    if (!nearest && !in_group)
        nearest = inside_group(word);
    if (*word == '-')
        fil_report_error("unknown option '%s' (see `filum help`)", word);
    else if (nearest)
        fil_report_error("unknown command '%s%s': did you mean '%s%s'?", group, word, group, nearest);
    else
        fil_report_error("unknown command '%s%s' (see `filum help`)", group, word);
}
