// gs: it converges from anywhere, its options do what they say, and every hybrid can drive it.
#include "filum/extend.h"
#include "problems.h"

#include <stdio.h>

static fil_solve_stats solve(fil_context *context, fil_contact_problem *problem, const char *solver, const char *local,
                             int64_t most, double *r)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = solver;
    def.max_iterations = most;
    if (local)
        def.local = local;
    fil_solve_stats stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    return stats;
}

// Every local solver with the fail-safe finds the solution; the approximate ones alone do not.
TEST(contact_gs_works_with_every_local_solver)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 30, 1, 0.5, 21);
    double *r = impulse_of(problem);
    for (int k = 0; k < fil_local_type_count(); ++k) {
        const fil_local_type *type = fil_local_type_at(k);
        char hybrid[64];
        snprintf(hybrid, sizeof hybrid, "%s+enum", type->name);
        fil_solve_stats stats = solve(context, problem, "gs", hybrid, 2000, r);
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: natural %.3g", hybrid, stats.residual[0]);
        ck_assert_msg(stats.failsafe_calls <= stats.local_calls && stats.local_failures == 0, "%s", hybrid);
        stats = solve(context, problem, "gs", type->name, 200, r);
        ck_assert_msg(stats.failsafe_calls == 0, "%s", type->name);
        if (!type->exact)
            ck_assert_msg(stats.outcome == FIL_STALLED && stats.residual[0] > 1e-4, "%s solves the exact law: %.3g",
                          type->name, stats.residual[0]);
    }
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Freezing saves calls and costs no accuracy.
TEST(contact_gs_freezing_saves_work)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 120, 1, 0.5, 22);
    double *r = impulse_of(problem);
    fil_solve_stats plain = solve(context, problem, "gs:freeze=false", NULL, 0, r);
    fil_solve_stats frozen = solve(context, problem, "gs", NULL, 0, r);
    ck_assert(plain.outcome == FIL_SOLVED && frozen.outcome == FIL_SOLVED);
    ck_assert_int_eq(plain.local_calls, 120 * plain.sweeps);
    ck_assert_msg(frozen.local_calls < 120 * frozen.sweeps, "nothing was frozen");
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Where plain sweeps end, sleeping contacts end too, at the same velocities; and solved means what the judge says.
TEST(contact_gs_freezing_ends_where_plain_sweeps_end)
{
    fil_context *context = fil_context_create(NULL);
    int frozen_problems = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        fil_contact_problem *problem = problem_dual(context, 40 + 2 * (int)seed, 1, 0.8, seed);
        double *r = impulse_of(problem), residual[FIL_MERIT_COUNT];
        fil_solve_stats plain = solve(context, problem, "gs:relaxation=1,freeze=false", NULL, 3000, r);
        memset(r, 0, 3 * (size_t)problem->contact_count * sizeof *r);
        fil_solve_stats frozen = solve(context, problem, seed % 2 ? "gs" : "gs:order=coloured", NULL, 4000, r);
        test_ok(context, fil_contact_judge(context, problem, r, residual));
        ck_assert_msg((frozen.outcome == FIL_SOLVED) == (residual[FIL_MERIT_NATURAL] <= 1e-8), "seed %d: %.3g",
                      (int)seed, residual[FIL_MERIT_NATURAL]);
        ck_assert_msg(plain.outcome != FIL_SOLVED || frozen.outcome == FIL_SOLVED, "seed %d: freezing stalls at %.3g",
                      (int)seed, residual[FIL_MERIT_NATURAL]);
        frozen_problems += frozen.local_calls < problem->contact_count * frozen.sweeps;
        free(r);
        fil_contact_problem_destroy(problem);
    }
    ck_assert_int_gt(frozen_problems, 20);
    fil_context_destroy(context);
}

// Where over-relaxation never ends, the safeguard gives it up and the sweeps go on as plain ones do.
TEST(contact_gs_gives_up_over_relaxation_that_leads_nowhere)
{
    fil_context *context = fil_context_create(NULL);
    int stalled = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        fil_contact_problem *problem = problem_dual(context, 100, 1, 0.8, seed);
        double *r = impulse_of(problem);
        fil_solve_stats plain = solve(context, problem, "gs:relaxation=1", NULL, 1500, r);
        fil_solve_stats bold = solve(context, problem, "gs:relaxation=1.9,safeguard=false", NULL, 4000, r);
        fil_solve_stats guarded = solve(context, problem, "gs:relaxation=1.9", NULL, 4000, r);
        if (plain.outcome == FIL_SOLVED && bold.outcome != FIL_SOLVED) {
            ++stalled;
            ck_assert_msg(guarded.outcome == FIL_SOLVED, "seed %d: natural %.3g", (int)seed, guarded.residual[0]);
        }
        free(r);
        fil_contact_problem_destroy(problem);
    }
    ck_assert_int_gt(stalled, 5);
    fil_context_destroy(context);
}

// The period sets how often the residual is looked at, after the first five sweeps.
static bool count_looks(void *user, const fil_progress *point)
{
    (void)point;
    ++*(int *)user;
    return true;
}

TEST(contact_gs_looks_once_per_period)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 60, 3, 1, 23);
    double *r = impulse_of(problem);
    int looks = 0;
    fil_contact_def def = fil_contact_def_default();
    def.solver = "gs:period=20";
    def.tolerance = 1e-300;
    def.max_iterations = 5 + 3 * 20;
    def.progress = count_looks;
    def.user = &looks;
    fil_solve_stats stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_int_eq(stats.sweeps, 65);
    ck_assert_int_eq(looks, 1 + 5 + 3);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
