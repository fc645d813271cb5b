// A problem of the contacts C of a problem, while the impulses of the others stay as they are:
//
//   u_C = W_CC r_C + q_C,     q_C = u_C(now) - W_CC r_C(now)
//
// `auto` solves it from the impulses of now. Two ways lead here: the few contacts that are not solved yet
// (contact_core.c), and all but those that are open (contact_press.c).
//
// Cost: one pass over the rows of C in W, a copy of the blocks that stay.
#include "contact/contact_cut.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "contact/contact.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 };

fil_status fil_contact_cut_make(fil_contact_watch *watch, fil_arena *arena, fil_contact_cut *out)
{
    int n = watch->task->problem->contact_count;
    *out = (fil_contact_cut){.watch = watch,
                             .arena = arena,
                             .contact = FIL_ARENA_RAW(arena, int, n),
                             .number = FIL_ARENA_RAW(arena, int, n)};
    if (!out->contact || !out->number)
        return FIL_NO_MEMORY;
    for (int i = 0; i < n; ++i)
        out->number[i] = -1;
    return FIL_OK;
}

static void count_blocks(void *data, int64_t begin, int64_t end)
{
    const fil_contact_cut *cut = data;
    const fil_block_matrix *W = &cut->watch->task->problem->W;
    for (int64_t c = begin; c < end; ++c) {
        int64_t i = cut->contact[c], blocks = 0;
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            blocks += cut->number[W->column[k]] >= 0;
        cut->problem.W.start[c + 1] = blocks;
    }
}

static fil_status make_rows(fil_contact_cut *cut)
{
    fil_arena *arena = cut->arena;
    int64_t count = cut->count;
    cut->problem = (fil_contact_problem){
        .contact_count = cut->count,
        .file_dim = cut->watch->task->problem->file_dim,
        .mu = FIL_ARENA_RAW(arena, double, count),
        .has_dual = true,
        .W = {.rows = cut->count, .start = FIL_ARENA_ARRAY(arena, int64_t, count + 1)},
        .q = FIL_ARENA_RAW(arena, double, 3 * count),
    };
    cut->r = FIL_ARENA_RAW(arena, double, 3 * count);
    return cut->problem.mu && cut->problem.W.start && cut->problem.q && cut->r ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status make_blocks(fil_contact_cut *cut)
{
    fil_block_matrix *W = &cut->problem.W;
    for (int c = 0; c < cut->count; ++c)
        W->start[c + 1] += W->start[c];
    W->column = FIL_ARENA_RAW(cut->arena, int, W->start[cut->count]);
    W->value = FIL_ARENA_RAW(cut->arena, double, 9 * W->start[cut->count] + 4);
    if (!W->column || !W->value)
        return FIL_NO_MEMORY;
    memset(W->value + 9 * W->start[cut->count], 0, 4 * sizeof *W->value);
    return FIL_OK;
}

typedef struct copy_job {
    const fil_contact_cut *cut;
    const double *r; // of the whole
} copy_job;

static void copy_rows(void *data, int64_t begin, int64_t end)
{
    const copy_job *job = data;
    const fil_contact_cut *cut = job->cut;
    const fil_contact_problem *whole = cut->watch->task->problem, *problem = &cut->problem;
    for (int64_t c = begin; c < end; ++c) {
        int64_t i = cut->contact[c], to = problem->W.start[c];
        double pushed[3] = {0};
        for (int64_t k = whole->W.start[i]; k < whole->W.start[i + 1]; ++k) {
            int j = whole->W.column[k];
            if (cut->number[j] < 0)
                continue;
            problem->W.column[to] = cut->number[j];
            memcpy(problem->W.value + 9 * to++, whole->W.value + 9 * k, 9 * sizeof(double));
            fil_mat3_add_vector(whole->W.value + 9 * k, job->r + 3 * (ptrdiff_t)j, pushed);
        }
        problem->mu[c] = whole->mu[i];
        for (int k = 0; k < 3; ++k) {
            problem->q[3 * c + k] = cut->watch->u[3 * i + k] - pushed[k];
            cut->r[3 * c + k] = job->r[3 * i + k];
        }
    }
}

// Who touches whom: sweeps use it to work on several threads.
static fil_status copy_sides(fil_contact_cut *cut)
{
    const fil_contact_problem *whole = cut->watch->task->problem;
    fil_contact_jacobian *H = &cut->problem.H;
    if (!whole->H.side_start)
        return FIL_OK;
    int sides = 0;
    for (int c = 0; c < cut->count; ++c)
        sides += whole->H.side_start[cut->contact[c] + 1] - whole->H.side_start[cut->contact[c]];
    H->side_start = FIL_ARENA_ARRAY(cut->arena, int, (int64_t)cut->count + 1);
    H->body = FIL_ARENA_RAW(cut->arena, int, sides);
    if (!H->side_start || !H->body)
        return FIL_NO_MEMORY;
    for (int c = 0, to = 0; c < cut->count; ++c) {
        int i = cut->contact[c];
        for (int side = whole->H.side_start[i]; side < whole->H.side_start[i + 1]; ++side)
            H->body[to++] = whole->H.body[side];
        H->side_start[c + 1] = to;
    }
    cut->problem.A.body_count = whole->A.body_count;
    return FIL_OK;
}

fil_status fil_contact_cut_out(fil_contact_cut *cut, const double *r)
{
    fil_context *context = cut->watch->task->context;
    copy_job job = {.cut = cut};
    job.r = r;
    for (int c = 0; c < cut->count; ++c)
        cut->number[cut->contact[c]] = c;
    if (make_rows(cut) != FIL_OK)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, cut->count, GRAIN, count_blocks, cut);
    if (make_blocks(cut) != FIL_OK || copy_sides(cut) != FIL_OK)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, cut->count, GRAIN, copy_rows, &job);
    return FIL_OK;
}

static bool still_wanted(void *user, const fil_progress *point)
{
    const fil_contact_watch *watch = user;
    fil_progress whole = *point;
    whole.phase = watch->phase;
    whole.iterations = watch->stats->iterations;
    whole.residual = watch->residual;
    whole.best = watch->least;
    return !watch->task->progress || watch->task->progress(watch->task->user, &whole);
}

// On the scale of its own residual.
static double own_tolerance(const fil_contact_cut *cut, double residual)
{
    double square = 0;
    for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)cut->count; ++k)
        square += cut->problem.q[k] * cut->problem.q[k];
    return fmin(fmax(residual * cut->watch->merit.norm_q / sqrt(square), 1e-12), 1e-3);
}

fil_status fil_contact_cut_solve(fil_contact_cut *cut, double residual, fil_contact_def def, double *r, double *work)
{
    fil_solve_stats stats;
    def.tolerance = own_tolerance(cut, residual);
    def.warm = true;
    def.progress = still_wanted;
    def.user = cut->watch;
    const fil_contact_task *task = cut->watch->task;
    fil_status status = fil_contact_solve_part(task->context, &cut->problem, &def, &task->local, cut->r, &stats);
    if (status != FIL_OK)
        return status;
    for (ptrdiff_t c = 0; c < cut->count; ++c)
        memcpy(r + 3 * (ptrdiff_t)cut->contact[c], cut->r + 3 * c, 3 * sizeof *r);
    *work += (double)stats.iterations * (double)cut->problem.W.start[cut->count];
    return FIL_OK;
}

void fil_contact_cut_forget(fil_contact_cut *cut)
{
    for (int c = 0; c < cut->count; ++c)
        cut->number[cut->contact[c]] = -1;
    cut->count = 0;
}

void fil_contact_cut_count(const fil_contact_cut *cut, double work)
{
    const fil_block_matrix *W = &cut->watch->task->problem->W;
    fil_contact_watch_count(cut->watch, 1 + (int64_t)(work / (double)W->start[W->rows]), 0);
}
