// Sine, cosine and arc tangent, four lanes at once and without branches between lanes.
//
// sincos: angle = k π/2 + r + tail with |r| <= π/4 (Cody and Waite 1980). π/2 is cut into parts of 33 bits, so that k
// times a part is exact while |k| < 2^20; what the sums lose is kept in `tail`, so that the result is good to the last
// digits also where sine or cosine nearly vanishes. On [-π/4, π/4]
//
//   sin x = x + x³ P(x²),    cos x = 1 - x²/2 + x⁴ Q(x²)
//
// atan2: with a the larger and b the smaller of |x| and |y|,
//
//   atan(b/a) = atan t              t = b/a              b <= a/2
//             = π/4 + atan t        t = (b - a)/(b + a)  otherwise; b - a is exact
//
// and atan t = t + t³ R(t²) on [-1/3, 1/2]. Quadrants add multiples of π/4, high and low part apart.
//
// P, Q and R interpolate at Chebyshev nodes (found in 300-bit arithmetic); their relative errors on the function are
// below 2^-55. Errors over 10⁷ random values: up to 0.98 (sincos) and 1.52 (atan2) units in the last place.
//
// All is in the header because calls cost 20 % more in a loop (unwrap: 70 %). Lanes with |angle| > 1e5 take libm, one
// by one.
#ifndef FIL_MATH_TRIG_H
#define FIL_MATH_TRIG_H

#include "math/simd.h"

// Adding it and taking it away rounds to a whole number; its low bits then hold that number. Works for |x| < 2^51, and
// for anything else without undefined behaviour, which a cast would have.
#define FIL_TRIG_ROUND 0x1.8p52

// c[0] + c[1] z + ...
static inline fil_v4 fil_trig_polynomial(const double *c, int degree, fil_v4 z)
{
    fil_v4 sum = fil_v4_all(c[degree]);
    for (int k = degree - 1; k >= 0; --k)
        sum = fil_v4_fma(sum, z, fil_v4_all(c[k]));
    return sum;
}

// sin(r + tail)
static inline fil_v4 fil_trig_sine_near_zero(fil_v4 r, fil_v4 tail, fil_v4 z)
{
    static const double P[] = {-0x1.5555555555555p-3, 0x1.1111111110babp-7,   -0x1.a01a019e820aep-13,
                               0x1.71de37946ed6dp-19, -0x1.ae6008d114485p-26, 0x1.5e0a4fc16be59p-33};
    return r + fil_v4_fma(r * z, fil_trig_polynomial(P, 5, z), tail);
}

// cos(r + tail); 1 - z/2 is rounded, what it lost is added again.
static inline fil_v4 fil_trig_cosine_near_zero(fil_v4 r, fil_v4 tail, fil_v4 z)
{
    static const double Q[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16963p-10, 0x1.a01a019f4ddfdp-16,
                               -0x1.27e4fa16cc2d1p-22, 0x1.1eeb67d026ec6p-29,  -0x1.907cd8ff5ede7p-37};
    fil_v4 half = 0.5 * z, main = 1 - half, lost = (1 - main) - half;
    return main + fil_v4_fma(z * z, fil_trig_polynomial(Q, 5, z), fil_v4_fma(-r, tail, lost));
}

// x = k π/2 + *r + *tail, x >= 0; returns a number whose last bits are those of k.
static inline fil_m4 fil_trig_reduce(fil_v4 x, fil_v4 *r, fil_v4 *tail)
{
    const double part[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
    fil_v4 shifted = fil_v4_fma(x, fil_v4_all(0x1.45f306dc9c883p-1), fil_v4_all(FIL_TRIG_ROUND));
    fil_v4 k = shifted - FIL_TRIG_ROUND;
    // The first difference is exact; the second leaves a remainder (Knuth's sum of two).
    fil_v4 a = fil_v4_fma(-k, fil_v4_all(part[0]), x), b = k * part[1], difference = a - b, virtual = difference - a;
    fil_v4 remainder = (a - (difference - virtual)) - (b + virtual);
    fil_v4 low = fil_v4_fma(-k, fil_v4_all(part[3]), fil_v4_fma(-k, fil_v4_all(part[2]), remainder));
    *r = difference + low;
    *tail = (difference - *r) + low;
    return (fil_m4)shifted;
}

static inline void fil_trig_replace_large(fil_v4 angle, fil_m4 large, fil_v4 *sine, fil_v4 *cosine)
{
    for (int lane = 0; lane < 4; ++lane)
        if (large[lane]) {
            (*sine)[lane] = sin(angle[lane]);
            (*cosine)[lane] = cos(angle[lane]);
        }
}

// For any finite angle; error below 2 units in the last place for |angle| up to 1e5. NaN for any other.
static inline void fil_trig_sincos(fil_v4 angle, fil_v4 *sine, fil_v4 *cosine)
{
    // Sine of |angle|, the sign at the end: -0 gives -0.
    fil_v4 x = fil_v4_abs(angle), r, tail;
    fil_m4 k = fil_trig_reduce(x, &r, &tail);
    fil_v4 z = r * r, s = fil_trig_sine_near_zero(r, tail, z), c = fil_trig_cosine_near_zero(r, tail, z);
    fil_m4 odd = (k & 1) != 0;
    fil_m4 sine_sign = (((k & 2) != 0) ^ (fil_m4)angle) & INT64_MIN, cosine_sign = (((k + 1) & 2) != 0) & INT64_MIN;
    *sine = (fil_v4)((fil_m4)fil_v4_select(odd, c, s) ^ sine_sign);
    *cosine = (fil_v4)((fil_m4)fil_v4_select(odd, s, c) ^ cosine_sign);
    fil_m4 large = x > 1e5;
    if (__builtin_expect(fil_m4_any(large), 0))
        fil_trig_replace_large(angle, large, sine, cosine);
}

// |t| <= 1/2
static inline fil_v4 fil_trig_arctangent(fil_v4 t)
{
    static const double R[] = {-0x1.5555555555554p-2, 0x1.9999999998dbbp-3,  -0x1.2492492404584p-3,
                               0x1.c71c7173b82dep-4,  -0x1.745d0a90f6c40p-4, 0x1.3b128b4d32b01p-4,
                               -0x1.11001c910ce01p-4, 0x1.e094d5397663cp-5,  -0x1.a67e5308529c3p-5,
                               0x1.5ee0ee5650e2dp-5,  -0x1.da42dcd23422ep-6, 0x1.6d494a4bd6c4ep-7};
    fil_v4 z = t * t;
    return fil_v4_fma(t * z, fil_trig_polynomial(R, 11, z), t);
}

// In [-pi, pi]; atan2(0, 0) = 0 and signed zeros as in C. Error below 3 units in the last place. One infinite argument
// gives the limit, as in C; two give NaN.
static inline fil_v4 fil_trig_atan2(fil_v4 y, fil_v4 x)
{
    fil_v4 abs_x = fil_v4_abs(x), abs_y = fil_v4_abs(y);
    fil_m4 steep = abs_y > abs_x, left = (fil_m4)x < 0; // the sign bit: -0 lies to the left
    fil_v4 a = fil_v4_select(steep, abs_y, abs_x), b = fil_v4_select(steep, abs_x, abs_y);
    // a + b must not overflow, and 0/0 is to be 0.
    fil_v4 scale = fil_v4_select(a > 0x1p1000, fil_v4_all(0x1p-10), fil_v4_all(1));
    a *= scale;
    b *= scale;
    fil_m4 middle = b > 0.5 * a;
    fil_v4 divisor = fil_v4_select(middle, a + b, fil_v4_select(a == 0, fil_v4_all(1), a));
    fil_v4 angle = fil_trig_arctangent(fil_v4_select(middle, b - a, b) / divisor);
    // quarters π/4 + angle: mirrored at the diagonal, then at the vertical axis.
    fil_v4 quarters = fil_v4_select(middle, fil_v4_all(1), fil_v4_all(0));
    quarters = fil_v4_select(steep, 2 - quarters, quarters);
    quarters = fil_v4_select(left, 4 - quarters, quarters);
    angle = (fil_v4)((fil_m4)angle ^ ((steep ^ left) & INT64_MIN));
    // Up to four times the high part is exact: its last three bits are zero.
    angle = fil_v4_fma(quarters, fil_v4_all(0x1.1a62633145c07p-55), angle);
    fil_v4 result = fil_v4_fma(quarters, fil_v4_all(0x1.921fb54442d18p-1), angle);
    return (fil_v4)((fil_m4)result | ((fil_m4)y & INT64_MIN));
}

// The angle that differs from `angle` by whole turns and is nearest to `near`.
static inline fil_v4 fil_trig_unwrap(fil_v4 angle, fil_v4 near)
{
    // 2π in parts, so that up to 2^20 turns cost no digits. Where the rounding has no bits left, all numbers are whole.
    const double part[] = {0x1.921fb544p+2, 0x1.0b4611a6p-32, 0x1.3198a2e037073p-67};
    fil_v4 turns = (angle - near) * 0x1.45f306dc9c883p-3, whole = (turns + FIL_TRIG_ROUND) - FIL_TRIG_ROUND;
    whole = fil_v4_select(fil_v4_abs(turns) < 0x1p51, whole, turns);
    for (int k = 0; k < 3; ++k)
        angle = fil_v4_fma(-whole, fil_v4_all(part[k]), angle);
    return angle;
}

#endif
