// u = W r + q on strands, without W, in doubles and in floats. Three passes:
//
//   contacts   force = Fᵀ r                                              eight contacts side by side
//   packs      x = Σ weights × force,  x <- A⁻¹ x,  points = weights × x   eight strands in floats, four in doubles
//   contacts   u = F (point of the first side + point of the second) + q
//
// The unknowns of a pack live on the stack and never see memory; the factors are read once from memory and once from
// the cache, which is what a product costs: 0.6 kB per contact in floats with 40 vertices and 25 sides per strand.
// Ranges depend on the size alone and each number has one writer: the same bits on any number of threads.
#include "contact/contact_strands.h"

#include "base/parallel.h"
#include "math/transpose.h"
#include "numeric/band.h"

#include <string.h>

enum { LANES = FIL_STRANDS_LANES, BLOCK = FIL_STRANDS_BLOCK, HALF = 4, block_grain = 128, pack_grain = 8 };

#include "math/lanes_double.h"

#include "contact/contact_strands_product_kernel.h"

#include "math/lanes_float.h"

// NOLINTNEXTLINE(readability-duplicate-include): once for each precision
#include "contact/contact_strands_product_kernel.h"

void fil_contact_strands_product_sides(const fil_contact_strands *strands, const float *factor, const float *force,
                                       float *point) // NOLINT(readability-non-const-parameter): written by the packs
{
    solve_job_float job = {.S = strands, .factor = factor, .force = force, .point = point};
    fil_parallel_for(strands->context, strands->busy_packs, pack_grain, solve_packs_float, &job);
}

typedef struct velocity_job {
    solve_job solve;
    double *v;
} velocity_job;

// Where the unknowns of a strand of half a pack are in an array in the order of the problem. False: there is none.
static bool strand_at(const fil_contact_strands *S, int64_t half, int lane, int *first, size_t *bytes)
{
    const fil_body_matrix *A = &S->problem->A;
    int body = S->body[HALF * half + lane];
    if (body < 0)
        return false;
    *first = A->dof_start[body];
    *bytes = (size_t)(A->dof_start[body + 1] - *first) * sizeof(double);
    return true;
}

static void find_velocities(void *data, int64_t begin, int64_t end)
{
    const velocity_job *job = data;
    const fil_contact_strands *S = job->solve.S;
    double memory[unknown_count(S)] __attribute__((aligned(32)));
    unknowns x;
    int first;
    size_t bytes;
    for (int64_t half = 2 * begin; half < 2 * end; ++half) {
        clear(&x, S->rows[half / 2], memory);
        for (int lane = 0; lane < HALF; ++lane)
            if (strand_at(S, half, lane, &first, &bytes))
                memcpy(strand_of(&x, lane), S->problem->b + first, bytes);
        add_forces(&job->solve, half, &x);
        solve_part(&job->solve, half, &x);
        read_points(&job->solve, half, &x);
        for (int lane = 0; lane < HALF; ++lane)
            if (strand_at(S, half, lane, &first, &bytes))
                memcpy(job->v + first, strand_of(&x, lane), bytes);
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): the packs write v through the job
void fil_contact_strands_product_velocity(const fil_contact_strands *strands, const double *r, double *v)
{
    product_job turn = {.S = strands, .r = r};
    velocity_job job = {.solve = plain_job(strands), .v = v};
    fil_parallel_for(strands->context, strands->blocks, block_grain, turn_impulses, &turn);
    fil_parallel_for(strands->context, strands->packs, pack_grain, find_velocities, &job);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the blocks write u through the job
void fil_contact_strands_product_points(const fil_contact_strands *strands, const double *w, double *u)
{
    product_job turn = {.S = strands, .q = w, .u = u};
    fil_parallel_for(strands->context, strands->blocks, block_grain, turn_points, &turn);
}
