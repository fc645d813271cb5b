// Quadratic, cubic (Viète / Cardano) and quartic (Ferrari: two quadratics from a root of the resolvent cubic).
//
//   x⁴ + b x³ + c x² + d x + e = (x² + b/2 x + y/2)² - ((b²/4 - c + y) x² + ...)      y: largest real root of the cubic
//
// The closed forms lose half the digits at double roots, so each root is polished by Newton on the polynomial itself; a
// root that only nearly exists (a discriminant negative by rounding) is kept and left to the caller's own test.
#include "math/polynomial.h"

#include <math.h>

static void sort(double *roots, int count)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && roots[j] < roots[j - 1]; --j) {
            double swap = roots[j];
            roots[j] = roots[j - 1];
            roots[j - 1] = swap;
        }
}

int fil_polynomial_quadratic(const double p[3], double roots[2])
{
    double a = p[0], b = p[1], c = p[2];
    double size = fabs(a) + fabs(b) + fabs(c);
    if (fabs(a) <= 1e-300 || fabs(a) <= 1e-16 * size) {
        if (fabs(b) <= 1e-16 * size)
            return 0;
        roots[0] = -c / b;
        return 1;
    }
    double discriminant = b * b - 4 * a * c;
    // Rounding may push a double root just below zero.
    if (discriminant < 0 && discriminant > -1e-12 * (b * b + fabs(4 * a * c)))
        discriminant = 0;
    if (!(discriminant >= 0))
        return 0;
    double s = -0.5 * (b + copysign(sqrt(discriminant), b));
    roots[0] = s / a;
    roots[1] = s != 0 ? c / s : 0;
    sort(roots, 2);
    return 2;
}

int fil_polynomial_cubic(const double p[4], double roots[3])
{
    double size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(p[3]);
    if (fabs(p[0]) <= 1e-16 * size)
        return fil_polynomial_quadratic(p + 1, roots);
    double a = p[1] / p[0], b = p[2] / p[0], c = p[3] / p[0];
    double Q = (a * a - 3 * b) / 9, R = (2 * a * a * a - 9 * a * b + 27 * c) / 54;
    double Q3 = Q * Q * Q, shift = a / 3;
    int count;
    if (R * R < Q3) {
        double angle = acos(R / sqrt(Q3)), radius = -2 * sqrt(Q);
        const double third_turn = 2.0943951023931953;
        for (int k = 0; k < 3; ++k)
            roots[k] = radius * cos(angle / 3 + (k - 1) * third_turn) - shift;
        count = 3;
    } else {
        double A = -copysign(cbrt(fabs(R) + sqrt(R * R - Q3)), R);
        double B = A != 0 ? Q / A : 0;
        roots[0] = A + B - shift;
        count = 1;
        if (R * R == Q3 && Q3 != 0)
            roots[count++] = -0.5 * (A + B) - shift;
    }
    // Two steps of Newton give back the digits that the closed form lost.
    for (int k = 0; k < count; ++k)
        for (int step = 0; step < 2; ++step) {
            double x = roots[k];
            double value = ((x + a) * x + b) * x + c, slope = (3 * x + 2 * a) * x + b;
            double next = x - value / slope;
            if (isfinite(next))
                roots[k] = next;
        }
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

int fil_polynomial_quartic(const double p[5], double roots[4])
{
    double size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(p[3]) + fabs(p[4]);
    if (fabs(p[0]) <= 1e-16 * size)
        return fil_polynomial_cubic(p + 1, roots);
    double b = p[1] / p[0], c = p[2] / p[0], d = p[3] / p[0], e = p[4] / p[0];
    double resolvent[4] = {1, -c, b * d - 4 * e, e * (4 * c - b * b) - d * d}, y[3];
    int cubic_roots = fil_polynomial_cubic(resolvent, y);
    double top = y[cubic_roots - 1];
    double g2 = 0.25 * b * b - c + top;
    double g = g2 > 0 ? sqrt(g2) : 0;
    // (x² + b/2 x + y/2)² = (g x + f)²
    double f2 = 0.25 * top * top - e;
    double f = g > 1e-8 * (fabs(b) + sqrt(fabs(c))) ? (0.25 * b * top - 0.5 * d) / g
                                                    : copysign(f2 > 0 ? sqrt(f2) : 0, 0.25 * b * top - 0.5 * d);
    double left[3] = {1, 0.5 * b - g, 0.5 * top - f}, right[3] = {1, 0.5 * b + g, 0.5 * top + f};
    int count = fil_polynomial_quadratic(left, roots);
    count += fil_polynomial_quadratic(right, roots + count);
    for (int k = 0; k < count; ++k)
        roots[k] = polish(p, roots[k]);
    sort(roots, count);
    return count;
}
