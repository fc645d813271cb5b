// auto must solve everything: the real problems, copies of them that were shaken, random rigid bodies, and strands.
#define _GNU_SOURCE // scandir
#include "failing_allocator.h"
#include "strands.h"

#include "contact/contact_operator.h"

#include <dirent.h>
#include <stdio.h>

typedef struct total {
    int tried, solved;
    int64_t sweeps, newton_steps;
    double worst;
    char first_failure[256];
} total;

static void solve_one(fil_context *context, fil_contact_problem *problem, const char *name, fil_merit merit, total *sum)
{
    fil_contact_def def = fil_contact_def_default();
    def.merit = merit;
    fil_solve_stats stats;
    double *r = impulse_of(problem);
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    bool solved = stats.outcome == FIL_SOLVED && stats.residual[merit] <= def.tolerance;
    ++sum->tried;
    sum->solved += solved;
    sum->sweeps += stats.sweeps;
    sum->newton_steps += stats.newton_steps;
    sum->worst = fmax(sum->worst, stats.residual[merit]);
    if (!solved) {
        printf("# not solved: %s: %s: %s %.3g\n", name, fil_outcome_name(stats.outcome), fil_merit_name(merit),
               stats.residual[merit]);
        if (!sum->first_failure[0])
            snprintf(sum->first_failure, sizeof sum->first_failure, "%s (%s %.3g)", name, fil_merit_name(merit),
                     stats.residual[merit]);
    }
    free(r);
}

static void report(const char *what, const total *sum)
{
    printf("# auto: %s: %d of %d solved, worst residual %.3g, %lld sweeps, %lld Newton steps\n", what, sum->solved,
           sum->tried, sum->worst, (long long)sum->sweeps, (long long)sum->newton_steps);
    fflush(stdout);
    ck_assert_int_gt(sum->tried, 0);
    ck_assert_msg(sum->solved == sum->tried, "%s: %d of %d solved; first failure: %s", what, sum->solved, sum->tried,
                  sum->first_failure);
}

static int is_problem(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".hdf5") == 0;
}

// Calls `work` for every file of the shared friction problems, in the order of their names.
typedef void real_work(fil_context *context, fil_contact_problem *problem, const char *name, void *data);

static void for_each_real_problem(fil_context *context, real_work *work, void *data)
{
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s", test_data("friction"));
    struct dirent **entries;
    int count = scandir(folder, &entries, is_problem, alphasort);
    if (count <= 0)
        test_skip("no problems in %s", folder);
    for (int k = 0; k < count; ++k) {
        fil_contact_problem *problem;
        snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        test_ok(context, fil_contact_problem_read(context, path, &problem));
        work(context, problem, entries[k]->d_name, data);
        fil_contact_problem_destroy(problem);
        free(entries[k]);
    }
    free(entries);
}

static void solve_real(fil_context *context, fil_contact_problem *problem, const char *name, void *data)
{
    total *sums = data;
    solve_one(context, problem, name, FIL_MERIT_NATURAL, &sums[0]);
    solve_one(context, problem, name, FIL_MERIT_FCLIB, &sums[1]);
}

TEST(contact_auto_solves_all_real_problems)
{
    fil_context *context = fil_context_create(NULL);
    total sums[2] = {0};
    for_each_real_problem(context, solve_real, sums);
    report("real problems, natural", &sums[0]);
    report("real problems, fclib", &sums[1]);
    fil_context_destroy(context);
}

TEST(contact_auto_solves_hair_without_W)
{
    fil_context *context = fil_context_create(NULL);
    for (int shape = 0; shape < FIL_HAIR_SHAPES; ++shape) {
        fil_contact_problem *problem = problem_of_hair(context, 155, (fil_contact_hair_shape)shape, 1, 0);
        double *r = impulse_of(problem);
        fil_contact_def def = fil_contact_def_default();
        fil_solve_stats stats;
        def.tolerance = 1e-6;
        ck_assert_int_ge(problem->contact_count, 2000);
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %.2g", problem->title, stats.residual[FIL_MERIT_NATURAL]);
        ck_assert_str_eq(stats.finished_by, "admm");
        ck_assert(!problem->has_dual);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Few contacts go through W; so do the last digits, unless there are many contacts. A W that is there stays unused.
TEST(contact_auto_chooses_the_road_by_size_and_tolerance)
{
    static const struct {
        int strands;
        double tolerance;
        bool given, admm;
    } cases[] = {
        {5, 1e-4, false, false},  {20, 1e-4, false, true},  {20, 1e-4, true, true},
        {10, 1e-7, false, false}, {160, 1e-7, false, true},
    };
    fil_context *context = fil_context_create(NULL);
    for (int k = 0; k < 5; ++k) {
        fil_contact_problem *problem = problem_of_hair(context, cases[k].strands, FIL_HAIR_WAVY, 0.3, 0);
        if (cases[k].given)
            test_ok(context, fil_contact_problem_form_dual(context, problem));
        double *r = impulse_of(problem);
        fil_contact_def def = fil_contact_def_default();
        fil_solve_stats stats;
        def.tolerance = cases[k].tolerance;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "case %d", k);
        ck_assert_msg((strcmp(stats.finished_by, "admm") == 0) == cases[k].admm, "case %d: by %s", k,
                      stats.finished_by);
        ck_assert_msg(problem->has_dual == (cases[k].given || !cases[k].admm), "case %d", k);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// Sides of some contacts of a strand with itself lie so close together that admm is given up after its 10,000
// iterations; those contacts are solved apart, and the W of all is not needed.
TEST(contact_auto_solves_hard_contacts_apart)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_strands(
        context, &(strands_def){.strands = 300, .contacts = 3000, .least = 8, .most = 12, .dofs = 4, .seed = 12});
    double *r = impulse_of(problem);
    fil_contact_def def = fil_contact_def_default();
    fil_solve_stats stats;
    def.tolerance = 1e-6;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_SOLVED);
    ck_assert_int_gt(stats.iterations, 10000);
    ck_assert(!problem->has_dual);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// One impulse is far too large, as that on a strand which is jammed and has lost what held it: worse than no impulses
// at all. Those of all others are still worth having.
TEST(contact_auto_mends_a_guess_that_is_worse_than_none)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 1000;
    hair.contacts_per_strand = 60; // rows of W that are too long for sweeps
    fil_contact_problem *problem;
    test_ok(context, fil_contact_hair_generate(context, &hair, &problem));
    double *r = impulse_of(problem), *none = impulse_of(problem), none_left[FIL_MERIT_COUNT], left[FIL_MERIT_COUNT];
    fil_contact_def def = solver_def("auto", 1e-4);
    fil_solve_stats cold, warm;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &cold));
    int largest = 0;
    for (int i = 0; i < problem->contact_count; ++i)
        largest = r[3 * i] > r[3 * largest] ? i : largest;
    for (int k = 0; k < 3; ++k)
        r[3 * largest + k] *= 300;
    test_ok(context, fil_contact_judge(context, problem, none, none_left));
    test_ok(context, fil_contact_judge(context, problem, r, left));
    ck_assert_double_gt(left[FIL_MERIT_NATURAL], none_left[FIL_MERIT_NATURAL]);
    def.warm = true;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &warm));
    ck_assert_int_eq(warm.outcome, FIL_SOLVED);
    ck_assert(!problem->has_dual);
    ck_assert_int_lt(2 * warm.iterations, cold.iterations);
    free(none);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Both stages of admm.
TEST(contact_auto_same_bits_on_any_number_of_threads_on_strands)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_hair(context, 100, FIL_HAIR_STRAIGHT, 0.3, 0);
    fil_contact_def def = solver_def("auto", 1e-9);
    def.max_iterations = 3000;
    check_same_bits(context, problem, &def, FIL_STALLED);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_auto_is_honest_when_admm_is_cut_short)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_hair(context, 78, FIL_HAIR_WAVY, 1, 0);
    double *r = impulse_of(problem), at_zero[FIL_MERIT_COUNT];
    test_ok(context, fil_contact_judge(context, problem, r, at_zero));
    for (int iterations = 1; iterations <= 31; iterations += 30) {
        fil_contact_def def = fil_contact_def_default();
        fil_solve_stats stats;
        def.tolerance = 1e-6;
        def.max_iterations = iterations;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_int_eq(stats.outcome, FIL_STALLED);
        ck_assert_int_eq(stats.iterations, iterations);
        ck_assert(stats.residual[FIL_MERIT_NATURAL] > def.tolerance);
        ck_assert(stats.residual[FIL_MERIT_NATURAL] <= at_zero[FIL_MERIT_NATURAL]);
        ck_assert(impulse_finite(problem, r) && !problem->has_dual);
    }
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static fil_status solve_strands(fil_context *context, void *data)
{
    fil_contact_problem *problem = data;
    double *r = impulse_of(problem);
    fil_contact_def def = fil_contact_def_default();
    def.tolerance = 1e-6;
    def.max_iterations = 100;
    fil_status status = fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL);
    ck_assert(status == FIL_OK || r[0] == 0);
    free(r);
    return status;
}

TEST(contact_auto_survives_failing_allocation_on_strands)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_hair(context, 20, FIL_HAIR_STRAIGHT, 1, 0);
    ck_assert_int_ge(test_failing_allocation(solve_strands, problem), 5);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

static void solve_random(int count, int least, int most, const char *what, uint64_t seed)
{
    fil_context *context = fil_context_create(NULL);
    total sum = {0};
    fil_rng rng = fil_rng_make(seed);
    for (int k = 0; k < count; ++k) {
        int contacts = least + fil_rng_below(&rng, most - least + 1), ratio = 1 + k % 3;
        double mu = k % 2 ? 1 : 0.3;
        char name[128];
        snprintf(name, sizeof name, "problem_of_bodies(%d, %d, %g, %llu)", contacts, ratio, mu,
                 (unsigned long long)seed * 1000 + (unsigned long long)k);
        fil_contact_problem *problem = problem_of_bodies(context, contacts, ratio, mu, seed * 1000 + (uint64_t)k);
        solve_one(context, problem, name, FIL_MERIT_NATURAL, &sum);
        fil_contact_problem_destroy(problem);
    }
    report(what, &sum);
    fil_context_destroy(context);
}

TEST(contact_auto_solves_random_bodies)
{
    solve_random(60, 5, 60, "60 random problems", 1);
}

TEST_LONG(contact_auto_solves_many_random_bodies)
{
    solve_random(600, 10, 300, "600 random problems", 2);
}

// mu times 0.9 to 1.1, q plus 2 % within the range of W: another problem that still has a solution.
static void shake(fil_context *context, fil_contact_problem *problem, const double *q, const double *mu, uint64_t seed)
{
    fil_rng rng = fil_rng_make(seed);
    size_t size = 3 * (size_t)problem->contact_count;
    double *x = impulse_of(problem), *y = impulse_of(problem), norm_q = 0, norm_y = 0;
    for (int i = 0; i < problem->contact_count; ++i)
        problem->mu[i] = mu[i] * fil_rng_uniform(&rng, 0.9, 1.1);
    for (size_t k = 0; k < size; ++k) {
        x[k] = fil_rng_normal(&rng);
        problem->q[k] = 0;
    }
    fil_contact_operator op;
    test_ok(context, fil_contact_operator_make(context, NULL, problem, false, &op));
    fil_contact_operator_apply(&op, x, y);
    for (size_t k = 0; k < size; ++k) {
        norm_q += q[k] * q[k];
        norm_y += y[k] * y[k];
    }
    double scale = norm_y > 0 ? 0.02 * sqrt(norm_q / norm_y) : 0;
    for (size_t k = 0; k < size; ++k)
        problem->q[k] = q[k] + scale * y[k];
    free(x);
    free(y);
}

static void solve_shaken(fil_context *context, fil_contact_problem *problem, const char *name, void *data)
{
    double *q = impulse_of(problem), *mu = impulse_of(problem);
    memcpy(q, problem->q, 3 * (size_t)problem->contact_count * sizeof *q);
    memcpy(mu, problem->mu, (size_t)problem->contact_count * sizeof *mu);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        char copy[256];
        snprintf(copy, sizeof copy, "%s, seed %d", name, (int)seed);
        shake(context, problem, q, mu, seed);
        solve_one(context, problem, copy, FIL_MERIT_NATURAL, data);
    }
    free(q);
    free(mu);
}

TEST_LONG(contact_auto_solves_shaken_real_problems)
{
    fil_context *context = fil_context_create(NULL);
    total sum = {0};
    for_each_real_problem(context, solve_shaken, &sum);
    report("shaken copies of the real problems", &sum);
    fil_context_destroy(context);
}

// How many of the over-constrained problems a solver meets, at n = 80 and 200, 3n = 2, 3 and 4 times the dofs, mu up
// to 1.
static int solved_of(const char *solver, int seeds, int *tried)
{
    fil_context *context = fil_context_create(NULL);
    fil_context_set_threads(context, 1);
    int solved = 0;
    *tried = 0;
    for (int seed = 0; seed < seeds; ++seed)
        for (int n = 80; n <= 200; n += 120)
            for (int ratio = 2; ratio <= 4; ++ratio) {
                fil_contact_problem *problem = problem_of_bodies(context, n, ratio, 1, 900000 + 10 * (uint64_t)seed);
                double *r = impulse_of(problem);
                fil_contact_def def = fil_contact_def_default();
                fil_solve_stats stats;
                def.solver = solver;
                test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
                solved += stats.outcome == FIL_SOLVED;
                ++*tried;
                free(r);
                fil_contact_problem_destroy(problem);
            }
    fil_context_destroy(context);
    return solved;
}

// The figures of docs/contact/auto.md: each variant of Newton alone solves most, auto solves all.
TEST_LONG(contact_auto_is_more_than_any_of_its_parts)
{
    static const char *const alone[] = {
        "proximal:map=ac,memory=10,iterations=300", "proximal:map=nm,memory=10,iterations=300",
        "proximal:map=jm,memory=10,iterations=300", "proximal:map=ac,memory=15,iterations=300",
        "proximal:map=fb,memory=15,iterations=300",
    };
    int tried, all;
    for (int k = 0; k < 5; ++k) {
        int solved = solved_of(alone[k], 20, &tried);
        printf("# %s: %d of %d\n", alone[k], solved, tried);
        ck_assert_int_gt(solved, tried / 2);
    }
    all = solved_of("auto", 20, &tried);
    printf("# auto: %d of %d\n", all, tried);
    ck_assert_int_eq(all, tried);
}
