// Friction against bodies: an incline, a capstan, a strip pushed on a plane.
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846, gravity = 9.81;

// ---- incline

// A plane that falls by this angle along x, and a straight rod on it.
typedef struct slope {
    double degrees, mu;
    double across; // friction across the rod over friction along it
    bool lies_across;
} slope;

static bool lay_on_slope(fil_validate_task *task, const slope *slope, fil_rig *rig)
{
    enum { SEGMENTS = 10 };
    const double radius = 0.02;
    if (!fil_rig_begin(task, SEGMENTS + 1, rig))
        return false;
    double angle = slope->degrees * pi / 180, c = cos(angle), s = sin(angle);
    for (int i = 0; i <= SEGMENTS; ++i) {
        double place = (double)i / SEGMENTS, *x = rig->start + (ptrdiff_t)3 * i;
        x[0] = radius * s + (slope->lies_across ? 0 : place * c);
        x[1] = radius * c - (slope->lies_across ? 0 : place * s);
        x[2] = slope->lies_across ? place : 0;
    }
    rig->group.root = FIL_END_FREE;
    rig->group.touch.friction_body = slope->mu;
    rig->group.touch.across = slope->across;
    rig->obstacle.shape = FIL_OBSTACLE_PLANE;
    rig->obstacle.place.rotation[0] = cos(0.5 * angle);
    rig->obstacle.place.rotation[3] = -sin(0.5 * angle);
    rig->scene.gravity[1] = -gravity;
    fil_rig_rod(rig, radius, 1, 0.5, 1);
    fil_rig_touch_obstacle(rig);
    fil_rig_finish(rig);
    return true;
}

static double speed_down(const fil_rig *rig, double degrees)
{
    double v[3], angle = degrees * pi / 180;
    fil_rig_drift(rig, v);
    return v[0] * cos(angle) - v[1] * sin(angle);
}

// From the speeds after 0.1 s and 0.5 s.
static double slide(fil_validate_task *task, const slope *slope)
{
    enum { FIRST = 100, LAST = 500 };
    const double h = 1e-3;
    double before = 0, after = NAN;
    fil_rig rig;
    if (lay_on_slope(task, slope, &rig)) {
        for (int step = 1; step <= LAST; ++step) {
            fil_rig_step(&rig, h);
            if (step == FIRST)
                before = speed_down(&rig, slope->degrees);
        }
        after = speed_down(&rig, slope->degrees);
    }
    fil_rig_end(&rig);
    return (after - before) / (h * (LAST - FIRST));
}

static void report_slope(fil_validate_task *task, const slope *slope, double mu, const char *how)
{
    double angle = slope->degrees * pi / 180, theory = gravity * (sin(angle) - mu * cos(angle));
    double measured = slide(task, slope);
    if (theory > 0)
        fil_validate_report_relative(task, theory, measured, "acceleration at %g degrees%s, mu = %g", slope->degrees,
                                     how, mu);
    else
        fil_validate_report_zero(task, measured, 1e-6, "acceleration at %g degrees%s, mu = %g", slope->degrees, how,
                                 mu);
}

// Sticks as long as the tangent of the angle is below mu.
void fil_validate_incline(fil_validate_task *task)
{
    static const double degrees[] = {15, 16.6, 16.8, 20, 30};
    for (int i = 0; i < COUNT(degrees); ++i)
        report_slope(task, &(slope){.degrees = degrees[i], .mu = 0.3, .across = 1}, 0.3, "");
    for (int i = 0; i < 2; ++i) {
        slope twice = {.degrees = i == 0 ? 25 : 35, .mu = 0.3, .across = 2};
        report_slope(task, &twice, twice.mu, ", along");
        twice.lies_across = true;
        report_slope(task, &twice, twice.across * twice.mu, ", across");
    }
}

// ---- capstan

// Half a turn around a cylinder of radius 1, tails on both sides. The root is drawn away slowly, the tip is pulled by
// a force of 1; the tension at the root is the stretch of its edge times the stiffness.
enum { HALF_TURN = 32, TAIL = 12, ROPE = HALF_TURN + 2 * TAIL };

typedef struct rope {
    double radius, side; // of the strand, of an edge
    double keys[12];     // of the path of the root
    double mu;
} rope;

static const double draw_time[2] = {0, 100}; // s, of the keys; `draw` in m/s
static const double draw = 0.5;

static bool wind_rope(fil_validate_task *task, rope *rope, fil_rig *rig)
{
    if (!fil_rig_begin(task, ROPE + 1, rig))
        return false;
    // Vertices lie on the circle; the tails go straight on from it.
    double turn = pi / HALF_TURN, r = 1 + rope->radius;
    rope->side = 2 * r * sin(0.5 * turn);
    for (int i = 0; i <= ROPE; ++i) {
        double *x = rig->start + (ptrdiff_t)3 * i;
        int on = i < TAIL ? 0 : i > TAIL + HALF_TURN ? HALF_TURN : i - TAIL;
        int off = i < TAIL ? TAIL - i : i > TAIL + HALF_TURN ? i - TAIL - HALF_TURN : 0;
        x[0] = -r * cos(turn * on);
        x[2] = r * sin(turn * on) - rope->side * off;
        rig->rest[3 * i] = rope->side * i;
    }
    rig->group.groom.rest = rig->rest;
    rope->keys[6 + 2] = -draw * draw_time[1];
    rig->group.root = FIL_END_PINNED;
    rig->group.root_path.track = (fil_track){2, draw_time, rope->keys, FIL_BLEND_LINEAR};
    rig->group.touch.friction_body = rope->mu;
    rig->obstacle.shape = FIL_OBSTACLE_CYLINDER;
    rig->obstacle.size[0] = 1;
    rig->obstacle.size[1] = 10;
    // Stretching stiffness 1e3; bending 1e-6 and inertia 1e-3 of the tension.
    rig->group.material.radius = rope->radius;
    rig->group.material.young = 1e3 / (pi * rope->radius * rope->radius);
    rig->group.material.density = 1e-3 / (pi * rope->radius * rope->radius);
    rig->group.material.bend_scale = rig->group.material.twist_scale = 1e-5;
    fil_rig_touch_obstacle(rig);
    fil_rig_finish(rig);
    fil_rig_weigh(rig, (double[3]){0, 0, 0}, (double[3]){0, 0, -1});
    return true;
}

static double root_tension(const fil_rig *rig, double side)
{
    const double *x = rig->position;
    double e[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
    return 1e3 * (sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) / side - 1);
}

// The mean tension while the last of three edges comes off the cylinder. Normals are those of the start of a step, so
// a step that draws the rope by an angle adds that angle to mu: 0.05 % of a radian here.
static double capstan_ratio(fil_validate_task *task, double mu, double radius)
{
    enum { STEPS_AN_EDGE = 200, EDGES = 3 };
    rope rope = {.radius = radius, .mu = mu};
    double sum = 0;
    fil_rig rig;
    if (wind_rope(task, &rope, &rig)) {
        double h = rope.side / draw / STEPS_AN_EDGE;
        for (int step = 0; step < EDGES * STEPS_AN_EDGE; ++step) {
            fil_rig_step(&rig, h);
            if (step >= (EDGES - 1) * STEPS_AN_EDGE)
                sum += root_tension(&rig, rope.side);
        }
    }
    fil_rig_end(&rig);
    return sum / STEPS_AN_EDGE;
}

void fil_validate_capstan(fil_validate_task *task)
{
    static const double mus[] = {0.3, 0.2, 0.1};
    for (int i = 0; i < (task->def->quick ? 1 : COUNT(mus)); ++i) {
        fil_validate_row row = {
            .theory = exp(mus[i] * pi), .measured = capstan_ratio(task, mus[i], 0.02), .bound = 0.02};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "T2 / T1 over half a turn, mu = %g", mus[i]);
    }
}

// ---- stick-slip

// A weightless strip clamped upright above a plane, its tip on the plane. The clamp goes down, the strip buckles, and
// the push sideways grows faster than the push down: the tip slips when their ratio reaches mu.
static const double push_time[2] = {0, 1000}; // s, of the keys
static const double push = 0.01;              // of the length, per second

// Slightly bent like the first mode between a clamp and a hinge, tan k = k, edges at their rest lengths.
static void bend_strip(fil_rig *rig, int segments)
{
    const double k = 4.493409457909064, amplitude = 0.014;
    double side = 1 / (segments - 0.5), *x = rig->start;
    for (int i = 0; i < segments; ++i) {
        double s = side * i, angle = i > 0 ? amplitude * (1 - cos(k * s) - k * sin(k * s)) : 0;
        rig->rest[3 * i + 4] = -side * (i + 1);
        x[3 * i + 3] = x[3 * i] + side * sin(angle);
        x[3 * i + 4] = x[3 * i + 1] - side * cos(angle);
    }
    rig->group.groom.rest = rig->rest;
}

static bool push_strip(fil_validate_task *task, int segments, double mu, double keys[12], fil_rig *rig)
{
    static const double flat[3] = {0, 0, 1};
    const double width = 2e-3, aspect = 0.5;
    if (!fil_rig_begin(task, segments + 1, rig))
        return false;
    bend_strip(rig, segments);
    keys[6 + 1] = -push * push_time[1];
    rig->group.root_path.track = (fil_track){2, push_time, keys, FIL_BLEND_LINEAR};
    rig->group.groom.normal = flat;
    rig->group.touch.friction_body = mu;
    rig->obstacle.shape = FIL_OBSTACLE_PLANE;
    rig->obstacle.place.position[1] = rig->start[3 * segments + 1] - width;
    fil_rig_rod(rig, width, 1, 0.5, 10);
    rig->group.material.aspect = aspect;
    rig->group.material.young /= aspect * aspect * aspect;
    rig->group.material.density /= aspect;
    rig->group.material.damping = 5;
    fil_rig_touch_obstacle(rig);
    fil_rig_finish(rig);
    return true;
}

// How far the clamp has come down, part of the length, when the tip has slipped by 1e-5 of the length. The clamp acts
// in the middle of its edge.
static double slip_start(fil_validate_task *task, int segments, double mu)
{
    const double h = 0.01, slipped = 1e-5;
    double keys[12] = {0}, measured = NAN;
    fil_rig rig;
    if (push_strip(task, segments, mu, keys, &rig)) {
        const double *tip = rig.position + (ptrdiff_t)3 * segments;
        double start = tip[0];
        while (fil_validate_going(task) && !(fabs(tip[0] - start) > slipped) && rig.position[1] - tip[1] > 0.5)
            fil_rig_step(&rig, h);
        measured = 1 - (0.5 * (rig.position[1] + rig.position[4]) - tip[1]);
    }
    fil_rig_end(&rig);
    return measured;
}

void fil_validate_stick_slip(fil_validate_task *task)
{
    static const double mus[] = {0.1, 0.2, 0.3}, starts[] = {0.04687, 0.15487, 0.27156};
    for (int i = 0; i < (task->def->quick ? 1 : COUNT(mus)); ++i)
        for (int segments = 25; segments <= (task->def->quick ? 25 : 100); segments *= 2) {
            fil_validate_row row = {.theory = starts[i], .measured = slip_start(task, segments, mus[i]), .bound = 0.03};
            fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "push at which a strip slips, mu = %g, %d segments",
                                mus[i], segments);
        }
}
