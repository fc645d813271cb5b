// root: the three cases of Coulomb's law in turn, sliding by a bracketed Newton search in one unknown.
//
// The same cases as enum (local_enum.c) without a quartic: h(a) of local_slide.c is solved from the slip rate of the
// last impulse, which in a sweep is nearly right. No spurious roots to tell apart, no loss of digits in the
// coefficients.
#include "contact/local/local_slide.h"
#include "math/mat3.h"

// The slip rate a = -u_T · r_T / |r_T|² that the present impulse stands for.
static double guess_rate(const double W[9], const double c[3], const double r[3])
{
    double u[3] = {c[0], c[1], c[2]};
    fil_mat3_add_vector(W, r, u);
    double size = r[1] * r[1] + r[2] * r[2];
    return size > 0 ? -(u[1] * r[1] + u[2] * r[2]) / size : -1;
}

static void copy(const double from[3], double to[3])
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

// W r = -c in the cone. The fast solve answers for a well-conditioned W; a singular one gets the careful solve.
static bool at_rest(const double W[9], const double N[9], double det, double cube, const double c[3], double mu,
                    double tolerance, double r[3])
{
    bool fast = det > 1e-9 * cube, rests = false;
    if (fast) {
        double inverse = -1 / det;
        fil_mat3_multiply_vector(N, c, r);
        for (int k = 0; k < 3; ++k)
            r[k] *= inverse;
        rests = r[1] * r[1] + r[2] * r[2] <= mu * mu * r[0] * r[0] && r[0] >= 0;
    }
    bool trusted = det > 1e-5 * cube;
    if (!fast || (rests && !trusted && !(fil_local_residual(W, c, mu, r) <= tolerance)))
        rests = fil_slide_stick(W, c, mu, 1e-14, r) && fil_local_residual(W, c, mu, r) <= tolerance;
    return rests;
}

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    (void)param;
    if (c[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return 0;
    }
    fil_slide slide;
    bool normal_works = fil_slide_make(W, c, mu, &slide);
    if (normal_works && mu == 0) {
        r[0] = -c[0] / slide.w_NN;
        r[1] = r[2] = 0;
        return 0;
    }
    double N[9], det = fil_mat3_adjugate(W, N), trace = W[0] + W[4] + W[8], cube = trace * trace * trace, found[3];
    bool trusted = det > 1e-5 * cube; // W is far enough from singular that rounding cannot hurt
    // A contact that was sliding probably still is: any positive slip rate on the cone is a solution.
    bool slid = r[1] * r[1] + r[2] * r[2] > 0.998 * mu * mu * r[0] * r[0];
    double guess = slid ? guess_rate(W, c, r) : -1;
    if (normal_works && trusted && guess > 0 && fil_slide_follow(&slide, guess, found)) {
        copy(found, r);
        return 0;
    }
    if (mu > 0 && at_rest(W, N, det, cube, c, mu, tolerance, found)) {
        copy(found, r);
        return 0;
    }
    if (!normal_works) {
        r[0] = r[1] = r[2] = 0;
        return -1;
    }
    if (!fil_slide_search(&slide, guess, found))
        return 1;
    copy(found, r);
    // The search is exact but for rounding, which a nearly singular W can make large.
    return trusted || fil_local_residual(W, c, mu, r) <= tolerance ? 0 : 1;
}

const fil_local_type fil_local_root = {
    .name = "root",
    .doc = "The three cases in turn; sliding by a bracketed Newton search for the slip rate",
    .exact = true,
    .solve = solve,
};
