// filum convert, and filum info of a groom. See groom.c.
#ifndef FIL_CLI_GROOM_H
#define FIL_CLI_GROOM_H

#include "cli/report.h"

extern const fil_command fil_command_convert;

// Shows what a groom holds; `unit` is the text of --unit or NULL.
fil_cli_exit fil_groom_info(const char *path, const char *unit, bool json);

#endif
