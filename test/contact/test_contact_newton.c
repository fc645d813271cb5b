// newton: quadratic where it works, and down the gradient where its matrix is singular.
#include "problems.h"

TEST(contact_newton_is_fast_on_few_contacts)
{
    static const char *const solvers[] = {"newton:function=mfb", "newton:function=pac", "newton:function=dac"};
    fil_context *context = fil_context_create(NULL);
    for (int s = 0; s < 3; ++s) {
        int solved = 0;
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            fil_contact_problem *problem = problem_dual(context, 4, 1, 0.5, seed);
            fil_contact_def def = fil_contact_def_default();
            def.solver = solvers[s];
            def.tolerance = 1e-11;
            def.max_iterations = 30;
            fil_solve_stats stats;
            double r[12] = {0};
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            solved += stats.outcome == FIL_SOLVED;
            fil_contact_problem_destroy(problem);
        }
        ck_assert_msg(solved >= 12, "%s: %d of 20", solvers[s], solved);
    }
    fil_context_destroy(context);
}

// Two sticking contacts, W = [H1; H2][H1; H2]ᵀ of rank three in whole numbers, so that the factorisation meets an exact
// zero. The step must then point along -Jᵀ F with J = diag(rho) W and F = diag(rho) u.
TEST(contact_newton_goes_down_the_gradient_when_singular)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 2, 4, &problem));
    static const double H[2][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 1, 0}, {0, 1, 0}, {0, 0, 1}}};
    memcpy(problem->W.start, (int64_t[]){0, 2, 4}, sizeof(int64_t[3]));
    memcpy(problem->W.column, (int[]){0, 1, 0, 1}, sizeof(int[4]));
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    for (int k = 0; k < 3; ++k)
                        problem->W.value[9 * (2 * a + b) + i + 3 * j] += H[a][i][k] * H[b][j][k];
    const double q[6] = {-301, -200, 0, -501, -200, 0}, start[6] = {100, 0, 0, 200, 0, 0};
    double r[6], u[6], back[6], expected[6] = {0}, *W = problem_dense(problem);
    memcpy(problem->q, q, sizeof q);
    problem->mu[0] = problem->mu[1] = 0.1; // the judge counts mu |u_T|: small, so that it agrees with |F|
    for (int i = 0; i < 6; ++i) {
        u[i] = q[i];
        for (int j = 0; j < 6; ++j)
            u[i] += W[i + 6 * j] * start[j];
        double rho = i < 3 ? 1 : 0.75;
        back[i] = rho * rho * u[i];
    }
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 6; ++i)
            expected[j] -= W[i + 6 * j] * back[i];
    memcpy(r, start, sizeof r);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "newton:function=dac";
    def.max_iterations = 1;
    def.warm = true;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
    double along = 0, norm = 0, size = 0;
    for (int k = 0; k < 6; ++k) {
        along += (r[k] - start[k]) * expected[k];
        norm += (r[k] - start[k]) * (r[k] - start[k]);
        size += expected[k] * expected[k];
    }
    ck_assert_msg(norm > 0, "it did not move");
    test_near(along / sqrt(norm * size), 1, 1e-12);
    free(W);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
