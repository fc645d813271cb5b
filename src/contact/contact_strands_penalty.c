// Strands with springs at their contacts: A_ρ = A + Σ ρ_i H_sᵀ H_s over all sides s, and points = H A_ρ⁻¹ (b + Hᵀ g)
// with a force of its own for each side. A side moves two neighbouring vertices and frames are orthonormal, so that
//
//   H_sᵀ H_s = [ a² I   a b I ]
//              [ a b I   b² I ]
//
// stays within the band of A: one more factor of the same size.
#include "contact/contact_strands.h"

#include "base/parallel.h"
#include "numeric/band.h"

#include <string.h>

enum { LANES = FIL_STRANDS_LANES, BLOCK = FIL_STRANDS_BLOCK, HALF = 4, block_grain = 128, pack_grain = 4 };

// The row of a place in half a pack.
static int row_of(int place)
{
    return place / LANES;
}

static double *half_factor(const fil_strands_penalty *P, int64_t half)
{
    const fil_contact_strands *S = P->strands;
    int64_t pack = half / 2, entries = S->rows[pack] * (int64_t)(S->bandwidth[pack] + 1);
    return P->factor + S->factor_start[pack] + half % 2 * HALF * entries;
}

static void add_spring(int bandwidth, const fil_strands_side *side, const double *weight, double rho, double *half)
{
    int lane = side->place[0] % HALF, row = row_of(side->place[0]), apart = row_of(side->place[1]) - row;
    for (int k = 0; k < 3; ++k) {
        double *first = half + HALF * ((bandwidth + 1) * (int64_t)(row + k)) + lane;
        double *second = half + HALF * ((bandwidth + 1) * (int64_t)(row + apart + k)) + lane;
        first[0] += rho * weight[0] * weight[0];
        if (apart == 0)
            continue;
        second[0] += rho * weight[1] * weight[1];
        first[(ptrdiff_t)HALF * apart] += rho * weight[0] * weight[1];
    }
}

static void factor_halves(void *data, int64_t begin, int64_t end)
{
    const fil_strands_penalty *P = data;
    const fil_contact_strands *S = P->strands;
    const int64_t size = BLOCK * (int64_t)S->blocks;
    for (int64_t half = 2 * begin; half < 2 * end; ++half) {
        int rows = S->rows[half / 2], bandwidth = S->bandwidth[half / 2], negative[HALF];
        double *factor = half_factor(P, half);
        fil_contact_strands_load(S, half, factor);
        for (int s = S->side_start[half]; s < S->side_start[half + 1]; ++s) {
            int64_t slot = S->side[s].target % size;
            double rho = P->rho[slot / BLOCK * LANES + slot % BLOCK];
            add_spring(bandwidth, &S->side[s], S->numbers.weight + 2 * (int64_t)s, rho, factor);
        }
        fil_band_factor(rows, bandwidth, 0, factor, negative);
    }
}

// turned = Fᵀ vector or F vector, for both sides of eight contacts.
static void turn(const fil_contact_strands *S, int64_t block, bool back, const double *vector, double *turned)
{
    const double *F = S->numbers.frame + 3 * BLOCK * block;
    for (int side = 0; side < 2; ++side) {
        int64_t at = BLOCK * (block + side * (int64_t)S->blocks);
        for (int row = 0; row < 3; ++row)
            for (int lane = 0; lane < LANES; ++lane) {
                double sum = 0;
                for (int k = 0; k < 3; ++k)
                    sum += F[LANES * (back ? k + 3 * row : row + 3 * k) + lane] * vector[at + LANES * k + lane];
                turned[at + LANES * row + lane] = sum;
            }
    }
}

typedef struct penalty_job {
    const fil_strands_penalty *P;
    const double *g;
    double *p;
    bool with_b;
} penalty_job;

static void turn_forces(void *data, int64_t begin, int64_t end)
{
    const penalty_job *job = data;
    for (int64_t block = begin; block < end; ++block)
        turn(job->P->strands, block, true, job->g, job->P->force);
}

static void turn_points(void *data, int64_t begin, int64_t end)
{
    const penalty_job *job = data;
    for (int64_t block = begin; block < end; ++block)
        turn(job->P->strands, block, false, job->P->point, job->p);
}

static void add_side_forces(const fil_strands_penalty *P, int64_t half, double *x)
{
    const fil_contact_strands *S = P->strands;
    for (int s = S->side_start[half]; s < S->side_start[half + 1]; ++s) {
        const fil_strands_side *side = &S->side[s];
        const double *f = P->force + side->target, *weight = S->numbers.weight + 2 * (int64_t)s;
        int lane = side->place[0] % HALF;
        double *a = x + HALF * row_of(side->place[0]) + lane, *b = x + HALF * row_of(side->place[1]) + lane;
        for (int k = 0; k < 3; ++k) {
            a[HALF * k] += weight[0] * f[LANES * k];
            b[HALF * k] += weight[1] * f[LANES * k];
        }
    }
}

static void read_side_points(const fil_strands_penalty *P, int64_t half, const double *x)
{
    const fil_contact_strands *S = P->strands;
    for (int s = S->side_start[half]; s < S->side_start[half + 1]; ++s) {
        const fil_strands_side *side = &S->side[s];
        const double *weight = S->numbers.weight + 2 * (int64_t)s;
        int lane = side->place[0] % HALF;
        const double *a = x + HALF * row_of(side->place[0]) + lane, *b = x + HALF * row_of(side->place[1]) + lane;
        for (int k = 0; k < 3; ++k)
            P->point[side->target + LANES * k] = weight[0] * a[HALF * k] + weight[1] * b[HALF * k];
    }
}

static void load_b(const fil_contact_strands *S, int64_t half, double *x)
{
    const fil_body_matrix *A = &S->problem->A;
    for (int lane = 0; lane < HALF; ++lane) {
        int body = S->body[HALF * half + lane];
        for (int j = 0; body >= 0 && j < A->dof_start[body + 1] - A->dof_start[body]; ++j)
            x[HALF * j + lane] = S->problem->b[A->dof_start[body] + j];
    }
}

static void solve_halves(void *data, int64_t begin, int64_t end)
{
    const penalty_job *job = data;
    const fil_contact_strands *S = job->P->strands;
    double x[FIL_STRANDS_MOST_ROWS * HALF] __attribute__((aligned(32)));
    for (int64_t half = 2 * begin; half < 2 * end; ++half) {
        memset(x, 0, (size_t)S->rows[half / 2] * HALF * sizeof *x);
        if (job->with_b)
            load_b(S, half, x);
        add_side_forces(job->P, half, x);
        fil_band_solve(S->rows[half / 2], S->bandwidth[half / 2], half_factor(job->P, half), x);
        read_side_points(job->P, half, x);
    }
}

static void run(const fil_strands_penalty *P, bool with_b, const double *g, double *p)
{
    const fil_contact_strands *S = P->strands;
    penalty_job job = {.P = P, .g = g, .p = p, .with_b = with_b};
    fil_parallel_for(S->context, S->blocks, block_grain, turn_forces, &job);
    fil_parallel_for(S->context, S->busy_packs, pack_grain, solve_halves, &job);
    fil_parallel_for(S->context, S->blocks, block_grain, turn_points, &job);
}

void fil_contact_strands_penalty_factor(fil_strands_penalty *penalty)
{
    fil_parallel_for(penalty->strands->context, penalty->strands->busy_packs, pack_grain, factor_halves, penalty);
    // What b alone does to the points never changes.
    memset(penalty->free, 0, 2 * BLOCK * (size_t)penalty->strands->blocks * sizeof(double));
    run(penalty, true, penalty->free, penalty->free);
}

static void turn_last_points(void *data, int64_t begin, int64_t end)
{
    const penalty_job *job = data;
    for (int64_t block = begin; block < end; ++block)
        turn(job->P->strands, block, false, job->P->strands->numbers.point, job->p);
}

void fil_contact_strands_penalty_start(const fil_strands_penalty *penalty, double *p)
{
    penalty_job job = {.P = penalty, .p = p};
    fil_parallel_for(penalty->strands->context, penalty->strands->blocks, block_grain, turn_last_points, &job);
}

fil_status fil_contact_strands_penalty_make(const fil_contact_strands *strands, fil_arena *arena,
                                            fil_strands_penalty *out)
{
    int64_t size = BLOCK * (int64_t)strands->blocks;
    *out = (fil_strands_penalty){.strands = strands,
                                 .rho = FIL_ARENA_ARRAY(arena, double, LANES *(int64_t)strands->blocks),
                                 .factor = FIL_ARENA_ARRAY(arena, double, strands->factor_start[strands->packs]),
                                 .force = FIL_ARENA_ARRAY(arena, double, 2 * size),
                                 .point = FIL_ARENA_ARRAY(arena, double, 2 * size),
                                 .free = FIL_ARENA_ARRAY(arena, double, 2 * size)};
    return out->rho && out->factor && out->force && out->point && out->free ? FIL_OK : FIL_NO_MEMORY;
}

void fil_contact_strands_penalty_points(const fil_strands_penalty *penalty, const double *g, double *p)
{
    run(penalty, false, g, p);
    for (int64_t k = 0; k < 2 * BLOCK * (int64_t)penalty->strands->blocks; ++k)
        p[k] += penalty->free[k];
}
