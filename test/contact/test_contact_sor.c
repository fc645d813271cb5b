// sor: its own law is met, with one friction direction per contact; the exact law is not.
#include "problems.h"

// Slip turns while it is braked: friction against the first direction only is not the exact law.
TEST(contact_sor_solves_its_own_law_not_the_exact_one)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_single(context, 1, (double[]){-1, 2, 1}, 0.3);
    const double W[9] = {1, 0.3, -0.2, 0.3, 2, 0.4, -0.2, 0.4, 0.5};
    memcpy(problem->W.value, W, sizeof W);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "sor";
    fil_solve_stats stats;
    double r[3] = {0}, u[3];
    test_ok(context, fil_contact_solve(context, problem, &def, r, u, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_STALLED);
    ck_assert(stats.residual[FIL_MERIT_NATURAL] > 1e-3);
    // 0 <= f_n ⊥ u_N >= 0, friction against t = q_T / |q_T| at its bound.
    ck_assert(r[0] > 0);
    test_near(u[0], 0, 1e-6);
    double t[2] = {2 / sqrt(5), 1 / sqrt(5)};
    test_near(r[1], -0.3 * r[0] * t[0], 1e-9);
    test_near(r[2], -0.3 * r[0] * t[1], 1e-9);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Without friction its law is the exact one.
TEST(contact_sor_is_exact_without_friction)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 20, 1, 0, 31);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "sor:iterations=100000";
    fil_solve_stats stats;
    double *r = impulse_of(problem);
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_msg(stats.outcome == FIL_SOLVED, "natural %.3g", stats.residual[FIL_MERIT_NATURAL]);
    for (int i = 0; i < 20; ++i)
        ck_assert(r[3 * i] >= 0 && r[3 * i + 1] == 0 && r[3 * i + 2] == 0);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
