// What a scheme does with time: the order of its error, momentum and energy. The rod is soft and has few segments, so
// that the steps resolve all of its waves: only then does a scheme show its order.
#include "validate/validate_rig.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { SEGMENTS = 6, NUMBERS = 3 * (SEGMENTS + 1) };

// Natural shape of the rod: y = curve x².
static const double straight = 0, curved = 0.2;

// A rod along x; free: it flies, turns and bends, otherwise it is clamped and falls.
static bool make_rod(fil_validate_task *task, fil_scheme scheme, bool is_free, double curve, fil_rig *rig)
{
    if (!fil_rig_begin(task, SEGMENTS + 1, rig))
        return false;
    for (int i = 0; i <= SEGMENTS; ++i) {
        double s = (double)i / SEGMENTS;
        rig->start[3 * i] = s;
        rig->start[3 * i + 1] = curve * s * s;
        rig->start_velocity[3 * i] = 0.3;
        rig->start_velocity[3 * i + 1] = 0.6 - 1.8 * s + 1.2 * s * s;
        rig->start_velocity[3 * i + 2] = 0.6 * s * s * s;
    }
    rig->group.groom.velocity = rig->start_velocity;
    if (is_free)
        rig->group.root = FIL_END_FREE;
    else
        rig->scene.gravity[1] = -1;
    // Thin, or its spin would take part in the angular momentum; waves of stretch and twist made slow enough to follow.
    fil_rig_rod(rig, 1e-3, 0.02, 0.4, 6e-5);
    rig->group.material.twist_scale = 1e-3;
    rig->scene.motion.scheme = scheme;
    rig->scene.motion.theta = 0.5;
    rig->scene.motion.tolerance = 1e-11;
    fil_rig_finish(rig);
    return true;
}

// Where the falling rod is after `time`, in this many steps.
static void fall(fil_validate_task *task, fil_scheme scheme, double time, int steps, double x[NUMBERS])
{
    fil_rig rig;
    if (make_rod(task, scheme, false, curved, &rig)) {
        for (int i = 0; i < steps; ++i)
            fil_rig_step(&rig, time / steps);
        memcpy(x, rig.position, NUMBERS * sizeof *x);
    }
    fil_rig_end(&rig);
}

static double distance(const double a[NUMBERS], const double b[NUMBERS])
{
    double sum = 0;
    for (int k = 0; k < NUMBERS; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

static const struct {
    const char *name;
    fil_scheme scheme;
    double order;
} schemes[] = {{"euler", FIL_SCHEME_EULER, 1}, {"theta 0.5", FIL_SCHEME_THETA, 2}, {"bdf2", FIL_SCHEME_BDF2, 2}};

void fil_validate_time_order(fil_validate_task *task)
{
    const double time = 0.5;
    for (int i = 0; i < COUNT(schemes); ++i) {
        double x[3][NUMBERS] = {{0}};
        for (int k = 0; k < 3; ++k)
            fall(task, schemes[i].scheme, time, 500 << k, x[k]);
        fil_validate_row row = {.theory = schemes[i].order,
                                .measured = log2(distance(x[0], x[1]) / distance(x[1], x[2])),
                                .bound = 0.15,
                                .bar = FIL_BAR_ABSOLUTE};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "order in time of %s", schemes[i].name);
    }
}

// Extremes over the flight of a free rod, relative to what it started with.
typedef struct flight {
    double momentum; // the largest change of the linear momentum
    double angular;  // change of the angular momentum at the end
    double gain;     // the largest gain of energy in a step
    double energy;   // the largest departure of the energy
} flight;

static double relative_change(const double a[3], const double b[3])
{
    double sum = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
        size += b[k] * b[k];
    }
    return sqrt(sum / size);
}

static flight fly(fil_validate_task *task, fil_scheme scheme, double curve, double time, int steps)
{
    flight out = {0};
    fil_rig rig;
    if (make_rod(task, scheme, true, curve, &rig) && fil_validate_going(task)) {
        fil_measure start, now;
        fil_state_measure(rig.state, 0, &start);
        double first = start.kinetic + start.elastic, last = first;
        for (int i = 0; i < steps && fil_validate_going(task); ++i) {
            fil_rig_step(&rig, time / steps);
            fil_state_measure(rig.state, 0, &now);
            double energy = now.kinetic + now.elastic;
            out.momentum = fmax(out.momentum, relative_change(now.momentum, start.momentum));
            out.angular = relative_change(now.angular_momentum, start.angular_momentum);
            out.gain = fmax(out.gain, (energy - last) / first);
            out.energy = fmax(out.energy, fabs(energy / first - 1));
            last = energy;
        }
    }
    fil_rig_end(&rig);
    return out;
}

static void report_bound(fil_validate_task *task, double measured, double bound, const char *reason,
                         const char *quantity, const char *scheme)
{
    fil_validate_row row = {.measured = measured, .bound = bound, .bar = FIL_BAR_ABSOLUTE};
    fil_validate_report(task, &row, FIL_VERDICT_BY_DESIGN, reason, "%s, %s", quantity, scheme);
}

// Five periods of the slowest bending (frequency 22.4 sqrt(EI), period 2 s) for energy and linear momentum. Angular
// momentum is lost at a rate proportional to the step: forces act with the arms of the end of a step.
//
// Euler loses energy where the elastic energy is convex along the motion. A rod that is compressed while it spins may
// gain a little, h² / 2 × compression × (turning rate)² per length: this one is stiff enough not to.
void fil_validate_balance(fil_validate_task *task)
{
    const double long_time = 10, short_time = 2;
    enum { LONG_STEPS = 4000, SHORT_STEPS = 400 };
    // Seen in lifted: every gain of the curved rod is a step in which a torsion passes from π to -π.
    const char *ridge = task->has_twist
                            ? NULL
                            : "Torsion counts the shorter way round: its energy has a ridge at half a turn, "
                              "and Euler may gain energy in crossing it.";
    for (int i = 0; i < COUNT(schemes); ++i) {
        flight f = fly(task, schemes[i].scheme, curved, long_time, LONG_STEPS);
        report_bound(task, f.momentum, 1e-9, NULL, "change of linear momentum", schemes[i].name);
        if (schemes[i].scheme == FIL_SCHEME_EULER)
            report_bound(task, f.gain, 1e-12, ridge, "gain of energy in a step, curved rod", schemes[i].name);
        if (schemes[i].scheme == FIL_SCHEME_THETA)
            report_bound(task, f.energy, 1e-3, NULL, "change of energy in five periods", schemes[i].name);
    }
    flight f = fly(task, FIL_SCHEME_EULER, straight, long_time, LONG_STEPS);
    report_bound(task, f.gain, 1e-12, NULL, "gain of energy in a step, straight rod", "euler");
    flight coarse = fly(task, FIL_SCHEME_EULER, curved, short_time, SHORT_STEPS);
    flight fine = fly(task, FIL_SCHEME_EULER, curved, short_time, 2 * SHORT_STEPS);
    fil_validate_row row = {
        .theory = 2, .measured = coarse.angular / fine.angular, .bound = 0.2, .bar = FIL_BAR_ABSOLUTE};
    fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "loss of angular momentum at h over that at h/2, euler");
}
