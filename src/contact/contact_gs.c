// gs: nonlinear block Gauss-Seidel, the hybrid solver of [Daviet11, Algorithm 1].
//
// Sweeps (contact_sweep.c) until the merit is met. Options: freezing of contacts whose impulse no longer changes, over-
// or under-relaxation (r <- P_K(r + omega (r_new - r))), evaluation period, natural or coloured order. Converges
// linearly, fast at first and slowly in the tail; may cycle where many contacts press on one body.
#include "contact/contact.h"
#include "contact/contact_sweep.h"
#include "contact/contact_watch.h"

#include <math.h>

typedef struct gs_param {
    double relaxation;
    int order, period, freeze;
} gs_param;

static const fil_field fields[] = {
    {"relaxation", FIL_KIND_REAL, offsetof(gs_param, relaxation), 1, 0.05, 1.95, "", NULL,
     "omega: 1 plain, below 1 careful, above 1 faster and less safe"},
    {"order", FIL_KIND_CHOICE, offsetof(gs_param, order), 0, 0, 1, "", "natural|coloured",
     "one contact after the other, or by colours in parallel; same bits on any number of threads"},
    {"period", FIL_KIND_INT, offsetof(gs_param, period), 10, 1, 1000000, "sweeps", NULL,
     "sweeps between two looks at the residual (each costs about a sweep); the first five sweeps are all looked at"},
    {"freeze", FIL_KIND_BOOL, offsetof(gs_param, freeze), 1, 0, 1, "", NULL,
     "let contacts sleep that did not change for ten sweeps; all are visited every twenty sweeps"},
};

static double root_mean_square(const double *r, int64_t count)
{
    double square = 0;
    for (int64_t k = 0; k < count; ++k)
        square += r[k] * r[k];
    return count > 0 ? sqrt(square / (double)count) : 0;
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const gs_param *setting = param;
    const int64_t default_budget = 100000;
    int64_t size = 3 * (int64_t)task->problem->contact_count;
    fil_contact_watch watch;
    fil_sweep sweep;
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &watch);
    if (status == FIL_OK)
        status = fil_sweep_make(task, setting->order == 1, &sweep);
    if (status != FIL_OK)
        return status;
    sweep.relaxation = setting->relaxation;
    sweep.freeze = setting->freeze;
    watch.phase = "gs";
    fil_contact_watch_judge(&watch, r);
    while (!watch.stop) {
        // Quiet means: too small a change to matter at the tolerance asked for.
        sweep.quiet_change = 0.1 * fmin(task->tolerance, 1e-6) * root_mean_square(r, size);
        int sweeps = stats->sweeps < 5 ? 1 : setting->period;
        for (int k = 0; k < sweeps && !watch.stop; ++k) {
            fil_sweep_run(&sweep, r);
            fil_contact_watch_count(&watch, 1, 0);
        }
        fil_contact_watch_judge(&watch, r);
    }
    stats->local_calls = sweep.counts.calls;
    stats->failsafe_calls = sweep.counts.failsafe;
    stats->local_failures = sweep.counts.failures;
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_gs = {
    .name = "gs",
    .doc = "Nonlinear block Gauss-Seidel with an exact solver per contact [Daviet11, Algorithm 1]",
    .fields = fields,
    .field_count = 4,
    .param_size = sizeof(gs_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
