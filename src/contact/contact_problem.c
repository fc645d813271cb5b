// A contact problem: arrays with one owner, and the rules they must obey.
//
// Solvers trust what fil_contact_problem_check accepted, so every index, size and number is looked at here, once, with
// a sentence that names the array and the place.
#include "base/arena.h"
#include "base/parallel.h"
#include "contact/contact.h"
#include "math/simd.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static fil_status create_empty(fil_context *context, int contact_count, fil_contact_problem **out)
{
    *out = NULL;
    fil_arena *arena = fil_arena_borrow(context);
    fil_contact_problem *problem = arena ? FIL_ARENA_ARRAY(arena, fil_contact_problem, 1) : NULL;
    if (!problem) {
        fil_arena_give_back(arena);
        return FIL_NO_MEMORY;
    }
    problem->arena = arena;
    problem->contact_count = contact_count;
    problem->file_dim = 3;
    problem->mu = FIL_ARENA_ARRAY(arena, double, contact_count);
    if (!problem->mu) {
        fil_arena_give_back(arena);
        return FIL_NO_MEMORY;
    }
    *out = problem;
    return FIL_OK;
}

// Room for W and q in a problem that exists.
static fil_status add_dual(fil_contact_problem *problem, int64_t block_count)
{
    fil_arena *arena = problem->arena;
    int n = problem->contact_count;
    fil_block_matrix *W = &problem->W;
    W->rows = n;
    W->start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)n + 1);
    W->column = FIL_ARENA_ARRAY(arena, int, block_count);
    W->value = FIL_ARENA_ARRAY(arena, double, 9 * block_count + 4);
    problem->q = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    problem->has_dual = W->start && W->column && W->value && problem->q;
    return problem->has_dual ? FIL_OK : FIL_NO_MEMORY;
}

fil_status fil_contact_problem_create_dual(fil_context *context, int contact_count, int64_t block_count,
                                           fil_contact_problem **out)
{
    *out = NULL;
    if (contact_count < 0 || block_count < contact_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "a problem of %d contacts with %lld blocks cannot be",
                                contact_count, (long long)block_count);
    fil_contact_problem *problem;
    fil_status status = create_empty(context, contact_count, &problem);
    *out = NULL;
    if (status != FIL_OK)
        return status;
    status = add_dual(problem, block_count);
    if (status != FIL_OK) {
        fil_contact_problem_destroy(problem);
        return status;
    }
    *out = problem;
    return FIL_OK;
}

fil_status fil_contact_problem_create_raw(fil_context *context, int contact_count, int body_count, int dof_count,
                                          int64_t matrix_values, int side_count, int64_t jacobian_values,
                                          fil_contact_problem **out)
{
    *out = NULL;
    if (contact_count < 0 || body_count < 0 || dof_count < 0 || matrix_values < 0 || side_count < 0 ||
        jacobian_values < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "a problem cannot have a negative number of anything");
    fil_contact_problem *problem;
    fil_status status = create_empty(context, contact_count, &problem);
    *out = NULL;
    if (status != FIL_OK)
        return status;
    fil_arena *arena = problem->arena;
    fil_body_matrix *A = &problem->A;
    A->body_count = body_count;
    A->dof_start = FIL_ARENA_ARRAY(arena, int, (int64_t)body_count + 1);
    A->bandwidth = FIL_ARENA_ARRAY(arena, int, body_count);
    A->value_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)body_count + 1);
    A->value = FIL_ARENA_RAW(arena, double, matrix_values);
    fil_contact_jacobian *H = &problem->H;
    H->side_start = FIL_ARENA_ARRAY(arena, int, (int64_t)contact_count + 1);
    H->body = FIL_ARENA_ARRAY(arena, int, side_count);
    H->first_dof = FIL_ARENA_ARRAY(arena, int, side_count);
    H->dof_count = FIL_ARENA_ARRAY(arena, int, side_count);
    H->value_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)side_count + 1);
    H->value = FIL_ARENA_RAW(arena, double, jacobian_values + 4); // products read whole vectors
    problem->b = FIL_ARENA_ARRAY(arena, double, dof_count);
    problem->w = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)contact_count);
    problem->has_primal = A->dof_start && A->bandwidth && A->value_start && A->value && H->side_start && H->body &&
                          H->first_dof && H->dof_count && H->value_start && H->value && problem->b && problem->w;
    if (!problem->has_primal) {
        fil_contact_problem_destroy(problem);
        return FIL_NO_MEMORY;
    }
    memset(H->value + jacobian_values, 0, 4 * sizeof *H->value);
    *out = problem;
    return FIL_OK;
}

fil_status fil_contact_problem_create_primal(fil_context *context, int contact_count, int body_count, int dof_count,
                                             int64_t matrix_values, int side_count, int64_t jacobian_values,
                                             fil_contact_problem **out)
{
    fil_status status = fil_contact_problem_create_raw(context, contact_count, body_count, dof_count, matrix_values,
                                                       side_count, jacobian_values, out);
    if (status == FIL_OK) {
        memset((*out)->A.value, 0, (size_t)matrix_values * sizeof(double));
        memset((*out)->H.value, 0, (size_t)jacobian_values * sizeof(double));
    }
    return status;
}

void fil_contact_problem_destroy(fil_contact_problem *problem)
{
    if (problem)
        fil_arena_give_back(problem->arena);
}

typedef struct finite_job {
    const double *values;
    bool failed;
} finite_job;

// Sums of 0 × x, which are NaN where x is not finite.
static void scan_finite(void *data, int64_t begin, int64_t end)
{
    finite_job *job = data;
    fil_v4 sum = fil_v4_all(0);
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
        sum += 0 * fil_v4_load(job->values + i);
    for (; i < end; ++i)
        sum[0] += 0 * job->values[i];
    if (isnan(sum[0] + sum[1] + sum[2] + sum[3]))
        __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
}

// Matrices are large: a fast look first, and only where something is wrong the search for its place.
static fil_status check_finite(fil_context *context, const char *name, const double *values, int64_t count)
{
    finite_job job = {.values = values};
    fil_parallel_for(context, count, 1 << 16, scan_finite, &job);
    if (!job.failed)
        return FIL_OK;
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s[%lld]: must be a finite number (got %g)", name,
                                    (long long)i, values[i]);
    return FIL_OK;
}

static fil_status check_dual(fil_context *context, const fil_contact_problem *problem)
{
    const fil_block_matrix *W = &problem->W;
    int n = problem->contact_count;
    if (W->rows != n)
        return fil_context_fail(context, FIL_BAD_INPUT, "W: has %d block rows for %d contacts", W->rows, n);
    if (W->start[0] != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "W.start[0]: must be 0 (got %lld)", (long long)W->start[0]);
    for (int i = 0; i < n; ++i) {
        if (W->start[i + 1] < W->start[i])
            return fil_context_fail(context, FIL_BAD_INPUT, "W.start[%d]: must not fall", i + 1);
        bool diagonal = false;
        int previous = W->half ? i - 1 : -1;
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            if (j <= previous || j >= n)
                return fil_context_fail(context, FIL_BAD_INPUT,
                                        "W: row %d: columns must ascend and lie below %d (got %d)", i, n, j);
            diagonal |= j == i;
            previous = j;
        }
        if (!diagonal)
            return fil_context_fail(context, FIL_BAD_INPUT, "W: row %d: the diagonal block is missing", i);
    }
    fil_status status = check_finite(context, "W", W->value, 9 * W->start[n]);
    return status == FIL_OK ? check_finite(context, "q", problem->q, 3 * (int64_t)n) : status;
}

static fil_status check_bodies(fil_context *context, const fil_contact_problem *problem)
{
    const fil_body_matrix *A = &problem->A;
    if (A->dof_start[0] != 0 || A->value_start[0] != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "A: the first body must start at 0");
    for (int body = 0; body < A->body_count; ++body) {
        int64_t dofs = (int64_t)A->dof_start[body + 1] - A->dof_start[body];
        int64_t bandwidth = A->bandwidth[body];
        if (dofs < 1 || bandwidth < 0 || bandwidth >= dofs)
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "A: body %d: %lld dofs with half-bandwidth %lld (allowed: 0 to dofs - 1)", body,
                                    (long long)dofs, (long long)bandwidth);
        if (A->value_start[body + 1] - A->value_start[body] != dofs * (bandwidth + 1))
            return fil_context_fail(context, FIL_BAD_INPUT, "A: body %d: holds %lld numbers, needs %lld", body,
                                    (long long)(A->value_start[body + 1] - A->value_start[body]),
                                    (long long)(dofs * (bandwidth + 1)));
    }
    fil_status status = check_finite(context, "A", A->value, A->value_start[A->body_count]);
    return status == FIL_OK ? check_finite(context, "b", problem->b, A->dof_start[A->body_count]) : status;
}

static fil_status check_sides(fil_context *context, const fil_contact_problem *problem)
{
    const fil_contact_jacobian *H = &problem->H;
    const fil_body_matrix *A = &problem->A;
    int n = problem->contact_count;
    if (H->side_start[0] != 0 || H->value_start[0] != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "H: the first side must start at 0");
    for (int i = 0; i < n; ++i)
        if (H->side_start[i + 1] < H->side_start[i])
            return fil_context_fail(context, FIL_BAD_INPUT, "H.side_start[%d]: must not fall", i + 1);
    for (int side = 0; side < H->side_start[n]; ++side) {
        int body = H->body[side];
        if (body < 0 || body >= A->body_count)
            return fil_context_fail(context, FIL_BAD_INPUT, "H: side %d: body %d of %d does not exist", side, body,
                                    A->body_count);
        int64_t dofs = (int64_t)A->dof_start[body + 1] - A->dof_start[body];
        int64_t first = H->first_dof[side], count = H->dof_count[side];
        if (first < 0 || count < 0 || first + count > dofs)
            return fil_context_fail(context, FIL_BAD_INPUT, "H: side %d: dofs %lld to %lld of a body with %lld", side,
                                    (long long)first, (long long)(first + count), (long long)dofs);
        if (H->value_start[side + 1] - H->value_start[side] != 3 * count)
            return fil_context_fail(context, FIL_BAD_INPUT, "H: side %d: holds %lld numbers, needs %lld", side,
                                    (long long)(H->value_start[side + 1] - H->value_start[side]),
                                    (long long)(3 * count));
    }
    fil_status status = check_finite(context, "H", H->value, H->value_start[H->side_start[n]]);
    return status == FIL_OK ? check_finite(context, "w", problem->w, 3 * (int64_t)n) : status;
}

fil_status fil_contact_problem_check(fil_context *context, const fil_contact_problem *problem)
{
    for (int i = 0; i < problem->contact_count; ++i)
        if (!(problem->mu[i] >= 0) || !isfinite(problem->mu[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "mu[%d]: must be a finite number >= 0 (got %g)", i,
                                    problem->mu[i]);
    fil_status status = FIL_OK;
    if (problem->has_primal) {
        status = check_bodies(context, problem);
        if (status == FIL_OK)
            status = check_sides(context, problem);
    }
    if (status == FIL_OK && problem->has_dual)
        status = check_dual(context, problem);
    return status;
}
