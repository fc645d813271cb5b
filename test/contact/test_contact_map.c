// The four maps: Jacobians against finite differences, zero exactly on Coulomb pairs, take-off without u.
#include "contact/contact_map.h"

#include "base/rng.h"
#include "test.h"

#include <string.h>

static const char *const names[] = {"ac", "jm", "nm", "fb"};
static const double mus[] = {0, 0.01, 0.3, 1, 10};

// F at (r, u) moved by `step` along coordinate k of the six.
static void moved(fil_map map, double mu, double rho, const double r[3], const double u[3], int k, double step,
                  double F[3])
{
    double x[6] = {r[0], r[1], r[2], u[0], u[1], u[2]};
    x[k] += step;
    fil_contact_map(map, mu, rho, x, x + 3, F, NULL, NULL);
}

// Largest difference between (A, B) and central differences, relative to their size. Near a kink the differences of
// two step sizes disagree: such points are left out (*kink).
static double jacobian_error(fil_map map, double mu, double rho, const double r[3], const double u[3], bool *kink)
{
    double F[3], A[9], B[9], most = 0, size = 1;
    fil_contact_map(map, mu, rho, r, u, F, A, B);
    for (int k = 0; k < 9; ++k)
        size = fmax(size, fmax(fabs(A[k]), fabs(B[k])));
    *kink = false;
    for (int k = 0; k < 6; ++k) {
        double plus[3], minus[3], plus2[3], minus2[3];
        const double h = 1e-5, H = 4e-5;
        moved(map, mu, rho, r, u, k, h, plus);
        moved(map, mu, rho, r, u, k, -h, minus);
        moved(map, mu, rho, r, u, k, H, plus2);
        moved(map, mu, rho, r, u, k, -H, minus2);
        for (int i = 0; i < 3; ++i) {
            double exact = k < 3 ? A[i + 3 * k] : B[i + 3 * (k - 3)];
            double fine = (plus[i] - minus[i]) / (2 * h), coarse = (plus2[i] - minus2[i]) / (2 * H);
            // One-sided slopes differ across a kink even where the central ones agree.
            double right = (plus[i] - F[i]) / h, left = (F[i] - minus[i]) / h;
            *kink |= fabs(fine - coarse) > 1e-6 * size || fabs(right - left) > 1e-3 * size;
            most = fmax(most, fabs(fine - exact) / size);
        }
    }
    return most;
}

TEST(contact_map_jacobians_match_finite_differences)
{
    for (int map = 0; map < 4; ++map) {
        fil_rng rng = fil_rng_make(51);
        long wrong = 0, used = 0;
        double worst = 0;
        for (int n = 0; n < 10000; ++n) {
            double r[3], u[3], mu = mus[n % 5], rho = pow(10, fil_rng_uniform(&rng, -0.5, 0.5));
            for (int k = 0; k < 3; ++k) {
                r[k] = fil_rng_normal(&rng);
                u[k] = fil_rng_normal(&rng);
            }
            bool kink;
            double error = jacobian_error((fil_map)map, mu, rho, r, u, &kink);
            if (kink)
                continue;
            ++used;
            worst = fmax(worst, error);
            wrong += !(error <= 1e-6);
        }
        ck_assert_msg(used > 9000, "%s: only %ld points are away from kinks", names[map], used);
        ck_assert_msg(wrong == 0, "%s: %ld of %ld wrong, worst %.3g", names[map], wrong, used, worst);
    }
}

// Asking for the Jacobian does not change F.
TEST(contact_map_value_is_the_same_without_jacobian)
{
    fil_rng rng = fil_rng_make(52);
    for (int n = 0; n < 2000; ++n) {
        double r[3], u[3], F[3], G[3], A[9], B[9];
        for (int k = 0; k < 3; ++k) {
            r[k] = fil_rng_normal(&rng);
            u[k] = fil_rng_normal(&rng);
        }
        fil_contact_map((fil_map)(n % 4), mus[n % 5], 0.7, r, u, F, A, B);
        fil_contact_map((fil_map)(n % 4), mus[n % 5], 0.7, r, u, G, NULL, NULL);
        ck_assert(memcmp(F, G, sizeof F) == 0);
    }
}

enum { TAKE_OFF, STICK, SLIDE, CASES };

static void coulomb_pair(fil_rng *rng, int which, double mu, double r[3], double u[3])
{
    double angle = fil_rng_uniform(rng, 0, 6.283185307179586), t[2] = {cos(angle), sin(angle)};
    memset(r, 0, 3 * sizeof *r);
    memset(u, 0, 3 * sizeof *u);
    if (which == TAKE_OFF) {
        u[0] = fil_rng_uniform(rng, 0.1, 1);
        u[1] = fil_rng_normal(rng);
        u[2] = fil_rng_normal(rng);
        return;
    }
    double share = which == STICK ? fil_rng_uniform(rng, 0, 0.9) : 1;
    double slip = which == STICK && mu > 0 ? 0 : fil_rng_uniform(rng, 0.1, 1);
    r[0] = fil_rng_uniform(rng, 0.1, 1);
    for (int k = 0; k < 2; ++k) {
        r[1 + k] = share * mu * r[0] * t[k];
        u[1 + k] = -slip * t[k];
    }
}

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

TEST(contact_map_vanishes_on_coulomb_pairs_only)
{
    for (int map = 0; map < 4; ++map) {
        fil_rng rng = fil_rng_make(53);
        long not_zero = 0, zero = 0;
        for (int n = 0; n < 15000; ++n) {
            double r[3], u[3], F[3], mu = mus[n % 5], rho = pow(10, fil_rng_uniform(&rng, -1, 1));
            int which = n % CASES;
            coulomb_pair(&rng, which, mu, r, u);
            fil_contact_map((fil_map)map, mu, rho, r, u, F, NULL, NULL);
            // fb takes a square root of a number that is zero but for rounding.
            double slack = (map == FIL_MAP_FB ? 1e-7 : 1e-14) * (1 + mu) * (1 + mu) * (1 + rho);
            not_zero += !(norm(F) <= slack);
            // Break the law: sink into the body, leave the cone, or pull with friction along the slip.
            switch (which == TAKE_OFF ? 0 : n / CASES % 3) {
            case 0:
                u[0] = -0.5;
                break;
            case 1:
                r[1] += 2 * mu * r[0] + 0.5;
                break;
            default:
                u[0] = 0.5; // pressed together and flying apart
            }
            fil_contact_map((fil_map)map, mu, rho, r, u, F, NULL, NULL);
            zero += !(norm(F) > 1e-4);
        }
        ck_assert_msg(not_zero == 0, "%s: %ld Coulomb pairs are not zeros", names[map], not_zero);
        ck_assert_msg(zero == 0, "%s: %ld zeros are not Coulomb pairs", names[map], zero);
    }
}

// Friction along the slip instead of against it is a zero of no map.
TEST(contact_map_sees_the_sign_of_friction)
{
    const double r[3] = {1, 0.3, 0}, with[3] = {0, 0.2, 0}, against[3] = {0, -0.2, 0};
    for (int map = 0; map < 4; ++map) {
        double F[3];
        fil_contact_map((fil_map)map, 0.3, 1, r, against, F, NULL, NULL);
        ck_assert_msg(norm(F) <= 1e-8, "%s", names[map]);
        fil_contact_map((fil_map)map, 0.3, 1, r, with, F, NULL, NULL);
        ck_assert_msg(norm(F) > 1e-2, "%s", names[map]);
    }
}

// Solvers eliminate contacts that take off: F = r, A = I, B = 0 to the last bit.
TEST(contact_map_take_off_does_not_depend_on_u)
{
    fil_rng rng = fil_rng_make(54);
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9] = {0};
    static const fil_map maps[] = {FIL_MAP_AC, FIL_MAP_NM};
    long wrong = 0;
    for (int n = 0; n < 4000; ++n) {
        double r[3], u[3], F[3], A[9], B[9], mu = mus[n % 5];
        coulomb_pair(&rng, TAKE_OFF, mu, r, u);
        // Also when the impulse is not yet zero.
        if (n % 2)
            for (int k = 0; k < 3; ++k)
                r[k] = 1e-3 * fil_rng_uniform(&rng, -1, 1);
        u[0] += 1 + 2 * mu;
        fil_contact_map(maps[n / 2 % 2], mu, 1, r, u, F, A, B);
        for (int k = 0; k < 9; ++k)
            wrong += A[k] != identity[k] || B[k] != zero[k];
        wrong += memcmp(F, r, sizeof F) != 0;
    }
    ck_assert_int_eq(wrong, 0);
}

TEST(contact_map_is_finite_at_kinks)
{
    static const double values[] = {0, 1, -1, 1e-300, 1e-160, -1e-8};
    long bad = 0;
    for (int n = 0; n < 6 * 6 * 6 * 6; ++n) {
        double r[3] = {values[n % 6], values[n / 6 % 6], 0}, u[3] = {values[n / 36 % 6], values[n / 216], 0};
        for (int map = 0; map < 4; ++map)
            for (int m = 0; m < 5; ++m) {
                double F[3], A[9], B[9];
                fil_contact_map((fil_map)map, mus[m], 1, r, u, F, A, B);
                for (int k = 0; k < 9; ++k)
                    bad += !isfinite(F[k % 3]) || !isfinite(A[k]) || !isfinite(B[k]);
            }
    }
    ck_assert_int_eq(bad, 0);
}
