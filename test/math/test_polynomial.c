// Roots of polynomials: constructed roots come back, also double ones, with degenerate leading coefficients and in
// other units.
#include "math/polynomial.h"

#include "base/rng.h"
#include "test.h"

// Coefficients of a (x - roots[0]) ..., highest power first.
static void expand(double a, const double *roots, int degree, double *p)
{
    long double c[6] = {a};
    for (int k = 0; k < degree; ++k)
        for (int j = k + 1; j > 0; --j)
            c[j] -= roots[k] * c[j - 1];
    for (int j = 0; j <= degree; ++j)
        p[j] = (double)c[j];
}

static int solve(int degree, const double *p, double *roots)
{
    return degree == 2   ? fil_polynomial_quadratic(p, roots)
           : degree == 3 ? fil_polynomial_cubic(p, roots)
                         : fil_polynomial_quartic(p, roots);
}

static double nearest(double x, const double *roots, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; ++k)
        least = fmin(least, fabs(roots[k] - x));
    return least;
}

static bool ascending(const double *roots, int count)
{
    for (int k = 1; k < count; ++k)
        if (!(roots[k - 1] <= roots[k]))
            return false;
    return true;
}

// Well separated roots: all found, to nearly full accuracy, in ascending order.
TEST(polynomial_finds_constructed_roots)
{
    for (int degree = 2; degree <= 4; ++degree) {
        fil_rng rng = fil_rng_make(21);
        long missing = 0, wrong_count = 0, unsorted = 0;
        for (int n = 0; n < 20000; ++n) {
            double expected[4], p[5], roots[4];
            expected[0] = fil_rng_uniform(&rng, -4, -2);
            for (int k = 1; k < degree; ++k)
                expected[k] = expected[k - 1] + fil_rng_uniform(&rng, 0.3, 2);
            expand(fil_rng_uniform(&rng, 0.1, 10) * (n % 2 ? 1 : -1), expected, degree, p);
            int count = solve(degree, p, roots);
            wrong_count += count != degree;
            unsorted += !ascending(roots, count);
            for (int k = 0; k < degree; ++k)
                missing += !(nearest(expected[k], roots, count) <= 1e-10);
        }
        ck_assert_msg(missing == 0, "degree %d: %ld roots missing", degree, missing);
        ck_assert_msg(wrong_count == 0, "degree %d: %ld with another number of roots", degree, wrong_count);
        ck_assert_int_eq(unsorted, 0);
    }
}

// Complex pairs have no real roots, and do not disturb the real ones.
TEST(polynomial_ignores_complex_pairs)
{
    fil_rng rng = fil_rng_make(22);
    long wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        double real[2] = {fil_rng_uniform(&rng, -3, 0), fil_rng_uniform(&rng, 0.5, 3)}, p[3], roots[4];
        double a = fil_rng_uniform(&rng, -2, 2), b = fil_rng_uniform(&rng, 0.3, 2);
        double pair[3] = {1, -2 * a, a * a + b * b};
        expand(1, real, 2, p);
        wrong += fil_polynomial_quadratic(pair, roots) != 0;
        double cubic[4] = {1, pair[1] - real[0], pair[2] - real[0] * pair[1], -real[0] * pair[2]};
        wrong += fil_polynomial_cubic(cubic, roots) != 1 || !(fabs(roots[0] - real[0]) <= 1e-11);
        double quartic[5] = {0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                quartic[i + j] += p[i] * pair[j];
        wrong += fil_polynomial_quartic(quartic, roots) != 2 || !(nearest(real[0], roots, 2) <= 1e-10) ||
                 !(nearest(real[1], roots, 2) <= 1e-10);
        double two_pairs[5] = {1, 0, 2 * b * b + 1, 0, b * b * b * b + b * b}; // (x² + b²)(x² + b² + 1)
        wrong += fil_polynomial_quartic(two_pairs, roots) != 0;
    }
    ck_assert_int_eq(wrong, 0);
}

// A double root is known to half the digits only, but it must not get lost.
TEST(polynomial_keeps_double_roots)
{
    for (int degree = 2; degree <= 4; ++degree) {
        fil_rng rng = fil_rng_make(23);
        long missing = 0;
        for (int n = 0; n < 20000; ++n) {
            double expected[4], p[5], roots[4];
            expected[0] = expected[1] = fil_rng_uniform(&rng, -2, 2);
            expected[2] = expected[0] + fil_rng_uniform(&rng, 1, 2);
            expected[3] = n % 4 == 0 ? expected[2] : expected[0] - fil_rng_uniform(&rng, 1, 2);
            expand(1, expected, degree, p);
            int count = solve(degree, p, roots);
            for (int k = 0; k < degree; ++k)
                missing += !(nearest(expected[k], roots, count) <= 1e-5);
        }
        ck_assert_msg(missing == 0, "degree %d: %ld roots missing", degree, missing);
    }
}

TEST(polynomial_degenerates_gracefully)
{
    double roots[4];
    // Of lower degree than it looks.
    ck_assert_int_eq(fil_polynomial_quadratic((double[]){0, 2, -4}, roots), 1);
    test_near(roots[0], 2, 1e-15);
    ck_assert_int_eq(fil_polynomial_quadratic((double[]){0, 0, 1}, roots), 0);
    ck_assert_int_eq(fil_polynomial_quadratic((double[]){0, 0, 0}, roots), 0);
    ck_assert_int_eq(fil_polynomial_cubic((double[]){0, 1, -3, 2}, roots), 2);
    test_near(roots[0], 1, 1e-15);
    test_near(roots[1], 2, 1e-15);
    ck_assert_int_eq(fil_polynomial_quartic((double[]){0, 1, -6, 11, -6}, roots), 3);
    test_near(roots[2], 3, 1e-14);
    ck_assert_int_eq(fil_polynomial_quartic((double[]){0, 0, 0, 2, -4}, roots), 1);
    test_near(roots[0], 2, 1e-15);
    ck_assert_int_eq(fil_polynomial_quartic((double[]){0, 0, 0, 0, 5}, roots), 0);
    ck_assert_int_eq(fil_polynomial_quartic((double[]){0, 0, 0, 0, 0}, roots), 0);
    // Roots at zero.
    ck_assert_int_eq(fil_polynomial_quadratic((double[]){1, -3, 0}, roots), 2);
    test_near(roots[0], 0, 1e-16);
    test_near(roots[1], 3, 1e-15);
    ck_assert_int_ge(fil_polynomial_quadratic((double[]){1, 0, 0}, roots), 1);
    ck_assert(roots[0] == 0);
    int count = fil_polynomial_quartic((double[]){1, 0, 0, 0, 0}, roots);
    ck_assert_int_ge(count, 1);
    for (int k = 0; k < count; ++k)
        test_near(roots[k], 0, 1e-12);
    ck_assert_int_ge(fil_polynomial_cubic((double[]){1, -3, 3, -1}, roots), 1); // (x - 1)³
    test_near(roots[0], 1, 1e-4);
    // Biquadratic: x⁴ - 5x² + 4.
    ck_assert_int_eq(fil_polynomial_quartic((double[]){1, 0, -5, 0, 4}, roots), 4);
    for (int k = 0; k < 4; ++k)
        test_near(roots[k], ((double[]){-2, -1, 1, 2})[k], 1e-14);
}

// A tiny leading coefficient sends one root far away and must not spoil the others.
TEST(polynomial_survives_a_tiny_leading_coefficient)
{
    for (int degree = 2; degree <= 4; ++degree)
        for (double tiny = 1e-4; tiny > 1e-30; tiny *= 1e-2) {
            double expected[4] = {1, 2.5, -1.5, 4}, p[5], lower[5], roots[4];
            expand(1, expected, degree - 1, lower);
            // (tiny x - 1) times the rest
            for (int j = 0; j <= degree; ++j)
                p[j] = (j < degree ? tiny * lower[j] : 0) - (j > 0 ? lower[j - 1] : 0);
            int count = solve(degree, p, roots);
            for (int k = 0; k < degree - 1; ++k)
                ck_assert_msg(nearest(expected[k], roots, count) <= 1e-9, "degree %d, leading %g: %g is missing",
                              degree, tiny, expected[k]);
        }
}

// Other units: x -> s x and p -> c p change nothing but the units of the roots.
TEST(polynomial_does_not_depend_on_units)
{
    static const double units[] = {1e-12, 1e-6, 1e-3, 1, 1e3, 1e6, 1e12}, factors[] = {1e-30, 1e-3, 1, 1e30};
    for (int degree = 2; degree <= 4; ++degree)
        for (int u = 0; u < 7; ++u)
            for (int f = 0; f < 4; ++f) {
                double expected[4] = {-3, -0.7, 1.1, 2.3}, p[5], roots[4];
                for (int k = 0; k < 4; ++k)
                    expected[k] *= units[u];
                expand(factors[f], expected, degree, p);
                int count = solve(degree, p, roots);
                ck_assert_msg(count == degree, "degree %d, unit %g, factor %g: %d roots", degree, units[u], factors[f],
                              count);
                for (int k = 0; k < degree; ++k)
                    ck_assert_msg(nearest(expected[k], roots, count) <= 1e-9 * units[u],
                                  "degree %d, unit %g, factor %g: %g is missing", degree, units[u], factors[f],
                                  expected[k]);
            }
}

TEST(polynomial_never_gives_nan)
{
    fil_rng rng = fil_rng_make(24);
    long bad = 0;
    for (int n = 0; n < 100000; ++n) {
        double p[5], roots[4];
        for (int k = 0; k < 5; ++k)
            p[k] = fil_rng_below(&rng, 4) ? fil_rng_normal(&rng) * pow(10, fil_rng_uniform(&rng, -20, 20)) : 0;
        for (int degree = 2; degree <= 4; ++degree) {
            int count = solve(degree, p, roots);
            bad += count < 0 || count > degree || !ascending(roots, count);
            for (int k = 0; k < count; ++k)
                bad += !isfinite(roots[k]);
        }
    }
    ck_assert_int_eq(bad, 0);
}
