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
// Limits: without pivoting an indefinite matrix may lose digits; negative[] tells, and the caller has to shift it.
#include "numeric/band.h"

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

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

// One step of either substitution: x is known, the next B unknowns (in reach) lose its share and move up by one. L(i)
// is `step` numbers after L(i - 1); `last`: the unknown that comes into reach. Returns x.
INLINE fil_v4 substitute(int B, fil_v4 *reach, const double *L, int64_t step, fil_v4 last)
{
    fil_v4 x = reach[0];
    reach[B] = last;
    UNROLL
    for (int i = 1; i <= B; ++i)
        reach[i - 1] = fil_v4_fma(-x, fil_v4_load(L + step * i), reach[i]);
    return x;
}

// L y = x, x <- y / D
INLINE void solve_lower(int B, int64_t n, const double *factor, double *x)
{
    fil_v4 reach[RING];
    UNROLL
    for (int i = 0; i < B; ++i)
        reach[i] = i < n ? fil_v4_load(x + LANES * i) : fil_v4_all(0);
    for (int64_t j = 0; j < n; ++j) {
        const double *column = factor + LANES * (B + 1) * j;
        fil_v4 last = j + B < n ? fil_v4_load(x + LANES * (j + B)) : fil_v4_all(0);
        fil_v4 y = substitute(B, reach, column, LANES, last);
        fil_v4_store(x + LANES * j, y * fil_v4_load(column));
    }
}

// Lᵀ x = x, from the last row up.
INLINE void solve_upper(int B, int64_t n, const double *factor, double *x)
{
    fil_v4 reach[RING];
    UNROLL
    for (int i = 0; i < B; ++i)
        reach[i] = i < n ? fil_v4_load(x + LANES * (n - 1 - i)) : fil_v4_all(0);
    int64_t j = n - 1;
    for (; j >= B; --j) {
        const double *column = factor + LANES * (B + 1) * j;
        fil_v4 last = fil_v4_load(x + LANES * (j - B));
        fil_v4_store(x + LANES * j, substitute(B, reach, column, -LANES * B, last));
    }
    for (; j >= 0; --j) {
        const double *column = factor + LANES * (B + 1) * j;
        for (int i = 1; i <= j; ++i)
            reach[i] = fil_v4_fma(-reach[0], fil_v4_load(column - LANES * B * i), reach[i]);
        fil_v4_store(x + LANES * j, reach[0]);
        for (int i = 0; i < j; ++i)
            reach[i] = reach[i + 1];
    }
}

static void solve_10(int n, const double *factor, double *x)
{
    solve_lower(10, n, factor, x);
    solve_upper(10, n, factor, x);
}

static void solve_11(int n, const double *factor, double *x)
{
    solve_lower(11, n, factor, x);
    solve_upper(11, n, factor, x);
}

static void solve_any(int64_t n, int64_t B, const double *factor, double *x)
{
    for (int64_t j = 0; j < n; ++j) {
        const double *column = factor + LANES * (B + 1) * j;
        fil_v4 y = fil_v4_load(x + LANES * j);
        for (int64_t i = 1; i <= smaller(B, n - 1 - j); ++i) {
            double *target = x + LANES * (j + i);
            fil_v4_store(target, fil_v4_fma(-y, fil_v4_load(column + LANES * i), fil_v4_load(target)));
        }
        fil_v4_store(x + LANES * j, y * fil_v4_load(column));
    }
    for (int64_t j = n - 1; j >= 0; --j) {
        const double *column = factor + LANES * (B + 1) * j;
        fil_v4 sum = fil_v4_load(x + LANES * j);
        for (int64_t i = smaller(B, n - 1 - j); i >= 1; --i)
            sum = fil_v4_fma(-fil_v4_load(column + LANES * i), fil_v4_load(x + LANES * (j + i)), sum);
        fil_v4_store(x + LANES * j, sum);
    }
}

void fil_band_solve(int n, int bandwidth, const double *factor, double *x)
{
    switch (bandwidth) {
    case 10:
        solve_10(n, factor, x);
        break;
    case 11:
        solve_11(n, factor, x);
        break;
    default:
        solve_any(n, bandwidth, factor, x);
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
