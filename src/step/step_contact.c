// A step in which strands touch each other and bodies [Daviet11, 4; Jia20, 1.1.4; Kaufman 2014].
//
// Moreau's scheme: the unknowns are velocities at the end and impulses over the step; frames and gaps of contacts are
// those of its start and do not change in it. In order:
//
//     control    what the scene wants at the end
//     predict    first guesses of the strands
//     meet       impulses and velocities that obey Coulomb's law, by the method of the scene: step_linear.c,
//                step_adonis.c, step_impulse.c, with what they share in step_rounds.c
//     check      is there trouble?
//     commit     or go back
//
// The law is judged with the velocities of the strands, so what is reported is true of the state that is taken.
//
// Trouble (a law that is not met, strands that do not converge, edges that are too long or pass through each other)
// halves the step: the state has not been touched, so the part is tried again. Steps grow back after some without
// trouble; where that was too soon, later the next time, and too soon is also what toils: many linearisations take
// longer than two halves would. Where they cannot be halved any more the part is taken as it is, and counted.
#include "step/step_contact.h"

#include "base/parallel.h"
#include "base/timer.h"

#include <math.h>
#include <string.h>

// A part on trial that needs more linearisations than this takes longer than two halves of it would.
enum { CALM_PARTS = 4, MOST_WAITS = 2, MOST_LINEARISATIONS = 8 };

// ---- all packs

static void run_packs(void *data, int64_t begin, int64_t end)
{
    const fil_part_job *self = data;
    fil_group_scratch *scratch = &self->job.state->scratch[self->job.group];
    for (int64_t pack = begin; pack < end; ++pack) {
        scratch->newton[pack].pack = (int)pack;
        self->body(self, &scratch->newton[pack], scratch->report + pack * FIL_LANES);
    }
}

void fil_part_for_packs(fil_part *part, fil_phase phase, fil_part_body *body)
{
    double start = fil_timer_seconds();
    const fil_model *model = part->job.state->model;
    for (int g = 0; g < model->group_count; ++g) {
        if (model->groups[g].live)
            continue;
        fil_part_job job = {.job = part->job, .part = part, .body = body};
        job.job.group = g;
        fil_parallel_for(part->job.context, model->groups[g].pack_count, 1, run_packs, &job);
    }
    part->stats->seconds[phase] += fil_timer_seconds() - start;
}

static void predict(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    const fil_step_job *job = &self->job;
    const fil_strands *S = &job->state->model->groups[job->group];
    const fil_group_scratch *scratch = &job->state->scratch[job->group];
    ptrdiff_t start = S->pack_row[newton->pack] * FIL_LANES * S->type->dofs;
    for (int lane = 0; lane < FIL_LANES; ++lane)
        report[lane] = (fil_strand_report){0};
    fil_newton_start(S, scratch, newton->pack, newton);
    newton->push = scratch->push + start;
    fil_pack_predict(job, newton);
}

static void commit(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    fil_m4 fine = fil_project_commit(self, newton);
    for (int lane = 0; lane < FIL_LANES; ++lane)
        report[lane].failed = fine[lane] == 0;
}

// ---- judging

bool fil_part_strands_converged(const fil_part *part)
{
    const fil_model *model = part->job.state->model;
    for (int g = 0; g < model->group_count; ++g)
        for (int slot = 0; slot < fil_model_solved(model, g); ++slot)
            if (!part->job.state->scratch[g].report[slot].converged)
                return false;
    return true;
}

// Whether an edge of the iterates is longer than it may be.
static bool too_long(const fil_part *part)
{
    const fil_touch_strands *strands = &part->strands;
    double most = 1 + part->contacts->settings.stretch;
    for (int i = 0; i + 1 < strands->vertex_count; ++i) {
        if (strands->strand[i] != strands->strand[i + 1])
            continue;
        const double *x = strands->x1 + 3 * (ptrdiff_t)i;
        double e[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
        double rest = most * (strands->arc[i + 1] - strands->arc[i]);
        if (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > rest * rest)
            return true;
    }
    return false;
}

// ---- a part of a step

fil_status fil_part_find(fil_part *part)
{
    double start = fil_timer_seconds();
    fil_meet_follow(part);
    fil_status status = fil_meet_find(part);
    part->stats->seconds[FIL_PHASE_DETECT] += fil_timer_seconds() - start;
    return status;
}

fil_status fil_part_find_more(fil_part *part, bool search, int *added)
{
    fil_status status = FIL_OK;
    if (search)
        status = fil_look_again(part);
    if (status == FIL_OK)
        status = fil_look_wake(part, added);
    return status == FIL_OK && search ? fil_look_add(part, added) : status;
}

// Whether the law holds, or rounds ended as the scene asked.
static bool holds(const fil_part *part, const fil_rounds *rounds)
{
    return rounds->residual <= part->contacts->settings.tolerance || rounds->still;
}

// A part that is taken as it is: what still passes through each other is in trouble in any case, but less so on the
// right side. Rounds that were given up have not looked for it.
static fil_status rescue(fil_part *part, fil_rounds *rounds)
{
    bool done = false;
    fil_status status = holds(part, rounds) ? FIL_OK : fil_look_again(part);
    for (int way = FIL_APART_CROSSINGS; way < FIL_APART_WAYS && part->passing.count > 0 && status == FIL_OK && !done;
         ++way)
        status = fil_rounds_take_apart(part, rounds, (fil_apart_way)way, INFINITY, &done);
    return status;
}

// From the state to a commit that waits; *trouble: what is wrong with it.
static fil_status try_part(fil_part *part, unsigned *trouble)
{
    static fil_status (*const methods[])(fil_part * part, fil_rounds * rounds) = {
        [FIL_CONTACTS_LINEAR] = fil_linear_meet,
        [FIL_CONTACTS_ADONIS] = fil_adonis_meet,
        [FIL_CONTACTS_IMPULSE] = fil_impulse_meet,
    };
    fil_arena_rewind(part->scratch->arena, part->scratch->start);
    part->meets = (fil_meets){0};
    double start = fil_timer_seconds();
    fil_rounds rounds = {0};
    fil_step_control(&part->job, part->to, 0.5 * (part->from + part->to));
    fil_meet_start(part);
    part->stats->seconds[FIL_PHASE_CONTROL] += fil_timer_seconds() - start;
    fil_part_for_packs(part, FIL_PHASE_PREDICT, predict);
    fil_status status = methods[part->contacts->settings.method](part, &rounds);
    fil_rounds_forget(&rounds);
    if (status == FIL_OK && part->last_try)
        status = rescue(part, &rounds);
    if (status != FIL_OK)
        return status;
    *trouble = 0;
    if (!holds(part, &rounds))
        *trouble |= 1u << FIL_TROUBLE_CONTACT;
    if (!fil_part_strands_converged(part))
        *trouble |= 1u << FIL_TROUBLE_STRAND;
    if (too_long(part))
        *trouble |= 1u << FIL_TROUBLE_STRETCH;
    if (part->stats->crossings > 0)
        *trouble |= 1u << FIL_TROUBLE_CROSSING;
    part->residual = rounds.residual;
    return FIL_OK;
}

static void take_part(fil_part *part)
{
    fil_step_stats *stats = part->stats;
    const fil_model *model = part->job.state->model;
    fil_part_for_packs(part, FIL_PHASE_COMMIT, commit);
    for (int g = 0; g < model->group_count; ++g)
        if (!model->groups[g].live)
            fil_step_add_reports(&model->groups[g], part->job.state->scratch[g].report, stats);
    fil_meet_remember(part);
    stats->contacts = part->meets.count;
    stats->kept = part->meets.kept;
    stats->closed = 0;
    for (int i = 0; i < part->meets.count; ++i)
        stats->closed += part->meets.r[3 * (ptrdiff_t)i] > 0;
    if (!(part->residual <= stats->contact_residual))
        stats->contact_residual = part->residual;
    part->job.state->head->h_before = part->job.h;
    ++stats->parts;
}

// ---- the step

// Parts that were taken are given back when a later one finds no memory.
typedef struct way_back {
    fil_memory_head head;
    bool saved; // the rest of the memory, too
} way_back;

static void save(fil_state *state, way_back *back)
{
    if (!back->saved)
        memcpy(state->contact.saved, state->memory, state->memory_size);
    back->saved = true;
}

static void go_back(fil_state *state, const way_back *back)
{
    if (back->saved)
        memcpy(state->memory, state->contact.saved, state->memory_size);
    *state->head = back->head;
}

static fil_part part_of(fil_context *context, fil_state *state, double h, double from, double to, fil_step_stats *stats)
{
    fil_part part = {.job = fil_step_job_make(context, state, h),
                     .contacts = &state->model->contacts,
                     .scratch = &state->contact,
                     .strands = state->model->contacts.strands,
                     .from = from,
                     .to = to,
                     .step = h,
                     .stats = stats};
    part.strands.held = state->contact.held;
    part.strands.x0 = state->contact.x0;
    part.strands.x1 = state->contact.x1;
    return part;
}

// Parts are halved from here on. What grew back too soon waits longer the next time.
static void shorten(fil_memory_head *head)
{
    ++head->halved;
    if (head->grown && head->waits < MOST_WAITS)
        ++head->waits;
    head->calm = head->grown = 0;
}

// After some calm parts: what grew back has proved itself; or it is time to try, at a place where a longer part can
// begin.
static void lengthen(fil_memory_head *head, bool can_begin)
{
    if (head->grown)
        head->waits = head->grown = 0;
    if (head->calm >= CALM_PARTS << head->waits && head->halved > 0 && can_begin) {
        --head->halved;
        head->calm = 0;
        head->grown = 1;
    }
}

fil_status fil_step_together(fil_context *context, fil_state *state, double h, fil_step_stats *stats)
{
    fil_memory_head *head = state->head;
    way_back back = {.head = *head};
    const fil_model_contacts *contacts = &state->model->contacts;
    int most = contacts->settings.halvings, crossings = 0;
    int64_t whole = INT64_C(1) << most;
    double begin = head->time;
    for (int64_t at = 0; at < whole;) {
        int64_t width = whole >> head->halved;
        fil_part part =
            part_of(context, state, h * (double)width / (double)whole, begin + h * (double)at / (double)whole,
                    begin + h * (double)(at + width) / (double)whole, stats);
        part.job.share = (double)width / (double)(whole - at);
        part.last_try = head->halved == most;
        part.step = h;
        unsigned trouble;
        int linearisations = stats->linearisations;
        stats->crossings = 0;
        fil_status status = try_part(&part, &trouble);
        if (status != FIL_OK) {
            go_back(state, &back);
            return status;
        }
        stats->trouble |= trouble;
        if (trouble && head->halved < most) {
            ++stats->retries;
            shorten(head);
            continue;
        }
        stats->rough_parts += trouble != 0;
        crossings += stats->crossings;
        if (at + width < whole)
            save(state, &back);
        take_part(&part);
        at += width;
        head->time = part.to;
        if (at < whole && state->part_watch)
            state->part_watch(state->part_watch_user);
        if (head->grown && stats->linearisations - linearisations > MOST_LINEARISATIONS && head->halved < most)
            shorten(head);
        else if (++head->calm >= CALM_PARTS)
            lengthen(head, at % (2 * width) == 0);
    }
    stats->crossings = crossings;
    stats->strands = contacts->strands.strand_count;
    return FIL_OK;
}

// ---- rest

static void stop(const fil_part_job *self, fil_newton *newton, fil_strand_report *report)
{
    (void)report;
    fil_pack_stop(&self->job, newton);
}

// The longest way of a free vertex in the part.
static double longest_way(const fil_part *part)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < part->strands.vertex_count; ++i) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            double d = part->strands.x1[3 * i + k] - part->strands.x0[3 * i + k];
            square += d * d;
        }
        most = !part->strands.held[i] && square > most ? square : most;
    }
    return sqrt(most);
}

// Steps from rest, time and again: what moves loses its velocity at once, so strands creep downhill until contacts and
// elasticity carry them. Steps grow while all goes well.
fil_status fil_step_settle(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats)
{
    const double first = 1e-3, longest = 0.01, shortest = 1e-6, still = 1e-3; // s, s, s, m/s
    fil_memory_head *head = state->head;
    double h = first, time = head->time;
    bool rests = false;
    for (int i = 0; i < max_iterations && !rests; ++i) {
        fil_part part = part_of(context, state, h, time, time, stats);
        part.last_try = h <= shortest;
        unsigned trouble;
        fil_status status = try_part(&part, &trouble);
        if (status != FIL_OK)
            return status;
        if (trouble && h > shortest) {
            h *= 0.25;
            continue;
        }
        rests = !trouble && longest_way(&part) <= still * h;
        take_part(&part);
        fil_part_for_packs(&part, FIL_PHASE_COMMIT, stop);
        h = fmin(1.5 * h, longest);
    }
    head->time = time;
    head->h_before = 0;
    head->halved = head->calm = head->grown = head->waits = 0;
    stats->unconverged = rests ? 0 : state->model->contacts.strands.strand_count;
    return FIL_OK;
}
