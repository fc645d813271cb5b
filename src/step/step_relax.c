// Equilibrium: minimises E(q) - load·q by Newton's method with a mass-weighted shift, lane by lane.
//
//     (∇²E + shift M) Δ = -∇(E - load·q),   a line search along Δ
//
// The shift is a pseudo time step: large where the search had to be shortened, ten times smaller after every full step,
// zero in the end, where convergence is quadratic. Directions of negative curvature never survive, since an indefinite
// Hessian is replaced by the safe one: the end is a minimum, unless symmetry hides the way down.
#include "step/step_contact.h"
#include "step/step_live.h"

#include <math.h>

// Statics: no inertia, no drag, no viscosity.
static void set_statics(fil_newton *newton)
{
    newton->a = newton->b = 0;
    newton->kernel.strain =
        newton->S->strain + newton->S->pack_row[newton->pack] * newton->S->type->strain_count * FIL_LANES;
    newton->kernel.stiffening = 1;
    newton->adaptive = true;
    newton->hessian = FIL_HESSIAN_NONE;
}

// The largest stiffness per mass of each lane: the scale of the shift.
static fil_v4 stiffest(const fil_newton *newton)
{
    ptrdiff_t stride = (ptrdiff_t)(newton->S->type->bandwidth + 1) * FIL_LANES;
    fil_v4 most = {0};
    for (int j = 0; j < newton->size; ++j) {
        fil_v4 k = fil_v4_load(newton->band + j * stride) / fil_v4_load(newton->inertia + (ptrdiff_t)j * FIL_LANES);
        k *= fil_v4_load(newton->is_free + (ptrdiff_t)j * FIL_LANES);
        most = fil_v4_max(most, k);
    }
    return most;
}

// Shortens steps that would carry a vertex further than a part of the strand in one go.
static void limit(fil_newton *newton, fil_v4 most, fil_v4 *change, fil_v4 *slope)
{
    fil_m4 far = *change > most;
    if (!fil_m4_any(far))
        return;
    fil_v4 factor = fil_v4_select(far, most / *change, fil_v4_all(1));
    for (int j = 0; j < newton->size; ++j) {
        double *d = newton->direction + (ptrdiff_t)j * FIL_LANES;
        fil_v4_store(d, factor * fil_v4_load(d));
    }
    *slope *= factor;
}

static fil_v4 lengths(const fil_newton *newton)
{
    fil_v4 length;
    for (int lane = 0; lane < FIL_LANES; ++lane)
        length[lane] = newton->S->strand_length[newton->S->strand_of_slot[newton->pack * FIL_LANES + lane]];
    return length;
}

static void relax(const fil_step_job *job, fil_newton *newton, fil_strand_report *report)
{
    const double first = 1e-6, least = 1e-16, close = 1e-10, stride = 0.2;
    fil_pack_stand_still(job, newton);
    set_statics(newton);
    fil_v4 length = lengths(newton), zero = {0};
    fil_m4 active = {-1, -1, -1, -1};
    fil_newton_evaluate(newton, false, true, &newton->energy);
    fil_v4 stiffness = stiffest(newton), shift = first * stiffness;
    for (int i = 0; i < job->max_iterations && fil_m4_any(active); ++i) {
        int negative[FIL_LANES];
        fil_newton_factor(newton, shift, negative);
        fil_v4 change, slope = fil_newton_direction(newton, active, &change);
        fil_v4 full = change;
        limit(newton, stride * length, &change, &slope);
        fil_newton_search found;
        fil_newton_line_search(newton, active, active, slope, true, &found);
        fil_newton_accept(newton);
        newton->energy = found.energy;
        // The energy of a tiny step is rounding, and so is what the search makes of it: the shift falls all the same.
        fil_m4 shortened = (found.length < 1) & (full > close * length);
        fil_m4 done = active & ((shift == 0) | newton->repaired) & (full <= close * length);
        // Stuck at the rounding of the energy is as good as it gets.
        fil_m4 stuck = active & (found.length == 0) & (full <= 1e-6 * length);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            if (active[lane]) {
                ++report[lane].iterations;
                ++report[lane].factorisations;
                report[lane].repairs += newton->repaired[lane] != 0;
                report[lane].backtracks += found.backtracks[lane];
                report[lane].change = full[lane];
                report[lane].converged = done[lane] || stuck[lane];
            }
        fil_v4 lower = fil_v4_select(shift > least * stiffness, 0.1 * shift, zero);
        fil_v4 higher = fil_v4_max(4.0 * shift, 1e3 * least * stiffness);
        shift = fil_v4_select(shortened & (found.length < 0.2), higher, fil_v4_select(shortened, shift, lower));
        active &= ~done & ~stuck & fil_v4_finite(change);
    }
}

// All strands by themselves.
static void relax_apart(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *sum)
{
    fil_step_job job = {.context = context,
                        .state = state,
                        .h = 1,
                        .s = 1,
                        .share = 1,
                        .max_iterations = max_iterations,
                        .solve = relax,
                        .stop = true};
    fil_step_control(&job, fil_state_time(state), fil_state_time(state));
    fil_step_groups(&job, sum);
    state->head->h_before = 0;
}

fil_status fil_relax(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats)
{
    if (max_iterations < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "relax: max_iterations must be at least 1 (got %d)",
                                max_iterations);
    fil_step_stats sum = {0};
    fil_status status = FIL_OK;
    if (state->model->contacts.on && state->model->contacts.strands.strand_count > 0)
        status = fil_step_settle(context, state, max_iterations, &sum);
    else
        relax_apart(context, state, max_iterations, &sum);
    if (status == FIL_OK)
        status = fil_live_settle(context, state, max_iterations, &sum);
    if (stats)
        *stats = sum;
    return status;
}
// Sylvester: the factor of a matrix has as many negative pivots as the matrix has negative eigenvalues.
fil_status fil_state_unstable_modes(fil_context *context, fil_state *state, int group, int *modes)
{
    if (group < 0 || group >= state->model->group_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: there are %d", group, state->model->group_count);
    const fil_strands *S = &state->model->groups[group];
    if (S->live)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: %s has no energy, so no modes", group,
                                S->type->name);
    fil_step_job job = {.context = context, .state = state, .group = group, .h = 1, .s = 1, .share = 1};
    fil_step_control(&job, fil_state_time(state), fil_state_time(state));
    for (int pack = 0; pack < S->pack_count; ++pack) {
        fil_newton newton;
        int negative[FIL_LANES];
        fil_newton_start(S, &state->scratch[group], pack, &newton);
        fil_pack_predict(&job, &newton);
        fil_pack_stand_still(&job, &newton);
        set_statics(&newton);
        newton.adaptive = false;
        fil_newton_evaluate(&newton, false, true, &newton.energy);
        fil_newton_factor(&newton, fil_v4_all(0), negative);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            if (pack * FIL_LANES + lane < S->strand_count)
                modes[S->strand_of_slot[pack * FIL_LANES + lane]] = negative[lane];
    }
    return FIL_OK;
}
