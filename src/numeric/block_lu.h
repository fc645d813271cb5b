// Sparse LU of a matrix of 3×3 blocks with symmetric pattern. See block_lu.c.
#ifndef FIL_NUMERIC_BLOCK_LU_H
#define FIL_NUMERIC_BLOCK_LU_H

#include "base/arena.h"

typedef struct fil_block_lu {
    fil_arena *arena;
    int capacity;   // largest n
    int words;      // of one row of bits
    uint64_t *bits; // [n × words] the elimination graph
    int n;          // unknown blocks at present
    int *order;     // [n] elimination step -> block
    int *step_of;   // [n] block -> elimination step
    int *degree;

    // The factors, by elimination steps: U by rows, L by rows. Both grow as needed.
    int64_t *u_start, *l_start; // [n + 1]
    int *u_step, *l_step;
    double *u_value, *l_value; // 9 per block
    double *pivot;             // [9 n] inverses of the diagonal blocks
    int64_t room;              // blocks that u_* and l_* can hold
    double *row;               // [12 n] the row in work, columns padded to four
    double *x;                 // [3 n]
} fil_block_lu;

// Room for up to `capacity` blocks.
fil_status fil_block_lu_make(fil_arena *arena, int capacity, fil_block_lu *out);
// Pattern of an n-block matrix in compressed rows (symmetric, diagonal included or not): chooses an ordering and finds
// the fill. FIL_NO_MEMORY when the fill does not fit.
fil_status fil_block_lu_analyse(fil_block_lu *lu, int n, const int64_t *start, const int *column);
// Block multiply-adds of one factorisation of the pattern analysed last.
double fil_block_lu_work(const fil_block_lu *lu);
// Values in the pattern given to analyse. False when a pivot block is singular.
bool fil_block_lu_factor(fil_block_lu *lu, const int64_t *start, const int *column, const double *value);
// x <- M⁻¹ x, 3 n numbers in the order of the blocks.
void fil_block_lu_solve(fil_block_lu *lu, double *x);

#endif
