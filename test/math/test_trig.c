// Sine, cosine and arc tangent of four numbers against libm in long double: random values, the worst places, edges.
#include "math/trig.h"

#include "base/rng.h"
#include "test.h"

#include <float.h>
#include <string.h>

static const double pi = 0x1.921fb54442d18p+1;

// How far `value` is from `exact`, in units of the last place of a double there.
static double ulps(double value, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1, (exponent > -1021 ? exponent : -1021) - 53);
    return (double)(fabsl((long double)value - exact) / unit);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Log-uniform size, either sign.
static double random_size(fil_rng *rng, double low, double high)
{
    double size = exp(fil_rng_uniform(rng, log(low), log(high)));
    return fil_rng_below(rng, 2) ? size : -size;
}

static double sincos_error(fil_v4 angle)
{
    fil_v4 sine, cosine;
    fil_trig_sincos(angle, &sine, &cosine);
    double worst = 0;
    for (int lane = 0; lane < 4; ++lane) {
        double s = ulps(sine[lane], sinl(angle[lane])), c = ulps(cosine[lane], cosl(angle[lane]));
        worst = !(s <= worst) ? s : worst;
        worst = !(c <= worst) ? c : worst;
    }
    return worst;
}

TEST(trig_sincos_random)
{
    fil_rng rng = fil_rng_make(31);
    int count = test_long() ? 10000000 : 1000000;
    double worst = 0;
    for (int n = 0; n < count; n += 4) {
        fil_v4 angle;
        for (int lane = 0; lane < 4; ++lane)
            angle[lane] = lane % 2 ? fil_rng_uniform(&rng, -10, 10) : random_size(&rng, 1e-12, 1e5);
        double error = sincos_error(angle);
        worst = !(error <= worst) ? error : worst;
    }
    ck_assert_msg(worst < 2, "%g units in the last place", worst);
}

// The doubles next to each multiple of π/2 up to 1e5: nothing cancels more.
TEST(trig_sincos_near_the_axes)
{
    double worst = 0;
    for (int k = 1; k <= 63661; ++k) {
        double x = (double)(k * (0x1.921fb54442d1846ap+0L));
        double error = sincos_error((fil_v4){x, nextafter(x, 0), -x, nextafter(x, INFINITY)});
        worst = !(error <= worst) ? error : worst;
    }
    ck_assert_msg(worst < 2, "%g units in the last place", worst);
}

TEST(trig_sincos_large)
{
    fil_rng rng = fil_rng_make(32);
    double worst = 0;
    for (int n = 0; n < 100000; ++n) {
        double huge = random_size(&rng, 1e5, 1e300);
        double error = sincos_error((fil_v4){huge, 0.3, -huge, 1e5});
        worst = !(error <= worst) ? error : worst;
    }
    ck_assert_msg(worst < 2, "%g units in the last place", worst);
    ck_assert(sincos_error((fil_v4){DBL_MAX, -DBL_MAX, 0x1p51, 0x1p62}) < 2);
}

TEST(trig_sincos_edges)
{
    fil_v4 sine, cosine;
    fil_trig_sincos((fil_v4){0.0, -0.0, DBL_MIN, -DBL_TRUE_MIN}, &sine, &cosine);
    ck_assert(same_bits(sine[0], 0.0) && same_bits(sine[1], -0.0));
    ck_assert(same_bits(sine[2], DBL_MIN) && same_bits(sine[3], -DBL_TRUE_MIN));
    for (int lane = 0; lane < 4; ++lane)
        ck_assert(cosine[lane] == 1);
    // What is not a number stays in its lane.
    fil_trig_sincos((fil_v4){NAN, INFINITY, -INFINITY, 1}, &sine, &cosine);
    for (int lane = 0; lane < 3; ++lane)
        ck_assert(isnan(sine[lane]) && isnan(cosine[lane]));
    ck_assert(ulps(sine[3], sinl(1)) < 2 && ulps(cosine[3], cosl(1)) < 2);
}

// A lane does not see the others, also when they take the slow path.
TEST(trig_sincos_lanes_are_independent)
{
    fil_rng rng = fil_rng_make(33);
    long different = 0;
    for (int n = 0; n < 100000; ++n) {
        double x = random_size(&rng, 1e-3, 1e4);
        fil_v4 s[2], c[2];
        fil_trig_sincos(fil_v4_all(x), &s[0], &c[0]);
        fil_trig_sincos((fil_v4){1e9, NAN, x, 0}, &s[1], &c[1]);
        different += !same_bits(s[0][0], s[1][2]) || !same_bits(c[0][0], c[1][2]);
    }
    ck_assert_int_eq(different, 0);
}

static double atan2_error(fil_v4 y, fil_v4 x)
{
    fil_v4 angle = fil_trig_atan2(y, x);
    double worst = 0;
    for (int lane = 0; lane < 4; ++lane) {
        double error = ulps(angle[lane], atan2l(y[lane], x[lane]));
        worst = !(error <= worst) ? error : worst;
        if (!(fabs(angle[lane]) <= pi))
            worst = INFINITY;
    }
    return worst;
}

TEST(trig_atan2_random)
{
    fil_rng rng = fil_rng_make(34);
    int count = test_long() ? 10000000 : 1000000;
    double worst = 0;
    for (int n = 0; n < count; n += 4) {
        fil_v4 x, y;
        for (int lane = 0; lane < 4; ++lane) {
            bool wide = lane % 2;
            x[lane] = wide ? random_size(&rng, 1e-300, 1e300) : fil_rng_uniform(&rng, -1, 1);
            y[lane] = wide ? x[lane] * random_size(&rng, 1e-8, 1e8) : fil_rng_uniform(&rng, -1, 1);
        }
        double error = atan2_error(y, x);
        worst = !(error <= worst) ? error : worst;
    }
    ck_assert_msg(worst < 3, "%g units in the last place", worst);
}

// Zeros, axes, diagonals, the smallest and largest numbers, both signs of each: all pairs.
TEST(trig_atan2_edges)
{
    const double size[] = {0, DBL_TRUE_MIN, DBL_MIN, 1e-200, 0.5, 1, 2, 1e200, DBL_MAX};
    const int count = 2 * sizeof size / sizeof *size;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            double y = i % 2 ? -size[i / 2] : size[i / 2], x = j % 2 ? -size[j / 2] : size[j / 2];
            fil_v4 angle = fil_trig_atan2((fil_v4){1, 2, y, 3}, (fil_v4){1, 1, x, 1});
            bool zero = atan2(y, x) == 0;
            ck_assert_msg(zero ? same_bits(angle[2], atan2(y, x)) : ulps(angle[2], atan2l(y, x)) < 3,
                          "atan2(%g, %g) = %.17g", y, x, angle[2]);
        }
    fil_v4 limit = fil_trig_atan2((fil_v4){INFINITY, -INFINITY, 1, -1}, (fil_v4){1, 0, INFINITY, -INFINITY});
    ck_assert(limit[0] == pi / 2 && limit[1] == -pi / 2 && same_bits(limit[2], 0.0) && limit[3] == -pi);
    fil_v4 none = fil_trig_atan2((fil_v4){NAN, 0, NAN, 1}, (fil_v4){0, NAN, 1, 1});
    ck_assert(isnan(none[0]) && isnan(none[1]) && isnan(none[2]) && none[3] == pi / 4);
}

TEST(trig_unwrap_is_nearest)
{
    fil_rng rng = fil_rng_make(35);
    long far = 0, wrong = 0;
    for (int n = 0; n < 100000; ++n) {
        fil_v4 angle, near;
        for (int lane = 0; lane < 4; ++lane) {
            angle[lane] = fil_rng_uniform(&rng, -pi, pi);
            near[lane] = lane % 2 ? fil_rng_uniform(&rng, -10, 10) : random_size(&rng, 1, 1e5);
        }
        fil_v4 result = fil_trig_unwrap(angle, near);
        for (int lane = 0; lane < 4; ++lane) {
            far += !(fabs(result[lane] - near[lane]) <= pi * (1 + 1e-12) + 1e-11);
            // Whole turns away: the same point of the circle.
            long double turns = roundl(((long double)result[lane] - angle[lane]) / (2 * acosl(-1)));
            wrong += !(ulps(result[lane], angle[lane] + turns * 2 * acosl(-1)) < 1.5);
        }
    }
    ck_assert_int_eq(far, 0);
    ck_assert_int_eq(wrong, 0);
}

TEST(trig_unwrap_edges)
{
    // No turn, no change of bits.
    fil_v4 same = fil_trig_unwrap((fil_v4){0.1, -0.0, 3, -3}, (fil_v4){0, 0, 1, -1});
    ck_assert(same_bits(same[0], 0.1) && same_bits(same[1], -0.0) && same[2] == 3 && same[3] == -3);
    fil_v4 turned = fil_trig_unwrap((fil_v4){3, -3, 0.5, 0}, (fil_v4){-3, 3, 1e5, 0});
    test_near(turned[0], 3 - 2 * pi, 1e-15);
    test_near(turned[1], 2 * pi - 3, 1e-15);
    fil_v4 strange = fil_trig_unwrap((fil_v4){NAN, INFINITY, 0, 1e300}, (fil_v4){0, 0, NAN, 0});
    ck_assert(isnan(strange[0]) && isnan(strange[1]) && isnan(strange[2]) && isfinite(strange[3]));
}
