// A bow that hangs astride an inclined tube, or an inclined strand, and touches it at its middle. Its weight acts below
// the place where it touches: it rests there as long as the tangent of the angle is below mu, and slides otherwise.
#include "validate/validate_rig.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846, gravity = 9.81;

enum { SEGMENTS = 13, BOW = SEGMENTS + 1 };
static const double degrees = 20, duration = 0.5, strand_radius = 0.01, tube_radius = 0.05;
static const double mus[] = {0.1, 0.2, 0.3, 0.38, 0.6}; // the tangent is 0.364

// An upright arc across x. The edge in its middle is level and goes through zero.
static void lay_bow(double *x)
{
    const double radius = 0.3, half = pi / 3, top = radius * cos(half / SEGMENTS);
    for (int i = 0; i < BOW; ++i) {
        double angle = half * (2.0 * i / SEGMENTS - 1);
        x[3 * i + 1] = radius * cos(angle) - top;
        x[3 * i + 2] = radius * sin(angle);
    }
}

// A held strand down the slope, so far below zero that it touches what lies there.
static void lay_rail(double *x)
{
    double angle = degrees * pi / 180;
    for (int i = 0; i < BOW; ++i) {
        double along = 2.0 * i / SEGMENTS - 1;
        x[3 * i] = along * cos(angle) - 2 * strand_radius * sin(angle);
        x[3 * i + 1] = -along * sin(angle) - 2 * strand_radius * cos(angle);
    }
}

static void lay_tube(fil_obstacle *tube)
{
    double angle = degrees * pi / 180, turn = -0.5 * (0.5 * pi + angle), off = strand_radius + tube_radius;
    tube->shape = FIL_OBSTACLE_CAPSULE;
    tube->size[0] = tube_radius;
    tube->size[1] = 2;
    tube->place.rotation[0] = cos(turn);
    tube->place.rotation[3] = sin(turn);
    tube->place.position[0] = -off * sin(angle);
    tube->place.position[1] = -off * cos(angle);
}

// What a bow did.
typedef struct ride {
    double way;        // down the slope, of its middle
    int64_t crossings; // what the audit says
    double deepest;
} ride;

static bool set_astride(fil_validate_task *task, bool on_strand, double mu, fil_rig *rig)
{
    static const fil_path still = {0};
    unsigned char hold[2 * BOW] = {0};
    if (!fil_rig_begin_strands(task, on_strand ? 2 : 1, BOW, rig))
        return false;
    lay_bow(rig->start);
    rig->group.root = FIL_END_FREE;
    rig->group.touch.friction = rig->group.touch.friction_body = mu;
    rig->scene.gravity[1] = -gravity;
    fil_rig_rod(rig, strand_radius, 10, 0.5, 1);
    if (on_strand) {
        lay_rail(rig->start + (ptrdiff_t)3 * BOW);
        memset(hold + BOW, 1 + FIL_HOLD_PIN, BOW);
        rig->group.groom.hold = hold;
        rig->group.pins = &still;
        rig->group.pin_count = 1;
        fil_rig_touch(rig);
    } else {
        lay_tube(&rig->obstacle);
        fil_rig_touch_obstacle(rig);
    }
    fil_rig_finish(rig);
    fil_rig_audit_begin(rig);
    return true;
}

static ride ride_down(fil_validate_task *task, bool on_strand, double mu, double h)
{
    double angle = degrees * pi / 180;
    ride out = {.way = NAN};
    fil_rig rig;
    if (set_astride(task, on_strand, mu, &rig)) {
        for (int step = 0; step < (int)lround(duration / h); ++step)
            fil_rig_step(&rig, h);
        const double *a = rig.position + (ptrdiff_t)3 * (SEGMENTS / 2), *b = a + 3;
        double way = 0.5 * ((a[0] + b[0]) * cos(angle) - (a[1] + b[1]) * sin(angle));
        out = (ride){way, rig.crossings, rig.deepest};
    }
    fil_rig_end(&rig);
    return out;
}

// A block would slide so far. A bow swings about the place where it touches as it gathers speed, which changes that by
// a few percent.
static double block_way(double mu)
{
    double angle = degrees * pi / 180;
    return 0.5 * gravity * (sin(angle) - mu * cos(angle)) * duration * duration;
}

static void ride_all(fil_validate_task *task, bool on_strand, double h)
{
    double deepest = 0, ms = 1e3 * h;
    int64_t crossings = 0;
    for (int i = 0; i < COUNT(mus); ++i) {
        ride ride = ride_down(task, on_strand, mus[i], h);
        bool slides = block_way(mus[i]) > 0;
        fil_validate_row row = {.theory = slides ? block_way(mus[i]) : 0,
                                .measured = slides ? ride.way : fabs(ride.way),
                                .bar = slides ? FIL_BAR_RELATIVE : FIL_BAR_ABSOLUTE,
                                .bound = slides ? 0.05 : 1e-6};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "way in 0.5 s, mu = %g, h = %g ms", mus[i], ms);
        crossings += ride.crossings;
        deepest = fmax(deepest, ride.deepest);
    }
    if (on_strand)
        fil_validate_report_zero(task, (double)crossings, 0, "crossings, h = %g ms", ms);
    else
        fil_validate_report_zero(task, deepest, 0, "deepest in the tube, h = %g ms", ms);
}

void fil_validate_on_tube(fil_validate_task *task)
{
    ride_all(task, false, 1e-3);
    ride_all(task, false, 4e-3);
}

void fil_validate_on_strand(fil_validate_task *task)
{
    ride_all(task, true, 1e-3);
    ride_all(task, true, 4e-3);
}
