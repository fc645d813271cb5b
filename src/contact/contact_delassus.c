// The Delassus operator W = H A⁻¹ Hᵀ and q = w + H A⁻¹ b in blocks [Daviet11, 6.2].
//
//   A = L Lᵀ per body,   Z_s = L⁻¹ H_sᵀ per side,   W_ij = sum of Z_sᵀ Z_t over the sides s of i and t of j on one body
//
// O(N M³ + η M) for N bodies of M dofs and η blocks. Only j >= i is computed; the other half is copied, so W is
// symmetric to the last bit. Parallel over bodies, sides and rows; every row is written by one thread in a fixed order.
#include "base/parallel.h"
#include "contact/contact_operator.h"
#include "math/mat3.h"

#include <string.h>

typedef struct assembly {
    fil_contact_problem *problem;
    fil_contact_operator op; // the factors of A and the sides of each body
    int64_t *z_start;        // [sides + 1]
    double *Z;               // 3 × dofs of the body, by columns, per side
} assembly;

static int body_dofs(const fil_contact_problem *problem, int body)
{
    return problem->A.dof_start[body + 1] - problem->A.dof_start[body];
}

// Z = L⁻¹ Hᵀ, the three right-hand sides of one side solved together.
static void solve_side(const assembly *job, int side)
{
    const fil_contact_problem *problem = job->problem;
    const fil_contact_jacobian *H = &problem->H;
    int body = H->body[side], dofs = body_dofs(problem, body), bandwidth = problem->A.bandwidth[body];
    int first = H->first_dof[side];
    double *Z = job->Z + job->z_start[side];
    memcpy(Z + 3 * first, H->value + H->value_start[side], 3 * (size_t)H->dof_count[side] * sizeof *Z);
    const double *L = job->op.system.factor + problem->A.value_start[body];
    for (int j = first; j < dofs; ++j) {
        const double *column = L + (int64_t)j * (bandwidth + 1);
        double inverse = 1 / column[0];
        double z[3] = {Z[3 * j] * inverse, Z[3 * j + 1] * inverse, Z[3 * j + 2] * inverse};
        memcpy(Z + 3 * j, z, sizeof z);
        int length = dofs - 1 - j < bandwidth ? dofs - 1 - j : bandwidth;
        for (int k = 1; k <= length; ++k) {
            double *target = Z + 3 * (j + k);
            target[0] -= column[k] * z[0];
            target[1] -= column[k] * z[1];
            target[2] -= column[k] * z[2];
        }
    }
}

static void solve_sides(void *data, int64_t begin, int64_t end)
{
    for (int64_t side = begin; side < end; ++side)
        solve_side(data, (int)side);
}

// The contacts that share a body with contact i, ascending, without repeats. `contacts` may be NULL: count only.
static int64_t neighbours(const assembly *job, int i, int *contacts)
{
    const fil_contact_jacobian *H = &job->problem->H;
    int first = H->side_start[i], last = H->side_start[i + 1];
    int64_t count = 0;
    int previous = -1;
    // Merge the sorted lists of the bodies; a contact has few sides, so looking at each list head is cheap.
    for (bool diagonal_missing = true;;) {
        int nearest = INT32_MAX;
        for (int s = first; s < last; ++s) {
            int low = job->op.body_start[H->body[s]], high = job->op.body_start[H->body[s] + 1];
            // The first side of this body with a contact above `previous`.
            while (low < high) {
                int middle = low + (high - low) / 2;
                if (job->op.side_contact[job->op.body_side[middle]] > previous)
                    high = middle;
                else
                    low = middle + 1;
            }
            if (low < job->op.body_start[H->body[s] + 1]) {
                int contact = job->op.side_contact[job->op.body_side[low]];
                nearest = contact < nearest ? contact : nearest;
            }
        }
        if (diagonal_missing && previous < i && nearest > i)
            nearest = i; // a contact without sides still has its diagonal
        if (nearest == INT32_MAX)
            return count;
        diagonal_missing &= nearest != i;
        if (contacts)
            contacts[count] = nearest;
        ++count;
        previous = nearest;
    }
}

typedef struct row_job {
    assembly *job;
    int64_t *start;
} row_job;

static void count_rows(void *data, int64_t begin, int64_t end)
{
    row_job *rows = data;
    for (int64_t i = begin; i < end; ++i)
        rows->start[i + 1] = neighbours(rows->job, (int)i, NULL);
}

// block += Z_sᵀ Z_t, over the dofs where both are non-zero.
static void add_pair(const assembly *job, int s, int t, double block[9])
{
    const fil_contact_jacobian *H = &job->problem->H;
    int dofs = body_dofs(job->problem, H->body[s]);
    int first = H->first_dof[s] > H->first_dof[t] ? H->first_dof[s] : H->first_dof[t];
    const double *a = job->Z + job->z_start[s], *b = job->Z + job->z_start[t];
    for (int d = first; d < dofs; ++d)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                block[i + 3 * j] += a[3 * d + i] * b[3 * d + j];
}

static void fill_rows(void *data, int64_t begin, int64_t end)
{
    row_job *rows = data;
    assembly *job = rows->job;
    fil_block_matrix *W = &job->problem->W;
    const fil_contact_jacobian *H = &job->problem->H;
    for (int64_t i = begin; i < end; ++i) {
        neighbours(job, (int)i, W->column + W->start[i]);
        for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s) {
            int64_t k = W->start[i];
            for (int m = job->op.body_start[H->body[s]]; m < job->op.body_start[H->body[s] + 1]; ++m) {
                int t = job->op.body_side[m], j = job->op.side_contact[t];
                if (j < i)
                    continue;
                while (W->column[k] < j)
                    ++k;
                add_pair(job, s, t, W->value + 9 * k);
            }
        }
    }
}

// The lower half from the upper: W_ij = W_jiᵀ. Diagonal blocks too: with two sides on one body their sums run in
// another order above and below the diagonal.
static void mirror_rows(void *data, int64_t begin, int64_t end)
{
    fil_block_matrix *W = &((row_job *)data)->job->problem->W;
    for (int64_t i = begin; i < end; ++i) {
        int64_t k = W->start[i];
        for (; W->column[k] < i; ++k) {
            int j = W->column[k];
            int64_t low = W->start[j], high = W->start[j + 1];
            while (low < high) {
                int64_t middle = low + (high - low) / 2;
                if (W->column[middle] < i)
                    low = middle + 1;
                else
                    high = middle;
            }
            const double *from = W->value + 9 * low;
            double *to = W->value + 9 * k;
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 3; ++column)
                    to[row + 3 * column] = from[column + 3 * row];
        }
        double *own = W->value + 9 * k;
        own[1] = own[3];
        own[2] = own[6];
        own[5] = own[7];
    }
}

static fil_status prepare(fil_context *context, fil_arena *scratch, fil_contact_problem *problem, assembly *job)
{
    *job = (assembly){.problem = problem};
    fil_status status = fil_contact_operator_make(context, scratch, problem, true, &job->op);
    if (status != FIL_OK)
        return status;
    int sides = problem->H.side_start[problem->contact_count];
    job->z_start = FIL_ARENA_ARRAY(scratch, int64_t, (int64_t)sides + 1);
    if (!job->z_start)
        return FIL_NO_MEMORY;
    for (int side = 0; side < sides; ++side)
        job->z_start[side + 1] = job->z_start[side] + 3 * (int64_t)body_dofs(problem, problem->H.body[side]);
    job->Z = FIL_ARENA_ARRAY(scratch, double, job->z_start[sides]);
    if (!job->Z)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, sides, 64, solve_sides, job);
    return FIL_OK;
}

static fil_status assemble(fil_context *context, fil_arena *scratch, fil_contact_problem *problem, assembly *job)
{
    int n = problem->contact_count;
    fil_block_matrix *W = &problem->W;
    *W = (fil_block_matrix){.rows = n, .start = FIL_ARENA_ARRAY(problem->arena, int64_t, (int64_t)n + 1)};
    problem->q = FIL_ARENA_ARRAY(problem->arena, double, 3 * (int64_t)n);
    double *zero = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)n);
    if (!W->start || !problem->q || !zero)
        return FIL_NO_MEMORY;
    row_job rows = {.job = job, .start = W->start};
    fil_parallel_for(context, n, 64, count_rows, &rows);
    for (int i = 0; i < n; ++i)
        W->start[i + 1] += W->start[i];
    W->column = FIL_ARENA_ARRAY(problem->arena, int, W->start[n]);
    W->value = FIL_ARENA_ARRAY(problem->arena, double, 9 * W->start[n] + 4);
    if (!W->column || !W->value)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, n, 64, fill_rows, &rows);
    fil_parallel_for(context, n, 64, mirror_rows, &rows);

    // q is the velocity without impulses.
    fil_contact_operator_apply(&job->op, zero, problem->q);
    return FIL_OK;
}

fil_status fil_contact_problem_form_dual(fil_context *context, fil_contact_problem *problem)
{
    if (problem->has_dual)
        return FIL_OK;
    FIL_ASSERT(problem->has_primal);
    fil_arena *scratch = fil_arena_create(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    assembly job;
    fil_status status = prepare(context, scratch, problem, &job);
    if (status == FIL_OK)
        status = assemble(context, scratch, problem, &job);
    fil_arena_destroy(scratch);
    problem->has_dual = status == FIL_OK;
    return status;
}
