// What solve, compare and batch share: lists of solvers, one run with its trace, tables of runs. See contact_run.c.
#ifndef FIL_CLI_CONTACT_RUN_H
#define FIL_CLI_CONTACT_RUN_H

#include "cli/report.h"

// One item of a list of solvers: "gs:relaxation=1.3@4sides".
typedef struct fil_contact_run_item {
    char *text, *solver, *local; // as written; the two parts
} fil_contact_run_item;

typedef struct fil_contact_run_list {
    fil_contact_run_item *items;
    int count;
} fil_contact_run_list;

// The course of a solve: what the progress callback was shown.
typedef struct fil_contact_run_trace {
    int64_t count, room;
    double *iterations, *seconds, *residual, *best;
    const char **phase;
} fil_contact_run_trace;

// A problem with room for its solution.
typedef struct fil_contact_run_problem {
    const char *file;
    fil_contact_problem *problem;
    double *r, *u, *v;    // v is NULL without the primal view
    double seconds_setup; // of W, when fil_contact_run_problem_form made it
} fil_contact_run_problem;

// Lists are separated by commas; so are settings. A part whose first word holds a '=' belongs to the item before it.
bool fil_contact_run_list_parse(const char *text, const char *default_local, fil_contact_run_list *out);
void fil_contact_run_list_free(fil_contact_run_list *list);
// The settings of --local, --merit, --tol and --max-iterations; false after telling what is wrong.
bool fil_contact_run_def(const fil_arguments *arguments, fil_contact_def *out);
// Are these solvers known, and their settings allowed? Asked before any work is done.
fil_cli_exit fil_contact_run_check_solver(fil_context *context, const fil_contact_def *def);
fil_cli_exit fil_contact_run_check_list(fil_context *context, const fil_contact_def *def,
                                        const fil_contact_run_list *list);

fil_cli_exit fil_contact_run_problem_read(fil_context *context, const char *file, fil_contact_run_problem *out);
fil_cli_exit fil_contact_run_problem_form(fil_context *context, fil_contact_run_problem *problem);
void fil_contact_run_problem_free(fil_contact_run_problem *problem);
int64_t fil_contact_run_problem_blocks(const fil_contact_run_problem *problem); // stored blocks of W; -1: never formed

// Runs one solver. Shows progress under `label` and keeps the trace when there is one; Ctrl-C ends it early.
fil_cli_exit fil_contact_run_solve(fil_context *context, fil_contact_run_problem *problem, const fil_contact_def *def,
                                   const char *label, fil_contact_run_trace *trace, fil_solve_stats *stats);
void fil_contact_run_trace_free(fil_contact_run_trace *trace);

// Numbers of a run, in the same order and under the same names wherever they are written.
bool fil_contact_run_json(json_t *object, const fil_contact_run_problem *problem, const fil_contact_def *def,
                          const fil_solve_stats *stats);
extern const char fil_contact_run_csv_header[];
void fil_contact_run_csv_row(FILE *out, const fil_contact_run_problem *problem, const fil_contact_def *def,
                             const fil_solve_stats *stats);

// Residual against iterations and against time, one line per trace.
fil_cli_exit fil_contact_run_figure(fil_context *context, const char *path, const char *title, const char *subtitle,
                                    const fil_contact_def *def, const char *const *names,
                                    const fil_contact_run_trace *traces, int count);

#endif
