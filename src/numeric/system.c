// Cholesky factors of banded blocks, A = L Lᵀ: O(M B²) per body of M dofs and half-bandwidth B, so O(M³) when dense.
//
// Column j of L lies in M(j .. j + B), next to each other in memory; a dense block is a band of full width whose
// columns are cut at the end of the body.
#include "numeric/system.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

typedef struct factor_job {
    const fil_body_matrix *A;
    double *factor;
    int failed; // lowest body that is not positive definite, or body_count
} factor_job;

static int column_length(int dofs, int bandwidth, int column)
{
    int left = dofs - 1 - column;
    return left < bandwidth ? left : bandwidth;
}

static bool factor_body(int dofs, int bandwidth, double *L)
{
    int stride = bandwidth + 1;
    for (int j = 0; j < dofs; ++j) {
        double *column = L + (int64_t)j * stride;
        if (!(column[0] > 0))
            return false;
        double root = sqrt(column[0]), inverse = 1 / root;
        int length = column_length(dofs, bandwidth, j);
        column[0] = root;
        for (int k = 1; k <= length; ++k)
            column[k] *= inverse;
        // What column j takes from the columns behind it.
        for (int k = 1; k <= length; ++k) {
            double *target = L + (int64_t)(j + k) * stride, factor = column[k];
            for (int m = k; m <= length; ++m)
                target[m - k] -= factor * column[m];
        }
    }
    return true;
}

static void factor_bodies(void *data, int64_t begin, int64_t end)
{
    factor_job *job = data;
    const fil_body_matrix *A = job->A;
    for (int64_t body = begin; body < end; ++body) {
        int dofs = A->dof_start[body + 1] - A->dof_start[body];
        if (!factor_body(dofs, A->bandwidth[body], job->factor + A->value_start[body])) {
            // The lowest body wins, so that the sentence is the same on any number of threads.
            int seen = __atomic_load_n(&job->failed, __ATOMIC_RELAXED);
            while (body < seen && !__atomic_compare_exchange_n(&job->failed, &seen, (int)body, false, __ATOMIC_RELAXED,
                                                               __ATOMIC_RELAXED))
                continue;
        }
    }
}

fil_status fil_system_factor(fil_context *context, fil_arena *arena, const fil_body_matrix *A, fil_system *out)
{
    int64_t size = A->value_start[A->body_count];
    *out = (fil_system){.A = A, .factor = FIL_ARENA_RAW(arena, double, size)};
    if (!out->factor)
        return FIL_NO_MEMORY;
    memcpy(out->factor, A->value, (size_t)size * sizeof(double));
    factor_job job = {.A = A, .factor = out->factor, .failed = A->body_count};
    fil_parallel_for(context, A->body_count, 16, factor_bodies, &job);
    if (job.failed < A->body_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "A: body %d: the matrix is not positive definite", job.failed);
    return FIL_OK;
}

void fil_system_forward(const fil_system *system, int body, int first, double *x)
{
    const fil_body_matrix *A = system->A;
    int dofs = A->dof_start[body + 1] - A->dof_start[body], bandwidth = A->bandwidth[body];
    const double *L = system->factor + A->value_start[body];
    for (int j = first; j < dofs; ++j) {
        const double *column = L + (int64_t)j * (bandwidth + 1);
        double value = x[j] / column[0];
        x[j] = value;
        int length = column_length(dofs, bandwidth, j);
        for (int k = 1; k <= length; ++k)
            x[j + k] -= column[k] * value;
    }
}

void fil_system_backward(const fil_system *system, int body, double *x)
{
    const fil_body_matrix *A = system->A;
    int dofs = A->dof_start[body + 1] - A->dof_start[body], bandwidth = A->bandwidth[body];
    const double *L = system->factor + A->value_start[body];
    for (int j = dofs - 1; j >= 0; --j) {
        const double *column = L + (int64_t)j * (bandwidth + 1);
        double sum = x[j];
        int length = column_length(dofs, bandwidth, j);
        for (int k = 1; k <= length; ++k)
            sum -= column[k] * x[j + k];
        x[j] = sum / column[0];
    }
}
