// Strands that fly into each other without gravity: what the collision keeps and what it takes. A short strand that
// falls on a plane, or hangs below one.
#include "base/rng.h"
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { SEGMENTS = 8, VERTICES = SEGMENTS + 1 };
static const double pi = 3.14159265358979323846, gravity = 9.81;
static const double duration = 0.4, step = 1e-3, strand_radius = 0.01;

// Two strands square to each other, off their middles; or a bundle that falls together.
typedef struct crash {
    int strands;
    double mu, restitution;
    double radius; // at which they touch; 0: their own
} crash;

static void lay_cross(fil_rig *rig)
{
    for (int i = 0; i < 2 * VERTICES; ++i) {
        double place = (double)(i % VERTICES) / SEGMENTS, *x = rig->start + 3 * (ptrdiff_t)i;
        double *v = rig->start_velocity + 3 * (ptrdiff_t)i;
        if (i < VERTICES) {
            x[0] = place - 0.3, x[1] = 0.06;
            v[0] = 0.5, v[1] = -1;
        } else {
            x[2] = place - 0.4;
        }
    }
}

static void lay_bundle(fil_rig *rig, double spacing)
{
    fil_rng rng = fil_rng_make(5);
    for (int strand = 0; strand < rig->strands; ++strand) {
        double y = spacing * (strand % 3 - 1), z = spacing * (strand / 3 % 3 - 1);
        double tilt[2] = {fil_rng_uniform(&rng, -0.02, 0.02), fil_rng_uniform(&rng, -0.02, 0.02)};
        double speed = fil_rng_uniform(&rng, 0.5, 1) / spacing, along = fil_rng_uniform(&rng, -0.5, 0.5);
        for (int i = 0; i < VERTICES; ++i) {
            ptrdiff_t at = 3 * (ptrdiff_t)(strand * VERTICES + i);
            double place = (double)i / SEGMENTS - 0.5;
            rig->start[at] = place;
            rig->start[at + 1] = y + tilt[0] * place;
            rig->start[at + 2] = z + tilt[1] * place;
            rig->start_velocity[at] = along;
            rig->start_velocity[at + 1] = -speed * y + 0.3 * z / spacing;
            rig->start_velocity[at + 2] = -speed * z - 0.3 * y / spacing;
        }
    }
}

// The largest changes, relative to what is in motion: the mass times the fastest speed, times the length of 1; energy.
typedef struct change {
    double momentum, angular;
    double energy; // the largest gain in a step
    int64_t crossings;
} change;

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void follow(fil_rig *rig, double h, change *out)
{
    fil_measure start = {0}, now;
    if (fil_validate_going(rig->task))
        fil_state_measure(rig->state, 0, &start);
    double motion = start.mass * fil_rig_fastest(rig), first = start.kinetic + start.elastic, last = first;
    for (int i = 0; i < (int)lround(duration / h) && fil_validate_going(rig->task); ++i) {
        fil_rig_step(rig, h);
        fil_state_measure(rig->state, 0, &now);
        out->momentum = fmax(out->momentum, distance(now.momentum, start.momentum) / motion);
        out->angular = fmax(out->angular, distance(now.angular_momentum, start.angular_momentum) / motion);
        out->energy = fmax(out->energy, (now.kinetic + now.elastic - last) / first);
        last = now.kinetic + now.elastic;
    }
    out->crossings = rig->crossings;
}

static change run_crash(fil_validate_task *task, const crash *crash, double h)
{
    change out = {0};
    fil_rig rig;
    if (fil_rig_begin_strands(task, crash->strands, VERTICES, &rig)) {
        if (crash->strands == 2)
            lay_cross(&rig);
        else
            lay_bundle(&rig, 6 * strand_radius);
        rig.group.groom.velocity = rig.start_velocity;
        rig.group.root = FIL_END_FREE;
        rig.group.touch.friction = crash->mu;
        rig.group.touch.restitution = crash->restitution;
        rig.group.touch.radius = crash->radius;
        fil_rig_rod(&rig, strand_radius, 1, 0.5, 1);
        fil_rig_touch(&rig);
        fil_rig_finish(&rig);
        fil_rig_audit_begin(&rig);
        follow(&rig, h, &out);
    }
    fil_rig_end(&rig);
    return out;
}
// What bounces leaves with the speed it came with, whatever bending has done to that speed within the step: a little
// energy may come from that.
static void report_crash(fil_validate_task *task, const crash *crash)
{
    change change = run_crash(task, crash, step);
    const char *what = crash->strands == 2 ? "two strands" : "a bundle";
    fil_validate_report_zero(task, change.momentum, 1e-11, "change of momentum, %s, mu = %g, e = %g", what, crash->mu,
                             crash->restitution);
    fil_validate_report_zero(task, change.energy, crash->restitution > 0 ? 5e-3 : 1e-12,
                             "gain of energy in a step, %s, mu = %g, e = %g", what, crash->mu, crash->restitution);
    if (crash->strands > 2)
        fil_validate_report_zero(task, (double)change.crossings, 0, "crossings, %s, mu = %g, e = %g", what, crash->mu,
                                 crash->restitution);
}

// Two short stiff strands square to each other meet in their middles: their relative speed behind over that before.
static double rebound(fil_validate_task *task, double restitution)
{
    double after = NAN;
    fil_rig rig;
    if (fil_rig_begin_strands(task, 2, 2, &rig)) {
        static const double place[12] = {-0.1, 0.03, 0, 0.1, 0.03, 0, 0, -0.03, -0.1, 0, -0.03, 0.1};
        for (int k = 0; k < 12; ++k) {
            rig.start[k] = place[k];
            rig.start_velocity[k] = k % 3 == 1 ? (k < 6 ? -0.5 : 0.5) : 0;
        }
        rig.group.groom.velocity = rig.start_velocity;
        rig.group.root = FIL_END_FREE;
        rig.group.touch.restitution = restitution;
        fil_rig_rod(&rig, strand_radius, 1, 0.5, 1);
        fil_rig_touch(&rig);
        fil_rig_finish(&rig);
        for (int i = 0; i < 100; ++i)
            fil_rig_step(&rig, step);
        after = rig.velocity[1] - rig.velocity[7];
    }
    fil_rig_end(&rig);
    return after;
}

// Contacts act on centre lines. What pushes along the normal has the same line on both sides; friction does not, and
// the radii between the two lines are an arm.
static void report_angular(fil_validate_task *task)
{
    crash smooth = {.strands = 2}, rough = {.strands = 2, .mu = 0.3}, thin = {.strands = 2, .mu = 0.3};
    thin.radius = 0.5 * strand_radius;
    change at_h = run_crash(task, &smooth, step), at_half = run_crash(task, &smooth, 0.5 * step);
    fil_validate_row order = {
        .theory = 2, .measured = at_h.angular / at_half.angular, .bound = 0.4, .bar = FIL_BAR_ABSOLUTE};
    fil_validate_report(task, &order, FIL_VERDICT_MISS, NULL, "change of angular momentum, h over h/2, mu = 0");
    change thick = run_crash(task, &rough, step), half = run_crash(task, &thin, step);
    fil_validate_row arm = {
        .theory = 2, .measured = thick.angular / half.angular, .bound = 0.4, .bar = FIL_BAR_ABSOLUTE};
    fil_validate_report_zero(task, thick.angular, 0.002, "change of angular momentum, mu = %g", rough.mu);
    fil_validate_report(task, &arm, FIL_VERDICT_MISS, NULL, "the same over that at half the radius");
}

void fil_validate_collision(fil_validate_task *task)
{
    static const int strands[] = {2, 9};
    for (int i = 0; i < COUNT(strands); ++i)
        for (int k = 0; k < 4; ++k)
            report_crash(task, &(crash){.strands = strands[i], .mu = k & 1 ? 0.3 : 0, .restitution = k & 2 ? 1 : 0});
    report_angular(task);
    fil_validate_report_relative(task, 1, rebound(task, 1), "speed behind over before, e = 1");
    fil_validate_report_relative(task, 0.5, rebound(task, 0.5), "speed behind over before, e = 0.5");
    fil_validate_report_zero(task, rebound(task, 0), 1e-6, "speed behind over before, e = 0");
}

// ---- a short strand and a plane

static bool lay_on_plane(fil_validate_task *task, double height, double turn, fil_rig *rig)
{
    if (!fil_rig_begin(task, 2, rig))
        return false;
    rig->start[1] = rig->start[4] = height;
    rig->start[3] = 0.2;
    rig->group.root = FIL_END_FREE;
    rig->obstacle.shape = FIL_OBSTACLE_PLANE;
    rig->obstacle.place.rotation[0] = cos(0.5 * turn);
    rig->obstacle.place.rotation[3] = sin(0.5 * turn);
    rig->scene.gravity[1] = -gravity;
    fil_rig_rod(rig, strand_radius, 1, 0.5, 1);
    fil_rig_touch_obstacle(rig);
    return true;
}

// How high it comes after it was dropped from 5 cm.
static double bounce(fil_validate_task *task, double restitution)
{
    const double h = 1e-4, drop = 0.05;
    double high = 0;
    fil_rig rig;
    if (lay_on_plane(task, strand_radius + drop, 0, &rig)) {
        rig.group.touch.restitution = restitution;
        fil_rig_finish(&rig);
        for (bool rises = false, falls = false; !(rises && falls) && fil_validate_going(task);) {
            fil_rig_step(&rig, h);
            double now = rig.position[1] - strand_radius;
            rises |= rig.velocity[1] > 0;
            falls = rig.velocity[1] < 0;
            high = rises ? fmax(high, now) : 0;
        }
    }
    fil_rig_end(&rig);
    return high / drop;
}

void fil_validate_bounce(fil_validate_task *task)
{
    static const double all[] = {0.3, 0.6, 0.9};
    for (int i = 0; i < COUNT(all); ++i) {
        fil_validate_row row = {.theory = all[i] * all[i], .measured = bounce(task, all[i]), .bound = 0.02};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "height over drop, e = %g", all[i]);
    }
}

// How far it falls from below a plane in 0.2 s; both its ends are pulled by `part` of their weight.
static double hang(fil_validate_task *task, double part)
{
    enum { STEPS = 200 };
    double way = NAN;
    fil_rig rig;
    if (lay_on_plane(task, -strand_radius, pi, &rig)) {
        rig.group.touch.adhesion = part * gravity * 0.1; // half of 0.2 m of 1 kg/m
        fil_rig_finish(&rig);
        for (int i = 0; i < STEPS; ++i)
            fil_rig_step(&rig, 1e-3);
        way = -strand_radius - rig.position[1];
    }
    fil_rig_end(&rig);
    return way;
}

void fil_validate_adhesion(fil_validate_task *task)
{
    fil_validate_report_zero(task, hang(task, 1.05), 1e-9, "fall in 0.2 s, adhesion 1.05 of the weight");
    fil_validate_report_at_least(task, hang(task, 0.95), 0.01, "fall in 0.2 s, adhesion 0.95 of the weight");
    fil_validate_report_relative(task, 0.5 * gravity * 0.04, hang(task, 0), "fall in 0.2 s, no adhesion");
}
