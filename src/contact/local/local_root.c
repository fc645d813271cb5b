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

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    (void)param;
    double guess = guess_rate(W, c, r);
    if (c[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return 0;
    }
    bool trusted = true; // W is far enough from singular that rounding cannot hurt
    if (mu > 0) {
        double stick[3];
        // The fast solve answers for a well-conditioned W; a singular one gets the careful solve.
        double N[9], det = fil_mat3_adjugate(W, N), trace = W[0] + W[4] + W[8], cube = trace * trace * trace;
        bool sticks = false, fast = det > 1e-9 * cube;
        trusted = det > 1e-5 * cube;
        if (fast) {
            fil_mat3_multiply_vector(N, c, stick);
            for (int k = 0; k < 3; ++k)
                stick[k] /= -det;
            sticks = stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0] && stick[0] >= 0;
        }
        if (!fast || (sticks && !trusted && !(fil_local_residual(W, c, mu, stick) <= tolerance)))
            sticks = fil_slide_stick(W, c, mu, 1e-14, stick) && fil_local_residual(W, c, mu, stick) <= tolerance;
        if (sticks) {
            r[0] = stick[0];
            r[1] = stick[1];
            r[2] = stick[2];
            return 0;
        }
    }
    fil_slide slide;
    if (!fil_slide_make(W, c, mu, &slide)) {
        r[0] = r[1] = r[2] = 0;
        return -1;
    }
    if (mu == 0) {
        r[0] = -c[0] / slide.w_NN;
        r[1] = r[2] = 0;
        return 0;
    }
    double slipping[3];
    if (!fil_slide_search(&slide, guess, slipping))
        return 1;
    r[0] = slipping[0];
    r[1] = slipping[1];
    r[2] = slipping[2];
    // The search is exact but for rounding, which a nearly singular W can make large.
    return trusted || fil_local_residual(W, c, mu, r) <= tolerance ? 0 : 1;
}

const fil_local_type fil_local_root = {
    .name = "root",
    .doc = "The three cases in turn; sliding by a bracketed Newton search for the slip rate",
    .exact = true,
    .solve = solve,
};
