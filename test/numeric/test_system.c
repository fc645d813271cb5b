// Cholesky of banded and dense bodies against a plain dense solve; what happens when one is not positive definite.
#include "numeric/system.h"

#include "base/rng.h"
#include "failing_allocator.h"

#include <stdio.h>
#include <string.h>

enum { BODIES = 12, MOST_DOFS = 40 };

typedef struct bodies {
    fil_body_matrix A;
    int dof_start[BODIES + 1], bandwidth[BODIES];
    int64_t value_start[BODIES + 1];
    double value[BODIES * MOST_DOFS * MOST_DOFS];
    double dense[BODIES][MOST_DOFS * MOST_DOFS]; // the same, full, by columns
} bodies;

// Sizes 1 to 40, bandwidths from diagonal to dense; diagonally dominant, so positive definite.
static bodies *make_bodies(uint64_t seed)
{
    bodies *all = calloc(1, sizeof *all);
    ck_assert_ptr_nonnull(all);
    fil_rng rng = fil_rng_make(seed);
    static const int dofs[BODIES] = {1, 2, 3, 6, 6, 7, 16, 16, 40, 40, 40, 5},
                     bands[BODIES] = {0, 1, 0, 5, 2, 6, 3, 15, 39, 10, 0, 4};
    for (int body = 0; body < BODIES; ++body) {
        int n = dofs[body], band = bands[body];
        all->dof_start[body + 1] = all->dof_start[body] + n;
        all->bandwidth[body] = band;
        all->value_start[body + 1] = all->value_start[body] + (int64_t)n * (band + 1);
        double *value = all->value + all->value_start[body], scale = pow(10, fil_rng_uniform(&rng, -6, 6));
        for (int j = 0; j < n; ++j)
            for (int k = 0; k <= band && j + k < n; ++k) {
                double entry = scale * (k == 0 ? 2 * band + 1 + fil_rng_uniform(&rng, 0, 1) : fil_rng_normal(&rng));
                value[j * (band + 1) + k] = entry;
                all->dense[body][j + k + n * j] = all->dense[body][j + n * (j + k)] = entry;
            }
    }
    all->A = (fil_body_matrix){.body_count = BODIES,
                               .dof_start = all->dof_start,
                               .bandwidth = all->bandwidth,
                               .value_start = all->value_start,
                               .value = all->value};
    return all;
}

// Gauss with partial pivoting on a copy, in long double.
static void dense_solve(int n, const double *M, double *x)
{
    static long double a[MOST_DOFS][MOST_DOFS + 1];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            a[i][j] = M[i + n * j];
        a[i][n] = x[i];
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(a[i][k]) > fabsl(a[pivot][k]))
                pivot = i;
        for (int j = 0; j <= n; ++j) {
            long double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int i = k + 1; i < n; ++i) {
            long double factor = a[i][k] / a[k][k];
            for (int j = k; j <= n; ++j)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        long double sum = a[i][n];
        for (int j = i + 1; j < n; ++j)
            sum -= a[i][j] * x[j];
        x[i] = (double)(sum / a[i][i]);
    }
}

TEST(system_solves_like_a_dense_solver)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        bodies *all = make_bodies(seed);
        fil_rng rng = fil_rng_make(seed + 100);
        fil_system system;
        test_ok(context, fil_system_factor(context, arena, &all->A, &system));
        for (int body = 0; body < BODIES; ++body) {
            int n = all->dof_start[body + 1] - all->dof_start[body];
            double x[MOST_DOFS], y[MOST_DOFS], size = 0;
            for (int k = 0; k < n; ++k)
                x[k] = y[k] = fil_rng_normal(&rng);
            dense_solve(n, all->dense[body], y);
            fil_system_forward(&system, body, 0, x);
            fil_system_backward(&system, body, x);
            for (int k = 0; k < n; ++k)
                size = fmax(size, fabs(y[k]));
            for (int k = 0; k < n; ++k)
                ck_assert_msg(fabs(x[k] - y[k]) <= 1e-13 * size, "body %d: x[%d] = %g, dense %g", body, k, x[k], y[k]);
        }
        free(all);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Leading zeros of the right-hand side may be skipped and stay zero.
TEST(system_forward_may_start_at_the_first_nonzero)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    bodies *all = make_bodies(1);
    fil_system system;
    test_ok(context, fil_system_factor(context, arena, &all->A, &system));
    for (int body = 0; body < BODIES; ++body) {
        int n = all->dof_start[body + 1] - all->dof_start[body];
        double x[MOST_DOFS] = {0}, y[MOST_DOFS] = {0};
        for (int k = n / 2; k < n; ++k)
            x[k] = y[k] = k + 1;
        fil_system_forward(&system, body, 0, x);
        fil_system_forward(&system, body, n / 2, y);
        ck_assert(memcmp(x, y, sizeof x) == 0);
    }
    free(all);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// A itself is not changed, so that a problem can be factored again.
TEST(system_leaves_the_matrix_alone)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    bodies *all = make_bodies(2), *same = make_bodies(2);
    fil_system system;
    test_ok(context, fil_system_factor(context, arena, &all->A, &system));
    ck_assert(memcmp(all->value, same->value, sizeof all->value) == 0);
    free(all);
    free(same);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(system_names_the_first_body_that_is_not_positive_definite)
{
    for (int threads = 1; threads <= 8; threads *= 2) {
        fil_context *context = fil_context_create(NULL);
        fil_context_set_threads(context, threads);
        fil_arena *arena = fil_arena_create(context);
        bodies *all = make_bodies(3);
        fil_system system;
        all->value[all->value_start[7]] = -1;
        all->value[all->value_start[4]] = 0;
        test_fails(context, fil_system_factor(context, arena, &all->A, &system), FIL_BAD_INPUT,
                   "A: body 4: the matrix is not positive definite");
        // Indefinite although its diagonal is positive.
        free(all);
        all = make_bodies(3);
        double *value = all->value + all->value_start[1];
        value[0] = value[2] = 1;
        value[1] = 2;
        test_fails(context, fil_system_factor(context, arena, &all->A, &system), FIL_BAD_INPUT,
                   "A: body 1: the matrix is not positive definite");
        value[0] = NAN;
        test_fails(context, fil_system_factor(context, arena, &all->A, &system), FIL_BAD_INPUT,
                   "A: body 1: the matrix is not positive definite");
        free(all);
        fil_arena_destroy(arena);
        fil_context_destroy(context);
    }
}

// Strands of one shape are factored four at a time: with the same bits as alone. What is not positive definite is
// named, wherever it stands among the four.
enum { ALIKE = 7, ALIKE_DOFS = 36 };

static void check_alike(fil_context *context, int bandwidth)
{
    static double value[ALIKE * ALIKE_DOFS * 12];
    int dof_start[ALIKE + 1], bands[ALIKE], size = ALIKE_DOFS * (bandwidth + 1);
    int64_t value_start[ALIKE + 1];
    fil_rng rng = fil_rng_make((uint64_t)bandwidth);
    for (int body = 0; body <= ALIKE; ++body) {
        dof_start[body] = body * ALIKE_DOFS;
        value_start[body] = (int64_t)body * size;
        bands[body < ALIKE ? body : 0] = bandwidth;
    }
    for (int k = 0; k < ALIKE * size; ++k)
        value[k] = k % (bandwidth + 1) == 0 ? 25 + fil_rng_uniform(&rng, 0, 1) : fil_rng_normal(&rng);
    fil_body_matrix all = {ALIKE, dof_start, bands, value_start, value};
    fil_arena *arena = fil_arena_create(context);
    fil_system together, alone;
    test_ok(context, fil_system_factor(context, arena, &all, &together));
    for (int body = 0; body < ALIKE; ++body) {
        fil_body_matrix one = {1, dof_start, bands, value_start, value + value_start[body]};
        test_ok(context, fil_system_factor(context, arena, &one, &alone));
        int different = 0;
        for (int j = 0; j < ALIKE_DOFS; ++j)
            for (int k = 0; k <= bandwidth && j + k < ALIKE_DOFS; ++k) {
                int at = j * (bandwidth + 1) + k;
                different += together.factor[value_start[body] + at] != alone.factor[at];
            }
        ck_assert_int_eq(different, 0);
    }
    for (int body = ALIKE - 1; body >= 0; --body) {
        char sentence[80];
        value[value_start[body] + 5 * (bandwidth + 1)] = -1;
        snprintf(sentence, sizeof sentence, "A: body %d: the matrix is not positive definite", body);
        test_fails(context, fil_system_factor(context, arena, &all, &together), FIL_BAD_INPUT, sentence);
    }
    fil_arena_destroy(arena);
}

TEST(system_factors_strands_side_by_side_as_one_by_one)
{
    fil_context *context = fil_context_create(NULL);
    check_alike(context, 10);
    check_alike(context, 11);
    fil_context_destroy(context);
}

static fil_status factor(fil_context *context, void *data)
{
    bodies *all = data;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_system system;
    fil_status status = fil_system_factor(context, arena, &all->A, &system);
    fil_arena_destroy(arena);
    return status;
}

TEST(system_survives_failing_allocation)
{
    bodies *all = make_bodies(4);
    ck_assert_int_ge(test_failing_allocation(factor, all), 2);
    free(all);
}
