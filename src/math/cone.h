// The friction cone K = { x : |x_T| <= mu x_N } and the natural map that judges one contact.
#ifndef FIL_MATH_CONE_H
#define FIL_MATH_CONE_H

#include <math.h>

// x becomes the nearest point of K.
static inline void fil_cone_project(double mu, double x[3])
{
    double tangent = sqrt(x[1] * x[1] + x[2] * x[2]);
    // First, because without friction a negative normal without tangent would count as inside.
    if (x[0] + mu * tangent <= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    if (tangent <= mu * x[0])
        return;
    double normal = (x[0] + mu * tangent) / (1 + mu * mu);
    double scale = mu * normal / tangent;
    x[0] = normal;
    x[1] *= scale;
    x[2] *= scale;
}

// F = r - P_K(r - rho (u + mu |u_T| e)); returns |F|². Zero exactly for (u, r) in Coulomb(mu).
static inline double fil_cone_natural(double mu, double rho, const double r[3], const double u[3])
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
    fil_cone_project(mu, x);
    double a = r[0] - x[0], b = r[1] - x[1], c = r[2] - x[2];
    return a * a + b * b + c * c;
}

#endif
