// Quadratic, cubic (Viète / Cardano) and quartic (Ferrari: two quadratics from a root of the resolvent cubic).
//
//   x⁴ + b x³ + c x² + d x + e = (x² + b/2 x + y/2)² - ((b²/4 - c + y) x² + ...)      y: largest real root of the cubic
//
// The unknown is scaled first so that the largest root is near 1: the answer does not depend on units, and a leading
// coefficient that nearly vanishes only sends one root far away. A root that dominates is divided out before the rest
// is looked at. The closed forms lose half the digits at double roots, so each root is polished by Newton on the
// polynomial itself; a root that only nearly exists (a discriminant negative by rounding) is kept and left to the
// caller's own test.
#include "math/polynomial.h"

#include <math.h>
#include <stdbool.h>

static void sort(double *roots, int count)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && roots[j] < roots[j - 1]; --j) {
            double swap = roots[j];
            roots[j] = roots[j - 1];
            roots[j - 1] = swap;
        }
}

// A discriminant down to -noise counts as zero: rounding may push a double root just below.
static int quadratic(double a, double b, double c, double noise, double roots[2])
{
    double discriminant = b * b - 4 * a * c;
    if (discriminant < 0 && discriminant >= -noise)
        discriminant = 0;
    if (!(discriminant >= 0))
        return 0;
    // The two roots without cancellation; one of them may be infinite.
    double s = -0.5 * (b + copysign(sqrt(discriminant), b));
    double large = s / a, small = s != 0 ? c / s : 0;
    int count = 0;
    if (fabs(large) < INFINITY)
        roots[count++] = large;
    if (a != 0 || s != 0)
        roots[count++] = small;
    sort(roots, count);
    return count;
}

int fil_polynomial_quadratic(const double p[3], double roots[2])
{
    double size = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    if (!(size > 0) || !(size < INFINITY))
        return 0;
    double a = p[0] / size, b = p[1] / size, c = p[2] / size;
    return quadratic(a, b, c, 1e-12 * (b * b + fabs(4 * a * c)), roots);
}

// Newton on x³ + a x² + b x + c as long as it helps.
static double polish_cubic(double a, double b, double c, double x)
{
    double value = ((x + a) * x + b) * x + c;
    for (int step = 0; step < 4; ++step) {
        double next = x - value / ((3 * x + 2 * a) * x + b);
        double next_value = ((next + a) * next + b) * next + c;
        if (!(fabs(next_value) < fabs(value)))
            break;
        x = next;
        value = next_value;
    }
    return x;
}

// The real root of x³ + a x² + b x + c that is largest in size.
static double largest_cubic_root(double a, double b, double c)
{
    double Q = (a * a - 3 * b) / 9, R = (2 * a * a * a - 9 * a * b + 27 * c) / 54;
    double Q3 = Q * Q * Q, shift = a / 3, root;
    if (R * R < Q3) {
        const double third_turn = 2.0943951023931953;
        double angle = acos(R / sqrt(Q3)), radius = -2 * sqrt(Q);
        root = radius * cos(angle / 3) - shift;
        for (int k = -1; k <= 1; k += 2) {
            double other = radius * cos(angle / 3 + k * third_turn) - shift;
            root = fabs(other) > fabs(root) ? other : root;
        }
    } else {
        double A = -copysign(cbrt(fabs(R) + sqrt(R * R - Q3)), R);
        root = A + (A != 0 ? Q / A : 0) - shift;
    }
    return polish_cubic(a, b, c, root);
}

int fil_polynomial_cubic(const double p[4], double roots[3])
{
    double a = p[1] / p[0], b = p[2] / p[0], c = p[3] / p[0];
    double scale = fmax(fabs(a), fmax(sqrt(fabs(b)), cbrt(fabs(c))));
    if (!(scale < INFINITY))
        return fil_polynomial_quadratic(p + 1, roots); // the leading coefficient is zero, or as good as
    if (scale == 0) {
        roots[0] = 0;
        return 1;
    }
    a /= scale;
    b /= scale * scale;
    c /= scale * scale * scale;
    double first = largest_cubic_root(a, b, c);
    // Divide by it from the end that keeps the digits of the others.
    bool is_large = fabs(first * first * first) > fabs(c);
    double q0 = is_large ? -c / first : b + first * (a + first);
    double q1 = is_large ? (q0 - b) / first : a + first;
    int count = fil_polynomial_quadratic((double[]){1, q1, q0}, roots);
    for (int k = 0; k < count; ++k)
        roots[k] = polish_cubic(a, b, c, roots[k]);
    roots[count++] = first;
    for (int k = 0; k < count; ++k)
        roots[k] *= scale;
    sort(roots, count);
    return count;
}

static double polish(const double p[5], double x)
{
    for (int step = 0; step < 3; ++step) {
        double value = (((p[0] * x + p[1]) * x + p[2]) * x + p[3]) * x + p[4];
        double slope = ((4 * p[0] * x + 3 * p[1]) * x + 2 * p[2]) * x + p[3];
        double next = x - value / slope;
        if (!isfinite(next))
            break;
        double next_value = (((p[0] * next + p[1]) * next + p[2]) * next + p[3]) * next + p[4];
        if (!(fabs(next_value) < fabs(value)))
            break;
        x = next;
    }
    return x;
}

// x⁴ + b x³ + ... = (x² + b/2 x + y/2)² - (g x + f)²
static int ferrari(const double p[5], double roots[4])
{
    double b = p[1], c = p[2], d = p[3], e = p[4];
    double resolvent[4] = {1, -c, b * d - 4 * e, e * (4 * c - b * b) - d * d}, y[3];
    int cubic_roots = fil_polynomial_cubic(resolvent, y);
    if (cubic_roots == 0)
        return 0; // coefficients that are not finite
    double top = y[cubic_roots - 1];
    // g² and f² are known, and g f: the larger by its square root, the other by division.
    double g2 = 0.25 * b * b - c + top, f2 = 0.25 * top * top - e, gf = 0.25 * b * top - 0.5 * d;
    double g = g2 > 0 ? sqrt(g2) : 0, f = f2 > 0 ? copysign(sqrt(f2), gf) : 0;
    if (g > fabs(f))
        f = gf / g;
    else if (f != 0)
        g = gf / f;
    const double noise = 1e-12; // the coefficients are near 1
    int count = quadratic(1, 0.5 * b - g, 0.5 * top - f, noise, roots);
    return count + quadratic(1, 0.5 * b + g, 0.5 * top + f, noise, roots + count);
}

// One root near -p[1], the others much smaller: divide by it from the end that keeps their digits.
static int peel_dominant(const double p[5], double roots[4])
{
    double first = polish(p, -p[1]), q[4] = {1};
    q[3] = -p[4] / first;
    q[2] = (q[3] - p[3]) / first;
    q[1] = (q[2] - p[2]) / first;
    int count = fil_polynomial_cubic(q, roots);
    roots[count] = first;
    return count + 1;
}

int fil_polynomial_quartic(const double p[5], double roots[4])
{
    double n[5] = {1}, scale = 0;
    for (int k = 1; k < 5; ++k)
        n[k] = p[k] / p[0];
    scale = fmax(fmax(fabs(n[1]), sqrt(fabs(n[2]))), fmax(cbrt(fabs(n[3])), sqrt(sqrt(fabs(n[4])))));
    if (!(scale < INFINITY))
        return fil_polynomial_cubic(p + 1, roots); // the leading coefficient is zero, or as good as
    if (scale == 0) {
        roots[0] = 0;
        return 1;
    }
    double power = 1;
    for (int k = 1; k < 5; ++k)
        n[k] /= power *= scale;
    const double small = 1e-3;
    bool dominant = fabs(n[1]) > 0.5 && fmax(fabs(n[2]), fmax(fabs(n[3]), fabs(n[4]))) < small;
    int count = dominant ? peel_dominant(n, roots) : ferrari(n, roots);
    for (int k = 0; k < count; ++k)
        roots[k] = scale * polish(n, roots[k]);
    sort(roots, count);
    return count;
}
