// Strands with springs at their contacts: factors of A + Σ rho_i H_sᵀ H_s over all sides s. A side moves two
// neighbouring vertices and frames are orthonormal, so that
//
//   H_sᵀ H_s = [ a² I    a b I ]
//              [ a b I   b² I  ]
//
// stays within the band of A: factors of the same size. Those in floats are rounded from doubles, a few packs at a
// time.
#include "contact/contact_strands.h"

#include "base/parallel.h"
#include "numeric/band.h"

// CHUNK: packs whose factors exist in doubles at a time.
enum { LANES = FIL_STRANDS_LANES, HALF = 4, CHUNK = 64 };

typedef struct penalty_job {
    const fil_contact_strands *S;
    const double *rho;
    int64_t first;  // pack
    double *factor; // of the packs from `first` on
    float *rounded; // of all packs
    double unit;    // impulse over velocity
} penalty_job;

static void add_spring(int bandwidth, const fil_strands_side *side, const double *weight, double rho, double *half)
{
    int64_t apart = side->apart, column = HALF * (bandwidth + 1);
    double *first = half + column * side->row + side->lane % HALF, *second = first + column * apart;
    for (int k = 0; k < 3; ++k, first += column, second += column) {
        first[0] += rho * weight[0] * weight[0];
        if (apart == 0)
            continue;
        second[0] += rho * weight[1] * weight[1];
        first[HALF * apart] += rho * weight[0] * weight[1];
    }
}

static void factor_half(const penalty_job *job, int64_t half, double *factor)
{
    const fil_contact_strands *S = job->S;
    const int places = LANES * S->blocks;
    int rows = S->rows[half / 2], bandwidth = S->bandwidth[half / 2], negative[HALF];
    fil_contact_strands_load(S, half, factor);
    for (int s = S->side_start[half]; s < S->side_start[half + 1]; ++s) {
        double rho = job->rho[S->side[s].target / 4 % places];
        add_spring(bandwidth, &S->side[s], S->numbers.weight + 2 * (int64_t)s, rho, factor);
    }
    fil_band_factor(rows, bandwidth, 0, factor, negative);
}

static void factor_packs(void *data, int64_t begin, int64_t end)
{
    const penalty_job *job = data;
    const fil_contact_strands *S = job->S;
    for (int64_t pack = job->first + begin; pack < job->first + end; ++pack) {
        int64_t half = (S->factor_start[pack + 1] - S->factor_start[pack]) / 2;
        double *factor = job->factor + S->factor_start[pack] - S->factor_start[job->first];
        factor_half(job, 2 * pack, factor);
        factor_half(job, 2 * pack + 1, factor + half);
        fil_contact_strands_round(S, pack, job->unit, factor, job->rounded + S->factor_start[pack]);
    }
}

fil_status fil_contact_strands_penalty(const fil_contact_strands *strands, fil_arena *arena, const double *rho,
                                       double impulse, double velocity, float **factor)
{
    const fil_contact_strands *S = strands;
    *factor = FIL_ARENA_RAW(arena, float, S->factor_start[S->busy_packs]);
    fil_arena_mark mark = fil_arena_mark_now(arena);
    int64_t most = 0;
    for (int64_t pack = 0; pack < S->busy_packs; pack += CHUNK) {
        int64_t end = pack + CHUNK < S->busy_packs ? pack + CHUNK : S->busy_packs;
        int64_t size = S->factor_start[end] - S->factor_start[pack];
        most = size > most ? size : most;
    }
    penalty_job job = {.S = S,
                       .rho = rho,
                       .factor = FIL_ARENA_RAW(arena, double, most),
                       .rounded = *factor,
                       .unit = impulse / velocity};
    fil_status status = *factor && job.factor ? FIL_OK : FIL_NO_MEMORY;
    for (; status == FIL_OK && job.first < S->busy_packs; job.first += CHUNK) {
        int64_t left = S->busy_packs - job.first;
        fil_parallel_for(S->context, left < CHUNK ? left : CHUNK, 1, factor_packs, &job);
    }
    fil_arena_rewind(arena, mark);
    return status;
}
