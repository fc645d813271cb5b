// The traces of the diagonal blocks of W on strands, from the band of A⁻¹ (fil_band_inverse), four strands at once.
//
// With Z = A⁻¹ a side with weights a, b at the vertices i, i + 1 gives a² tr Z(i, i) + 2 a b tr Z(i + 1, i) + b² tr
// Z(i + 1, i + 1): the frame drops out. Where both sides of a contact lie on one strand their common part is outside
// the band and is found by three solves; such contacts are few.
#include "contact/contact_strands.h"

#include "base/parallel.h"
#include "numeric/band.h"

#include <string.h>

// CHUNK: packs that are inverted at a time, each in memory of its own.
enum { LANES = FIL_STRANDS_LANES, HALF = 4, CHUNK = 64 };

typedef struct diagonal_job {
    fil_contact_strands *S;
    double *side_trace; // [2 × blocks × 8] first sides, second sides
    double *inverse;    // [CHUNK × inverse_size]
    int64_t first, inverse_size;
} diagonal_job;

// Half a pack.
typedef struct half_pack {
    int rows, bandwidth;
    const double *factor;
} half_pack;

static half_pack half_of(const fil_contact_strands *S, int64_t half)
{
    int64_t pack = half / 2, entries = S->rows[pack] * (int64_t)(S->bandwidth[pack] + 1);
    return (half_pack){.rows = S->rows[pack],
                       .bandwidth = S->bandwidth[pack],
                       .factor = S->numbers.factor + S->factor_start[pack] + half % 2 * HALF * entries};
}

// tr Z of three rows at `row` with three that lie `below` behind them.
static double trace_of(const double *Z, int bandwidth, int64_t row, int64_t below, int lane)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += Z[HALF * ((row + k) * (bandwidth + 1) + below) + lane];
    return sum;
}

static double side_trace(const fil_strands_side *side, const double *weight, const double *Z, int bandwidth)
{
    int lane = side->lane % HALF;
    double a = weight[0], b = weight[1];
    return a * a * trace_of(Z, bandwidth, side->row, 0, lane) +
           b * b * trace_of(Z, bandwidth, side->row + side->apart, 0, lane) +
           2 * a * b * trace_of(Z, bandwidth, side->row, side->apart, lane);
}

// What both sides of a contact on one strand have in common, counted twice.
static double common_trace(const half_pack *half, const fil_strands_side side[2], const double weight[4])
{
    double x[half->rows * (ptrdiff_t)HALF] __attribute__((aligned(32))), sum = 0;
    int lane = side->lane % HALF;
    for (int k = 0; k < 3; ++k) {
        memset(x, 0, (size_t)half->rows * HALF * sizeof *x);
        for (int m = 0; m < 2; ++m)
            x[HALF * (side[0].row + m * side[0].apart + k) + lane] += weight[m];
        fil_band_solve(half->rows, half->bandwidth, half->factor, x);
        for (int m = 0; m < 2; ++m)
            sum += 2 * weight[2 + m] * x[HALF * (side[1].row + m * side[1].apart + k) + lane];
    }
    return sum;
}

static void find_traces(void *data, int64_t begin, int64_t end)
{
    const diagonal_job *job = data;
    const fil_contact_strands *S = job->S;
    const int second = 4 * LANES * S->blocks;
    for (int64_t h = 2 * (job->first + begin); h < 2 * (job->first + end); ++h) {
        half_pack half = half_of(S, h);
        double *Z = job->inverse + (h / 2 - job->first) * job->inverse_size;
        fil_band_inverse(half.rows, half.bandwidth, half.factor, Z);
        for (int s = S->side_start[h]; s < S->side_start[h + 1]; ++s) {
            const fil_strands_side *side = S->side + s;
            const double *weight = S->numbers.weight + 2 * (int64_t)s;
            double trace = side_trace(side, weight, Z, half.bandwidth);
            // The sides of one contact are neighbours when they are in the same half.
            if (s + 1 < S->side_start[h + 1] && side[1].target == side[0].target + second &&
                side[1].lane == side[0].lane)
                trace += common_trace(&half, side, weight);
            job->side_trace[side->target / 4] = trace;
        }
    }
}

fil_status fil_contact_strands_diagonal(fil_contact_strands *strands, fil_arena *arena)
{
    fil_contact_strands *S = strands;
    int64_t places = LANES * (int64_t)S->blocks, largest = 0;
    for (int pack = 0; pack < S->busy_packs; ++pack) {
        int64_t half = (S->factor_start[pack + 1] - S->factor_start[pack]) / 2;
        largest = half > largest ? half : largest;
    }
    S->trace = FIL_ARENA_ARRAY(arena, double, places);
    if (!S->trace)
        return FIL_NO_MEMORY;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    diagonal_job job = {.S = S,
                        .side_trace = FIL_ARENA_ARRAY(arena, double, 2 * places),
                        .inverse = FIL_ARENA_RAW(arena, double, CHUNK *largest),
                        .inverse_size = largest};
    fil_status status = job.side_trace && job.inverse ? FIL_OK : FIL_NO_MEMORY;
    for (; status == FIL_OK && job.first < S->busy_packs; job.first += CHUNK) {
        int64_t left = S->busy_packs - job.first;
        fil_parallel_for(S->context, left < CHUNK ? left : CHUNK, 1, find_traces, &job);
    }
    for (int64_t i = 0; status == FIL_OK && i < places; ++i)
        S->trace[i] = job.side_trace[i] + job.side_trace[places + i];
    fil_arena_rewind(arena, mark);
    return status;
}
