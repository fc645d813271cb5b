// The product that every iterative method needs, in the two views of a problem.
//
//   dual:         u_i = q_i + sum_j W_ij r_j                       one pass over W, 76 bytes per block
//   matrix-free:  v = A⁻¹ (b + Hᵀ r),  u = w + H v                 two passes over H, one solve per body
//
// Where the problem has the form of strands, the second goes through contact_strands.c and is ten times as fast.
//
// Parallel over rows, bodies or contacts; each writes what belongs to it alone, so the bits do not depend on threads.
#include "contact/contact_operator.h"

#include "base/parallel.h"
#include "contact/contact_block.h"

#include <string.h>

// A range must outweigh the start of a team of threads: small problems run on one.
enum { body_grain = 128, contact_grain = 1024 };

typedef struct product_job {
    const fil_contact_operator *op;
    const double *r;
    double *u, *v;
} product_job;

static void product_rows(void *data, int64_t begin, int64_t end)
{
    const product_job *job = data;
    const fil_contact_problem *problem = job->op->problem;
    const fil_block_matrix *W = &problem->W;
    for (int64_t i = begin; i < end; ++i) {
        fil_v4 sum = fil_block_row(W, W->start[i], W->start[i + 1], job->r);
        for (int k = 0; k < 3; ++k)
            job->u[3 * i + k] = problem->q[3 * i + k] + sum[k];
    }
}

// Half storage: each block acts twice, once transposed. Serial, because rows write into each other.
static void product_half(const fil_contact_problem *problem, const double *r, double *u)
{
    const fil_block_matrix *W = &problem->W;
    memcpy(u, problem->q, 3 * (size_t)W->rows * sizeof *u);
    for (int i = 0; i < W->rows; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            fil_mat3_add_vector(W->value + 9 * k, r + 3 * (int64_t)j, u + 3 * (int64_t)i);
            if (j != i)
                fil_mat3_add_transposed_vector(W->value + 9 * k, r + 3 * (int64_t)i, u + 3 * (int64_t)j);
        }
}

// v = A⁻¹ (b + Hᵀ r) for a range of bodies.
static void solve_bodies(void *data, int64_t begin, int64_t end)
{
    const product_job *job = data;
    const fil_contact_operator *op = job->op;
    const fil_contact_problem *problem = op->problem;
    const fil_contact_jacobian *H = &problem->H;
    for (int64_t body = begin; body < end; ++body) {
        int offset = problem->A.dof_start[body], dofs = problem->A.dof_start[body + 1] - offset;
        double *v = job->v + offset;
        memcpy(v, problem->b + offset, (size_t)dofs * sizeof *v);
        for (int k = op->body_start[body]; k < op->body_start[body + 1]; ++k) {
            int side = op->body_side[k];
            const double *r = job->r + 3 * (int64_t)op->side_contact[side];
            const double *h = H->value + H->value_start[side];
            double *target = v + H->first_dof[side];
            for (int d = 0; d < H->dof_count[side]; ++d)
                target[d] += h[3 * d] * r[0] + h[3 * d + 1] * r[1] + h[3 * d + 2] * r[2];
        }
        fil_system_forward(&op->system, (int)body, 0, v);
        fil_system_backward(&op->system, (int)body, v);
    }
}

// u = w + H v for a range of contacts.
static void gather_contacts(void *data, int64_t begin, int64_t end)
{
    const product_job *job = data;
    const fil_contact_problem *problem = job->op->problem;
    const fil_contact_jacobian *H = &problem->H;
    for (int64_t i = begin; i < end; ++i) {
        double u[3] = {problem->w[3 * i], problem->w[3 * i + 1], problem->w[3 * i + 2]};
        for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side) {
            const double *h = H->value + H->value_start[side];
            const double *v = job->v + problem->A.dof_start[H->body[side]] + H->first_dof[side];
            for (int d = 0; d < H->dof_count[side]; ++d)
                for (int k = 0; k < 3; ++k)
                    u[k] += h[3 * d + k] * v[d];
        }
        memcpy(job->u + 3 * i, u, sizeof u);
    }
}

fil_status fil_contact_sides_by_body(fil_arena *arena, const fil_contact_problem *problem, int **start, int **side,
                                     int **contact)
{
    const fil_contact_jacobian *H = &problem->H;
    int bodies = problem->A.body_count, sides = H->side_start[problem->contact_count];
    *start = FIL_ARENA_ARRAY(arena, int, (int64_t)bodies + 2);
    *side = FIL_ARENA_ARRAY(arena, int, sides);
    *contact = FIL_ARENA_ARRAY(arena, int, sides);
    if (!*start || !*side || !*contact)
        return FIL_NO_MEMORY;
    // Counting sort by body; sides are met in the order of contacts.
    int *next = *start + 1;
    for (int s = 0; s < sides; ++s)
        ++next[H->body[s] + 1];
    for (int body = 0; body < bodies; ++body)
        next[body + 1] += next[body];
    for (int i = 0; i < problem->contact_count; ++i)
        for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s) {
            (*contact)[s] = i;
            (*side)[next[H->body[s]]++] = s;
        }
    return FIL_OK;
}

fil_status fil_contact_operator_make_strands(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                             fil_contact_operator *out)
{
    *out = (fil_contact_operator){0};
    fil_contact_strands *strands;
    fil_status status = fil_contact_strands_make(context, arena, problem, &strands);
    if (status != FIL_OK || !strands)
        return status;
    *out =
        (fil_contact_operator){.context = context,
                               .problem = problem,
                               .matrix_free = true,
                               .strands = strands,
                               .blocked = FIL_ARENA_ARRAY(arena, double, FIL_STRANDS_BLOCK *(int64_t)strands->blocks)};
    return out->blocked ? FIL_OK : FIL_NO_MEMORY;
}

fil_status fil_contact_operator_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                     bool matrix_free, fil_contact_operator *out)
{
    bool through_bodies = matrix_free || !problem->has_dual;
    FIL_ASSERT(problem->has_primal || !through_bodies);
    if (through_bodies && !matrix_free) {
        fil_status status = fil_contact_operator_make_strands(context, arena, problem, out);
        if (status != FIL_OK || out->strands)
            return status;
    }
    *out = (fil_contact_operator){.context = context, .problem = problem, .matrix_free = through_bodies};
    if (!through_bodies)
        return FIL_OK;
    out->v = FIL_ARENA_ARRAY(arena, double, problem->A.dof_start[problem->A.body_count]);
    fil_status status = out->v ? FIL_OK : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = fil_contact_sides_by_body(arena, problem, &out->body_start, &out->body_side, &out->side_contact);
    return status == FIL_OK ? fil_system_factor(context, arena, &problem->A, &out->system) : status;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the bodies write v through the job
void fil_contact_operator_velocity(const fil_contact_operator *op, const double *r, double *v)
{
    product_job job = {.op = op, .r = r, .v = v};
    if (op->strands) {
        fil_contact_strands_block(op->strands, r, op->blocked);
        fil_contact_strands_product_velocity(op->strands, op->blocked, v);
    } else {
        fil_parallel_for(op->context, op->problem->A.body_count, body_grain, solve_bodies, &job);
    }
}

void fil_contact_operator_apply(const fil_contact_operator *op, const double *r, double *u)
{
    product_job job = {.op = op, .r = r, .u = u, .v = op->v};
    if (op->strands) {
        fil_contact_strands_block(op->strands, r, op->blocked);
        fil_contact_strands_product(op->strands, op->blocked, op->strands->q, op->blocked);
        fil_contact_strands_unblock(op->strands, op->blocked, u);
    } else if (op->matrix_free) {
        fil_contact_operator_velocity(op, r, op->v);
        fil_parallel_for(op->context, op->problem->contact_count, contact_grain, gather_contacts, &job);
    } else if (op->problem->W.half) {
        product_half(op->problem, r, u);
    } else {
        fil_parallel_for(op->context, op->problem->contact_count, contact_grain, product_rows, &job);
    }
}

// Adds row k of one side to a column of Hᵀ; returns its first non-zero.
static int add_row(const fil_contact_jacobian *H, int side, int k, double *column)
{
    for (int d = 0; d < H->dof_count[side]; ++d)
        column[H->first_dof[side] + d] += H->value[H->value_start[side] + 3 * d + k];
    return H->first_dof[side];
}

// Σ |L⁻¹ hᵀ|² over the three rows of a contact on one body; all its sides there act together. `column` has room for
// the body.
static double trace_on_body(const fil_contact_operator *op, int contact, int body, double *column)
{
    const fil_contact_jacobian *H = &op->problem->H;
    int dofs = op->problem->A.dof_start[body + 1] - op->problem->A.dof_start[body];
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        int first = dofs;
        memset(column, 0, (size_t)dofs * sizeof *column);
        for (int side = H->side_start[contact]; side < H->side_start[contact + 1]; ++side)
            if (H->body[side] == body) {
                int begin = add_row(H, side, k, column);
                first = begin < first ? begin : first;
            }
        fil_system_forward(&op->system, body, first, column);
        for (int d = first; d < dofs; ++d)
            sum += column[d] * column[d];
    }
    return sum;
}

static fil_status diagonal_of_bodies(const fil_contact_operator *op, fil_arena *arena, double *trace)
{
    const fil_contact_problem *problem = op->problem;
    const fil_contact_jacobian *H = &problem->H;
    int most = 0;
    for (int body = 0; body < problem->A.body_count; ++body) {
        int dofs = problem->A.dof_start[body + 1] - problem->A.dof_start[body];
        most = dofs > most ? dofs : most;
    }
    double *column = FIL_ARENA_ARRAY(arena, double, most);
    if (!column)
        return FIL_NO_MEMORY;
    for (int i = 0; i < problem->contact_count; ++i) {
        trace[i] = 0;
        for (int side = H->side_start[i]; side < H->side_start[i + 1]; ++side) {
            bool counted = false;
            for (int other = H->side_start[i]; other < side; ++other)
                counted |= H->body[other] == H->body[side];
            if (!counted)
                trace[i] += trace_on_body(op, i, H->body[side], column);
        }
    }
    return FIL_OK;
}

typedef struct trace_job {
    const fil_block_matrix *W;
    double *trace;
} trace_job;

static void diagonal_of_blocks(void *data, int64_t begin, int64_t end)
{
    const trace_job *job = data;
    for (int64_t i = begin; i < end; ++i) {
        const double *block = job->W->value + 9 * fil_block_find(job->W, i, (int)i);
        job->trace[i] = block[0] + block[4] + block[8];
    }
}

fil_status fil_contact_operator_diagonal(const fil_contact_operator *op, fil_arena *arena, double *trace)
{
    const int n = op->problem->contact_count;
    trace_job job = {.W = &op->problem->W};
    job.trace = trace;
    if (op->strands)
        for (int i = 0; i < n; ++i)
            trace[i] = op->strands->trace[fil_contact_strands_place(op->strands, i)];
    else if (op->matrix_free)
        return diagonal_of_bodies(op, arena, trace);
    else
        fil_parallel_for(op->context, n, contact_grain, diagonal_of_blocks, &job);
    return FIL_OK;
}
