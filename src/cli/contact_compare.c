// filum contact compare: one problem, several solvers, one picture.
#include "cli/contact.h"
#include "cli/contact_run.h"
#include "cli/files.h"

#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    fil_context *context;
    const fil_arguments *arguments;
    fil_contact_def def;
    fil_contact_run_list list;
    fil_contact_run_problem problem;
    fil_solve_stats *stats;
    fil_contact_run_trace *traces;
    int done; // solvers that ran
} comparison;

static fil_contact_def def_of(const comparison *self, int index)
{
    fil_contact_def def = self->def;
    def.solver = self->list.items[index].solver;
    def.local = self->list.items[index].local;
    return def;
}

static void print_table(const comparison *self)
{
    size_t width = strlen("solver");
    for (int i = 0; i < self->done; ++i)
        width = strlen(self->list.items[i].text) > width ? strlen(self->list.items[i].text) : width;
    printf("%s: %d contacts, %lld blocks, set-up %.3g s\n", self->problem.file, self->problem.problem->contact_count,
           (long long)fil_contact_run_problem_blocks(&self->problem), self->problem.seconds_setup);
    printf("%s%-*s  %-11s %10s %11s %10s  %s%s\n", fil_report_bold(), (int)width, "solver", "status", "iterations",
           "residual", "seconds", "finished by", fil_report_plain());
    for (int i = 0; i < self->done; ++i) {
        const fil_solve_stats *stats = &self->stats[i];
        bool good = stats->outcome == FIL_SOLVED;
        printf("%-*s  %s%-11s%s %10lld %11.2e %10.3g  %s\n", (int)width, self->list.items[i].text,
               good ? fil_report_good() : fil_report_bad(), fil_outcome_name(stats->outcome), fil_report_plain(),
               (long long)stats->iterations, stats->residual[self->def.merit], stats->seconds_solve,
               stats->finished_by);
    }
}

static fil_cli_exit print_json(const comparison *self)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (int i = 0; i < self->done && good; ++i) {
        json_t *run = json_object();
        fil_contact_def def = def_of(self, i);
        good = run && fil_contact_run_json(run, &self->problem, &def, &self->stats[i]);
        good &= json_array_append_new(list, run) == 0;
    }
    if (good)
        good = fil_report_json(list);
    else
        json_decref(list);
    return good ? FIL_EXIT_OK : fil_report_no_memory();
}

static fil_cli_exit write_csv(const comparison *self, const char *path)
{
    fil_files_text text;
    if (!fil_files_text_open(&text))
        return FIL_EXIT_MACHINE;
    fputs(fil_contact_run_csv_header, text.stream);
    for (int i = 0; i < self->done; ++i) {
        fil_contact_def def = def_of(self, i);
        fil_contact_run_csv_row(text.stream, &self->problem, &def, &self->stats[i]);
    }
    return fil_files_text_save(self->context, &text, path);
}

static fil_cli_exit write_svg(const comparison *self, const char *path)
{
    const char **names = calloc((size_t)self->done + 1, sizeof *names);
    if (!names)
        return fil_report_no_memory();
    for (int i = 0; i < self->done; ++i)
        names[i] = self->list.items[i].text;
    const char *title = fil_arguments_text(self->arguments, "title");
    const char *content = self->problem.problem->title;
    char about[256];
    snprintf(about, sizeof about, "%d contacts%s%s", self->problem.problem->contact_count, *content ? ", " : "",
             content);
    fil_cli_exit code = fil_contact_run_figure(self->context, path, title ? title : self->problem.file, about,
                                               &self->def, names, self->traces, self->done);
    free((void *)names);
    return code;
}

static fil_cli_exit run_all(comparison *self)
{
    self->stats = calloc((size_t)self->list.count, sizeof *self->stats);
    self->traces = calloc((size_t)self->list.count, sizeof *self->traces);
    if (!self->stats || !self->traces)
        return fil_report_no_memory();
    fil_cli_exit code = fil_contact_run_problem_form(self->context, &self->problem);
    fil_report_catch_interrupt();
    for (; self->done < self->list.count && code == FIL_EXIT_OK && !fil_report_interrupted(); ++self->done) {
        fil_contact_def def = def_of(self, self->done);
        code = fil_contact_run_solve(self->context, &self->problem, &def, self->list.items[self->done].text,
                                     &self->traces[self->done], &self->stats[self->done]);
    }
    const char *csv = fil_arguments_text(self->arguments, "csv"), *svg = fil_arguments_text(self->arguments, "svg");
    if (code == FIL_EXIT_OK && csv)
        code = write_csv(self, csv);
    if (code == FIL_EXIT_OK && svg)
        code = write_svg(self, svg);
    if (code != FIL_EXIT_OK)
        return code;
    if (fil_arguments_given(self->arguments, "json"))
        code = print_json(self);
    else
        print_table(self);
    return code == FIL_EXIT_OK && fil_report_interrupted() ? FIL_EXIT_MISSED : code;
}

static fil_cli_exit check(comparison *self)
{
    const char *solvers = fil_arguments_text(self->arguments, "solvers");
    if (!solvers) {
        fil_report_error("contact compare: --solvers LIST is missing");
        return FIL_EXIT_BAD;
    }
    if (!fil_contact_run_def(self->arguments, &self->def) ||
        !fil_contact_run_list_parse(solvers, self->def.local, &self->list))
        return FIL_EXIT_BAD;
    fil_cli_exit code = fil_contact_run_check_list(self->context, &self->def, &self->list);
    static const char *const outputs[] = {"csv", "svg"};
    return code == FIL_EXIT_OK
               ? fil_files_check_outputs(self->context, self->arguments, outputs, 2, self->arguments->operands, 1)
               : code;
}

fil_cli_exit fil_contact_compare_run(const fil_arguments *arguments)
{
    comparison self = {.context = fil_contact_context(arguments), .arguments = arguments};
    if (!self.context)
        return FIL_EXIT_MACHINE;
    fil_cli_exit code = check(&self);
    if (code == FIL_EXIT_OK)
        code = fil_contact_run_problem_read(self.context, arguments->operands[0], &self.problem);
    if (code == FIL_EXIT_OK)
        code = run_all(&self);
    for (int i = 0; self.traces && i < self.list.count; ++i)
        fil_contact_run_trace_free(&self.traces[i]);
    free(self.traces);
    free(self.stats);
    fil_contact_run_list_free(&self.list);
    fil_contact_run_problem_free(&self.problem);
    fil_context_destroy(self.context);
    return code;
}
