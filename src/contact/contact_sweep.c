// A Gauss-Seidel sweep: each contact in turn is solved exactly with all others held [Daviet11, Algorithm 1].
//
//   c_i = q_i + sum_{j != i} W_ij r_j,    r_i <- local solver of (W_ii, c_i, mu_i)
//
// Differs from paper: the sum is added (it is printed with minus signs).
//
// One after the other, or in rounds of tasks that run in parallel (contact_schedule.c). The order depends on the
// problem alone, so each gives the same bits on any number of threads.
//
// Cost: one pass over W, 76 bytes per block, plus the local solves.
#include "contact/contact_sweep.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "contact/contact_block.h"
#include "math/cone.h"

#include <string.h>

typedef struct copy_job {
    const fil_block_matrix *from;
    const fil_contact_schedule *schedule;
    const fil_block_matrix *to;
} copy_job;

static void copy_some_rows(void *data, int64_t begin, int64_t end)
{
    const copy_job *job = data;
    for (int64_t k = begin; k < end; ++k) {
        int64_t from = job->from->start[job->schedule->contact[k]], to = job->to->start[k];
        size_t count = (size_t)(job->to->start[k + 1] - to);
        memcpy(job->to->column + to, job->from->column + from, count * sizeof *job->to->column);
        memcpy(job->to->value + 9 * to, job->from->value + 9 * from, 9 * count * sizeof *job->to->value);
    }
}

// The rows of W in the order of the schedule: memory then comes in streams.
static fil_status copy_rows(const fil_context *context, const fil_block_matrix *W, const fil_contact_schedule *schedule,
                            fil_arena *arena, fil_block_matrix *out)
{
    const int64_t blocks = W->start[W->rows], grain = 256;
    copy_job job = {.from = W, .schedule = schedule, .to = out};
    *out = (fil_block_matrix){.rows = W->rows,
                              .start = FIL_ARENA_RAW(arena, int64_t, (int64_t)W->rows + 1),
                              .column = FIL_ARENA_RAW(arena, int, blocks),
                              .value = FIL_ARENA_RAW(arena, double, 9 * blocks + 4)};
    if (!out->start || !out->column || !out->value)
        return FIL_NO_MEMORY;
    out->start[0] = 0;
    for (int k = 0; k < W->rows; ++k)
        out->start[k + 1] = out->start[k] + W->start[schedule->contact[k] + 1] - W->start[schedule->contact[k]];
    fil_parallel_for(context, W->rows, grain, copy_some_rows, &job);
    memset(out->value + 9 * blocks, 0, 4 * sizeof *out->value);
    return FIL_OK;
}

static fil_status schedule_by_bodies(const fil_contact_task *task, fil_sweep *out)
{
    const int64_t most_blocks = 1000000; // 76 MB: a second copy of more would be missed elsewhere
    const fil_block_matrix *W = &task->problem->W;
    if (W->start[W->rows] > most_blocks)
        return FIL_OK;
    fil_status status = fil_contact_schedule_by_bodies(task->problem, task->scratch, &out->scheduled, &out->schedule);
    out->copied = out->scheduled;
    return status == FIL_OK && out->copied ? copy_rows(task->context, W, &out->schedule, task->scratch, &out->W)
                                           : status;
}

static fil_status make_schedule(const fil_contact_task *task, fil_sweep_order order, fil_sweep *out)
{
    fil_status status = FIL_OK;
    out->scheduled = order == FIL_SWEEP_COLOURED;
    if (order == FIL_SWEEP_COLOURED)
        status = fil_contact_schedule_by_colours(task->problem, task->scratch, &out->schedule);
    else if (order == FIL_SWEEP_BODIES)
        status = schedule_by_bodies(task, out);
    if (status == FIL_OK && out->scheduled)
        out->task_counts = FIL_ARENA_ARRAY(task->scratch, fil_local_counts, out->schedule.tasks);
    return status == FIL_OK && out->scheduled && !out->task_counts ? FIL_NO_MEMORY : status;
}

fil_status fil_sweep_make(const fil_contact_task *task, fil_sweep_order order, fil_sweep *out)
{
    const int64_t cached_blocks = 20000; // 1.5 MB: what a core keeps to itself needs no fetching
    const fil_block_matrix *W = &task->problem->W;
    *out = (fil_sweep){
        .context = task->context,
        .problem = task->problem,
        .local = &task->local,
        .W = *W,
        .diagonal = FIL_ARENA_ARRAY(task->scratch, int64_t, W->rows),
        .relaxation = 1,
        .full_period = 20,
        .quiet_needed = 10,
        .quiet = FIL_ARENA_ARRAY(task->scratch, unsigned char, W->rows),
        .fetch = W->start[W->rows] > cached_blocks,
    };
    if (!out->diagonal || !out->quiet || make_schedule(task, order, out) != FIL_OK)
        return FIL_NO_MEMORY;
    for (int row = 0; row < W->rows; ++row)
        out->diagonal[row] = fil_block_find(&out->W, row, out->copied ? out->schedule.contact[row] : row);
    return FIL_OK;
}

// What all other contacts do to the one of a row.
static inline fil_v4 add_others(const fil_sweep *sweep, int64_t row, const double *r)
{
    const fil_block_matrix *W = &sweep->W;
    int64_t begin = W->start[row], diagonal = sweep->diagonal[row], end = W->start[row + 1];
    if (sweep->fetch && end + FIL_IMPULSES_AHEAD <= W->start[W->rows])
        return fil_block_row_ahead(W, begin, diagonal, r) + fil_block_row_ahead(W, diagonal + 1, end, r);
    return fil_block_row(W, begin, diagonal, r) + fil_block_row(W, diagonal + 1, end, r);
}

// Contact i, whose row of W is `row`.
static inline void visit(const fil_sweep *sweep, int64_t i, int64_t row, double *r, fil_local_counts *counts)
{
    const fil_contact_problem *problem = sweep->problem;
    const fil_block_matrix *W = &sweep->W;
    fil_v4 sum = add_others(sweep, row, r);
    double c[3] = {problem->q[3 * i] + sum[0], problem->q[3 * i + 1] + sum[1], problem->q[3 * i + 2] + sum[2]};
    double *ri = r + 3 * i, before[3] = {ri[0], ri[1], ri[2]}, mu = problem->mu[i];
    if (sweep->copy_only) {
        // Keeps the row from being optimised away and changes nothing.
        if (c[0] == 0.123456789)
            ri[0] = c[0];
        return;
    }
    fil_local_solve(sweep->local, W->value + 9 * sweep->diagonal[row], c, mu, ri, counts);
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

static bool is_awake(const fil_sweep *sweep, int64_t i)
{
    bool full = !sweep->freeze || sweep->number % sweep->full_period == 0;
    return full || sweep->quiet[i] < sweep->quiet_needed;
}

typedef struct round_job {
    fil_sweep *sweep;
    int first; // task of the round
    double *r;
} round_job;

static void run_tasks(void *data, int64_t begin, int64_t end)
{
    const round_job *job = data;
    fil_sweep *sweep = job->sweep;
    const fil_contact_schedule *schedule = &sweep->schedule;
    for (int64_t task = job->first + begin; task < job->first + end; ++task) {
        fil_local_counts counts = {0};
        for (int k = schedule->task_start[task]; k < schedule->task_start[task + 1]; ++k) {
            int i = schedule->contact[k];
            if (is_awake(sweep, i))
                visit(sweep, i, sweep->copied ? k : i, job->r, &counts);
        }
        sweep->task_counts[task].calls += counts.calls;
        sweep->task_counts[task].failsafe += counts.failsafe;
        sweep->task_counts[task].failures += counts.failures;
    }
}

static void run_rounds(fil_sweep *sweep, double *r)
{
    const fil_contact_schedule *schedule = &sweep->schedule;
    for (int round = 0; round < schedule->rounds; ++round) {
        round_job job = {.sweep = sweep, .first = schedule->round_start[round]};
        job.r = r;
        fil_parallel_for(sweep->context, schedule->round_start[round + 1] - job.first, schedule->grain, run_tasks,
                         &job);
    }
    sweep->counts = (fil_local_counts){0};
    for (int task = 0; task < schedule->tasks; ++task) {
        sweep->counts.calls += sweep->task_counts[task].calls;
        sweep->counts.failsafe += sweep->task_counts[task].failsafe;
        sweep->counts.failures += sweep->task_counts[task].failures;
    }
}

void fil_sweep_run(fil_sweep *sweep, double *r)
{
    if (sweep->scheduled)
        run_rounds(sweep, r);
    else
        for (int64_t i = 0; i < sweep->problem->contact_count; ++i)
            if (is_awake(sweep, i))
                visit(sweep, i, i, r, &sweep->counts);
    ++sweep->number;
}

void fil_sweep_wake(fil_sweep *sweep)
{
    memset(sweep->quiet, 0, (size_t)sweep->problem->contact_count);
}
