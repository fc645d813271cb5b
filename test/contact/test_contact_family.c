// The hair-like family: sizes, rules, same bits from the same seed, W positive semi-definite, a mix of contact states.
#include "base/rng.h"
#include "failing_allocator.h"

#include <string.h>

static fil_contact_problem *generate(fil_context *context, fil_contact_family family)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_family_generate(context, &family, &problem));
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

static bool same(const double *a, const double *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_problem(const fil_contact_problem *a, const fil_contact_problem *b)
{
    int n = a->contact_count, sides = a->H.side_start[n], dofs = a->A.dof_start[a->A.body_count];
    return n == b->contact_count && sides == b->H.side_start[n] &&
           memcmp(a->H.body, b->H.body, (size_t)sides * sizeof(int)) == 0 &&
           same(a->H.value, b->H.value, a->H.value_start[sides]) &&
           same(a->A.value, b->A.value, a->A.value_start[a->A.body_count]) && same(a->b, b->b, dofs) &&
           same(a->w, b->w, 3 * (int64_t)n) && same(a->mu, b->mu, n);
}

TEST(contact_family_has_the_size_asked_for)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_family family = {.rods = 50, .dofs = 16, .contacts_per_rod = 20, .mu = 0.5, .seed = 7};
    fil_contact_problem *problem = generate(context, family);
    int n = problem->contact_count, world = 0;
    ck_assert_int_eq(problem->A.body_count, 50);
    ck_assert_int_eq(problem->A.dof_start[50], 800);
    ck_assert_int_eq(problem->H.side_start[n], 1000);
    for (int i = 0; i < n; ++i) {
        world += problem->H.side_start[i + 1] - problem->H.side_start[i] == 1;
        ck_assert(problem->mu[i] == 0.5 && problem->w[3 * i] >= 0);
        // Ascending by the first rod.
        ck_assert(i == 0 || problem->H.body[problem->H.side_start[i - 1]] <= problem->H.body[problem->H.side_start[i]]);
    }
    ck_assert(world > 0.04 * n && world < 0.08 * n);
    test_contains(problem->title, "seed 7");
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_family_seed_decides_every_bit)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_family family = {.rods = 60, .dofs = 17, .contacts_per_rod = 12.3, .mu = 0.3, .seed = 3};
    fil_context_set_threads(context, 1);
    fil_contact_problem *one = generate(context, family);
    fil_context_set_threads(context, 4);
    fil_contact_problem *two = generate(context, family);
    family.seed = 4;
    fil_contact_problem *other = generate(context, family);
    ck_assert(same_problem(one, two));
    ck_assert(!same_problem(one, other));
    // No libm in it: the bits are those of any machine.
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += one->H.value[k];
    ck_assert(isfinite(sum) && sum != 0);
    fil_contact_problem_destroy(one);
    fil_contact_problem_destroy(two);
    fil_contact_problem_destroy(other);
    fil_context_destroy(context);
}

TEST(contact_family_accepts_every_small_size)
{
    fil_context *context = fil_context_create(NULL);
    for (int rods = 1; rods <= 7; ++rods)
        for (int dofs = 1; dofs <= 7; ++dofs)
            for (int contacts = 0; contacts <= 5; contacts += 5) {
                fil_contact_family family = {rods, dofs, contacts, 0.3, 1};
                fil_contact_problem *problem = generate(context, family);
                ck_assert_int_eq(problem->H.side_start[problem->contact_count], rods * contacts);
                test_ok(context, fil_contact_problem_form_dual(context, problem));
                fil_contact_problem_destroy(problem);
            }
    fil_context_destroy(context);
}

// xᵀ W x >= 0 for random x.
TEST(contact_family_W_is_positive_semidefinite)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_family family = {.rods = 30, .dofs = 12, .contacts_per_rod = 30, .mu = 0.3, .seed = 5};
    fil_contact_problem *problem = generate(context, family);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    int n = problem->contact_count;
    ck_assert(3 * n > problem->A.dof_start[30]); // over-constrained
    double *x = calloc(3 * (size_t)n, sizeof *x);
    fil_rng rng = fil_rng_make(1);
    const fil_block_matrix *W = &problem->W;
    for (int trial = 0; trial < 50; ++trial) {
        for (int k = 0; k < 3 * n; ++k)
            x[k] = fil_rng_normal(&rng);
        double energy = 0, scale = 0;
        for (int i = 0; i < n; ++i)
            for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
                for (int entry = 0; entry < 9; ++entry) {
                    double part = x[3 * i + entry % 3] * W->value[9 * k + entry] * x[3 * W->column[k] + entry / 3];
                    energy += part;
                    scale += fabs(part);
                }
        ck_assert(energy >= -1e-12 * scale);
    }
    free(x);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Neighbours stick, slide and take off: no state is rare at the solution of the default family.
TEST(contact_family_mixes_the_states)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = generate(context, fil_contact_family_default());
    int n = problem->contact_count, free_flight = 0, slide = 0;
    double *r = calloc(3 * (size_t)n, sizeof *r);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "gs";
    def.max_iterations = 500;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
    for (int i = 0; i < n; ++i) {
        double limit = problem->mu[i] * r[3 * i];
        free_flight += r[3 * i] <= 1e-9;
        slide += r[3 * i] > 1e-9 && hypot(r[3 * i + 1], r[3 * i + 2]) > (1 - 1e-6) * limit;
    }
    int stick = n - free_flight - slide;
    ck_assert_msg(free_flight > n / 5 && slide > n / 5 && stick > n / 5, "%d take off, %d slide, %d stick", free_flight,
                  slide, stick);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_family_refuses_nonsense)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_family good = fil_contact_family_default(), bad = good;
    fil_contact_problem *problem;
    bad.rods = 0;
    test_fails(context, fil_contact_family_generate(context, &bad, &problem), FIL_BAD_INPUT,
               "rods: must be from 1 to 10000000 (got 0)");
    bad = good;
    bad.dofs = -1;
    test_fails(context, fil_contact_family_generate(context, &bad, &problem), FIL_BAD_INPUT,
               "dofs: must be from 1 to 3000 (got -1)");
    bad = good;
    bad.contacts_per_rod = NAN;
    test_fails(context, fil_contact_family_generate(context, &bad, &problem), FIL_BAD_INPUT,
               "contacts_per_rod: must be from 0 to 100000 (got nan)");
    bad = good;
    bad.mu = -0.5;
    test_fails(context, fil_contact_family_generate(context, &bad, &problem), FIL_BAD_INPUT,
               "mu: must be a finite number >= 0 (got -0.5)");
    bad = good;
    bad.rods = 10000000;
    bad.dofs = 3000;
    ck_assert_int_eq(fil_contact_family_generate(context, &bad, &problem), FIL_BAD_INPUT);
    ck_assert_ptr_null(problem);
    fil_context_destroy(context);
}

static fil_status generate_and_destroy(fil_context *context, void *data)
{
    fil_contact_problem *problem;
    fil_status status = fil_contact_family_generate(context, data, &problem);
    fil_contact_problem_destroy(problem);
    return status;
}

TEST(contact_family_survives_failing_allocation)
{
    fil_contact_family family = {.rods = 40, .dofs = 30, .contacts_per_rod = 9, .mu = 0.3, .seed = 1};
    test_failing_allocation(generate_and_destroy, &family);
}
