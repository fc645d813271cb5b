// u = W r + q in three storages: full, half, and without W.
#include "contact/contact_operator.h"

#include "failing_allocator.h"
#include "problems.h"

static void fill_random(fil_rng *rng, double *x, int count)
{
    for (int k = 0; k < count; ++k)
        x[k] = fil_rng_normal(rng);
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
        most = fmax(most, fabs(x[k]));
    return most;
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k) {
        double size = fabs(a[k] - b[k]);
        most = size <= most ? most : size;
    }
    return most;
}

TEST(contact_operator_full_half_and_matrix_free_agree)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(81);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        int n = 40, size = 3 * n;
        fil_contact_problem *problem = problem_dual(context, n, 1 + (int)seed % 3, 1, seed);
        for (int k = 0; k < size; ++k)
            problem->w[k] = 0;
        double *r = impulse_of(problem), *dense = problem_dense(problem), *u = impulse_of(problem),
               *free_u = impulse_of(problem), *expected = impulse_of(problem);
        fill_random(&rng, r, size);
        for (int i = 0; i < size; ++i) {
            long double sum = problem->q[i];
            for (int j = 0; j < size; ++j)
                sum += (long double)dense[i + size * j] * r[j];
            expected[i] = (double)sum;
        }
        double scale = largest(expected, size);
        fil_contact_operator full, matrix_free;
        test_ok(context, fil_contact_operator_make(context, arena, problem, false, &full));
        test_ok(context, fil_contact_operator_make(context, arena, problem, true, &matrix_free));
        ck_assert(!full.matrix_free && matrix_free.matrix_free);
        fil_contact_operator_apply(&full, r, u);
        ck_assert(largest_difference(u, expected, size) <= 1e-12 * scale);
        fil_contact_operator_apply(&matrix_free, r, free_u);
        ck_assert(largest_difference(free_u, expected, size) <= 1e-12 * scale);

        // Drop the lower half.
        fil_block_matrix *W = &problem->W;
        int64_t count = 0, begin = 0;
        for (int i = 0; i < n; ++i) {
            int64_t end = W->start[i + 1];
            for (int64_t k = begin; k < end; ++k)
                if (W->column[k] >= i) {
                    memmove(W->value + 9 * count, W->value + 9 * k, 9 * sizeof(double));
                    W->column[count++] = W->column[k];
                }
            begin = end;
            W->start[i + 1] = count;
        }
        W->half = true;
        fil_contact_operator_apply(&full, r, u);
        ck_assert(largest_difference(u, expected, size) <= 1e-12 * scale);
        free(r);
        free(dense);
        free(u);
        free(free_u);
        free(expected);
        fil_contact_problem_destroy(problem);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(contact_operator_same_bits_on_any_number_of_threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(82);
    fil_contact_problem *problem = problem_dual(context, 900, 2, 1, 7);
    int size = 3 * 900, dofs = problem->A.dof_start[problem->A.body_count];
    double *r = impulse_of(problem), *first = impulse_of(problem), *u = impulse_of(problem);
    double *v = calloc((size_t)dofs, sizeof *v), *first_v = calloc((size_t)dofs, sizeof *v);
    fill_random(&rng, r, size);
    for (int matrix_free = 0; matrix_free < 2; ++matrix_free)
        for (int threads = 1; threads <= 8; threads *= 2) {
            fil_context_set_threads(context, threads);
            fil_contact_operator op;
            test_ok(context, fil_contact_operator_make(context, arena, problem, matrix_free, &op));
            fil_contact_operator_apply(&op, r, threads == 1 ? first : u);
            if (matrix_free)
                fil_contact_operator_velocity(&op, r, threads == 1 ? first_v : v);
            if (threads == 1)
                continue;
            ck_assert(memcmp(first, u, (size_t)size * sizeof *u) == 0);
            ck_assert(!matrix_free || memcmp(first_v, v, (size_t)dofs * sizeof *v) == 0);
        }
    free(r);
    free(first);
    free(u);
    free(v);
    free(first_v);
    fil_contact_problem_destroy(problem);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(contact_operator_sides_by_body)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_contact_problem *problem = problem_of_bodies(context, 60, 2, 1, 7);
    int *start, *side, *contact, sides = problem->H.side_start[60];
    test_ok(context, fil_contact_sides_by_body(arena, problem, &start, &side, &contact));
    ck_assert_int_eq(start[0], 0);
    ck_assert_int_eq(start[problem->A.body_count], sides);
    for (int body = 0; body < problem->A.body_count; ++body)
        for (int k = start[body]; k < start[body + 1]; ++k) {
            ck_assert_int_eq(problem->H.body[side[k]], body);
            int i = contact[side[k]];
            ck_assert(problem->H.side_start[i] <= side[k] && side[k] < problem->H.side_start[i + 1]);
            ck_assert(k == start[body] || side[k - 1] < side[k]);
        }
    fil_contact_problem_destroy(problem);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

static fil_status make(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_contact_operator op;
    fil_status status = fil_contact_operator_make(context, arena, data, true, &op);
    fil_arena_destroy(arena);
    return status;
}

TEST(contact_operator_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_bodies(context, 2000, 1, 1, 7);
    ck_assert_int_ge(test_failing_allocation(make, problem), 3);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
