// What apg and admm know of their residual without a product: the natural residual of impulses and velocities that they
// have at hand. The judge costs a product in doubles and is asked when the estimate promises the goal, and now and
// then.
#include "contact/contact_estimate.h"

#include <math.h>

enum { JUDGE_PERIOD = 50 };

// Floats are left below this residual when more is asked for: from there on their rounding costs iterations.
static const double float_floor = 2e-5, float_goal = 1e-5;

fil_estimate fil_estimate_make(const fil_contact_watch *watch, double slack)
{
    const fil_contact_merit *merit = &watch->merit;
    bool fclib = watch->task->merit == FIL_MERIT_FCLIB;
    double scale = fclib ? 1 + merit->norm_q : merit->rho * merit->norm_q;
    return (fil_estimate){.rho = fclib ? 1 : merit->rho,
                          .scale = scale > 0 ? scale : 1,
                          .value = INFINITY,
                          .least = INFINITY,
                          .slack = slack,
                          .goal = watch->task->tolerance};
}

fil_units fil_estimate_units(const fil_contact_watch *watch)
{
    double size = watch->merit.norm_q / sqrt(3.0 * watch->task->problem->contact_count);
    double velocity = size > 0 ? exp2(round(log2(size))) : 1;
    return (fil_units){.velocity = velocity, .impulse = velocity * exp2(round(log2(watch->merit.rho)))};
}

void fil_estimate_set(fil_estimate *estimate, const fil_contact_watch *watch, double value)
{
    const double fall = 0.75;
    estimate->value = value;
    if (value < fall * estimate->least) {
        estimate->least = value;
        estimate->since = watch->stats->iterations;
    }
}

bool fil_estimate_due(const fil_estimate *estimate, const fil_contact_watch *watch)
{
    return estimate->value <= estimate->goal || watch->stop || watch->stats->iterations % JUDGE_PERIOD == 0;
}

void fil_estimate_judge(fil_estimate *estimate, fil_contact_watch *watch, const double *r)
{
    const double least = 0.85, most = 0.95; // of the value: how soon to ask again after a promise that was not kept
    bool promised = estimate->value <= estimate->goal;
    fil_contact_watch_judge(watch, r);
    estimate->judged = watch->task->merit == FIL_MERIT_FB ? watch->natural : watch->residual;
    // What the value will be when the judge is content, if they keep their ratio.
    double goal = estimate->slack * watch->task->tolerance * estimate->value / estimate->judged;
    if (promised)
        estimate->goal = fmax(least * estimate->value, fmin(goal, most * estimate->value));
    else if (goal > estimate->goal)
        estimate->goal = goal;
}

bool fil_estimate_floats_serve(const fil_estimate *estimate, const fil_contact_watch *watch)
{
    return estimate->value > float_floor || watch->task->tolerance >= float_goal;
}
