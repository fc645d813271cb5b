// filum contact judge: the residuals of a stored solution.
#include "cli/contact.h"
#include "cli/contact_run.h"

static fil_cli_exit judge(fil_context *context, const fil_arguments *arguments, fil_contact_run_problem *problem)
{
    const char *solution = fil_arguments_text(arguments, "solution");
    solution = solution ? solution : problem->file;
    double residual[FIL_MERIT_COUNT];
    fil_status status = fil_contact_solution_read(context, solution, problem->problem, problem->r);
    if (status == FIL_OK)
        status = fil_contact_judge(context, problem->problem, problem->r, residual);
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    if (!fil_arguments_given(arguments, "json")) {
        printf("%s: %d contacts, solution of %s\n", problem->file, problem->problem->contact_count, solution);
        for (int kind = 0; kind < FIL_MERIT_COUNT; ++kind)
            printf("  %-8s %.3e\n", fil_merit_name((fil_merit)kind), residual[kind]);
        return FIL_EXIT_OK;
    }
    json_t *object = json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "file", fil_report_json_text(problem->file),
                               "solution", fil_report_json_text(solution), "contacts", problem->problem->contact_count,
                               "residual_natural", fil_report_json_real(residual[FIL_MERIT_NATURAL]), "residual_fclib",
                               fil_report_json_real(residual[FIL_MERIT_FCLIB]), "residual_fb",
                               fil_report_json_real(residual[FIL_MERIT_FB]));
    return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
}

fil_cli_exit fil_contact_judge_run(const fil_arguments *arguments)
{
    fil_context *context = fil_contact_context(arguments);
    if (!context)
        return FIL_EXIT_MACHINE;
    fil_contact_run_problem problem;
    fil_cli_exit code = fil_contact_run_problem_read(context, arguments->operands[0], &problem);
    if (code == FIL_EXIT_OK) {
        code = judge(context, arguments, &problem);
        fil_contact_run_problem_free(&problem);
    }
    fil_context_destroy(context);
    return code;
}
