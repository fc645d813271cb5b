// filum follow. See follow.c.
#ifndef FIL_CLI_FOLLOW_H
#define FIL_CLI_FOLLOW_H

#include "cli/command.h"

extern const fil_command fil_command_follow;

#endif
