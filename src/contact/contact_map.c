// Four ways to write Coulomb's law as F(r, u) = 0, each with one element of its generalised Jacobian:
//
//   ac  Alart-Curnier:  F_N = r_N - (x_N)+,  F_T = r_T - P_D(x_T),  x = r - rho u,  D the disk of radius mu (x_N)+
//   jm  Jean-Moreau:    the same with radius mu (r_N)+
//   nm  natural map:    F = r - P_K(r - rho (u + mu |u_T| e)),  K the friction cone
//   fb  Fischer-Burmeister on cones [Daviet11, eq. 12]: F = r̂ + û - (r̂∘r̂ + û∘û)^(1/2),
//       r̂ = (mu r_N, r_T), û = rho (u_N + mu |u_T|, mu u_T)                                  [Daviet11, eq. 5 and 7]
//
// A contact that takes off has A = I and B = 0 in ac and nm, so that solvers can eliminate it.
// Differs from paper: the Jacobian of fb printed in [Daviet11, A.1] is wrong; with s = z^(1/2) it is
//   dF/dr̂ = I - L_s⁻¹ L_r̂,   L_s⁻¹ = 1/D [[s_N, -s_Tᵀ], [-s_T, (D I + s_T s_Tᵀ)/s_N]],   D = s_N² - |s_T|².
#include "contact/contact_map.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void set_diagonal(double M[9], double value)
{
    memset(M, 0, 9 * sizeof *M);
    M[0] = M[4] = M[8] = value;
}

// The tangent rows when |x_T| exceeds the radius: F_T = r_T - radius n, n = x_T / |x_T|.
// dradius_r, dradius_u: derivatives of the radius by r_N and u_N.
static void slide_rows(double rho, double radius, double length, const double x[3], double dradius_r, double dradius_u,
                       double A[9], double B[9])
{
    double n[2] = {x[1] / length, x[2] / length};
    double g = radius / length;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            double G = g * ((i == j) - n[i] * n[j]);
            A[(1 + i) + 3 * (1 + j)] = (i == j) - G;
            B[(1 + i) + 3 * (1 + j)] = rho * G;
        }
        A[1 + i] = -dradius_r * n[i];
        B[1 + i] = -dradius_u * n[i];
    }
}

// ac and jm differ only in the radius of the disk.
static void map_disk(bool jean_moreau, double mu, double rho, const double r[3], const double u[3], double F[3],
                     double A[9], double B[9])
{
    double x[3] = {r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]};
    bool touching = x[0] > 0;
    double pressure = jean_moreau ? r[0] : x[0];
    double radius = pressure > 0 ? mu * pressure : 0;
    double length = sqrt(x[1] * x[1] + x[2] * x[2]);
    bool sticking = radius > 0 && length <= radius;
    bool sliding = radius > 0 && !sticking;
    F[0] = touching ? rho * u[0] : r[0];
    for (int i = 1; i < 3; ++i)
        F[i] = sticking ? rho * u[i] : sliding ? r[i] - radius / length * x[i] : r[i];
    if (!A)
        return;
    set_diagonal(A, 1);
    memset(B, 0, 9 * sizeof *B);
    if (touching) {
        A[0] = 0;
        B[0] = rho;
    }
    if (sticking) {
        A[4] = A[8] = 0;
        B[4] = B[8] = rho;
    } else if (sliding) {
        slide_rows(rho, radius, length, x, mu, jean_moreau ? 0 : -mu * rho, A, B);
    }
}

static void map_natural(double mu, double rho, const double r[3], const double u[3], double F[3], double A[9],
                        double B[9])
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
    double length = sqrt(x[1] * x[1] + x[2] * x[2]);
    // D is the Jacobian of the projection.
    double D[9];
    if (length <= mu * x[0]) {
        set_diagonal(D, 1);
        F[0] = r[0] - x[0];
        F[1] = r[1] - x[1];
        F[2] = r[2] - x[2];
    } else if (x[0] + mu * length <= 0) {
        set_diagonal(D, 0);
        F[0] = r[0];
        F[1] = r[1];
        F[2] = r[2];
    } else {
        double share = 1 / (1 + mu * mu), normal = share * (x[0] + mu * length);
        double n[2] = {x[1] / length, x[2] / length}, g = mu * normal / length;
        D[0] = share;
        for (int i = 0; i < 2; ++i) {
            D[1 + i] = D[3 * (1 + i)] = mu * share * n[i];
            for (int j = 0; j < 2; ++j)
                D[(1 + i) + 3 * (1 + j)] = (mu * mu * share - g) * n[i] * n[j] + (i == j ? g : 0);
            F[1 + i] = r[1 + i] - mu * normal * n[i];
        }
        F[0] = r[0] - normal;
    }
    if (!A)
        return;
    // dx/du = -rho (I + mu e (u_T / |u_T|)ᵀ); at u_T = 0 the middle element of the subdifferential, zero.
    double m[2] = {slip > 0 ? mu * u[1] / slip : 0, slip > 0 ? mu * u[2] / slip : 0};
    for (int k = 0; k < 9; ++k)
        A[k] = -D[k];
    A[0] += 1;
    A[4] += 1;
    A[8] += 1;
    for (int i = 0; i < 3; ++i) {
        B[i] = rho * D[i];
        B[i + 3] = rho * (D[i + 3] + D[i] * m[0]);
        B[i + 6] = rho * (D[i + 6] + D[i] * m[1]);
    }
}

// Without friction the law is 0 <= r_N ⊥ u_N >= 0 and r_T = 0.
static void map_fb_frictionless(double rho, const double r[3], const double u[3], double F[3], double A[9], double B[9])
{
    double y = rho * u[0], root = sqrt(r[0] * r[0] + y * y);
    F[0] = r[0] + y - root;
    F[1] = r[1];
    F[2] = r[2];
    if (!A)
        return;
    set_diagonal(A, 1);
    memset(B, 0, 9 * sizeof *B);
    A[0] = root > 0 ? 1 - r[0] / root : 0;
    B[0] = root > 0 ? rho * (1 - y / root) : 0;
}

static void map_fb(double mu, double rho, const double r[3], const double u[3], double F[3], double A[9], double B[9])
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double x[3] = {mu * r[0], r[1], r[2]};
    double y[3] = {rho * (u[0] + mu * slip), rho * mu * u[1], rho * mu * u[2]};

    // The square root of z = x∘x + y∘y through its eigenvalues l1 <= l2.
    double a[2] = {x[0] * x[1] + y[0] * y[1], x[0] * x[2] + y[0] * y[2]};
    double size = sqrt(a[0] * a[0] + a[1] * a[1]);
    double trace = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    double l1 = trace - 2 * size, l2 = trace + 2 * size;
    // Rounding leaves l1 at a few ulps of l2 where it should be zero.
    l1 = l1 > 1e-16 * l2 ? l1 : 0;
    double root1 = sqrt(l1), root2 = sqrt(l2);
    double s[3] = {0.5 * (root1 + root2), 0, 0};
    if (size > 0) {
        double half = 0.5 * (root2 - root1) / size;
        s[1] = half * a[0];
        s[2] = half * a[1];
    }
    for (int i = 0; i < 3; ++i)
        F[i] = x[i] + y[i] - s[i];
    if (!A)
        return;

    // P = dF/dx, Q = dF/dy in the hatted variables.
    double P[9], Q[9];
    double D = root1 * root2;
    if (l2 <= 1e-280) { // zero, or so small that its quotients are rubbish
        set_diagonal(P, 0);
        set_diagonal(Q, 0);
    } else if (D <= 1e-14 * l2) {
        double root = sqrt(x[0] * x[0] + y[0] * y[0]);
        set_diagonal(P, root > 0 ? 1 - x[0] / root : 0);
        set_diagonal(Q, root > 0 ? 1 - y[0] / root : 0);
    } else {
        double inverse = 1 / D, ds = 1 / s[0];
        double L[9] = {inverse * s[0],
                       -inverse * s[1],
                       -inverse * s[2],
                       -inverse * s[1],
                       ds + inverse * ds * s[1] * s[1],
                       inverse * ds * s[1] * s[2],
                       -inverse * s[2],
                       inverse * ds * s[1] * s[2],
                       ds + inverse * ds * s[2] * s[2]};
        // L_x = [[x_N, x_Tᵀ], [x_T, x_N I]]
        for (int i = 0; i < 3; ++i) {
            double l0 = L[i], l1c = L[i + 3], l2c = L[i + 6];
            P[i] = (i == 0) - (l0 * x[0] + l1c * x[1] + l2c * x[2]);
            P[i + 3] = (i == 1) - (l0 * x[1] + l1c * x[0]);
            P[i + 6] = (i == 2) - (l0 * x[2] + l2c * x[0]);
            Q[i] = (i == 0) - (l0 * y[0] + l1c * y[1] + l2c * y[2]);
            Q[i + 3] = (i == 1) - (l0 * y[1] + l1c * y[0]);
            Q[i + 6] = (i == 2) - (l0 * y[2] + l2c * y[0]);
        }
    }
    // Back to r and u: dx/dr = diag(mu, 1, 1), dy/du = rho [[1, mu u_Tᵀ/|u_T|], [0, mu I]].
    double m[2] = {slip > 0 ? mu * u[1] / slip : 0, slip > 0 ? mu * u[2] / slip : 0};
    for (int i = 0; i < 3; ++i) {
        A[i] = mu * P[i];
        A[i + 3] = P[i + 3];
        A[i + 6] = P[i + 6];
        B[i] = rho * Q[i];
        B[i + 3] = rho * (Q[i] * m[0] + mu * Q[i + 3]);
        B[i + 6] = rho * (Q[i] * m[1] + mu * Q[i + 6]);
    }
}

void fil_contact_map(fil_map map, double mu, double rho, const double r[3], const double u[3], double F[3], double A[9],
                     double B[9])
{
    switch (map) {
    case FIL_MAP_AC:
        map_disk(false, mu, rho, r, u, F, A, B);
        break;
    case FIL_MAP_JM:
        map_disk(true, mu, rho, r, u, F, A, B);
        break;
    case FIL_MAP_NM:
        map_natural(mu, rho, r, u, F, A, B);
        break;
    case FIL_MAP_FB:
        if (mu > 0)
            map_fb(mu, rho, r, u, F, A, B);
        else
            map_fb_frictionless(rho, r, u, F, A, B);
        break;
    }
}
