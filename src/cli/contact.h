// The commands `filum contact ...`: their tables and where they are done.
#ifndef FIL_CLI_CONTACT_H
#define FIL_CLI_CONTACT_H

#include "cli/command.h"

extern const fil_command fil_command_contact_solve, fil_command_contact_compare, fil_command_contact_batch,
    fil_command_contact_generate, fil_command_contact_judge;

// Takes the defaults of the tables from the library, so that they are written down once.
void fil_contact_table_start(void);

fil_cli_exit fil_contact_solve_run(const fil_arguments *arguments);
fil_cli_exit fil_contact_compare_run(const fil_arguments *arguments);
fil_cli_exit fil_contact_batch_run(const fil_arguments *arguments);
fil_cli_exit fil_contact_generate_run(const fil_arguments *arguments);
fil_cli_exit fil_contact_judge_run(const fil_arguments *arguments);

// A context with --threads of the arguments; NULL after telling that there is no memory.
fil_context *fil_contact_context(const fil_arguments *arguments);

#endif
