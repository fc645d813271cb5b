// The innermost loop of everything dual: a run of 3×3 blocks of one row of W times r.
#ifndef FIL_CONTACT_BLOCK_H
#define FIL_CONTACT_BLOCK_H

#include "filum/types.h"
#include "math/mat3.h"
#include "math/simd.h"

// Blocks from one on that memory is asked for, and those whose impulses are: it then works on what comes in a row or
// two while the contact at hand is solved.
enum { FIL_BLOCKS_AHEAD = 160, FIL_IMPULSES_AHEAD = 64 };

static inline fil_v4 fil_block_run(const fil_block_matrix *W, int64_t begin, int64_t end, const double *r, bool ahead)
{
    fil_v4 a = {0}, b = {0}, c = {0};
    for (int64_t k = begin; k < end; ++k) {
        const double *block = W->value + 9 * k;
        const double *x = r + 3 * (int64_t)W->column[k];
        if (ahead) {
            __builtin_prefetch(block + 9 * FIL_BLOCKS_AHEAD, 0, 2);
            __builtin_prefetch(r + 3 * (int64_t)W->column[k + FIL_IMPULSES_AHEAD], 0, 3);
        }
        a += fil_v4_load(block) * fil_v4_all(x[0]);
        b += fil_v4_load(block + 3) * fil_v4_all(x[1]);
        c += fil_v4_load(block + 6) * fil_v4_all(x[2]);
    }
    return a + b + c;
}

// Where the block of column j lies in a row that has one: columns ascend.
static inline int64_t fil_block_find(const fil_block_matrix *W, int64_t row, int j)
{
    int64_t low = W->start[row], high = W->start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (W->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// sum over k in [begin, end) of W_k r_column[k]; lane 3 is rubbish. Three multiply-adds per block, one per column.
static inline fil_v4 fil_block_row(const fil_block_matrix *W, int64_t begin, int64_t end, const double *r)
{
    return fil_block_run(W, begin, end, r, false);
}

// The same where W is larger than the caches. FIL_IMPULSES_AHEAD blocks must lie behind `end`.
static inline fil_v4 fil_block_row_ahead(const fil_block_matrix *W, int64_t begin, int64_t end, const double *r)
{
    return fil_block_run(W, begin, end, r, true);
}

#endif
