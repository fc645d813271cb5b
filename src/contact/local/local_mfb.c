// mfb: Newton on the modified Fischer-Burmeister function of [Daviet11, 5.2 and appendix A].
//
// With x = r̂, y = û and s = (x∘x + y∘y)^(1/2) as in contact_map.c, F = x + y - s. The Newton equation times L_s is
//
//   (L_(s-x) dx/dr + L_(s-y) dy/du W) dr = -L_s F,      L_v = [[v_N, v_Tᵀ], [v_T, v_N I]]
//
// and needs no inverse of L_s. Times s_N it needs no division either, for s_N s = (s_N², x_N x_T + y_N y_T). The root
// of the smaller eigenvalue loses half the digits where it is small, as in slow sliding; the product D of both roots
// does not when it is written as
//
//   D² = (x_N² - |x_T|²)² + (y_N² - |y_T|²)² + 2 (|x|² |y|² - 4 x_N y_N x_T·y_T),    s_N² = (|x|² + |y|² + D) / 2
//
// Pure Newton as in the paper; where it strays the careful loop of local_newton.c begins again from the guess itself.
// Differs from paper: the guess is improved first; the angle between step and gradient is watched by the careful loop
// only. Cost: about 50 ns per step; three and a half steps per contact in the first 50 sweeps of the hair-like family.
#include "contact/local/local.h"

#include "math/mat3.h"

enum { FAST_STEPS = 12 };

// x, y, and S = s_N s at one r; F is s_N times the function itself.
typedef struct mfb_point {
    double x[3], y[3], S[3], F[3];
    double root; // s_N
    double m[2]; // mu u_T / |u_T|
} mfb_point;

static inline double square3(const double a[3])
{
    return a[0] * a[0] + (a[1] * a[1] + a[2] * a[2]);
}

static inline void evaluate(const double W[9], const double c[3], double mu, double rho, const double r[3],
                            mfb_point *p)
{
    const double tiny = 1e-300;
    double u[3];
    for (int i = 0; i < 3; ++i)
        u[i] = (c[i] + W[i] * r[0]) + (W[i + 3] * r[1] + W[i + 6] * r[2]);
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), unit = mu / (slip > tiny ? slip : tiny), scale = rho * mu;
    p->m[0] = unit * u[1];
    p->m[1] = unit * u[2];
    double x0 = mu * r[0], x1 = r[1], x2 = r[2];
    double y0 = rho * u[0] + scale * slip, y1 = scale * u[1], y2 = scale * u[2];
    double x_N = x0 * x0, x_T = x1 * x1 + x2 * x2, y_N = y0 * y0, y_T = y1 * y1 + y2 * y2;
    double dx = x_N - x_T, dy = y_N - y_T, xx = x_N + x_T, yy = y_N + y_T;
    double D = (dx * dx + dy * dy) + 2 * (xx * yy - 4 * (x0 * y0) * (x1 * y1 + x2 * y2));
    D = D > 0 ? sqrt(D) : 0; // rounding only
    double S0 = 0.5 * (xx + yy + D), root = sqrt(S0);
    p->S[0] = S0;
    p->S[1] = x0 * x1 + y0 * y1;
    p->S[2] = x0 * x2 + y0 * y2;
    p->root = root;
    p->x[0] = x0, p->x[1] = x1, p->x[2] = x2;
    p->y[0] = y0, p->y[1] = y1, p->y[2] = y2;
    for (int i = 0; i < 3; ++i)
        p->F[i] = root * (p->x[i] + p->y[i]) - p->S[i];
}

// Moves r by the full Newton step; false when the matrix is singular.
static inline bool step(const double W[9], double mu, double rho, const mfb_point *p, double r[3])
{
    const double *S = p->S, *F = p->F;
    double a[3], b[3], J[9], N[9], scale = rho * mu;
    for (int i = 0; i < 3; ++i) {
        a[i] = S[i] - p->root * p->y[i];
        b[i] = S[i] - p->root * p->x[i];
    }
    for (int j = 0; j < 3; ++j) {
        // One column of dy/du W.
        const double *w = W + 3 * j;
        double g0 = rho * (w[0] + p->m[0] * w[1] + p->m[1] * w[2]), g1 = scale * w[1], g2 = scale * w[2];
        J[3 * j] = a[0] * g0 + a[1] * g1 + a[2] * g2;
        J[3 * j + 1] = a[1] * g0 + a[0] * g1;
        J[3 * j + 2] = a[2] * g0 + a[0] * g2;
    }
    J[0] += mu * b[0], J[1] += mu * b[1], J[2] += mu * b[2];
    J[3] += b[1], J[4] += b[0];
    J[6] += b[2], J[8] += b[0];
    double right[3] = {S[0] * F[0] + S[1] * F[1] + S[2] * F[2], S[1] * F[0] + S[0] * F[1], S[2] * F[0] + S[0] * F[2]};
    double determinant = fil_mat3_adjugate(J, N) * p->root;
    if (!(fabs(determinant) > 1e-300))
        return false;
    double inverse = 1 / determinant;
    for (int i = 0; i < 3; ++i)
        r[i] -= inverse * (N[i] * right[0] + N[i + 3] * right[1] + N[i + 6] * right[2]);
    return true;
}

static inline bool inside_cone(double mu, const double r[3])
{
    return r[0] > 0 && r[1] * r[1] + r[2] * r[2] < 0.998 * mu * mu * r[0] * r[0];
}

// r = -W⁻¹ c, when that is well determined and a contact at rest can bear it.
static inline bool at_rest(const double W[9], const double c[3], double mu, double r[3])
{
    double N[9], determinant = fil_mat3_adjugate(W, N), trace = W[0] + W[4] + W[8];
    double inverse = -1 / determinant;
    for (int i = 0; i < 3; ++i)
        r[i] = inverse * (N[i] * c[0] + N[i + 3] * c[1] + N[i + 6] * c[2]);
    return determinant > 1e-9 * trace * trace * trace && inside_cone(mu, r);
}

// The first guess. A contact that was at rest probably still is. Else the last impulse, made longer or shorter so that
// it just stops the approach (u_N = 0): Newton then finds the right case of the law a step earlier. Without a useful
// guess: the impulse of a contact without friction.
static inline void begin(const double W[9], const double c[3], double mu, const double guess[3], double r[3])
{
    if (inside_cone(mu, guess) && at_rest(W, c, mu, r))
        return;
    double answer = W[0] * guess[0] + W[3] * guess[1] + W[6] * guess[2], length = -c[0] / answer;
    for (int k = 0; k < 3; ++k)
        r[k] = length * guess[k];
    if (!(length > 0.1 && length < 10)) {
        r[0] = W[0] > 0 ? -c[0] / W[0] : guess[0];
        r[1] = r[2] = 0;
    }
}

// F vanishes where the natural map does, but for rounding: an impulse far beyond rho |c| is judged by the map itself.
static inline bool trustworthy(const double W[9], const double c[3], double mu, double rho, double tolerance,
                               const double r[3])
{
    const double ordinary = 30;
    return square3(r) <= (ordinary * rho) * (ordinary * rho) * square3(c) ||
           fil_local_residual(W, c, mu, r) <= tolerance;
}

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    const fil_local_newton_param *setting = param;
    if (mu > 0 && c[0] < 0) {
        double rho = fil_local_rho(W), goal = fil_local_newton_goal(FIL_MAP_FB, rho, c, mu, tolerance);
        double x[3];
        begin(W, c, mu, r, x);
        int steps = setting->iterations < FAST_STEPS ? setting->iterations : FAST_STEPS;
        for (int k = 0; k <= steps; ++k) {
            mfb_point point;
            evaluate(W, c, mu, rho, x, &point);
            if (square3(point.F) <= goal * point.S[0]) {
                if (!trustworthy(W, c, mu, rho, tolerance, x))
                    break;
                r[0] = x[0];
                r[1] = x[1];
                r[2] = x[2];
                return 0;
            }
            if (!step(W, mu, rho, &point, x))
                break;
        }
    }
    return fil_local_newton(FIL_MAP_FB, false, W, c, mu, tolerance, param, r);
}

const fil_local_type fil_local_mfb = {
    .name = "mfb",
    .doc = "Newton on the modified Fischer-Burmeister function [Daviet11, section 5 and appendix A]",
    .fields = fil_local_newton_fields,
    .field_count = 1,
    .param_size = sizeof(fil_local_newton_param),
    .exact = true,
    .solve = solve,
};
