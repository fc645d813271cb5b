// apg on strands: floats first and doubles after them, W never formed, warm starts, the same bits on any number of
// threads. The contract of all solvers is in test_contact.c.
#include "contact/contact.h"
#include "failing_allocator.h"
#include "strands.h"

static const strands_def small = {.strands = 30, .contacts = 200, .least = 8, .most = 12, .dofs = 4, .seed = 11};

TEST(contact_apg_needs_no_W_on_strands)
{
    fil_context *context = fil_context_create(NULL);
    static const struct {
        const char *solver, *finished_by;
        double tolerance;
    } cases[] = {
        {"apg", "apg-float", 1e-3},
        {"apg", "apg", 1e-8},
        {"apg:floats=false", "apg", 1e-3},
        {"apg:floats=false", "apg", 1e-8},
    };
    for (int k = 0; k < 4; ++k) {
        fil_contact_problem *problem = problem_of_strands(context, &small);
        double *r = impulse_of(problem);
        fil_contact_def def = solver_def(cases[k].solver, cases[k].tolerance);
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s to %g: %s", def.solver, def.tolerance,
                      fil_outcome_name(stats.outcome));
        ck_assert_str_eq(stats.finished_by, cases[k].finished_by);
        ck_assert(!problem->has_dual);
        // Through W the judge says the same.
        double residual[FIL_MERIT_COUNT];
        test_ok(context, fil_contact_problem_form_dual(context, problem));
        test_ok(context, fil_contact_judge(context, problem, r, residual));
        test_near(residual[FIL_MERIT_NATURAL], stats.residual[FIL_MERIT_NATURAL], 1e-11);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Problems in other units: floats are kept near 1, so the way is the same.
TEST(contact_apg_takes_any_units)
{
    fil_context *context = fil_context_create(NULL);
    int64_t iterations = 0;
    for (int k = 0; k < 3; ++k) {
        const double mass = k == 0 ? 1 : k == 1 ? 0x1p-60 : 0x1p70, speed = k == 0 ? 1 : k == 1 ? 0x1p40 : 0x1p-90;
        fil_contact_problem *problem = problem_of_strands(context, &small);
        for (int64_t m = 0; m < problem->A.value_start[problem->A.body_count]; ++m)
            problem->A.value[m] *= mass;
        for (int m = 0; m < problem->A.dof_start[problem->A.body_count]; ++m)
            problem->b[m] *= mass * speed;
        for (int m = 0; m < 3 * problem->contact_count; ++m)
            problem->w[m] *= speed;
        double *r = impulse_of(problem);
        fil_contact_def def = solver_def("apg", 1e-4);
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_int_eq(stats.outcome, FIL_SOLVED);
        ck_assert_str_eq(stats.finished_by, "apg-float");
        ck_assert(k == 0 || stats.iterations == iterations);
        iterations = stats.iterations;
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_apg_starts_warm)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(context, &small);
    double *r = impulse_of(problem), *cold = impulse_of(problem);
    fil_contact_def def = solver_def("apg", 1e-6);
    fil_solve_stats stats, cold_stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    for (int k = 0; k < problem->A.dof_start[problem->A.body_count]; ++k)
        problem->b[k] *= 1.001;
    def.tolerance = 1e-4;
    test_ok(context, fil_contact_solve(context, problem, &def, cold, NULL, NULL, &cold_stats));
    def.warm = true;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_SOLVED);
    ck_assert_msg(2 * stats.iterations < cold_stats.iterations, "warm %lld, cold %lld", (long long)stats.iterations,
                  (long long)cold_stats.iterations);
    free(r);
    free(cold);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_apg_same_bits_on_any_number_of_threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(
        context, &(strands_def){.strands = 300, .contacts = 3000, .least = 8, .most = 12, .dofs = 4, .seed = 12});
    fil_contact_def def = solver_def("apg", 1e-6);
    check_same_bits(context, problem, &def, FIL_SOLVED);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status solve(fil_context *context, void *data)
{
    fil_contact_problem *problem = data;
    double *r = impulse_of(problem);
    fil_contact_def def = solver_def("apg", 1e-8);
    def.max_iterations = 200;
    fil_status status = fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL);
    ck_assert(status == FIL_OK || r[0] == 0);
    free(r);
    return status;
}

TEST(contact_apg_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(context, &small);
    ck_assert_int_ge(test_failing_allocation(solve, problem), 5);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
