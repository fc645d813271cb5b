// The friction cone: projection against brute force, and the natural map on known pairs.
#include "math/cone.h"

#include "base/rng.h"
#include "test.h"

#include <string.h>

static const double mus[] = {0, 0.01, 0.3, 1, 10};

static bool in_cone(double mu, const double x[3], double slack)
{
    return hypot(x[1], x[2]) <= mu * x[0] + slack && x[0] >= -slack;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Without friction the cone is a ray: what pulls goes to its end.
TEST(cone_without_friction_does_not_pull)
{
    double x[3] = {-1, 0, 0}, open[3] = {2, 0, 0}, none[3] = {0};
    fil_cone_project(0, x);
    ck_assert(x[0] == 0);
    ck_assert(fil_cone_natural(0, 1, none, open) == 0);
}

TEST(cone_projection_is_inside_and_idempotent)
{
    fil_rng rng = fil_rng_make(41);
    long outside = 0, moved = 0, worse = 0;
    for (int n = 0; n < 50000; ++n) {
        double mu = mus[n % 5], x[3], p[3], again[3];
        for (int k = 0; k < 3; ++k)
            x[k] = fil_rng_normal(&rng) * pow(10, fil_rng_uniform(&rng, -3, 3));
        memcpy(p, x, sizeof p);
        fil_cone_project(mu, p);
        memcpy(again, p, sizeof p);
        fil_cone_project(mu, again);
        double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
        outside += !in_cone(mu, p, 1e-14 * (1 + mu) * size);
        moved += !(distance(p, again) <= 1e-14 * (1 + mu) * size);
        // Moreau: x - P(x) is orthogonal to P(x) and lies in the polar cone.
        double rest[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        worse += !(fabs(rest[0] * p[0] + rest[1] * p[1] + rest[2] * p[2]) <= 1e-13 * (1 + mu) * size * size);
        worse += !(rest[0] + mu * hypot(rest[1], rest[2]) <= 1e-13 * (1 + mu) * size);
    }
    ck_assert_int_eq(outside, 0);
    ck_assert_int_eq(moved, 0);
    ck_assert_int_eq(worse, 0);
}

// No random point of the cone is nearer than the projection.
TEST(cone_projection_is_nearest)
{
    fil_rng rng = fil_rng_make(42);
    long nearer = 0;
    for (int n = 0; n < 2000; ++n) {
        double mu = mus[n % 5], x[3], p[3];
        for (int k = 0; k < 3; ++k)
            x[k] = fil_rng_normal(&rng);
        memcpy(p, x, sizeof p);
        fil_cone_project(mu, p);
        double least = distance(x, p);
        for (int m = 0; m < 200; ++m) {
            double angle = fil_rng_uniform(&rng, 0, 6.283185307179586), normal = fabs(fil_rng_normal(&rng));
            double tangent = mu * normal * fil_rng_uniform(&rng, 0, 1);
            double y[3] = {normal, tangent * cos(angle), tangent * sin(angle)};
            // Half of the points close to the projection.
            if (m % 2)
                for (int k = 0; k < 3; ++k)
                    y[k] = p[k] + 0.01 * (y[k] - p[k]);
            nearer += distance(x, y) < least - 1e-12;
        }
    }
    ck_assert_int_eq(nearer, 0);
}

TEST(cone_projection_of_special_points)
{
    double inside[3] = {2, 0.3, 0.4}, polar[3] = {-1, 0.5, 0}, apex[3] = {0, 0, 0};
    fil_cone_project(0.5, inside);
    ck_assert(inside[0] == 2 && inside[1] == 0.3 && inside[2] == 0.4);
    fil_cone_project(0.5, polar);
    ck_assert(polar[0] == 0 && polar[1] == 0 && polar[2] == 0);
    fil_cone_project(0.5, apex);
    ck_assert(apex[0] == 0 && apex[1] == 0 && apex[2] == 0);
    // mu = 0: the cone is a ray.
    double above[3] = {3, 4, 5}, below[3] = {-3, 4, 5}, beside[3] = {0, 4, 5};
    fil_cone_project(0, above);
    ck_assert(above[0] == 3 && above[1] == 0 && above[2] == 0);
    fil_cone_project(0, below);
    ck_assert(below[0] == 0 && below[1] == 0 && below[2] == 0);
    fil_cone_project(0, beside);
    ck_assert(beside[0] == 0 && beside[1] == 0 && beside[2] == 0);
    // By hand: mu = 1, (0, 2, 0) -> (1, 1, 0).
    double side[3] = {0, 2, 0};
    fil_cone_project(1, side);
    test_near(side[0], 1, 1e-15);
    test_near(side[1], 1, 1e-15);
}

TEST(cone_natural_map_vanishes_on_coulomb_pairs_only)
{
    fil_rng rng = fil_rng_make(43);
    long not_zero = 0, zero = 0;
    for (int n = 0; n < 20000; ++n) {
        double mu = mus[n % 5], rho = pow(10, fil_rng_uniform(&rng, -2, 2)), angle = fil_rng_uniform(&rng, 0, 6.28);
        double t[2] = {cos(angle), sin(angle)}, r[3] = {0, 0, 0}, u[3] = {0, 0, 0};
        if (n % 3 == 0) {
            u[0] = fil_rng_uniform(&rng, 0.1, 1);
            u[1] = fil_rng_normal(&rng);
            u[2] = fil_rng_normal(&rng);
        } else {
            double slip = n % 3 == 1 ? fil_rng_uniform(&rng, 0.1, 1) : 0, share = n % 3 == 1 ? 1 : 0.5;
            r[0] = fil_rng_uniform(&rng, 0.1, 1);
            r[1] = share * mu * r[0] * t[0];
            r[2] = share * mu * r[0] * t[1];
            u[1] = -slip * t[0];
            u[2] = -slip * t[1];
        }
        double scale = (1 + rho) * (1 + mu);
        not_zero += !(sqrt(fil_cone_natural(mu, rho, r, u)) <= 1e-14 * scale);
        u[0] -= 0.2;
        if (n % 3 == 0)
            u[0] -= 1; // it no longer takes off
        zero += !(sqrt(fil_cone_natural(mu, rho, r, u)) > 1e-4);
    }
    ck_assert_int_eq(not_zero, 0);
    ck_assert_int_eq(zero, 0);
}
