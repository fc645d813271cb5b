// Writes the part of HDF5 that FCLIB files use. See hdf5_write.c.
#ifndef FIL_IO_HDF5_WRITE_H
#define FIL_IO_HDF5_WRITE_H

#include <stdio.h>

#include "base/file.h"

enum { FIL_HDF5_WRITE_MEMBERS = 8, FIL_HDF5_WRITE_DEPTH = 4, FIL_HDF5_WRITE_NAME = 24 };

typedef struct fil_hdf5_member {
    char name[FIL_HDF5_WRITE_NAME];
    uint64_t header;     // where its object header lies
    uint64_t tree, heap; // of a group; zero for a dataset
} fil_hdf5_member;

// A file in the making. The first failure is remembered and everything after it does nothing, so that the calls that
// write a file need no checks: fil_hdf5_write_commit tells how it went.
typedef struct fil_hdf5_write {
    fil_context *context;
    const char *path;
    char temporary[FIL_PATH_MAX];
    FILE *file;
    fil_status status;
    uint64_t at;      // bytes written so far
    uint64_t pending; // bytes of the current dataset still to come
    struct {
        char name[FIL_HDF5_WRITE_NAME];
        fil_hdf5_member member[FIL_HDF5_WRITE_MEMBERS];
        int count;
    } group[FIL_HDF5_WRITE_DEPTH];
    int depth;
} fil_hdf5_write;

fil_status fil_hdf5_write_open(fil_context *context, const char *path, fil_hdf5_write *out);
// The file appears under its name, whole, or not at all.
fil_status fil_hdf5_write_commit(fil_hdf5_write *out);
void fil_hdf5_write_cancel(fil_hdf5_write *out);

void fil_hdf5_write_group(fil_hdf5_write *out, const char *name);
void fil_hdf5_write_end(fil_hdf5_write *out); // closes the group

// A dataset in one call, or announced with its length and then given in pieces.
void fil_hdf5_write_integers(fil_hdf5_write *out, const char *name, const int *values, int64_t count);
void fil_hdf5_write_reals(fil_hdf5_write *out, const char *name, const double *values, int64_t count);
void fil_hdf5_write_string(fil_hdf5_write *out, const char *name, const char *text);
void fil_hdf5_write_begin_integers(fil_hdf5_write *out, const char *name, int64_t count);
void fil_hdf5_write_begin_reals(fil_hdf5_write *out, const char *name, int64_t count);
void fil_hdf5_write_more_integers(fil_hdf5_write *out, const int *values, int64_t count);
void fil_hdf5_write_more_reals(fil_hdf5_write *out, const double *values, int64_t count);

#endif
