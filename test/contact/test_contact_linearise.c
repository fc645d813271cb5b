// One Newton step against the dense system, eliminated contacts included.
#include "contact/contact_linearise.h"

#include "failing_allocator.h"
#include "problems.h"

typedef struct setting {
    fil_context *context;
    fil_contact_problem *problem;
    fil_contact_task task;
    fil_solve_stats stats;
    fil_contact_watch watch;
    fil_linearisation lin;
} setting;

static void set_up(setting *s, int contacts, uint64_t seed)
{
    *s = (setting){.context = fil_context_create(NULL)};
    s->problem = problem_dual(s->context, contacts, 2, 0.7, seed);
    s->task = (fil_contact_task){
        .context = s->context, .problem = s->problem, .scratch = fil_arena_create(s->context), .tolerance = 1e-8};
    test_ok(s->context, fil_contact_watch_make(&s->task, &s->stats, 100, &s->watch));
    test_ok(s->context, fil_linearisation_make(&s->watch, s->task.scratch, &s->lin));
}

static void tear_down(setting *s)
{
    fil_arena_destroy(s->task.scratch);
    fil_contact_problem_destroy(s->problem);
    fil_context_destroy(s->context);
}

// |[A + B (W + lambda / rho)] dr + F| relative to |F|, from the dense W and the maps themselves.
static double step_error(const setting *s, fil_map map, double lambda, const double *r, const double *dr,
                         int *taken_off)
{
    int n = s->problem->contact_count, size = 3 * n;
    double *W = problem_dense(s->problem), error = 0, scale = 0;
    for (int i = 0; i < n; ++i) {
        double u[3], y[3], F[3], A[9], B[9], trace = 0;
        for (int k = 0; k < 3; ++k)
            trace += W[3 * i + k + size * (3 * i + k)];
        double rho = 3 / trace;
        for (int k = 0; k < 3; ++k) {
            u[k] = s->problem->q[3 * i + k];
            y[k] = lambda / rho * dr[3 * i + k];
            for (int j = 0; j < size; ++j) {
                u[k] += W[3 * i + k + size * j] * r[j];
                y[k] += W[3 * i + k + size * j] * dr[j];
            }
        }
        fil_contact_map(map, s->problem->mu[i], rho, r + 3 * i, u, F, A, B);
        bool idle = true;
        for (int k = 0; k < 9; ++k)
            idle &= B[k] == 0;
        *taken_off += idle;
        for (int k = 0; k < 3; ++k) {
            double rest = F[k];
            for (int m = 0; m < 3; ++m)
                rest += A[k + 3 * m] * dr[3 * i + m] + B[k + 3 * m] * y[m];
            error = fmax(error, fabs(rest));
            scale = fmax(scale, fabs(F[k]));
        }
    }
    free(W);
    return error / scale;
}

TEST(contact_linearise_step_solves_the_dense_system)
{
    static const char *const names[] = {"ac", "jm", "nm", "fb"};
    for (int map = 0; map < 4; ++map) {
        setting s;
        set_up(&s, 25, 41);
        fil_rng rng = fil_rng_make(41);
        double *r = impulse_of(s.problem), *dr = impulse_of(s.problem);
        int taken_off = 0;
        // The same object for many points: the pattern changes with the contacts that take off.
        for (int n = 0; n < 20; ++n) {
            for (int k = 0; k < 75; ++k)
                r[k] = fil_rng_normal(&rng) + (k % 3 == 0);
            double lambda = n % 2 ? 1e-2 : 1;
            double square = fil_linearisation_evaluate(&s.lin, (fil_map)map, r, true);
            ck_assert(square > 0 && square == s.lin.square);
            ck_assert_int_eq(fil_linearisation_step(&s.lin, lambda, dr), 0);
            double error = step_error(&s, (fil_map)map, lambda, r, dr, &taken_off);
            ck_assert_msg(error <= 1e-9, "%s: point %d: error %.3g", names[map], n, error);
        }
        if (map == FIL_MAP_AC || map == FIL_MAP_NM)
            ck_assert_msg(taken_off > 20, "%s: only %d contacts took off: the test is weak", names[map], taken_off);
        free(r);
        free(dr);
        tear_down(&s);
    }
}

// A doubled contact that sticks: J = rho W has two equal rows, exactly.
static void set_doubled(fil_contact_problem *problem)
{
    memcpy(problem->W.start, (int64_t[]){0, 2, 4}, sizeof(int64_t[3]));
    memcpy(problem->W.column, (int[]){0, 1, 0, 1}, sizeof(int[4]));
    for (int block = 0; block < 4; ++block)
        for (int k = 0; k < 9; ++k)
            problem->W.value[9 * block + k] = k % 4 == 0;
    problem->mu[0] = problem->mu[1] = 1;
}

TEST(contact_linearise_reports_a_singular_matrix)
{
    setting s = {.context = fil_context_create(NULL)};
    test_ok(s.context, fil_contact_problem_create_dual(s.context, 2, 4, &s.problem));
    set_doubled(s.problem);
    s.task = (fil_contact_task){
        .context = s.context, .problem = s.problem, .scratch = fil_arena_create(s.context), .tolerance = 1e-8};
    test_ok(s.context, fil_contact_watch_make(&s.task, &s.stats, 100, &s.watch));
    test_ok(s.context, fil_linearisation_make(&s.watch, s.task.scratch, &s.lin));
    double r[6] = {5, 0, 0, 5, 0, 0}, dr[6];
    s.problem->q[0] = s.problem->q[3] = -9;
    fil_linearisation_evaluate(&s.lin, FIL_MAP_AC, r, true);
    ck_assert_int_eq(fil_linearisation_step(&s.lin, 0, dr), 1);
    // The proximal term makes it regular.
    ck_assert_int_eq(fil_linearisation_step(&s.lin, 1e-2, dr), 0);
    tear_down(&s);
}
