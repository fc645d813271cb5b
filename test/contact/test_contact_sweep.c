// One sweep: the right contacts, in the right order, with the right right-hand side; colours; freezing; relaxation.
#include "contact/contact_sweep.h"

#include "base/arena.h"
#include "strands.h"

typedef struct setting {
    fil_context *context;
    fil_contact_problem *problem;
    fil_contact_task task;
    fil_sweep sweep;
    double *r;
} setting;

// A long chain: each contact touches the next only, so that colours are few and chunks of one colour many.
static fil_contact_problem *chain(fil_context *context, int contacts)
{
    fil_rng rng = fil_rng_make(12);
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, contacts, 3 * (int64_t)contacts - 2, &problem));
    int64_t count = 0;
    for (int i = 0; i < contacts; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < contacts; ++j, ++count) {
            problem->W.column[count] = j;
            for (int k = 0; k < 3; ++k)
                problem->W.value[9 * count + 4 * k] = i == j ? 2 : -0.7;
        }
        problem->W.start[i + 1] = count;
        problem->mu[i] = fil_rng_uniform(&rng, 0, 0.7);
        for (int k = 0; k < 3; ++k)
            problem->q[3 * i + k] = fil_rng_normal(&rng) - (k == 0);
    }
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

static void set_up_with(setting *s, fil_contact_problem *problem, fil_context *context, fil_sweep_order order)
{
    s->context = context;
    s->problem = problem;
    s->task = (fil_contact_task){
        .context = context, .problem = problem, .scratch = fil_arena_create(context), .tolerance = 1e-8};
    test_ok(context, fil_local_parse(context, s->task.scratch, "root+enum", 1e-12, &s->task.local));
    test_ok(context, fil_sweep_make(&s->task, order, &s->sweep));
    s->r = impulse_of(problem);
}

static void set_up(setting *s, int contacts, fil_sweep_order order, int threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_context_set_threads(context, threads);
    set_up_with(s, problem_dual(context, contacts, 2, 0.7, 12), context, order);
}

static void set_up_chain(setting *s, int contacts, fil_sweep_order order, int threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_context_set_threads(context, threads);
    set_up_with(s, chain(context, contacts), context, order);
}

// Contacts between strands, W and all.
static void set_up_strands(setting *s, int contacts, fil_sweep_order order, int threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_context_set_threads(context, threads);
    strands_def def = {.strands = contacts / 5, .contacts = contacts, .least = 4, .most = 8, .seed = 5};
    fil_contact_problem *problem = problem_of_strands(context, &def);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    set_up_with(s, problem, context, order);
}

static void tear_down(setting *s)
{
    free(s->r);
    fil_arena_destroy(s->task.scratch);
    fil_contact_problem_destroy(s->problem);
    fil_context_destroy(s->context);
}

// The contact i solved with all others held, from the dense W.
static void visit_plainly(const setting *s, const double *W, int i, double *r)
{
    int size = 3 * s->problem->contact_count;
    double c[3], block[9];
    for (int a = 0; a < 3; ++a) {
        c[a] = s->problem->q[3 * i + a];
        for (int j = 0; j < size; ++j)
            if (j / 3 != i)
                c[a] += W[3 * i + a + size * j] * r[j];
        for (int b = 0; b < 3; ++b)
            block[a + 3 * b] = W[3 * i + a + size * (3 * i + b)];
    }
    fil_local_counts counts = {0};
    fil_local_solve(&s->task.local, block, c, s->problem->mu[i], r + 3 * i, &counts);
}

TEST(contact_sweep_is_gauss_seidel)
{
    setting s;
    set_up(&s, 30, FIL_SWEEP_NATURAL, 1);
    double *W = problem_dense(s.problem), *expected = impulse_of(s.problem);
    for (int sweep = 0; sweep < 3; ++sweep) {
        fil_sweep_run(&s.sweep, s.r);
        for (int i = 0; i < 30; ++i)
            visit_plainly(&s, W, i, expected);
        for (int k = 0; k < 90; ++k)
            test_near(s.r[k], expected[k], 1e-11);
    }
    ck_assert_int_eq(s.sweep.counts.calls, 90);
    ck_assert_int_eq(s.sweep.number, 3);
    free(W);
    free(expected);
    tear_down(&s);
}

// Every contact has its task, and tasks of one round share no block of W.
static void check_schedule(const setting *s)
{
    const fil_block_matrix *W = &s->problem->W;
    const fil_contact_schedule *schedule = &s->sweep.schedule;
    int n = s->problem->contact_count;
    int *task_of = malloc((size_t)n * sizeof *task_of), *round_of = malloc((size_t)n * sizeof *round_of);
    ck_assert(s->sweep.scheduled);
    for (int i = 0; i < n; ++i)
        task_of[i] = -1;
    ck_assert_int_eq(schedule->round_start[schedule->rounds], schedule->tasks);
    ck_assert_int_eq(schedule->task_start[schedule->tasks], n);
    for (int round = 0; round < schedule->rounds; ++round)
        for (int task = schedule->round_start[round]; task < schedule->round_start[round + 1]; ++task)
            for (int k = schedule->task_start[task]; k < schedule->task_start[task + 1]; ++k) {
                ck_assert_int_eq(task_of[schedule->contact[k]], -1);
                task_of[schedule->contact[k]] = task;
                round_of[schedule->contact[k]] = round;
            }
    long clashes = 0;
    for (int i = 0; i < n; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
            int j = W->column[k];
            clashes += task_of[i] != task_of[j] && round_of[i] == round_of[j];
        }
    ck_assert_int_eq(clashes, 0);
    free(task_of);
    free(round_of);
}

TEST(contact_sweep_colours_are_independent)
{
    setting s;
    set_up(&s, 500, FIL_SWEEP_COLOURED, 2);
    check_schedule(&s);
    tear_down(&s);
    set_up_chain(&s, 1000, FIL_SWEEP_COLOURED, 2);
    check_schedule(&s);
    ck_assert_int_eq(s.sweep.schedule.rounds, 2); // a chain needs two
    tear_down(&s);
}

TEST(contact_sweep_parts_of_bodies_are_independent)
{
    setting s;
    set_up_strands(&s, 2500, FIL_SWEEP_BODIES, 2);
    check_schedule(&s);
    const fil_contact_schedule *schedule = &s.sweep.schedule;
    ck_assert_int_eq(schedule->round_start[1], 8); // the parts, none of them empty
    ck_assert_int_lt(schedule->rounds, 16);
    tear_down(&s);
    // Too few, and no bodies: one after the other.
    set_up_strands(&s, 500, FIL_SWEEP_BODIES, 2);
    ck_assert(!s.sweep.scheduled);
    tear_down(&s);
    set_up_chain(&s, 3000, FIL_SWEEP_BODIES, 2);
    ck_assert(!s.sweep.scheduled);
    tear_down(&s);
}

// The copy of W is W: a sweep visits the contacts in the order of the schedule.
TEST(contact_sweep_by_bodies_is_gauss_seidel)
{
    setting s, natural;
    set_up_strands(&s, 2500, FIL_SWEEP_BODIES, 2);
    set_up_strands(&natural, 2500, FIL_SWEEP_NATURAL, 1);
    fil_sweep_run(&s.sweep, s.r);
    // A natural sweep of a problem whose contacts are numbered as the schedule has them, one contact at a time.
    natural.sweep.freeze = true;
    natural.sweep.number = 1;
    for (int k = 0; k < s.problem->contact_count; ++k) {
        memset(natural.sweep.quiet, 255, (size_t)s.problem->contact_count);
        natural.sweep.quiet[s.sweep.schedule.contact[k]] = 0;
        natural.sweep.number = 1;
        fil_sweep_run(&natural.sweep, natural.r);
    }
    ck_assert_mem_eq(s.r, natural.r, 3 * (size_t)s.problem->contact_count * sizeof *s.r);
    tear_down(&s);
    tear_down(&natural);
}

static void check_threads(void (*make)(setting *, int, fil_sweep_order, int), int contacts, fil_sweep_order order)
{
    double *first = NULL;
    int64_t calls = 0;
    for (int threads = 1; threads <= 8; threads *= 2) {
        setting s;
        make(&s, contacts, order, threads);
        s.sweep.freeze = true;
        s.sweep.quiet_change = 1e-6;
        for (int sweep = 0; sweep < 30; ++sweep)
            fil_sweep_run(&s.sweep, s.r);
        if (!first) {
            first = s.r;
            calls = s.sweep.counts.calls;
            s.r = NULL;
        } else {
            ck_assert(memcmp(first, s.r, 3 * (size_t)s.problem->contact_count * sizeof *first) == 0);
            ck_assert_int_eq(s.sweep.counts.calls, calls);
        }
        tear_down(&s);
    }
    free(first);
}

TEST(contact_sweep_same_bits_on_any_number_of_threads)
{
    for (int order = FIL_SWEEP_NATURAL; order <= FIL_SWEEP_COLOURED; ++order) {
        check_threads(set_up, 600, (fil_sweep_order)order);
        check_threads(set_up_chain, 600, (fil_sweep_order)order);
    }
    check_threads(set_up_strands, 2500, FIL_SWEEP_BODIES);
}

// The coloured order is a Gauss-Seidel too: it ends at the same solution.
TEST(contact_sweep_orders_agree_in_the_end)
{
    setting natural, coloured;
    set_up_chain(&natural, 200, FIL_SWEEP_NATURAL, 2);
    set_up_chain(&coloured, 200, FIL_SWEEP_COLOURED, 2);
    for (int sweep = 0; sweep < 400; ++sweep) {
        fil_sweep_run(&natural.sweep, natural.r);
        fil_sweep_run(&coloured.sweep, coloured.r);
    }
    for (int k = 0; k < 600; ++k)
        test_near(natural.r[k], coloured.r[k], 1e-9);
    tear_down(&natural);
    tear_down(&coloured);
}

// Contacts that no longer move are left alone until the next full sweep, and a moving one is never.
TEST(contact_sweep_freezes_quiet_contacts)
{
    setting s;
    set_up(&s, 50, FIL_SWEEP_NATURAL, 1);
    s.sweep.freeze = true;
    s.sweep.quiet_change = INFINITY; // everything counts as quiet
    for (int sweep = 0; sweep < s.sweep.quiet_needed; ++sweep)
        fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, 50 * s.sweep.quiet_needed);
    fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, 50 * s.sweep.quiet_needed); // all sleep
    while (s.sweep.number % s.sweep.full_period != 0)
        fil_sweep_run(&s.sweep, s.r);
    fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, 50 * (s.sweep.quiet_needed + 1)); // all are looked at
    s.sweep.quiet_change = -1;                                               // nothing counts as quiet
    while (s.sweep.number % s.sweep.full_period != 0)
        fil_sweep_run(&s.sweep, s.r);
    int64_t before = s.sweep.counts.calls;
    fil_sweep_run(&s.sweep, s.r); // wakes all
    fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, before + 100);
    tear_down(&s);
}

TEST(contact_sweep_wakes_all)
{
    setting s;
    set_up(&s, 50, FIL_SWEEP_NATURAL, 1);
    s.sweep.freeze = true;
    s.sweep.quiet_change = INFINITY;
    for (int sweep = 0; sweep <= s.sweep.quiet_needed; ++sweep)
        fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, 50 * s.sweep.quiet_needed);
    fil_sweep_wake(&s.sweep);
    fil_sweep_run(&s.sweep, s.r);
    ck_assert_int_eq(s.sweep.counts.calls, 50 * (s.sweep.quiet_needed + 1));
    tear_down(&s);
}

// r + omega (r_new - r), projected on the cone.
TEST(contact_sweep_relaxes_within_the_cone)
{
    setting plain, relaxed;
    set_up(&plain, 1, FIL_SWEEP_NATURAL, 1);
    set_up(&relaxed, 1, FIL_SWEEP_NATURAL, 1);
    plain.problem->q[0] = relaxed.problem->q[0] = -1;
    plain.problem->mu[0] = relaxed.problem->mu[0] = 0.5;
    relaxed.sweep.relaxation = 0.5;
    fil_sweep_run(&plain.sweep, plain.r);
    fil_sweep_run(&relaxed.sweep, relaxed.r);
    ck_assert(plain.r[0] > 0);
    for (int k = 0; k < 3; ++k)
        test_near(relaxed.r[k], 0.5 * plain.r[k], 1e-14);
    // From the far side of the cone a step almost twice as long leaves it: it must be brought back.
    relaxed.sweep.relaxation = 1.9;
    int on_the_edge = 0;
    for (int k = 0; k < 16; ++k) {
        double size = plain.r[0] * (1 + 0.1 * k);
        relaxed.r[0] = size;
        relaxed.r[1] = 0.5 * size * cos(0.4 * k);
        relaxed.r[2] = 0.5 * size * sin(0.4 * k);
        fil_sweep_run(&relaxed.sweep, relaxed.r);
        double friction = hypot(relaxed.r[1], relaxed.r[2]);
        ck_assert(friction <= 0.5 * relaxed.r[0] * (1 + 1e-14));
        on_the_edge += friction > 0.5 * relaxed.r[0] * (1 - 1e-12);
    }
    ck_assert_int_gt(on_the_edge, 3);
    tear_down(&plain);
    tear_down(&relaxed);
}

// Measuring the memory traffic alone must not change anything.
TEST(contact_sweep_copy_only_changes_nothing)
{
    setting s;
    set_up(&s, 20, FIL_SWEEP_NATURAL, 1);
    s.sweep.copy_only = true;
    for (int k = 0; k < 60; ++k)
        s.r[k] = k;
    fil_sweep_run(&s.sweep, s.r);
    for (int k = 0; k < 60; ++k)
        ck_assert(s.r[k] == k);
    ck_assert_int_eq(s.sweep.counts.calls, 0);
    tear_down(&s);
}
