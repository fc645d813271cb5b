// Frequencies and periods, from real motion: start displaced, step by the trapezoidal rule, time the zero crossings of
// the projection on the mode. With n steps per period that rule is slow by (2 π / n)² / 12, 8e-5 for n = 200.
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846;

enum { STEPS_PER_PERIOD = 200, HALF_PERIODS = 4 };

static double project(const fil_rig *rig, const double *shape, int axis)
{
    double sum = 0;
    for (int i = 0; i < rig->vertices; ++i)
        sum += rig->mass[i] * shape[i] * rig->position[3 * i + axis];
    return sum;
}

// The period of the projection, from the first zero crossing to the last of HALF_PERIODS + 1; NaN: there were not so
// many in twice the time expected.
static double time_period(fil_rig *rig, const double *shape, int axis, double expected)
{
    double h = expected / STEPS_PER_PERIOD, before = project(rig, shape, axis), first = 0;
    int crossings = 0;
    for (int step = 0; step < STEPS_PER_PERIOD * (HALF_PERIODS + 2) && fil_validate_going(rig->task); ++step) {
        fil_rig_step(rig, h);
        double now = project(rig, shape, axis);
        double when = (step + before / (before - now)) * h;
        if ((now > 0) != (before > 0) && ++crossings == 1)
            first = when;
        else if (crossings == HALF_PERIODS + 1)
            return (when - first) / (0.5 * HALF_PERIODS);
        before = now;
    }
    return NAN;
}

static void set_scheme(fil_rig *rig)
{
    rig->scene.motion.scheme = FIL_SCHEME_THETA;
    rig->scene.motion.theta = 0.5;
}

// Shape of mode β of a cantilever and its slope at s. At the tip the shape is ±2.
static double beam_shape(double beta, double s, double *slope)
{
    double sigma = (sinh(beta) - sin(beta)) / (cosh(beta) + cos(beta)), x = beta * s;
    *slope = beta * (sinh(x) + sin(x) - sigma * (cosh(x) - cos(x)));
    return cosh(x) - cos(x) - sigma * (sinh(x) - sin(x));
}

// Starts bent like the mode, edges at their rest lengths.
static double beam_frequency(fil_validate_task *task, double beta)
{
    enum { SEGMENTS = 60 };
    fil_rig rig;
    double period = NAN;
    if (fil_rig_begin(task, SEGMENTS + 1, &rig)) {
        double side = 1 / (SEGMENTS - 0.5), *shape = rig.strain, slope;
        for (int i = 0; i <= SEGMENTS; ++i) {
            rig.rest[3 * i] = (i - 0.5) * side;
            shape[i] = i > 1 ? beam_shape(beta, rig.rest[3 * i], &slope) : 0;
        }
        rig.start[0] = -0.5 * side;
        for (int i = 0; i < SEGMENTS; ++i) {
            beam_shape(beta, i * side, &slope);
            double angle = i > 0 ? 1e-4 * slope : 0;
            rig.start[3 * i + 3] = rig.start[3 * i] + side * cos(angle);
            rig.start[3 * i + 4] = rig.start[3 * i + 1] + side * sin(angle);
        }
        rig.group.groom.rest = rig.rest;
        fil_rig_rod(&rig, 1e-3, 1, 0.5, 1);
        set_scheme(&rig);
        fil_rig_finish(&rig);
        period = time_period(&rig, shape, 1, 2 * pi / (beta * beta));
    }
    fil_rig_end(&rig);
    return 2 * pi / period;
}

void fil_validate_beam_modes(fil_validate_task *task)
{
    static const double betas[] = {1.875104, 4.694091, 7.854757}; // cos β cosh β = -1
    for (int i = 0; i < (task->def->quick ? 1 : COUNT(betas)); ++i)
        fil_validate_report_relative(task, betas[i] * betas[i], beam_frequency(task, betas[i]),
                                     "frequency %d of a cantilever", i + 1);
}

// Hangs from a pin, bent by the inertia forces of its mode, and is let go. Weight 1; bending 1e-6.
static double chain_frequency(fil_validate_task *task, double frequency)
{
    enum { SEGMENTS = 100 };
    fil_rig rig;
    double period = NAN;
    if (fil_rig_begin(task, SEGMENTS + 1, &rig)) {
        double *shape = rig.strain;
        for (int i = 0; i <= SEGMENTS; ++i) {
            rig.start[3 * i + 1] = -(double)i / SEGMENTS;
            shape[i] = j0(2 * frequency * sqrt(1 + rig.start[3 * i + 1]));
        }
        rig.group.root = FIL_END_PINNED;
        rig.scene.gravity[1] = -1;
        fil_rig_rod(&rig, 1e-3, 1e-6, 0.5, 1e6);
        set_scheme(&rig);
        fil_rig_finish(&rig);
        for (int i = 0; i <= SEGMENTS; ++i)
            rig.force[3 * i] = 1e-3 * rig.mass[i] * frequency * frequency * shape[i];
        if (fil_validate_going(task))
            task->status = fil_state_force(task->context, rig.state, 0, rig.force);
        fil_rig_relax(&rig);
        if (fil_validate_going(task))
            task->status = fil_state_force(task->context, rig.state, 0, NULL);
        period = time_period(&rig, shape, 0, 2 * pi / frequency);
    }
    fil_rig_end(&rig);
    return 2 * pi / period;
}

void fil_validate_chain_modes(fil_validate_task *task)
{
    static const double frequencies[] = {1.20241, 2.76004, 4.32686}; // half the zeros of J0
    for (int i = 0; i < (task->def->quick ? 1 : COUNT(frequencies)); ++i)
        fil_validate_report_relative(task, frequencies[i], chain_frequency(task, frequencies[i]),
                                     "frequency %d of a hanging chain", i + 1);
}

// One stiff segment that hangs from a pin; the half of its mass that is not on the pin swings.
static double pendulum_period(fil_validate_task *task, double degrees)
{
    fil_rig rig;
    double period = NAN;
    if (fil_rig_begin(task, 2, &rig)) {
        double angle = degrees * pi / 180;
        rig.start[3] = sin(angle), rig.start[4] = -cos(angle);
        rig.group.root = FIL_END_PINNED;
        rig.scene.gravity[1] = -1;
        fil_rig_rod(&rig, 1e-3, 1, 0.5, 1);
        set_scheme(&rig);
        fil_rig_finish(&rig);
        rig.strain[1] = 1; // the shape of the mode: the far end alone
        period = time_period(&rig, rig.strain, 0, 2 * pi);
    }
    fil_rig_end(&rig);
    return period / (2 * pi);
}

void fil_validate_pendulum(fil_validate_task *task)
{
    static const double degrees[] = {30, 60, 90}, periods[] = {1.0174088, 1.0731820, 1.1803406}; // elliptic integrals
    for (int i = 0; i < COUNT(degrees); ++i)
        fil_validate_report_relative(task, periods[i], pendulum_period(task, degrees[i]), "T / T0 at %g degrees",
                                     degrees[i]);
}
