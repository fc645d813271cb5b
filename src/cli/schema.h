// filum schema. See schema.c.
#ifndef FIL_CLI_SCHEMA_H
#define FIL_CLI_SCHEMA_H

#include "cli/command.h"

extern const fil_command fil_command_schema;

#endif
