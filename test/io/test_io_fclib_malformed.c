// Malformed contact files: each gives its own sentence, with the file and the place, and FIL_BAD_INPUT.
#include "fclib_plan.h"
#include "test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct malformed {
    const char *name;
    void (*spoil)(plan *self);
    const char *sentence; // after "...a.hdf5: "
} malformed;

#define SPOIL(name, ...)                                                                                               \
    static void name(plan *self)                                                                                       \
    {                                                                                                                  \
        plan_matrix *W = &self->matrix[0], *H = &self->matrix[1];                                                      \
        plan_vector *mu = &self->vector[0], *q = &self->vector[1], *w = &self->vector[2];                              \
        (void)W, (void)H, (void)mu, (void)q, (void)w;                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

SPOIL(other_group, self->group = "something")
SPOIL(no_spacedim, self->no_spacedim = true)
SPOIL(spacedim_four, self->spacedim = 4)
SPOIL(no_matrix, W->absent = true)
SPOIL(no_vectors, self->no_vectors = true)
SPOIL(no_mu, mu->absent = true)
SPOIL(mu_group, mu->group = true)
SPOIL(mu_integers, mu->integer = true)
SPOIL(mu_short, mu->count = 1)
SPOIL(mu_negative, mu->x[1] = -0.5)
SPOIL(mu_nan, mu->x[1] = NAN)
SPOIL(q_long, q->count = 7)
SPOIL(q_inf, q->x[4] = INFINITY)
SPOIL(not_square, W->n = 3)
SPOIL(rows_negative, W->m = W->n = -6)
SPOIL(rows_odd, W->m = W->n = 7)
SPOIL(rows_huge, W->m = W->n = 2147483646)
SPOIL(form_unknown, W->nz = -3)
SPOIL(entries_negative, W->nzmax = -1)
SPOIL(entries_huge, W->nzmax = 2000000000)
SPOIL(triplets_too_many, W->nz = 37)
SPOIL(p_missing, W->no_p = true)
SPOIL(p_reals, W->real_p = true)
SPOIL(p_short, W->p_count = 6)
SPOIL(p_start, W->p[0] = 1)
SPOIL(p_falls, W->p[3] = 5)
SPOIL(p_beyond, W->p[6] = 37)
SPOIL(i_missing, W->no_i = true)
SPOIL(i_short, W->i_count = 35)
SPOIL(i_negative, W->i[7] = -1)
SPOIL(i_beyond, W->i[35] = 6)
SPOIL(x_missing, W->no_x = true)
SPOIL(x_integers, W->integer_x = true)
SPOIL(x_long, W->x_count = 37)
SPOIL(x_nan, W->x[17] = NAN)
SPOIL(x_inf, W->x[0] = -INFINITY)
SPOIL(sum_overflows, W->i[1] = 0; W->x[0] = W->x[1] = 1e308)
SPOIL(row_index_beyond, W->nz = W->p_count = W->i_count = 36; memset(W->p, 0, sizeof W->p); W->p[5] = 6)
SPOIL(rows_index_beyond, W->nz = -2; W->i[5] = 6)
SPOIL(constraint_V, self->matrix[1] = *W; H->name = "V"; self->matrix_count = 2)
SPOIL(constraint_s, self->vector[2] = *q; w->name = "s"; self->vector_count = 3)

static const malformed locals[] = {
    {"other group", other_group, "holds no contact problem (neither /fclib_local nor /fclib_global)"},
    {"no spacedim", no_spacedim, "/fclib_local/spacedim: is missing"},
    {"spacedim 4", spacedim_four, "/fclib_local/spacedim: must be 2 or 3 (got 4)"},
    {"no W", no_matrix, "/fclib_local/W: is missing"},
    {"no vectors", no_vectors, "/fclib_local/vectors/q: is missing"},
    {"no mu", no_mu, "/fclib_local/vectors/mu: is missing"},
    {"mu is a group", mu_group, "/fclib_local/vectors/mu: must be a dataset of floating-point numbers"},
    {"mu of integers", mu_integers, "/fclib_local/vectors/mu: must be a dataset of floating-point numbers"},
    {"mu too short", mu_short, "/fclib_local/vectors/mu: must have 2 elements (has 1)"},
    {"mu negative", mu_negative, "mu[1]: must be a finite number >= 0 (got -0.5)"},
    {"mu not a number", mu_nan, "/fclib_local/vectors/mu[1]: must be a finite number (got nan)"},
    {"q too long", q_long, "/fclib_local/vectors/q: must have 6 elements (has 7)"},
    {"q infinite", q_inf, "/fclib_local/vectors/q[4]: must be a finite number (got inf)"},
    {"W not square", not_square, "/fclib_local/W: must be square (is 6 × 3)"},
    {"negative size", rows_negative, "/fclib_local/W: has the impossible size -6 × -6"},
    {"7 rows", rows_odd, "/fclib_local/W: the number of rows must be a multiple of 3 (is 7)"},
    {"rows without end", rows_huge, "/fclib_local/vectors/q: must have 2147483646 elements (has 6)"},
    {"unknown form", form_unknown,
     "/fclib_local/W/nz: must be -1 (columns), -2 (rows) or the number of triplets (got -3)"},
    {"negative nzmax", entries_negative, "/fclib_local/W/nzmax: must be at least 0 (got -1)"},
    {"nzmax without end", entries_huge, "/fclib_local/W/x: must have 2000000000 elements (has 36)"},
    {"nz above nzmax", triplets_too_many, "/fclib_local/W/nzmax: must be at least 37 (got 36)"},
    {"p missing", p_missing, "/fclib_local/W/p: is missing"},
    {"p of reals", p_reals, "/fclib_local/W/p: must be a dataset of integers"},
    {"p too short", p_short, "/fclib_local/W/p: must have 7 elements (has 6)"},
    {"p starts at 1", p_start, "/fclib_local/W/p[0]: must be 0 (got 1)"},
    {"p falls", p_falls, "/fclib_local/W/p[3]: must be from 12 to 36 (got 5)"},
    {"p beyond the end", p_beyond, "/fclib_local/W/p[6]: must be from 30 to 36 (got 37)"},
    {"i missing", i_missing, "/fclib_local/W/i: is missing"},
    {"i too short", i_short, "/fclib_local/W/i: must have 36 elements (has 35)"},
    {"i negative", i_negative, "/fclib_local/W/i[7]: must be from 0 to 5 (got -1)"},
    {"i too large", i_beyond, "/fclib_local/W/i[35]: must be from 0 to 5 (got 6)"},
    {"x missing", x_missing, "/fclib_local/W/x: is missing"},
    {"x of integers", x_integers, "/fclib_local/W/x: must be a dataset of floating-point numbers"},
    {"x too long", x_long, "/fclib_local/W/x: must have 36 elements (has 37)"},
    {"x not a number", x_nan, "/fclib_local/W/x[17]: must be a finite number (got nan)"},
    {"x infinite", x_inf, "/fclib_local/W/x[0]: must be a finite number (got -inf)"},
    {"duplicates overflow", sum_overflows, "W[0]: must be a finite number (got inf)"},
    {"triplet row too large", row_index_beyond, "/fclib_local/W/p[5]: must be from 0 to 5 (got 6)"},
    {"column too large", rows_index_beyond, "/fclib_local/W/i[5]: must be from 0 to 5 (got 6)"},
    {"constraints V", constraint_V, "/fclib_local: has equality constraints (V, R, s), which are not supported"},
    {"constraints s", constraint_s, "/fclib_local: has equality constraints (V, R, s), which are not supported"},
};

SPOIL(M_unsymmetric, W->x[1] = 1.5)
SPOIL(M_triangle, W->x[2] = 0)
SPOIL(H_rows, H->m = 4)
SPOIL(H_columns, H->n = 4)
SPOIL(no_H, H->absent = true)
SPOIL(w_short, w->count = 2)
SPOIL(H_nan, H->x[2] = NAN)
SPOIL(constraint_G, self->matrix[2] = *H; self->matrix[2].name = "G"; self->matrix_count = 3)
SPOIL(constraint_b, self->vector[3] = *w; self->vector[3].name = "b"; self->vector_count = 4)

static const malformed globals[] = {
    {"no spacedim", no_spacedim, "/fclib_global/spacedim: is missing"},
    {"spacedim 4", spacedim_four, "/fclib_global/spacedim: must be 2 or 3 (got 4)"},
    {"no M", no_matrix, "/fclib_global/M: is missing"},
    {"no H", no_H, "/fclib_global/H: is missing"},
    {"M not square", rows_odd, "/fclib_global/H: must have as many rows as M: 7 (has 3)"},
    {"M 3 × 2", not_square, "/fclib_global/vectors/f: must have 3 elements (has 7)"},
    {"H with 4 rows", H_rows, "/fclib_global/H: must have as many rows as M: 3 (has 4)"},
    {"H with 4 columns", H_columns, "/fclib_global/H: the number of columns must be a multiple of 3 (is 4)"},
    {"w too short", w_short, "/fclib_global/vectors/w: must have 3 elements (has 2)"},
    {"f too long", q_long, "/fclib_global/vectors/f: must have 3 elements (has 7)"},
    {"H not a number", H_nan, "/fclib_global/H/x[2]: must be a finite number (got nan)"},
    {"M not symmetric", M_unsymmetric, "/fclib_global/M: must be symmetric (dofs 0 to 1 differ by 0.125, relative)"},
    {"M a triangle", M_triangle, "/fclib_global/M: must be symmetric (dofs 0 to 1 differ by 0.25, relative)"},
    {"constraints G", constraint_G, "/fclib_global: has equality constraints (G, b), which are not supported"},
    {"constraints b", constraint_b, "/fclib_global: has equality constraints (G, b), which are not supported"},
};

// The sentence must be the file's name, a colon and what is expected, to the letter.
static void expect(fil_context *context, const char *path, const char *name, const char *sentence)
{
    char expected[1024];
    fil_contact_problem *problem = (fil_contact_problem *)context;
    fil_status status = fil_contact_problem_read(context, path, &problem);
    snprintf(expected, sizeof expected, "%s: %s", path, sentence);
    ck_assert_msg(status == FIL_BAD_INPUT, "%s: status %d", name, status);
    ck_assert_msg(strcmp(fil_context_error(context), expected) == 0, "%s: '%s' instead of '%s'", name,
                  fil_context_error(context), expected);
    ck_assert_ptr_null(problem);
}

TEST(malformed_local_problems_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    for (size_t k = 0; k < sizeof locals / sizeof *locals; ++k) {
        plan self = plan_local(3);
        locals[k].spoil(&self);
        test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
        expect(context, test_path("a.hdf5"), locals[k].name, locals[k].sentence);
    }
    fil_context_destroy(context);
}

TEST(malformed_global_problems_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    for (size_t k = 0; k < sizeof globals / sizeof *globals; ++k) {
        plan self = plan_global();
        if (globals[k].spoil == not_square)
            self.vector[1].count = 7;
        else
            globals[k].spoil(&self);
        test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
        expect(context, test_path("a.hdf5"), globals[k].name, globals[k].sentence);
    }
    fil_context_destroy(context);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

TEST(foreign_files_are_refused)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.hdf5");
    expect(context, path, "no file", "cannot open: No such file or directory");
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect(context, path, "a folder", "is a directory, not an HDF5 file");
    rmdir(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect(context, path, "a pipe", "is not a regular file");
    unlink(path);
    write_bytes(path, "", 0);
    expect(context, path, "an empty file", "the file is empty");
    write_bytes(path, "{\"groups\": []}", 14);
    expect(context, path, "another format", "not an HDF5 file");
    write_bytes(path, "\x89HDF\r\n\x1a\n", 8);
    expect(context, path, "the signature alone", "the file is truncated (8 bytes)");
    fil_context_destroy(context);
}

TEST(unreadable_file_is_refused)
{
    if (geteuid() == 0)
        test_skip("root reads every file");
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.hdf5");
    write_bytes(path, "x", 1);
    chmod(path, 0);
    expect(context, path, "unreadable", "cannot open: Permission denied");
    fil_context_destroy(context);
}

// A file of some kB that would need terabytes as bands: entries in opposite corners of a large M.
TEST(entries_far_apart_are_refused)
{
    enum { DOFS = 200000 };
    fil_context *context = fil_context_create(NULL);
    static double zeros[DOFS];
    fil_hdf5_write out;
    test_ok(context, fil_hdf5_write_open(context, test_path("a.hdf5"), &out));
    fil_hdf5_write_group(&out, "fclib_global");
    fil_hdf5_write_integers(&out, "spacedim", &(int){3}, 1);
    for (int k = 0; k < 2; ++k) {
        fil_hdf5_write_group(&out, k ? "H" : "M");
        fil_hdf5_write_integers(&out, "m", &(int){DOFS}, 1);
        fil_hdf5_write_integers(&out, "n", &(int){k ? 0 : DOFS}, 1);
        fil_hdf5_write_integers(&out, "nz", &(int){k ? 0 : 2}, 1);
        fil_hdf5_write_integers(&out, "nzmax", &(int){k ? 0 : 2}, 1);
        fil_hdf5_write_integers(&out, "p", (int[]){0, DOFS - 1}, k ? 0 : 2);
        fil_hdf5_write_integers(&out, "i", (int[]){DOFS - 1, 0}, k ? 0 : 2);
        fil_hdf5_write_reals(&out, "x", (double[]){1, 1}, k ? 0 : 2);
        fil_hdf5_write_end(&out);
    }
    fil_hdf5_write_group(&out, "vectors");
    fil_hdf5_write_reals(&out, "f", zeros, DOFS);
    fil_hdf5_write_end(&out);
    fil_hdf5_write_end(&out);
    test_ok(context, fil_hdf5_write_commit(&out));
    expect(context, test_path("a.hdf5"), "corners",
           "/fclib_global/M: its 2 entries lie so far apart that filum would need 320 GB");
    fil_context_destroy(context);
}
