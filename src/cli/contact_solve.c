// filum contact solve: one problem, one solver.
#include "cli/contact.h"
#include "cli/contact_run.h"
#include "cli/files.h"

#include <string.h>

static void print_summary(const fil_contact_run_problem *problem, const fil_contact_def *def,
                          const fil_solve_stats *stats)
{
    bool good = stats->outcome == FIL_SOLVED;
    printf("%s: %d contacts", problem->file, problem->problem->contact_count);
    if (fil_contact_run_problem_blocks(problem) >= 0)
        printf(", %lld blocks", (long long)fil_contact_run_problem_blocks(problem));
    printf("%s%s\n", *problem->problem->title ? ": " : "", problem->problem->title);
    printf("%s%s%s by %s", good ? fil_report_good() : fil_report_bad(), fil_outcome_name(stats->outcome),
           fil_report_plain(), def->solver);
    if (*stats->finished_by && strncmp(def->solver, stats->finished_by, strlen(stats->finished_by)) != 0)
        printf(" (finished by %s)", stats->finished_by);
    printf(" in %.3g s after %.3g s of set-up\n", stats->seconds_solve, stats->seconds_setup);
    printf("  residual    natural %.2e   fclib %.2e   fb %.2e   (tolerance: %s %g)\n",
           stats->residual[FIL_MERIT_NATURAL], stats->residual[FIL_MERIT_FCLIB], stats->residual[FIL_MERIT_FB],
           fil_merit_name(def->merit), def->tolerance);
    printf("  iterations  %lld: %lld sweeps, %lld Newton steps, %lld factorisations\n", (long long)stats->iterations,
           (long long)stats->sweeps, (long long)stats->newton_steps, (long long)stats->factorisations);
    printf("  local       %lld calls of %s, %lld to the fail-safe, %lld failed\n", (long long)stats->local_calls,
           def->local, (long long)stats->failsafe_calls, (long long)stats->local_failures);
}

static fil_cli_exit print_json(fil_context *context, const fil_contact_run_problem *problem, const fil_contact_def *def,
                               const fil_solve_stats *stats)
{
    json_t *object = json_object();
    bool good = object && fil_contact_run_json(object, problem, def, stats) &&
                json_object_set_new(object, "threads", json_integer(fil_context_threads(context))) == 0;
    if (good)
        good = fil_report_json(object);
    else
        json_decref(object);
    return good ? FIL_EXIT_OK : fil_report_no_memory();
}

static fil_cli_exit write_trace(fil_context *context, const char *path, const fil_contact_run_trace *trace)
{
    fil_files_text text;
    if (!fil_files_text_open(&text))
        return FIL_EXIT_MACHINE;
    fputs("iterations,seconds,phase,residual,best\n", text.stream);
    for (int64_t i = 0; i < trace->count; ++i)
        fprintf(text.stream, "%.0f,%.9f,%s,%.17g,%.17g\n", trace->iterations[i], trace->seconds[i], trace->phase[i],
                trace->residual[i], trace->best[i]);
    return fil_files_text_save(context, &text, path);
}

// The files that were asked for.
static fil_cli_exit write_files(fil_context *context, const fil_arguments *arguments,
                                const fil_contact_run_problem *problem, const fil_contact_def *def,
                                const fil_contact_run_trace *trace)
{
    const char *out = fil_arguments_text(arguments, "out"), *csv = fil_arguments_text(arguments, "trace");
    const char *svg = fil_arguments_text(arguments, "svg");
    fil_cli_exit code = FIL_EXIT_OK;
    if (out) {
        fil_status status =
            fil_contact_solution_write(context, out, problem->problem, problem->v, problem->u, problem->r);
        if (status != FIL_OK)
            code = fil_report_failure(context, status);
    }
    if (csv && code == FIL_EXIT_OK)
        code = write_trace(context, csv, trace);
    if (svg && code == FIL_EXIT_OK) {
        char title[256];
        snprintf(title, sizeof title, "%s, %d contacts", problem->file, problem->problem->contact_count);
        code = fil_contact_run_figure(context, svg, title, *problem->problem->title ? problem->problem->title : NULL,
                                      def, &def->solver, trace, 1);
    }
    return code;
}

// Everything that can be wrong with the command line is found before any work is done.
static fil_cli_exit check(fil_context *context, const fil_arguments *arguments, fil_contact_def *def)
{
    if (!fil_contact_run_def(arguments, def))
        return FIL_EXIT_BAD;
    def->solver = fil_arguments_text(arguments, "solver");
    if (strchr(def->solver, '@')) {
        fil_report_error("--solver: the solver of one contact is chosen by --local (got '%s')", def->solver);
        return FIL_EXIT_BAD;
    }
    def->warm = fil_arguments_given(arguments, "warm");
    fil_cli_exit code = fil_contact_run_check_solver(context, def);
    static const char *const outputs[] = {"out", "trace", "svg"};
    const char *const inputs[] = {arguments->operands[0], fil_arguments_text(arguments, "warm")};
    return code == FIL_EXIT_OK ? fil_files_check_outputs(context, arguments, outputs, 3, inputs, 2) : code;
}

static fil_cli_exit solve(fil_context *context, const fil_arguments *arguments, fil_contact_run_problem *problem,
                          const fil_contact_def *def)
{
    const char *warm = fil_arguments_text(arguments, "warm");
    fil_status status = warm ? fil_contact_guess_read(context, warm, problem->problem, problem->r) : FIL_OK;
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    fil_solve_stats stats;
    fil_contact_run_trace trace = {0};
    fil_report_catch_interrupt();
    fil_cli_exit code = fil_contact_run_solve(context, problem, def, problem->file, &trace, &stats);
    if (code == FIL_EXIT_OK)
        code = write_files(context, arguments, problem, def, &trace);
    fil_contact_run_trace_free(&trace);
    if (code != FIL_EXIT_OK)
        return code;
    if (fil_arguments_given(arguments, "json"))
        code = print_json(context, problem, def, &stats);
    else
        print_summary(problem, def, &stats);
    return code == FIL_EXIT_OK && stats.outcome != FIL_SOLVED ? FIL_EXIT_MISSED : code;
}

fil_cli_exit fil_contact_solve_run(const fil_arguments *arguments)
{
    fil_context *context = fil_contact_context(arguments);
    if (!context)
        return FIL_EXIT_MACHINE;
    fil_contact_def def;
    fil_contact_run_problem problem;
    fil_cli_exit code = check(context, arguments, &def);
    if (code == FIL_EXIT_OK)
        code = fil_contact_run_problem_read(context, arguments->operands[0], &problem);
    if (code == FIL_EXIT_OK) {
        code = solve(context, arguments, &problem, &def);
        fil_contact_run_problem_free(&problem);
    }
    fil_context_destroy(context);
    return code;
}
