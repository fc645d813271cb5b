// FCLIB's local problem, u = W r + q: the dual view.
//
// W arrives by columns and is kept by block rows. Two passes over the columns, d at a time: the first counts the blocks
// of each block row, the second fills them. Because block columns come in ascending order, each row's columns ascend
// without any sorting. The diagonal block is entered first, so it is always there. Nothing is symmetrised or
// transposed, and a file that holds one triangle only is taken as it stands.
#include "io/io_fclib.h"

#include <limits.h>
#include <stdio.h>

typedef struct local_reader {
    fil_hdf5_read *file;
    int dim, contacts;
    fil_io_fclib_matrix W;
    int *seen;     // [contacts] the last block column that touched this block row, + 1
    int64_t *next; // [contacts] where the row's next block goes, then where its latest block lies, + 1
} local_reader;

// Equality constraints are another problem: V, R and s must be empty.
static fil_status refuse_constraints(fil_hdf5_read *file)
{
    static const char *const names[] = {"/fclib_local/V/n", "/fclib_local/R/n", "/fclib_local/vectors/s"};
    for (int k = 0; k < 3; ++k) {
        fil_hdf5_object set;
        bool found;
        int size = 0;
        fil_status status = fil_hdf5_read_find(file, names[k], &set, &found);
        if (status != FIL_OK)
            return status;
        if (found && set.kind == FIL_HDF5_INTEGER && set.count == 1) {
            if ((status = fil_hdf5_read_integers(file, &set, 0, 1, &size)) != FIL_OK)
                return status;
        } else if (found) {
            size = set.count > 0;
        }
        if (size != 0)
            return fil_context_fail(file->context, FIL_BAD_INPUT,
                                    "%s: /fclib_local: has equality constraints (V, R, s), which are not supported",
                                    file->name);
    }
    return FIL_OK;
}

static fil_status read_sizes(local_reader *self)
{
    fil_hdf5_read *file = self->file;
    int rows, columns;
    fil_status status = fil_io_fclib_sparse_integer(file, "/fclib_local", "spacedim", &self->dim);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_sizes(file, "/fclib_local/W", &rows, &columns);
    if (status != FIL_OK)
        return status;
    if (self->dim != 2 && self->dim != 3)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: /fclib_local/spacedim: must be 2 or 3 (got %d)",
                                file->name, self->dim);
    if (rows != columns)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: /fclib_local/W: must be square (is %d × %d)",
                                file->name, rows, columns);
    if (rows % self->dim != 0 || rows / self->dim > INT_MAX / 3)
        return fil_context_fail(file->context, FIL_BAD_INPUT,
                                "%s: /fclib_local/W: the number of rows must be a multiple of %d (is %d)", file->name,
                                self->dim, rows);
    self->contacts = rows / self->dim;
    return FIL_OK;
}

// First pass: next[i] becomes the number of blocks of row i.
static fil_status count_blocks(local_reader *self, int64_t *total)
{
    *total = 0;
    for (int j = 0; j < self->contacts; ++j) {
        const int *row;
        int first = j * self->dim, last = first + self->dim;
        fil_status status = fil_io_fclib_sparse_slice(self->file, &self->W, first, last, &row, NULL);
        if (status != FIL_OK)
            return status;
        self->seen[j] = j + 1;
        ++self->next[j];
        ++*total;
        for (int k = 0; k < self->W.start[last] - self->W.start[first]; ++k) {
            int i = row[k] / self->dim;
            *total += self->seen[i] != j + 1;
            self->next[i] += self->seen[i] != j + 1;
            self->seen[i] = j + 1;
        }
    }
    return FIL_OK;
}

// The block (i, j) of the problem, entered when it is met for the first time in this block column.
static double *block_at(local_reader *self, fil_contact_problem *problem, int i, int j)
{
    if (self->seen[i] != j + 1) {
        self->seen[i] = j + 1;
        problem->W.column[self->next[i]++] = j;
    }
    return problem->W.value + 9 * (self->next[i] - 1);
}

// Second pass. A planar contact gets an idle second tangent, as stiff as the two directions it has on average.
static fil_status fill_blocks(local_reader *self, fil_contact_problem *problem)
{
    int dim = self->dim;
    int64_t sum = 0;
    for (int i = 0; i < self->contacts; ++i) {
        int64_t count = self->next[i];
        self->next[i] = problem->W.start[i] = sum;
        self->seen[i] = 0;
        sum += count;
    }
    problem->W.start[self->contacts] = sum;
    for (int j = 0; j < self->contacts; ++j) {
        const int *row;
        const double *value;
        int k = 0;
        fil_status status = fil_io_fclib_sparse_slice(self->file, &self->W, j * dim, (j + 1) * dim, &row, &value);
        if (status != FIL_OK)
            return status;
        double *diagonal = block_at(self, problem, j, j);
        for (int c = 0; c < dim; ++c)
            for (int end = self->W.start[j * dim + c + 1] - self->W.start[j * dim]; k < end; ++k)
                fil_io_fclib_add(&block_at(self, problem, row[k] / dim, j)[3 * c + row[k] % dim], value[k]);
        if (dim == 2)
            diagonal[8] = 0.5 * (diagonal[0] + diagonal[4]);
    }
    return FIL_OK;
}

// mu and q; a planar q gets a zero in the second tangent.
static fil_status read_vectors(local_reader *self, fil_arena *scratch, fil_contact_problem *problem)
{
    int64_t n = self->contacts;
    double *q = FIL_ARENA_ARRAY(scratch, double, n * self->dim);
    if (!q)
        return FIL_NO_MEMORY;
    fil_status status = fil_io_fclib_sparse_reals(self->file, "/fclib_local/vectors", "q", n * self->dim, q);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_reals(self->file, "/fclib_local/vectors", "mu", n, problem->mu);
    for (int64_t i = 0; i < n; ++i)
        for (int k = 0; k < self->dim; ++k)
            problem->q[3 * i + k] = q[i * self->dim + k];
    return status;
}

fil_status fil_io_fclib_local_read(fil_hdf5_read *file, fil_arena *scratch, fil_contact_problem **out)
{
    local_reader self = {.file = file};
    fil_hdf5_object q, mu;
    fil_status status = refuse_constraints(file);
    if (status == FIL_OK)
        status = read_sizes(&self);

    // The vectors bound the number of contacts by the size of the file, before anything is allocated.
    int64_t n = self.contacts, blocks = 0;
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, "/fclib_local/vectors", "q", FIL_HDF5_REAL, n * self.dim, &q);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, "/fclib_local/vectors", "mu", FIL_HDF5_REAL, n, &mu);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_open(file, "/fclib_local/W", self.dim, scratch, &self.W);
    if (status != FIL_OK)
        return status;
    self.seen = FIL_ARENA_ARRAY(scratch, int, n);
    self.next = FIL_ARENA_ARRAY(scratch, int64_t, n);
    if (!self.seen || !self.next)
        return FIL_NO_MEMORY;
    if ((status = count_blocks(&self, &blocks)) != FIL_OK)
        return status;

    if ((status = fil_contact_problem_create_dual(file->context, self.contacts, blocks, out)) != FIL_OK)
        return status;
    (*out)->file_dim = self.dim;
    status = fill_blocks(&self, *out);
    return status == FIL_OK ? read_vectors(&self, scratch, *out) : status;
}
