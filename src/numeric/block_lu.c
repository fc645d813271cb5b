// M = L U for matrices of 3×3 blocks whose pattern is symmetric: the Newton matrices A + B W of contact problems.
//
// Ordering and fill in one pass: the elimination graph is kept as rows of bits. The block of least degree goes next;
// its neighbours become a clique (a bitwise or), and what is left of its row is the pattern of its row of U. Exact
// minimum degree, n² / 8 bytes, O(n² d / 64): made for up to a few thousand contacts, where it costs less than the
// factorisation.
//
// Numbers row by row (up-looking): row i takes L_ik U_k for each earlier k in its pattern. Pivoting happens inside the
// 3×3 diagonal blocks only; the proximal term of the callers keeps those regular.
//
// Our own and not UMFPACK or KLU: contact matrices come in blocks (fewer indices, vector arithmetic), all memory is in
// our arenas, and the licence of UMFPACK (GPL) does not fit a library that others link.
#include "numeric/block_lu.h"

#include "math/mat3.h"
#include "math/simd.h"

#include <string.h>

fil_status fil_block_lu_make(fil_arena *arena, int capacity, fil_block_lu *out)
{
    int words = (capacity + 63) / 64;
    *out = (fil_block_lu){
        .arena = arena,
        .capacity = capacity,
        .words = words,
        .bits = FIL_ARENA_ARRAY(arena, uint64_t, (int64_t)capacity * words),
        .order = FIL_ARENA_ARRAY(arena, int, capacity),
        .step_of = FIL_ARENA_ARRAY(arena, int, capacity),
        .degree = FIL_ARENA_ARRAY(arena, int, capacity),
        .u_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)capacity + 1),
        .l_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)capacity + 2),
        .pivot = FIL_ARENA_ARRAY(arena, double, 9 * (int64_t)capacity),
        .row = FIL_ARENA_ARRAY(arena, double, 12 * (int64_t)capacity),
        .x = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)capacity + 1),
    };
    bool complete = out->bits && out->order && out->step_of && out->degree && out->u_start && out->l_start &&
                    out->pivot && out->row && out->x;
    return complete ? FIL_OK : FIL_NO_MEMORY;
}

static void set_bit(uint64_t *row, int k)
{
    row[k >> 6] |= UINT64_C(1) << (k & 63);
}

static void clear_bit(uint64_t *row, int k)
{
    row[k >> 6] &= ~(UINT64_C(1) << (k & 63));
}

static int count_bits(const uint64_t *row, int words)
{
    int count = 0;
    for (int w = 0; w < words; ++w)
        count += __builtin_popcountll(row[w]);
    return count;
}

static void load_graph(fil_block_lu *lu, const int64_t *start, const int *column, int words)
{
    memset(lu->bits, 0, (size_t)lu->n * (size_t)words * sizeof *lu->bits);
    for (int i = 0; i < lu->n; ++i)
        for (int64_t k = start[i]; k < start[i + 1]; ++k)
            if (column[k] != i) {
                set_bit(lu->bits + (int64_t)i * words, column[k]);
                set_bit(lu->bits + (int64_t)column[k] * words, i);
            }
}

// The block of least degree among those not yet eliminated; ties go to the lowest index.
static int next_block(const fil_block_lu *lu)
{
    int best = -1;
    for (int i = 0; i < lu->n; ++i)
        if (lu->step_of[i] < 0 && (best < 0 || lu->degree[i] < lu->degree[best]))
            best = i;
    return best;
}

// Removes `block` from the graph and joins its neighbours. Its own row keeps them: the pattern of U.
static void eliminate(fil_block_lu *lu, int block, int words)
{
    const uint64_t *own = lu->bits + (int64_t)block * words;
    for (int w = 0; w < words; ++w)
        for (uint64_t rest = own[w]; rest; rest &= rest - 1) {
            int other = 64 * w + __builtin_ctzll(rest);
            uint64_t *row = lu->bits + (int64_t)other * words;
            for (int v = 0; v < words; ++v)
                row[v] |= own[v];
            clear_bit(row, other);
            clear_bit(row, block);
            lu->degree[other] = count_bits(row, words);
        }
}

// Room for the patterns and numbers of L and U.
static fil_status reserve(fil_block_lu *lu, int64_t blocks)
{
    if (blocks <= lu->room)
        return FIL_OK;
    int64_t room = blocks + blocks / 2;
    lu->u_step = FIL_ARENA_ARRAY(lu->arena, int, room);
    lu->l_step = FIL_ARENA_ARRAY(lu->arena, int, room);
    lu->u_value = FIL_ARENA_ARRAY(lu->arena, double, 9 * room + 4);
    lu->l_value = FIL_ARENA_ARRAY(lu->arena, double, 9 * room + 4);
    if (!lu->u_step || !lu->l_step || !lu->u_value || !lu->l_value) {
        lu->room = 0;
        return FIL_NO_MEMORY;
    }
    lu->room = room;
    return FIL_OK;
}

// U by rows from the bits; L by rows as its transpose, so that each list ascends.
static void store_patterns(fil_block_lu *lu, int words)
{
    int n = lu->n;
    int64_t count = 0;
    memset(lu->l_start, 0, ((size_t)n + 2) * sizeof *lu->l_start);
    for (int step = 0; step < n; ++step) {
        const uint64_t *row = lu->bits + (int64_t)lu->order[step] * words;
        lu->u_start[step] = count;
        for (int w = 0; w < words; ++w)
            for (uint64_t rest = row[w]; rest; rest &= rest - 1) {
                int other = lu->step_of[64 * w + __builtin_ctzll(rest)];
                lu->u_step[count++] = other;
                ++lu->l_start[other + 2];
            }
    }
    lu->u_start[n] = count;
    for (int step = 0; step < n; ++step)
        lu->l_start[step + 2] += lu->l_start[step + 1];
    for (int step = 0; step < n; ++step)
        for (int64_t k = lu->u_start[step]; k < lu->u_start[step + 1]; ++k)
            lu->l_step[lu->l_start[lu->u_step[k] + 1]++] = step;
}

fil_status fil_block_lu_analyse(fil_block_lu *lu, int n, const int64_t *start, const int *column)
{
    FIL_ASSERT(n <= lu->capacity);
    lu->n = n;
    int words = (n + 63) / 64;
    load_graph(lu, start, column, words);
    int64_t fill = 0;
    for (int i = 0; i < n; ++i) {
        lu->step_of[i] = -1;
        lu->degree[i] = count_bits(lu->bits + (int64_t)i * words, words);
    }
    for (int step = 0; step < n; ++step) {
        int block = next_block(lu);
        lu->order[step] = block;
        lu->step_of[block] = step;
        eliminate(lu, block, words);
        fill += count_bits(lu->bits + (int64_t)block * words, words);
    }
    fil_status status = reserve(lu, fill);
    if (status == FIL_OK)
        store_patterns(lu, words);
    return status;
}

double fil_block_lu_work(const fil_block_lu *lu)
{
    double work = 0;
    for (int step = 0; step < lu->n; ++step) {
        double length = (double)(lu->u_start[step + 1] - lu->u_start[step]);
        work += (length + 1) * (length + 1);
    }
    return work;
}

// row_j -= L_ik U_kj for all j in row k of U.
static inline void subtract_row(double *row, const double l[12], const int *step, const double *value, int64_t count)
{
    fil_v4 a = fil_v4_load(l), b = fil_v4_load(l + 4), c = fil_v4_load(l + 8);
    for (int64_t k = 0; k < count; ++k) {
        double *target = row + 12 * (int64_t)step[k];
        const double *u = value + 9 * k;
        for (int j = 0; j < 3; ++j) {
            fil_v4 t = fil_v4_load(target + 4 * j);
            t -= a * fil_v4_all(u[3 * j]) + b * fil_v4_all(u[3 * j + 1]) + c * fil_v4_all(u[3 * j + 2]);
            fil_v4_store(target + 4 * j, t);
        }
    }
}

static void unpad(const double *from, double *to)
{
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            to[i + 3 * j] = from[i + 4 * j];
}

bool fil_block_lu_factor(fil_block_lu *lu, const int64_t *start, const int *column, const double *value)
{
    const double smallest_pivot = 1e-14; // relative to the largest entry of its block
    for (int step = 0; step < lu->n; ++step) {
        // Spread row `step` of the matrix over the padded work row, whose pattern is known to be zero.
        int block = lu->order[step];
        for (int64_t k = lu->l_start[step]; k < lu->l_start[step + 1]; ++k)
            memset(lu->row + 12 * (int64_t)lu->l_step[k], 0, 12 * sizeof(double));
        for (int64_t k = lu->u_start[step]; k < lu->u_start[step + 1]; ++k)
            memset(lu->row + 12 * (int64_t)lu->u_step[k], 0, 12 * sizeof(double));
        memset(lu->row + 12 * (int64_t)step, 0, 12 * sizeof(double));
        for (int64_t k = start[block]; k < start[block + 1]; ++k) {
            double *target = lu->row + 12 * (int64_t)lu->step_of[column[k]];
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i)
                    target[i + 4 * j] = value[9 * k + 3 * j + i];
        }
        // Take the earlier rows away.
        for (int64_t k = lu->l_start[step]; k < lu->l_start[step + 1]; ++k) {
            int earlier = lu->l_step[k];
            double entry[9], l[9], padded[12] = {0};
            unpad(lu->row + 12 * (int64_t)earlier, entry);
            fil_mat3_multiply(entry, lu->pivot + 9 * (int64_t)earlier, l);
            memcpy(lu->l_value + 9 * k, l, sizeof l);
            for (int j = 0; j < 3; ++j)
                memcpy(padded + 4 * j, l + 3 * j, 3 * sizeof(double));
            int64_t first = lu->u_start[earlier];
            subtract_row(lu->row, padded, lu->u_step + first, lu->u_value + 9 * first,
                         lu->u_start[earlier + 1] - first);
        }
        // What is left is the row of U and the pivot.
        double *pivot = lu->pivot + 9 * (int64_t)step;
        unpad(lu->row + 12 * (int64_t)step, pivot);
        if (!fil_mat3_invert(pivot, smallest_pivot))
            return false;
        for (int64_t k = lu->u_start[step]; k < lu->u_start[step + 1]; ++k)
            unpad(lu->row + 12 * (int64_t)lu->u_step[k], lu->u_value + 9 * k);
    }
    return true;
}

void fil_block_lu_solve(fil_block_lu *lu, double *x)
{
    double *y = lu->x;
    for (int step = 0; step < lu->n; ++step) {
        double sum[3];
        memcpy(sum, x + 3 * (int64_t)lu->order[step], sizeof sum);
        for (int64_t k = lu->l_start[step]; k < lu->l_start[step + 1]; ++k) {
            double minus[3];
            fil_mat3_multiply_vector(lu->l_value + 9 * k, y + 3 * (int64_t)lu->l_step[k], minus);
            for (int i = 0; i < 3; ++i)
                sum[i] -= minus[i];
        }
        memcpy(y + 3 * (int64_t)step, sum, sizeof sum);
    }
    for (int step = lu->n - 1; step >= 0; --step) {
        double sum[3];
        memcpy(sum, y + 3 * (int64_t)step, sizeof sum);
        for (int64_t k = lu->u_start[step]; k < lu->u_start[step + 1]; ++k) {
            double minus[3];
            fil_mat3_multiply_vector(lu->u_value + 9 * k, y + 3 * (int64_t)lu->u_step[k], minus);
            for (int i = 0; i < 3; ++i)
                sum[i] -= minus[i];
        }
        fil_mat3_multiply_vector(lu->pivot + 9 * (int64_t)step, sum, y + 3 * (int64_t)step);
    }
    for (int step = 0; step < lu->n; ++step)
        memcpy(x + 3 * (int64_t)lu->order[step], y + 3 * (int64_t)step, 3 * sizeof *x);
}
