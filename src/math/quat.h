// Unit quaternions w x y z as rotations.
#ifndef FIL_MATH_QUAT_H
#define FIL_MATH_QUAT_H

#include "math/mat3.h"
#include "math/simd.h"

// Rotates a: a + 2 w (r × a) + 2 r × (r × a)
static inline void fil_quat_rotate(const double q[4], const double a[3], double out[3])
{
    const double *r = q + 1;
    double once[3], twice[3];
    fil_vec3_cross(r, a, once);
    fil_vec3_cross(r, once, twice);
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] + 2 * q[0] * once[k] + 2 * twice[k];
}

// Four of them, side by side: the same bits.
static inline fil_w3 fil_quat_rotate_four(const fil_v4 q[4], fil_w3 a)
{
    const fil_w3 r = {q[1], q[2], q[3]};
    fil_w3 once = fil_w3_cross(r, a), twice = fil_w3_cross(r, once);
    return fil_w3_add_scaled(fil_w3_add_scaled(a, 2 * q[0], once), fil_v4_all(2), twice);
}

static inline double fil_quat_norm(const double q[4])
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static inline void fil_quat_normalise(double q[4])
{
    double size = fil_quat_norm(q);
    for (int k = 0; k < 4; ++k)
        q[k] /= size;
}

// The rotation about the direction of `turn` by its length.
static inline void fil_quat_from_turn(const double turn[3], double out[4])
{
    double angle = fil_vec3_norm(turn), part = angle > 0 ? sin(0.5 * angle) / angle : 0.5;
    out[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; ++k)
        out[1 + k] = part * turn[k];
}

// First b, then a.
static inline void fil_quat_multiply(const double a[4], const double b[4], double out[4])
{
    double across[3];
    fil_vec3_cross(a + 1, b + 1, across);
    out[0] = a[0] * b[0] - fil_vec3_dot(a + 1, b + 1);
    for (int k = 0; k < 3; ++k)
        out[1 + k] = a[0] * b[1 + k] + b[0] * a[1 + k] + across[k];
}

// First the inverse of b, then a.
static inline void fil_quat_times_inverse(const double a[4], const double b[4], double out[4])
{
    double across[3];
    fil_vec3_cross(b + 1, a + 1, across);
    out[0] = a[0] * b[0] + fil_vec3_dot(a + 1, b + 1);
    for (int k = 0; k < 3; ++k)
        out[1 + k] = b[0] * a[1 + k] - a[0] * b[1 + k] + across[k];
}

#endif
