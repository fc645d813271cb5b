// Sparse block LU against a dense LU with pivoting, for random patterns; orderings, repeated use, singular pivots.
#include "numeric/block_lu.h"

#include "base/rng.h"
#include "failing_allocator.h"

#include <string.h>

enum { MOST = 80 };

// A matrix of blocks with symmetric pattern, sparse and dense.
typedef struct matrix {
    int n;
    int64_t start[MOST + 1];
    int column[MOST * MOST];
    double value[9 * MOST * MOST];
    double dense[9 * MOST * MOST]; // by columns
} matrix;

static matrix *make_matrix(fil_rng *rng, int n, double density, bool diagonal)
{
    static bool pattern[MOST][MOST];
    matrix *M = calloc(1, sizeof *M);
    ck_assert_ptr_nonnull(M);
    M->n = n;
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j)
            pattern[i][j] = pattern[j][i] = (i == j && diagonal) || fil_rng_uniform(rng, 0, 1) < density;
    int64_t count = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (!pattern[i][j])
                continue;
            for (int k = 0; k < 9; ++k) {
                // Unsymmetric numbers, strong diagonal: pivots in the blocks only must be enough.
                double entry = fil_rng_normal(rng) + (i == j && k % 4 == 0 ? 6 * sqrt(n * density + 1) : 0);
                M->value[9 * count + k] = entry;
                M->dense[(3 * i + k % 3) + 3 * n * (3 * j + k / 3)] = entry;
            }
            M->column[count++] = j;
        }
        M->start[i + 1] = count;
    }
    return M;
}

// |M x - y| relative to |y|, with the dense copy.
static double residual(const matrix *M, const double *x, const double *y)
{
    int size = 3 * M->n;
    double error = 0, scale = 0;
    for (int i = 0; i < size; ++i) {
        long double sum = -y[i];
        for (int j = 0; j < size; ++j)
            sum += (long double)M->dense[i + size * j] * x[j];
        error = fmax(error, (double)fabsl(sum));
        scale = fmax(scale, fabs(y[i]));
    }
    return error / scale;
}

static void assert_permutation(const fil_block_lu *lu)
{
    bool seen[MOST] = {false};
    for (int step = 0; step < lu->n; ++step) {
        ck_assert(lu->order[step] >= 0 && lu->order[step] < lu->n && !seen[lu->order[step]]);
        ck_assert_int_eq(lu->step_of[lu->order[step]], step);
        seen[lu->order[step]] = true;
    }
}

static void solve_random(fil_rng *rng, fil_block_lu *lu, const matrix *M)
{
    double x[3 * MOST], y[3 * MOST];
    for (int k = 0; k < 3 * M->n; ++k)
        x[k] = y[k] = fil_rng_normal(rng);
    fil_block_lu_solve(lu, x);
    double error = residual(M, x, y);
    ck_assert_msg(error <= 1e-12, "n = %d: residual %.3g", M->n, error);
}

TEST(block_lu_solves_random_patterns)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(61);
    fil_block_lu lu; // one for all: sizes go up and down
    test_ok(context, fil_block_lu_make(arena, MOST, &lu));
    static const double densities[] = {0, 0.02, 0.1, 0.4, 1};
    for (int k = 0; k < 60; ++k) {
        int n = k < 3 ? k + 1 : 1 + fil_rng_below(&rng, MOST);
        n = k == 10 ? 64 : k == 11 ? 65 : k == 12 ? MOST : n; // a word of bits, one more, all
        matrix *M = make_matrix(&rng, n, densities[k % 5], true);
        test_ok(context, fil_block_lu_analyse(&lu, n, M->start, M->column));
        assert_permutation(&lu);
        ck_assert(fil_block_lu_work(&lu) >= n);
        ck_assert(fil_block_lu_factor(&lu, M->start, M->column, M->value));
        solve_random(&rng, &lu, M);
        solve_random(&rng, &lu, M);
        free(M);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Another pattern and other numbers in the same factors.
TEST(block_lu_takes_one_pattern_after_another)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(62);
    fil_block_lu lu;
    test_ok(context, fil_block_lu_make(arena, MOST, &lu));
    matrix *both[2] = {make_matrix(&rng, 40, 0.1, true), make_matrix(&rng, 40, 0.15, true)};
    for (int k = 0; k < 3; ++k) {
        matrix *M = both[k % 2];
        test_ok(context, fil_block_lu_analyse(&lu, 40, M->start, M->column));
        assert_permutation(&lu);
        ck_assert(fil_block_lu_factor(&lu, M->start, M->column, M->value));
        solve_random(&rng, &lu, M);
    }
    free(both[0]);
    free(both[1]);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Least degree first: an arrow that points up fills everything in its natural order and nothing in the right one.
TEST(block_lu_orders_by_degree)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    enum { N = 50 };
    int64_t start[N + 1] = {0};
    int column[3 * N];
    int64_t count = 0;
    for (int i = 0; i < N; ++i) {
        if (i > 0)
            column[count++] = 0;
        for (int j = i; j < (i == 0 ? N : i + 1); ++j)
            column[count++] = j;
        start[i + 1] = count;
    }
    fil_block_lu lu;
    test_ok(context, fil_block_lu_make(arena, N, &lu));
    test_ok(context, fil_block_lu_analyse(&lu, N, start, column));
    ck_assert_int_eq(lu.u_start[N], N - 1);
    // The hub goes when one leaf is left, with which it ties.
    ck_assert_int_ge(lu.step_of[0], N - 2);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(block_lu_reports_singular_pivots)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(63);
    fil_block_lu lu;
    test_ok(context, fil_block_lu_make(arena, MOST, &lu));
    matrix *M = make_matrix(&rng, 10, 0, true);
    test_ok(context, fil_block_lu_analyse(&lu, 10, M->start, M->column));
    ck_assert(fil_block_lu_factor(&lu, M->start, M->column, M->value));
    double kept = M->value[9 * 4 + 4];
    for (int k = 0; k < 3; ++k)
        M->value[9 * 4 + 3 + k] = 2 * M->value[9 * 4 + k]; // two columns of one block are parallel
    ck_assert(!fil_block_lu_factor(&lu, M->start, M->column, M->value));
    M->value[9 * 4 + 4] = kept + 10;
    ck_assert(fil_block_lu_factor(&lu, M->start, M->column, M->value));
    M->value[9 * 9] = NAN;
    ck_assert(!fil_block_lu_factor(&lu, M->start, M->column, M->value));
    free(M);
    // A diagonal that is not stored is zero.
    int64_t start[3] = {0, 1, 2};
    int column[2] = {0, 0};
    double value[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    test_ok(context, fil_block_lu_analyse(&lu, 2, start, column));
    ck_assert(!fil_block_lu_factor(&lu, start, column, value));
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Fill can make a block where the matrix has none: [0 B; C 0]-like patterns need it to be regular.
TEST(block_lu_fills_missing_diagonals)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    int64_t start[3] = {0, 2, 3};
    int column[3] = {0, 1, 0};
    double value[27] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double x[6] = {3, 3, 3, 1, 1, 1};
    fil_block_lu lu;
    test_ok(context, fil_block_lu_make(arena, 2, &lu));
    test_ok(context, fil_block_lu_analyse(&lu, 2, start, column));
    ck_assert(fil_block_lu_factor(&lu, start, column, value));
    fil_block_lu_solve(&lu, x);
    for (int k = 0; k < 6; ++k)
        test_near(x[k], 1, 1e-15);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(block_lu_accepts_nothing)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_block_lu lu;
    int64_t start[1] = {0};
    test_ok(context, fil_block_lu_make(arena, 0, &lu));
    test_ok(context, fil_block_lu_analyse(&lu, 0, start, NULL));
    ck_assert(fil_block_lu_factor(&lu, start, NULL, NULL));
    fil_block_lu_solve(&lu, NULL);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

static fil_status analyse(fil_context *context, void *data)
{
    const matrix *M = data;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_block_lu lu;
    fil_status status = fil_block_lu_make(arena, MOST, &lu);
    if (status == FIL_OK)
        status = fil_block_lu_analyse(&lu, M->n, M->start, M->column);
    fil_arena_destroy(arena);
    return status;
}

TEST(block_lu_survives_failing_allocation)
{
    fil_rng rng = fil_rng_make(64);
    matrix *M = make_matrix(&rng, MOST, 1, true);
    ck_assert_int_ge(test_failing_allocation(analyse, M), 3);
    free(M);
}
