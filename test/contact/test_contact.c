// The contract of every contact solver, with default settings and with the settings that change its method: what it
// returns, what it leaves untouched, that it is honest, and that it gives the same bits on any number of threads.
#include "failing_allocator.h"
#include "filum/extend.h"
#include "strands.h"

#include <stdio.h>

typedef struct variant {
    const char *solver;
    bool exact;    // solves the exact law
    bool complete; // finishes the easy problems of this file to 1e-8
    bool strands;  // takes problems of strands only
} variant;

// The list of solvers is compared with this one, so that a new solver cannot escape.
static const variant variants[] = {
    {"auto", true, true, false},
    {"gs", true, true, false},
    {"anderson", true, true, false},
    {"proximal", true, true, false},
    {"newton", true, false, false},
    {"sor", false, false, false},
    {"apg", true, true, false},
    {"admm", true, true, true},
    {"admm:floats=false,kappa=10", true, true, true},
    {"gs:order=coloured", true, true, false},
    {"gs:relaxation=1.3", true, true, false},
    {"gs:relaxation=0.7,period=1", true, true, false},
    {"gs:freeze=false", true, true, false},
    {"newton:function=pac", true, false, false},
    {"newton:function=dac", true, false, false},
    {"proximal:map=jm", true, true, false},
    {"proximal:map=nm", true, true, false},
    {"proximal:map=fb", true, false, false},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static fil_contact_def def_of(const variant *v)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = v->solver;
    return def;
}

static fil_contact_problem *some_strands(fil_context *context, int contacts, uint64_t seed)
{
    return problem_of_strands(
        context,
        &(strands_def){
            .strands = 4 + contacts / 10, .contacts = contacts, .least = 6, .most = 10, .dofs = 4, .seed = seed});
}

// Rigid bodies, or strands for a solver that takes nothing else; in both views.
static fil_contact_problem *problem_for(fil_context *context, const variant *v, int contacts, int ratio, double mu,
                                        uint64_t seed)
{
    if (!v->strands)
        return problem_dual(context, contacts, ratio, mu, seed);
    fil_contact_problem *problem = some_strands(context, contacts, seed);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    return problem;
}

// Small enough for every solver to finish; merits other than natural are not free of units, so W is near 1.
static fil_contact_problem *easy(fil_context *context, const variant *v)
{
    return problem_for(context, v, 20, 1, 0.5, 3);
}

static fil_contact_problem *harder(fil_context *context, const variant *v)
{
    return problem_for(context, v, 40, 2, 1, 5);
}

// What is not its kind it refuses, with a sentence that names another; r stays as it was.
TEST(contact_strands_only_is_said)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = problem_dual(context, 20, 1, 0.5, 3);
        double *r = impulse_of(problem);
        fil_contact_def def = def_of(&variants[v]);
        r[1] = 7;
        def.warm = true;
        def.max_iterations = 1;
        fil_status status = fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL);
        ck_assert_msg(status == (variants[v].strands ? FIL_BAD_INPUT : FIL_OK), "%s", def.solver);
        if (variants[v].strands) {
            ck_assert_str_eq(fil_context_error(context),
                             "admm: takes problems of strands only (see docs/contact/admm.md); use auto");
            ck_assert(r[1] == 7);
        }
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_list_is_covered_here)
{
    for (int k = 0; k < fil_contact_type_count(); ++k) {
        const fil_contact_type *type = fil_contact_type_at(k);
        bool found = false;
        for (int v = 0; v < VARIANTS; ++v)
            found |= strcmp(variants[v].solver, type->name) == 0;
        ck_assert_msg(found, "%s is not in the list of this test", type->name);
        ck_assert_ptr_eq(fil_contact_type_find(type->name), type);
        ck_assert(type->doc && type->doc[0] && type->solve);
    }
    ck_assert_ptr_null(fil_contact_type_find("gs:order=coloured"));
    ck_assert_str_eq(fil_merit_name(FIL_MERIT_FCLIB), "fclib");
    ck_assert_str_eq(fil_outcome_name(FIL_NO_SOLUTION), "no solution");
}

TEST(contact_zero_contacts_are_solved)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem;
        fil_contact_def def = def_of(&variants[v]);
        fil_solve_stats stats;
        double none = 7;
        test_ok(context, fil_contact_problem_create_dual(context, 0, 0, &problem));
        test_ok(context, fil_contact_solve(context, problem, &def, &none, &none, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %s", def.solver, fil_outcome_name(stats.outcome));
        ck_assert(none == 7);
        fil_contact_problem_destroy(problem);

        // In the primal view the bodies still move.
        test_ok(context, fil_contact_problem_create_primal(context, 0, 1, 1, 1, 0, 0, &problem));
        problem->A.dof_start[1] = 1;
        problem->A.value_start[1] = 1;
        problem->A.value[0] = 2;
        problem->b[0] = 6;
        double velocity = 0;
        test_ok(context, fil_contact_solve(context, problem, &def, &none, NULL, &velocity, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s", def.solver);
        test_near(velocity, 3, 1e-15);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// W = 2 I: each case by hand. sor is exact here, because the slip keeps its direction.
TEST(contact_one_contact_by_hand)
{
    static const struct {
        double q[3], mu, r[3];
    } cases[] = {
        {{1, 2, 3}, 0.5, {0, 0, 0}},               // takes off
        {{-1, 0.1, 0.2}, 0.5, {0.5, -0.05, -0.1}}, // sticks
        {{-1, 0.6, 0.8}, 0.5, {0.5, -0.15, -0.2}}, // slides: |r_T| = mu r_N
        {{-1, 0.6, 0.8}, 0, {0.5, 0, 0}},          // no friction
        {{0, 0, 0}, 0.5, {0, 0, 0}},               // rests
    };
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v)
        for (size_t k = 0; k < sizeof cases / sizeof *cases && !variants[v].strands; ++k) {
            fil_contact_problem *problem = problem_single(context, 2, cases[k].q, cases[k].mu);
            fil_contact_def def = def_of(&variants[v]);
            fil_solve_stats stats;
            double r[3] = {9, 9, 9}, u[3]; // a cold start does not look at r
            test_ok(context, fil_contact_solve(context, problem, &def, r, u, NULL, &stats));
            ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: case %zu: %s", def.solver, k,
                          fil_outcome_name(stats.outcome));
            for (int i = 0; i < 3; ++i) {
                ck_assert_msg(fabs(r[i] - cases[k].r[i]) <= 1e-7, "%s: case %zu: r[%d] = %g", def.solver, k, i, r[i]);
                test_near(u[i], 2 * r[i] + cases[k].q[i], 1e-14);
            }
            fil_contact_problem_destroy(problem);
        }
    fil_context_destroy(context);
}

// All merits, all tolerances: who says solved has solved, and the residual is the judge's.
static void check_claim(fil_context *context, fil_contact_problem *problem, const variant *v, fil_merit merit,
                        double tolerance)
{
    fil_contact_def def = def_of(v);
    def.merit = merit;
    def.tolerance = tolerance;
    double *r = impulse_of(problem), judged[FIL_MERIT_COUNT];
    fil_solve_stats stats;
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
    test_ok(context, fil_contact_judge(context, problem, r, judged));
    ck_assert_msg(impulse_finite(problem, r), "%s", v->solver);
    for (int k = 0; k < FIL_MERIT_COUNT; ++k)
        ck_assert_msg(stats.residual[k] == judged[k], "%s: %s is not the judge's", v->solver, fil_merit_name(k));
    ck_assert_msg((stats.outcome == FIL_SOLVED) == (judged[merit] <= tolerance), "%s: %s with %s %.3g", v->solver,
                  fil_outcome_name(stats.outcome), fil_merit_name(merit), judged[merit]);
    if (v->complete)
        ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %s at %s %.3g, tolerance %g", v->solver,
                      fil_outcome_name(stats.outcome), fil_merit_name(merit), judged[merit], tolerance);
    ck_assert_int_eq(stats.iterations, stats.sweeps + stats.newton_steps);
    ck_assert(stats.finished_by && stats.finished_by[0]);
    free(r);
}

TEST(contact_claims_are_true_in_every_merit)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = easy(context, &variants[v]);
        for (int merit = 0; merit < FIL_MERIT_COUNT; ++merit) {
            check_claim(context, problem, &variants[v], (fil_merit)merit, 1e-8);
            check_claim(context, problem, &variants[v], (fil_merit)merit, 1e-3);
        }
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// The tolerance is a sharp line: the residual of a short run, and half of it, tell solved from stalled.
TEST(contact_tolerance_is_sharp)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = harder(context, &variants[v]);
        double *r = impulse_of(problem);
        for (int merit = 0; merit < FIL_MERIT_COUNT; ++merit) {
            fil_contact_def def = def_of(&variants[v]);
            fil_solve_stats stats;
            def.merit = (fil_merit)merit;
            def.max_iterations = 3;
            def.tolerance = 1e-300;
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            ck_assert_msg(stats.outcome == FIL_STALLED, "%s", def.solver);
            double reached = stats.residual[merit];
            def.tolerance = 0.5 * reached;
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            ck_assert_msg(stats.outcome == FIL_STALLED, "%s: %s says solved at twice the tolerance", def.solver,
                          fil_merit_name(def.merit));
            def.tolerance = reached;
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            ck_assert_msg(stats.outcome == FIL_SOLVED, "%s: %s reached its tolerance", def.solver,
                          fil_merit_name(def.merit));
        }
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_optional_results_may_be_null)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = easy(context, &variants[v]);
        double *r = impulse_of(problem), *s = impulse_of(problem), *u = impulse_of(problem);
        double *velocity = calloc((size_t)problem->A.dof_start[problem->A.body_count], sizeof *velocity);
        fil_contact_def def = def_of(&variants[v]);
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
        test_ok(context, fil_contact_solve(context, problem, &def, s, u, velocity, &stats));
        ck_assert_msg(memcmp(r, s, 3 * (size_t)problem->contact_count * sizeof *r) == 0, "%s", def.solver);
        free(r);
        free(s);
        free(u);
        free(velocity);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_warm_start_from_the_solution_ends_at_once)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        if (!variants[v].exact)
            continue;
        fil_contact_problem *problem = easy(context, &variants[v]);
        size_t bytes = 3 * (size_t)problem->contact_count * sizeof(double);
        double *solution = impulse_of(problem), *r = impulse_of(problem);
        fil_contact_def def = fil_contact_def_default();
        def.tolerance = 1e-10;
        test_ok(context, fil_contact_solve(context, problem, &def, solution, NULL, NULL, NULL));
        def = def_of(&variants[v]);
        def.warm = true;
        fil_solve_stats stats;
        memcpy(r, solution, bytes);
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_SOLVED && stats.iterations == 0, "%s: %lld iterations", def.solver,
                      (long long)stats.iterations);
        ck_assert_msg(memcmp(r, solution, bytes) == 0, "%s moved a solution", def.solver);
        free(r);
        free(solution);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// What hosts pass as a first guess may be anything: the answer is finite and said truly, and the exact solvers arrive.
TEST(contact_warm_start_from_nonsense)
{
    const double nonsense[] = {NAN, INFINITY, 1e300, -1e10};
    fil_context *context = fil_context_create(NULL);
    for (size_t k = 0; k < (size_t)VARIANTS * (sizeof nonsense / sizeof *nonsense); ++k) {
        const variant *v = &variants[k % VARIANTS];
        double from = nonsense[k / VARIANTS];
        fil_contact_problem *problem = easy(context, v);
        double *r = impulse_of(problem), residual[FIL_MERIT_COUNT];
        fil_contact_def def = def_of(v);
        def.warm = true;
        fil_solve_stats stats;
        for (int i = 0; i < 3 * problem->contact_count; ++i)
            r[i] = i % 4 == 0 ? from : 0;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(impulse_finite(problem, r), "%s from %g", def.solver, from);
        test_ok(context, fil_contact_judge(context, problem, r, residual));
        ck_assert_msg((stats.outcome == FIL_SOLVED) == (residual[def.merit] <= def.tolerance), "%s from %g: %s, %g",
                      def.solver, from, fil_outcome_name(stats.outcome), residual[def.merit]);
        ck_assert_msg(!v->exact || stats.outcome == FIL_SOLVED || from == 1e300, "%s from %g: %s", def.solver, from,
                      fil_outcome_name(stats.outcome));
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// A budget of one: one iteration is done, not none, and the result is no worse than no impulse.
TEST(contact_budget_of_one)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = harder(context, &variants[v]);
        double *r = impulse_of(problem), at_zero[FIL_MERIT_COUNT];
        test_ok(context, fil_contact_judge(context, problem, r, at_zero));
        fil_contact_def def = def_of(&variants[v]);
        def.max_iterations = 1;
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_STALLED, "%s: %s", def.solver, fil_outcome_name(stats.outcome));
        ck_assert_msg(stats.iterations == 1, "%s: %lld iterations", def.solver, (long long)stats.iterations);
        ck_assert_msg(impulse_finite(problem, r), "%s", def.solver);
        ck_assert_msg(stats.residual[def.merit] <= at_zero[def.merit], "%s: worse than nothing", def.solver);
        if (strncmp(def.solver, "gs", 2) == 0)
            ck_assert_msg(stats.residual[def.merit] < at_zero[def.merit] && stats.local_calls == 40,
                          "%s: the one sweep was not done", def.solver);
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_bad_settings_are_refused_with_a_sentence)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_dual(context, 20, 1, 0.5, 3);
    double *r = impulse_of(problem);
    r[4] = 42;
    static const double tolerances[] = {0, -1e-8, NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 5; ++k) {
        fil_contact_def def = fil_contact_def_default();
        def.tolerance = tolerances[k];
        ck_assert_int_eq(fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "tolerance: must be above 0");
    }
    fil_contact_def def = fil_contact_def_default();
    def.max_iterations = -1;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "max_iterations: must not be negative (got -1)");
    static const char *const solvers[][2] = {
        {"", "unknown contact solver ''"},
        {"gz", "unknown contact solver 'gz': did you mean 'gs'?"},
        {"gs+newton", "unknown contact solver 'gs+newton'"},
        {"gs:omega=1", "omega"},
        {"gs:relaxation=2", "relaxation"},
        {"gs:relaxation=fast", "relaxation"},
        {"gs:relaxation=nan", "relaxation"},
        {"gs:order=random", "order"},
        {"gs:period=0", "period"},
        {"newton:function=fb", "function"},
        {"proximal:map=AC", "map"},
        {"proximal:lambda=1e99", "lambda"},
        {"anderson:window=1000", "window"},
    };
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        def = fil_contact_def_default();
        def.solver = solvers[k][0];
        ck_assert_msg(fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL) == FIL_BAD_INPUT, "'%s'",
                      def.solver);
        test_contains(fil_context_error(context), solvers[k][1]);
    }
    def = fil_contact_def_default();
    def.local = "mbf+enum";
    ck_assert_int_eq(fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "unknown local solver 'mbf'");
    ck_assert_msg(r[4] == 42, "a refused call touched the impulse");
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

typedef struct canceller {
    int calls, cancel_at;
    bool orderly; // iterations never fall, best never rises, residual >= best
    fil_progress last;
} canceller;

static bool watch_progress(void *user, const fil_progress *point)
{
    canceller *self = user;
    if (self->calls > 0)
        self->orderly &= point->iterations >= self->last.iterations && point->best <= self->last.best &&
                         point->seconds >= self->last.seconds;
    self->orderly &= point->phase && point->phase[0] && !(point->residual < point->best);
    self->last = *point;
    return ++self->calls != self->cancel_at;
}

TEST(contact_progress_cancels)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *problem = harder(context, &variants[v]);
        double *r = impulse_of(problem);
        for (int cancel_at = 1; cancel_at <= 4; ++cancel_at) {
            canceller watch = {.cancel_at = cancel_at, .orderly = true};
            fil_contact_def def = def_of(&variants[v]);
            def.progress = watch_progress;
            def.user = &watch;
            fil_solve_stats stats;
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            ck_assert_msg(watch.orderly, "%s", def.solver);
            ck_assert_msg(impulse_finite(problem, r), "%s", def.solver);
            // It may end by itself before it is cancelled, and is not asked again afterwards.
            ck_assert_msg(watch.calls <= cancel_at, "%s: went on after call %d", def.solver, cancel_at);
            if (watch.calls == cancel_at && stats.residual[def.merit] > def.tolerance)
                ck_assert_msg(stats.outcome == FIL_CANCELLED, "%s: %s", def.solver, fil_outcome_name(stats.outcome));
            ck_assert_msg(stats.residual[def.merit] == watch.last.best, "%s: not the best", def.solver);
        }
        free(r);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

TEST(contact_same_bits_on_any_number_of_threads)
{
    static const int threads[] = {1, 2, 4, 8, 1};
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        double *first = NULL;
        fil_solve_stats first_stats = {0};
        for (int t = 0; t < 5; ++t) {
            // W is formed anew each time, so that assembly takes part.
            fil_context_set_threads(context, threads[t]);
            fil_contact_problem *problem =
                variants[v].strands ? some_strands(context, 150, 8) : problem_of_bodies(context, 150, 2, 0.7, 8);
            size_t bytes = 3 * (size_t)problem->contact_count * sizeof *first;
            double *r = impulse_of(problem);
            fil_contact_def def = def_of(&variants[v]);
            def.max_iterations = 60;
            fil_solve_stats stats;
            test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, &stats));
            if (!first) {
                first = r;
                first_stats = stats;
            } else {
                ck_assert_msg(memcmp(first, r, bytes) == 0, "%s on %d threads", def.solver, threads[t]);
                ck_assert_msg(memcmp(first_stats.residual, stats.residual, sizeof stats.residual) == 0 &&
                                  first_stats.local_calls == stats.local_calls &&
                                  first_stats.iterations == stats.iterations,
                              "%s: statistics on %d threads", def.solver, threads[t]);
                free(r);
            }
            fil_contact_problem_destroy(problem);
        }
        free(first);
    }
    fil_context_destroy(context);
}

// Memory runs out at every possible moment: r stays as it was. Large enough for the arenas to grow several times.
enum { MEMORY_CONTACTS = 80 };

typedef struct memory_case {
    const char *solver;
    bool strands, warm, primal;
} memory_case;

static fil_status solve_with_little_memory(fil_context *context, const memory_case *setting)
{
    // The problem itself comes from a context that has memory.
    fil_context *rich = fil_context_create(NULL);
    fil_contact_problem *problem =
        setting->strands ? some_strands(rich, MEMORY_CONTACTS, 6) : problem_of_bodies(rich, MEMORY_CONTACTS, 3, 1, 6);
    if (!setting->primal)
        test_ok(rich, fil_contact_problem_form_dual(rich, problem));
    double r[3 * MEMORY_CONTACTS], before[3 * MEMORY_CONTACTS], u[3 * MEMORY_CONTACTS];
    for (int k = 0; k < 3 * MEMORY_CONTACTS; ++k)
        r[k] = before[k] = 0.01 * k;
    fil_contact_def def = fil_contact_def_default();
    def.solver = setting->solver;
    def.warm = setting->warm;
    // Enough to meet every allocation, too few to take long: auto factors after 15 sweeps and 50 accelerated ones.
    def.max_iterations = strcmp(def.solver, "auto") == 0 ? 80 : 3;
    fil_status status = fil_contact_solve(context, problem, &def, r, u, NULL, NULL);
    if (status != FIL_OK)
        ck_assert_msg(memcmp(r, before, sizeof r) == 0, "%s%s: r was touched", def.solver, def.warm ? " (warm)" : "");
    ck_assert(impulse_finite(problem, r));
    fil_contact_problem_destroy(problem);
    fil_context_destroy(rich);
    return status;
}

// auto may go on without factorisations when there is no memory for them; all others must say what happened.
static void fail_each_allocation(const memory_case *setting)
{
    bool may_go_on = strcmp(setting->solver, "auto") == 0;
    for (int stays_empty = 0; stays_empty < 2; ++stays_empty)
        for (long k = 1;; ++k) {
            failing_allocator allocator = {.fail_at = k, .stays_empty = stays_empty};
            fil_context *context = failing_context(&allocator);
            ck_assert_ptr_nonnull(context);
            fil_status status = solve_with_little_memory(context, setting);
            bool failed = allocator.calls > k;
            ck_assert_msg(status == FIL_OK || (failed && status == FIL_NO_MEMORY), "%s: status %d", setting->solver,
                          status);
            ck_assert_msg(!failed || status == FIL_NO_MEMORY || may_go_on, "%s: allocation %ld failed unnoticed",
                          setting->solver, k);
            ck_assert(status == FIL_OK || fil_context_error(context)[0]);
            fil_context_destroy(context);
            ck_assert_msg(allocator.live == 0, "%s: %ld leaked", setting->solver, allocator.live);
            if (!failed) {
                ck_assert_msg(k > 2, "%s: only %ld allocations were tried", setting->solver, k);
                break;
            }
        }
}

TEST(contact_survives_failing_allocation)
{
    for (int v = 0; v < VARIANTS; ++v)
        for (int mode = 0; mode < 3; ++mode)
            fail_each_allocation(&(memory_case){
                .solver = variants[v].solver, .strands = variants[v].strands, .warm = mode == 1, .primal = mode == 2});
}

// Two walls collide (W = 0): no impulse helps. Nobody may say solved, nobody may give a NaN.
TEST(contact_no_solution_is_admitted)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        if (variants[v].strands)
            continue;
        fil_contact_problem *problem = problem_single(context, 0, (double[]){-1, 0.5, 0}, 0.3);
        fil_contact_def def = def_of(&variants[v]);
        def.max_iterations = 200;
        fil_solve_stats stats;
        double r[3] = {0}, u[3];
        test_ok(context, fil_contact_solve(context, problem, &def, r, u, NULL, &stats));
        ck_assert_msg(stats.outcome == FIL_STALLED || stats.outcome == FIL_NO_SOLUTION, "%s: %s", def.solver,
                      fil_outcome_name(stats.outcome));
        ck_assert_msg(impulse_finite(problem, r), "%s", def.solver);
        ck_assert_msg(stats.residual[def.merit] > def.tolerance, "%s", def.solver);
        fil_contact_problem_destroy(problem);
    }
    fil_context_destroy(context);
}

// v = A⁻¹ (b + Hᵀ r) by checking A v - b - Hᵀ r = 0, and u = H v + w, both written out.
static double primal_error(const fil_contact_problem *problem, const double *r, const double *v, const double *u)
{
    const fil_contact_jacobian *H = &problem->H;
    int dofs = problem->A.dof_start[problem->A.body_count];
    double *rest = calloc((size_t)dofs, sizeof *rest), most = 0, scale = 0;
    for (int k = 0; k < dofs; ++k) {
        rest[k] = -problem->b[k];
        scale = fmax(scale, fabs(problem->b[k]));
    }
    for (int body = 0; body < problem->A.body_count; ++body)
        for (int j = 0; j < 6; ++j)
            for (int k = 0; j + k < 6; ++k) {
                double a = problem->A.value[36 * body + 6 * j + k];
                rest[6 * body + j + k] += a * v[6 * body + j];
                if (k > 0)
                    rest[6 * body + j] += a * v[6 * body + j + k];
            }
    for (int i = 0; i < problem->contact_count; ++i) {
        double own[3] = {problem->w[3 * i], problem->w[3 * i + 1], problem->w[3 * i + 2]};
        for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s)
            for (int d = 0; d < 6; ++d)
                for (int k = 0; k < 3; ++k) {
                    double h = H->value[H->value_start[s] + 3 * d + k];
                    rest[6 * H->body[s] + d] -= h * r[3 * i + k];
                    own[k] += h * v[6 * H->body[s] + d];
                }
        for (int k = 0; k < 3; ++k)
            most = fmax(most, fabs(own[k] - u[3 * i + k]));
    }
    for (int k = 0; k < dofs; ++k)
        most = fmax(most, fabs(rest[k]) / scale);
    free(rest);
    return most;
}

TEST(contact_primal_and_dual_give_the_same)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *dual = problem_dual(context, 20, 1, 0.5, 3);
    double *r = impulse_of(dual), *s = impulse_of(dual), *u = impulse_of(dual);
    double *v = calloc((size_t)dual->A.dof_start[dual->A.body_count], sizeof *v);
    for (int k = 0; k < VARIANTS; ++k) {
        if (variants[k].strands)
            continue;
        fil_contact_problem *primal = problem_of_bodies(context, 20, 1, 0.5, 3);
        for (int i = 0; i < 60; ++i)
            primal->w[i] = dual->w[i] = 0;
        fil_contact_def def = def_of(&variants[k]);
        test_ok(context, fil_contact_solve(context, dual, &def, r, NULL, NULL, NULL));
        test_ok(context, fil_contact_solve(context, primal, &def, s, u, v, NULL));
        // To the bit through the same W; to the tolerance on roads without it.
        bool same = memcmp(r, s, 60 * sizeof *r) == 0, forms_W = strcmp(def.solver, "apg") != 0;
        for (int i = 0; i < 60; ++i)
            ck_assert_msg(forms_W ? same : fabs(r[i] - s[i]) <= 1e-6, "%s: r[%d] %g and %g", def.solver, i, r[i], s[i]);
        ck_assert_msg(primal->has_dual == forms_W, "%s: W", def.solver);
        double error = primal_error(primal, s, v, u);
        ck_assert_msg(error <= 1e-11, "%s: error %g", def.solver, error);
        fil_contact_problem_destroy(primal);
    }
    free(r);
    free(s);
    free(u);
    free(v);
    fil_contact_problem_destroy(dual);
    fil_context_destroy(context);
}

// A body with a block that is not positive definite is bad input, and named.
TEST(contact_primal_must_be_positive_definite)
{
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem = problem_of_bodies(context, 20, 1, 0.5, 3);
    fil_contact_def def = fil_contact_def_default();
    double *r = impulse_of(problem);
    r[0] = 42;
    problem->A.value[36 * 4 + 6] = -1;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "A: body 4: the matrix is not positive definite");
    ck_assert(!problem->has_dual && r[0] == 42);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// The upper half of W alone means the same problem.
static void keep_upper_half(fil_block_matrix *W)
{
    int64_t count = 0, begin = 0;
    for (int i = 0; i < W->rows; ++i) {
        int64_t end = W->start[i + 1];
        for (int64_t k = begin; k < end; ++k)
            if (W->column[k] >= i) {
                memmove(W->value + 9 * count, W->value + 9 * k, 9 * sizeof(double));
                W->column[count++] = W->column[k];
            }
        begin = end;
        W->start[i + 1] = count;
    }
    W->half = true;
}

TEST(contact_half_storage_is_the_same_problem)
{
    fil_context *context = fil_context_create(NULL);
    for (int v = 0; v < VARIANTS; ++v) {
        fil_contact_problem *full = easy(context, &variants[v]), *half = easy(context, &variants[v]);
        keep_upper_half(&half->W);
        test_ok(context, fil_contact_problem_check(context, half));
        double *r = impulse_of(full), *s = impulse_of(half);
        fil_contact_def def = def_of(&variants[v]);
        fil_solve_stats stats, half_stats;
        test_ok(context, fil_contact_solve(context, full, &def, r, NULL, NULL, &stats));
        test_ok(context, fil_contact_solve(context, half, &def, s, NULL, NULL, &half_stats));
        ck_assert_msg(stats.outcome == half_stats.outcome, "%s: %s, half %s", def.solver,
                      fil_outcome_name(stats.outcome), fil_outcome_name(half_stats.outcome));
        ck_assert(half->W.half);
        free(r);
        free(s);
        fil_contact_problem_destroy(full);
        fil_contact_problem_destroy(half);
    }
    fil_context_destroy(context);
}

// Nonsense from a host gets a sentence, not a hang or a crash.
TEST(contact_refuses_nonsense)
{
    fil_context *context = fil_context_create(NULL);
    const double q[3] = {-1, 0, 0};
    double r[3] = {0};
    fil_contact_problem *problem = problem_single(context, 1, q, 0.3), *none;
    fil_contact_def def = fil_contact_def_default();
    def.solver = NULL;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "solver and local: must be names (start from fil_contact_def_default)");
    def = fil_contact_def_default();
    def.merit = (fil_merit)9;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "merit: must be natural, fclib or fb (got 9)");
    def = fil_contact_def_default();
    problem->mu[0] = NAN;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "mu[0]: must be a finite number >= 0 (got nan)");
    problem->mu[0] = 0.3;
    problem->q[1] = NAN;
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT,
               "q[1]: must be a finite number (got nan)");
    test_fails(context, fil_contact_problem_create_dual(context, -1, 0, &none), FIL_BAD_INPUT,
               "a problem of -1 contacts with 0 blocks cannot be");
    test_fails(context, fil_contact_problem_create_primal(context, 1, -1, 0, 0, 0, 0, &none), FIL_BAD_INPUT,
               "a problem cannot have a negative number of anything");
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}

// Newton methods say what is too large for them; auto does without.
TEST(contact_newton_refuses_what_is_too_large)
{
    enum { CONTACTS = 10001 };
    static const char too_large[] =
        "Newton methods factor a matrix and take at most 10000 contacts (got 10001): use auto or gs";
    fil_context *context = fil_context_create(NULL);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, CONTACTS, CONTACTS, &problem));
    for (int i = 0; i < CONTACTS; ++i) {
        problem->W.start[i + 1] = i + 1;
        problem->W.column[i] = i;
        for (int k = 0; k < 3; ++k)
            problem->W.value[9 * i + 4 * k] = 1;
        problem->q[3 * i] = -1;
        problem->mu[i] = 0.3;
    }
    double *r = impulse_of(problem);
    fil_contact_def def = fil_contact_def_default();
    def.solver = "proximal";
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT, too_large);
    def.solver = "newton";
    test_fails(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL), FIL_BAD_INPUT, too_large);
    def.solver = "auto";
    test_ok(context, fil_contact_solve(context, problem, &def, r, NULL, NULL, NULL));
    test_near(r[0], 1, 1e-8);
    free(r);
    fil_contact_problem_destroy(problem);
    fil_context_destroy(context);
}
