// Contact problems and solutions in FCLIB's HDF5 layout: the public calls. docs/io/fclib.md describes the format.
//
//     /fclib_local   u = W r + q                       spacedim, W, vectors {q, mu}, info       the dual view
//     /fclib_global  M v = H r + f, u = Hᵀ v + w       spacedim, M, H, vectors {f, w, mu}, info   the primal view
//     /solution      v (global problems only), u, r
//
// Files are read by hdf5_read.c and written by hdf5_write.c, never by the HDF5 library: see there for the reasons.
#include "io/io_fclib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What the file says it is; a file without info has no title.
static fil_status read_title(fil_hdf5_read *file, const char *group, fil_contact_problem *problem)
{
    fil_hdf5_object set;
    bool found;
    char path[96];
    snprintf(path, sizeof path, "%s/info/title", group);
    fil_status status = fil_hdf5_read_find(file, path, &set, &found);
    if (status != FIL_OK || !found || set.kind != FIL_HDF5_STRING)
        return status;
    status = fil_hdf5_read_string(file, &set, problem->title, sizeof problem->title);
    // It is shown on terminals: no control characters.
    for (char *c = problem->title; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    return status;
}

// The rules that all problems obey, wherever they come from; the sentence gets the file's name.
static fil_status check_problem(fil_hdf5_read *file, const fil_contact_problem *problem)
{
    fil_status status = fil_contact_problem_check(file->context, problem);
    if (status != FIL_BAD_INPUT)
        return status;
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", fil_context_error(file->context));
    return fil_context_fail(file->context, status, "%s: %s", file->name, sentence);
}

static fil_status read_problem(fil_hdf5_read *file, fil_contact_problem **out)
{
    fil_hdf5_object object;
    bool local, global;
    *out = NULL;
    fil_status status = fil_hdf5_read_find(file, "/fclib_global", &object, &global);
    if (status == FIL_OK)
        status = fil_hdf5_read_find(file, "/fclib_local", &object, &local);
    if (status != FIL_OK)
        return status;
    if (!local && !global)
        return fil_context_fail(file->context, FIL_BAD_INPUT,
                                "%s: holds no contact problem (neither /fclib_local nor /fclib_global)", file->name);
    fil_arena *scratch = fil_arena_create(file->context);
    if (!scratch)
        return FIL_NO_MEMORY;

    // FCLIB looks for the global problem first when both are there; so do we.
    fil_contact_problem *problem = NULL;
    status =
        global ? fil_io_fclib_global_read(file, scratch, &problem) : fil_io_fclib_local_read(file, scratch, &problem);
    fil_arena_destroy(scratch);
    if (status == FIL_OK)
        status = read_title(file, global ? "/fclib_global" : "/fclib_local", problem);
    if (status == FIL_OK)
        status = check_problem(file, problem);
    if (status != FIL_OK) {
        fil_contact_problem_destroy(problem);
        return status;
    }
    *out = problem;
    return FIL_OK;
}

fil_status fil_contact_problem_read(fil_context *context, const char *path, fil_contact_problem **out)
{
    *out = NULL;
    fil_hdf5_read file;
    fil_status status = fil_hdf5_read_open(context, path, &file);
    if (status != FIL_OK)
        return status;
    status = read_problem(&file, out);
    fil_hdf5_read_close(&file);
    return status;
}

fil_status fil_io_fclib_read_bytes(fil_context *context, const char *name, const void *bytes, size_t size,
                                   fil_contact_problem **out)
{
    *out = NULL;
    fil_hdf5_read file;
    fil_status status = fil_hdf5_read_open_bytes(context, name, bytes, size, &file);
    return status == FIL_OK ? read_problem(&file, out) : status;
}

// Impulses in `group`.
static fil_status read_impulses(fil_hdf5_read *file, const char *group, const fil_contact_problem *problem, double *r)
{
    int64_t n = problem->contact_count;
    int dim = problem->file_dim;
    fil_arena *scratch = fil_arena_create(file->context);
    double *stored = scratch ? FIL_ARENA_ARRAY(scratch, double, n *dim) : NULL;
    fil_status status = stored ? fil_io_fclib_sparse_reals(file, group, "r", n * dim, stored) : FIL_NO_MEMORY;
    // Only what is whole reaches the caller.
    for (int64_t i = 0; status == FIL_OK && i < n; ++i)
        for (int k = 0; k < 3; ++k)
            r[3 * i + k] = k < dim ? stored[i * dim + k] : 0;
    fil_arena_destroy(scratch);
    return status;
}

fil_status fil_contact_solution_read(fil_context *context, const char *path, const fil_contact_problem *problem,
                                     double *r)
{
    fil_hdf5_read file;
    fil_status status = fil_hdf5_read_open(context, path, &file);
    if (status != FIL_OK)
        return status;
    status = read_impulses(&file, "/solution", problem, r);
    fil_hdf5_read_close(&file);
    return status;
}

fil_status fil_contact_guess_read(fil_context *context, const char *path, const fil_contact_problem *problem, double *r)
{
    fil_hdf5_read file;
    fil_hdf5_object object;
    bool solved = false, guessed = false;
    fil_status status = fil_hdf5_read_open(context, path, &file);
    if (status != FIL_OK)
        return status;
    status = fil_hdf5_read_find(&file, "/solution", &object, &solved);
    if (status == FIL_OK && !solved)
        status = fil_hdf5_read_find(&file, "/guesses/1", &object, &guessed);
    if (status == FIL_OK)
        status = read_impulses(&file, guessed ? "/guesses/1" : "/solution", problem, r);
    fil_hdf5_read_close(&file);
    return status;
}
