// Commands and options as tables: parsing and help are made from them, and from nothing else. See command.c.
#ifndef FIL_CLI_COMMAND_H
#define FIL_CLI_COMMAND_H

#include "filum/filum.h"

// How the program ends.
typedef enum fil_cli_exit {
    FIL_EXIT_OK = 0,
    FIL_EXIT_MISSED = 1,  // it ran, but did not reach its goal
    FIL_EXIT_BAD = 2,     // bad usage or input
    FIL_EXIT_MACHINE = 3, // the machine failed us: memory, disk
} fil_cli_exit;

typedef enum fil_option_kind {
    FIL_OPTION_FLAG,
    FIL_OPTION_TEXT,
    FIL_OPTION_TEXTS,    // may be given several times: see fil_arguments_list. A command has at most one such option
    FIL_OPTION_WHOLE,    // a whole number from min to max
    FIL_OPTION_REAL,     // a finite number from min to max
    FIL_OPTION_POSITIVE, // a finite number above zero
} fil_option_kind;

typedef struct fil_option {
    const char *name; // without the dashes
    char letter;      // short form, or 0
    fil_option_kind kind;
    const char *value; // what help calls it: "FILE"
    const char *def;   // as one would write it; NULL: none
    double min, max;
    const char *doc;
} fil_option;

typedef struct fil_example {
    const char *command, *doc;
} fil_example;

typedef struct fil_arguments fil_arguments;

typedef struct fil_command {
    const char *name;     // "contact solve"
    const char *operands; // "FILE"; "" when there are none
    int least, most;      // how many operands; most < 0: any number
    const char *summary;  // one line
    const char *text;     // paragraphs; may be NULL
    const fil_option *options;
    int option_count;
    const fil_example *examples;
    int example_count;
    bool aside; // for packages rather than for people: not in the overview
    fil_cli_exit (*run)(const fil_arguments *arguments);
} fil_command;

// The options that every command has.
extern const fil_option fil_common_options[];
extern const int fil_common_option_count;

extern const fil_command *const fil_commands[];
extern const int fil_command_count;

// A command line after parsing. Every option has a value: given, its default, or none.
struct fil_arguments {
    const fil_command *command;
    const char *const *operands;
    int operand_count;
    const char **texts; // by option, the common ones first; the last one of those given several times
    bool *given;
    const char **list; // all texts of the option that may be given several times
    int list_count;
};

// Parses the words behind the name of the command; false after telling what is wrong. Free with fil_arguments_free.
bool fil_arguments_parse(const fil_command *command, int count, const char *const *words, fil_arguments *out);
void fil_arguments_free(fil_arguments *arguments);

bool fil_arguments_given(const fil_arguments *arguments, const char *option);
const char *fil_arguments_text(const fil_arguments *arguments, const char *option); // NULL: not given, no default
double fil_arguments_number(const fil_arguments *arguments, const char *option);
int64_t fil_arguments_whole(const fil_arguments *arguments, const char *option);
// All texts of an option that may be given several times, in the order given.
const char *const *fil_arguments_list(const fil_arguments *arguments, const char *option, int *count);

// The command that the first words name, and how many words that takes; NULL: none.
const fil_command *fil_command_find(int count, const char *const *words, int *taken);
// Tells on stderr that there is no such command, with the nearest name.
void fil_command_unknown(int count, const char *const *words);

// help.c
void fil_help_overview(void);
void fil_help_group(const char *group); // the commands that start with this word
void fil_help_command(const fil_command *command);
bool fil_help_is_group(const char *word);

#endif
