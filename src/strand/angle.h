// The energy 1/2 h w², w = angle - rest, of the angle from a vector e to a vector f about a unit vector n that is
// orthogonal to both: its second derivatives by e and f, exact and without their negative part, in closed form. The
// bend energy and the torsion energy of strand_lifted.c are of this kind. Four at once.
//
// With a = |e|, b = |f|, the radial directions r_e = e/a, r_f = f/b and the tangential ones t = n × r, the angle grows
// by t_f·df/b - t_e·de/a, and in the coordinates (t_e, r_e, t_f, r_f) the Hessian in the plane is
//
//     h/(ab) [ p   wp  -1    0 ]
//            [ wp  0    0    0 ]        p = b/a,  s = a/b.
//            [ -1  0    s  -ws ]
//            [ 0   0  -ws    0 ]
//
// It has two negative and two positive eigenvalues [Shi23, and the notes on it]. With S = p + s, d = (p - s)/S and
// ρ = sqrt(1 + 4 w² d²) the positive ones are, in units of h/(ab),
//
//     S/4 (1 + ρ + sqrt(2 (2 w² + 1 + ρ)))   and   |w|/z,  z = S/2 (|w| k + sqrt(1 - k)),  k = 2 d²/(1 + ρ);
//
// λ goes with w²/λ, the size of a negative one. The tangential half x of the eigenvector of λ is the null vector of
// [[m_p, 1], [1, m_s]], m_p = λ - w²/λ p² - p and m_s likewise; the radial half is w/λ (p x_1, -s x_2). Nothing here
// divides by w, by h or by p - s.
//
// Out of the plane, for displacements along n, with G = w / sin(angle) and c = cos(angle) the Hessian is
//
//     h/(ab) [ G c p  -G   ]
//            [ -G    G c s ]
//
// whose determinant -(w h/(ab))² says that exactly one eigenvalue is positive.
#ifndef FIL_STRAND_ANGLE_H
#define FIL_STRAND_ANGLE_H

#include "math/simd.h"

// A symmetric 4×4 matrix in the plane: t and r are the tangential and the radial direction.
typedef struct fil_angle_plane {
    fil_v4 ee_tt, ee_tr, ee_rr;
    fil_v4 ef_tt, ef_tr, ef_rt, ef_rr;
    fil_v4 ff_tt, ff_tr, ff_rr;
} fil_angle_plane;

// A symmetric 2×2 matrix along n.
typedef struct fil_angle_normal {
    fil_v4 ee, ef, ff;
} fil_angle_normal;

// Of any energy of the angle, with first derivative g and second derivative h. ia, ib: 1/a and 1/b, or zero where the
// vector is to be ignored; then all results are zero.
static inline fil_angle_plane fil_angle_plane_exact(fil_v4 h, fil_v4 g, fil_v4 ia, fil_v4 ib)
{
    fil_v4 zero = fil_v4_all(0), iaa = ia * ia, ibb = ib * ib;
    return (fil_angle_plane){
        .ee_tt = h * iaa,
        .ee_tr = g * iaa,
        .ee_rr = zero,
        .ef_tt = -h * ia * ib,
        .ef_tr = zero,
        .ef_rt = zero,
        .ef_rr = zero,
        .ff_tt = h * ibb,
        .ff_tr = -g * ibb,
        .ff_rr = zero,
    };
}

// Adds λ v vᵀ / |v|²; wl = w/λ, less = w²/λ.
static inline void fil_angle_add_pair(fil_angle_plane *sum, fil_v4 scale, fil_v4 lambda, fil_v4 less, fil_v4 wl,
                                      fil_v4 p, fil_v4 s)
{
    fil_v4 minus = fil_v4_all(-1);
    fil_v4 mp = lambda - less * p * p - p, ms = lambda - less * s * s - s;
    // Both columns of the adjugate are null vectors; the longer one is the more accurate.
    fil_m4 second = fil_v4_abs(ms) > fil_v4_abs(mp);
    fil_v4 x1 = fil_v4_select(second, ms, minus), x2 = fil_v4_select(second, minus, mp);
    fil_v4 y1 = wl * p * x1, y2 = -wl * s * x2;
    fil_v4 factor = scale * lambda / (x1 * x1 + x2 * x2 + y1 * y1 + y2 * y2);
    fil_v4 fx1 = factor * x1, fx2 = factor * x2, fy1 = factor * y1, fy2 = factor * y2;
    sum->ee_tt += fx1 * x1;
    sum->ee_tr += fx1 * y1;
    sum->ee_rr += fy1 * y1;
    sum->ef_tt += fx1 * x2;
    sum->ef_tr += fx1 * y2;
    sum->ef_rt += fy1 * x2;
    sum->ef_rr += fy1 * y2;
    sum->ff_tt += fx2 * x2;
    sum->ff_tr += fx2 * y2;
    sum->ff_rr += fy2 * y2;
}

static inline fil_angle_plane fil_angle_plane_positive(fil_v4 h, fil_v4 w, fil_v4 a, fil_v4 b, fil_v4 ia, fil_v4 ib)
{
    fil_v4 one = fil_v4_all(1), two = fil_v4_all(2), zero = fil_v4_all(0);
    fil_v4 scale = h * ia * ib, p = b * ia, s = a * ib;
    fil_v4 S = fil_v4_max(p + s, two); // a mean of p and 1/p is never below 1: this only guards ignored vectors
    fil_v4 d = (p - s) / S, dd = d * d;
    fil_v4 ww = w * w, size = fil_v4_abs(w);
    fil_v4 rho = fil_v4_sqrt(one + 4 * ww * dd);
    fil_v4 k = 2 * dd / (one + rho);
    fil_v4 z = 0.5 * S * (size * k + fil_v4_sqrt(fil_v4_max(one - k, zero)));
    z = fil_v4_max(z, fil_v4_all(0.5)); // it is at least 1, but for rounding
    fil_v4 large = 0.25 * S * (one + rho + fil_v4_sqrt(2 * (2 * ww + one + rho)));
    fil_angle_plane sum = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    fil_angle_add_pair(&sum, scale, large, ww / large, w / large, p, s);
    fil_angle_add_pair(&sum, scale, size / z, size * z, fil_v4_select(w < zero, -z, z), p, s);
    return sum;
}

// G = g / sine, given so that its limit can be.
static inline fil_angle_normal fil_angle_normal_exact(fil_v4 G, fil_v4 cosine, fil_v4 ia, fil_v4 ib)
{
    fil_v4 diagonal = G * cosine;
    return (fil_angle_normal){diagonal * ia * ia, -G * ia * ib, diagonal * ib * ib};
}

// G = w / sine.
static inline fil_angle_normal fil_angle_normal_positive(fil_v4 h, fil_v4 G, fil_v4 cosine, fil_v4 sine, fil_v4 a,
                                                         fil_v4 b, fil_v4 ia, fil_v4 ib)
{
    fil_v4 zero = fil_v4_all(0), tiny = fil_v4_all(1e-200);
    fil_v4 scale = h * ia * ib, p = b * ia, s = a * ib;
    fil_v4 mean = 0.5 * G * cosine * (p + s), half = 0.5 * G * cosine * (p - s);
    fil_v4 radius = fil_v4_sqrt(half * half + G * G);
    // mean + radius, without cancellation where the mean is negative.
    fil_v4 w = G * sine;
    fil_v4 lambda = fil_v4_select(mean > zero, mean + radius, w * w / fil_v4_max(radius - mean, tiny));
    fil_v4 factor = 0.5 * scale * lambda / fil_v4_max(radius, tiny);
    return (fil_angle_normal){factor * (radius + half), -factor * G, factor * (radius - half)};
}

#endif
