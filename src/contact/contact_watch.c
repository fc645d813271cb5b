// No solver judges itself: it shows its iterates to the watch, which computes u = W r + q anew, measures the chosen
// merit, keeps the best impulse, and decides. Budgets are iterations, never seconds: the same problem gives the same
// bits.
#include "contact/contact_watch.h"

#include "base/timer.h"
#include "math/cone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

fil_status fil_contact_watch_scale(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                   fil_contact_scale *out)
{
    fil_status status = fil_contact_operator_make(context, arena, problem, false, &out->op);
    return status == FIL_OK ? fil_contact_merit_make(&out->op, arena, &out->merit) : status;
}

fil_status fil_contact_watch_make(const fil_contact_task *task, fil_solve_stats *stats, int64_t default_budget,
                                  fil_contact_watch *out)
{
    int64_t size = 3 * (int64_t)task->problem->contact_count;
    *out = (fil_contact_watch){
        .task = task,
        .stats = stats,
        .u = FIL_ARENA_ARRAY(task->scratch, double, size),
        .best = FIL_ARENA_ARRAY(task->scratch, double, size),
        .residual = INFINITY,
        .least = INFINITY,
        .natural = INFINITY,
        .budget = task->max_iterations > 0 ? task->max_iterations : default_budget,
        .work_left = INFINITY,
        .phase = "start",
    };
    if (!out->u || !out->best)
        return FIL_NO_MEMORY;
    fil_contact_scale own = {0}, *scale = task->scale ? task->scale : &own;
    fil_status status = FIL_OK;
    if (!scale->op.problem)
        status = fil_contact_watch_scale(task->context, task->scratch, task->problem, scale);
    out->op = scale->op;
    out->merit = scale->merit;
    return status;
}

fil_status fil_contact_watch_strands(const fil_contact_watch *watch, fil_contact_strands **out)
{
    const fil_contact_task *task = watch->task;
    *out = watch->op.strands;
    if (*out || watch->op.matrix_free)
        return FIL_OK;
    return fil_contact_strands_make(task->context, task->scratch, task->problem, out);
}

bool fil_contact_watch_judge(fil_contact_watch *watch, const double *r)
{
    const fil_contact_task *task = watch->task;
    fil_contact_operator_apply(&watch->op, r, watch->u);
    watch->natural = fil_contact_merit_of(&watch->merit, FIL_MERIT_NATURAL, task->problem, r, watch->u);
    watch->residual = task->merit == FIL_MERIT_NATURAL
                          ? watch->natural
                          : fil_contact_merit_of(&watch->merit, task->merit, task->problem, r, watch->u);
    // Clearly better, or good enough: where nothing helps, ever larger impulses gain a last digit and are worth
    // nothing.
    if (watch->residual < (1 - 1e-6) * watch->least || (watch->residual <= task->tolerance && !watch->stop)) {
        watch->least = watch->residual;
        memcpy(watch->best, r, 3 * (size_t)task->problem->contact_count * sizeof *r);
        watch->stats->finished_by = watch->phase;
    }
    if (watch->least <= task->tolerance)
        watch->stop = true;
    if (task->progress) {
        fil_progress point = {.phase = watch->phase,
                              .iterations = watch->stats->iterations,
                              .seconds = fil_timer_seconds() - task->start_seconds,
                              .residual = watch->residual,
                              .best = watch->least};
        if (!task->progress(task->user, &point)) {
            watch->stats->outcome = FIL_CANCELLED;
            watch->stop = true;
        }
    }
    return watch->stop;
}

static int compare_hardness(const void *a, const void *b)
{
    const fil_hard_contact *x = a, *y = b;
    if (x->square != y->square)
        return x->square > y->square ? -1 : 1;
    return x->contact < y->contact ? -1 : 1;
}

fil_hard_contact *fil_contact_watch_hardest(const fil_contact_watch *watch, fil_arena *arena, const double *r)
{
    const fil_contact_problem *problem = watch->task->problem;
    int n = problem->contact_count;
    fil_hard_contact *list = FIL_ARENA_RAW(arena, fil_hard_contact, n);
    if (!list)
        return NULL;
    for (int64_t i = 0; i < n; ++i)
        list[i] =
            (fil_hard_contact){fil_cone_natural(problem->mu[i], watch->merit.rho, r + 3 * i, watch->u + 3 * i), (int)i};
    qsort(list, (size_t)n, sizeof *list, compare_hardness);
    return list;
}

bool fil_contact_watch_count(fil_contact_watch *watch, int64_t sweeps, int64_t newton_steps)
{
    fil_solve_stats *stats = watch->stats;
    stats->sweeps += sweeps;
    stats->newton_steps += newton_steps;
    stats->iterations += sweeps + newton_steps;
    watch->work_left -= (double)sweeps * watch->sweep_work + (double)newton_steps * watch->newton_work;
    if (stats->iterations >= watch->budget || watch->work_left < 0)
        watch->stop = true;
    return watch->stop;
}

void fil_contact_watch_finish(fil_contact_watch *watch, double *r)
{
    if (watch->least < INFINITY)
        memcpy(r, watch->best, 3 * (size_t)watch->task->problem->contact_count * sizeof *r);
    else // nothing finite was ever seen: no impulse is the honest answer
        memset(r, 0, 3 * (size_t)watch->task->problem->contact_count * sizeof *r);
    if (watch->least <= watch->task->tolerance)
        watch->stats->outcome = FIL_SOLVED;
    else if (watch->stats->outcome == FIL_SOLVED)
        watch->stats->outcome = FIL_STALLED;
}
