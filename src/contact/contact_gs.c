// gs: nonlinear block Gauss-Seidel, the hybrid solver of [Daviet11, Algorithm 1].
//
// Sweeps (contact_sweep.c) until the merit is met. Options: freezing of contacts whose impulse hardly changes, over- or
// under-relaxation (r <- P_K(r + omega (r_new - r))), evaluation period, natural or coloured order. Converges linearly,
// fast at first and slowly in the tail; may cycle where many contacts press on one body.
//
// Over-relaxation is faster on many problems and never ends on some. With the safeguard it is given up for good, and
// the best impulse taken up again, when the residual has not fallen clearly for some time. Nothing here looks at a
// clock: the same problem gives the same bits.
#include "contact/contact.h"
#include "contact/contact_sweep.h"
#include "contact/contact_watch.h"

#include <math.h>
#include <string.h>

typedef struct gs_param {
    double relaxation;
    int order, period, freeze, safeguard;
} gs_param;

static const fil_field fields[] = {
    {"relaxation", FIL_KIND_REAL, offsetof(gs_param, relaxation), 1, 0.05, 1.95, "", NULL,
     "omega: 1 plain, below 1 careful, above 1 faster and less safe"},
    {"order", FIL_KIND_CHOICE, offsetof(gs_param, order), 0, 0, 1, "", "natural|coloured",
     "one contact after the other, or by colours in parallel; same bits on any number of threads"},
    {"period", FIL_KIND_INT, offsetof(gs_param, period), 10, 1, 1000000, "sweeps", NULL,
     "sweeps between two looks at the residual (each costs about a sweep); the first five sweeps are all looked at"},
    {"freeze", FIL_KIND_BOOL, offsetof(gs_param, freeze), 1, 0, 1, "", NULL,
     "let contacts sleep that hardly changed for ten sweeps; all are visited every twenty sweeps"},
    {"safeguard", FIL_KIND_BOOL, offsetof(gs_param, safeguard), 1, 0, 1, "", NULL,
     "go on with omega = 1 when omega is above and the residual stops falling"},
};

// A contact is quiet when it moves by less than this, a part of what contacts still have to move on average.
static double quiet_change(const fil_contact_watch *watch, int contacts)
{
    const double part = 0.3;
    return part * watch->natural * watch->merit.rho * watch->merit.norm_q / sqrt(contacts);
}

// The residual at its last clear fall, and when that was.
typedef struct progress {
    double residual;
    int64_t sweep;
} progress;

// Gives over-relaxation up when it leads nowhere.
static void guard(const fil_contact_watch *watch, progress *last, fil_sweep *sweep, double *r)
{
    const double clear = 0.9;
    const int64_t patience = 100;
    if (watch->natural < clear * last->residual) {
        *last = (progress){.residual = watch->natural, .sweep = sweep->number};
        return;
    }
    if (sweep->number - last->sweep < patience || watch->least == INFINITY)
        return;
    sweep->relaxation = 1;
    memcpy(r, watch->best, 3 * (size_t)watch->task->problem->contact_count * sizeof *r);
    fil_sweep_wake(sweep);
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const gs_param *setting = param;
    const int64_t default_budget = 100000, soon = 50; // what ends soon is not held up by contacts that sleep
    progress last = {.residual = INFINITY};
    fil_contact_watch watch;
    fil_sweep sweep;
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &watch);
    if (status == FIL_OK)
        status = fil_sweep_make(task, setting->order == 1 ? FIL_SWEEP_COLOURED : FIL_SWEEP_NATURAL, &sweep);
    if (status != FIL_OK)
        return status;
    sweep.relaxation = setting->relaxation;
    watch.phase = "gs";
    fil_contact_watch_judge(&watch, r);
    while (!watch.stop) {
        sweep.freeze = setting->freeze && sweep.number >= soon;
        sweep.quiet_change = quiet_change(&watch, task->problem->contact_count);
        int sweeps = stats->sweeps < 5 ? 1 : setting->period;
        for (int k = 0; k < sweeps && !watch.stop; ++k) {
            fil_sweep_run(&sweep, r);
            fil_contact_watch_count(&watch, 1, 0);
        }
        fil_contact_watch_judge(&watch, r);
        if (setting->safeguard && sweep.relaxation > 1 && !watch.stop)
            guard(&watch, &last, &sweep, r);
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
    .field_count = 5,
    .param_size = sizeof(gs_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
