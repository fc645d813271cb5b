// Between numbers that lie together in memory and numbers that lie side by side in registers: points (x y z 0) to three
// vectors and back, and square transposes. The names follow math/simd.h.
#ifndef FIL_MATH_TRANSPOSE_H
#define FIL_MATH_TRANSPOSE_H

#include "math/simd.h"

#include <stddef.h>

#define FIL_MIX __builtin_shufflevector

static inline void fil_v4_transpose_rows(fil_v4 row[4])
{
    fil_v4 even[2] = {FIL_MIX(row[0], row[1], 0, 4, 2, 6), FIL_MIX(row[2], row[3], 0, 4, 2, 6)};
    fil_v4 odd[2] = {FIL_MIX(row[0], row[1], 1, 5, 3, 7), FIL_MIX(row[2], row[3], 1, 5, 3, 7)};
    row[0] = FIL_MIX(even[0], even[1], 0, 1, 4, 5);
    row[1] = FIL_MIX(odd[0], odd[1], 0, 1, 4, 5);
    row[2] = FIL_MIX(even[0], even[1], 2, 3, 6, 7);
    row[3] = FIL_MIX(odd[0], odd[1], 2, 3, 6, 7);
}

static inline void fil_v8_transpose_rows(fil_v8 row[8])
{
    fil_v8 pair[8], four[8];
    for (int i = 0; i < 8; i += 2) {
        pair[i] = FIL_MIX(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pair[i + 1] = FIL_MIX(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int half = 0; half < 8; half += 4)
        for (int i = 0; i < 2; ++i) {
            four[half + 2 * i] = FIL_MIX(pair[half + i], pair[half + 2 + i], 0, 1, 8, 9, 4, 5, 12, 13);
            four[half + 2 * i + 1] = FIL_MIX(pair[half + i], pair[half + 2 + i], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        row[i] = FIL_MIX(four[i], four[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        row[4 + i] = FIL_MIX(four[i], four[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// to(j, i) = from(i, j) for as many rows and columns as a vector is wide; rows are `stride` apart.
static inline void fil_v4_transpose(const double *from, int64_t from_stride, double *to, int64_t to_stride)
{
    fil_v4 row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = fil_v4_load(from + i * from_stride);
    fil_v4_transpose_rows(row);
    for (int i = 0; i < 4; ++i)
        fil_v4_store(to + i * to_stride, row[i]);
}

static inline void fil_v8_transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride)
{
    fil_v8 row[8];
    for (int i = 0; i < 8; ++i)
        row[i] = fil_v8_load(from + i * from_stride);
    fil_v8_transpose_rows(row);
    for (int i = 0; i < 8; ++i)
        fil_v8_store(to + i * to_stride, row[i]);
}

// As many points as a vector is wide, four numbers each, of which the last is not read.
static inline void fil_v4_load_points(const double *p, fil_v4 x[3])
{
    fil_v4 row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = fil_v4_load(p + 4 * (ptrdiff_t)i);
    fil_v4_transpose_rows(row);
    for (int k = 0; k < 3; ++k)
        x[k] = row[k];
}

static inline void fil_v8_load_points(const float *p, fil_v8 x[3])
{
    fil_v8 two[4], xy[2], z[2];
    for (int i = 0; i < 4; ++i)
        two[i] = fil_v8_load(p + 8 * (ptrdiff_t)i);
    for (int i = 0; i < 2; ++i) {
        xy[i] = FIL_MIX(two[2 * i], two[2 * i + 1], 0, 4, 8, 12, 1, 5, 9, 13);
        z[i] = FIL_MIX(two[2 * i], two[2 * i + 1], 2, 6, 10, 14, 3, 7, 11, 15);
    }
    x[0] = FIL_MIX(xy[0], xy[1], 0, 1, 2, 3, 8, 9, 10, 11);
    x[1] = FIL_MIX(xy[0], xy[1], 4, 5, 6, 7, 12, 13, 14, 15);
    x[2] = FIL_MIX(z[0], z[1], 0, 1, 2, 3, 8, 9, 10, 11);
}

// The same from floats.
static inline void fil_v4_load_float_points(const float *p, fil_v4 x[3])
{
    fil_v4 row[4];
    for (int i = 0; i < 4; ++i) {
        fil_q4 quad;
        memcpy(&quad, p + 4 * (ptrdiff_t)i, sizeof quad);
        row[i] = __builtin_convertvector(quad, fil_v4);
    }
    fil_v4_transpose_rows(row);
    for (int k = 0; k < 3; ++k)
        x[k] = row[k];
}

// The last number of each point becomes zero.
static inline void fil_v4_store_points(double *p, const fil_v4 x[3])
{
    fil_v4 row[4] = {x[0], x[1], x[2], fil_v4_all(0)};
    fil_v4_transpose_rows(row);
    for (int i = 0; i < 4; ++i)
        fil_v4_store(p + 4 * (ptrdiff_t)i, row[i]);
}

static inline void fil_v4_store_float_points(float *p, const fil_v4 x[3])
{
    fil_v4 row[4] = {x[0], x[1], x[2], fil_v4_all(0)};
    fil_v4_transpose_rows(row);
    for (int i = 0; i < 4; ++i) {
        fil_q4 quad = __builtin_convertvector(row[i], fil_q4);
        memcpy(p + 4 * (ptrdiff_t)i, &quad, sizeof quad);
    }
}

static inline void fil_v8_store_points(float *p, const fil_v8 x[3])
{
    fil_v8 zero = fil_v8_all(0);
    fil_v8 xy[2] = {FIL_MIX(x[0], x[1], 0, 1, 2, 3, 8, 9, 10, 11), FIL_MIX(x[0], x[1], 4, 5, 6, 7, 12, 13, 14, 15)};
    fil_v8 z[2] = {FIL_MIX(x[2], zero, 0, 1, 2, 3, 8, 9, 10, 11), FIL_MIX(x[2], zero, 4, 5, 6, 7, 12, 13, 14, 15)};
    for (int i = 0; i < 2; ++i) {
        fil_v8_store(p + 16 * (ptrdiff_t)i, FIL_MIX(xy[i], z[i], 0, 4, 8, 12, 1, 5, 9, 13));
        fil_v8_store(p + 16 * (ptrdiff_t)i + 8, FIL_MIX(xy[i], z[i], 2, 6, 10, 14, 3, 7, 11, 15));
    }
}

#undef FIL_MIX

#endif
