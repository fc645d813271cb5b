// Shapes at rest: cantilevers, a catenary, a helix.
//
// A clamp holds the first edge, and the rod bends at its far vertex with the weight of half that edge: it acts in the
// middle of the edge, and lengths count from there.
#include "validate/validate_rig.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846;

// The bending stiffness 1 and radius 1e-3 make a stretching stiffness of 4e6; hundred times that is inextensible.
static const double radius = 1e-3, inextensible = 100;

// Places of the vertices along a rod of length 1, from the middle of the first edge; grading > 0 makes edges at the
// clamp exp(grading) times shorter than at the tip.
static double place(int i, int segments, double grading)
{
    double u = (double)i / segments, first = 1.0 / segments;
    double s = grading > 0 ? expm1(grading * u) / expm1(grading) : u;
    double middle = 0.5 * (grading > 0 ? expm1(grading * first) / expm1(grading) : first);
    return (s - middle) / (1 - middle);
}

// The tip of a horizontal cantilever under its weight gamma and a weight at its tip.
static void bend_cantilever(fil_validate_task *task, int segments, double grading, double gamma, double load,
                            double tip[3])
{
    fil_rig rig;
    if (fil_rig_begin(task, segments + 1, &rig)) {
        for (int i = 0; i <= segments; ++i)
            rig.start[3 * i] = place(i, segments, grading);
        fil_rig_rod(&rig, radius, 1, 0.5, inextensible);
        fil_rig_finish(&rig);
        fil_rig_weigh(&rig, (double[3]){0, -gamma, 0}, (double[3]){0, -load, 0});
        fil_rig_relax(&rig);
        for (int k = 0; k < 3; ++k)
            tip[k] = rig.position[3 * segments + k];
    }
    fil_rig_end(&rig);
}

static double drop_over_reach(fil_validate_task *task, int segments, double grading, double gamma)
{
    double tip[3] = {NAN, NAN, NAN};
    bend_cantilever(task, segments, grading, gamma, 0, tip);
    return -tip[1] / tip[0];
}

// The boundary layer at the clamp is L / sqrt(Γ) long: graded edges resolve it at any Γ, equal ones do not.
void fil_validate_cantilever(fil_validate_task *task)
{
    enum { SEGMENTS = 50 };
    static const double gammas[] = {0.1, 1, 10, 100, 1000};
    const double grading = 3;
    for (int i = 0; i < COUNT(gammas); ++i) {
        fil_validate_row row = {.theory = fil_validate_theory_at(FIL_CURVE_CANTILEVER, gammas[i]),
                                .measured = drop_over_reach(task, SEGMENTS, grading, gammas[i]),
                                .bound = 0.01,
                                .curve = FIL_CURVE_CANTILEVER,
                                .x = gammas[i]};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "H/W at Gamma = %g", gammas[i]);
    }
    for (int i = 0; i < COUNT(gammas); ++i) {
        fil_validate_row row = {.theory = fil_validate_theory_at(FIL_CURVE_CANTILEVER, gammas[i]),
                                .measured = drop_over_reach(task, SEGMENTS, 0, gammas[i]),
                                .bound = 0.01};
        const char *reason = 2.0 / SEGMENTS > 1 / sqrt(gammas[i])
                                 ? "Fewer than two equal segments in the boundary layer at the clamp."
                                 : NULL;
        fil_validate_report(task, &row, FIL_VERDICT_COARSE, reason, "H/W at Gamma = %g, equal segments", gammas[i]);
    }
    for (int i = 0; i < COUNT(gammas); ++i) {
        double theory = fil_validate_theory_at(FIL_CURVE_CANTILEVER, gammas[i]), error[3];
        for (int k = 0; k < 3; ++k)
            error[k] = fabs(drop_over_reach(task, 25 << k, grading, gammas[i]) - theory);
        fil_validate_row row = {.theory = 2,
                                .measured = log2(fmin(error[0] / error[1], error[1] / error[2])),
                                .bound = 1.8,
                                .bar = FIL_BAR_AT_LEAST};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "order at Gamma = %g, 25 to 100 segments", gammas[i]);
    }
}

// Drops from the elliptic integrals of a weightless elastica.
void fil_validate_tip_load(fil_validate_task *task)
{
    static const double loads[] = {1, 2, 10}, drops[] = {0.3017208, 0.4934575, 0.8106090};
    for (int i = 0; i < COUNT(loads); ++i) {
        double tip[3] = {NAN, NAN, NAN};
        bend_cantilever(task, 50, 0, 0, loads[i], tip);
        fil_validate_report_relative(task, drops[i], -tip[1], "drop / L at P L^2 / EI = %g", loads[i]);
    }
}

// Half the angle of a circular arc with the given ratio of arc to chord: x / sin x = ratio, by bisection.
static double half_angle(double ratio)
{
    double low = 0, high = pi;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        if (middle < ratio * sin(middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Starts as a circular arc between its pins, weighs a million times its bending stiffness.
static double sag(fil_validate_task *task, double distance)
{
    enum { SEGMENTS = 100 };
    fil_rig rig;
    double depth = NAN;
    if (fil_rig_begin(task, SEGMENTS + 1, &rig)) {
        double half = half_angle(1 / distance), r = distance / (2 * sin(half));
        for (int i = 0; i <= SEGMENTS; ++i) {
            double angle = half * (2.0 * i / SEGMENTS - 1);
            rig.start[3 * i] = r * sin(angle);
            rig.start[3 * i + 1] = r * (cos(half) - cos(angle));
            rig.rest[3 * i] = (double)i / SEGMENTS;
        }
        rig.group.groom.rest = rig.rest;
        rig.group.root = rig.group.tip = FIL_END_PINNED;
        fil_rig_rod(&rig, radius, 1e-3, 0.5, 1e5);
        fil_rig_finish(&rig);
        fil_rig_weigh(&rig, (double[3]){0, -1e3, 0}, NULL);
        fil_rig_relax(&rig);
        depth = fil_rig_extent(&rig, 1);
    }
    fil_rig_end(&rig);
    return depth / distance;
}

void fil_validate_catenary(fil_validate_task *task)
{
    static const double ratios[] = {1.1, 1.25, 1.5, 2}, sags[] = {0.20030079, 0.33179689, 0.50263326, 0.79638836};
    for (int i = 0; i < COUNT(ratios); ++i)
        fil_validate_report_relative(task, sags[i], sag(task, 1 / ratios[i]), "sag / d at L/d = %g", ratios[i]);
}

// Three turns of a helix of length 1 with pitch / (2 pi radius) = slope.
enum { HELIX_SEGMENTS = 150, TURNS = 3 };
static const double slope = 0.3;

static double helix_radius(void)
{
    return 1 / (2 * pi * TURNS * sqrt(1 + slope * slope));
}

// The helix wound by `part` of its curvature and torsion: 1 is the helix itself.
static void lay_helix(double part, double *x)
{
    double r = helix_radius() / part;
    for (int i = 0; i <= HELIX_SEGMENTS; ++i) {
        double angle = part * 2 * pi * TURNS * i / HELIX_SEGMENTS;
        x[3 * i] = r * cos(angle), x[3 * i + 1] = r * sin(angle), x[3 * i + 2] = r * slope * angle;
    }
}

// The largest way of a vertex in 100 steps without any load.
static double helix_drift(fil_validate_task *task, fil_end root)
{
    fil_rig rig;
    double most = NAN;
    if (fil_rig_begin(task, HELIX_SEGMENTS + 1, &rig)) {
        lay_helix(1, rig.start);
        rig.group.root = root;
        fil_rig_rod(&rig, radius, 1, 0.5, 1);
        fil_rig_finish(&rig);
        for (int step = 0; step < 100; ++step)
            fil_rig_step(&rig, 0.01);
        most = 0;
        for (int k = 0; k < 3 * rig.vertices; ++k)
            most = fmax(most, fabs(rig.position[k] - rig.start[k]));
    }
    fil_rig_end(&rig);
    return most;
}

static void subtract(const double *a, const double *b, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Radius and pitch / 2 pi from four vertices on a helix: second differences point at the axis and turn by the angle
// from one vertex to the next.
static void fit_helix(const double *x, double *radius_out, double *pitch)
{
    double d[3][3], a[2][3], axis[3];
    for (int i = 0; i < 3; ++i)
        subtract(x + (ptrdiff_t)3 * (i + 1), x + (ptrdiff_t)3 * i, d[i]);
    for (int i = 0; i < 2; ++i)
        subtract(d[i + 1], d[i], a[i]);
    for (int k = 0; k < 3; ++k)
        axis[k] = a[0][(k + 1) % 3] * a[1][(k + 2) % 3] - a[0][(k + 2) % 3] * a[1][(k + 1) % 3];
    double length = sqrt(dot(axis, axis)), angle = atan2(length, dot(a[0], a[1]));
    double rise = dot(d[1], axis) / length;
    *radius_out = sqrt(dot(d[1], d[1]) - rise * rise) / (2 * sin(0.5 * angle));
    *pitch = rise / angle;
}

// Starts half unwound, and winds up to what its natural curvature and twist ask for. (From straight der gets there,
// too; lifted needs ten thousand iterations, since torsion has no hold on a straight curve.)
static void wind_helix(fil_validate_task *task, double *radius_out, double *pitch)
{
    fil_rig rig;
    *radius_out = *pitch = NAN;
    double r = helix_radius(), p = r * slope;
    if (fil_rig_begin(task, HELIX_SEGMENTS + 1, &rig)) {
        lay_helix(0.5, rig.start);
        for (int i = 0; i <= HELIX_SEGMENTS; ++i) {
            rig.strain[3 * i] = r / (r * r + p * p);
            rig.strain[3 * i + 2] = p / (r * r + p * p);
        }
        rig.group.groom.natural_strain = rig.strain;
        fil_rig_rod(&rig, radius, 1, 0.5, 1);
        fil_rig_finish(&rig);
        fil_rig_relax(&rig);
        fit_helix(rig.position + (ptrdiff_t)3 * (HELIX_SEGMENTS / 2), radius_out, pitch);
    }
    fil_rig_end(&rig);
}

void fil_validate_helix(fil_validate_task *task)
{
    static const fil_end roots[] = {FIL_END_CLAMPED, FIL_END_FREE};
    static const char *const how[] = {"clamped", "free"};
    for (int i = 0; i < COUNT(roots); ++i) {
        fil_validate_row row = {.measured = helix_drift(task, roots[i]), .bound = 1e-8, .bar = FIL_BAR_ABSOLUTE};
        fil_validate_report(task, &row, FIL_VERDICT_MISS, NULL, "drift / L in 100 steps, root %s", how[i]);
    }
    double r, p;
    wind_helix(task, &r, &p);
    fil_validate_report_relative(task, helix_radius(), r, "radius / L from natural strain");
    fil_validate_report_relative(task, slope * helix_radius(), p, "pitch / (2 pi L) from natural strain");
}
