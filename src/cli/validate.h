// filum validate. See validate.c, validate_output.c.
#ifndef FIL_CLI_VALIDATE_H
#define FIL_CLI_VALIDATE_H

#include "cli/report.h"
#include "validate/validate.h"

extern const fil_command fil_command_validate;

// A row that is kept: it owns its quantity.
typedef struct fil_validate_kept {
    fil_validate_row row;
    char quantity[160];
} fil_validate_kept;

// The rows of one model.
typedef struct fil_validate_sheet {
    const char *model;
    fil_validate_kept *rows;
    int count, room;
} fil_validate_sheet;

void fil_validate_print(const fil_validate_sheet *sheet);
// "N pass, N miss, N by design", over all models.
void fil_validate_print_sum(const int counts[FIL_VERDICT_COUNT]);
json_t *fil_validate_json(const fil_validate_sheet *sheets, int count, const int counts[FIL_VERDICT_COUNT]);

// The pictures in a folder: theory as lines, rows as points. check makes the folder and sees that they can be written.
fil_cli_exit fil_validate_check_svg(fil_context *context, const char *folder);
fil_cli_exit fil_validate_write_svg(fil_context *context, const char *folder, const fil_validate_sheet *sheets,
                                    int count);

#endif
