// filum completion: what bash needs to complete command lines. See completion.c.
#ifndef FIL_CLI_COMPLETION_H
#define FIL_CLI_COMPLETION_H

#include "cli/command.h"

extern const fil_command fil_command_completion;

#endif
