// The proof that a problem has no solution, and what the caller is told.
#include "contact/contact_certificate.h"

#include "base/arena.h"
#include "problems.h"

// A body of three dofs between two walls with opposite normals, each closing in with `speed`.
static fil_contact_problem *wedge(fil_context *context, double speed)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_primal(context, 2, 1, 3, 9, 2, 18, &problem));
    problem->A.dof_start[1] = 3;
    problem->A.bandwidth[0] = 2;
    problem->A.value_start[1] = 9;
    for (int k = 0; k < 3; ++k)
        problem->A.value[3 * k] = 2;
    for (int side = 0; side < 2; ++side) {
        problem->H.side_start[side + 1] = side + 1;
        problem->H.dof_count[side] = 3;
        problem->H.value_start[side + 1] = 9 * (side + 1);
        problem->H.value[9 * side] = side ? -1 : 1;
        problem->H.value[9 * side + 4] = problem->H.value[9 * side + 8] = 1;
        problem->mu[side] = 0.5;
        problem->w[3 * side] = side ? -speed : -1;
    }
    return problem;
}

static fil_outcome outcome_of(fil_context *context, fil_contact_problem *problem, double *r)
{
    fil_contact_def def = fil_contact_def_default();
    fil_solve_stats stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    return stats.outcome;
}

TEST(contact_certificate_of_closing_walls)
{
    fil_context *context = fil_context_create(NULL);
    double r[6];
    fil_contact_problem *closing = wedge(context, 1);
    ck_assert_int_eq(outcome_of(context, closing, r), FIL_NO_SOLUTION);
    ck_assert(impulse_finite(closing, r));
    fil_contact_problem_destroy(closing);

    // The same walls, one retreating faster than the other comes: a solution exists, and nothing is proven.
    fil_contact_problem *opening = wedge(context, -2);
    ck_assert_int_eq(outcome_of(context, opening, r), FIL_SOLVED);
    fil_arena *scratch = fil_arena_create(context);
    ck_assert_int_eq(fil_contact_certificate_search(opening, scratch), FIL_CERTIFICATE_NONE);
    fil_arena_destroy(scratch);
    fil_contact_problem_destroy(opening);
    fil_context_destroy(context);
}

TEST(contact_certificate_of_a_contact_that_nothing_moves)
{
    fil_context *context = fil_context_create(NULL);
    const double q[3] = {-1, 0, 0};
    double r[3];
    fil_contact_problem *problem = problem_single(context, 0, q, 0.3);
    ck_assert_int_eq(outcome_of(context, problem, r), FIL_NO_SOLUTION);
    ck_assert_double_eq(r[0], 0);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// A proof must never be found where there is a solution.
TEST(contact_certificate_is_never_false)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *scratch = fil_arena_create(context);
    int proven = 0;
    for (int seed = 0; seed < 60; ++seed) {
        fil_contact_problem *problem = problem_dual(context, 10 + seed, 1 + seed % 3, 1, 7000 + (uint64_t)seed);
        proven += fil_contact_certificate_search(problem, scratch) == FIL_CERTIFICATE_FOUND;
        fil_contact_problem_destroy(problem);
    }
    ck_assert_int_eq(proven, 0);
    fil_arena_destroy(scratch);
    fil_context_destroy(context);
}
