// A strict reader of the part of HDF5 that FCLIB files use. See hdf5_read.c.
#ifndef FIL_IO_HDF5_READ_H
#define FIL_IO_HDF5_READ_H

#include "base/context.h"

enum { FIL_HDF5_READ_WINDOW = 1 << 15 };

// A piece of the file that has been read already.
typedef struct fil_hdf5_window {
    uint64_t start, size;
    unsigned char bytes[FIL_HDF5_READ_WINDOW];
} fil_hdf5_window;

// An open file, or bytes in memory. Filled by fil_hdf5_read_open*; `name` stands at the head of every sentence.
typedef struct fil_hdf5_read {
    fil_context *context;
    const char *name;
    int descriptor;             // -1: the bytes are in memory
    const unsigned char *bytes; // used when descriptor is -1
    uint64_t size;
    uint64_t root;             // where the object header of "/" lies
    fil_hdf5_window window[2]; // two, because the indices and the values of a matrix are read in turn
    int latest;                // the window used last
} fil_hdf5_read;

typedef enum fil_hdf5_kind { FIL_HDF5_GROUP, FIL_HDF5_INTEGER, FIL_HDF5_REAL, FIL_HDF5_STRING } fil_hdf5_kind;

// One object of the file: a group, or a dataset whose bytes are known to lie within the file.
typedef struct fil_hdf5_object {
    char path[96]; // for sentences: "/fclib_local/W/p"
    fil_hdf5_kind kind;
    int element_size; // bytes
    bool is_signed;
    int64_t count;       // elements
    uint64_t address;    // of the first element
    uint64_t tree, heap; // of a group
} fil_hdf5_object;

fil_status fil_hdf5_read_open(fil_context *context, const char *path, fil_hdf5_read *file);
fil_status fil_hdf5_read_open_bytes(fil_context *context, const char *name, const void *bytes, size_t size,
                                    fil_hdf5_read *file);
void fil_hdf5_read_close(fil_hdf5_read *file);

// Looks up "/group/.../name". A missing object is no failure: *found tells. Only a damaged or foreign file fails.
fil_status fil_hdf5_read_find(fil_hdf5_read *file, const char *path, fil_hdf5_object *object, bool *found);

// Elements [first, first + count) of a dataset; the caller has checked kind and range. Integers must fit 32 bits.
fil_status fil_hdf5_read_integers(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                                  int *out);
fil_status fil_hdf5_read_reals(fil_hdf5_read *file, const fil_hdf5_object *set, int64_t first, int64_t count,
                               double *out);
// The first string of a dataset, cut to `size` - 1 characters and always closed by a zero.
fil_status fil_hdf5_read_string(fil_hdf5_read *file, const fil_hdf5_object *set, char *out, size_t size);

#endif
