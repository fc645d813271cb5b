// A naturally curved rod hangs from a clamp that holds its tangent down. Light, it stays in its plane; beyond a
// critical weight that depends on κ L and on C/B it trades bending for twist and leaves the plane.
//
// The shape is followed from no weight upwards: the planar branch folds further up, and a heavy rod started anywhere
// else may end on another branch.
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846;

enum { SEGMENTS = 150 };

// The rod in its natural shape, length 1 from the middle of its second edge. Two edges are held, so that the clamp also
// holds the plane of a model that knows it from positions alone.
static bool hang_curl(fil_validate_task *task, double curl, double poisson, fil_rig *rig)
{
    static const unsigned char hold[SEGMENTS + 2] = {1, 1, 1};
    if (!fil_rig_begin(task, SEGMENTS + 2, rig))
        return false;
    rig->group.groom.hold = hold;
    // Between two edges the direction turns by what the discrete curvature 2 tan(angle / 2) / length calls `curl`.
    double side = 1 / (SEGMENTS - 0.5), turn = 2 * atan(0.5 * curl * side), x = 0, y = 0.5 * side;
    for (int i = 0; i <= SEGMENTS + 1; ++i) {
        rig->start[3 * i] = x, rig->start[3 * i + 1] = y;
        x += side * cos((i - 1) * turn - 0.5 * pi), y += side * sin((i - 1) * turn - 0.5 * pi);
    }
    fil_rig_rod(rig, 1e-3, 1, poisson, 100);
    fil_rig_finish(rig);
    return true;
}

static void weigh(fil_rig *rig, double gamma)
{
    fil_rig_weigh(rig, (double[3]){0, -gamma, 0}, NULL);
}

static double critical_gamma(fil_validate_task *task, double curl, double poisson, double theory)
{
    fil_rig rig;
    double critical = NAN;
    if (hang_curl(task, curl, poisson, &rig))
        critical = fil_rig_critical(&rig, weigh, 0.05 * theory, 1.5 * theory);
    fil_rig_end(&rig);
    return critical;
}

// How far the rod is off its plane after a push to the side.
static double extent_after_push(fil_rig *rig, double gamma)
{
    fil_rig_weigh(rig, (double[3]){0, -gamma, 1e-3 * gamma}, NULL);
    fil_rig_relax(rig);
    weigh(rig, gamma);
    fil_rig_relax(rig);
    return fil_rig_extent(rig, 2);
}

static void climb(fil_rig *rig, double from, double to, double stride)
{
    int steps = (int)ceil((to - from) / stride - 1e-9);
    for (int i = 1; i <= steps; ++i) {
        weigh(rig, from + (to - from) * i / steps);
        fil_rig_relax(rig);
    }
}

static void report_extents(fil_validate_task *task, double curl, double poisson, double theory, const char *ratio)
{
    fil_rig rig;
    double below = NAN, above = NAN;
    if (hang_curl(task, curl, poisson, &rig)) {
        climb(&rig, 0, 0.9 * theory, 0.05 * theory);
        below = extent_after_push(&rig, 0.9 * theory);
        climb(&rig, 0.9 * theory, 1.1 * theory, 0.05 * theory);
        above = extent_after_push(&rig, 1.1 * theory);
    }
    fil_rig_end(&rig);
    const char *reason = fil_validate_no_twist(task);
    fil_validate_row planar = {.measured = below, .bound = 1e-4, .bar = FIL_BAR_ABSOLUTE};
    fil_validate_report(task, &planar, FIL_VERDICT_BY_DESIGN, reason,
                        "off plane / L at 0.9 Gamma_c, kappa L = %g, C/B = %s", curl, ratio);
    fil_validate_row spatial = {.theory = NAN, .measured = above, .bound = 1e-2, .bar = FIL_BAR_AT_LEAST};
    fil_validate_report(task, &spatial, FIL_VERDICT_BY_DESIGN, reason,
                        "off plane / L at 1.1 Gamma_c, kappa L = %g, C/B = %s", curl, ratio);
}

void fil_validate_bend_twist(fil_validate_task *task)
{
    static const struct {
        const char *ratio;
        double poisson;
        fil_validate_curve curve;
    } rods[] = {{"2/3", 0.5, FIL_CURVE_BENDTWIST_SOFT}, {"1", 0, FIL_CURVE_BENDTWIST_HARD}};
    static const double curls[] = {7, 8, 10, 15};
    bool quick = task->def->quick;
    for (int i = 0; i < (quick ? 1 : COUNT(rods)); ++i)
        for (int k = 0; k < (quick ? 1 : COUNT(curls)); ++k) {
            double theory = fil_validate_theory_at(rods[i].curve, curls[k]);
            fil_validate_row row = {.theory = theory,
                                    .measured = critical_gamma(task, curls[k], rods[i].poisson, theory),
                                    .bound = 0.01,
                                    .curve = rods[i].curve,
                                    .x = curls[k]};
            fil_validate_report(task, &row, FIL_VERDICT_BY_DESIGN, fil_validate_no_twist(task),
                                "Gamma_c, kappa L = %g, C/B = %s", curls[k], rods[i].ratio);
            report_extents(task, curls[k], rods[i].poisson, theory, rods[i].ratio);
        }
}
