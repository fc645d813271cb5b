// A contact problem file in pieces that a test can spoil one at a time, written with the library's own HDF5 writer.
#ifndef FIL_TEST_FCLIB_PLAN_H
#define FIL_TEST_FCLIB_PLAN_H

#include "io/hdf5_write.h"

#include <string.h>

enum { PLAN_ROOM = 64 };

typedef struct plan_matrix {
    const char *name;
    bool absent, no_p, no_i, no_x, real_p, integer_x;
    int m, n, nz, nzmax;
    int p[PLAN_ROOM], i[PLAN_ROOM];
    double x[PLAN_ROOM];
    int p_count, i_count, x_count;
} plan_matrix;

typedef struct plan_vector {
    const char *name;
    bool absent, integer, group;
    double x[PLAN_ROOM];
    int count;
} plan_vector;

typedef struct plan {
    const char *group;
    bool no_spacedim;
    int spacedim;
    plan_matrix matrix[3];
    int matrix_count;
    plan_vector vector[4];
    int vector_count;
    bool no_vectors;
} plan;

// Dense blocks of two contacts: W = [A B; Bᵀ C] with an unsymmetric touch, entries that tell where they belong.
static inline void plan_fill_columns(plan_matrix *W, int rows, int columns)
{
    *W = (plan_matrix){.name = W->name, .m = rows, .n = columns, .nz = -1, .nzmax = rows * columns};
    W->p_count = columns + 1;
    W->i_count = W->x_count = rows * columns;
    for (int j = 0; j < columns; ++j) {
        W->p[j + 1] = (j + 1) * rows;
        for (int i = 0; i < rows; ++i) {
            W->i[j * rows + i] = i;
            W->x[j * rows + i] = (i == j ? 10 : 0) + 0.1 * i + 0.01 * j;
        }
    }
}

static inline plan plan_local(int dim)
{
    plan self = {.group = "fclib_local", .spacedim = dim, .matrix_count = 1, .vector_count = 2};
    self.matrix[0].name = "W";
    plan_fill_columns(&self.matrix[0], 2 * dim, 2 * dim);
    self.vector[0] = (plan_vector){.name = "mu", .x = {0.5, 0.25}, .count = 2};
    self.vector[1] = (plan_vector){.name = "q", .x = {-1, 2, 3, -4, 5, 6}, .count = 2 * dim};
    return self;
}

// One contact of two bodies with two and one dofs.
static inline plan plan_global(void)
{
    plan self = {.group = "fclib_global", .spacedim = 3, .matrix_count = 2, .vector_count = 3};
    self.matrix[0] = (plan_matrix){.name = "M",
                                   .m = 3,
                                   .n = 3,
                                   .nz = -1,
                                   .nzmax = 5,
                                   .p = {0, 2, 4, 5},
                                   .i = {0, 1, 0, 1, 2},
                                   .x = {4, 1, 1, 3, 2},
                                   .p_count = 4,
                                   .i_count = 5,
                                   .x_count = 5};
    self.matrix[1] = (plan_matrix){.name = "H",
                                   .m = 3,
                                   .n = 3,
                                   .nz = -1,
                                   .nzmax = 5,
                                   .p = {0, 2, 3, 5},
                                   .i = {0, 2, 1, 1, 2},
                                   .x = {1, -1, 1.5, 2, 2.5},
                                   .p_count = 4,
                                   .i_count = 5,
                                   .x_count = 5};
    self.vector[0] = (plan_vector){.name = "mu", .x = {0.5}, .count = 1};
    self.vector[1] = (plan_vector){.name = "f", .x = {1, 2, 3}, .count = 3};
    self.vector[2] = (plan_vector){.name = "w", .x = {-1, 0.5, 0.25}, .count = 3};
    return self;
}

static inline void plan_write_matrix(fil_hdf5_write *out, const plan_matrix *W)
{
    if (W->absent)
        return;
    fil_hdf5_write_group(out, W->name);
    fil_hdf5_write_integers(out, "m", &W->m, 1);
    fil_hdf5_write_integers(out, "n", &W->n, 1);
    fil_hdf5_write_integers(out, "nz", &W->nz, 1);
    fil_hdf5_write_integers(out, "nzmax", &W->nzmax, 1);
    if (W->real_p)
        fil_hdf5_write_reals(out, "p", W->x, W->p_count);
    else if (!W->no_p)
        fil_hdf5_write_integers(out, "p", W->p, W->p_count);
    if (!W->no_i)
        fil_hdf5_write_integers(out, "i", W->i, W->i_count);
    if (W->integer_x)
        fil_hdf5_write_integers(out, "x", W->i, W->x_count);
    else if (!W->no_x)
        fil_hdf5_write_reals(out, "x", W->x, W->x_count);
    fil_hdf5_write_end(out);
}

static inline fil_status plan_write(fil_context *context, const plan *self, const char *path)
{
    fil_hdf5_write out;
    fil_status status = fil_hdf5_write_open(context, path, &out);
    if (status != FIL_OK)
        return status;
    fil_hdf5_write_group(&out, self->group);
    if (!self->no_spacedim)
        fil_hdf5_write_integers(&out, "spacedim", &self->spacedim, 1);
    for (int k = 0; k < self->matrix_count; ++k)
        plan_write_matrix(&out, &self->matrix[k]);
    if (!self->no_vectors) {
        fil_hdf5_write_group(&out, "vectors");
        for (int k = 0; k < self->vector_count; ++k) {
            const plan_vector *v = &self->vector[k];
            if (v->group) {
                fil_hdf5_write_group(&out, v->name);
                fil_hdf5_write_end(&out);
            } else if (v->integer) {
                fil_hdf5_write_integers(&out, v->name, (int[PLAN_ROOM]){0}, v->count);
            } else if (!v->absent) {
                fil_hdf5_write_reals(&out, v->name, v->x, v->count);
            }
        }
        fil_hdf5_write_end(&out);
    }
    fil_hdf5_write_group(&out, "info");
    fil_hdf5_write_string(&out, "title", "a plan");
    fil_hdf5_write_end(&out);
    fil_hdf5_write_end(&out);
    return fil_hdf5_write_commit(&out);
}

#endif
