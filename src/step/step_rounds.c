// What all methods of a step with contacts do in rounds: build the contact problem around the iterate, solve it, judge
// what strands make of its impulses, and take apart what passes through each other all the same.
//
// The law is judged with the velocities of the iterate, not with those that the problem promised. What is missing to
// balance, where strands are led by the linearisation or were moved apart, counts in the residual like what is missing
// to the law.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "base/timer.h"
#include "math/cone.h"

#include <math.h>

enum { CONTACT_GRAIN = 1024 };

void fil_rounds_forget(fil_rounds *self)
{
    fil_contact_problem_destroy(self->problem);
    self->problem = NULL;
}

fil_status fil_rounds_build(fil_part *part, fil_rounds *self)
{
    double start = fil_timer_seconds();
    fil_state *state = part->job.state;
    if (self->room < part->meets.count) {
        self->room = part->meets.room;
        self->said = FIL_ARENA_RAW(part->scratch->arena, double, 3 * (int64_t)self->room);
        self->u = FIL_ARENA_RAW(part->scratch->arena, double, 3 * (int64_t)self->room);
        self->miss = FIL_ARENA_RAW(part->scratch->arena, double, self->room);
        if (!self->said || !self->u || !self->miss)
            return FIL_NO_MEMORY;
    }
    fil_status status = fil_problem_build(part, &self->problem);
    ++part->stats->linearisations;
    if (status == FIL_OK && state->watch)
        state->watch(state->watch_user, part->to, self->problem, part->meets.r);
    part->stats->seconds[FIL_PHASE_BUILD] += fil_timer_seconds() - start;
    return status;
}

// What takes longer than this is better tried with half the step.
static const int64_t most_iterations = 2000;

fil_status fil_rounds_solve(fil_part *part, double tolerance, fil_rounds *self)
{
    double start = fil_timer_seconds();
    fil_contact_def def = fil_contact_def_default();
    def.solver = part->contacts->settings.solver;
    def.local = part->contacts->settings.local;
    def.tolerance = tolerance;
    def.max_iterations = most_iterations;
    def.warm = true;
    fil_status status =
        fil_contact_solve(part->job.context, self->problem, &def, part->meets.r, self->said, NULL, &self->solve);
    part->stats->contact_iterations += self->solve.iterations;
    part->stats->seconds[FIL_PHASE_CONTACT] += fil_timer_seconds() - start;
    return status;
}

double fil_rounds_speed(const fil_rounds *self)
{
    return self->solve.free_speed > 0 ? self->solve.free_speed : 1;
}

// What is missing to balance where strands are led by the linearisation, or were moved apart: the sum of the squares,
// in m/s.
static double missing_balance(const fil_part *part)
{
    const fil_model *model = part->job.state->model;
    double square = 0;
    for (int g = 0; g < model->group_count; ++g)
        for (int slot = 0; slot < fil_model_solved(model, g); ++slot) {
            const fil_strand_report *report = &part->job.state->scratch[g].report[slot];
            square += report->led ? report->change * report->change : 0;
            square += report->moved * report->moved;
        }
    return square;
}

typedef struct judge_job {
    const fil_meets *meets;
    const fil_rounds *rounds;
} judge_job;

static void judge_contacts(void *data, int64_t begin, int64_t end)
{
    const judge_job *job = data;
    const fil_meets *meets = job->meets;
    const fil_rounds *rounds = job->rounds;
    for (int64_t i = begin; i < end; ++i)
        rounds->miss[i] = fil_cone_natural(meets->mu[i], rounds->solve.rho, meets->r + 3 * i, rounds->u + 3 * i);
}

static double whole_residual(const fil_part *part, const fil_rounds *self)
{
    return hypot(self->law, sqrt(missing_balance(part)) / fil_rounds_speed(self));
}

void fil_rounds_judge(fil_part *part, fil_rounds *self)
{
    double square = 0;
    fil_meet_follow(part);
    fil_problem_velocities(part, self->u);
    judge_job job = {&part->meets, self};
    fil_parallel_for(part->job.context, part->meets.count, CONTACT_GRAIN, judge_contacts, &job);
    for (int i = 0; i < part->meets.count; ++i)
        square += self->miss[i];
    self->law = square > 0 ? sqrt(square) / (self->solve.rho * fil_rounds_speed(self)) : 0;
    self->residual = whole_residual(part, self);
}

fil_status fil_rounds_take_apart(fil_part *part, fil_rounds *self, fil_apart_way way, double wanted, bool *done)
{
    fil_status status = way == FIL_APART_FROZEN ? fil_rigid_hold(part, done)
                                                : fil_project_apart(part, way == FIL_APART_CROSSINGS, done);
    if (status != FIL_OK || !*done)
        return status;
    *done = whole_residual(part, self) <= wanted;
    if (*done)
        part->passing.count = part->stats->crossings = 0;
    else
        fil_project_forget(part);
    self->residual = whole_residual(part, self);
    return FIL_OK;
}
