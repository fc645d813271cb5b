// Help, made from the tables of commands and options.
#include "cli/command.h"
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

// Text in lines of at most 80 columns, each after `indent` blanks; the cursor is at column `column` when it begins.
static void print_wrapped(const char *text, int indent, int column)
{
    const int width = 80;
    if (column < indent)
        printf("%*s", indent - column, "");
    column = indent;
    for (bool first = true; *text;) {
        size_t length = strcspn(text, " \n");
        if (!first && column + 1 + (int)length > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            ++column;
        }
        printf("%.*s", (int)length, text);
        column += (int)length;
        text += length;
        first = *text == '\n';
        if (first) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

static void print_heading(const char *text)
{
    printf("%s%s%s\n", fil_report_bold(), text, fil_report_plain());
}

static void print_option(const fil_option *option)
{
    const int indent = 28;
    char head[64];
    int length = option->letter ? snprintf(head, sizeof head, "  -%c, --%s", option->letter, option->name)
                                : snprintf(head, sizeof head, "      --%s", option->name);
    if (option->value)
        length += snprintf(head + length, sizeof head - (size_t)length, " %s", option->value);
    printf("%s", head);
    if (length + 1 > indent) {
        printf("\n");
        length = 0;
    }
    char doc[1024];
    if (option->def)
        snprintf(doc, sizeof doc, "%s (default: %s)", option->doc, option->def);
    else
        snprintf(doc, sizeof doc, "%s", option->doc);
    print_wrapped(doc, indent, length);
}

void fil_help_command(const fil_command *command)
{
    printf("filum %s: %s\n\n", command->name, command->summary);
    print_heading("Usage");
    printf("  filum %s%s%s [OPTIONS]\n", command->name, *command->operands ? " " : "", command->operands);
    if (command->text) {
        printf("\n");
        print_wrapped(command->text, 0, 0);
    }
    printf("\n");
    print_heading("Options");
    for (int i = 0; i < command->option_count; ++i)
        print_option(&command->options[i]);
    for (int i = 0; i < fil_common_option_count; ++i)
        print_option(&fil_common_options[i]);
    if (command->example_count > 0) {
        printf("\n");
        print_heading("Examples");
    }
    for (int i = 0; i < command->example_count; ++i)
        printf("  # %s\n  %s\n", command->examples[i].doc, command->examples[i].command);
}

static void print_commands(const char *group)
{
    for (int i = 0; i < fil_command_count; ++i) {
        const char *name = fil_commands[i]->name;
        size_t length = group ? strlen(group) : 0;
        if (group ? strncmp(name, group, length) == 0 && name[length] == ' ' : !fil_commands[i]->aside)
            printf("  %-20s %s\n", name, fil_commands[i]->summary);
    }
}

bool fil_help_is_group(const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; i < fil_command_count; ++i)
        if (strncmp(fil_commands[i]->name, word, length) == 0 && fil_commands[i]->name[length] == ' ')
            return true;
    return false;
}

void fil_help_group(const char *group)
{
    printf("filum %s: one of\n\n", group);
    print_commands(group);
    printf("\n`filum help %s COMMAND` tells more.\n", group);
}

void fil_help_overview(void)
{
    printf("filum %s: strands with exact Coulomb friction\n\n", fil_version());
    print_heading("Usage");
    printf("  filum COMMAND [OPTIONS]\n\n");
    print_heading("Commands");
    print_commands(NULL);
    printf("\n");
    print_heading("Everywhere");
    for (int i = 0; i < fil_common_option_count; ++i)
        print_option(&fil_common_options[i]);
    printf("      --version             show the version\n\n");
    print_heading("Exit status");
    printf("  0 done   1 ran, but did not reach its goal   2 bad usage or input\n"
           "  3 the machine failed (memory, disk)\n\n");
    printf("Data goes to standard output, messages to standard error. Colour and progress appear\n"
           "on a terminal only; NO_COLOR turns colour off. `filum help COMMAND` tells more.\n");
}
