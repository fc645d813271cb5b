// Datasets and sparse matrices of FCLIB files, with every number that comes from the file checked before it is used.
//
// A matrix is the group {m, n, nz, nzmax, p, i, x}: nz = -1 compressed columns, -2 compressed rows, >= 0 triplets (p
// rows, i columns). Whatever the form, the rest of the reader sees compressed columns. Those of the file stay in the
// file and are read slice by slice: the memory is what the problem itself needs, plus one slice. The two other forms
// are sorted by column in memory, O(entries), order within a column kept.
#include "io/io_fclib.h"

#include <math.h>
#include <stdio.h>

static fil_status wrong_count(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t count)
{
    return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: must have %lld elements (has %lld)", file->name,
                            set->path, (long long)count, (long long)set->count);
}

fil_status fil_io_fclib_sparse_any(fil_hdf5_read *file, const char *group, const char *name, fil_hdf5_kind kind,
                                   fil_hdf5_object *set, bool *found)
{
    static const char *const wanted[] = {"a group", "a dataset of integers", "a dataset of floating-point numbers",
                                         "a string"};
    char path[96];
    snprintf(path, sizeof path, "%s/%s", group, name);
    fil_status status = fil_hdf5_read_find(file, path, set, found);
    if (status != FIL_OK || !*found)
        return status;
    if (set->kind != kind)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: must be %s", file->name, path, wanted[kind]);
    return FIL_OK;
}

fil_status fil_io_fclib_sparse_set(fil_hdf5_read *file, const char *group, const char *name, fil_hdf5_kind kind,
                                   int64_t count, fil_hdf5_object *set)
{
    bool found;
    fil_status status = fil_io_fclib_sparse_any(file, group, name, kind, set, &found);
    if (status != FIL_OK)
        return status;
    if (!found && count > 0)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s/%s: is missing", file->name, group, name);
    if (!found)
        *set = (fil_hdf5_object){.kind = kind, .element_size = 4};
    else if (set->count != count)
        return wrong_count(file, set, count);
    return FIL_OK;
}

fil_status fil_io_fclib_sparse_integer(fil_hdf5_read *file, const char *group, const char *name, int *value)
{
    fil_hdf5_object set;
    fil_status status = fil_io_fclib_sparse_set(file, group, name, FIL_HDF5_INTEGER, 1, &set);
    return status == FIL_OK ? fil_hdf5_read_integers(file, &set, 0, 1, value) : status;
}

static fil_status check_finite(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, const double *values,
                               int64_t count)
{
    for (int64_t k = 0; k < count; ++k)
        if (!isfinite(values[k]))
            return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s[%lld]: must be a finite number (got %g)",
                                    file->name, set->path, (long long)(first + k), values[k]);
    return FIL_OK;
}

fil_status fil_io_fclib_sparse_reals(fil_hdf5_read *file, const char *group, const char *name, int64_t count,
                                     double *out)
{
    fil_hdf5_object set;
    fil_status status = fil_io_fclib_sparse_set(file, group, name, FIL_HDF5_REAL, count, &set);
    if (status == FIL_OK)
        status = fil_hdf5_read_reals(file, &set, 0, count, out);
    return status == FIL_OK ? check_finite(file, &set, 0, out, count) : status;
}

fil_status fil_io_fclib_sparse_sizes(fil_hdf5_read *file, const char *group, int *rows, int *columns)
{
    fil_hdf5_object object;
    bool found;
    fil_status status = fil_hdf5_read_find(file, group, &object, &found);
    if (status == FIL_OK && !found)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: is missing", file->name, group);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_integer(file, group, "m", rows);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_integer(file, group, "n", columns);
    if (status == FIL_OK && (*rows < 0 || *columns < 0))
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s: has the impossible size %d × %d", file->name,
                                group, *rows, *columns);
    return status;
}

// ---- the two steps of every form: pointers, entries

// p of a compressed matrix: from 0, never falling, at most `entries` at the end. It may be absent when there are none.
static fil_status read_start(fil_hdf5_read *file, const char *group, int majors, int entries, int *start)
{
    fil_hdf5_object set;
    bool found;
    fil_status status = fil_io_fclib_sparse_any(file, group, "p", FIL_HDF5_INTEGER, &set, &found);
    if (status != FIL_OK)
        return status;
    if (!found || (set.count == 0 && majors == 0)) {
        if (majors == 0)
            return FIL_OK;
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s/p: is missing", file->name, group);
    }
    if (set.count != (int64_t)majors + 1)
        return wrong_count(file, &set, (int64_t)majors + 1);
    if ((status = fil_hdf5_read_integers(file, &set, 0, set.count, start)) != FIL_OK)
        return status;
    if (start[0] != 0)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s[0]: must be 0 (got %d)", file->name, set.path,
                                start[0]);
    for (int k = 0; k < majors; ++k)
        if (start[k + 1] < start[k] || start[k + 1] > entries)
            return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s[%d]: must be from %d to %d (got %d)",
                                    file->name, set.path, k + 1, start[k], entries, start[k + 1]);
    return FIL_OK;
}

// Indices [first, first + count) of a dataset, each from 0 to `limit` - 1.
static fil_status read_indices(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count, int limit,
                               int *out)
{
    fil_status status = fil_hdf5_read_integers(file, set, first, count, out);
    for (int64_t k = 0; status == FIL_OK && k < count; ++k)
        if (out[k] < 0 || out[k] >= limit)
            return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s[%lld]: must be from 0 to %d (got %d)",
                                    file->name, set->path, (long long)(first + k), limit - 1, out[k]);
    return status;
}

static fil_status read_values(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                              double *out)
{
    fil_status status = fil_hdf5_read_reals(file, set, first, count, out);
    return status == FIL_OK ? check_finite(file, set, first, out, count) : status;
}

// ---- the forms

// Compressed columns: nothing to turn round; make room for the longest slice of `unit` columns.
static fil_status open_columns(fil_hdf5_read *file, int unit, int entries, fil_arena *scratch,
                               fil_io_fclib_matrix *matrix)
{
    fil_status status = read_start(file, matrix->group, matrix->columns, entries, matrix->start);
    if (status != FIL_OK)
        return status;
    int longest = 0;
    for (int64_t k = 0; k < matrix->columns; k += unit) {
        int64_t last = k + unit < matrix->columns ? k + unit : matrix->columns;
        int length = matrix->start[last] - matrix->start[k];
        longest = length > longest ? length : longest;
    }
    matrix->slice_row = FIL_ARENA_ARRAY(scratch, int, longest);
    matrix->slice_value = FIL_ARENA_ARRAY(scratch, double, longest);
    return matrix->slice_row && matrix->slice_value ? FIL_OK : FIL_NO_MEMORY;
}

// Entries given by (row, column), sorted by column into the matrix.
static fil_status sort_by_column(const int *row, const int *column, const double *value, int entries,
                                 fil_arena *scratch, fil_io_fclib_matrix *matrix)
{
    int *next = FIL_ARENA_ARRAY(scratch, int, (int64_t)matrix->columns + 1);
    matrix->row = FIL_ARENA_ARRAY(scratch, int, entries);
    matrix->value = FIL_ARENA_ARRAY(scratch, double, entries);
    if (!next || !matrix->row || !matrix->value)
        return FIL_NO_MEMORY;
    for (int k = 0; k < entries; ++k)
        ++matrix->start[column[k] + 1];
    for (int j = 0; j < matrix->columns; ++j) {
        matrix->start[j + 1] += matrix->start[j];
        next[j] = matrix->start[j];
    }
    for (int k = 0; k < entries; ++k) {
        int to = next[column[k]]++;
        matrix->row[to] = row[k];
        matrix->value[to] = value[k];
    }
    return FIL_OK;
}

// Compressed rows (nz = -2) and triplets.
static fil_status open_turned(fil_hdf5_read *file, int nz, int entries, fil_arena *scratch, fil_io_fclib_matrix *matrix)
{
    fil_hdf5_object row_set;
    fil_status status = FIL_OK;
    int *first = NULL;
    if (nz == -2) {
        if (!(first = FIL_ARENA_ARRAY(scratch, int, (int64_t)matrix->rows + 1)))
            return FIL_NO_MEMORY;
        if ((status = read_start(file, matrix->group, matrix->rows, entries, first)) != FIL_OK)
            return status;
        entries = first[matrix->rows];
    } else {
        entries = nz;
        status = fil_io_fclib_sparse_set(file, matrix->group, "p", FIL_HDF5_INTEGER, nz, &row_set);
        if (status != FIL_OK)
            return status;
    }
    int *row = FIL_ARENA_ARRAY(scratch, int, entries), *column = FIL_ARENA_ARRAY(scratch, int, entries);
    double *value = FIL_ARENA_ARRAY(scratch, double, entries);
    if (!row || !column || !value)
        return FIL_NO_MEMORY;
    if (nz == -2)
        for (int i = 0; i < matrix->rows; ++i)
            for (int k = first[i]; k < first[i + 1]; ++k)
                row[k] = i;
    else
        status = read_indices(file, &row_set, 0, entries, matrix->rows, row);
    if (status == FIL_OK)
        status = read_indices(file, &matrix->row_set, 0, entries, matrix->columns, column);
    if (status == FIL_OK)
        status = read_values(file, &matrix->value_set, 0, entries, value);
    return status == FIL_OK ? sort_by_column(row, column, value, entries, scratch, matrix) : status;
}

fil_status fil_io_fclib_sparse_open(fil_hdf5_read *file, const char *group, int unit, fil_arena *scratch,
                                    fil_io_fclib_matrix *matrix)
{
    *matrix = (fil_io_fclib_matrix){.group = group};
    int nz, entries;
    fil_status status = fil_io_fclib_sparse_sizes(file, group, &matrix->rows, &matrix->columns);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_integer(file, group, "nz", &nz);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_integer(file, group, "nzmax", &entries);
    if (status != FIL_OK)
        return status;
    if (nz < -2)
        return fil_context_fail(file->context, FIL_BAD_INPUT,
                                "%s: %s/nz: must be -1 (columns), -2 (rows) or the number of triplets (got %d)",
                                file->name, group, nz);
    if (entries < 0 || nz > entries)
        return fil_context_fail(file->context, FIL_BAD_INPUT, "%s: %s/nzmax: must be at least %d (got %d)", file->name,
                                group, nz > 0 ? nz : 0, entries);

    // The arrays lie in the file, so their lengths bound all that is allocated from here on.
    status = fil_io_fclib_sparse_set(file, group, "x", FIL_HDF5_REAL, entries, &matrix->value_set);
    if (status == FIL_OK)
        status = fil_io_fclib_sparse_set(file, group, "i", FIL_HDF5_INTEGER, nz < 0 ? entries : nz, &matrix->row_set);
    if (status != FIL_OK)
        return status;
    matrix->start = FIL_ARENA_ARRAY(scratch, int, (int64_t)matrix->columns + 1);
    if (!matrix->start)
        return FIL_NO_MEMORY;
    return nz == -1 ? open_columns(file, unit, entries, scratch, matrix)
                    : open_turned(file, nz, entries, scratch, matrix);
}

fil_status fil_io_fclib_sparse_slice(fil_hdf5_read *file, const fil_io_fclib_matrix *matrix, int first, int last,
                                     const int **row, const double **value)
{
    int from = matrix->start[first], count = matrix->start[last] - from;
    if (matrix->row) {
        *row = matrix->row + from;
        if (value)
            *value = matrix->value + from;
        return FIL_OK;
    }
    *row = matrix->slice_row;
    fil_status status = read_indices(file, &matrix->row_set, from, count, matrix->rows, matrix->slice_row);
    if (!value || status != FIL_OK)
        return status;
    *value = matrix->slice_value;
    return read_values(file, &matrix->value_set, from, count, matrix->slice_value);
}
