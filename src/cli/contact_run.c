// One run of one solver on one problem, and lists of solvers.
#include "cli/contact_run.h"

#include "base/timer.h"
#include "contact/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lists

// A part of a list between commas starts a new item unless it is "name=value..." of the item before.
static bool continues(const char *part)
{
    size_t word = strcspn(part, ":@+,");
    const char *equals = strchr(part, '=');
    return equals && (size_t)(equals - part) < word;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static bool add_item(fil_contact_run_list *list, const char *text, size_t length, const char *default_local)
{
    fil_contact_run_item *items = realloc(list->items, ((size_t)list->count + 1) * sizeof *items);
    if (!items)
        return false;
    list->items = items;
    const char *at = memchr(text, '@', length);
    size_t solver = at ? (size_t)(at - text) : length;
    fil_contact_run_item item = {.text = copy_text(text, length), .solver = copy_text(text, solver)};
    item.local = at ? copy_text(at + 1, length - solver - 1) : copy_text(default_local, strlen(default_local));
    items[list->count++] = item;
    return item.text && item.solver && item.local;
}

bool fil_contact_run_list_parse(const char *text, const char *default_local, fil_contact_run_list *out)
{
    *out = (fil_contact_run_list){0};
    const char *start = text;
    for (const char *at = text;;) {
        at += strcspn(at, ",");
        if (*at && continues(at + 1)) {
            ++at;
            continue;
        }
        if (at == start) {
            fil_report_error("--solvers: an item is empty in '%s'", text);
            return false;
        }
        if (!add_item(out, start, (size_t)(at - start), default_local)) {
            fil_report_no_memory();
            return false;
        }
        if (!*at)
            return true;
        start = ++at;
    }
}

void fil_contact_run_list_free(fil_contact_run_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        free(list->items[i].text);
        free(list->items[i].solver);
        free(list->items[i].local);
    }
    free(list->items);
    *list = (fil_contact_run_list){0};
}

// Settings

bool fil_contact_run_def(const fil_arguments *arguments, fil_contact_def *out)
{
    *out = fil_contact_def_default();
    out->local = fil_arguments_text(arguments, "local");
    out->tolerance = fil_arguments_number(arguments, "tol");
    out->max_iterations = fil_arguments_whole(arguments, "max-iterations");
    const char *merit = fil_arguments_text(arguments, "merit");
    for (int kind = 0; kind < FIL_MERIT_COUNT; ++kind)
        if (strcmp(merit, fil_merit_name((fil_merit)kind)) == 0) {
            out->merit = (fil_merit)kind;
            return true;
        }
    fil_report_error("--merit: must be natural, fclib or fb (got '%s')", merit);
    return false;
}

fil_cli_exit fil_contact_run_check_solver(fil_context *context, const fil_contact_def *def)
{
    fil_status status = fil_contact_check_def(context, def);
    return status == FIL_OK ? FIL_EXIT_OK : fil_report_failure(context, status);
}

fil_cli_exit fil_contact_run_check_list(fil_context *context, const fil_contact_def *def,
                                        const fil_contact_run_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        fil_contact_def one = *def;
        one.solver = list->items[i].solver;
        one.local = list->items[i].local;
        fil_cli_exit code = fil_contact_run_check_solver(context, &one);
        if (code != FIL_EXIT_OK)
            return code;
    }
    return FIL_EXIT_OK;
}

// Problems

fil_cli_exit fil_contact_run_problem_read(fil_context *context, const char *file, fil_contact_run_problem *out)
{
    *out = (fil_contact_run_problem){.file = file};
    fil_status status = fil_contact_problem_read(context, file, &out->problem);
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    size_t size = 3 * (size_t)out->problem->contact_count + 1;
    size_t dofs = out->problem->has_primal ? (size_t)out->problem->A.dof_start[out->problem->A.body_count] : 0;
    out->r = calloc(size, sizeof(double));
    out->u = calloc(size, sizeof(double));
    out->v = out->problem->has_primal ? calloc(dofs + 1, sizeof(double)) : NULL;
    if (out->r && out->u && (out->v || !out->problem->has_primal))
        return FIL_EXIT_OK;
    fil_contact_run_problem_free(out);
    return fil_report_no_memory();
}

fil_cli_exit fil_contact_run_problem_form(fil_context *context, fil_contact_run_problem *problem)
{
    double start = fil_timer_seconds();
    fil_status status = fil_contact_problem_form_dual(context, problem->problem);
    problem->seconds_setup = fil_timer_seconds() - start;
    if (status == FIL_OK)
        return FIL_EXIT_OK;
    fil_report_error("%s: %s", problem->file, fil_context_error(context));
    return status == FIL_BAD_INPUT ? FIL_EXIT_BAD : FIL_EXIT_MACHINE;
}

void fil_contact_run_problem_free(fil_contact_run_problem *problem)
{
    fil_contact_problem_destroy(problem->problem);
    free(problem->r);
    free(problem->u);
    free(problem->v);
    *problem = (fil_contact_run_problem){0};
}

int64_t fil_contact_run_problem_blocks(const fil_contact_run_problem *problem)
{
    return problem->problem->has_dual ? problem->problem->W.start[problem->problem->contact_count] : -1;
}

// Running

typedef struct watcher {
    fil_contact_run_trace *trace;
    const char *label;
    double tolerance, first;
} watcher;

// Without memory the trace ends early; the solve does not.
static void append(fil_contact_run_trace *trace, const fil_progress *point)
{
    if (trace->count == trace->room) {
        int64_t room = 2 * trace->room + 64;
        double **arrays[] = {&trace->iterations, &trace->seconds, &trace->residual, &trace->best};
        for (int k = 0; k < 4; ++k) {
            double *grown = realloc(*arrays[k], (size_t)room * sizeof **arrays[k]);
            if (!grown)
                return;
            *arrays[k] = grown;
        }
        const char **phase = realloc((void *)trace->phase, (size_t)room * sizeof *phase);
        if (!phase)
            return;
        trace->phase = phase;
        trace->room = room;
    }
    trace->iterations[trace->count] = (double)point->iterations;
    trace->seconds[trace->count] = point->seconds;
    trace->residual[trace->count] = point->residual;
    trace->best[trace->count] = point->best;
    trace->phase[trace->count++] = point->phase;
}

static bool watch(void *user, const fil_progress *point)
{
    watcher *watcher = user;
    if (watcher->trace)
        append(watcher->trace, point);
    if (!(watcher->first > 0))
        watcher->first = point->best;
    // How much of the way on the logarithmic scale is behind us. Short solves need no bar.
    double way = log(watcher->first / watcher->tolerance), done = log(watcher->first / point->best);
    if (point->seconds > 0.3)
        fil_report_progress(way > 0 ? done / way : 0, "%s: %s, iteration %lld, residual %.1e (to %.0e), %.1f s",
                            watcher->label, point->phase, (long long)point->iterations, point->best, watcher->tolerance,
                            point->seconds);
    return !fil_report_interrupted();
}

fil_cli_exit fil_contact_run_solve(fil_context *context, fil_contact_run_problem *problem, const fil_contact_def *def,
                                   const char *label, fil_contact_run_trace *trace, fil_solve_stats *stats)
{
    watcher watcher = {.trace = trace, .label = label, .tolerance = def->tolerance};
    fil_contact_def watched = *def;
    watched.progress = watch;
    watched.user = &watcher;
    fil_status status =
        fil_contact_solve(context, problem->problem, &watched, problem->r, problem->u, problem->v, stats);
    fil_report_progress_end();
    if (status != FIL_OK) {
        fil_report_error("%s: %s", problem->file, fil_context_error(context));
        return status == FIL_BAD_INPUT ? FIL_EXIT_BAD : FIL_EXIT_MACHINE;
    }
    stats->seconds_setup += problem->seconds_setup;
    return FIL_EXIT_OK;
}

void fil_contact_run_trace_free(fil_contact_run_trace *trace)
{
    free(trace->iterations);
    free(trace->seconds);
    free(trace->residual);
    free(trace->best);
    free((void *)trace->phase);
    *trace = (fil_contact_run_trace){0};
}
