// The nearest positive semi-definite matrix, four small matrices at once. See semidefinite.c.
#ifndef FIL_MATH_SEMIDEFINITE_H
#define FIL_MATH_SEMIDEFINITE_H

#include "math/simd.h"

enum { FIL_SEMIDEFINITE_MAX = 9 };

// A: n × n symmetric, both halves given, A(i, j) at A[n i + j], n <= FIL_SEMIDEFINITE_MAX. Negative eigenvalues become
// zero, in each lane for itself; a lane that has none is left as it is.
void fil_semidefinite_clamp(int n, fil_v4 *A);

#endif
