// A = L D Lᵀ of banded symmetric matrices, L with ones on its diagonal, no pivoting: four matrices side by side.
//
//   u(i, j) = A(i, j) - Σ_k u(j, k) L(i, k),    D(j) = u(j, j),    L(i, j) = u(i, j) / D(j),    j - bandwidth <= k < j
//
// Column by column, looking left: a column is loaded once, gathers what all columns before it have to give in
// registers, and is stored once. L(i, k) comes as an operand from memory (the columns in reach, 4 kB, stay in the first
// cache), u(j, k) from a ring of the latest columns. Bandwidths 10 and 11 (strands with 4 and with 3 unknowns per
// vertex) are compiled with the bandwidth as a constant and all loops unrolled; the others take a plain path. The solve
// keeps the unknowns in reach in registers and runs over each triangle once; the second cache limits it.
//
// Cost: n (bandwidth + 1)(bandwidth + 2) / 2 fused multiply-adds for four matrices; bench/band_lapack measures it.
//
// The band of the inverse follows from the factors alone, from the last column up (Takahashi's recurrence):
//
//   Z(i, j) = - Σ_k L(k, j) Z(i, k),    Z(j, j) = 1 / D(j) - Σ_k L(k, j) Z(k, j),    j < k <= j + bandwidth
//
// Limits: without pivoting an indefinite matrix may lose digits; negative[] tells, and the caller has to shift it.
#include "numeric/band.h"

#include "numeric/unroll.h"

// RING: a power of two above each bandwidth that is compiled as a constant.
enum { LANES = 4, RING = 16 };

// No pivot is smaller, so that nothing is divided by zero; its inverse leaves room for products.
static const double least_pivot = 0x1p-500;

INLINE int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Counts positive pivots (a mask is -1) and replaces those that are too small. NaN stays.
INLINE fil_v4 guard(fil_v4 pivot, fil_v4 diagonal, double small, fil_m4 *positive)
{
    *positive -= pivot > 0;
    fil_v4 least = fil_v4_max(small * fil_v4_abs(diagonal), fil_v4_all(least_pivot));
    fil_m4 low = fil_v4_abs(pivot) <= least;
    if (__builtin_expect(fil_m4_any(low), 0))
        pivot = fil_v4_select(low, fil_v4_select(pivot < 0, -least, least), pivot);
    return pivot;
}

// Column j; `first` when fewer than B columns lie before it. u(j + i, j) goes to ring[j % RING][i].
INLINE void factor_column(int B, bool first, int64_t j, double small, double *column, fil_v4 ring[][RING],
                          fil_m4 *positive)
{
    fil_v4 u[RING];
    UNROLL
    for (int i = 0; i <= B; ++i)
        u[i] = fil_v4_load(column + LANES * i);
    fil_v4 diagonal = u[0];
    // The oldest column first: the latest is not ready yet.
    UNROLL
    for (int back = B; back >= 1; --back) {
        if (first && back > j)
            continue;
        const double *L = column - LANES * B * back; // L(j, j - back)
        fil_v4 factor = -ring[(j - back) & (RING - 1)][back];
        UNROLL
        for (int i = 0; i <= B - back; ++i)
            u[i] = fil_v4_fma(factor, fil_v4_load(L + LANES * i), u[i]);
    }
    fil_v4 inverse = 1 / guard(u[0], diagonal, small, positive);
    fil_v4_store(column, inverse);
    UNROLL
    for (int i = 1; i <= B; ++i) {
        ring[j & (RING - 1)][i] = u[i];
        fil_v4_store(column + LANES * i, u[i] * inverse);
    }
}

INLINE void factor_constant(int B, int64_t n, double small, double *A, fil_m4 *positive)
{
    fil_v4 ring[RING][RING];
    // Below the last row: written before they are read, and without influence on the rest.
    for (int64_t j = n > B ? n - B : 0; j < n; ++j)
        for (int64_t i = n - j; i <= B; ++i)
            fil_v4_store(A + LANES * ((B + 1) * j + i), fil_v4_all(0));
    int64_t j = 0;
    for (; j < smaller(B, n); ++j)
        factor_column(B, true, j, small, A + LANES * (B + 1) * j, ring, positive);
    for (; j < n; ++j)
        factor_column(B, false, j, small, A + LANES * (B + 1) * j, ring, positive);
}

static void factor_10(int n, double small, double *A, fil_m4 *positive)
{
    factor_constant(10, n, small, A, positive);
}

static void factor_11(int n, double small, double *A, fil_m4 *positive)
{
    factor_constant(11, n, small, A, positive);
}

// L(., j) = u(., j) / D(j)
static void scale_column(int64_t rows, double *column)
{
    fil_v4 inverse = fil_v4_load(column);
    for (int64_t i = 1; i <= rows; ++i)
        fil_v4_store(column + LANES * i, fil_v4_load(column + LANES * i) * inverse);
}

// Any bandwidth B, in place: a column holds u until it is out of reach, then L.
static void factor_any(int64_t n, int64_t B, double small, double *A, fil_m4 *positive)
{
    int64_t width = LANES * (B + 1);
    for (int64_t j = 0; j < n; ++j) {
        double *column = A + width * j;
        fil_v4 diagonal = fil_v4_load(column);
        for (int64_t back = smaller(B, j); back >= 1; --back) {
            const double *u = column - LANES * B * back; // u(j, j - back)
            fil_v4 factor = -fil_v4_load(u) * fil_v4_load(column - width * back);
            for (int64_t i = 0; i <= smaller(B - back, n - 1 - j); ++i)
                fil_v4_store(column + LANES * i,
                             fil_v4_fma(factor, fil_v4_load(u + LANES * i), fil_v4_load(column + LANES * i)));
        }
        fil_v4_store(column, 1 / guard(fil_v4_load(column), diagonal, small, positive));
        if (j >= B)
            scale_column(B, column - width * B);
    }
    for (int64_t j = n > B ? n - B : 0; j < n; ++j)
        scale_column(n - 1 - j, A + width * j);
}

void fil_band_factor(int n, int bandwidth, double small, double *A, int negative[4])
{
    fil_m4 positive = {0};
    switch (bandwidth) {
    case 10:
        factor_10(n, small, A, &positive);
        break;
    case 11:
        factor_11(n, small, A, &positive);
        break;
    default:
        factor_any(n, bandwidth, small, A, &positive);
    }
    for (int lane = 0; lane < LANES; ++lane)
        negative[lane] = n - (int)positive[lane];
}

#include "math/lanes_double.h"
#include "numeric/band_solve.h"

#include "math/lanes_float.h"
// NOLINTNEXTLINE(readability-duplicate-include): once for each precision
#include "numeric/band_solve.h"

// Column j of the band of A⁻¹ from the columns behind it.
INLINE void invert_column(int64_t B, int64_t rows, const double *L, double *Z)
{
    int64_t width = LANES * (B + 1);
    fil_v4 diagonal = fil_v4_load(L);
    for (int64_t i = rows; i >= 1; --i) {
        fil_v4 sum = fil_v4_all(0);
        // Z(j + i, j + k): below the diagonal up to k = i, above it afterwards.
        for (int64_t k = 1; k <= i; ++k)
            sum = fil_v4_fma(-fil_v4_load(L + LANES * k), fil_v4_load(Z + width * k + LANES * (i - k)), sum);
        for (int64_t k = i + 1; k <= rows; ++k)
            sum = fil_v4_fma(-fil_v4_load(L + LANES * k), fil_v4_load(Z + width * i + LANES * (k - i)), sum);
        fil_v4_store(Z + LANES * i, sum);
        diagonal = fil_v4_fma(-fil_v4_load(L + LANES * i), sum, diagonal);
    }
    fil_v4_store(Z, diagonal);
}

// Most columns have B rows below the diagonal: with B as a constant their loops unroll.
INLINE void invert_columns(int64_t B, int64_t n, const double *factor, double *Z)
{
    int64_t width = LANES * (B + 1), j = n - 1;
    for (; j >= 0 && n - 1 - j < B; --j)
        invert_column(B, n - 1 - j, factor + width * j, Z + width * j);
    for (; j >= 0; --j)
        invert_column(B, B, factor + width * j, Z + width * j);
}

void fil_band_inverse(int n, int bandwidth, const double *factor, double *Z)
{
    switch (bandwidth) {
    case 10:
        invert_columns(10, n, factor, Z);
        break;
    case 11:
        invert_columns(11, n, factor, Z);
        break;
    default:
        invert_columns(bandwidth, n, factor, Z);
    }
}

void fil_band_multiply(int n, int bandwidth, const double *A, const double *x, double *y)
{
    int64_t B = bandwidth;
    for (int64_t j = 0; j < n; ++j)
        fil_v4_store(y + LANES * j, fil_v4_all(0));
    for (int64_t j = 0; j < n; ++j) {
        const double *column = A + LANES * (B + 1) * j;
        fil_v4 xj = fil_v4_load(x + LANES * j);
        fil_v4 sum = fil_v4_fma(fil_v4_load(column), xj, fil_v4_load(y + LANES * j));
        for (int64_t i = 1; i <= smaller(B, n - 1 - j); ++i) {
            fil_v4 a = fil_v4_load(column + LANES * i);
            double *target = y + LANES * (j + i);
            sum = fil_v4_fma(a, fil_v4_load(x + LANES * (j + i)), sum);
            fil_v4_store(target, fil_v4_fma(a, xj, fil_v4_load(target)));
        }
        fil_v4_store(y + LANES * j, sum);
    }
}
