// sor: successive over-relaxation on a linear complementarity problem [Hadap06, Algorithm 2], with one friction
// direction per contact (eqs 16 and 17).
//
//   0 <= f_n ⊥ u_N >= 0,    0 <= f_t ⊥ -t · u_T + lambda >= 0,    0 <= lambda ⊥ mu f_n - f_t >= 0,    r = (f_n, -f_t t)
//
// t is the direction in which the contact would slip without impulses: friction can only push against it. This is not
// the exact law: the slip that remains may point elsewhere. Compare it with `gs` by the residuals. Differs from paper:
// the row of lambda has a zero diagonal, so that line 12 would divide by epsilon alone; eliminating lambda gives f_t <-
// min(f_t, mu f_n), which is done instead. Iterations end when the impulse no longer changes.
#include "contact/contact.h"
#include "contact/contact_block.h"
#include "contact/contact_watch.h"

#include <math.h>

typedef struct sor_param {
    double relaxation, epsilon;
    int iterations;
} sor_param;

static const fil_field fields[] = {
    {"relaxation", FIL_KIND_REAL, offsetof(sor_param, relaxation), 1, 0.05, 1.95, "", NULL, "omega"},
    {"epsilon", FIL_KIND_REAL, offsetof(sor_param, epsilon), 1e-12, 0, 1, "", NULL,
     "added to the diagonal, relative to its mean"},
    {"iterations", FIL_KIND_INT, offsetof(sor_param, iterations), 1000, 1, 1000000000, "sweeps", NULL,
     "sweeps before giving up"},
};

// One contact: f_n and f_t in turn; returns how much they changed.
static double relax_contact(const double W[9], const double t[2], double mu, const sor_param *setting, double epsilon,
                            const double u[3], double r[3])
{
    double normal = r[0], slip_force = -(r[1] * t[0] + r[2] * t[1]);
    double next = normal - setting->relaxation * u[0] / (W[0] + epsilon);
    next = next > 0 ? next : 0;
    // What the new normal impulse does to the slip along t.
    double pull = t[0] * W[1] + t[1] * W[2];
    double slip = t[0] * u[1] + t[1] * u[2] + pull * (next - normal);
    double stiffness = t[0] * (W[4] * t[0] + W[7] * t[1]) + t[1] * (W[5] * t[0] + W[8] * t[1]);
    double friction = slip_force + setting->relaxation * slip / (stiffness + epsilon);
    friction = friction > mu * next ? mu * next : friction;
    friction = friction > 0 ? friction : 0;
    r[0] = next;
    r[1] = -friction * t[0];
    r[2] = -friction * t[1];
    return fabs(next - normal) + fabs(friction - slip_force);
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const sor_param *setting = param;
    const fil_contact_problem *problem = task->problem;
    const fil_block_matrix *W = &problem->W;
    const int period = 10;
    fil_contact_watch watch;
    fil_status status = fil_contact_watch_make(task, stats, setting->iterations, &watch);
    double *t = FIL_ARENA_ARRAY(task->scratch, double, 2 * (int64_t)W->rows);
    if (status != FIL_OK || !t)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < W->rows; ++i) {
        double size =
            sqrt(problem->q[3 * i + 1] * problem->q[3 * i + 1] + problem->q[3 * i + 2] * problem->q[3 * i + 2]);
        t[2 * i] = size > 0 ? problem->q[3 * i + 1] / size : 1;
        t[2 * i + 1] = size > 0 ? problem->q[3 * i + 2] / size : 0;
        // A warm start keeps what lies along t.
        double along = fmin(0, r[3 * i + 1] * t[2 * i] + r[3 * i + 2] * t[2 * i + 1]);
        r[3 * i + 1] = along * t[2 * i];
        r[3 * i + 2] = along * t[2 * i + 1];
    }
    double epsilon = setting->epsilon / watch.merit.rho;
    watch.phase = "sor";
    fil_contact_watch_judge(&watch, r);
    double change = INFINITY, size = 0;
    while (!watch.stop && change > 1e-15 * size) {
        change = size = 0;
        for (int64_t i = 0; i < W->rows; ++i) {
            fil_v4 sum = fil_block_row(W, W->start[i], W->start[i + 1], r);
            double u[3] = {problem->q[3 * i] + sum[0], problem->q[3 * i + 1] + sum[1], problem->q[3 * i + 2] + sum[2]};
            int64_t k = W->start[i];
            while (W->column[k] != i)
                ++k;
            change += relax_contact(W->value + 9 * k, t + 2 * i, problem->mu[i], setting, epsilon, u, r + 3 * i);
            size += r[3 * i];
        }
        fil_contact_watch_count(&watch, 1, 0);
        if (stats->sweeps % period == 0 || watch.stop || change <= 1e-15 * size)
            fil_contact_watch_judge(&watch, r);
        if (!(size < INFINITY))
            break;
    }
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_sor = {
    .name = "sor",
    .doc = "Over-relaxed linear complementarity with one friction direction per contact [Hadap06]; not the exact law",
    .fields = fields,
    .field_count = 3,
    .param_size = sizeof(sor_param),
    .needs = FIL_NEEDS_DUAL,
    .solve = solve,
};
