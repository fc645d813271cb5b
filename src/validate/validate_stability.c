// Loads at which a shape gives way: a column, a ribbon, a twisted ring. The shape is relaxed under each load; its
// Hessian tells whether it is stable.
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846;

enum { SEGMENTS = 100, RING_SEGMENTS = 200 };

static void weigh(fil_rig *rig, double load)
{
    fil_rig_weigh(rig, (double[3]){0, -load, 0}, NULL);
}

static void pull_tip(fil_rig *rig, double load)
{
    fil_rig_weigh(rig, (double[3]){0, 0, 0}, (double[3]){0, -load, 0});
}

// A straight rod along an axis, length 1 from the middle of its held edge.
static void lay_straight(fil_rig *rig, int axis)
{
    for (int i = 0; i <= SEGMENTS; ++i)
        rig->start[3 * i + axis] = (i - 0.5) / (SEGMENTS - 0.5);
}

// Γ = 7.83735: the first zero of a Bessel function of order -1/3 (Greenhill).
void fil_validate_column(fil_validate_task *task)
{
    const double theory = 7.83735;
    double critical = NAN;
    fil_rig rig;
    if (fil_rig_begin(task, SEGMENTS + 1, &rig)) {
        lay_straight(&rig, 1);
        fil_rig_rod(&rig, 1e-3, 1, 0.5, 100);
        fil_rig_finish(&rig);
        critical = fil_rig_critical(&rig, weigh, 0.1 * theory, 2 * theory);
    }
    fil_rig_end(&rig);
    fil_validate_report_relative(task, theory, critical, "critical Gamma of an upright rod");
}

// An ellipse a hundred times as wide as thick, on edge. Bending across the width is then 10⁴ times stiffer than the
// other, so that the theory without it holds to 1e-4.
static double ribbon_critical(fil_validate_task *task, void (*apply)(fil_rig *rig, double load), double theory)
{
    static const double upright[3] = {0, 1, 0};
    const double width = 0.01, aspect = 0.01;
    double critical = NAN;
    fil_rig rig;
    if (fil_rig_begin(task, SEGMENTS + 1, &rig)) {
        lay_straight(&rig, 0);
        rig.group.groom.normal = upright;
        fil_material *material = &rig.group.material;
        material->radius = width;
        material->aspect = aspect;
        material->poisson = 0.5;
        // Bending about the width is 1, and so is the mass per length.
        material->young = 1 / (0.25 * pi * pow(width, 4) * pow(aspect, 3));
        material->density = 1 / (pi * width * width * aspect);
        fil_rig_finish(&rig);
        // Twisting over bending, 4 G / E a² / (a² + b²), with shear modulus E / 3.
        double twist = 4.0 / 3 / (1 + aspect * aspect), unit = sqrt(twist);
        critical = fil_rig_critical(&rig, apply, 0.1 * theory * unit, 2 * theory * unit) / unit;
    }
    fil_rig_end(&rig);
    return critical;
}

void fil_validate_ribbon(fil_validate_task *task)
{
    const struct {
        const char *quantity;
        void (*apply)(fil_rig *rig, double load);
        double theory;
    } rows[] = {{"critical q L^3 / sqrt(B C), own weight", weigh, 12.8538},
                {"critical P L^2 / sqrt(B C), weight at the tip", pull_tip, 4.0126}};
    for (int i = 0; i < COUNT(rows); ++i) {
        fil_validate_row row = {
            .theory = rows[i].theory, .measured = ribbon_critical(task, rows[i].apply, rows[i].theory), .bound = 0.01};
        fil_validate_report(task, &row, FIL_VERDICT_BY_DESIGN, fil_validate_no_twist(task), "%s", rows[i].quantity);
    }
}

// Turns the tip about its tangent, which points along x; it lies at the origin.
static void turn_tip(fil_rig *rig, double angle)
{
    fil_pose pose = fil_pose_default();
    pose.rotation[0] = cos(0.5 * angle), pose.rotation[1] = sin(0.5 * angle);
    if (fil_validate_going(rig->task))
        rig->task->status = fil_state_pose(rig->task->context, rig->state, 0, FIL_HOLD_TIP, 0, &pose);
}

// A ring that is as stiff all around may turn about the held edge while its material turns back: no energy changes, and
// the ring would be on the brink at any twist. A light pull away from its centre, 1e-3 of its bending forces, keeps it
// in its plane and round.
static void pull_outwards(fil_rig *rig)
{
    double r = 1 / (2 * pi), pull = 1e-3 / (r * r * r);
    for (int i = 0; i < rig->vertices; ++i) {
        rig->force[3 * i] = pull * rig->mass[i] * rig->start[3 * i] / r;
        rig->force[3 * i + 1] = pull * rig->mass[i] * (rig->start[3 * i + 1] / r - 1);
    }
    if (fil_validate_going(rig->task))
        rig->task->status = fil_state_force(rig->task->context, rig->state, 0, rig->force);
    fil_rig_save(rig);
}

// A naturally straight rod closed to a ring, whose last edge is its first edge again. Both are held; that takes away no
// more than the motions of the ring as a whole.
static double ring_critical(fil_validate_task *task, double poisson, double theory)
{
    double critical = NAN;
    fil_rig rig;
    if (fil_rig_begin(task, RING_SEGMENTS + 2, &rig)) {
        double step = 2 * pi / RING_SEGMENTS, side = 1.0 / RING_SEGMENTS, x = -0.5 * side, y = 0;
        for (int i = 0; i < RING_SEGMENTS + 2; ++i) {
            rig.start[3 * i] = x, rig.start[3 * i + 1] = y;
            rig.rest[3 * i] = i * side;
            x += side * cos(i * step), y += side * sin(i * step);
        }
        rig.group.groom.rest = rig.rest;
        rig.group.tip = FIL_END_CLAMPED;
        fil_rig_rod(&rig, 1e-2, 1, poisson, 1);
        fil_rig_finish(&rig);
        pull_outwards(&rig);
        critical = fil_rig_critical(&rig, turn_tip, theory / 20, 2 * theory);
    }
    fil_rig_end(&rig);
    return critical;
}

void fil_validate_ring(fil_validate_task *task)
{
    static const struct {
        const char *name;
        double poisson;
    } rods[] = {{"1", 0}, {"2/3", 0.5}};
    for (int i = 0; i < (task->def->quick ? 1 : COUNT(rods)); ++i) {
        double theory = 2 * pi * sqrt(3) * (1 + rods[i].poisson);
        fil_validate_row row = {
            .theory = theory, .measured = ring_critical(task, rods[i].poisson, theory), .bound = 0.01};
        fil_validate_report(task, &row, FIL_VERDICT_BY_DESIGN, fil_validate_no_twist(task),
                            "critical twist of a ring, C/B = %s", rods[i].name);
    }
}
