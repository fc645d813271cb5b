// W = H A⁻¹ Hᵀ and q = w + H A⁻¹ b against dense algebra, for bodies of all shapes and contacts of all kinds.
#include "base/rng.h"
#include "contact/contact_operator.h"
#include "failing_allocator.h"
#include "problems.h"

enum { BODIES = 9, CONTACTS = 50, DOFS = 1 + 2 + 6 + 16 + 9 + 12 + 40 + 45 + 30 };
static const int body_dofs[BODIES] = {1, 2, 6, 16, 9, 12, 40, 45, 30};
static const int body_bands[BODIES] = {0, 1, 5, 3, 8, 0, 10, 11, 7};

// Bodies of different size, diagonal, banded and dense; contacts with 0 to 3 sides, some with two on one body, each
// side on part of its body's dofs. Odd seeds: sides no longer than the band is wide, as points of strands have.
static fil_contact_problem *mixed_problem(fil_context *context, uint64_t seed)
{
    fil_rng rng = fil_rng_make(seed);
    int sides = 0, side_count[CONTACTS], body[3 * CONTACTS], first[3 * CONTACTS], count[3 * CONTACTS];
    int64_t jacobian = 0, values = 0;
    for (int i = 0; i < CONTACTS; ++i) {
        side_count[i] = i % 4;
        for (int k = 0; k < side_count[i]; ++k, ++sides) {
            // Every fifth contact of two sides touches one body twice.
            body[sides] = i % 5 == 0 && k > 0 ? body[sides - 1] : fil_rng_below(&rng, BODIES);
            first[sides] = fil_rng_below(&rng, body_dofs[body[sides]]);
            int most = body_dofs[body[sides]] - first[sides], band = body_bands[body[sides]] + 1;
            count[sides] = 1 + fil_rng_below(&rng, seed % 2 == 1 && band < most ? band : most);
            jacobian += 3 * count[sides];
        }
    }
    for (int b = 0; b < BODIES; ++b)
        values += body_dofs[b] * (body_bands[b] + 1);
    fil_contact_problem *problem;
    test_ok(context,
            fil_contact_problem_create_primal(context, CONTACTS, BODIES, DOFS, values, sides, jacobian, &problem));
    fil_body_matrix *A = &problem->A;
    for (int b = 0; b < BODIES; ++b) {
        A->dof_start[b + 1] = A->dof_start[b] + body_dofs[b];
        A->bandwidth[b] = body_bands[b];
        A->value_start[b + 1] = A->value_start[b] + body_dofs[b] * (body_bands[b] + 1);
        for (int j = 0; j < body_dofs[b]; ++j)
            for (int k = 0; k <= body_bands[b] && j + k < body_dofs[b]; ++k)
                A->value[A->value_start[b] + j * (body_bands[b] + 1) + k] =
                    k == 0 ? 2 * body_bands[b] + 1 + fil_rng_uniform(&rng, 0, 1) : fil_rng_uniform(&rng, -1, 1);
    }
    fil_contact_jacobian *H = &problem->H;
    for (int i = 0, s = 0; i < CONTACTS; ++i) {
        for (int k = 0; k < side_count[i]; ++k, ++s) {
            H->body[s] = body[s];
            H->first_dof[s] = first[s];
            H->dof_count[s] = count[s];
            H->value_start[s + 1] = H->value_start[s] + 3 * count[s];
        }
        H->side_start[i + 1] = s;
        problem->mu[i] = fil_rng_uniform(&rng, 0, 1);
    }
    for (int64_t k = 0; k < jacobian; ++k)
        H->value[k] = fil_rng_normal(&rng);
    for (int k = 0; k < DOFS; ++k)
        problem->b[k] = fil_rng_normal(&rng);
    for (int k = 0; k < 3 * CONTACTS; ++k)
        problem->w[k] = fil_rng_normal(&rng);
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

typedef struct dense_view {
    double A[DOFS][DOFS], H[3 * CONTACTS][DOFS], inverse[DOFS][DOFS];
    double W[3 * CONTACTS][3 * CONTACTS], q[3 * CONTACTS];
} dense_view;

// Gauss-Jordan without pivoting: A is symmetric positive definite.
static void invert(double A[DOFS][DOFS], double inverse[DOFS][DOFS])
{
    static long double a[DOFS][2 * DOFS];
    for (int i = 0; i < DOFS; ++i)
        for (int j = 0; j < DOFS; ++j) {
            a[i][j] = A[i][j];
            a[i][DOFS + j] = i == j;
        }
    for (int k = 0; k < DOFS; ++k) {
        long double pivot = a[k][k];
        for (int j = 0; j < 2 * DOFS; ++j)
            a[k][j] /= pivot;
        for (int i = 0; i < DOFS; ++i) {
            long double factor = a[i][k];
            for (int j = 0; i != k && j < 2 * DOFS; ++j)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = 0; i < DOFS; ++i)
        for (int j = 0; j < DOFS; ++j)
            inverse[i][j] = (double)a[i][DOFS + j];
}

static dense_view *dense_of(const fil_contact_problem *problem)
{
    dense_view *view = calloc(1, sizeof *view);
    ck_assert_ptr_nonnull(view);
    const fil_body_matrix *A = &problem->A;
    for (int b = 0; b < BODIES; ++b)
        for (int j = 0; j < body_dofs[b]; ++j)
            for (int k = 0; k <= body_bands[b] && j + k < body_dofs[b]; ++k) {
                int at = A->dof_start[b] + j;
                view->A[at][at + k] = view->A[at + k][at] = A->value[A->value_start[b] + j * (body_bands[b] + 1) + k];
            }
    const fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < CONTACTS; ++i)
        for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s)
            for (int d = 0; d < H->dof_count[s]; ++d)
                for (int k = 0; k < 3; ++k)
                    view->H[3 * i + k][A->dof_start[H->body[s]] + H->first_dof[s] + d] +=
                        H->value[H->value_start[s] + 3 * d + k];
    invert(view->A, view->inverse);
    for (int i = 0; i < 3 * CONTACTS; ++i) {
        view->q[i] = problem->w[i];
        for (int k = 0; k < DOFS; ++k) {
            double solved = 0;
            for (int m = 0; m < DOFS; ++m)
                solved += view->H[i][m] * view->inverse[m][k];
            view->q[i] += solved * problem->b[k];
            for (int j = 0; j < 3 * CONTACTS; ++j)
                view->W[i][j] += solved * view->H[j][k];
        }
    }
    return view;
}

TEST(contact_delassus_equals_dense_algebra)
{
    fil_context *context = fil_context_create(NULL);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        fil_contact_problem *problem = mixed_problem(context, seed);
        dense_view *view = dense_of(problem);
        test_ok(context, fil_contact_problem_form_dual(context, problem));
        ck_assert(problem->has_dual && problem->has_primal && !problem->W.half);
        test_ok(context, fil_contact_problem_check(context, problem));
        double *W = problem_dense(problem), size = 0, worst = 0, worst_q = 0;
        long unsymmetric = 0;
        for (int i = 0; i < 3 * CONTACTS; ++i) {
            for (int j = 0; j < 3 * CONTACTS; ++j) {
                size = fmax(size, fabs(view->W[i][j]));
                worst = fmax(worst, fabs(view->W[i][j] - W[i + 3 * CONTACTS * j]));
                unsymmetric += W[i + 3 * CONTACTS * j] != W[j + 3 * CONTACTS * i];
            }
            worst_q = fmax(worst_q, fabs(view->q[i] - problem->q[i]));
        }
        ck_assert_msg(worst <= 1e-12 * size, "W differs by %.3g of %.3g", worst, size);
        ck_assert_msg(worst_q <= 1e-12 * size, "q differs by %.3g", worst_q);
        ck_assert_int_eq(unsymmetric, 0);
        free(W);
        free(view);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// A block for every pair of contacts that share a body, the diagonal always, and no other.
TEST(contact_delassus_stores_what_is_coupled)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = mixed_problem(context, 1);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    const fil_contact_jacobian *H = &problem->H;
    for (int i = 0; i < CONTACTS; ++i) {
        int64_t k = problem->W.start[i];
        for (int j = 0; j < CONTACTS; ++j) {
            bool coupled = i == j;
            for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s)
                for (int t = H->side_start[j]; t < H->side_start[j + 1]; ++t)
                    coupled |= H->body[s] == H->body[t];
            if (coupled) {
                ck_assert(k < problem->W.start[i + 1]);
                ck_assert_int_eq(problem->W.column[k++], j);
            }
        }
        ck_assert_int_eq(k, problem->W.start[i + 1]);
    }
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_delassus_is_formed_once)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = mixed_problem(context, 1);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    const double *value = problem->W.value;
    problem->W.value[0] = 123;
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    ck_assert(problem->W.value == value && problem->W.value[0] == 123);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static void check_same_bits(const fil_contact_problem *a, const fil_contact_problem *b)
{
    size_t n = (size_t)a->contact_count, blocks = (size_t)a->W.start[n];
    ck_assert(memcmp(a->W.start, b->W.start, (n + 1) * sizeof *a->W.start) == 0);
    ck_assert(memcmp(a->W.column, b->W.column, blocks * sizeof *a->W.column) == 0);
    ck_assert(memcmp(a->W.value, b->W.value, 9 * blocks * sizeof *a->W.value) == 0);
    ck_assert(memcmp(a->q, b->q, 3 * n * sizeof *a->q) == 0);
}

static fil_contact_problem *rigid_bodies(fil_context *context)
{
    return problem_of_bodies(context, 400, 2, 0.5, 9);
}

static fil_contact_problem *strands(fil_context *context)
{
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 60;
    fil_contact_problem *problem;
    test_ok(context, fil_contact_hair_generate(context, &hair, &problem));
    return problem;
}

static void check_threads(fil_contact_problem *(*make)(fil_context *))
{
    fil_contact_problem *first = NULL;
    fil_context *context = fil_context_create(NULL);
    static const int threads[] = {1, 2, 4, 8};
    for (int t = 0; t < 4; ++t) {
        fil_context_set_threads(context, threads[t]);
        fil_contact_problem *problem = make(context);
        test_ok(context, fil_contact_problem_form_dual(context, problem));
        if (!first) {
            first = problem;
            continue;
        }
        check_same_bits(first, problem);
        fil_contact_problem_destroy(problem);
    }
    fil_contact_problem_destroy(first);
    fil_context_destroy(context);
}

TEST(contact_delassus_same_bits_on_any_number_of_threads)
{
    check_threads(rigid_bodies);
    check_threads(strands);
}

// Random impulses through W and through the bodies: strands as a simulation has them.
TEST(contact_delassus_equals_the_product_through_strands)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = strands(context);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    fil_arena *arena = fil_arena_create(context);
    fil_contact_operator through_w, through_bodies;
    test_ok(context, fil_contact_operator_make(context, arena, problem, false, &through_w));
    test_ok(context, fil_contact_operator_make(context, arena, problem, true, &through_bodies));
    double *r = impulse_of(problem), *u = impulse_of(problem), *expected = impulse_of(problem), size = 0;
    fil_rng rng = fil_rng_make(3);
    for (int trial = 0; trial < 5; ++trial) {
        for (int k = 0; k < 3 * problem->contact_count; ++k)
            r[k] = fil_rng_normal(&rng);
        fil_contact_operator_apply(&through_w, r, u);
        fil_contact_operator_apply(&through_bodies, r, expected);
        for (int k = 0; k < 3 * problem->contact_count; ++k)
            size = fmax(size, fabs(expected[k]));
        for (int k = 0; k < 3 * problem->contact_count; ++k)
            test_near(u[k], expected[k], 1e-11 * size);
    }
    free(r);
    free(u);
    free(expected);
    fil_arena_destroy(arena);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status form(fil_context *context, void *data)
{
    (void)data;
    fil_context *rich = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_bodies(rich, 100, 3, 0.5, 9);
    fil_status status = fil_contact_problem_form_dual(context, problem);
    ck_assert(problem->has_dual == (status == FIL_OK) && problem->has_primal);
    // It can be tried again when there is memory.
    if (status != FIL_OK)
        test_ok(rich, fil_contact_problem_form_dual(rich, problem));
    test_ok(rich, fil_contact_problem_check(rich, problem));
    fil_contact_problem_destroy(problem);
    fil_context_destroy(rich);
    return status;
}

TEST(contact_delassus_survives_failing_allocation)
{
    ck_assert_int_ge(test_failing_allocation(form, NULL), 2);
}
