// anderson: Gauss-Seidel sweeps with Anderson acceleration (type II, Walker and Ni 2011).
//
//   g_k = sweep(r_k),  f_k = g_k - r_k,  gamma = argmin |f_k - dF gamma|,  r_{k+1} = P_K(g_k - dG gamma)
//
// dF, dG hold the last differences of f and g. The least-squares problem is solved by normal equations with a small
// ridge; the Gram matrix is updated by one row per step. When |f| more than doubles, the history is dropped and the
// iteration returns to the last plain sweep. Cost per step: one sweep and three passes over the vectors, in blocks that
// stay in the cache: differences with all their products, mixing, and f. Sums of blocks are added in order, so that the
// bits do not depend on threads.
#include "contact/contact_anderson.h"

#include "base/parallel.h"
#include "contact/contact.h"
#include "math/cone.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 3 * 512 }; // whole contacts

fil_status fil_anderson_make(fil_contact_watch *watch, fil_sweep *sweep, int window, fil_anderson *out)
{
    fil_arena *arena = watch->task->scratch;
    int64_t size = 3 * (int64_t)watch->task->problem->contact_count;
    *out = (fil_anderson){.watch = watch, .sweep = sweep, .size = size};
    out->f = FIL_ARENA_RAW(arena, double, size);
    out->g = FIL_ARENA_RAW(arena, double, size);
    out->last_f = FIL_ARENA_RAW(arena, double, size);
    out->last_g = FIL_ARENA_RAW(arena, double, size);
    out->sums = FIL_ARENA_RAW(arena, double, (size / BLOCK + 1) * FIL_ANDERSON_SUMS);
    bool complete = out->f && out->g && out->last_f && out->last_g && out->sums;
    for (int k = 0; k < window; ++k) {
        out->df[k] = FIL_ARENA_RAW(arena, double, size);
        out->dg[k] = FIL_ARENA_RAW(arena, double, size);
        complete = complete && out->df[k] && out->dg[k];
    }
    return complete ? FIL_OK : FIL_NO_MEMORY;
}

static double dot(const double *a, const double *b, int64_t size)
{
    // Four partial sums in a fixed order: fast, and the same bits everywhere.
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;
    for (; k + 4 <= size; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < size; ++k)
        s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

// Solves the ridge-regularised normal equations (Cholesky); false when they are not positive definite.
static bool solve_gram(fil_anderson *anderson, int held)
{
    double *gamma = anderson->gamma;
    double L[FIL_ANDERSON_WINDOW][FIL_ANDERSON_WINDOW], trace = 0;
    for (int i = 0; i < held; ++i)
        trace += anderson->gram[i][i];
    for (int i = 0; i < held; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = anderson->gram[i][j] + (i == j ? 1e-12 * trace : 0);
            for (int k = 0; k < j; ++k)
                sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0))
                return false;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    for (int i = 0; i < held; ++i) {
        for (int k = 0; k < i; ++k)
            gamma[i] -= L[i][k] * gamma[k];
        gamma[i] /= L[i][i];
    }
    for (int i = held - 1; i >= 0; --i) {
        for (int k = i + 1; k < held; ++k)
            gamma[i] -= L[k][i] * gamma[k];
        gamma[i] /= L[i][i];
    }
    return true;
}

// ---- passes over the vectors

typedef struct pass {
    fil_anderson *anderson;
    int slot, held; // the newest difference, how many there are
    double *r;
} pass;

static double *sums_of(const fil_anderson *anderson, int64_t begin)
{
    return anderson->sums + begin / BLOCK * FIL_ANDERSON_SUMS;
}

static double sum_up(const fil_anderson *anderson, int which)
{
    double sum = 0;
    for (int64_t begin = 0; begin < anderson->size; begin += BLOCK)
        sum += sums_of(anderson, begin)[which];
    return sum;
}

// f = g - r, and its square.
static void subtract_block(void *data, int64_t begin, int64_t end)
{
    const pass *self = data;
    fil_anderson *anderson = self->anderson;
    for (int64_t k = begin; k < end; ++k)
        anderson->f[k] = anderson->g[k] - self->r[k];
    sums_of(anderson, begin)[0] = dot(anderson->f + begin, anderson->f + begin, end - begin);
}

static double subtract(fil_anderson *anderson, double *r)
{
    pass pass = {.anderson = anderson};
    pass.r = r;
    fil_parallel_for(anderson->watch->task->context, anderson->size, BLOCK, subtract_block, &pass);
    return sum_up(anderson, 0);
}

// The newest differences into their slot; their products with the others; those of all with f; f and g become the last.
static void push_block(void *data, int64_t begin, int64_t end)
{
    const pass *self = data;
    fil_anderson *anderson = self->anderson;
    double *sums = sums_of(anderson, begin);
    if (self->slot >= 0) {
        double *df = anderson->df[self->slot], *dg = anderson->dg[self->slot];
        for (int64_t k = begin; k < end; ++k) {
            df[k] = anderson->f[k] - anderson->last_f[k];
            dg[k] = anderson->g[k] - anderson->last_g[k];
        }
        for (int k = 0; k < self->held; ++k) {
            sums[k] = dot(df + begin, anderson->df[k] + begin, end - begin);
            sums[FIL_ANDERSON_WINDOW + k] = dot(anderson->f + begin, anderson->df[k] + begin, end - begin);
        }
    }
    memcpy(anderson->last_f + begin, anderson->f + begin, (size_t)(end - begin) * sizeof *anderson->f);
    memcpy(anderson->last_g + begin, anderson->g + begin, (size_t)(end - begin) * sizeof *anderson->g);
}

// slot: -1 when there is nothing to differ from yet.
static void push_difference(fil_anderson *anderson, int slot, int held)
{
    pass pass = {.anderson = anderson, .slot = slot, .held = held};
    fil_parallel_for(anderson->watch->task->context, anderson->size, BLOCK, push_block, &pass);
    for (int k = 0; k < held; ++k) {
        anderson->gram[slot][k] = anderson->gram[k][slot] = sum_up(anderson, k);
        anderson->gamma[k] = sum_up(anderson, FIL_ANDERSON_WINDOW + k);
    }
}

// r = P_K(g - dG gamma)
static void mix_block(void *data, int64_t begin, int64_t end)
{
    const pass *self = data;
    const fil_anderson *anderson = self->anderson;
    const double *mu = anderson->watch->task->problem->mu;
    double *r = self->r;
    memcpy(r + begin, anderson->g + begin, (size_t)(end - begin) * sizeof *r);
    for (int k = 0; k < self->held; ++k)
        for (int64_t m = begin; m < end; ++m)
            r[m] -= anderson->gamma[k] * anderson->dg[k][m];
    for (int64_t m = begin; m < end && self->held > 0; m += 3)
        fil_cone_project(mu[m / 3], r + m);
}

static void mix(fil_anderson *anderson, int held, double *r)
{
    pass pass = {.anderson = anderson, .held = held > 0 && solve_gram(anderson, held) ? held : 0};
    pass.r = r;
    fil_parallel_for(anderson->watch->task->context, anderson->size, BLOCK, mix_block, &pass);
}

void fil_anderson_run(fil_anderson *anderson, const fil_anderson_plan *plan, double *r)
{
    fil_contact_watch *watch = anderson->watch;
    size_t bytes = (size_t)anderson->size * sizeof *r;
    int held = 0, slot = 0;
    bool has_last = false;
    double last_square = INFINITY, judged_square = INFINITY;
    int64_t judged_step = 0;
    anderson->sweep->relaxation = plan->relaxation;
    for (int64_t step = 0; step < plan->steps && !watch->stop; ++step) {
        memcpy(anderson->g, r, bytes);
        for (int k = 0; k < plan->sweeps; ++k)
            fil_sweep_run(anderson->sweep, anderson->g);
        double square = subtract(anderson, r);
        bool out_of_budget = fil_contact_watch_count(watch, plan->sweeps, 0);

        // A product per look: look when the sweeps changed clearly less than at the last look, or after a while.
        if (square < 0.04 * judged_square || step - judged_step >= 20 || out_of_budget || step + 1 == plan->steps) {
            judged_square = square;
            judged_step = step;
            fil_contact_watch_judge(watch, anderson->g);
        }
        if (square > 4 * last_square) {
            // Mixing made it worse: back to the last plain sweep, without memory.
            memcpy(r, anderson->last_g, bytes);
            held = slot = 0;
            has_last = false;
            last_square = INFINITY;
            continue;
        }
        if (has_last)
            held = held < plan->window ? held + 1 : held;
        push_difference(anderson, has_last ? slot : -1, held);
        if (has_last)
            slot = (slot + 1) % plan->window;
        has_last = true;
        last_square = square;
        mix(anderson, held, r);
    }
    memcpy(r, anderson->g, bytes);
    anderson->sweep->relaxation = 1;
}

typedef struct anderson_param {
    int window, sweeps;
    double relaxation;
} anderson_param;

static const fil_field fields[] = {
    {"window", FIL_KIND_INT, offsetof(anderson_param, window), 10, 1, FIL_ANDERSON_WINDOW, "steps", NULL,
     "differences that are kept"},
    {"sweeps", FIL_KIND_INT, offsetof(anderson_param, sweeps), 1, 1, 1000, "", NULL, "sweeps per step"},
    {"relaxation", FIL_KIND_REAL, offsetof(anderson_param, relaxation), 1, 0.05, 1.95, "", NULL, "omega of the sweeps"},
};

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const anderson_param *setting = param;
    const int64_t default_budget = 100000;
    fil_contact_watch watch;
    fil_sweep sweep;
    fil_anderson anderson;
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &watch);
    if (status == FIL_OK)
        status = fil_sweep_make(task, FIL_SWEEP_BODIES, &sweep);
    if (status == FIL_OK)
        status = fil_anderson_make(&watch, &sweep, setting->window, &anderson);
    if (status != FIL_OK)
        return status;
    watch.phase = "anderson";
    fil_anderson_plan plan = {
        .window = setting->window, .sweeps = setting->sweeps, .relaxation = setting->relaxation, .steps = INT64_MAX};
    if (!fil_contact_watch_judge(&watch, r))
        fil_anderson_run(&anderson, &plan, r);
    stats->local_calls = sweep.counts.calls;
    stats->failsafe_calls = sweep.counts.failsafe;
    stats->local_failures = sweep.counts.failures;
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_anderson = {
    .name = "anderson",
    .doc = "Gauss-Seidel sweeps with Anderson acceleration",
    .fields = fields,
    .field_count = 3,
    .param_size = sizeof(anderson_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
