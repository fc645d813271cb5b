// admm: consensus form of the alternating direction method of multipliers, with a copy of the velocity for each side of
// a contact [Boyd11]. With p the points of the strands, z their copies and f the impulse, all in world coordinates and
// relative to the free motion (so b drops out, and q takes its place):
//
//   strands   (A + Σ ρ HᵀH) v = Hᵀ (ρ z + f),  p = H v
//   relax     a = α p - (α - 1) z - f / ρ                                             α = 1.7
//   contacts  (u, r) in Coulomb(mu),  u = F Σ a + q + (m / ρ) r,  f = Fᵀ r            m: sides, 1 or 2
//             z = a + f / ρ
//
// Coulomb's law of a contact is met in the form of De Saxcé, K ∋ r ⊥ u + mu s e ∈ K*, with a slip s that follows |u_T|
// slowly (by 0.3 of the difference, and by ever less where that does not settle): for a given s the problem is convex
// and the method converges; with s = |u_T| at once it runs into cycles when mu is large. The problem of one contact is
// isotropic, so that with c = ρ (F Σ a + q + mu s e) / m the impulse is P_K(-c). A side moves one edge of a strand, so
// the matrix stays banded and is factored once (contact_strands_penalty.c). Only force = ρ z + f and f are kept:
//
//   ρ a = α ρ p - (α - 1) force - (2 - α) f,      force <- ρ a + 2 f
//
// ρ_i = κ 3 / tr W_ii, or less for a contact of a strand with itself: κ = 5 for a few digits, 20 for more. It begins in
// floats, as apg does. When they no longer serve, the contacts go on in doubles, but the strands stay in floats: they
// are asked by how much a change of the forces moves the points. Rounding is then relative to changes, which become
// small; where it starts, the points are known exactly from the factors of A. It starts anew after every two digits.
//
// The natural residual of the new impulse with the velocity of the last solve is free; it becomes the true one as both
// agree. What is left then is rough: it changes from contact to contact, and a few steps along the gradient take half
// of it away. So an impulse that is nearly good enough is polished, besides the iteration. Cost per iteration: as much
// as a product with W. Limits: strands only; many iterations below 1e-6. That s settles is not proven: it says when it
// stalls.
#include "contact/contact_admm.h"

#include "base/parallel.h"
#include "contact/contact.h"
#include "contact/contact_estimate.h"
#include "math/cone.h"
#include "math/transpose.h"

#include <math.h>
#include <string.h>

enum {
    LANES = FIL_STRANDS_LANES,
    BLOCK = FIL_STRANDS_BLOCK,
    block_grain = 128,
    contact_grain = 1024,
    polish_steps = 3
};

static const double over_relaxation = 1.7, least_tangent = 1e-30;
static const double start_anew = 0.01; // in doubles, when the residual is that much smaller than at the start
static const double polish_gain = 1.7; // of the residual; what polish_steps steps are good for
static const double few_digits = 5, more_digits = 20; // κ, in floats or for tolerances down to 1e-5, and in doubles

typedef struct admm_param {
    double kappa, slip;
    int floats;
} admm_param;

static const fil_field fields[] = {
    {"kappa", FIL_KIND_REAL, offsetof(admm_param, kappa), 0, 0, 1e6, "", NULL,
     "stiffness of the copies, relative to the diagonal of W; 0: 5 for the first digits, 20 below 1e-5"},
    {"slip", FIL_KIND_REAL, offsetof(admm_param, slip), 0.3, 1e-3, 1, "", NULL,
     "how far the slip of the De Saxcé term goes towards the true one in an iteration, at first"},
    {"floats", FIL_KIND_BOOL, offsetof(admm_param, floats), 1, 0, 1, "", NULL,
     "begin in floats, go on in doubles when they no longer serve; false: doubles at once"},
};

typedef struct admm {
    fil_contact_watch *watch;
    fil_contact_strands *strands;
    const fil_admm_plan *plan;
    fil_estimate estimate;
    fil_arena *arena; // of one precision
    float *factor;    // of A + Σ ρ HᵀH
    double slip;      // how far slips go towards the true ones
    double polish_step;
    int64_t patience;
    double *rho;     // [blocks × 8]
    double *partial; // squares of the natural map, of each range of blocks
    double *r;       // [3 contacts] in the order of the problem
} admm;

static double add_partial_sums(const admm *a)
{
    double sum = 0;
    for (int range = 0; range * block_grain < a->strands->blocks; ++range)
        sum += a->partial[range];
    return sum;
}

// A contact of a strand with itself: its sides move together, so that W does not tell how far one of them gives way.
static bool is_of_one_strand(const fil_contact_jacobian *H, int contact)
{
    int side = H->side_start[contact];
    return H->side_start[contact + 1] - side == 2 && H->body[side] == H->body[side + 1];
}

static void choose_rho(admm *a, double kappa)
{
    const fil_contact_problem *problem = a->watch->task->problem;
    double mean = 3 / a->watch->merit.rho;
    for (int i = 0; i < problem->contact_count; ++i) {
        int place = fil_contact_strands_place(a->strands, i);
        double own = a->strands->trace[place], trace = is_of_one_strand(&problem->H, i) ? fmax(own, mean) : own;
        a->rho[place] = trace > 0 ? kappa * 3 / trace : 0;
    }
}

// Without progress the slip follows more slowly and patience doubles, as long as that is sensible. False: there is
// nothing more to be hoped for.
static bool keep_going(admm *a)
{
    const double slower = 0.3, slowest = 2e-3;
    if (a->watch->stats->iterations - a->estimate.since < a->patience)
        return true;
    if (a->slip <= slowest)
        return false;
    a->slip *= slower;
    a->patience *= 2;
    a->estimate.since = a->watch->stats->iterations;
    a->estimate.least = a->estimate.value;
    return true;
}

// r <- P_K(r - t d ũ) with the velocity that the judge has found last, d = 3 / tr W_ii.
static void descend(void *data, int64_t begin, int64_t end)
{
    const admm *a = data;
    const fil_contact_problem *problem = a->watch->task->problem;
    for (int64_t i = begin; i < end; ++i) {
        double trace = a->strands->trace[fil_contact_strands_place(a->strands, (int)i)], *r = a->r + 3 * i;
        const double *u = a->watch->u + 3 * i;
        double step = trace > 0 ? a->polish_step * 3 / trace : 0;
        r[0] -= step * (u[0] + problem->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]));
        r[1] -= step * u[1];
        r[2] -= step * u[2];
        fil_cone_project(problem->mu[i], r);
    }
}

// Asks the judge, and polishes what is nearly good enough. a->r is a copy: the iteration goes on from where it was.
static void judge(admm *a)
{
    fil_contact_watch *watch = a->watch;
    bool promised = a->estimate.value <= a->estimate.goal;
    fil_estimate_judge(&a->estimate, watch, a->r);
    if (!promised || a->estimate.judged > polish_gain * watch->task->tolerance)
        return;
    for (int step = 0; step < polish_steps && !watch->stop; ++step) {
        double before = watch->natural;
        fil_parallel_for(watch->task->context, watch->task->problem->contact_count, contact_grain, descend, a);
        fil_contact_watch_judge(watch, a->r);
        if (watch->natural > before) { // too long a step
            a->polish_step *= 0.5;
            break;
        }
    }
}

#define IN_DOUBLES 1
#include "math/lanes_double.h"

#include "contact/contact_admm_kernel.h"

#undef IN_DOUBLES
#define IN_DOUBLES 0
#include "math/lanes_float.h"

// NOLINTNEXTLINE(readability-duplicate-include): once for each precision
#include "contact/contact_admm_kernel.h"

// One precision after the other, each in memory of its own that is given back: factors are large.
static fil_status run_alone(admm *a, double kappa, fil_status (*run)(admm *, fil_units))
{
    a->arena = fil_arena_borrow(a->watch->task->context);
    if (!a->arena)
        return FIL_NO_MEMORY;
    choose_rho(a, kappa);
    fil_units unit = fil_estimate_units(a->watch);
    fil_status status = fil_contact_strands_add_float_sides(a->strands, a->arena);
    if (status == FIL_OK)
        status = fil_contact_strands_penalty(a->strands, a->arena, a->rho, unit.impulse, unit.velocity, &a->factor);
    if (status == FIL_OK)
        status = run(a, unit);
    memset(&a->strands->numbers_float, 0, sizeof a->strands->numbers_float);
    fil_arena_give_back(a->arena);
    return status;
}

static fil_status run_in_turn(admm *a)
{
    double kappa = a->plan->kappa;
    fil_status status = FIL_OK;
    if (a->plan->floats)
        status = run_alone(a, kappa > 0 ? kappa : few_digits, run_float);
    if (status != FIL_OK || a->watch->stop)
        return status;
    a->estimate.since = a->watch->stats->iterations;
    double usual = a->watch->task->tolerance >= 1e-5 ? few_digits : more_digits;
    return run_alone(a, kappa > 0 ? kappa : usual, run);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the iteration writes r
fil_status fil_admm_run(fil_contact_watch *watch, fil_contact_strands *strands, const fil_admm_plan *plan, double *r)
{
    fil_arena *arena = watch->task->scratch;
    fil_arena_mark mark = fil_arena_mark_now(arena);
    int64_t places = LANES * (int64_t)strands->blocks;
    admm a = {.watch = watch,
              .strands = strands,
              .plan = plan,
              .slip = plan->slip,
              .patience = plan->patience,
              .polish_step = 0.15,
              .estimate = fil_estimate_make(watch, polish_gain),
              .rho = FIL_ARENA_ARRAY(arena, double, places),
              .partial = FIL_ARENA_ARRAY(arena, double, strands->blocks / block_grain + 1),
              .r = r};
    fil_status status = a.rho && a.partial ? FIL_OK : FIL_NO_MEMORY;
    watch->phase = "admm";
    a.estimate.since = watch->stats->iterations;
    if (status == FIL_OK)
        status = run_in_turn(&a);
    fil_arena_rewind(arena, mark);
    return status;
}

static fil_status solve(const fil_contact_task *task, const void *param, double *r, fil_solve_stats *stats)
{
    const int64_t default_budget = 20000, patience = 300;
    const admm_param *setting = param;
    fil_admm_plan plan = {
        .kappa = setting->kappa, .slip = setting->slip, .floats = setting->floats, .patience = patience};
    fil_contact_watch watch;
    fil_status status = fil_contact_watch_make(task, stats, default_budget, &watch);
    if (status != FIL_OK)
        return status;
    watch.phase = "admm";
    if (!fil_contact_watch_judge(&watch, r)) {
        fil_contact_strands *strands;
        status = fil_contact_watch_strands(&watch, &strands);
        if (status == FIL_OK && !strands)
            status = fil_context_fail(task->context, FIL_BAD_INPUT,
                                      "admm: takes problems of strands only (see docs/contact/admm.md); use auto");
        if (status == FIL_OK)
            status = fil_admm_run(&watch, strands, &plan, r);
        if (status != FIL_OK)
            return status;
    }
    fil_contact_watch_finish(&watch, r);
    return FIL_OK;
}

const fil_contact_type fil_contact_admm = {
    .name = "admm",
    .doc = "Alternating directions with a copy of the velocity for each side: for many contacts of strands, to 1e-6",
    .fields = fields,
    .field_count = 3,
    .param_size = sizeof(admm_param),
    .needs = 0,
    .solve = solve,
};
