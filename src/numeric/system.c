// Cholesky factors of banded blocks, A = L Lᵀ: O(M B²) per body of M dofs and half-bandwidth B, so O(M³) when dense.
//
// Column j of L lies in M(j .. j + B), next to each other in memory; a dense block is a band of full width whose
// columns are cut at the end of the body.
//
// Four strands of one shape in a row are factored side by side: the same operations on the same numbers in the same
// order, so the bits do not depend on who the neighbours are. Bandwidths 10 and 11 (strands with 4 and with 3 unknowns
// per vertex) are compiled with the bandwidth as a constant; the columns in reach wait in a ring in the first cache.
#include "numeric/system.h"

#include "base/parallel.h"
#include "math/simd.h"
#include "numeric/unroll.h"

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

// ---- four bodies side by side

// RING: a power of two above each bandwidth that is compiled as a constant.
enum { LANES = 4, RING = 16 };

// Column j of four bodies, `size` numbers each apart, into its place in the ring. What it takes from the B columns
// before it, the oldest first, as those would have given it one after the other.
INLINE fil_m4 factor_column_of_four(int B, int j, int64_t size, const double *column, fil_v4 ring[][RING])
{
    fil_v4 u[RING];
    UNROLL
    for (int i = 0; i <= B; ++i)
        u[i] = (fil_v4){column[i], column[size + i], column[2 * size + i], column[3 * size + i]};
    UNROLL
    for (int back = B; back >= 1; --back) {
        const fil_v4 *L = ring[(j - back) & (RING - 1)] + back; // L(j, j - back) and below
        UNROLL
        for (int i = 0; i <= B - back; ++i)
            u[i] -= L[0] * L[i];
    }
    fil_v4 root = fil_v4_sqrt(u[0]), inverse = 1 / root;
    fil_v4 *own = ring[j & (RING - 1)];
    own[0] = root;
    UNROLL
    for (int i = 1; i <= B; ++i)
        own[i] = u[i] * inverse;
    return u[0] > 0;
}

// Returns which of the four are positive definite. Numbers below the last row are computed, but not kept: they have no
// influence on the others.
INLINE fil_m4 factor_four_constant(int B, int dofs, const double *A, double *L)
{
    int64_t size = (int64_t)dofs * (B + 1);
    fil_v4 ring[RING][RING] = {0};
    fil_m4 positive = {-1, -1, -1, -1};
    for (int j = 0; j < dofs; ++j) {
        positive &= factor_column_of_four(B, j, size, A + (int64_t)j * (B + 1), ring);
        double *column = L + (int64_t)j * (B + 1);
        int length = column_length(dofs, B, j);
        for (int i = 0; i <= length; ++i)
            for (int lane = 0; lane < LANES; ++lane)
                column[lane * size + i] = ring[j & (RING - 1)][i][lane];
    }
    return positive;
}

static fil_m4 factor_four(int dofs, int bandwidth, const double *A, double *L)
{
    return bandwidth == 10 ? factor_four_constant(10, dofs, A, L) : factor_four_constant(11, dofs, A, L);
}

static bool are_alike(const fil_body_matrix *A, int64_t body, int64_t end)
{
    if (end - body < LANES || (A->bandwidth[body] != 10 && A->bandwidth[body] != 11))
        return false;
    int dofs = A->dof_start[body + 1] - A->dof_start[body];
    for (int64_t other = body + 1; other < body + LANES; ++other)
        if (A->bandwidth[other] != A->bandwidth[body] || A->dof_start[other + 1] - A->dof_start[other] != dofs)
            return false;
    return true;
}

// ---- all bodies

// The lowest body wins, so that the sentence is the same on any number of threads.
static void note_failure(factor_job *job, int body)
{
    int seen = __atomic_load_n(&job->failed, __ATOMIC_RELAXED);
    while (body < seen &&
           !__atomic_compare_exchange_n(&job->failed, &seen, body, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static void factor_bodies(void *data, int64_t begin, int64_t end)
{
    factor_job *job = data;
    const fil_body_matrix *A = job->A;
    for (int64_t body = begin; body < end;) {
        int dofs = A->dof_start[body + 1] - A->dof_start[body], bandwidth = A->bandwidth[body];
        const double *value = A->value + A->value_start[body];
        double *L = job->factor + A->value_start[body];
        if (are_alike(A, body, end)) {
            fil_m4 good = factor_four(dofs, bandwidth, value, L);
            for (int lane = LANES - 1; lane >= 0; --lane)
                if (!good[lane])
                    note_failure(job, (int)body + lane);
            body += LANES;
        } else {
            memcpy(L, value, (size_t)dofs * (size_t)(bandwidth + 1) * sizeof *L);
            if (!factor_body(dofs, bandwidth, L))
                note_failure(job, (int)body);
            ++body;
        }
    }
}

fil_status fil_system_factor(fil_context *context, fil_arena *arena, const fil_body_matrix *A, fil_system *out)
{
    int64_t size = A->value_start[A->body_count];
    *out = (fil_system){.A = A, .factor = FIL_ARENA_RAW(arena, double, size)};
    if (!out->factor)
        return FIL_NO_MEMORY;
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
