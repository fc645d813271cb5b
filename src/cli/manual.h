// filum manual: the man page. See manual.c.
#ifndef FIL_CLI_MANUAL_H
#define FIL_CLI_MANUAL_H

#include "cli/command.h"

extern const fil_command fil_command_manual;

#endif
