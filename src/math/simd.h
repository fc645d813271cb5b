// Four doubles or eight floats in one register, through GCC's vector extensions: plain operators. Intrinsics only where
// no operator says the same, each with a fallback of equal meaning.
//
// Comparisons give a mask (fil_m4, fil_m8: all bits set or none, per lane); fil_v4_select chooses by it. A mask is a
// vector of whole numbers, so masks combine with & | ~.
#ifndef FIL_MATH_SIMD_H
#define FIL_MATH_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

typedef double fil_v4 __attribute__((vector_size(32)));
typedef int64_t fil_m4 __attribute__((vector_size(32)));

// Unaligned; reads four numbers even when only three are wanted, so arrays of triples end with one more.
static inline fil_v4 fil_v4_load(const double *p)
{
    fil_v4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void fil_v4_store(double *p, fil_v4 v)
{
    memcpy(p, &v, sizeof v);
}

static inline fil_v4 fil_v4_all(double x)
{
    return (fil_v4){x, x, x, x};
}

// mask ? a : b
static inline fil_v4 fil_v4_select(fil_m4 mask, fil_v4 a, fil_v4 b)
{
    return (fil_v4)((mask & (fil_m4)a) | (~mask & (fil_m4)b));
}

static inline fil_v4 fil_v4_max(fil_v4 a, fil_v4 b)
{
    return fil_v4_select(a > b, a, b);
}

static inline fil_v4 fil_v4_min(fil_v4 a, fil_v4 b)
{
    return fil_v4_select(a < b, a, b);
}

static inline fil_v4 fil_v4_abs(fil_v4 a)
{
    return (fil_v4)((fil_m4)a & INT64_MAX);
}

static inline fil_v4 fil_v4_sqrt(fil_v4 a)
{
    return (fil_v4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

// a b + c, rounded once where the processor can. Its value differs between processors: not for sums that must cancel.
static inline fil_v4 fil_v4_fma(fil_v4 a, fil_v4 b, fil_v4 c)
{
#ifdef __FMA__
    return (fil_v4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

// Bit l is set when lane l is.
static inline int fil_m4_bits(fil_m4 mask)
{
#ifdef __AVX__
    return _mm256_movemask_pd((__m256d)mask);
#else
    return (int)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

static inline bool fil_m4_any(fil_m4 mask)
{
    return fil_m4_bits(mask) != 0;
}

static inline bool fil_m4_all(fil_m4 mask)
{
    return fil_m4_bits(mask) == 15;
}

// Lanes that hold a finite number.
static inline fil_m4 fil_v4_finite(fil_v4 a)
{
    return fil_v4_abs(a) <= 0x1.fffffffffffffp+1023;
}

// Eight floats. Functions of the same name mean the same: code for both precisions is written once
// (math/lanes_double.h).
typedef float fil_v8 __attribute__((vector_size(32)));
typedef int32_t fil_m8 __attribute__((vector_size(32)));
typedef float fil_q4 __attribute__((vector_size(16))); // four floats: what lies together in memory

// Eight of an array of floats. Not by memcpy: the compiler believes that it changes pointers and whole numbers, too,
// and would load those anew behind each store. (For doubles that made the factor of a band slower by a tenth: the
// compiler then keeps more in registers than there are.)
typedef float fil_u8 __attribute__((vector_size(32), aligned(4)));

static inline fil_v8 fil_v8_load(const float *p)
{
    return *(const fil_u8 *)p;
}

static inline void fil_v8_store(float *p, fil_v8 v)
{
    *(fil_u8 *)p = v;
}

static inline fil_v8 fil_v8_all(float x)
{
    return (fil_v8){x, x, x, x, x, x, x, x};
}

static inline fil_v8 fil_v8_select(fil_m8 mask, fil_v8 a, fil_v8 b)
{
    return (fil_v8)((mask & (fil_m8)a) | (~mask & (fil_m8)b));
}

// Bit l is set where lane l is.
static inline unsigned fil_m8_bits(fil_m8 mask)
{
#ifdef __AVX__
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    unsigned bits = 0;
    for (int lane = 0; lane < 8; ++lane)
        bits |= mask[lane] ? 1u << lane : 0;
    return bits;
#endif
}

static inline fil_v8 fil_v8_max(fil_v8 a, fil_v8 b)
{
    return fil_v8_select(a > b, a, b);
}

static inline fil_v8 fil_v8_sqrt(fil_v8 a)
{
#ifdef __AVX__
    return (fil_v8)_mm256_sqrt_ps((__m256)a);
#else
    for (int lane = 0; lane < 8; ++lane)
        a[lane] = sqrtf(a[lane]);
    return a;
#endif
}

static inline fil_v8 fil_v8_fma(fil_v8 a, fil_v8 b, fil_v8 c)
{
#ifdef __FMA__
    return (fil_v8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// Four vectors of three, side by side.
typedef struct fil_w3 {
    fil_v4 x, y, z;
} fil_w3;

// Component k of the vectors lies at p[4 k .. 4 k + 3].
static inline fil_w3 fil_w3_load(const double *p)
{
    return (fil_w3){fil_v4_load(p), fil_v4_load(p + 4), fil_v4_load(p + 8)};
}

static inline void fil_w3_store(double *p, fil_w3 a)
{
    fil_v4_store(p, a.x);
    fil_v4_store(p + 4, a.y);
    fil_v4_store(p + 8, a.z);
}

static inline fil_w3 fil_w3_add(fil_w3 a, fil_w3 b)
{
    return (fil_w3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline fil_w3 fil_w3_subtract(fil_w3 a, fil_w3 b)
{
    return (fil_w3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline fil_w3 fil_w3_scale(fil_v4 s, fil_w3 a)
{
    return (fil_w3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline fil_w3 fil_w3_add_scaled(fil_w3 a, fil_v4 s, fil_w3 b)
{
    return (fil_w3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline fil_v4 fil_w3_dot(fil_w3 a, fil_w3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline fil_w3 fil_w3_cross(fil_w3 a, fil_w3 b)
{
    return (fil_w3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline fil_w3 fil_w3_select(fil_m4 mask, fil_w3 a, fil_w3 b)
{
    return (fil_w3){fil_v4_select(mask, a.x, b.x), fil_v4_select(mask, a.y, b.y), fil_v4_select(mask, a.z, b.z)};
}

#endif
