// Four banded symmetric matrices side by side: A = L D Lᵀ, solve, multiply. See band.c.
//
// Storage: A(j + k, j) of lane l at A[(j (bandwidth + 1) + k) FIL_LANES + l], 0 <= k <= bandwidth: columns of the lower
// half; places below the last row are there and are not read. Vectors: x[j FIL_LANES + l].
#ifndef FIL_NUMERIC_BAND_H
#define FIL_NUMERIC_BAND_H

#include "math/simd.h"

// In place: D on the diagonal (stored as 1/D), L below. negative[l]: how many pivots of lane l are not positive, which
// for a nonsingular matrix is the number of its negative eigenvalues (Sylvester). A pivot that is zero or nearly so
// (relative to `small` times the diagonal entry it came from) is replaced by that small number with its sign.
void fil_band_factor(int n, int bandwidth, double small, double *A, int negative[4]);
// x <- (L D Lᵀ)⁻¹ x
void fil_band_solve(int n, int bandwidth, const double *factor, double *x);
// The same for eight matrices in floats: eight lanes where the others have four. The factors are rounded from doubles.
void fil_band_solve_float(int n, int bandwidth, const float *factor, float *x);
// Z: the entries of A⁻¹ within the band, in the layout of A; places below the last row are left as they are.
void fil_band_inverse(int n, int bandwidth, const double *factor, double *Z);
// y = A x, A as before fil_band_factor
void fil_band_multiply(int n, int bandwidth, const double *A, const double *x, double *y);

#endif
