// FIL_CONTACTS_LINEAR: strands are linearised once, around their first guess [Daviet11, section 4].
//
//     A v = b + Hᵀ r,   u = H v + w,   (u_i, r_i) in Coulomb(mu_i),   q = q̂ + s v
//
// with A, b of fil_newton_linearise at the guess. Without contacts the new velocity is A⁻¹ b; contacts are looked for
// on the way there, and the problem is solved as it is: nothing is linearised again. Where its solution makes strands
// meet that did not before, these contacts are added and the same A, b serve once more.
//
// The law holds to the tolerance, the elastic forces to first order in the motion of a step: strands that turn far in
// one are stretched by it, which is trouble beyond `stretch`. Cost: one gradient and one Hessian, whatever happens.
//
// The guess stays with the pack as the trial point, so that the way back is a swap.
#include "step/step_contact.h"

#include <math.h>

static const fil_m4 all_lanes = {-1, -1, -1, -1};

void fil_linear_start(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    fil_pack_guess(&self->job, newton);
    fil_newton_linearise(newton, self->job.s, newton->band_exact, newton->q_trial);
    for (int lane = 0; lane < FIL_LANES; ++lane)
        ++report[lane].factorisations;
}

// From the guess to v = A⁻¹ (b + Hᵀ r): one step of Newton's method with the impulses as loads.
static void go(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    fil_v4 change, ignored;
    fil_newton_evaluate(newton, false, false, &ignored);
    fil_newton_direction(newton, all_lanes, &change);
    fil_newton_try(newton, fil_v4_all(1), (fil_m4){0});
    fil_newton_accept(newton);
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        report[lane].iterations = 1;
        report[lane].change = change[lane] / self->job.s;
        report[lane].converged = isfinite(change[lane]);
    }
}

static void go_back(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    (void)self, (void)report;
    fil_newton_accept(newton);
}

static void straighten(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    (void)self, (void)report;
    fil_newton_straighten(newton, all_lanes);
}

// The problem around the guess, its impulses, and where they take the strands.
static fil_status solve(fil_part *part, fil_rounds *rounds)
{
    fil_part_for_packs(part, FIL_PHASE_SOLVE, go_back);
    fil_status status = fil_rounds_build(part, rounds);
    if (status == FIL_OK)
        status = fil_rounds_solve(part, 0.3 * part->contacts->settings.tolerance, rounds);
    if (status != FIL_OK)
        return status;
    fil_rounds_forget(rounds);
    fil_problem_push(part);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, go);
    fil_rounds_judge(part, rounds);
    return FIL_OK;
}

fil_status fil_linear_meet(fil_part *part, fil_rounds *rounds)
{
    fil_problem_let_go(part);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, fil_linear_start);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, go);
    fil_status status = fil_part_find(part);
    int added = part->meets.count;
    for (int look = 0; look < FIL_LOOKS && added > 0 && status == FIL_OK; ++look) {
        status = solve(part, rounds);
        if (status == FIL_OK)
            status = fil_part_find_more(part, true, &added);
    }
    if (status == FIL_OK)
        fil_part_for_packs(part, FIL_PHASE_SOLVE, straighten);
    return status;
}
