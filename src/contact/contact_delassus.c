// The Delassus operator W = H A⁻¹ Hᵀ and q = w + H A⁻¹ b in blocks [Daviet11, 6.2].
//
//   A = L Lᵀ per body,   W_ij = sum of H_s A⁻¹ H_tᵀ over the sides s of i and t of j on one body
//
// The pattern first (contact_pattern.c), then body by body: the blocks of all pairs of its sides (contact_coupling.c),
// each computed once and written to both halves of W, so W is symmetric to the last bit. Parallel over shares of the
// bodies; the first pair of a block writes it, late ones are added at the end in the order of the pattern.
#include "base/parallel.h"
#include "contact/contact_block.h"
#include "contact/contact_coupling.h"
#include "contact/contact_pattern.h"

#include <string.h>

enum { MOST_SHARES = 64, SIDES_PER_SHARE = 128 };

// Bodies that one thread works on, one after the other, in the same memory.
typedef struct share {
    int first_body, last_body;
    double *work, *block;
} share;

typedef struct assembly {
    fil_contact_problem *problem;
    fil_contact_operator op; // the factors of A and the sides of each body
    fil_pattern pattern;
    int *by_dof;   // [sides] the sides of each body by ascending first dof
    int *position; // [sides] of a side among those of its body, by contact
    double *late;  // 9 for each late pair
    share shares[MOST_SHARES];
    int share_count;
} assembly;

static fil_status number_sides(fil_arena *scratch, assembly *job)
{
    const fil_contact_operator *op = &job->op;
    int bodies = job->problem->A.body_count;
    job->position = FIL_ARENA_ARRAY(scratch, int, op->body_start[bodies]);
    if (!job->position)
        return FIL_NO_MEMORY;
    for (int body = 0; body < bodies; ++body)
        for (int k = op->body_start[body]; k < op->body_start[body + 1]; ++k)
            job->position[op->body_side[k]] = k - op->body_start[body];
    return FIL_OK;
}

// Shares of about equally many sides, cut by the problem alone.
static fil_status cut_shares(fil_arena *scratch, assembly *job)
{
    const int *body_start = job->op.body_start;
    int bodies = job->problem->A.body_count, sides = body_start[bodies], body = 0;
    int64_t wanted = sides / SIDES_PER_SHARE + 1;
    job->share_count = wanted < MOST_SHARES ? (int)wanted : MOST_SHARES;
    for (int k = 0; k < job->share_count; ++k) {
        share *part = &job->shares[k];
        int64_t size = 0, most_sides = 0, end = (int64_t)sides * (k + 1) / job->share_count;
        part->first_body = body;
        for (; body < bodies && (body_start[body + 1] <= end || body_start[body] < end); ++body) {
            int count = body_start[body + 1] - body_start[body];
            int64_t needed = fil_coupling_size(job->problem, body, job->by_dof + body_start[body], count);
            size = needed > size ? needed : size;
            most_sides = count > most_sides ? count : most_sides;
        }
        part->last_body = body;
        part->work = FIL_ARENA_RAW(scratch, double, size);
        part->block = FIL_ARENA_RAW(scratch, double, 12 * most_sides);
        if (!part->work || !part->block)
            return FIL_NO_MEMORY;
    }
    return FIL_OK;
}

// Where the pair of `side` with the side at `position` of the same body writes.
static inline double *pair_target(const assembly *job, int side, int position)
{
    const fil_pattern *pattern = &job->pattern;
    int contact = job->op.side_contact[side], place = pattern->place[pattern->pair_start[side] + position];
    return place >= 0 ? job->problem->W.value + 9 * (job->problem->W.start[contact] + place)
                      : job->late + 9 * (pattern->late_start[contact] + ~place);
}

// Columns of four into columns of three; nothing behind the block is touched.
static inline void write_block(const double *block, double *to)
{
    fil_v4_store(to, fil_v4_load(block));
    fil_v4_store(to + 3, fil_v4_load(block + 4));
    memcpy(to + 6, block + 8, 3 * sizeof *to);
}

static inline void write_transposed(const double *block, double *to)
{
    for (int k = 0; k < 3; ++k) {
        to[3 * k] = block[k];
        to[3 * k + 1] = block[4 + k];
        to[3 * k + 2] = block[8 + k];
    }
}

// The lower half of a diagonal block from the upper.
static inline void make_symmetric(double *block)
{
    block[1] = block[3];
    block[2] = block[6];
    block[5] = block[7];
}

// The blocks of side t with those before it, to both halves of W.
static void scatter(const assembly *job, const int *side, int t, const double *block)
{
    int own = side[t], own_position = job->position[own];
    for (int s = 0; s < t; ++s, block += 12) {
        write_block(block, pair_target(job, own, job->position[side[s]]));
        write_transposed(block, pair_target(job, side[s], own_position));
    }
    double *diagonal = pair_target(job, own, own_position);
    write_block(block, diagonal);
    make_symmetric(diagonal);
}

static void work_on_shares(void *data, int64_t begin, int64_t end)
{
    const assembly *job = data;
    const int *body_start = job->op.body_start;
    for (int64_t k = begin; k < end; ++k) {
        const share *part = &job->shares[k];
        for (int body = part->first_body; body < part->last_body; ++body) {
            const int *side = job->by_dof + body_start[body];
            int count = body_start[body + 1] - body_start[body];
            if (count == 0)
                continue;
            fil_coupling coupling = fil_coupling_make(job->problem, &job->op.system, body, side, count, part->work);
            for (int t = 0; t < count; ++t) {
                fil_coupling_column(&coupling, t, part->block);
                scatter(job, side, t, part->block);
            }
        }
    }
}

// Late pairs join their blocks. A contact without sides has a block of zeroes.
static void add_late(void *data, int64_t begin, int64_t end)
{
    const assembly *job = data;
    const fil_block_matrix *W = &job->problem->W;
    const int64_t *late_start = job->pattern.late_start;
    for (int64_t i = begin; i < end; ++i) {
        if (job->pattern.column_count[i] == 0)
            memset(W->value + 9 * W->start[i], 0, 9 * sizeof *W->value);
        for (int64_t k = late_start[i]; k < late_start[i + 1]; ++k) {
            double *block = W->value + 9 * (W->start[i] + fil_pattern_late_block(&job->pattern, i, k - late_start[i]));
            for (int entry = 0; entry < 9; ++entry)
                block[entry] += job->late[9 * k + entry];
        }
    }
}

// W_ij = W_jiᵀ for j <= i.
static void mirror_block(const fil_block_matrix *W, int64_t i, int64_t k)
{
    int j = W->column[k];
    if (j == i)
        make_symmetric(W->value + 9 * k);
    if (j >= i)
        return;
    int64_t mirrored = fil_block_find(W, j, (int)i);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            W->value[9 * k + row + 3 * column] = W->value[9 * mirrored + column + 3 * row];
}

// Sums of three and more (contacts with several sides on one body) have another order in the other half.
static void mirror_late(void *data, int64_t begin, int64_t end)
{
    const assembly *job = data;
    const fil_block_matrix *W = &job->problem->W;
    const fil_pattern *pattern = &job->pattern;
    for (int64_t i = begin; i < end; ++i)
        for (int64_t k = 1; k < pattern->late_start[i + 1] - pattern->late_start[i]; ++k) {
            int block = fil_pattern_late_block(pattern, i, k);
            if (block == fil_pattern_late_block(pattern, i, k - 1))
                mirror_block(W, i, W->start[i] + block);
        }
}

static fil_status prepare(fil_context *context, fil_arena *scratch, fil_contact_problem *problem, assembly *job)
{
    int n = problem->contact_count;
    fil_block_matrix *W = &problem->W;
    *job = (assembly){.problem = problem};
    *W = (fil_block_matrix){.rows = n, .start = FIL_ARENA_ARRAY(problem->arena, int64_t, (int64_t)n + 1)};
    if (!W->start)
        return FIL_NO_MEMORY;
    fil_status status = fil_contact_operator_make(context, scratch, problem, true, &job->op);
    if (status == FIL_OK)
        status = fil_coupling_sort(scratch, problem, job->op.body_start, job->op.body_side, &job->by_dof);
    if (status == FIL_OK)
        status = number_sides(scratch, job);
    if (status == FIL_OK)
        status = cut_shares(scratch, job);
    if (status == FIL_OK)
        status = fil_pattern_make(context, scratch, problem, &job->op, W->start, &job->pattern);
    if (status != FIL_OK)
        return status;
    W->column = FIL_ARENA_RAW(problem->arena, int, W->start[n]);
    W->value = FIL_ARENA_RAW(problem->arena, double, 9 * W->start[n] + 4);
    job->late = FIL_ARENA_RAW(scratch, double, 9 * job->pattern.late_start[n]);
    return W->column && W->value && job->late ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status assemble(fil_context *context, fil_arena *scratch, fil_contact_problem *problem, assembly *job)
{
    int n = problem->contact_count;
    problem->q = FIL_ARENA_RAW(problem->arena, double, 3 * (int64_t)n);
    double *zero = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)n);
    if (!problem->q || !zero)
        return FIL_NO_MEMORY;
    memset(problem->W.value + 9 * problem->W.start[n], 0, 4 * sizeof(double));
    fil_pattern_columns(context, &job->pattern, problem->W.start, problem->W.column);
    fil_parallel_for(context, job->share_count, 1, work_on_shares, job);
    fil_parallel_for(context, n, 1024, add_late, job);
    fil_parallel_for(context, n, 1024, mirror_late, job);

    // q is the velocity without impulses.
    fil_contact_operator_apply(&job->op, zero, problem->q);
    return FIL_OK;
}

fil_status fil_contact_problem_form_dual(fil_context *context, fil_contact_problem *problem)
{
    if (problem->has_dual)
        return FIL_OK;
    FIL_ASSERT(problem->has_primal);
    fil_arena *scratch = fil_arena_borrow(context);
    if (!scratch)
        return FIL_NO_MEMORY;
    assembly job;
    fil_status status = prepare(context, scratch, problem, &job);
    if (status == FIL_OK)
        status = assemble(context, scratch, problem, &job);
    fil_arena_give_back(scratch);
    problem->has_dual = status == FIL_OK;
    return status;
}
