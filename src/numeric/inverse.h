// Parts of the inverse of a banded matrix, as many as are needed and no more. See inverse.c.
#ifndef FIL_NUMERIC_INVERSE_H
#define FIL_NUMERIC_INVERSE_H

#include "math/simd.h"

typedef struct fil_inverse {
    int dofs, bandwidth;
    double *ratio; // [dofs × bandwidth] -L(j, j - k) / L(j - k, j - k) at j bandwidth + k - 1
    double *band;  // [dofs × (2 bandwidth + 4)] A⁻¹(i, j) at j (2 bandwidth + 4) + i - j + bandwidth
} fil_inverse;

// How many numbers fil_inverse_make wants to work in.
int64_t fil_inverse_size(int dofs, int bandwidth);
// L of A = L Lᵀ as fil_system has it. Nothing is allocated: all goes into `work`.
fil_inverse fil_inverse_make(int dofs, int bandwidth, const double *L, double *work);
// Rows lowest .. first + bandwidth (as far as there are) of Y = A⁻¹ Hᵀ. H has 3 rows and reaches from dof `first` over
// `count` <= bandwidth + 1 dofs; h: by columns. lowest <= first. Row j of Y at Y[4 j]: three numbers and a zero.
void fil_inverse_rows(const fil_inverse *inverse, int first, int count, const double *h, int lowest, double *Y);

#endif
