// The contacts that press, solved without the open ones: the same answer, judged over all contacts.
#include "contact/contact.h"

#include "failing_allocator.h"
#include "strands.h"

enum { CONTACTS = 5000 };

// Strands with few contacts each, half of them open.
static fil_contact_problem *make_problem(fil_context *context)
{
    strands_def def = {.strands = 1500, .contacts = CONTACTS, .least = 10, .most = 12, .dofs = 4, .seed = 5};
    fil_contact_problem *problem = problem_of_strands(context, &def);
    for (int i = 0; i < CONTACTS; i += 2)
        problem->w[3 * i] += 20;
    return problem;
}

// What is known from the step before: nearly right.
static double *first_guess(fil_context *context, fil_contact_problem *problem)
{
    double *r = impulse_of(problem);
    fil_contact_def def = solver_def("gs", 1e-3);
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
    return r;
}

static fil_contact_def warm_def(const char *solver, double tolerance)
{
    fil_contact_def def = solver_def(solver, tolerance);
    def.warm = true;
    return def;
}

TEST(contact_press_solves_what_all_contacts_obey)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = make_problem(context);
    double *guess = first_guess(context, problem), *r = impulse_of(problem), *same = impulse_of(problem);
    double *u = impulse_of(problem), *of_sweeps = impulse_of(problem), off = 0, residual[FIL_MERIT_COUNT];
    fil_contact_def def = warm_def("auto", 1e-9), sweeps = warm_def("anderson", 1e-9);
    fil_solve_stats stats;
    memcpy(r, guess, 3 * CONTACTS * sizeof *r);
    memcpy(same, guess, 3 * CONTACTS * sizeof *r);
    test_ok(context, fil_contact_solve(context, problem, &def, r, u, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_SOLVED);
    ck_assert_str_eq(stats.finished_by, "pressing");
    test_ok(context, fil_contact_judge(context, problem, r, residual));
    ck_assert_double_le(residual[FIL_MERIT_NATURAL], 1e-9);
    test_ok(context, fil_contact_solve(context, problem, &sweeps, same, of_sweeps, NULL, &stats));
    for (int k = 0; k < 3 * CONTACTS; ++k)
        off = fmax(off, fabs(u[k] - of_sweeps[k]));
    ck_assert_double_le(off, 1e-6);
    free(guess), free(r), free(same), free(u), free(of_sweeps);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// A first guess may be nonsense, also where contacts are open.
TEST(contact_press_takes_any_first_guess)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = make_problem(context);
    double *r = impulse_of(problem);
    fil_contact_def def = warm_def("auto", 1e-6);
    const double nonsense[] = {-1, 1e-3, 1e300, NAN};
    for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; ++k) {
        fil_solve_stats stats;
        for (int i = 0; i < 3 * CONTACTS; ++i)
            r[i] = i % 7 == 0 ? nonsense[k] : 0;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "from %g: %g", nonsense[k], stats.residual[FIL_MERIT_NATURAL]);
        ck_assert(impulse_finite(problem, r));
    }
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Impulses that say that everything is open: all that press have to be found.
TEST(contact_press_finds_those_that_close)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = make_problem(context);
    double *r = impulse_of(problem), residual[FIL_MERIT_COUNT];
    fil_contact_def def = warm_def("auto", 1e-6);
    fil_solve_stats stats;
    r[3] = 1e-3;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    ck_assert_int_eq(stats.outcome, FIL_SOLVED);
    test_ok(context, fil_contact_judge(context, problem, r, residual));
    ck_assert_double_le(residual[FIL_MERIT_NATURAL], 1e-6);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

TEST(contact_press_gives_the_same_bits_on_any_number_of_threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = make_problem(context);
    double *guess = first_guess(context, problem), *r = impulse_of(problem), *first = impulse_of(problem);
    fil_contact_def def = warm_def("auto", 1e-8);
    for (int threads = 1; threads <= 8; threads *= 2) {
        fil_context_set_threads(context, threads);
        memcpy(r, guess, 3 * CONTACTS * sizeof *r);
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
        if (threads == 1)
            memcpy(first, r, 3 * CONTACTS * sizeof *r);
        ck_assert(memcmp(first, r, 3 * CONTACTS * sizeof *r) == 0);
    }
    free(guess), free(r), free(first);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

typedef struct warm_solve {
    fil_contact_problem *problem;
    const double *guess;
} warm_solve;

static fil_status solve_warm(fil_context *context, void *data)
{
    const warm_solve *job = data;
    double *r = impulse_of(job->problem);
    fil_contact_def def = warm_def("auto", 1e-6);
    memcpy(r, job->guess, 3 * CONTACTS * sizeof *r);
    fil_status status = fil_contact_solve(context, job->problem, &def, r, NULL, NULL, NULL);
    ck_assert(status == FIL_OK || memcmp(r, job->guess, 3 * CONTACTS * sizeof *r) == 0);
    free(r);
    return status;
}

TEST(contact_press_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = make_problem(context);
    double *guess = first_guess(context, problem);
    warm_solve job = {problem, guess};
    ck_assert_int_ge(test_failing_allocation(solve_warm, &job), 5);
    free(guess);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
