// What runs look like on paper: JSON, CSV and figures. One order and one set of names for all of them.
#include "cli/contact_run.h"
#include "render/plot.h"

#include <math.h>
#include <string.h>

bool fil_contact_run_json(json_t *object, const fil_contact_run_problem *problem, const fil_contact_def *def,
                          const fil_solve_stats *stats)
{
    int64_t blocks = fil_contact_run_problem_blocks(problem);
    int failed = 0;
    failed |= json_object_set_new(object, "file", fil_report_json_text(problem->file));
    failed |= json_object_set_new(object, "contacts", json_integer(problem->problem->contact_count));
    failed |= json_object_set_new(object, "blocks", blocks >= 0 ? json_integer(blocks) : json_null());
    failed |= json_object_set_new(object, "solver", json_string(def->solver));
    failed |= json_object_set_new(object, "local", json_string(def->local));
    failed |= json_object_set_new(object, "merit", json_string(fil_merit_name(def->merit)));
    failed |= json_object_set_new(object, "tolerance", json_real(def->tolerance));
    failed |= json_object_set_new(object, "status", json_string(fil_outcome_name(stats->outcome)));
    failed |= json_object_set_new(object, "finished_by", json_string(stats->finished_by));
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {
        {"iterations", stats->iterations},         {"sweeps", stats->sweeps},
        {"newton_steps", stats->newton_steps},     {"factorisations", stats->factorisations},
        {"local_calls", stats->local_calls},       {"failsafe_calls", stats->failsafe_calls},
        {"local_failures", stats->local_failures},
    };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
        failed |= json_object_set_new(object, counts[k].name, json_integer(counts[k].value));
    for (int kind = 0; kind < FIL_MERIT_COUNT; ++kind) {
        char name[32];
        snprintf(name, sizeof name, "residual_%s", fil_merit_name((fil_merit)kind));
        failed |= json_object_set_new(object, name, fil_report_json_real(stats->residual[kind]));
    }
    failed |= json_object_set_new(object, "seconds_setup", json_real(stats->seconds_setup));
    failed |= json_object_set_new(object, "seconds_solve", json_real(stats->seconds_solve));
    return failed == 0;
}

// A cell with a comma or a quote is quoted, quotes doubled (RFC 4180).
static void put_cell(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

const char fil_contact_run_csv_header[] =
    "file,contacts,blocks,solver,local,merit,tolerance,status,finished_by,iterations,sweeps,newton_steps,"
    "factorisations,local_calls,failsafe_calls,local_failures,residual_natural,residual_fclib,residual_fb,"
    "seconds_setup,seconds_solve\n";

void fil_contact_run_csv_row(FILE *out, const fil_contact_run_problem *problem, const fil_contact_def *def,
                             const fil_solve_stats *stats)
{
    put_cell(out, problem->file);
    fprintf(out, ",%d,", problem->problem->contact_count);
    if (fil_contact_run_problem_blocks(problem) >= 0)
        fprintf(out, "%lld", (long long)fil_contact_run_problem_blocks(problem));
    fputc(',', out);
    put_cell(out, def->solver);
    fputc(',', out);
    put_cell(out, def->local);
    fprintf(out, ",%s,%.17g,%s,%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%.17g,%.17g,%.17g,%.9f,%.9f\n",
            fil_merit_name(def->merit), def->tolerance, fil_outcome_name(stats->outcome), stats->finished_by,
            (long long)stats->iterations, (long long)stats->sweeps, (long long)stats->newton_steps,
            (long long)stats->factorisations, (long long)stats->local_calls, (long long)stats->failsafe_calls,
            (long long)stats->local_failures, stats->residual[FIL_MERIT_NATURAL], stats->residual[FIL_MERIT_FCLIB],
            stats->residual[FIL_MERIT_FB], stats->seconds_setup, stats->seconds_solve);
}

fil_cli_exit fil_contact_run_figure(fil_context *context, const char *path, const char *title, const char *subtitle,
                                    const fil_contact_def *def, const char *const *names,
                                    const fil_contact_run_trace *traces, int count)
{
    enum { MOST = 64 };
    fil_plot_series by_iterations[MOST], by_time[MOST];
    count = count < MOST ? count : MOST;
    for (int i = 0; i < count; ++i) {
        by_iterations[i] =
            (fil_plot_series){names[i], traces[i].iterations, traces[i].best, traces[i].count, FIL_PLOT_LINE};
        by_time[i] = (fil_plot_series){names[i], traces[i].seconds, traces[i].best, traces[i].count, FIL_PLOT_LINE};
    }
    char label[64], level[64];
    snprintf(label, sizeof label, "smallest residual so far (%s)", fil_merit_name(def->merit));
    snprintf(level, sizeof level, "tolerance %g", def->tolerance);
    fil_plot_panel panels[2] = {
        {.x = {.label = "iterations (sweeps and Newton steps)", .log = true}, .series = by_iterations},
        {.x = {.label = "time of the solve (s)", .log = true}, .series = by_time},
    };
    for (int k = 0; k < 2; ++k) {
        panels[k].y = (fil_plot_axis){.label = label, .log = true};
        panels[k].level = def->tolerance;
        panels[k].level_name = level;
    }
    fil_plot plot = {.title = title,
                     .subtitle = subtitle,
                     .width = 1100,
                     .height = 560,
                     .panels = panels,
                     .panel_count = 2,
                     .series_count = count};
    fil_status status = fil_plot_write(context, &plot, path);
    return status == FIL_OK ? FIL_EXIT_OK : fil_report_failure(context, status);
}
