// Tables of numbers in .csv files. See plot_table.c.
#ifndef FIL_CLI_PLOT_TABLE_H
#define FIL_CLI_PLOT_TABLE_H

#include "base/arena.h"

typedef struct fil_plot_table {
    const char *path;
    int column_count;
    int64_t row_count;
    const char **names; // [columns]
    double **columns;   // [columns][rows]
} fil_plot_table;

// The table lives in the arena. The sentence of a failure names the file and the line.
fil_status fil_plot_table_read(fil_context *context, fil_arena *arena, const char *path, fil_plot_table *out);
// A column by its name; NULL: there is none, and the sentence says so.
const double *fil_plot_table_column(fil_context *context, const fil_plot_table *table, const char *name);

#endif
