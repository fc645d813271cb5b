// apg: accelerated projected gradient, scaled per contact, one product with W per iteration and W never formed.
//
//   slope = u(y) + mu |u_T(r)| e             e: the normal; the De Saxcé term is taken at the last point r
//   r+    = P_K(y - t d_i slope)             d_i = 3 / tr W_ii
//   accept if e·W e <= e·D⁻¹ e / t           e = r+ - y; else t shrinks and the step is taken again
//   y     = r+ + beta (r+ - r)               Nesterov; beta starts anew when slope·(r+ - r) > 0 [O'Donoghue15]
//
// u is linear, so u(y) follows from u(r+) and u(r), and We from u(r+) - u(y). After each accepted step t grows by 2 %.
// The natural residual of r+ is free; the judge, which costs a product in double, is asked when that residual promises
// the goal, and now and then.
//
// On strands (contact_strands.c) it begins in floats, which cost half as much and serve as long as their rounding is
// small against the residual; then it goes on in doubles from the same point. Other problems take the general road
// in doubles: through W where it is given, else through the bodies.
//
// Cost per iteration: one product and two passes over a few vectors. Limits: converges linearly at a rate that the
// conditioning of W sets; below 1e-5 it may stall on a few contacts and other methods are better. The De Saxcé term
// moves along with the iterates, so convergence is not proven: where it stalls, it says so.
#include "contact/contact.h"
#include "contact/contact_estimate.h"

#include "base/parallel.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { LANES = FIL_STRANDS_LANES, BLOCK = FIL_STRANDS_BLOCK, block_grain = 128 };

static const double growth = 1.02, most_step = 100, least_tangent = 1e-30;
static const double float_error = 0.1; // floats are left where their residual is that far from the true one

typedef struct apg_param {
    int floats;
} apg_param;

static const fil_field fields[] = {
    {"floats", FIL_KIND_BOOL, offsetof(apg_param, floats), 1, 0, 1, "", NULL,
     "begin in floats on strands, go on in doubles when they no longer serve; false: doubles alone"},
};

typedef struct apg_sums {
    double curvature; // e·We
    double length;    // e·D⁻¹e
    double climb;     // slope·(r+ - r)
    double natural;   // |F|² at r+
} apg_sums;

typedef struct apg {
    const fil_contact_task *task;
    fil_contact_watch watch;
    fil_contact_strands *strands; // NULL: the general road, through `watch.op`
    int blocks;
    int *slot;         // [contacts] where a contact lies in a blocked vector
    double *r;         // [3 contacts] the last point, in the order of the problem
    double *x, *u;     // [3 contacts] memory of the general road
    double *d, *mu;    // [blocks × 8]
    apg_sums *partial; // of each range of blocks
    fil_estimate estimate;
    double step; // t
    bool broken; // numbers are not finite
} apg;

static void multiply(const apg *a, const double *q, const double *r, double *u)
{
    if (a->strands) {
        fil_contact_strands_product(a->strands, r, q, u);
        return;
    }
    for (int64_t i = 0; i < a->task->problem->contact_count; ++i)
        for (int k = 0; k < 3; ++k)
            a->x[3 * i + k] = r[a->slot[i] + LANES * k];
    fil_contact_operator_apply(&a->watch.op, a->x, a->u);
    for (int64_t i = 0; i < a->task->problem->contact_count; ++i)
        for (int k = 0; k < 3; ++k)
            u[a->slot[i] + LANES * k] = a->u[3 * i + k];
}

static void multiply_float(const apg *a, const float *q, const float *r, float *u)
{
    fil_contact_strands_product_float(a->strands, r, q, u);
}

static apg_sums add_partial_sums(const apg *a)
{
    apg_sums sum = {0};
    for (int range = 0; range * block_grain < a->blocks; ++range) {
        sum.curvature += a->partial[range].curvature;
        sum.length += a->partial[range].length;
        sum.climb += a->partial[range].climb;
        sum.natural += a->partial[range].natural;
    }
    return sum;
}

// Whether the trial is accepted; the next step length.
static bool choose_step(apg *a, const apg_sums *sums)
{
    const double margin = 0.95;
    a->broken = !isfinite(sums->curvature + sums->length + sums->climb + sums->natural);
    if (a->broken)
        return false;
    if (sums->curvature * a->step <= sums->length) {
        a->step = fmin(growth * a->step, most_step);
        return true;
    }
    a->step = margin * sums->length / sums->curvature;
    return false;
}

// The weight of the last move in the next extrapolation; zero after a restart.
static double next_beta(double *momentum, bool restart)
{
    if (restart) {
        *momentum = 1;
        return 0;
    }
    double m = *momentum, next = 0.5 * (m * sqrt(m * m + 4) - m * m);
    *momentum = next;
    return m * (1 - m) / (m * m + next);
}

static bool floats_serve(const apg *a, bool just_judged)
{
    if (just_judged && fabs(a->estimate.judged - a->estimate.value) > float_error * a->estimate.judged)
        return false;
    return fil_estimate_floats_serve(&a->estimate, &a->watch);
}

#include "math/lanes_double.h"

#include "contact/contact_apg_kernel.h"

#include "math/lanes_float.h"

// NOLINTNEXTLINE(readability-duplicate-include): once for each precision
#include "contact/contact_apg_kernel.h"

// Everything besides the watch, when there is something to do.
static fil_status prepare(apg *a)
{
    fil_arena *arena = a->task->scratch;
    const fil_contact_problem *problem = a->task->problem;
    int n = problem->contact_count;
    // Strands where they are, also when W is given: a product is cheaper.
    fil_status status = fil_contact_watch_strands(&a->watch, &a->strands);
    if (status != FIL_OK)
        return status;
    a->estimate = fil_estimate_make(&a->watch, 1);
    a->blocks = (n + LANES - 1) / LANES;
    a->slot = FIL_ARENA_ARRAY(arena, int, n);
    a->x = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    a->u = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    a->d = FIL_ARENA_ARRAY(arena, double, LANES *(int64_t)a->blocks);
    a->mu = FIL_ARENA_ARRAY(arena, double, LANES *(int64_t)a->blocks);
    a->partial = FIL_ARENA_ARRAY(arena, apg_sums, a->blocks / block_grain + 1);
    if (!a->slot || !a->x || !a->u || !a->d || !a->mu || !a->partial)
        return FIL_NO_MEMORY;
    status = fil_contact_operator_diagonal(&a->watch.op, arena, a->x);
    for (int k = 0; k < LANES * a->blocks; ++k)
        a->d[k] = a->watch.merit.rho;
    for (int i = 0; i < n; ++i) {
        int place = a->strands ? fil_contact_strands_place(a->strands, i) : i;
        a->slot[i] = place / LANES * BLOCK + place % LANES;
        a->mu[place] = problem->mu[i];
        if (a->x[i] > 0 && 3 / a->x[i] < INFINITY)
            a->d[place] = 3 / a->x[i];
    }
    return status;
}

static fil_status run_floats(apg *a)
{
    fil_units unit = fil_estimate_units(&a->watch);
    fil_status status = fil_contact_strands_add_float(a->strands, a->task->scratch, unit.impulse, unit.velocity);
    if (status != FIL_OK)
        return status;
    a->watch.phase = "apg-float";
    return run_float(a, unit);
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const int64_t default_budget = 20000;
    const apg_param *setting = param;
    apg a = {.task = task, .step = 1};
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &a.watch);
    a.r = FIL_ARENA_ARRAY(task->scratch, double, 3 * (int64_t)task->problem->contact_count);
    if (status == FIL_OK && !a.r)
        status = FIL_NO_MEMORY;
    if (status != FIL_OK)
        return status;
    memcpy(a.r, r, 3 * (size_t)task->problem->contact_count * sizeof *r);
    a.watch.phase = "apg";
    if (!fil_contact_watch_judge(&a.watch, a.r)) {
        status = prepare(&a);
        if (status == FIL_OK && a.strands && setting->floats)
            status = run_floats(&a);
        a.watch.phase = "apg";
        if (status == FIL_OK && !a.watch.stop)
            status = run(&a, (fil_units){1, 1});
        if (status != FIL_OK)
            return status;
    }
    fil_contact_watch_finish(&a.watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_apg = {
    .name = "apg",
    .doc = "Accelerated projected gradient, scaled per contact, without W: for many contacts of strands",
    .fields = fields,
    .field_count = 1,
    .param_size = sizeof(apg_param),
    .needs = 0,
    .solve = solve,
};
