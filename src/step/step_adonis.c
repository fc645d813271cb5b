// Contacts and Newton's method in turn [Jia20, 1.1.4; Kaufman 2014]. In order:
//
//     predict    strands with held roots that pressed against something go on as they moved, for contacts carried them:
//                the forces on them nearly cancel. Others move without contact forces.
//     detect     who touches whom on the way there
//     build      A and b around the iterate, H, w
//     solve      impulses
//     respond    strands with these impulses as loads: Newton's method
//     detect     who passes through whom on the way there: more contacts, or moved apart where that is hardly a move
//
// and again from `build` until the velocities that strands respond with obey Coulomb's law at all contacts: every round
// is one step of Newton's method on u(r), the velocities as a function of the impulses.
#include "step/step_contact.h"

#include <math.h>

// ---- packs

// Whether one of the strands of a pack has a number, [strands], that is not negative.
static bool has_one(const fil_part_job *self, const fil_newton *newton, const int *number)
{
    const fil_strands *S = newton->S;
    const int *own = number + self->part->contacts->first_strand[self->job.group];
    for (int lane = 0; lane < FIL_LANES && newton->pack * FIL_LANES + lane < S->strand_count; ++lane)
        if (own[S->strand_of_slot[newton->pack * FIL_LANES + lane]] >= 0)
            return true;
    return false;
}

static bool goes_on(const fil_part_job *self, const fil_newton *newton)
{
    return has_one(self, newton, self->part->scratch->pressed);
}

static void move_on(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    if (goes_on(self, newton))
        fil_pack_drift(&self->job, newton);
    else
        self->job.solve(&self->job, newton, report);
}

static bool have_converged(const fil_strand_report *report)
{
    bool all = true;
    for (int lane = 0; lane < FIL_LANES; ++lane)
        all = all && report[lane].converged;
    return all;
}

static void respond(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    if (self->part->meets.count == 0 || !has_one(self, newton, self->part->scratch->body)) {
        // Nothing carries it any more.
        if (goes_on(self, newton) && !have_converged(report))
            self->job.solve(&self->job, newton, report);
        return;
    }
    for (int lane = 0; lane < FIL_LANES; ++lane)
        report[lane].converged = false;
    fil_step_respond(&self->job, newton, report);
}

// ---- rounds

// How far the linearisation was from the velocities that strands responded with, on the scale of the residual.
static double what_it_missed(const fil_part *part, const fil_rounds *self)
{
    double square = 0;
    for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)part->meets.count; ++k)
        square += (self->u[k] - self->said[k]) * (self->u[k] - self->said[k]);
    return sqrt(square) / fil_rounds_speed(self);
}

static void respond_and_judge(fil_part *part, fil_rounds *self)
{
    fil_problem_push(part);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, respond);
    fil_rounds_judge(part, self);
}

// Contacts that a good iterate asks for besides the ones there are; where it meets others by hardly anything it is
// moved instead.
static fil_status look(fil_part *part, fil_rounds *self, int *added)
{
    fil_status status = fil_look_again(part);
    bool done = false;
    *added = 0;
    for (int way = FIL_APART_ALL; way < FIL_APART_WAYS && status == FIL_OK && !done; ++way)
        status = fil_rounds_take_apart(part, self, (fil_apart_way)way, part->contacts->settings.tolerance, &done);
    if (status == FIL_OK && !done)
        status = fil_look_wake(part, added);
    return status == FIL_OK && !done ? fil_look_add(part, added) : status;
}

// Rounds of impulses and responses until the law holds.
static fil_status meet(fil_part *part, fil_rounds *self)
{
    const fil_contacts *settings = &part->contacts->settings;
    const double first = 1e-3, better = 0.02, slow = 0.3, little = 0.7, far = 0.3;
    const double fewer = 0.5;
    const int most_vain = 4, most_vain_looks = 2;
    double before = INFINITY, least = INFINITY, missed = INFINITY;
    int looks = 0, vain = 0;   // rounds that gained little, one after the other
    int vain_looks = 0;        // the same of looks
    double passing = INFINITY; // how many passed through each other at the last one
    fil_status status = FIL_OK;
    for (int round = 0; round < settings->max_iterations; ++round) {
        if (!self->problem && part->meets.count > 0)
            status = fil_rounds_build(part, self);
        // A better answer than the linearisation is worth nothing. What it missed last time tells how good it is.
        double tolerance = fmax(0.3 * settings->tolerance, fmin(first, better * missed));
        if (status == FIL_OK && part->meets.count > 0)
            status = fil_rounds_solve(part, tolerance, self);
        if (status != FIL_OK)
            return status;
        respond_and_judge(part, self);
        missed = what_it_missed(part, self);
        bool good = self->residual <= settings->tolerance;
        int added;
        bool looks_again = good && looks < FIL_LOOKS;
        status = looks_again ? look(part, self, &added) : fil_look_wake(part, &added);
        looks += looks_again;
        vain = good || self->residual < little * least ? 0 : vain + 1;
        least = good ? INFINITY : fmin(least, self->residual);
        bool astray = self->law > far && self->law > before;
        bool stuck = (self->solve.outcome != FIL_SOLVED || vain >= most_vain || astray) && !good;
        // Crossings that hardly become fewer.
        if (looks_again) {
            vain_looks = part->passing.count > fewer * passing ? vain_looks + 1 : 0;
            passing = part->passing.count;
        }
        stuck = stuck || (passing > 0 && (vain_looks >= most_vain_looks || looks == FIL_LOOKS));
        if (status == FIL_OK && good && added == 0 && !looks_again) // it has looked often enough, but not at this
            return fil_look_again(part);
        if (status != FIL_OK || stuck || (good && added == 0))
            return status;
        // What is led goes on from a new linearisation.
        if (added > 0 || self->residual > 2 * self->law || self->law > slow * before)
            fil_rounds_forget(self);
        else
            fil_problem_correct(self->problem, self->said, self->u);
        before = added > 0 && self->law < far ? INFINITY : self->law;
    }
    return FIL_OK;
}

fil_status fil_adonis_meet(fil_part *part, fil_rounds *rounds)
{
    fil_problem_let_go(part);
    fil_meet_recall_pressed(part);
    fil_part_for_packs(part, FIL_PHASE_SOLVE, move_on);
    fil_status status = fil_part_find(part);
    return status == FIL_OK ? meet(part, rounds) : status;
}
