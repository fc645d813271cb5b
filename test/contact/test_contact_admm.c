// admm: hair to 1e-6 without W, large friction, warm starts, floats and doubles, the same bits on any number of
// threads. The contract of all solvers is in test_contact.c.
#include "contact/contact.h"
#include "failing_allocator.h"
#include "strands.h"

// Contacts of one side and with both sides on one strand, at vertices and on edges; strands of 8 to 12 vertices.
static const strands_def small = {.strands = 30, .contacts = 200, .least = 8, .most = 12, .dofs = 4, .seed = 11};

TEST(contact_admm_solves_hair_without_W)
{
    fil_context *context = fil_context_create(NULL);
    static const fil_contact_hair_shape shapes[] = {FIL_HAIR_WAVY, FIL_HAIR_STRAIGHT, FIL_HAIR_PARALLEL};
    for (int k = 0; k < 6; ++k) {
        fil_contact_problem *problem = problem_of_hair(context, 78, shapes[k / 2], k % 2 ? 1 : 0.3, 0);
        double *r = impulse_of(problem);
        fil_contact_def def = solver_def("admm", 1e-6);
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %s, residual %.2g", problem->title,
                      fil_outcome_name(stats.outcome), stats.residual[FIL_MERIT_NATURAL]);
        ck_assert_str_eq(stats.finished_by, "admm");
        ck_assert(!problem->has_dual);
        // Through W the judge says the same.
        double residual[FIL_MERIT_COUNT];
        test_ok(context, fil_contact_problem_form_dual(context, problem));
        test_ok(context, fil_contact_judge(context, problem, r, residual));
        test_near(residual[FIL_MERIT_NATURAL], stats.residual[FIL_MERIT_NATURAL], 1e-9);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Every setting leads to the velocities that gs finds.
TEST(contact_admm_agrees_with_gs)
{
    static const char *const solvers[] = {"admm", "admm:floats=false", "admm:kappa=1", "admm:kappa=50,slip=1"};
    fil_context *context = fil_context_create(NULL);
    for (uint64_t seed = 1; seed <= 3; ++seed)
        for (int dofs = 0; dofs <= 4; dofs += dofs ? 1 : 3) {
            strands_def strands = small;
            strands.seed = seed;
            strands.dofs = dofs;
            fil_contact_problem *problem = problem_of_strands(context, &strands);
            double *r = impulse_of(problem), *u = impulse_of(problem), *expected = impulse_of(problem);
            fil_contact_def def = solver_def("gs", 1e-9);
            test_ok(context, fil_contact_solve(context, problem, &def, r, expected, NULL, NULL));
            for (int k = 0; k < 4; ++k) {
                fil_solve_stats stats;
                def = solver_def(solvers[k], 1e-8);
                test_ok(context, fil_contact_solve(context, problem, &def, r, u, NULL, &stats));
                ck_assert_msg(stats.outcome == FIL_SOLVED, "%s, seed %d: %s, residual %.2g", def.solver, (int)seed,
                              fil_outcome_name(stats.outcome), stats.residual[FIL_MERIT_NATURAL]);
                for (int m = 0; m < 3 * problem->contact_count; ++m)
                    ck_assert_msg(fabs(u[m] - expected[m]) <= 1e-6, "%s, seed %d: u[%d] %g, not %g", def.solver,
                                  (int)seed, m, u[m], expected[m]);
            }
            free(r);
            free(u);
            free(expected);
            fil_contact_problem_destroy(problem);
        }
    fil_context_destroy(context);
}

TEST(contact_admm_starts_warm)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *first = problem_of_hair(context, 78, FIL_HAIR_WAVY, 0.3, 0),
                        *next = problem_of_hair(context, 78, FIL_HAIR_WAVY, 0.3, 1);
    double *before = impulse_of(first), *cold = impulse_of(next), *warm = impulse_of(next);
    fil_contact_def def = solver_def("admm", 1e-4);
    fil_solve_stats cold_stats, warm_stats;
    test_ok(context, fil_contact_solve(context, first, &def, before, NULL, NULL, NULL));
    test_ok(context, fil_contact_solve(context, next, &def, cold, NULL, NULL, &cold_stats));
    test_ok(context, fil_contact_hair_carry(context, first, before, next, warm, NULL));
    def.warm = true;
    test_ok(context, fil_contact_solve(context, next, &def, warm, NULL, NULL, &warm_stats));
    ck_assert(cold_stats.outcome == FIL_SOLVED && warm_stats.outcome == FIL_SOLVED);
    ck_assert_msg(warm_stats.iterations < cold_stats.iterations, "warm %lld, cold %lld",
                  (long long)warm_stats.iterations, (long long)cold_stats.iterations);
    free(before);
    free(cold);
    free(warm);
    fil_contact_problem_destroy(first);
    fil_contact_problem_destroy(next);
    fil_context_destroy(context);
}

TEST(contact_admm_same_bits_on_any_number_of_threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_hair(context, 240, FIL_HAIR_STRAIGHT, 0.5, 0);
    fil_contact_def def = solver_def("admm", 1e-6);
    check_same_bits(context, problem, &def, FIL_SOLVED);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Two walls collide at the last contact: nothing helps, and it says so.
TEST(contact_admm_admits_what_it_cannot)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(context, &small);
    int last = problem->contact_count - 1;
    problem->H.side_start[last + 1] = problem->H.side_start[last];
    problem->w[(ptrdiff_t)3 * last] = -1;
    test_ok(context, fil_contact_problem_check(context, problem));
    double *r = impulse_of(problem);
    fil_contact_def def = solver_def("admm", 1e-6);
    fil_solve_stats stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_STALLED);
    ck_assert_msg(stats.iterations <= 20000, "%lld iterations", (long long)stats.iterations);
    ck_assert(impulse_finite(problem, r));
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status solve(fil_context *context, void *data)
{
    fil_contact_problem *problem = data;
    double *r = impulse_of(problem);
    fil_contact_def def = solver_def("admm", 1e-8);
    fil_status status = fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL);
    ck_assert(status == FIL_OK || r[0] == 0);
    free(r);
    return status;
}

TEST(contact_admm_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(context, &small);
    ck_assert_int_ge(test_failing_allocation(solve, problem), 5);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
