// filum manual: the man page, in the language of man(7), from the tables that make the help.
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>

// One character of UTF-8 that is not ASCII; how many bytes it has.
static int put_foreign(const char *text)
{
    unsigned char first = (unsigned char)*text;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1, length = 1;
    unsigned code = first & (0x3fu >> more);
    for (; length <= more && ((unsigned char)text[length] & 0xc0) == 0x80; ++length)
        code = code << 6 | ((unsigned char)text[length] & 0x3fu);
    printf("\\[u%04X]", code);
    return length;
}

// Text as it is: what means something to roff is escaped. An empty line begins a new paragraph.
static void put(const char *text)
{
    for (bool start = true; *text;) {
        if (start && (*text == '.' || *text == '\''))
            printf("\\&");
        start = *text == '\n';
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n.PP\n");
            text += 2;
        } else if ((unsigned char)*text >= 0x80) {
            text += put_foreign(text);
        } else {
            char letter = *text++;
            if (letter == '-' || letter == '\\')
                printf("%s", letter == '-' ? "\\-" : "\\e");
            else
                putchar(letter);
        }
    }
}

static void put_in_font(char font, const char *text)
{
    printf("\\f%c", font);
    put(text);
    printf("\\fR");
}

static void put_option(const fil_option *option)
{
    printf(".TP\n");
    if (option->letter) {
        const char letter[] = {'-', option->letter, '\0'};
        put_in_font('B', letter);
        printf(", ");
    }
    printf("\\fB\\-\\-");
    put(option->name);
    printf("\\fR");
    if (option->value) {
        putchar(' ');
        put_in_font('I', option->value);
    }
    printf("\n");
    put(option->doc);
    if (option->def) {
        printf(" (default: ");
        put(option->def);
        putchar(')');
    }
    printf("\n");
}

static void put_command(const fil_command *command)
{
    printf(".SS filum %s", command->name);
    if (*command->operands) {
        putchar(' ');
        put_in_font('I', command->operands);
    }
    printf("\n");
    // Summaries are written in lower case, for lists.
    const char capital[] = {(char)toupper((unsigned char)command->summary[0]), '\0'};
    put(capital);
    put(command->summary + 1);
    printf(".\n");
    if (command->text) {
        printf(".PP\n");
        put(command->text);
        printf("\n");
    }
    for (int i = 0; i < command->option_count; ++i)
        put_option(&command->options[i]);
    for (int i = 0; i < command->example_count; ++i) {
        printf(i == 0 ? ".PP\nExamples:\n.PP\n.nf\n.RS 4\n" : "");
        put_in_font('I', "# ");
        put_in_font('I', command->examples[i].doc);
        printf("\n");
        put(command->examples[i].command);
        printf("\n");
    }
    printf(command->example_count > 0 ? ".RE\n.fi\n" : "");
}

static fil_cli_exit manual_run(const fil_arguments *arguments)
{
    (void)arguments;
    printf(".TH FILUM 1 \"\" \"filum %s\" \"User Commands\"\n", fil_version());
    printf(".SH NAME\nfilum \\- strands with exact Coulomb friction\n"
           ".SH SYNOPSIS\n.B filum\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
           ".SH DESCRIPTION\nfilum simulates hair, fur, rope and other strands, and draws them. Data goes to standard\n"
           "output, messages to standard error.\n"
           ".SH OPTIONS\nEvery command has these.\n");
    for (int i = 0; i < fil_common_option_count; ++i)
        put_option(&fil_common_options[i]);
    printf(".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nshow the version\n.SH COMMANDS\n");
    for (int i = 0; i < fil_command_count; ++i)
        put_command(fil_commands[i]);
    printf(".SH EXIT STATUS\n"
           ".TP\n0\ndone\n"
           ".TP\n1\nit ran, but did not reach its goal\n"
           ".TP\n2\nbad usage or input\n"
           ".TP\n3\nthe machine failed: memory, disk\n"
           ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour, even on a terminal\n");
    return FIL_EXIT_OK;
}

static const fil_example examples[] = {
    {"filum manual | man -l -", "Read it"},
};
const fil_command fil_command_manual = {
    .name = "manual",
    .operands = "",
    .summary = "write the man page",
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .aside = true,
    .run = manual_run,
};
