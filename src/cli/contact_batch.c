// filum contact batch: many problems, several solvers; Table 2 and figure 11 of [Daviet11].
//
// One problem is in memory at a time. Its W is assembled once and counts as set-up time of every solver.
#include "cli/contact.h"
#include "cli/files.h"
#include "cli/contact_run.h"
#include "render/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sums over all problems of one solver.
typedef struct total {
    int problems, above; // ran; did not reach the tolerance
    double calls, failsafe, failures, iterations, seconds;
    double *solved_after; // [problems - above] iterations of the solved ones
    int solved;
} total;

typedef struct batch {
    fil_context *context;
    const fil_arguments *arguments;
    fil_contact_def def;
    fil_contact_run_list list;
    fil_files_list files;
    total *totals; // by solver
    json_t *runs;  // NULL without --json
    fil_files_text csv;
    int skipped;
} batch;

static void add(total *total, const fil_solve_stats *stats)
{
    ++total->problems;
    total->calls += (double)stats->local_calls;
    total->failsafe += (double)stats->failsafe_calls;
    total->failures += (double)stats->local_failures;
    total->iterations += (double)stats->iterations;
    total->seconds += stats->seconds_solve;
    if (stats->outcome == FIL_SOLVED && total->solved_after)
        total->solved_after[total->solved++] = (double)stats->iterations;
    else
        ++total->above;
}

static bool has_failsafe(const fil_contact_run_item *item)
{
    return strchr(item->local, '+') != NULL;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

// All solvers on one problem.
static fil_cli_exit run_problem(batch *self, int index)
{
    fil_contact_run_problem problem;
    fil_cli_exit code = fil_contact_run_problem_read(self->context, self->files.names[index], &problem);
    if (code == FIL_EXIT_OK)
        code = fil_contact_run_problem_form(self->context, &problem);
    for (int i = 0; i < self->list.count && code == FIL_EXIT_OK; ++i) {
        const fil_contact_run_item *item = &self->list.items[i];
        fil_contact_def def = self->def;
        def.solver = item->solver;
        def.local = item->local;
        fil_solve_stats stats;
        char label[512];
        snprintf(label, sizeof label, "%d/%d %s", index + 1, self->files.count, item->text);
        fil_report_progress((double)index / self->files.count, "%s: %s", label, problem.file);
        code = fil_contact_run_solve(self->context, &problem, &def, label, NULL, &stats);
        if (code != FIL_EXIT_OK || fil_report_interrupted())
            break; // a run that was cut short counts for nothing
        add(&self->totals[i], &stats);
        if (self->csv.stream)
            fil_contact_run_csv_row(self->csv.stream, &problem, &def, &stats);
        json_t *run = self->runs ? json_object() : NULL;
        if (self->runs &&
            (!run || !fil_contact_run_json(run, &problem, &def, &stats) || json_array_append_new(self->runs, run) != 0))
            code = fil_report_no_memory();
    }
    fil_contact_run_problem_free(&problem);
    return code;
}

static void print_cell(bool known, const char *format, double value)
{
    char text[32] = "-";
    if (known)
        snprintf(text, sizeof text, format, value);
    printf(" %10s", text);
}

static void print_table(const batch *self)
{
    size_t width = strlen("solver");
    for (int i = 0; i < self->list.count; ++i)
        width = strlen(self->list.items[i].text) > width ? strlen(self->list.items[i].text) : width;
    printf("%d problems, tolerance %g (%s)\n", self->totals[0].problems, self->def.tolerance,
           fil_merit_name(self->def.merit));
    printf("%s%-*s %10s %10s %10s %10s %10s%s\n", fil_report_bold(), (int)width, "solver", "%alt", "%fail", "%>tol",
           "iterations", "seconds", fil_report_plain());
    for (int i = 0; i < self->list.count; ++i) {
        const total *total = &self->totals[i];
        printf("%-*s", (int)width, self->list.items[i].text);
        print_cell(total->calls > 0 && has_failsafe(&self->list.items[i]), "%.3g",
                   percent(total->failsafe, total->calls));
        print_cell(total->calls > 0, "%.3g", percent(total->failures, total->calls));
        print_cell(total->problems > 0, "%.3g", percent(total->above, total->problems));
        print_cell(total->problems > 0, "%.1f", total->iterations / total->problems);
        print_cell(total->problems > 0, "%.3g", total->seconds / total->problems);
        printf("\n");
    }
}

static json_t *total_json(const batch *self, int index)
{
    const fil_contact_run_item *item = &self->list.items[index];
    const total *total = &self->totals[index];
    double problems = total->problems > 0 ? total->problems : 1;
    return json_pack(
        "{s:s, s:s, s:i, s:o, s:o, s:f, s:f, s:f}", "solver", item->solver, "local", item->local, "problems",
        total->problems, "percent_failsafe",
        total->calls > 0 && has_failsafe(item) ? json_real(percent(total->failsafe, total->calls)) : json_null(),
        "percent_local_failures", total->calls > 0 ? json_real(percent(total->failures, total->calls)) : json_null(),
        "percent_above_tolerance", percent(total->above, total->problems), "mean_iterations",
        total->iterations / problems, "mean_seconds", total->seconds / problems);
}

static fil_cli_exit print_json(batch *self)
{
    json_t *solvers = json_array();
    bool good = solvers != NULL;
    for (int i = 0; i < self->list.count && good; ++i)
        good = json_array_append_new(solvers, total_json(self, i)) == 0;
    if (!good) {
        json_decref(solvers);
        return fil_report_no_memory();
    }
    json_t *object =
        json_pack("{s:f, s:s, s:i, s:o, s:O}", "tolerance", self->def.tolerance, "merit",
                  fil_merit_name(self->def.merit), "skipped", self->skipped, "solvers", solvers, "runs", self->runs);
    return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The share of problems that need more than k iterations, as steps: x ascending from `start` to `end`.
static int64_t make_steps(total *total, double start, double end, double *x, double *y)
{
    qsort(total->solved_after, (size_t)total->solved, sizeof(double), compare_numbers);
    int64_t count = 0;
    double left = total->problems;
    x[count] = start;
    y[count++] = 100;
    for (int i = 0; i < total->solved; ++i) {
        double k = total->solved_after[i];
        --left;
        if (x[count - 1] < k)
            x[count++] = k;
        y[count - 1] = percent(left, total->problems);
    }
    if (x[count - 1] < end) {
        x[count] = end;
        y[count] = y[count - 1];
        ++count;
    }
    return count;
}

// The range in which something happens: a little more than from the first problem solved to the last.
static void find_range(const batch *self, double *start, double *end)
{
    double least = INFINITY, most = 1;
    for (int i = 0; i < self->list.count; ++i)
        for (int k = 0; k < self->totals[i].solved; ++k) {
            double iterations = self->totals[i].solved_after[k];
            least = iterations < least ? iterations : least;
            most = iterations > most ? iterations : most;
        }
    *start = least < INFINITY && least > 2 ? floor(least / 2) : 1;
    *end = 1.5 * most > 4 * *start ? 1.5 * most : 4 * *start;
}

static fil_cli_exit write_svg(batch *self, const char *path)
{
    size_t room = (size_t)self->files.count + 2, count = (size_t)self->list.count;
    fil_plot_series *series = calloc(count, sizeof *series);
    double *x = calloc(room * count, sizeof *x), *y = calloc(room * count, sizeof *y);
    if (!series || !x || !y) {
        free(series);
        free(x);
        free(y);
        return fil_report_no_memory();
    }
    double start, end;
    find_range(self, &start, &end);
    for (size_t i = 0; i < count; ++i) {
        int64_t steps = make_steps(&self->totals[i], start, end, x + i * room, y + i * room);
        series[i] = (fil_plot_series){self->list.items[i].text, x + i * room, y + i * room, steps, FIL_PLOT_STEPS};
    }
    fil_plot_panel panel = {.x = {.label = "iterations k", .log = true, .min = start, .max = end},
                            .y = {.label = "problems that need more than k iterations (%)", .min = 0, .max = 100},
                            .series = series};
    char subtitle[128];
    snprintf(subtitle, sizeof subtitle, "%d problems to %s %g", self->totals[0].problems,
             fil_merit_name(self->def.merit), self->def.tolerance);
    fil_plot plot = {.title = "Problems not yet solved",
                     .subtitle = subtitle,
                     .width = 900,
                     .height = 600,
                     .panels = &panel,
                     .panel_count = 1,
                     .series_count = (int)count};
    fil_status status = fil_plot_write(self->context, &plot, path);
    free(series);
    free(x);
    free(y);
    return status == FIL_OK ? FIL_EXIT_OK : fil_report_failure(self->context, status);
}

static fil_cli_exit check(batch *self)
{
    const fil_arguments *arguments = self->arguments;
    const char *solvers = fil_arguments_text(arguments, "solvers");
    if (!solvers) {
        fil_report_error("contact batch: --solvers LIST is missing");
        return FIL_EXIT_BAD;
    }
    if (!fil_contact_run_def(arguments, &self->def) ||
        !fil_contact_run_list_parse(solvers, self->def.local, &self->list))
        return FIL_EXIT_BAD;
    fil_cli_exit code = fil_contact_run_check_list(self->context, &self->def, &self->list);
    if (code == FIL_EXIT_OK)
        code = fil_files_list_make(arguments->operands, arguments->operand_count, &self->files);
    static const char *const outputs[] = {"csv", "svg"};
    if (code == FIL_EXIT_OK)
        code = fil_files_check_outputs(self->context, arguments, outputs, 2, (const char *const *)self->files.names,
                                       self->files.count);
    return code;
}

static fil_cli_exit prepare(batch *self)
{
    bool json = fil_arguments_given(self->arguments, "json");
    self->runs = json ? json_array() : NULL;
    self->totals = calloc((size_t)self->list.count, sizeof *self->totals);
    if (!self->totals || (json && !self->runs))
        return fil_report_no_memory();
    for (int i = 0; i < self->list.count; ++i) {
        self->totals[i].solved_after = calloc((size_t)self->files.count, sizeof(double));
        if (!self->totals[i].solved_after)
            return fil_report_no_memory();
    }
    if (fil_arguments_text(self->arguments, "csv")) {
        if (!fil_files_text_open(&self->csv))
            return FIL_EXIT_MACHINE;
        fputs(fil_contact_run_csv_header, self->csv.stream);
    }
    return FIL_EXIT_OK;
}

// Everything that was measured, also when some files could not be read or Ctrl-C ended it.
static fil_cli_exit write_results(batch *self)
{
    const char *svg = fil_arguments_text(self->arguments, "svg");
    fil_cli_exit code = FIL_EXIT_OK;
    if (self->csv.stream) {
        code = fil_files_text_save(self->context, &self->csv, fil_arguments_text(self->arguments, "csv"));
        self->csv.stream = NULL;
    }
    if (code == FIL_EXIT_OK && svg)
        code = write_svg(self, svg);
    if (code != FIL_EXIT_OK)
        return code;
    if (self->runs)
        return print_json(self);
    print_table(self);
    return FIL_EXIT_OK;
}

static fil_cli_exit run_all(batch *self)
{
    fil_cli_exit code = prepare(self);
    if (code != FIL_EXIT_OK)
        return code;
    fil_report_catch_interrupt();
    for (int i = 0; i < self->files.count && !fil_report_interrupted(); ++i) {
        code = run_problem(self, i);
        if (code == FIL_EXIT_MACHINE)
            return code;
        self->skipped += code != FIL_EXIT_OK;
    }
    fil_report_progress_end();
    code = write_results(self);
    if (code != FIL_EXIT_OK)
        return code;
    if (self->skipped > 0) {
        fil_report_error("%d of %d files were left out", self->skipped, self->files.count);
        return FIL_EXIT_BAD;
    }
    return fil_report_interrupted() ? FIL_EXIT_MISSED : FIL_EXIT_OK;
}

fil_cli_exit fil_contact_batch_run(const fil_arguments *arguments)
{
    batch self = {.context = fil_contact_context(arguments), .arguments = arguments};
    if (!self.context)
        return FIL_EXIT_MACHINE;
    fil_cli_exit code = check(&self);
    if (code == FIL_EXIT_OK)
        code = run_all(&self);
    for (int i = 0; self.totals && i < self.list.count; ++i)
        free(self.totals[i].solved_after);
    free(self.totals);
    json_decref(self.runs);
    if (self.csv.stream) {
        fclose(self.csv.stream);
        free(self.csv.text);
    }
    fil_files_list_free(&self.files);
    fil_contact_run_list_free(&self.list);
    fil_context_destroy(self.context);
    return code;
}
