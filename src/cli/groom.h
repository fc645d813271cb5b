// filum convert, and filum info of a groom. See groom.c.
#ifndef FIL_CLI_GROOM_H
#define FIL_CLI_GROOM_H

#include "cli/report.h"

extern const fil_command fil_command_convert;

// "cm" or a number of metres into `out`; NULL: 0, the library's choice. False after telling what is wrong.
bool fil_groom_unit(const char *option, const char *text, double *out);
// A groom from a file or, when there is none of that name, from a generator with its settings.
fil_status fil_groom_load(fil_context *context, const char *word, double unit, fil_curves **out,
                          fil_curves_report *report);
// Shows what a groom holds; `unit` is the text of --unit or NULL.
fil_cli_exit fil_groom_info(const char *path, const char *unit, bool json);

#endif
