// Contact files: round trips, FCLIB as an independent judge in both directions, real problems, memory and disk that
// fail.
#include "failing_allocator.h"
#include "fclib_plan.h"
#include "test.h"

#include "filum/filum.h"
#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FIL_HAVE_FCLIB
#include <fclib.h>

// FCLIB's fclib_delete_* forget the struct itself. The name is the sanitizer's.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:fclib_read_";
}
#endif

static void same_numbers(const char *what, const double *a, const double *b, int64_t count)
{
    for (int64_t k = 0; k < count; ++k)
        ck_assert_msg(memcmp(&a[k], &b[k], sizeof *a) == 0, "%s[%lld]: %.17g, then %.17g", what, (long long)k, a[k],
                      b[k]);
}

static void same_problem(const fil_contact_problem *a, const fil_contact_problem *b)
{
    int n = a->contact_count;
    ck_assert_int_eq(n, b->contact_count);
    ck_assert_int_eq(a->file_dim, b->file_dim);
    ck_assert_int_eq(a->has_primal, b->has_primal);
    ck_assert_str_eq(a->title, b->title);
    same_numbers("mu", a->mu, b->mu, n);
    if (a->has_primal) {
        ck_assert_int_eq(a->A.body_count, b->A.body_count);
        int bodies = a->A.body_count, sides = a->H.side_start[n];
        ck_assert_mem_eq(a->A.dof_start, b->A.dof_start, sizeof(int) * ((size_t)bodies + 1));
        ck_assert_mem_eq(a->A.bandwidth, b->A.bandwidth, sizeof(int) * (size_t)bodies);
        same_numbers("A", a->A.value, b->A.value, a->A.value_start[bodies]);
        ck_assert_mem_eq(a->H.side_start, b->H.side_start, sizeof(int) * ((size_t)n + 1));
        ck_assert_mem_eq(a->H.body, b->H.body, sizeof(int) * (size_t)sides);
        ck_assert_mem_eq(a->H.first_dof, b->H.first_dof, sizeof(int) * (size_t)sides);
        ck_assert_mem_eq(a->H.dof_count, b->H.dof_count, sizeof(int) * (size_t)sides);
        same_numbers("H", a->H.value, b->H.value, a->H.value_start[sides]);
        same_numbers("b", a->b, b->b, a->A.dof_start[bodies]);
        same_numbers("w", a->w, b->w, 3 * (int64_t)n);
    } else {
        ck_assert_mem_eq(a->W.start, b->W.start, sizeof(int64_t) * ((size_t)n + 1));
        ck_assert_mem_eq(a->W.column, b->W.column, sizeof(int) * (size_t)a->W.start[n]);
        same_numbers("W", a->W.value, b->W.value, 9 * a->W.start[n]);
        same_numbers("q", a->q, b->q, 3 * (int64_t)n);
    }
}

static double number(fil_rng *rng)
{
    return fil_rng_uniform(rng, -1, 1);
}

// A random dual problem: full diagonal, some other blocks, W not symmetric.
static fil_contact_problem *random_dual(fil_context *context, int n, uint64_t seed)
{
    fil_rng rng = fil_rng_make(seed);
    fil_contact_problem *problem;
    int64_t at = 0;
    test_ok(context, fil_contact_problem_create_dual(context, n, (int64_t)n * n, &problem));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (i != j && fil_rng_uniform(&rng, 0, 1) < 0.6)
                continue;
            problem->W.column[at] = j;
            for (int k = 0; k < 9; ++k)
                problem->W.value[9 * at + k] = number(&rng);
            ++at;
        }
        problem->W.start[i + 1] = at;
        problem->mu[i] = fil_rng_uniform(&rng, 0, 1);
        for (int k = 0; k < 3; ++k)
            problem->q[3 * i + k] = number(&rng);
    }
    if (n > 0)
        problem->W.value[1] = -0.0;
    snprintf(problem->title, sizeof problem->title, "random %d", n);
    return problem;
}

// A random primal problem: bodies of 1 to 4 dofs with full bands, contacts with none, one or two sides.
static fil_contact_problem *random_primal(fil_context *context, int n, int bodies, uint64_t seed)
{
    fil_rng rng = fil_rng_make(seed);
    fil_contact_problem *problem;
    int dofs = 0, side = 0;
    for (int body = 0; body < bodies; ++body)
        dofs += 1 + body % 4;
    test_ok(context, fil_contact_problem_create_primal(context, n, bodies, dofs, 4 * dofs, 2 * n, 24 * n, &problem));
    fil_body_matrix *A = &problem->A;
    for (int body = 0; body < bodies; ++body) {
        int size = 1 + body % 4;
        A->bandwidth[body] = size > 2 ? size - 2 : size - 1;
        A->dof_start[body + 1] = A->dof_start[body] + size;
        A->value_start[body + 1] = A->value_start[body] + size * (A->bandwidth[body] + 1);
        for (int j = 0; j < size; ++j)
            for (int k = 0; k <= A->bandwidth[body] && j + k < size; ++k)
                A->value[A->value_start[body] + j * (A->bandwidth[body] + 1) + k] = k ? number(&rng) : 5 + number(&rng);
    }
    fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < n; ++i) {
        for (int s = 0; s < i % 3 && s < bodies; ++s, ++side) {
            int body = s == 0 ? i % (bodies / 2) : bodies / 2 + i % (bodies - bodies / 2);
            int size = A->dof_start[body + 1] - A->dof_start[body];
            H->body[side] = body;
            H->first_dof[side] = i % size;
            H->dof_count[side] = size - i % size;
            H->value_start[side + 1] = H->value_start[side] + 3 * H->dof_count[side];
            for (int64_t k = H->value_start[side]; k < H->value_start[side + 1]; ++k)
                H->value[k] = number(&rng);
        }
        H->side_start[i + 1] = side;
        problem->mu[i] = fil_rng_uniform(&rng, 0, 1);
    }
    for (int k = 0; k < 3 * n; ++k)
        problem->w[k] = number(&rng);
    for (int k = 0; k < dofs; ++k)
        problem->b[k] = number(&rng);
    return problem;
}

// Planar: the second tangent as reading makes it.
static void flatten(fil_contact_problem *problem)
{
    problem->file_dim = 2;
    for (int i = 0; i < problem->contact_count; ++i) {
        problem->q[3 * i + 2] = 0;
        for (int64_t k = problem->W.start[i]; k < problem->W.start[i + 1]; ++k) {
            double *V = problem->W.value + 9 * k;
            V[2] = V[5] = V[6] = V[7] = 0;
            V[8] = problem->W.column[k] == i ? 0.5 * (V[0] + V[4]) : 0;
        }
    }
}

TEST(fclib_round_trip_is_exact)
{
    fil_context *context = fil_context_create(NULL);
    for (int kind = 0; kind < 3; ++kind)
        for (int n = 0; n <= 12; n += 3) {
            fil_contact_problem *back,
                *problem = kind == 2 ? random_primal(context, n, 7, 5) : random_dual(context, n, 3);
            if (kind == 1)
                flatten(problem);
            test_ok(context, fil_contact_problem_check(context, problem));
            test_ok(context, fil_contact_problem_write(context, test_path("a.hdf5"), problem));
            test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &back));
            same_problem(problem, back);
            fil_contact_problem_destroy(problem);
            fil_contact_problem_destroy(back);
        }
    fil_context_destroy(context);
}

TEST(fclib_same_problem_gives_same_bytes)
{
    fil_context *context = fil_context_create(NULL);
    char bytes[2][1 << 16];
    size_t size[2];
    for (int k = 0; k < 2; ++k) {
        fil_contact_problem *problem = random_dual(context, 3, 9);
        test_ok(context, fil_contact_problem_write(context, test_path("a.hdf5"), problem));
        FILE *file = fopen(test_path("a.hdf5"), "rb");
        size[k] = fread(bytes[k], 1, sizeof bytes[k], file);
        fclose(file);
        fil_contact_problem_destroy(problem);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    fil_context_destroy(context);
}

// Half storage is written as the full matrix: what is missing are the transposes.
TEST(fclib_half_storage_is_written_in_full)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem, *back;
    test_ok(context, fil_contact_problem_create_dual(context, 2, 3, &problem));
    problem->W.half = true;
    problem->W.start[1] = 2;
    problem->W.start[2] = 3;
    problem->W.column[1] = problem->W.column[2] = 1;
    for (int k = 0; k < 27; ++k)
        problem->W.value[k] = k + 1;
    test_ok(context, fil_contact_problem_write(context, test_path("a.hdf5"), problem));
    test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &back));
    ck_assert_int_eq(back->W.start[2], 4);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            ck_assert(back->W.value[9 + 3 * c + r] == problem->W.value[9 + 3 * c + r]);
            ck_assert(back->W.value[18 + 3 * c + r] == problem->W.value[9 + 3 * r + c]);
        }
    fil_contact_problem_destroy(problem);
    fil_contact_problem_destroy(back);
    fil_context_destroy(context);
}

// Rows, columns and triplets (with an entry given in two parts) of one matrix are one problem.
TEST(fclib_all_three_forms_give_the_same_problem)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem[3];
    for (int form = 0; form < 3; ++form) {
        plan self = plan_local(3), columns = self;
        plan_matrix *W = &self.matrix[0];
        const plan_matrix *C = &columns.matrix[0];
        if (form == 1) {
            W->nz = -2;
            for (int k = 0; k < 36; ++k)
                W->x[k] = C->x[k % 6 * 6 + k / 6];
        }
        if (form == 2) {
            W->nz = W->nzmax = W->p_count = W->i_count = W->x_count = 37;
            for (int k = 0; k < 36; ++k) {
                W->p[k] = 5 - k % 6;
                W->i[k] = k / 6;
                W->x[k] = C->x[k / 6 * 6 + 5 - k % 6];
            }
            W->p[36] = W->i[36] = 0;
            W->x[5] = 4;
            W->x[36] = 6;
        }
        test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
        test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem[form]));
        same_problem(problem[0], problem[form]);
    }
    // Block (i, j) maps r_j to u_i: W(row 4, column 0) lies in block (1, 0), second number of its first column.
    ck_assert_int_eq(problem[0]->W.column[problem[0]->W.start[1]], 0);
    test_near(problem[0]->W.value[9 * problem[0]->W.start[1] + 1], 0.4, 1e-15);
    for (int form = 0; form < 3; ++form)
        fil_contact_problem_destroy(problem[form]);
    fil_context_destroy(context);
}

TEST(fclib_missing_diagonal_blocks_are_zero_and_triangles_stay)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    plan self = plan_local(3);
    self.matrix[0] = (plan_matrix){.name = "W", .m = 6, .n = 6, .nz = 1, .nzmax = 1, .p = {4}, .i = {2}, .x = {7}};
    self.matrix[0].p_count = self.matrix[0].i_count = self.matrix[0].x_count = 1;
    test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
    test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
    ck_assert_int_eq(problem->W.start[1], 1);
    ck_assert_int_eq(problem->W.start[2], 3);
    ck_assert(problem->W.value[9 + 3 * 2 + 1] == 7);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(fclib_planar_problems_get_an_idle_tangent)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    plan self = plan_local(2);
    test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
    test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
    ck_assert_int_eq(problem->contact_count, 2);
    ck_assert_int_eq(problem->file_dim, 2);
    const double *V = problem->W.value;
    test_near(V[8], 0.5 * (V[0] + V[4]), 0);
    ck_assert(V[2] == 0 && V[5] == 0 && V[6] == 0 && V[7] == 0 && V[17] == 0);
    ck_assert(problem->q[1] == 2 && problem->q[2] == 0 && problem->q[3] == 3);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(fclib_bodies_are_found_in_M)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    plan self = plan_global();
    test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
    test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
    ck_assert_int_eq(problem->A.body_count, 2);
    ck_assert_int_eq(problem->A.dof_start[1], 2);
    ck_assert_int_eq(problem->A.bandwidth[0], 1);
    ck_assert_int_eq(problem->A.bandwidth[1], 0);
    ck_assert_int_eq(problem->H.side_start[1], 2);
    // Side 0: dofs 0 and 1, three rows each; row t2 of dof 1 is the file's H(1, 2).
    ck_assert(problem->H.value[0] == 1 && problem->H.value[4] == 1.5 && problem->H.value[5] == 2);
    ck_assert(problem->H.value[6] == -1 && problem->H.value[8] == 2.5);
    ck_assert_str_eq(problem->title, "a plan");
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(fclib_zero_contacts_are_a_problem)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    // Every way to store nothing: empty arrays, p with its single 0, no arrays at all.
    for (int way = 0; way < 3; ++way) {
        plan self = plan_local(3);
        self.matrix[0] = (plan_matrix){.name = "W", .nz = way == 1 ? -2 : -1, .p_count = way == 1};
        self.matrix[0].no_p = self.matrix[0].no_i = self.matrix[0].no_x = way == 2;
        self.vector[0].count = self.vector[1].count = 0;
        self.vector[0].absent = self.vector[1].absent = way == 2;
        self.no_vectors = way == 2;
        test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
        test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
        ck_assert_int_eq(problem->contact_count, 0);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(fclib_solutions_round_trip)
{
    fil_context *context = fil_context_create(NULL);
    for (int kind = 0; kind < 3; ++kind) {
        fil_contact_problem *problem = kind == 2 ? random_primal(context, 4, 7, 5) : random_dual(context, 4, 3);
        if (kind == 1)
            flatten(problem);
        double u[12], r[12], back[12], v[32];
        for (int k = 0; k < 12; ++k) {
            r[k] = kind == 1 && k % 3 == 2 ? 0 : k + 0.5;
            u[k] = -k;
        }
        for (int k = 0; k < 32; ++k)
            v[k] = k;
        test_ok(context, fil_contact_solution_write(context, test_path("a.hdf5"), problem, kind == 2 ? v : NULL, u, r));
        test_ok(context, fil_contact_solution_read(context, test_path("a.hdf5"), problem, back));
        same_numbers("r", r, back, 12);

        // Another problem's solution does not fit; a problem without one says so. Both leave r alone.
        fil_contact_problem *other = random_dual(context, 5, 3);
        ck_assert_int_eq(fil_contact_solution_read(context, test_path("a.hdf5"), other, back), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "/solution/r: must have 15 elements");
        test_ok(context, fil_contact_problem_write(context, test_path("a.hdf5"), problem));
        ck_assert_int_eq(fil_contact_solution_read(context, test_path("a.hdf5"), problem, back), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "a.hdf5: /solution/r: is missing");
        same_numbers("r", r, back, 12);
        fil_contact_problem_destroy(other);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// ---- FCLIB judges

#ifdef FIL_HAVE_FCLIB
static void same_matrix(const struct fclib_matrix *a, const struct fclib_matrix *b)
{
    ck_assert(a->m == b->m && a->n == b->n && a->nz == b->nz && a->nzmax == b->nzmax);
    ck_assert_mem_eq(a->p, b->p, sizeof(int) * ((size_t)a->n + 1));
    ck_assert_mem_eq(a->i, b->i, sizeof(int) * (size_t)a->nzmax);
    same_numbers("x", a->x, b->x, a->nzmax);
}

static struct fclib_matrix as_fclib(plan_matrix *W)
{
    return (struct fclib_matrix){.nzmax = W->nzmax, .m = W->m, .n = W->n, .nz = W->nz, .p = W->p, .i = W->i, .x = W->x};
}
#endif

// FCLIB writes, we read and write again, FCLIB reads: all numbers survive.
TEST(fclib_agrees_on_local_problems)
{
#ifdef FIL_HAVE_FCLIB
    fil_context *context = fil_context_create(NULL);
    for (int dim = 2; dim <= 3; ++dim) {
        plan self = plan_local(dim);
        struct fclib_matrix W = as_fclib(&self.matrix[0]);
        struct fclib_info info = {.title = "title", .description = "text", .math_info = "none"};
        struct fclib_local local = {
            .W = &W, .mu = self.vector[0].x, .q = self.vector[1].x, .spacedim = dim, .info = &info};
        unlink(test_path("a.hdf5"));
        ck_assert_int_eq(fclib_write_local(&local, test_path("a.hdf5")), 1);
        fil_contact_problem *problem;
        test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
        ck_assert_str_eq(problem->title, "title");
        double u[6] = {1, 2, 3, 4, 5, 6}, r[6] = {7, 8, 9, 10, 11, 12}, back[6];
        test_ok(context, fil_contact_solution_write(context, test_path("b.hdf5"), problem, NULL, u, r));
        struct fclib_local *theirs = fclib_read_local(test_path("b.hdf5"));
        ck_assert_ptr_nonnull(theirs);
        same_matrix(&W, theirs->W);
        ck_assert_int_eq(theirs->spacedim, dim);
        same_numbers("q", local.q, theirs->q, 2 * dim);
        same_numbers("mu", local.mu, theirs->mu, 2);
        ck_assert_str_eq(theirs->info->title, "title");
        struct fclib_solution *solution = fclib_read_solution(test_path("b.hdf5"));
        ck_assert_ptr_nonnull(solution);
        for (int i = 0; i < 2; ++i) {
            same_numbers("u", u + 3 * i, solution->u + dim * i, dim);
            same_numbers("r", r + 3 * i, solution->r + dim * i, dim);
        }
        // And the other way: FCLIB adds a solution to its file, we read it.
        ck_assert_int_eq(fclib_write_solution(solution, test_path("a.hdf5")), 1);
        test_ok(context, fil_contact_solution_read(context, test_path("a.hdf5"), problem, back));
        same_numbers("r", r, back, 2);
        // The HDF5 library can also go on writing in a file that we began.
        test_ok(context, fil_contact_problem_write(context, test_path("c.hdf5"), problem));
        ck_assert_int_eq(fclib_write_solution(solution, test_path("c.hdf5")), 1);
        ck_assert_int_eq(fclib_write_guesses(1, solution, test_path("c.hdf5")), 1);
        fil_contact_problem *extended;
        test_ok(context, fil_contact_problem_read(context, test_path("c.hdf5"), &extended));
        same_problem(problem, extended);
        test_ok(context, fil_contact_solution_read(context, test_path("c.hdf5"), problem, back));
        same_numbers("r", r, back, 2);
        fil_contact_problem_destroy(extended);
        fclib_delete_solutions(solution, 1);
        fclib_delete_local(theirs);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
#else
    test_skip("built without FCLIB (apt install libfclib-dev)");
#endif
}

TEST(fclib_agrees_on_global_problems)
{
#ifdef FIL_HAVE_FCLIB
    fil_context *context = fil_context_create(NULL);
    // Four dofs and one contact, so that the numbers of rows and columns of H differ.
    plan self = plan_global();
    plan_matrix *M = &self.matrix[0], *H = &self.matrix[1];
    M->m = M->n = H->m = 4;
    M->p[4] = M->nzmax = 6;
    M->i[5] = 3;
    M->x[5] = 9;
    struct fclib_matrix fM = as_fclib(M), fH = as_fclib(H);
    double f[4] = {1, 2, 3, 4}, v[4] = {5, 6, 7, 8}, u[3] = {1, 2, 3}, r[3] = {7, 8, 9}, back[3];
    struct fclib_info info = {.title = "title", .description = "text"};
    struct fclib_global global = {
        .M = &fM, .H = &fH, .mu = self.vector[0].x, .f = f, .w = self.vector[2].x, .spacedim = 3, .info = &info};
    ck_assert_int_eq(fclib_write_global(&global, test_path("a.hdf5")), 1);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_read(context, test_path("a.hdf5"), &problem));
    ck_assert_int_eq(problem->A.body_count, 3);
    test_ok(context, fil_contact_solution_write(context, test_path("b.hdf5"), problem, v, u, r));
    struct fclib_global *theirs = fclib_read_global(test_path("b.hdf5"));
    ck_assert_ptr_nonnull(theirs);
    same_matrix(&fM, theirs->M);
    same_matrix(&fH, theirs->H);
    ck_assert_ptr_null(theirs->G);
    same_numbers("f", f, theirs->f, 4);
    same_numbers("w", global.w, theirs->w, 3);
    same_numbers("mu", global.mu, theirs->mu, 1);
    struct fclib_solution *solution = fclib_read_solution(test_path("b.hdf5"));
    ck_assert_ptr_nonnull(solution);
    same_numbers("v", v, solution->v, 4);
    same_numbers("u", u, solution->u, 3);
    same_numbers("r", r, solution->r, 3);
    ck_assert_int_eq(fclib_write_solution(solution, test_path("a.hdf5")), 1);
    test_ok(context, fil_contact_solution_read(context, test_path("a.hdf5"), problem, back));
    same_numbers("r", r, back, 3);
    fclib_delete_solutions(solution, 1);
    fclib_delete_global(theirs);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
#else
    test_skip("built without FCLIB (apt install libfclib-dev)");
#endif
}

TEST(fclib_agrees_on_guesses)
{
#ifdef FIL_HAVE_FCLIB
    fil_context *context = fil_context_create(NULL);
    for (int kind = 0; kind < 2; ++kind) {
        fil_contact_problem *problem = kind ? random_primal(context, 12, 7, 5) : random_dual(context, 12, 3);
        double r[36], back[36];
        for (int k = 0; k < 36; ++k)
            r[k] = 1 + k, back[k] = 0;
        test_ok(context, fil_contact_guess_write(context, test_path("a.hdf5"), problem, r));
        int count = 0;
        struct fclib_solution *theirs = fclib_read_guesses(test_path("a.hdf5"), &count);
        ck_assert_ptr_nonnull(theirs);
        ck_assert_int_eq(count, 1);
        same_numbers("r", r, theirs->r, 36);
        ck_assert_int_eq(fil_contact_solution_read(context, test_path("a.hdf5"), problem, back), FIL_BAD_INPUT);
        ck_assert_double_eq(back[0], 0);
        test_ok(context, fil_contact_guess_read(context, test_path("a.hdf5"), problem, back));
        same_numbers("r", r, back, 36);
        // FCLIB writes what we read, and where there is a solution it comes first.
        theirs->r[7] = 5;
        test_ok(context, fil_contact_problem_write(context, test_path("b.hdf5"), problem));
        ck_assert_int_eq(fil_contact_guess_read(context, test_path("b.hdf5"), problem, back), FIL_BAD_INPUT);
        ck_assert_int_eq(fclib_write_guesses(1, theirs, test_path("b.hdf5")), 1);
        test_ok(context, fil_contact_guess_read(context, test_path("b.hdf5"), problem, back));
        same_numbers("r", theirs->r, back, 36);
        theirs->r[7] = 6;
        ck_assert_int_eq(fclib_write_solution(theirs, test_path("b.hdf5")), 1);
        test_ok(context, fil_contact_guess_read(context, test_path("b.hdf5"), problem, back));
        same_numbers("r", theirs->r, back, 36);
        fclib_delete_solutions(theirs, 1);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
#else
    test_skip("built without FCLIB (apt install libfclib-dev)");
#endif
}

TEST(fclib_agrees_on_no_contacts)
{
#ifdef FIL_HAVE_FCLIB
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = random_dual(context, 0, 1), *back;
    test_ok(context, fil_contact_problem_write(context, test_path("a.hdf5"), problem));
    struct fclib_local *theirs = fclib_read_local(test_path("a.hdf5"));
    ck_assert_ptr_nonnull(theirs);
    ck_assert_int_eq(theirs->W->m, 0);
    ck_assert_int_eq(fclib_write_local(theirs, test_path("b.hdf5")), 1);
    test_ok(context, fil_contact_problem_read(context, test_path("b.hdf5"), &back));
    same_problem(problem, back);
    fclib_delete_local(theirs);
    fil_contact_problem_destroy(problem);
    fil_contact_problem_destroy(back);
    fil_context_destroy(context);
#else
    test_skip("built without FCLIB (apt install libfclib-dev)");
#endif
}

// Every real problem: read, written, read again; FCLIB reads our copy and finds the same matrix as in the original.
TEST(fclib_real_problems_survive)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", test_data("friction"));
    fil_context *context = fil_context_create(NULL);
    DIR *list = opendir(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (!strstr(entry->d_name, ".hdf5"))
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fil_contact_problem *problem, *back;
        test_ok(context, fil_contact_problem_read(context, path, &problem));
        test_ok(context, fil_contact_problem_write(context, test_path("copy.hdf5"), problem));
        test_ok(context, fil_contact_problem_read(context, test_path("copy.hdf5"), &back));
        same_problem(problem, back);
#ifdef FIL_HAVE_FCLIB
        // Every entry of their matrix lies where it belongs in ours.
        struct fclib_local *theirs = fclib_read_local(path);
        ck_assert(theirs && theirs->W->nz == -1);
        for (int j = 0; j < theirs->W->n; ++j)
            for (int k = theirs->W->p[j]; k < theirs->W->p[j + 1]; ++k) {
                int i = theirs->W->i[k];
                int64_t at = problem->W.start[i / 3];
                while (problem->W.column[at] != j / 3)
                    ++at;
                ck_assert(problem->W.value[9 * at + 3 * (j % 3) + i % 3] == theirs->W->x[k]);
            }
        fclib_delete_local(theirs);
#endif
        fil_contact_problem_destroy(problem);
        fil_contact_problem_destroy(back);
        ++count;
    }
    closedir(list);
    ck_assert_int_gt(count, 0);
    fil_context_destroy(context);
}

// ---- what may go wrong outside

typedef struct memory_work {
    char path[256];
    bool write;
    fil_contact_problem *problem;
} memory_work;

static fil_status read_or_write(fil_context *context, void *data)
{
    const memory_work *work = data;
    const double zero[36] = {0};
    if (work->write)
        return fil_contact_guess_write(context, work->path, work->problem, zero);
    fil_contact_problem *problem = (fil_contact_problem *)work;
    fil_status status = fil_contact_problem_read(context, work->path, &problem);
    ck_assert(status == FIL_OK || !problem);
    double r[36];
    if (status == FIL_OK)
        status = fil_contact_guess_read(context, work->path, problem, r);
    fil_contact_problem_destroy(problem);
    return status;
}

TEST(fclib_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    for (int kind = 0; kind < 2; ++kind) {
        memory_work work = {.problem = kind ? random_primal(context, 12, 7, 5) : random_dual(context, 12, 3)};
        double zero[128] = {0};
        snprintf(work.path, sizeof work.path, "%s", test_path("a.hdf5"));
        test_ok(context, fil_contact_solution_write(context, work.path, work.problem, NULL, zero, zero));
        test_failing_allocation(read_or_write, &work);
        work.write = true;
        test_failing_allocation(read_or_write, &work);
        fil_contact_problem_destroy(work.problem);
    }
    // Triplets and rows allocate more.
    plan self = plan_local(3);
    self.matrix[0].nz = -2;
    memory_work work = {.write = false};
    snprintf(work.path, sizeof work.path, "%s", test_path("b.hdf5"));
    test_ok(context, plan_write(context, &self, work.path));
    for (long k = 1; k < 20; ++k) {
        failing_allocator allocator = {.fail_at = k};
        fil_context *poor = failing_context(&allocator);
        fil_contact_problem *problem;
        fil_status status = fil_contact_problem_read(poor, work.path, &problem);
        ck_assert(status == FIL_OK ? allocator.calls <= k : status == FIL_NO_MEMORY);
        fil_contact_problem_destroy(problem);
        fil_context_destroy(poor);
        ck_assert_int_eq(allocator.live, 0);
    }
    fil_context_destroy(context);
}

static int open_files(void)
{
    int count = 0;
    for (int k = 0; k < 256; ++k)
        count += fcntl(k, F_GETFD) >= 0;
    return count;
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

TEST(fclib_full_disk_leaves_the_earlier_file)
{
    fil_context *context = fil_context_create(NULL);
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s", test_path("disk"));
    snprintf(path, sizeof path, "%s/a.hdf5", folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
        fil_context_destroy(context);
        test_skip("mounting a small disk is not permitted");
    }
    fil_contact_problem *small = random_dual(context, 2, 1), *large = random_dual(context, 60, 1), *back;
    fil_status first = fil_contact_problem_write(context, path, small);
    fil_status second = fil_contact_problem_write(context, path, large);
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", fil_context_error(context));
    fil_status third = fil_contact_problem_read(context, path, &back);
    int files = files_in(folder);
    umount(folder);
    ck_assert_int_eq(first, FIL_OK);
    ck_assert_int_eq(second, FIL_IO_FAILED);
    test_contains(sentence, "a.hdf5: cannot write: No space left on device");
    ck_assert_int_eq(third, FIL_OK);
    same_problem(small, back);
    ck_assert_int_eq(files, 1);
    fil_contact_problem_destroy(small);
    fil_contact_problem_destroy(large);
    fil_contact_problem_destroy(back);
    fil_context_destroy(context);
}

TEST(fclib_unwritable_output_is_reported)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = random_dual(context, 2, 1);
    int before = open_files();
    ck_assert_int_eq(fil_contact_problem_write(context, test_path("none/a.hdf5"), problem), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "none/a.hdf5: cannot write: No such file or directory");
    ck_assert_int_eq(mkdir(test_path("folder"), 0700), 0);
    ck_assert_int_eq(fil_contact_problem_write(context, test_path("folder"), problem), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "folder: cannot write: Is a directory");
    ck_assert_int_eq(fil_contact_problem_write(context, "", problem), FIL_BAD_INPUT);
    ck_assert_int_eq(open_files(), before);
    ck_assert_int_eq(files_in(test_folder()), 1);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// No file stays open, whatever the outcome.
TEST(fclib_leaves_no_file_open)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem, *back;
    int before = open_files();
    for (int kind = 0; kind < 4; ++kind) {
        plan self = kind % 2 ? plan_global() : plan_local(3);
        if (kind > 1)
            self.vector[0].x[0] = -1;
        test_ok(context, plan_write(context, &self, test_path("a.hdf5")));
        ck_assert_int_eq(fil_contact_problem_read(context, test_path("a.hdf5"), &problem),
                         kind > 1 ? FIL_BAD_INPUT : FIL_OK);
        if (problem)
            ck_assert_int_eq(fil_contact_solution_read(context, test_path("a.hdf5"), problem, NULL), FIL_BAD_INPUT);
        fil_contact_problem_destroy(problem);
    }
    ck_assert_int_eq(fil_contact_problem_read(context, "/dev/null", &back), FIL_BAD_INPUT);
    ck_assert_int_eq(open_files(), before);
    fil_context_destroy(context);
}
