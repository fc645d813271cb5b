// Contact problems and solutions to FCLIB files: compressed columns only, because FCLIB's own merit function is wrong
// for compressed rows.
//
// A problem that has the primal view is written as a global problem (its W can be formed again), any other as a local
// one. Planar problems lose the tangent that reading added. Every number of a stored block is written, zeros too, so
// that the pattern of W survives; of M and H only what is not zero. Cost: linear in the entries; besides the problem
// itself the memory of the transposed block pattern of W, or of one contact of H.
#include "io/hdf5_write.h"

#include "base/arena.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// FCLIB counts with int.
static fil_status check_count(fil_context *context, const char *path, int64_t entries)
{
    if (entries <= INT_MAX)
        return FIL_OK;
    return fil_context_fail(context, FIL_BAD_INPUT, "%s: the problem has %lld matrix entries, an FCLIB file at most %d",
                            path, (long long)entries, INT_MAX);
}

static void write_sizes(fil_hdf5_write *out, int rows, int columns, int entries)
{
    fil_hdf5_write_integers(out, "m", &rows, 1);
    fil_hdf5_write_integers(out, "n", &columns, 1);
    fil_hdf5_write_integers(out, "nz", &(int){-1}, 1);
    fil_hdf5_write_integers(out, "nzmax", &entries, 1);
}

static void write_info(fil_hdf5_write *out, const fil_contact_problem *problem)
{
    fil_hdf5_write_group(out, "info");
    fil_hdf5_write_string(out, "title", problem->title);
    fil_hdf5_write_string(out, "description", "contact problem with Coulomb friction, written by filum " FIL_VERSION);
    fil_hdf5_write_end(out);
}

// Three numbers per contact; a planar file has two.
static void write_contact_vector(fil_hdf5_write *out, const char *name, const fil_contact_problem *problem,
                                 const double *values)
{
    int dim = problem->file_dim;
    fil_hdf5_write_begin_reals(out, name, (int64_t)problem->contact_count * dim);
    for (int i = 0; i < problem->contact_count; ++i)
        fil_hdf5_write_more_reals(out, values + 3 * (int64_t)i, dim);
}

// ---- local problems

// The blocks of W by columns: whose turn it is when the file is written column by column.
typedef struct block_columns {
    int64_t *start; // [n + 1]
    int64_t *block; // [blocks] where the values lie in W; ~k: the transpose of block k
    int *row;       // [blocks]
} block_columns;

static fil_status turn_blocks(const fil_block_matrix *W, fil_arena *scratch, block_columns *turned)
{
    int64_t n = W->rows, blocks = W->start[n];
    turned->start = FIL_ARENA_ARRAY(scratch, int64_t, n + 2);
    turned->block = FIL_ARENA_ARRAY(scratch, int64_t, W->half ? 2 * blocks : blocks);
    turned->row = FIL_ARENA_ARRAY(scratch, int, W->half ? 2 * blocks : blocks);
    if (!turned->start || !turned->block || !turned->row)
        return FIL_NO_MEMORY;
    // Count into start[j + 2], sum, then let start[j + 1] run while filling: it ends where column j ends.
    int64_t *next = turned->start + 1;
    for (int i = 0; i < n; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            if (W->column[k] + 1 < n)
                ++next[W->column[k] + 1];
            if (W->half && W->column[k] != i && i + 1 < n)
                ++next[i + 1];
        }
    for (int64_t j = 1; j < n; ++j)
        next[j] += next[j - 1];
    // Rows come in ascending order, and the transposes in column i belong to rows behind i: each column is sorted.
    for (int i = 0; i < n; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            turned->row[next[j]] = i;
            turned->block[next[j]++] = k;
            if (!W->half || j == i)
                continue;
            turned->row[next[i]] = j;
            turned->block[next[i]++] = ~k;
        }
    return FIL_OK;
}

static void write_block_matrix(fil_hdf5_write *out, const fil_block_matrix *W, const block_columns *turned, int dim)
{
    int64_t n = W->rows, blocks = turned->start[n], at = 0;
    write_sizes(out, (int)n * dim, (int)n * dim, (int)(blocks * dim * dim));
    fil_hdf5_write_begin_integers(out, "p", n * dim + 1);
    fil_hdf5_write_more_integers(out, &(int){0}, 1);
    for (int64_t j = 0; j < n; ++j)
        for (int c = 0; c < dim; ++c) {
            at += (turned->start[j + 1] - turned->start[j]) * dim;
            fil_hdf5_write_more_integers(out, &(int){(int)at}, 1);
        }
    fil_hdf5_write_begin_integers(out, "i", at);
    for (int64_t j = 0; j < n; ++j)
        for (int c = 0; c < dim; ++c)
            for (int64_t k = turned->start[j]; k < turned->start[j + 1]; ++k) {
                int first = turned->row[k] * dim;
                fil_hdf5_write_more_integers(out, (int[]){first, first + 1, first + 2}, dim);
            }
    fil_hdf5_write_begin_reals(out, "x", at);
    for (int64_t j = 0; j < n; ++j)
        for (int c = 0; c < dim; ++c)
            for (int64_t k = turned->start[j]; k < turned->start[j + 1]; ++k) {
                int64_t block = turned->block[k];
                const double *V = W->value + 9 * (block < 0 ? ~block : block);
                double column[3] = {V[3 * c], V[3 * c + 1], V[3 * c + 2]};
                double transposed[3] = {V[c], V[3 + c], V[6 + c]};
                fil_hdf5_write_more_reals(out, block < 0 ? transposed : column, dim);
            }
}

static fil_status write_local(fil_hdf5_write *out, fil_arena *scratch, const fil_contact_problem *problem)
{
    int dim = problem->file_dim;
    block_columns turned;
    fil_status status = turn_blocks(&problem->W, scratch, &turned);
    if (status == FIL_OK)
        status = check_count(out->context, out->path, turned.start[problem->contact_count] * dim * dim);
    if (status != FIL_OK)
        return status;
    fil_hdf5_write_group(out, "fclib_local");
    fil_hdf5_write_integers(out, "spacedim", &dim, 1);
    fil_hdf5_write_group(out, "W");
    write_block_matrix(out, &problem->W, &turned, dim);
    fil_hdf5_write_end(out);
    fil_hdf5_write_group(out, "vectors");
    write_contact_vector(out, "q", problem, problem->q);
    fil_hdf5_write_reals(out, "mu", problem->mu, problem->contact_count);
    fil_hdf5_write_end(out);
    write_info(out, problem);
    fil_hdf5_write_end(out);
    return FIL_OK;
}

// ---- global problems

// A(i, j) of one body by its own numbering; zero outside the band.
static double body_entry(const fil_body_matrix *A, int body, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    if (high - low > A->bandwidth[body])
        return 0;
    return A->value[A->value_start[body] + (int64_t)low * (A->bandwidth[body] + 1) + high - low];
}

// Calls the three passes over M with the same loops: count, rows, values.
typedef enum pass { PASS_COUNT, PASS_ROWS, PASS_VALUES } pass;

static int64_t walk_bodies(fil_hdf5_write *out, const fil_body_matrix *A, pass pass)
{
    int64_t entries = 0;
    for (int body = 0; body < A->body_count; ++body) {
        int start = A->dof_start[body], dofs = A->dof_start[body + 1] - start, width = A->bandwidth[body];
        for (int j = 0; j < dofs; ++j) {
            int last = j + width < dofs - 1 ? j + width : dofs - 1;
            for (int i = j > width ? j - width : 0; i <= last; ++i) {
                double value = body_entry(A, body, i, j);
                if (value == 0 && i != j)
                    continue;
                ++entries;
                if (pass == PASS_ROWS)
                    fil_hdf5_write_more_integers(out, &(int){start + i}, 1);
                if (pass == PASS_VALUES)
                    fil_hdf5_write_more_reals(out, &value, 1);
            }
            if (pass == PASS_COUNT && out)
                fil_hdf5_write_more_integers(out, &(int){(int)entries}, 1);
        }
    }
    return entries;
}

// The three rows of H of one contact, by ascending dof; two sides of one body are added.
typedef struct jacobian_row {
    int dof;
    double value[3];
} jacobian_row;

static int compare_rows(const void *a, const void *b)
{
    const jacobian_row *x = a, *y = b;
    return (x->dof > y->dof) - (x->dof < y->dof);
}

static int gather_rows(const fil_contact_problem *problem, int contact, jacobian_row *rows)
{
    const fil_contact_jacobian *H = &problem->H;
    int count = 0, merged = 0;
    for (int side = H->side_start[contact]; side < H->side_start[contact + 1]; ++side)
        for (int k = 0; k < H->dof_count[side]; ++k) {
            const double *value = H->value + H->value_start[side] + 3 * (int64_t)k;
            rows[count].dof = problem->A.dof_start[H->body[side]] + H->first_dof[side] + k;
            memcpy(rows[count++].value, value, sizeof rows->value);
        }
    if (count > 1)
        qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    for (int k = 0; k < count; ++k) {
        if (merged == 0 || rows[merged - 1].dof != rows[k].dof)
            rows[merged++] = rows[k];
        else
            for (int c = 0; c < 3; ++c)
                rows[merged - 1].value[c] += rows[k].value[c];
    }
    return merged;
}

static int64_t walk_contacts(fil_hdf5_write *out, const fil_contact_problem *problem, jacobian_row *rows, pass pass)
{
    int64_t entries = 0;
    for (int i = 0; i < problem->contact_count; ++i) {
        int count = gather_rows(problem, i, rows);
        for (int c = 0; c < problem->file_dim; ++c) {
            for (int k = 0; k < count; ++k) {
                if (rows[k].value[c] == 0)
                    continue;
                ++entries;
                if (pass == PASS_ROWS)
                    fil_hdf5_write_more_integers(out, &rows[k].dof, 1);
                if (pass == PASS_VALUES)
                    fil_hdf5_write_more_reals(out, &rows[k].value[c], 1);
            }
            if (pass == PASS_COUNT && out)
                fil_hdf5_write_more_integers(out, &(int){(int)entries}, 1);
        }
    }
    return entries;
}

static void write_M(fil_hdf5_write *out, const fil_contact_problem *problem, int64_t entries)
{
    int dofs = problem->A.dof_start[problem->A.body_count];
    fil_hdf5_write_group(out, "M");
    write_sizes(out, dofs, dofs, (int)entries);
    fil_hdf5_write_begin_integers(out, "p", (int64_t)dofs + 1);
    fil_hdf5_write_more_integers(out, &(int){0}, 1);
    walk_bodies(out, &problem->A, PASS_COUNT);
    fil_hdf5_write_begin_integers(out, "i", entries);
    walk_bodies(out, &problem->A, PASS_ROWS);
    fil_hdf5_write_begin_reals(out, "x", entries);
    walk_bodies(out, &problem->A, PASS_VALUES);
    fil_hdf5_write_end(out);
}

static void write_H(fil_hdf5_write *out, const fil_contact_problem *problem, jacobian_row *rows, int64_t entries)
{
    int dofs = problem->A.dof_start[problem->A.body_count], columns = problem->contact_count * problem->file_dim;
    fil_hdf5_write_group(out, "H");
    write_sizes(out, dofs, columns, (int)entries);
    fil_hdf5_write_begin_integers(out, "p", (int64_t)columns + 1);
    fil_hdf5_write_more_integers(out, &(int){0}, 1);
    walk_contacts(out, problem, rows, PASS_COUNT);
    fil_hdf5_write_begin_integers(out, "i", entries);
    walk_contacts(out, problem, rows, PASS_ROWS);
    fil_hdf5_write_begin_reals(out, "x", entries);
    walk_contacts(out, problem, rows, PASS_VALUES);
    fil_hdf5_write_end(out);
}

static fil_status write_global(fil_hdf5_write *out, fil_arena *scratch, const fil_contact_problem *problem)
{
    int64_t longest = 0;
    const fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < problem->contact_count; ++i) {
        int64_t length = (H->value_start[H->side_start[i + 1]] - H->value_start[H->side_start[i]]) / 3;
        longest = length > longest ? length : longest;
    }
    jacobian_row *rows = FIL_ARENA_ARRAY(scratch, jacobian_row, longest);
    if (!rows)
        return FIL_NO_MEMORY;
    int64_t m_entries = walk_bodies(NULL, &problem->A, PASS_COUNT);
    int64_t h_entries = walk_contacts(NULL, problem, rows, PASS_COUNT);
    int64_t most = m_entries > h_entries ? m_entries : h_entries, columns = 3 * (int64_t)problem->contact_count;
    fil_status status = check_count(out->context, out->path, most > columns ? most : columns);
    if (status != FIL_OK)
        return status;
    fil_hdf5_write_group(out, "fclib_global");
    fil_hdf5_write_integers(out, "spacedim", &problem->file_dim, 1);
    write_M(out, problem, m_entries);
    write_H(out, problem, rows, h_entries);
    fil_hdf5_write_group(out, "vectors");
    fil_hdf5_write_reals(out, "f", problem->b, problem->A.dof_start[problem->A.body_count]);
    write_contact_vector(out, "w", problem, problem->w);
    fil_hdf5_write_reals(out, "mu", problem->mu, problem->contact_count);
    fil_hdf5_write_end(out);
    write_info(out, problem);
    fil_hdf5_write_end(out);
    return FIL_OK;
}

// ---- the public calls

static void write_solution(fil_hdf5_write *out, const char *group, const fil_contact_problem *problem, const double *v,
                           const double *u, const double *r)
{
    fil_hdf5_write_group(out, group);
    if (v && problem->has_primal)
        fil_hdf5_write_reals(out, "v", v, problem->A.dof_start[problem->A.body_count]);
    if (u)
        write_contact_vector(out, "u", problem, u);
    write_contact_vector(out, "r", problem, r);
    fil_hdf5_write_end(out);
}

// A guess of impulses. FCLIB does not read it without velocities: it is given none, zero.
static fil_status write_guess(fil_hdf5_write *out, fil_arena *scratch, const fil_contact_problem *problem,
                              const double *r)
{
    const int one = 1;
    int dofs = problem->has_primal ? problem->A.dof_start[problem->A.body_count] : 0;
    double *v = FIL_ARENA_ARRAY(scratch, double, dofs);
    double *u = FIL_ARENA_ARRAY(scratch, double, 3 * (int64_t)problem->contact_count);
    if (!v || !u)
        return FIL_NO_MEMORY;
    fil_hdf5_write_group(out, "guesses");
    fil_hdf5_write_integers(out, "number_of_guesses", &one, 1);
    write_solution(out, "1", problem, v, u, r);
    fil_hdf5_write_end(out);
    return FIL_OK;
}

// What comes behind the problem. NULL: nothing.
typedef struct addition {
    const double *guess;     // of impulses
    const double *v, *u, *r; // a solution
} addition;

static fil_status write_addition(fil_hdf5_write *out, fil_arena *scratch, const fil_contact_problem *problem,
                                 const addition *addition)
{
    if (addition->r)
        write_solution(out, "solution", problem, addition->v, addition->u, addition->r);
    return addition->guess ? write_guess(out, scratch, problem, addition->guess) : FIL_OK;
}

static fil_status write_file(fil_context *context, const char *path, const fil_contact_problem *problem,
                             const addition *addition)
{
    FIL_ASSERT(problem->has_primal || problem->has_dual);
    fil_arena *scratch = fil_arena_create(context);
    fil_hdf5_write *out = scratch ? FIL_ARENA_ARRAY(scratch, fil_hdf5_write, 1) : NULL;
    if (!out) {
        fil_arena_destroy(scratch);
        return FIL_NO_MEMORY;
    }
    fil_status status = fil_hdf5_write_open(context, path, out);
    if (status == FIL_OK) {
        status = problem->has_primal ? write_global(out, scratch, problem) : write_local(out, scratch, problem);
        if (status == FIL_OK)
            status = write_addition(out, scratch, problem, addition);
        if (status == FIL_OK)
            status = fil_hdf5_write_commit(out);
        else
            fil_hdf5_write_cancel(out);
    }
    fil_arena_destroy(scratch);
    return status;
}

fil_status fil_contact_problem_write(fil_context *context, const char *path, const fil_contact_problem *problem)
{
    return write_file(context, path, problem, &(addition){0});
}

fil_status fil_contact_guess_write(fil_context *context, const char *path, const fil_contact_problem *problem,
                                   const double *r)
{
    FIL_ASSERT(r);
    return write_file(context, path, problem, &(addition){.guess = r});
}

fil_status fil_contact_solution_write(fil_context *context, const char *path, const fil_contact_problem *problem,
                                      const double *v, const double *u, const double *r)
{
    FIL_ASSERT(r);
    return write_file(context, path, problem, &(addition){.v = v, .u = u, .r = r});
}
