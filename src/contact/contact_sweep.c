// A Gauss-Seidel sweep: each contact in turn is solved exactly with all others held [Daviet11, Algorithm 1].
//
//   c_i = q_i + sum_{j != i} W_ij r_j,    r_i <- local solver of (W_ii, c_i, mu_i)
//
// Differs from paper: the sum is added (it is printed with minus signs).
//
// Two orders. Natural: one after the other. Coloured: consecutive contacts form chunks, chunks are coloured greedily so
// that no two of one colour share a block of W, and the chunks of a colour run in parallel. The order depends on the
// problem alone, so each gives the same bits on any number of threads. Chunks keep the rows of W in streaming order;
// single contacts of one colour would jump through memory.
//
// Cost: one pass over W, 76 bytes per block, plus the local solves.
#include "contact/contact_sweep.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "contact/contact_block.h"
#include "math/cone.h"

#include <string.h>

// Chunks are coloured in order; each takes the lowest colour that no neighbour has.
static fil_status colour_chunks(fil_sweep *sweep, fil_arena *arena)
{
    const fil_block_matrix *W = &sweep->problem->W;
    int chunks = (W->rows + sweep->chunk_size - 1) / sweep->chunk_size;
    int *colour = FIL_ARENA_ARRAY(arena, int, chunks), *seen = FIL_ARENA_ARRAY(arena, int, (int64_t)chunks + 1);
    sweep->colour_start = FIL_ARENA_ARRAY(arena, int, (int64_t)chunks + 2);
    sweep->chunk_of = FIL_ARENA_ARRAY(arena, int, chunks);
    sweep->chunk_counts = FIL_ARENA_ARRAY(arena, fil_local_counts, chunks);
    if (!colour || !seen || !sweep->colour_start || !sweep->chunk_of || !sweep->chunk_counts)
        return FIL_NO_MEMORY;
    for (int c = 0; c < chunks; ++c)
        colour[c] = -1;
    for (int c = 0; c < chunks; ++c) {
        int begin = c * sweep->chunk_size;
        int end = begin + sweep->chunk_size < W->rows ? begin + sweep->chunk_size : W->rows;
        for (int64_t k = W->start[begin]; k < W->start[end]; ++k) {
            int other = colour[W->column[k] / sweep->chunk_size];
            if (other >= 0)
                seen[other] = c + 1;
        }
        int free_colour = 0;
        while (seen[free_colour] == c + 1)
            ++free_colour;
        colour[c] = free_colour;
        if (free_colour >= sweep->colour_count)
            sweep->colour_count = free_colour + 1;
    }
    // Counting sort by colour.
    for (int c = 0; c < chunks; ++c)
        ++sweep->colour_start[colour[c] + 1];
    for (int k = 0; k < sweep->colour_count; ++k)
        sweep->colour_start[k + 1] += sweep->colour_start[k];
    memcpy(seen, sweep->colour_start, (size_t)sweep->colour_count * sizeof *seen);
    for (int c = 0; c < chunks; ++c)
        sweep->chunk_of[seen[colour[c]]++] = c;
    return FIL_OK;
}

fil_status fil_sweep_make(const fil_contact_task *task, bool coloured, fil_sweep *out)
{
    const int64_t cached_blocks = 20000; // 1.5 MB: what a core keeps to itself needs no fetching
    const fil_block_matrix *W = &task->problem->W;
    *out = (fil_sweep){
        .context = task->context,
        .problem = task->problem,
        .local = &task->local,
        .diagonal = FIL_ARENA_ARRAY(task->scratch, int64_t, W->rows),
        .relaxation = 1,
        .full_period = 20,
        .quiet_needed = 10,
        .quiet = FIL_ARENA_ARRAY(task->scratch, unsigned char, W->rows),
        .fetch = W->start[W->rows] > cached_blocks,
        .coloured = coloured,
        .chunk_size = 16,
    };
    if (!out->diagonal || !out->quiet)
        return FIL_NO_MEMORY;
    for (int i = 0; i < W->rows; ++i) {
        int64_t k = W->start[i];
        while (W->column[k] != i)
            ++k;
        out->diagonal[i] = k;
    }
    return coloured ? colour_chunks(out, task->scratch) : FIL_OK;
}

// Asks for the next row of W while the local solver computes: memory and arithmetic then work at the same time.
static inline void fetch_row(const fil_block_matrix *W, int64_t i)
{
    if (i >= W->rows)
        return;
    const char *at = (const char *)(W->value + 9 * W->start[i]), *end = (const char *)(W->value + 9 * W->start[i + 1]);
    for (; at < end; at += 64)
        __builtin_prefetch(at, 0, 3);
}

static inline void visit(const fil_sweep *sweep, int64_t i, double *r, fil_local_counts *counts)
{
    const fil_contact_problem *problem = sweep->problem;
    const fil_block_matrix *W = &problem->W;
    int64_t diagonal = sweep->diagonal[i];
    fil_v4 sum = fil_block_row(W, W->start[i], diagonal, r) + fil_block_row(W, diagonal + 1, W->start[i + 1], r);
    double c[3] = {problem->q[3 * i] + sum[0], problem->q[3 * i + 1] + sum[1], problem->q[3 * i + 2] + sum[2]};
    double *ri = r + 3 * i, before[3] = {ri[0], ri[1], ri[2]}, mu = problem->mu[i];
    if (sweep->copy_only) {
        // Keeps the row from being optimised away and changes nothing.
        if (c[0] == 0.123456789)
            ri[0] = c[0];
        return;
    }
    if (sweep->fetch)
        fetch_row(W, i + 1);
    fil_local_solve(sweep->local, W->value + 9 * diagonal, c, mu, ri, counts);
    if (sweep->relaxation != 1) {
        for (int k = 0; k < 3; ++k)
            ri[k] = before[k] + sweep->relaxation * (ri[k] - before[k]);
        fil_cone_project(mu, ri);
    }
    if (sweep->freeze) {
        double change = fabs(ri[0] - before[0]) + fabs(ri[1] - before[1]) + fabs(ri[2] - before[2]);
        if (change > sweep->quiet_change)
            sweep->quiet[i] = 0;
        else if (sweep->quiet[i] < 255)
            ++sweep->quiet[i];
    }
}

static void visit_range(const fil_sweep *sweep, int64_t begin, int64_t end, double *r, fil_local_counts *counts)
{
    bool full = !sweep->freeze || sweep->number % sweep->full_period == 0;
    for (int64_t i = begin; i < end; ++i)
        if (full || sweep->quiet[i] < sweep->quiet_needed)
            visit(sweep, i, r, counts);
}

typedef struct colour_job {
    fil_sweep *sweep;
    const int *chunk;
    double *r;
} colour_job;

static void visit_chunks(void *data, int64_t begin, int64_t end)
{
    const colour_job *job = data;
    fil_sweep *sweep = job->sweep;
    for (int64_t k = begin; k < end; ++k) {
        int chunk = job->chunk[k];
        int64_t first = (int64_t)chunk * sweep->chunk_size, last = first + sweep->chunk_size;
        fil_local_counts counts = {0};
        visit_range(sweep, first, last < sweep->problem->contact_count ? last : sweep->problem->contact_count, job->r,
                    &counts);
        sweep->chunk_counts[chunk].calls += counts.calls;
        sweep->chunk_counts[chunk].failsafe += counts.failsafe;
        sweep->chunk_counts[chunk].failures += counts.failures;
    }
}

void fil_sweep_run(fil_sweep *sweep, double *r)
{
    int n = sweep->problem->contact_count;
    if (!sweep->coloured) {
        visit_range(sweep, 0, n, r, &sweep->counts);
        ++sweep->number;
        return;
    }
    for (int colour = 0; colour < sweep->colour_count; ++colour) {
        int first = sweep->colour_start[colour], last = sweep->colour_start[colour + 1];
        colour_job job = {.sweep = sweep, .chunk = sweep->chunk_of + first, .r = r};
        fil_parallel_for(sweep->context, last - first, 4, visit_chunks, &job);
    }
    int chunks = (n + sweep->chunk_size - 1) / sweep->chunk_size;
    sweep->counts = (fil_local_counts){0};
    for (int c = 0; c < chunks; ++c) {
        sweep->counts.calls += sweep->chunk_counts[c].calls;
        sweep->counts.failsafe += sweep->chunk_counts[c].failsafe;
        sweep->counts.failures += sweep->chunk_counts[c].failures;
    }
    ++sweep->number;
}

void fil_sweep_wake(fil_sweep *sweep)
{
    memset(sweep->quiet, 0, (size_t)sweep->problem->contact_count);
}
