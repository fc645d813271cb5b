// filum info. See info.c.
#ifndef FIL_CLI_INFO_H
#define FIL_CLI_INFO_H

#include "cli/command.h"

extern const fil_command fil_command_info;

#endif
