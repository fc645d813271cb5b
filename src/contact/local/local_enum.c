// enum: the three cases of Coulomb's law in turn [Daviet11, appendix B; Bonnefon and Daviet 2011].
//
//   take off:  c_N >= 0, r = 0
//   stick:     W r = -c, accepted when r lies in the cone
//   slide:     u_T = -a r_T, a > 0, u_N = 0, |r_T| = mu r_N
//
// With S = W_TT - w_TN w_NTᵀ / w_NN and d = c_T - w_TN c_N / w_NN, eliminating r_N gives r_T(a) = -(S + a I)⁻¹ d, and
// the last condition is a quartic in a. With y(a) = adj(S + a I) d = adj(S) d + a d and D(a) = det(S + a I):
//
//   (w_NN / mu)² |y(a)|² = (c_N D(a) - w_NT · y(a))²,    r_T = -y / D,   r_N = -(c_N D - w_NT · y) / (w_NN D)
//
// which holds for an unsymmetric W as well. Squaring adds roots with r_N < 0.
// Differs from paper: those are dropped (the smallest positive root is wrong in 2 % of random cases, see the errata in
// docs/contact/local.md); each root is polished on |r_T| = mu r_N, and the candidate with the least residual wins.
// Where rounding hides every root (W nearly singular) the bracketed search of local_root.c answers, and a few damped
// Newton steps give back lost digits.
#include "contact/local/local_slide.h"
#include "math/polynomial.h"

// The best impulse found so far.
typedef struct candidates {
    const double *W, *c;
    double mu, tolerance, best[3], least;
} candidates;

// Keeps r when it is the best so far; returns true when it is good enough.
static bool consider(candidates *found, const double r[3])
{
    double residual = fil_local_residual(found->W, found->c, found->mu, r);
    if (residual < found->least) {
        found->least = residual;
        for (int k = 0; k < 3; ++k)
            found->best[k] = r[k];
    }
    return found->least <= found->tolerance;
}

// The quartic in a / scale, highest power first: coefficients near 1 whatever the units.
static void sliding_quartic(const fil_slide *slide, double scale, double p[5])
{
    const double *S = slide->S, *d = slide->d;
    double y0[2] = {S[3] * d[0] - S[2] * d[1], S[0] * d[1] - S[1] * d[0]}; // adj(S) d
    double trace = S[0] + S[3], det = S[0] * S[3] - S[1] * S[2];
    // normal(a) = c_N D(a) - w_NT · y(a) = n2 a² + n1 a + n0
    double n2 = slide->c_N;
    double n1 = slide->c_N * trace - (slide->w_NT[0] * d[0] + slide->w_NT[1] * d[1]);
    double n0 = slide->c_N * det - (slide->w_NT[0] * y0[0] + slide->w_NT[1] * y0[1]);
    double k = slide->w_NN / slide->mu;
    k *= k;
    double s = scale;
    n2 *= s * s;
    n1 *= s;
    double d1[2] = {d[0] * s, d[1] * s};
    p[0] = n2 * n2;
    p[1] = 2 * n2 * n1;
    p[2] = n1 * n1 + 2 * n2 * n0 - k * (d1[0] * d1[0] + d1[1] * d1[1]);
    p[3] = 2 * (n1 * n0 - k * (d1[0] * y0[0] + d1[1] * y0[1]));
    p[4] = n0 * n0 - k * (y0[0] * y0[0] + y0[1] * y0[1]);
}

static bool try_stick(candidates *found, double small)
{
    double r[3];
    return fil_slide_stick(found->W, found->c, found->mu, small, r) && consider(found, r);
}

static bool try_slide(candidates *found)
{
    fil_slide slide;
    double r[3] = {0, 0, 0}, p[5], roots[4];
    if (!fil_slide_make(found->W, found->c, found->mu, &slide))
        return false;
    if (found->mu == 0) {
        r[0] = -slide.c_N / slide.w_NN;
        return consider(found, r);
    }
    sliding_quartic(&slide, slide.scale, p);
    int count = fil_polynomial_quartic(p, roots);
    for (int k = 0; k < count; ++k)
        if (roots[k] > 0 && fil_slide_impulse(&slide, fil_slide_polish(&slide, roots[k] * slide.scale), r) &&
            consider(found, r))
            return true;
    return fil_slide_search(&slide, -1, r) && consider(found, r);
}

// Damped Newton from the best candidate.
static bool try_polish(candidates *found, fil_map map)
{
    const fil_local_newton_param param = {.iterations = 30};
    double r[3] = {found->best[0], found->best[1], found->best[2]};
    fil_local_newton(map, true, found->W, found->c, found->mu, found->tolerance, &param, r);
    return consider(found, r);
}

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    (void)param;
    r[0] = r[1] = r[2] = 0;
    if (c[0] >= 0)
        return 0;
    const double exact = 1e-14, truncated = 1e-7;
    candidates found = {.W = W, .c = c, .mu = mu, .tolerance = tolerance, .least = INFINITY};
    bool solved = (mu > 0 && try_stick(&found, exact)) || try_slide(&found) || (mu > 0 && try_stick(&found, truncated));
    if (!solved && found.least < INFINITY)
        solved = try_polish(&found, FIL_MAP_AC) || try_polish(&found, FIL_MAP_NM);
    if (!(found.least < INFINITY))
        return -1; // nothing holds the bodies apart: w_NN = 0
    for (int k = 0; k < 3; ++k)
        r[k] = found.best[k];
    return solved ? 0 : 1;
}

const fil_local_type fil_local_enum = {
    .name = "enum",
    .doc = "The three cases in turn; sliding by the closed-form quartic [Daviet11, appendix B], valid roots only",
    .exact = true,
    .solve = solve,
};
