// proximal: semismooth Newton with an adaptive proximal term instead of a line search.
//
//   [A + B (W + lambda diag(1/rho_i))] dr = -F(r),   full steps only
//
// A step is accepted when |F|² falls below the largest of the last `memory` values: the way to the solution leads over
// hills, and a monotone search stops in the first valley. lambda shrinks while steps are good and grows when they are
// refused; as it becomes small the method is Newton's and ends fast. Over-constrained problems (W singular) are
// regular for lambda > 0. A dead end (12 refusals, or lambda above 10) is left by 20 relaxed Gauss-Seidel sweeps.
#include "contact/contact_proximal.h"

#include "contact/contact.h"
#include "math/cone.h"

#include <math.h>
#include <string.h>

enum { LONGEST_MEMORY = 64 };

fil_status fil_proximal_make(fil_contact_watch *watch, fil_sweep *sweep, fil_proximal *out)
{
    fil_arena *arena = watch->task->scratch;
    int64_t size = 3 * (int64_t)watch->task->problem->contact_count;
    *out = (fil_proximal){
        .watch = watch,
        .sweep = sweep,
        .dr = FIL_ARENA_ARRAY(arena, double, size),
        .trial = FIL_ARENA_ARRAY(arena, double, size),
        .projected = FIL_ARENA_ARRAY(arena, double, size),
    };
    if (!out->dr || !out->trial || !out->projected)
        return FIL_NO_MEMORY;
    return fil_linearisation_make(watch, arena, &out->lin);
}

// Shows r and its projection on the cones to the judge.
static bool judge_both(fil_proximal *proximal, const double *r)
{
    const fil_contact_problem *problem = proximal->watch->task->problem;
    if (fil_contact_watch_judge(proximal->watch, r))
        return true;
    memcpy(proximal->projected, r, 3 * (size_t)problem->contact_count * sizeof *r);
    for (int64_t i = 0; i < problem->contact_count; ++i)
        fil_cone_project(problem->mu[i], proximal->projected + 3 * i);
    return fil_contact_watch_judge(proximal->watch, proximal->projected);
}

// The largest |F|² that a step may lead to.
typedef struct history {
    double value[LONGEST_MEMORY];
    int memory, count;
} history;

static void remember(history *past, double square)
{
    past->value[past->count++ % past->memory] = square;
}

static double ceiling(const history *past)
{
    int held = past->count < past->memory ? past->count : past->memory;
    double most = 0;
    for (int k = 0; k < held; ++k)
        most = past->value[k] > most ? past->value[k] : most;
    return 0.9998 * most;
}

// 20 careful sweeps from r: out of a dead end.
static void escape(fil_proximal *proximal, double *r)
{
    double relaxation = proximal->sweep->relaxation;
    proximal->sweep->relaxation = 0.7;
    for (int k = 0; k < 20 && !proximal->watch->stop; ++k) {
        fil_sweep_run(proximal->sweep, r);
        fil_contact_watch_count(proximal->watch, 1, 0);
    }
    proximal->sweep->relaxation = relaxation;
}

bool fil_proximal_run(fil_proximal *proximal, const fil_proximal_plan *plan, double *r)
{
    const double most_lambda = 10;
    fil_contact_watch *watch = proximal->watch;
    fil_linearisation *lin = &proximal->lin;
    int64_t size = 3 * (int64_t)watch->task->problem->contact_count;
    history past = {.memory = plan->memory};
    double lambda = plan->lambda, square = fil_linearisation_evaluate(lin, plan->map, r, true);
    double judged = INFINITY;
    remember(&past, square);
    int refusals = 0;
    for (int used = 0; used < plan->iterations && !watch->stop; ++used) {
        int outcome = fil_linearisation_step(lin, lambda, proximal->dr);
        if (outcome < 0)
            return false;
        ++watch->stats->factorisations;
        fil_contact_watch_count(watch, 0, 1);
        double before = square;
        bool accepted = false;
        if (outcome == 0) {
            for (int64_t k = 0; k < size; ++k)
                proximal->trial[k] = r[k] + proximal->dr[k];
            square = fil_linearisation_evaluate(lin, plan->map, proximal->trial, true);
            accepted = square <= ceiling(&past);
        }
        if (accepted) {
            memcpy(r, proximal->trial, (size_t)size * sizeof *r);
            remember(&past, square);
            if (refusals == 0)
                lambda = fmax(plan->floor, lambda * (square < 0.25 * before ? 0.1 : 0.4));
            refusals = 0;
            // The judge costs two products: ask when there is something new to see.
            if (square < 0.25 * judged || used + 1 == plan->iterations) {
                judged = square;
                judge_both(proximal, r);
            }
            continue;
        }
        lambda *= outcome == 0 || refusals > 0 ? 5 : 100;
        if (++refusals >= 12 || lambda > most_lambda) {
            escape(proximal, r);
            judge_both(proximal, r);
            past.count = 0;
            refusals = 0;
            lambda = plan->lambda;
            square = fil_linearisation_evaluate(lin, plan->map, r, true);
            remember(&past, square);
        } else {
            square = fil_linearisation_evaluate(lin, plan->map, r, true);
        }
    }
    if (!watch->stop)
        judge_both(proximal, r);
    return true;
}

typedef struct proximal_param {
    int map, memory, iterations;
    double lambda, floor;
} proximal_param;

static const fil_field fields[] = {
    {"map", FIL_KIND_CHOICE, offsetof(proximal_param, map), 0, 0, 3, "", "ac|jm|nm|fb",
     "Alart-Curnier, Jean-Moreau, natural map, Fischer-Burmeister"},
    {"memory", FIL_KIND_INT, offsetof(proximal_param, memory), 10, 1, LONGEST_MEMORY, "steps", NULL,
     "steps over which the residual need not fall"},
    {"iterations", FIL_KIND_INT, offsetof(proximal_param, iterations), 400, 1, 1000000, "", NULL,
     "factorisations before giving up"},
    {"lambda", FIL_KIND_REAL, offsetof(proximal_param, lambda), 1e-2, 1e-13, 10, "", NULL, "first proximal weight"},
    {"floor", FIL_KIND_REAL, offsetof(proximal_param, floor), 1e-7, 1e-14, 1, "", NULL,
     "least proximal weight: too small, and rounding in a singular W throws the last steps back"},
};

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const proximal_param *setting = param;
    fil_contact_watch watch;
    fil_sweep sweep;
    fil_proximal proximal;
    fil_status status = fil_contact_watch_make(task, stats, INT64_MAX, &watch);
    if (status == FIL_OK)
        status = fil_sweep_make(task, FIL_SWEEP_NATURAL, &sweep);
    if (status == FIL_OK)
        status = fil_proximal_make(&watch, &sweep, &proximal);
    if (status != FIL_OK)
        return status;
    watch.phase = "proximal";
    fil_proximal_plan plan = {.map = (fil_map)setting->map,
                              .memory = setting->memory,
                              .iterations = setting->iterations,
                              .lambda = setting->lambda,
                              .floor = setting->floor};
    if (!fil_contact_watch_judge(&watch, r) && !fil_proximal_run(&proximal, &plan, r))
        return FIL_NO_MEMORY;
    stats->local_calls = sweep.counts.calls;
    stats->failsafe_calls = sweep.counts.failsafe;
    stats->local_failures = sweep.counts.failures;
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_proximal = {
    .name = "proximal",
    .doc = "Semismooth Newton with an adaptive proximal term and a non-monotone test; sparse block LU",
    .fields = fields,
    .field_count = 5,
    .param_size = sizeof(proximal_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
