// The innermost loop of everything dual: a run of 3×3 blocks of one row of W times r.
#ifndef FIL_CONTACT_BLOCK_H
#define FIL_CONTACT_BLOCK_H

#include "filum/types.h"
#include "math/mat3.h"
#include "math/simd.h"

// sum over k in [begin, end) of W_k r_column[k]; lane 3 is rubbish. Three multiply-adds per block, one per column.
static inline fil_v4 fil_block_row(const fil_block_matrix *W, int64_t begin, int64_t end, const double *r)
{
    fil_v4 a = {0}, b = {0}, c = {0};
    for (int64_t k = begin; k < end; ++k) {
        const double *block = W->value + 9 * k;
        const double *x = r + 3 * (int64_t)W->column[k];
        a += fil_v4_load(block) * fil_v4_all(x[0]);
        b += fil_v4_load(block + 3) * fil_v4_all(x[1]);
        c += fil_v4_load(block + 6) * fil_v4_all(x[2]);
    }
    return a + b + c;
}

#endif
