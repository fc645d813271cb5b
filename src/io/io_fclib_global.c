// FCLIB's global problem, M v = H r + f, u = Hᵀ v + w: the primal view (A = M, b = f; the file's H is the transpose of
// ours).
//
// Bodies are not in the file; they are found in M: the shortest runs of dofs that no non-zero entry leaves. Each body
// is stored as a band as wide as its farthest entry. A contact has one side per body that its columns of H touch, with
// the dofs from the first to the last non-zero.
//
// Limits: M must be symmetric to 1e-10 of the body's largest entry, because only half of it is kept (the lower one). A
// few entries far apart could ask for bands of any size; more than 64 numbers per stored entry and 1 GB is refused.
#include "io/io_fclib.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double symmetry_tolerance = 1e-10;

typedef struct global_reader {
    fil_hdf5_read *file;
    fil_arena *scratch;
    int dim, contacts, dofs;
    fil_io_fclib_matrix M, H;

    int bodies;
    int *body_of;            // [dofs]
    int *dof_start;          // [bodies + 1]
    int *bandwidth;          // [bodies]
    int64_t matrix_values;   // of all bands
    int64_t jacobian_values; // of all sides
    int sides;

    // The sides of the contact at hand.
    int *touched;    // [bodies] bodies in ascending order
    int *low, *high; // [bodies] first and last dof
    int *seen;       // [bodies] the last contact that touched this body, + 1
} global_reader;

static fil_status refuse_constraints(fil_hdf5_read *file)
{
    fil_hdf5_object set;
    bool found;
    int columns = 0;
    fil_status status = fil_hdf5_read_find(file, "/fclib_global/G", &set, &found);
    if (status == FIL_OK && found)
        status = fil_io_fclib_sparse_integer(file, "/fclib_global/G", "n", &columns);
    if (status == FIL_OK && columns == 0) {
        status = fil_hdf5_read_find(file, "/fclib_global/vectors/b", &set, &found);
        columns = status == FIL_OK && found && set.count > 0;
    }
    if (status == FIL_OK && columns != 0)
        return fil_context_fail(file->context, FIL_BAD_INPUT,
                                "%s: /fclib_global: has equality constraints (G, b), which are not supported",
                                file->name);
    return status;
}

static fil_status check_sizes(global_reader *self, int rows, int columns, int jacobian_rows, int jacobian_columns)
{
    fil_context *context = self->file->context;
    const char *name = self->file->name;
    if (self->dim != 2 && self->dim != 3)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: /fclib_global/spacedim: must be 2 or 3 (got %d)", name,
                                self->dim);
    if (rows != columns)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: /fclib_global/M: must be square (is %d × %d)", name, rows,
                                columns);
    if (jacobian_rows != rows)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: /fclib_global/H: must have as many rows as M: %d (has %d)",
                                name, rows, jacobian_rows);
    if (jacobian_columns % self->dim != 0 || jacobian_columns / self->dim > INT_MAX / 3)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%s: /fclib_global/H: the number of columns must be a multiple of %d (is %d)", name,
                                self->dim, jacobian_columns);
    self->dofs = rows;
    self->contacts = jacobian_columns / self->dim;
    return FIL_OK;
}

// Sizes, and the vectors that bound them by the size of the file before anything is allocated.
static fil_status read_sizes(global_reader *self)
{
    fil_hdf5_read *file = self->file;
    static const char vectors[] = "/fclib_global/vectors";
    fil_hdf5_object set;
    int m, n, hm, hn;
    fil_status status = fil_io_fclib_sparse_integer(file, "/fclib_global", "spacedim", &self->dim);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_sizes(file, "/fclib_global/M", &m, &n);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_sizes(file, "/fclib_global/H", &hm, &hn);
    if (status == FIL_OK)
        status = check_sizes(self, m, n, hm, hn);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, vectors, "f", FIL_HDF5_REAL, self->dofs, &set);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, vectors, "w", FIL_HDF5_REAL, (int64_t)self->contacts * self->dim, &set);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, vectors, "mu", FIL_HDF5_REAL, self->contacts, &set);
    return status;
}

// ---- M

// First pass over M: how far each dof reaches, hence where bodies end and how wide their bands are.
static fil_status find_bodies(global_reader *self)
{
    int n = self->dofs;
    self->body_of = FIL_ARENA_ARRAY(self->scratch, int, n);
    self->dof_start = FIL_ARENA_ARRAY(self->scratch, int, (int64_t)n + 1);
    self->bandwidth = FIL_ARENA_ARRAY(self->scratch, int, n);
    int *reach = FIL_ARENA_ARRAY(self->scratch, int, n);  // the highest dof coupled with this one or a lower one ...
    int *spread = FIL_ARENA_ARRAY(self->scratch, int, n); // ... and how far it is
    if (!self->body_of || !self->dof_start || !self->bandwidth || !reach || !spread)
        return FIL_NO_MEMORY;
    for (int j = 0; j < n; ++j) {
        const int *row;
        const double *value;
        fil_status status = fil_io_fclib_sparse_slice(self->file, &self->M, j, j + 1, &row, &value);
        if (status != FIL_OK)
            return status;
        for (int k = 0; k < self->M.start[j + 1] - self->M.start[j]; ++k) {
            int low = row[k] < j ? row[k] : j, high = row[k] < j ? j : row[k];
            if (value[k] == 0)
                continue;
            reach[low] = high > reach[low] ? high : reach[low];
            spread[low] = high - low > spread[low] ? high - low : spread[low];
        }
    }
    // A body ends at the first dof beyond which none of its dofs reaches.
    int farthest = 0, widest = 0;
    for (int j = 0; j < n; ++j) {
        farthest = reach[j] > farthest ? reach[j] : farthest;
        widest = spread[j] > widest ? spread[j] : widest;
        self->body_of[j] = self->bodies;
        if (farthest > j)
            continue;
        int64_t dofs = (int64_t)j + 1 - self->dof_start[self->bodies];
        self->matrix_values += dofs * (widest + 1);
        self->bandwidth[self->bodies] = widest;
        self->dof_start[++self->bodies] = j + 1;
        widest = 0;
    }
    return FIL_OK;
}

// What a file of this size may ask for.
static fil_status check_demand(global_reader *self, const char *matrix, int64_t values, int64_t entries)
{
    if (values <= 64 * entries + ((int64_t)1 << 27))
        return FIL_OK;
    return fil_context_fail(self->file->context, FIL_BAD_INPUT,
                            "%s: /fclib_global/%s: its %lld entries lie so far apart that filum would need %.0f GB",
                            self->file->name, matrix, (long long)entries, 8e-9 * (double)values);
}

// Second pass: the lower half goes to A, the upper one beside it, to be compared.
static fil_status fill_bodies(global_reader *self, fil_contact_problem *problem)
{
    fil_body_matrix *A = &problem->A;
    double *upper = FIL_ARENA_ARRAY(self->scratch, double, self->matrix_values);
    if (!upper)
        return FIL_NO_MEMORY;
    for (int body = 0; body < self->bodies; ++body) {
        int64_t dofs = (int64_t)self->dof_start[body + 1] - self->dof_start[body];
        A->dof_start[body + 1] = self->dof_start[body + 1];
        A->bandwidth[body] = self->bandwidth[body];
        A->value_start[body + 1] = A->value_start[body] + dofs * (self->bandwidth[body] + 1);
    }
    for (int j = 0; j < self->dofs; ++j) {
        const int *row;
        const double *value;
        fil_status status = fil_io_fclib_sparse_slice(self->file, &self->M, j, j + 1, &row, &value);
        if (status != FIL_OK)
            return status;
        int body = self->body_of[j];
        for (int k = 0; k < self->M.start[j + 1] - self->M.start[j]; ++k) {
            int low = row[k] < j ? row[k] : j, high = row[k] < j ? j : row[k];
            if (value[k] == 0)
                continue;
            int64_t at =
                A->value_start[body] + (int64_t)(low - A->dof_start[body]) * (A->bandwidth[body] + 1) + high - low;
            if (row[k] >= j)
                fil_io_fclib_add(&A->value[at], value[k]);
            if (row[k] <= j)
                fil_io_fclib_add(&upper[at], value[k]);
        }
    }
    // Compare within each body: bodies may differ in scale by any factor.
    for (int body = 0; body < self->bodies; ++body) {
        double largest = 0, difference = 0;
        for (int64_t k = A->value_start[body]; k < A->value_start[body + 1]; ++k) {
            largest = fmax(largest, fmax(fabs(A->value[k]), fabs(upper[k])));
            difference = fmax(difference, fabs(A->value[k] - upper[k]));
        }
        if (!(difference <= symmetry_tolerance * largest))
            return fil_context_fail(self->file->context, FIL_BAD_INPUT,
                                    "%s: /fclib_global/M: must be symmetric (dofs %d to %d differ by %.3g, relative)",
                                    self->file->name, self->dof_start[body], self->dof_start[body + 1] - 1,
                                    difference / largest);
    }
    return FIL_OK;
}

// ---- H

static int compare_bodies(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// The bodies that one contact touches and the dofs it moves; returns how many, or -1 with *status set.
static int find_sides(global_reader *self, int contact, const int **row, const double **value, fil_status *status)
{
    int first = contact * self->dim, last = first + self->dim, count = 0;
    *status = fil_io_fclib_sparse_slice(self->file, &self->H, first, last, row, value);
    if (*status != FIL_OK)
        return -1;
    for (int k = 0; k < self->H.start[last] - self->H.start[first]; ++k) {
        int dof = (*row)[k], body = self->body_of[dof];
        if ((*value)[k] == 0)
            continue;
        if (self->seen[body] != contact + 1) {
            self->seen[body] = contact + 1;
            self->low[body] = self->high[body] = dof;
            self->touched[count++] = body;
        }
        self->low[body] = dof < self->low[body] ? dof : self->low[body];
        self->high[body] = dof > self->high[body] ? dof : self->high[body];
    }
    if (count > 1)
        qsort(self->touched, (size_t)count, sizeof *self->touched, compare_bodies);
    return count;
}

static fil_status count_sides(global_reader *self)
{
    int64_t n = self->bodies, sides = 0;
    self->touched = FIL_ARENA_ARRAY(self->scratch, int, n);
    self->low = FIL_ARENA_ARRAY(self->scratch, int, n);
    self->high = FIL_ARENA_ARRAY(self->scratch, int, n);
    self->seen = FIL_ARENA_ARRAY(self->scratch, int, n);
    if (!self->touched || !self->low || !self->high || !self->seen)
        return FIL_NO_MEMORY;
    for (int i = 0; i < self->contacts; ++i) {
        const int *row;
        const double *value;
        fil_status status;
        int count = find_sides(self, i, &row, &value, &status);
        if (count < 0)
            return status;
        sides += count;
        for (int k = 0; k < count; ++k)
            self->jacobian_values += 3 * ((int64_t)self->high[self->touched[k]] - self->low[self->touched[k]] + 1);
    }
    self->sides = (int)sides; // at most one per entry of H
    return FIL_OK;
}

// The file's columns of one contact are the rows of our H.
static fil_status fill_sides(global_reader *self, fil_contact_problem *problem)
{
    fil_contact_jacobian *H = &problem->H;
    for (int b = 0; b < self->bodies; ++b)
        self->seen[b] = 0;
    for (int i = 0; i < self->contacts; ++i) {
        const int *row;
        const double *value;
        fil_status status;
        int count = find_sides(self, i, &row, &value, &status), side = H->side_start[i], k = 0;
        if (count < 0)
            return status;
        for (int s = 0; s < count; ++s, ++side) {
            int body = self->touched[s];
            H->body[side] = body;
            H->first_dof[side] = self->low[body] - self->dof_start[body];
            H->dof_count[side] = self->high[body] - self->low[body] + 1;
            H->value_start[side + 1] = H->value_start[side] + 3 * (int64_t)H->dof_count[side];
            // From here on `high` tells which side of this contact the body is.
            self->high[body] = side;
        }
        H->side_start[i + 1] = side;
        for (int c = 0; c < self->dim; ++c)
            for (int end = self->H.start[i * self->dim + c + 1] - self->H.start[i * self->dim]; k < end; ++k) {
                int body = self->body_of[row[k]];
                if (value[k] == 0)
                    continue;
                double *at = H->value + H->value_start[self->high[body]];
                fil_io_fclib_add(&at[3 * (row[k] - self->low[body]) + c], value[k]);
            }
    }
    return FIL_OK;
}

// f, mu, and w with a zero in the second tangent of planar contacts.
static fil_status read_vectors(global_reader *self, fil_contact_problem *problem)
{
    static const char group[] = "/fclib_global/vectors";
    int64_t n = self->contacts;
    double *w = FIL_ARENA_ARRAY(self->scratch, double, n * self->dim);
    if (!w)
        return FIL_NO_MEMORY;
    fil_status status = fil_io_fclib_sparse_reals(self->file, group, "f", self->dofs, problem->b);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_reals(self->file, group, "w", n * self->dim, w);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_reals(self->file, group, "mu", n, problem->mu);
    for (int64_t i = 0; i < n; ++i)
        for (int k = 0; k < self->dim; ++k)
            problem->w[3 * i + k] = w[i * self->dim + k];
    return status;
}

fil_status fil_io_fclib_global_read(fil_hdf5_read *file, fil_arena *scratch, fil_contact_problem **out)
{
    global_reader self = {.file = file, .scratch = scratch};
    fil_status status = refuse_constraints(file);
    if (status == FIL_OK)
        status = read_sizes(&self);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_open(file, "/fclib_global/M", 1, scratch, &self.M);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_open(file, "/fclib_global/H", self.dim, scratch, &self.H);
    if (status == FIL_OK)
        status = find_bodies(&self);
    if (status == FIL_OK)
        status = check_demand(&self, "M", self.matrix_values, self.M.start[self.M.columns]);
    if (status == FIL_OK)
        status = count_sides(&self);
    if (status == FIL_OK)
        status = check_demand(&self, "H", self.jacobian_values, self.H.start[self.H.columns]);
    if (status != FIL_OK)
        return status;

    status = fil_contact_problem_create_primal(file->context, self.contacts, self.bodies, self.dofs, self.matrix_values,
                                               self.sides, self.jacobian_values, out);
    if (status != FIL_OK)
        return status;
    (*out)->file_dim = self.dim;
    status = fill_bodies(&self, *out);
    if (status == FIL_OK)
        status = fill_sides(&self, *out);
    return status == FIL_OK ? read_vectors(&self, *out) : status;
}
