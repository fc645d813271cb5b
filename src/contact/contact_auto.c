// auto: the default. Cheap methods first, judged all the time, dearer ones when progress stalls.
//
//   1. Gauss-Seidel, 15 sweeps: most problems of a simulation end here.
//   2. Rounds, until solved or the budget is spent:
//      a. Anderson-accelerated sweeps, as long as they gain a factor of three per budget;
//      b. adaptive-proximal Newton, from zero in the first rounds (a start from late sweeps leads into local minima of
//         |F|), from the best point afterwards; another map and memory each round;
//      c. later: kicks. The best point is moved along the drift of the sweeps, or at random, and Newton tries from
//      there.
//
// Impulses that are known, from the step before, are mostly nearly right: accelerated sweeps finish nearly all of them
// soon, and the few that are left are solved apart (contact_core.c), in turn. That is given up when it gains little,
// and sweeps alone when their rate does not promise the tolerance. Where there are many contacts, those that press are
// first solved in this way without the open ones (contact_press.c).
//
// Many contacts of strands in dense bundles begin with admm instead, which needs no W: nearly all end there. Where the
// first guess is worse than none, what spoils it is solved apart first. Where a few contacts hold it up, they are
// solved apart by 1 and 2 (contact_patch.c), and admm goes on; in the end the whole goes on with 1 and 2 from the best
// point, when there is room for W. Strands with few contacts each have a W with short rows, which sweeps and Newton
// solve far sooner, the stiffer the strands the more: they take 1 and 2 first, and admm when they are too many for
// Newton, or many and given up by sweeps from known impulses. The fewer contacts, the sooner Newton takes over from
// admm.
//
// The budget of (a) grows with the cost of (b), so that neither can waste much more than the other would need. All
// budgets are counted in iterations: the same problem gives the same bits on any machine load and thread count. Where
// the normals alone prove that no impulse can keep the bodies apart, it says so (contact_certificate.c).
#include "contact/contact.h"
#include "contact/contact_admm.h"
#include "contact/contact_anderson.h"
#include "contact/contact_certificate.h"
#include "contact/contact_core.h"
#include "contact/contact_patch.h"
#include "contact/contact_press.h"
#include "contact/contact_proximal.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 10 };

typedef struct auto_state {
    const fil_contact_task *task;
    fil_contact_watch watch;
    fil_sweep sweep;
    fil_anderson anderson;
    fil_proximal proximal;
    fil_contact_strands *strands; // NULL: the road of strands was not taken
    bool dual;                    // W is there, or can be had
    bool sparse;                  // ... and has short rows, or few of them
    bool promising;               // ... and rows that are short enough for a trial from the impulses that are known
    bool newton;                  // the matrix is small enough to factor
    int64_t size;
    double *r, *start;
    fil_rng rng;
} auto_state;

typedef struct auto_param {
    int largest_newton;
} auto_param;

static const fil_field fields[] = {
    {"largest_newton", FIL_KIND_INT, offsetof(auto_param, largest_newton), 6000, 0, FIL_LINEARISATION_LARGEST,
     "contacts", NULL, "above this size no matrix is factored"},
};

static const double last_digits = 1e-6; // below, admm takes ten times as many iterations

// Fewer contacts of bundles are solved by sweeps and Newton before admm arrives (docs/contact/auto.md).
static bool is_small(const fil_contact_task *task)
{
    const int fewest = 100, fewest_for_last_digits = 200;
    return task->problem->contact_count < (task->tolerance >= last_digits ? fewest : fewest_for_last_digits);
}

// The view for the judge: strands, where admm will run and W is not there yet; else W.
static fil_status choose_view(const fil_contact_task *task, bool sparse)
{
    if (task->problem->has_dual)
        return FIL_OK;
    fil_contact_scale *scale = task->scale;
    fil_status status = FIL_OK;
    if (!sparse)
        status = fil_contact_operator_make_strands(task->context, task->scratch, task->problem, &scale->op);
    if (status != FIL_OK)
        return status;
    return scale->op.strands ? fil_contact_merit_make(&scale->op, task->scratch, &scale->merit)
                             : fil_contact_problem_form_dual(task->context, task->problem);
}

// Whether W is there, or there is room for it and time for its sweeps; whether its rows are short. A block for each
// pair of sides of a body, at most.
static fil_status look_for_dual(const fil_contact_task *task, auto_state *state)
{
    const double most_bytes = 4e9, bytes_of_block = 9 * sizeof(double) + 2 * sizeof(int);
    const double short_row = 30, long_row = 80; // blocks; bundles have 50
    const int most_contacts = 200000, most_trial = 30000;
    const fil_contact_problem *problem = task->problem;
    double contacts = problem->contact_count, blocks = 0;
    state->dual = problem->has_dual;
    if (state->dual) {
        blocks = (double)problem->W.start[problem->contact_count];
    } else if (problem->contact_count <= most_contacts) {
        int *sides = FIL_ARENA_ARRAY(task->scratch, int, problem->A.body_count);
        if (!sides)
            return FIL_NO_MEMORY;
        for (int side = 0; side < problem->H.side_start[problem->contact_count]; ++side)
            ++sides[problem->H.body[side]];
        for (int body = 0; body < problem->A.body_count; ++body)
            blocks += (double)sides[body] * sides[body];
        state->dual = blocks * bytes_of_block <= most_bytes;
    }
    state->sparse = state->dual && (is_small(task) || blocks <= short_row * contacts);
    state->promising = state->dual && blocks <= long_row * contacts && contacts <= most_trial;
    return FIL_OK;
}

static fil_status make(const fil_contact_task *task, const auto_param *setting, fil_solve_stats *stats,
                       auto_state *state)
{
    const int64_t default_budget = 300000; // four times what the hardest problem that it solved has needed
    int64_t size = 3 * (int64_t)task->problem->contact_count;
    *state = (auto_state){.task = task, .size = size, .rng = fil_rng_make(1)};
    fil_status status = look_for_dual(task, state);
    if (status == FIL_OK)
        status = choose_view(task, state->sparse);
    if (status == FIL_OK)
        status = fil_contact_watch_make(task, stats, default_budget, &state->watch);
    state->r = FIL_ARENA_ARRAY(task->scratch, double, size);
    state->newton = task->problem->contact_count <= setting->largest_newton;
    return status == FIL_OK && !state->r ? FIL_NO_MEMORY : status;
}

static void start_from_best(auto_state *state, double *r)
{
    memcpy(r, state->watch.best, (size_t)state->size * sizeof *r);
}

// Until the tolerance, or the end of a budget, or until there is nothing more to be hoped for.
static fil_status run_admm_to(auto_state *state, double tolerance, int64_t iterations, const fil_admm_plan *plan)
{
    fil_contact_watch *watch = &state->watch;
    fil_contact_task part = *state->task;
    int64_t budget = watch->budget, used = watch->stats->iterations;
    part.tolerance = tolerance;
    watch->task = &part;
    if (budget - used > iterations)
        watch->budget = used + iterations;
    fil_status status = fil_admm_run(watch, state->strands, plan, state->r);
    watch->task = state->task;
    watch->budget = budget;
    watch->stop = watch->least <= state->task->tolerance || watch->stats->iterations >= watch->budget ||
                  watch->stats->outcome == FIL_CANCELLED;
    start_from_best(state, state->r);
    return status;
}

// A few contacts hold admm up: they are solved apart, and it goes on from there.
static fil_status run_patches(auto_state *state, double tolerance, const fil_admm_plan *plan)
{
    enum { ROUNDS = 4, ITERATIONS = 2500 };
    const fil_contact_patch_plan patch = {.left = 0.3 * state->task->tolerance, .most = 1};
    fil_status status = FIL_OK;
    bool done;
    for (int round = 0; round < ROUNDS && status == FIL_OK && !state->watch.stop; ++round) {
        if (state->watch.least <= tolerance)
            break;
        status = fil_contact_patch_run(&state->watch, &patch, state->r, &done);
        if (status == FIL_OK && !state->watch.stop)
            status = run_admm_to(state, tolerance, ITERATIONS, plan);
    }
    return status;
}

// Stiffer copies for the last digits: they need more iterations for the first ones.
static fil_status run_admm(auto_state *state)
{
    const fil_admm_plan first = {.slip = 0.3, .floats = true, .patience = 300},
                        last = {.kappa = 60, .slip = 0.3, .patience = 300};
    // Twice what hair has needed; for few contacts Newton costs less than that.
    const int64_t all = INT64_MAX, usual = state->task->problem->contact_count <= 1000 ? 1000 : 10000;
    double tolerance = state->task->tolerance;
    fil_status status = run_admm_to(state, fmax(tolerance, last_digits), state->dual ? usual : all, &first);
    if (status == FIL_OK)
        status = run_patches(state, fmax(tolerance, last_digits), &first);
    if (status == FIL_OK && !state->watch.stop && state->watch.least <= last_digits)
        status = run_admm_to(state, tolerance, all, &last);
    return status;
}

// Plain sweeps; every one of the first five is judged, then every fifth.
static void run_sweeps(auto_state *state, int sweeps)
{
    state->watch.phase = "gs";
    for (int k = 1; k <= sweeps && !state->watch.stop; ++k) {
        fil_sweep_run(&state->sweep, state->r);
        fil_contact_watch_count(&state->watch, 1, 0);
        if (k <= 5 || k % 5 == 0 || state->watch.stop)
            fil_contact_watch_judge(&state->watch, state->r);
    }
}

// Work is measured in block multiply-adds, not in seconds, so that every choice is the same on every machine. The
// weights are measured: a multiply-add in the factorisation takes as long as four in a sweep, one local solve with its
// share of the mixing as long as eighty. In all about a minute of one core may be spent.
static const double factor_weight = 4, contact_weight = 80, most_work = 3e10;

static void measure_sweep(auto_state *state)
{
    const fil_contact_problem *problem = state->task->problem;
    double blocks = (double)problem->W.start[problem->contact_count], contacts = problem->contact_count;
    state->watch.sweep_work = blocks + contact_weight * contacts;
    state->watch.work_left = most_work;
    // A guess until the fill is known: rows of the factors as long as those of W, squared.
    state->watch.newton_work = factor_weight * blocks * blocks / contacts;
}

// Prepares Newton when it is first wanted; gives it up when one factorisation would take all that may be spent.
static fil_status prepare_newton(auto_state *state)
{
    fil_proximal *proximal = &state->proximal;
    fil_status status = fil_proximal_make(&state->watch, &state->sweep, proximal);
    if (status != FIL_OK)
        return status;
    fil_linearisation_evaluate(&proximal->lin, FIL_MAP_AC, state->r, true);
    state->watch.newton_work = factor_weight * fil_linearisation_work(&proximal->lin, proximal->dr);
    state->newton = state->watch.newton_work < most_work;
    return FIL_OK;
}

// As long as the present rate promises the goal within so many sweeps.
static void run_anderson_within(auto_state *state, double sweeps, double relaxation, int64_t steps)
{
    fil_anderson_plan plan = {.window = WINDOW, .sweeps = 1, .relaxation = relaxation, .steps = steps};
    state->watch.phase = "anderson";
    while (!state->watch.stop) {
        double before = state->watch.least;
        fil_anderson_run(&state->anderson, &plan, state->r);
        double gain = log(before / state->watch.least), missing = log(state->watch.least / state->task->tolerance);
        if (!(missing * (double)plan.steps <= gain * sweeps))
            break;
    }
}

// The first round: as long as that costs less than Newton.
static void run_anderson_while_cheap(auto_state *state)
{
    const double usual_steps = 30; // of Newton
    double sweeps = state->newton ? usual_steps * state->watch.newton_work / state->watch.sweep_work : 1e5;
    run_anderson_within(state, sweeps, 0.9, 50);
}

// Later rounds: a growing budget, again while each run gains a factor of three.
static void run_anderson(auto_state *state, int round)
{
    const double worthwhile = 0.3;
    const int most_runs = 8;
    int64_t steps = 150 + (state->newton ? 100 * round : INT64_C(1000) << (round < 8 ? round : 8));
    fil_anderson_plan plan = {
        .window = WINDOW, .sweeps = round % 4 == 3 ? 4 : 1, .relaxation = round % 2 == 0 ? 0.9 : 0.7, .steps = steps};
    state->watch.phase = "anderson";
    for (int run = 0; run < most_runs && !state->watch.stop; ++run) {
        double before = state->watch.least;
        fil_anderson_run(&state->anderson, &plan, state->r);
        if (state->watch.least > worthwhile * before)
            break;
    }
}

// The portfolio. On over-constrained problems each entry alone solves 94 to 98 of 100 (docs/contact/auto.md), nearly
// independently of the others.
static const fil_proximal_plan plans[] = {
    {.map = FIL_MAP_AC, .memory = 10, .iterations = 150, .lambda = 1e-2, .floor = 1e-7},
    {.map = FIL_MAP_NM, .memory = 15, .iterations = 400, .lambda = 1e-2, .floor = 1e-7},
    {.map = FIL_MAP_JM, .memory = 15, .iterations = 400, .lambda = 1e-2, .floor = 1e-7},
    {.map = FIL_MAP_AC, .memory = 15, .iterations = 400, .lambda = 1e-2, .floor = 1e-12},
    {.map = FIL_MAP_NM, .memory = 10, .iterations = 400, .lambda = 1e-3, .floor = 1e-7},
    {.map = FIL_MAP_FB, .memory = 15, .iterations = 300, .lambda = 1e-3, .floor = 1e-7},
    {.map = FIL_MAP_AC, .memory = 15, .iterations = 400, .lambda = 1e-1, .floor = 1e-7},
    {.map = FIL_MAP_NM, .memory = 40, .iterations = 400, .lambda = 1e-2, .floor = 1e-12},
};
enum { PLANS = sizeof plans / sizeof *plans };

// From zero while the plans are new, then from the best point shaken at random.
static void choose_start(auto_state *state, int round)
{
    double *x = state->start;
    memset(x, 0, (size_t)state->size * sizeof *x);
    if (round < PLANS)
        return;
    for (int64_t k = 0; k < state->size; ++k)
        x[k] = state->watch.best[k] * fil_rng_uniform(&state->rng, 0, 2);
}

static void run_newton(auto_state *state, int round)
{
    static const char *const names[] = {"proximal-ac", "proximal-jm", "proximal-nm", "proximal-fb"};
    const fil_proximal_plan *plan = &plans[round % PLANS];
    choose_start(state, round);
    state->watch.phase = names[plan->map];
    if (!fil_proximal_run(&state->proximal, plan, state->start))
        state->newton = false;
}

static fil_status run_strands(auto_state *state)
{
    fil_status status = fil_contact_watch_strands(&state->watch, &state->strands);
    return status == FIL_OK && state->strands ? run_admm(state) : status;
}

static fil_status run_rounds(auto_state *state)
{
    measure_sweep(state);
    for (int round = 0; !state->watch.stop; ++round) {
        if (round == 0)
            run_anderson_while_cheap(state);
        else
            run_anderson(state, round);
        if (round == 0 && state->newton && !state->watch.stop) {
            fil_status status = prepare_newton(state);
            if (status != FIL_OK)
                return status;
        }
        if (state->newton && !state->watch.stop)
            run_newton(state, round);
        start_from_best(state, state->r);
        // Sweeps are at the end of what they can do, and no matrix is factored.
        if (round == 0 && !state->newton && !state->strands && !state->watch.stop) {
            fil_status status = run_strands(state);
            if (status != FIL_OK)
                return status;
        }
        // What resists a whole round may have no solution at all: worth a few hundred cheap sweeps, once.
        if (round == 0 && !state->watch.stop) {
            fil_certificate found = fil_contact_certificate_search(state->task->problem, state->task->scratch);
            if (found == FIL_CERTIFICATE_NO_MEMORY)
                return FIL_NO_MEMORY;
            if (found == FIL_CERTIFICATE_FOUND) {
                state->watch.stats->outcome = FIL_NO_SOLUTION;
                break;
            }
        }
    }
    return FIL_OK;
}

static fil_status prepare_sweeps(auto_state *state)
{
    fil_status status = fil_contact_problem_form_dual(state->task->context, state->task->problem);
    return status == FIL_OK ? fil_sweep_make(state->task, FIL_SWEEP_BODIES, &state->sweep) : status;
}

static fil_status prepare_anderson(auto_state *state)
{
    fil_status status = fil_anderson_make(&state->watch, &state->sweep, WINDOW, &state->anderson);
    state->start = FIL_ARENA_ARRAY(state->task->scratch, double, state->size);
    return status == FIL_OK && !state->start ? FIL_NO_MEMORY : status;
}

// Accelerated sweeps over all and solutions of what they leave, in turn; while two of each gain a factor of three.
static fil_status run_cores(auto_state *state)
{
    const fil_anderson_plan plan = {.window = WINDOW, .sweeps = 1, .relaxation = 1, .steps = 20};
    const double worthwhile = 0.3;
    fil_status status = FIL_OK;
    bool found = true;
    for (double before = INFINITY; found && !state->watch.stop && state->watch.least <= worthwhile * before;) {
        before = state->watch.least;
        for (int turn = 0; turn < 2 && found && status == FIL_OK && !state->watch.stop; ++turn) {
            state->watch.phase = "anderson";
            fil_anderson_run(&state->anderson, &plan, state->r);
            start_from_best(state, state->r);
            if (!state->watch.stop)
                status = fil_contact_core_run(&state->watch, state->r, &found);
        }
        if (status != FIL_OK)
            return status;
    }
    return FIL_OK;
}

// From the impulses of the step before, accelerated sweeps mostly arrive soon, at nearly all contacts.
static fil_status run_trial(auto_state *state)
{
    const double soon = 1500; // sweeps
    const int few = 100;      // contacts
    fil_status status = fil_contact_problem_form_dual(state->task->context, state->task->problem);
    if (status == FIL_OK)
        status = fil_contact_press_run(&state->watch, state->r);
    if (status == FIL_OK && !state->watch.stop)
        status = prepare_sweeps(state);
    if (status == FIL_OK && !state->watch.stop)
        status = prepare_anderson(state);
    if (status == FIL_OK && !state->watch.stop && state->task->problem->contact_count > few)
        status = run_cores(state);
    if (status != FIL_OK)
        return status;
    start_from_best(state, state->r);
    run_anderson_within(state, soon, 1, 100);
    start_from_best(state, state->r);
    return FIL_OK;
}

// The road through W: sweeps, then rounds.
static fil_status run_dual(auto_state *state)
{
    fil_status status = FIL_OK;
    if (!state->start) {
        status = prepare_sweeps(state);
        if (status != FIL_OK)
            return status;
        run_sweeps(state, 15);
        status = state->watch.stop ? FIL_OK : prepare_anderson(state);
    }
    return status == FIL_OK && !state->watch.stop ? run_rounds(state) : status;
}

static bool is_warm(const double *r, int64_t size)
{
    for (int64_t k = 0; k < size; ++k)
        if (r[k] != 0)
            return true;
    return false;
}

// A guess that is worse than none is so at a few contacts: where an impulse has lost its counterpart since the step
// before, it throws strands away, and the iterations that would take that back cost more than all else. Solved apart,
// roughly, such contacts leave the rest of the guess worth having.
static fil_status mend_guess(auto_state *state)
{
    const double left = 0.1; // of the residual without impulses
    const double few = 0.1;  // of all contacts: more would cost as much as the whole
    fil_contact_watch *watch = &state->watch;
    if (!state->task->problem->has_primal)
        return FIL_OK;
    double guess = watch->natural, *none = FIL_ARENA_ARRAY(state->task->scratch, double, state->size);
    if (!none)
        return FIL_NO_MEMORY;
    fil_contact_watch_judge(watch, none);
    if (guess <= watch->natural || watch->stop)
        return FIL_OK;
    const fil_contact_patch_plan patch = {.left = left * watch->natural, .most = few};
    bool done;
    fil_status status = fil_contact_patch_run(watch, &patch, state->r, &done);
    if (done)
        start_from_best(state, state->r);
    return status;
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const int few = 1000;
    auto_state state;
    fil_status status = make(task, param, stats, &state);
    if (status != FIL_OK)
        return status;
    memcpy(state.r, r, (size_t)state.size * sizeof *r);
    fil_contact_watch_judge(&state.watch, state.r);
    // A guess beyond all measure is none.
    if (!(state.watch.residual < INFINITY))
        memset(state.r, 0, (size_t)state.size * sizeof *r);
    bool warm = is_warm(state.r, state.size);
    if (warm && !state.watch.stop)
        status = state.promising ? run_trial(&state) : mend_guess(&state);
    // What a trial with short rows did not finish, Newton can, but takes seconds for many contacts.
    bool strands_next = !state.sparse || (state.start && task->problem->contact_count > few);
    if (status == FIL_OK && strands_next && !state.watch.stop)
        status = run_strands(&state);
    if (status == FIL_OK && state.dual && !state.watch.stop)
        status = run_dual(&state);
    if (status != FIL_OK)
        return status;
    stats->local_calls = state.sweep.counts.calls;
    stats->failsafe_calls = state.sweep.counts.failsafe;
    stats->local_failures = state.sweep.counts.failures;
    fil_contact_watch_finish(&state.watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_auto = {
    .name = "auto",
    .doc = "The default: sweeps, accelerated sweeps and proximal Newton in turn, or admm for strands, switched by "
           "progress",
    .fields = fields,
    .field_count = 1,
    .param_size = sizeof(auto_param),
    .needs = FIL_NEEDS_CHOICE,
    .solve = solve,
};
