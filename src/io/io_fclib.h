// FCLIB files: what the parts of io_fclib*.c share.
#ifndef FIL_IO_FCLIB_H
#define FIL_IO_FCLIB_H

#include "base/arena.h"
#include "io/hdf5_read.h"

// ---- io_fclib_sparse.c: datasets and sparse matrices, checked

// A dataset of that kind with exactly `count` elements. It may be absent when count is 0.
fil_status fil_io_fclib_sparse_set(fil_hdf5_read *file, const char *group, const char *name, fil_hdf5_kind kind,
                                   int64_t count, fil_hdf5_object *set);
// The same with any number of elements: read the count from the object.
fil_status fil_io_fclib_sparse_any(fil_hdf5_read *file, const char *group, const char *name, fil_hdf5_kind kind,
                                   fil_hdf5_object *set, bool *found);
fil_status fil_io_fclib_sparse_integer(fil_hdf5_read *file, const char *group, const char *name, int *value);
// All elements of a dataset of exactly `count` finite numbers.
fil_status fil_io_fclib_sparse_reals(fil_hdf5_read *file, const char *group, const char *name, int64_t count,
                                     double *out);

// A sparse matrix by compressed columns. Its entries stay in the file and come in slices, so that a large matrix is
// never held twice; matrices stored by rows or as triplets are turned round in memory.
typedef struct fil_io_fclib_matrix {
    const char *group; // "/fclib_local/W"
    int rows, columns;
    int *start; // [columns + 1]
    int *row;   // all entries, or NULL: read them slice by slice
    double *value;
    fil_hdf5_object row_set, value_set;
    int *slice_row; // room for the longest slice
    double *slice_value;
} fil_io_fclib_matrix;

// Sizes only: nothing that they promise has been compared with the file yet.
fil_status fil_io_fclib_sparse_sizes(fil_hdf5_read *file, const char *group, int *rows, int *columns);
// Everything but the entries; `unit` neighbouring columns will be asked for at a time.
fil_status fil_io_fclib_sparse_open(fil_hdf5_read *file, const char *group, int unit, fil_arena *scratch,
                                    fil_io_fclib_matrix *matrix);
// The entries of columns [first, last): rows and, unless NULL, values; both checked. Valid until the next call.
fil_status fil_io_fclib_sparse_slice(fil_hdf5_read *file, const fil_io_fclib_matrix *matrix, int first, int last,
                                     const int **row, const double **value);

// Adds to a number that may not have been set yet: a single entry keeps its bits, minus zero included.
static inline void fil_io_fclib_add(double *to, double value)
{
    *to = *to == 0 ? value : *to + value;
}

// ---- io_fclib_local.c, io_fclib_global.c: one view each

fil_status fil_io_fclib_local_read(fil_hdf5_read *file, fil_arena *scratch, fil_contact_problem **out);
fil_status fil_io_fclib_global_read(fil_hdf5_read *file, fil_arena *scratch, fil_contact_problem **out);

// ---- io_fclib.c

// A file that lies in memory; `name` stands for its path in sentences. Also the way in for the fuzzer.
fil_status fil_io_fclib_read_bytes(fil_context *context, const char *name, const void *bytes, size_t size,
                                   fil_contact_problem **out);

#endif
