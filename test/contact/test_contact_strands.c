// The form of strands: found where it is and only there; products, velocities and diagonals against the general road.
#include "contact/contact_strands.h"

#include "contact/contact_merit.h"
#include "failing_allocator.h"
#include "strands.h"

static const strands_def defs[] = {
    {.strands = 40, .contacts = 300, .least = 12, .most = 12, .dofs = 4, .seed = 1},
    {.strands = 40, .contacts = 300, .least = 12, .most = 12, .dofs = 3, .seed = 2},
    {.strands = 33, .contacts = 301, .least = 2, .most = 40, .dofs = 0, .seed = 3},
    {.strands = 1, .contacts = 5, .least = 9, .most = 9, .dofs = 4, .seed = 4},
    {.strands = 300, .contacts = 100, .least = 3, .most = 9, .dofs = 0, .bandwidth = 1, .seed = 5},
    {.strands = 9, .contacts = 17, .least = 12, .most = 30, .dofs = 3, .bandwidth = 20, .seed = 6},
};
enum { DEFS = sizeof defs / sizeof *defs };

static double largest(const double *x, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; ++k)
        most = fmax(most, fabs(x[k]));
    return most;
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; ++k) {
        double size = fabs(a[k] - b[k]);
        most = size <= most ? most : size;
    }
    return most;
}

static void fill_random(fil_rng *rng, double *x, int count)
{
    for (int k = 0; k < count; ++k)
        x[k] = fil_rng_normal(rng);
}

static double *numbers(int64_t count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

// W r + q in floats, with impulses and velocities in the given units.
static void multiply_in_floats(fil_contact_strands *S, fil_arena *arena, const double *r, double impulse,
                               double velocity, double *u)
{
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)S->blocks;
    double *blocked = numbers(size);
    float *x = calloc((size_t)size, sizeof *x), *q = calloc((size_t)size, sizeof *q);
    ck_assert_int_eq(FIL_OK, fil_contact_strands_add_float(S, arena, impulse, velocity));
    fil_contact_strands_block(S, r, blocked);
    for (int64_t k = 0; k < size; ++k) {
        x[k] = (float)(blocked[k] / impulse);
        q[k] = (float)(S->q[k] / velocity);
    }
    fil_contact_strands_product_float(S, x, q, x);
    for (int64_t k = 0; k < size; ++k)
        blocked[k] = velocity * x[k];
    fil_contact_strands_unblock(S, blocked, u);
    free(blocked);
    free(x);
    free(q);
}

TEST(contact_strands_products_agree_with_the_general_road)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(91);
    for (int d = 0; d < DEFS; ++d) {
        fil_contact_problem *problem = problem_of_strands(context, &defs[d]);
        int size = 3 * problem->contact_count, dofs = problem->A.dof_start[problem->A.body_count];
        double *r = impulse_of(problem), *u = impulse_of(problem), *expected = impulse_of(problem);
        double *v = numbers(dofs), *expected_v = numbers(dofs);
        fill_random(&rng, r, size);
        fil_contact_operator fast, general;
        test_ok(context, fil_contact_operator_make(context, arena, problem, false, &fast));
        test_ok(context, fil_contact_operator_make(context, arena, problem, true, &general));
        ck_assert_msg(fast.strands && !general.strands, "problem %d", d);
        fil_contact_operator_apply(&general, r, expected);
        fil_contact_operator_apply(&fast, r, u);
        double scale = largest(expected, size), error = largest_difference(u, expected, size);
        ck_assert_msg(error <= 1e-12 * scale, "problem %d: %g", d, error / scale);

        fil_contact_operator_velocity(&general, r, expected_v);
        fil_contact_operator_velocity(&fast, r, v);
        error = largest_difference(v, expected_v, dofs);
        ck_assert_msg(error <= 1e-12 * largest(expected_v, dofs), "problem %d: %g", d, error);

        multiply_in_floats(fast.strands, arena, r, 3e-9, 0.02, u);
        error = largest_difference(u, expected, size);
        ck_assert_msg(error > 0 && error <= 1e-6 * scale, "problem %d: floats %g", d, error / scale);
        free(r);
        free(u);
        free(expected);
        free(v);
        free(expected_v);
        fil_contact_problem_destroy(problem);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Against W itself, contact by contact; and the judge's scale on all three roads.
TEST(contact_strands_diagonal_is_that_of_W)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    for (int d = 0; d < DEFS; ++d) {
        fil_contact_problem *problem = problem_of_strands(context, &defs[d]);
        fil_contact_operator fast, general, dual;
        fil_contact_merit from_strands, from_bodies, from_W;
        test_ok(context, fil_contact_operator_make(context, arena, problem, false, &fast));
        test_ok(context, fil_contact_operator_make(context, arena, problem, true, &general));
        test_ok(context, fil_contact_merit_make(&fast, arena, &from_strands));
        test_ok(context, fil_contact_merit_make(&general, arena, &from_bodies));
        test_ok(context, fil_contact_problem_form_dual(context, problem));
        test_ok(context, fil_contact_operator_make(context, arena, problem, false, &dual));
        test_ok(context, fil_contact_merit_make(&dual, arena, &from_W));
        ck_assert(!dual.matrix_free);
        test_near(from_strands.rho / from_W.rho, 1, 1e-12);
        test_near(from_bodies.rho / from_W.rho, 1, 1e-12);
        test_near(from_strands.norm_q / from_W.norm_q, 1, 1e-12);

        double *dense = problem_dense(problem);
        size_t size = 3 * (size_t)problem->contact_count;
        for (int i = 0; i < problem->contact_count; ++i) {
            double trace = 0;
            for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; ++k)
                trace += dense[k + size * k];
            int place = fil_contact_strands_place(fast.strands, i);
            test_near(fast.strands->trace[place] / trace, 1, 1e-11);
        }
        free(dense);
        fil_contact_problem_destroy(problem);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

static bool is_found(fil_context *context, const fil_contact_problem *problem)
{
    fil_arena *arena = fil_arena_create(context);
    fil_contact_strands *S;
    test_ok(context, fil_contact_strands_make(context, arena, problem, &S));
    bool found = S != NULL;
    fil_arena_destroy(arena);
    return found;
}

TEST(contact_strands_are_found_only_where_they_are)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_bodies(context, 30, 2, 1, 7);
    ck_assert_msg(!is_found(context, problem), "rigid bodies");
    fil_contact_problem_destroy(problem);
    problem = problem_of_strands(context, &defs[0]);
    fil_contact_jacobian *H = &problem->H;
    ck_assert(is_found(context, problem));

    // One number of H at a time: of a frame, of an angle, of the second side.
    int i = 0;
    while (H->side_start[i + 1] - H->side_start[i] < 2 || H->dof_count[H->side_start[i] + 1] != 7)
        ++i;
    double *h = H->value + H->value_start[H->side_start[i] + 1];
    for (int k = 0; k < 21; ++k) {
        double kept = h[k];
        h[k] += 1e-9;
        ck_assert_msg(!is_found(context, problem), "number %d of a side", k);
        h[k] = kept;
    }
    // A frame that is not one: all of a contact stretched along its normal.
    for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side)
        for (int64_t k = H->value_start[side]; k < H->value_start[side + 1]; k += 3)
            H->value[k] *= 2;
    ck_assert_msg(!is_found(context, problem), "a stretched normal");
    for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side)
        for (int64_t k = H->value_start[side]; k < H->value_start[side + 1]; k += 3)
            H->value[k] /= 2;
    ck_assert(is_found(context, problem));

    // Other patterns: a side that moves five unknowns, a contact with three sides.
    H->dof_count[5] -= 2;
    ck_assert_msg(!is_found(context, problem), "a side of five unknowns");
    H->dof_count[5] += 2;
    int kept = H->side_start[i + 1];
    H->side_start[i + 1] = H->side_start[i] + 3;
    ck_assert_msg(!is_found(context, problem), "three sides");
    H->side_start[i + 1] = kept;

    // Not positive definite: the general road says which body.
    problem->A.value[problem->A.value_start[17]] = -1;
    ck_assert_msg(!is_found(context, problem), "an indefinite strand");
    double residual[FIL_MERIT_COUNT], *r = impulse_of(problem);
    test_fails(context, fil_contact_judge(context, problem, r, residual), FIL_BAD_INPUT,
               "A: body 17: the matrix is not positive definite");
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// No sides at all, on every contact or on some: nothing moves them.
TEST(contact_strands_without_sides)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_primal(context, 2, 1, 3, 3, 0, 0, &problem));
    problem->A.dof_start[1] = problem->A.value_start[1] = 3;
    for (int k = 0; k < 3; ++k)
        problem->A.value[k] = 1;
    problem->w[4] = 5;
    fil_arena *arena = fil_arena_create(context);
    fil_contact_operator op;
    double r[6] = {1, 2, 3, 4, 5, 6}, u[6];
    test_ok(context, fil_contact_operator_make(context, arena, problem, false, &op));
    fil_contact_operator_apply(&op, r, u);
    for (int k = 0; k < 6; ++k)
        ck_assert(u[k] == (k == 4 ? 5 : 0));
    fil_arena_destroy(arena);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_strands_same_bits_on_any_number_of_threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(92);
    fil_contact_problem *problem = problem_of_strands(
        context, &(strands_def){.strands = 400, .contacts = 5000, .least = 8, .most = 12, .dofs = 4, .seed = 7});
    int size = 3 * problem->contact_count;
    double *r = impulse_of(problem), *u[2][2];
    for (int k = 0; k < 4; ++k)
        u[k / 2][k % 2] = impulse_of(problem);
    fill_random(&rng, r, size);
    for (int threads = 1; threads <= 16; threads *= 2) {
        fil_arena *arena = fil_arena_create(context);
        fil_context_set_threads(context, threads);
        fil_contact_operator op;
        test_ok(context, fil_contact_operator_make(context, arena, problem, false, &op));
        ck_assert_ptr_nonnull(op.strands);
        fil_contact_operator_apply(&op, r, u[threads > 1][0]);
        multiply_in_floats(op.strands, arena, r, 1, 1, u[threads > 1][1]);
        for (int k = 0; k < 2 && threads > 1; ++k)
            ck_assert_msg(memcmp(u[0][k], u[1][k], (size_t)size * sizeof *r) == 0, "%d threads", threads);
        fil_arena_destroy(arena);
    }
    for (int k = 0; k < 4; ++k)
        free(u[k / 2][k % 2]);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status make(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_contact_strands *S;
    fil_status status = fil_contact_strands_make(context, arena, data, &S);
    ck_assert((status == FIL_OK) == (S != NULL));
    if (status == FIL_OK)
        status = fil_contact_strands_add_float(S, arena, 1, 1);
    fil_arena_destroy(arena);
    return status;
}

TEST(contact_strands_survive_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(
        context, &(strands_def){.strands = 200, .contacts = 2000, .least = 8, .most = 12, .dofs = 4, .seed = 7});
    ck_assert_int_ge(test_failing_allocation(make, problem), 5);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
