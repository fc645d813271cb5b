// proximal: over-constrained problems, where a plain Newton matrix is singular, and its quadratic end.
#include "problems.h"

static fil_solve_stats solve(fil_context *context, fil_contact_problem *problem, const char *solver, double tolerance)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = solver;
    def.tolerance = tolerance;
    fil_solve_stats stats;
    double *r = impulse_of(problem);
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert(impulse_finite(problem, r));
    free(r);
    return stats;
}

// One method alone need not solve all; most it must, with each of its three good maps.
TEST(contact_proximal_solves_most_over_constrained_problems)
{
    static const char *const solvers[] = {"proximal:map=ac", "proximal:map=jm", "proximal:map=nm"};
    fil_context *context = fil_context_create(NULL);
    for (int s = 0; s < 3; ++s) {
        int solved = 0;
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            fil_contact_problem *problem = problem_dual(context, 30, 1 + (int)seed % 3, 0.8, seed);
            solved += solve(context, problem, solvers[s], 1e-8).outcome == FIL_SOLVED;
            fil_contact_problem_destroy(problem);
        }
        ck_assert_msg(solved >= 14, "%s: %d of 20 solved", solvers[s], solved);
    }
    fil_context_destroy(context);
}

// Four digits more cost a few steps: the end is not linear.
TEST(contact_proximal_ends_fast)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 30, 1, 0.5, 3);
    fil_solve_stats loose = solve(context, problem, "proximal", 1e-6),
                    tight = solve(context, problem, "proximal", 1e-11);
    ck_assert(loose.outcome == FIL_SOLVED && tight.outcome == FIL_SOLVED);
    ck_assert_msg(tight.newton_steps <= loose.newton_steps + 4, "%lld and %lld steps", (long long)loose.newton_steps,
                  (long long)tight.newton_steps);
    ck_assert_int_ge(tight.factorisations, tight.newton_steps);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Two equal contacts share one impulse: W is singular, the answer is not unique, and must be found all the same.
TEST(contact_proximal_copes_with_a_doubled_contact)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 2, 4, &problem));
    memcpy(problem->W.start, (int64_t[]){0, 2, 4}, sizeof(int64_t[3]));
    memcpy(problem->W.column, (int[]){0, 1, 0, 1}, sizeof(int[4]));
    for (int block = 0; block < 4; ++block)
        for (int k = 0; k < 3; ++k)
            problem->W.value[9 * block + 4 * k] = 2;
    for (int i = 0; i < 2; ++i) {
        problem->mu[i] = 0.3;
        problem->q[3 * i] = -1;
        problem->q[3 * i + 1] = 1;
    }
    static const char *const solvers[] = {
        "proximal", "proximal:map=jm", "proximal:map=nm", "proximal:map=fb", "gs", "anderson", "auto"};
    for (int s = 0; s < 7; ++s) {
        fil_contact_def def = fil_contact_def_default();
        def.solver = solvers[s];
        fil_solve_stats stats;
        double r[6] = {0};
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %.3g", solvers[s], stats.residual[0]);
        ck_assert_msg(fabs(r[0] + r[3] - 0.5) <= 1e-7 && fabs(r[1] + r[4] + 0.15) <= 1e-7, "%s: r = %g %g, %g %g",
                      solvers[s], r[0], r[1], r[3], r[4]);
    }
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
