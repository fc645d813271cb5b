// One step, in order: control, predict, guess, solve, commit, report. Without contact strands do not feel each other,
// so each pack runs through the whole step by itself and its matrices stay in the cache.
#include "base/parallel.h"
#include "base/timer.h"
#include "step/step_contact.h"
#include "step/step_live.h"

#include <math.h>
#include <string.h>

enum { PACKS_AT_ONCE = 1 };

// Keeps the first factor of the step while each iteration brings the strand this much closer.
static const double serves = 0.3;
// How much smaller a change must be to count when the Hessian was repaired.
static const double doubtful = 0.01;

// A mask of all lanes.
static const fil_m4 all_lanes = {-1, -1, -1, -1};

static void note_iteration(const fil_newton *newton, fil_m4 active, fil_v4 change, bool fresh,
                           fil_strand_report *report)
{
    for (int lane = 0; lane < FIL_LANES; ++lane)
        if (active[lane]) {
            ++report[lane].iterations;
            report[lane].factorisations += fresh;
            report[lane].repairs += fresh && newton->repaired[lane];
            report[lane].change = change[lane];
        }
}

// Moves the lanes of `active`; returns those that could. The ones that are not `going` take their last step untested.
static fil_m4 move(fil_newton *newton, fil_m4 active, fil_m4 going, fil_v4 slope, bool search, bool with_hessian,
                   fil_strand_report *report)
{
    fil_v4 full = fil_v4_select(active, fil_v4_all(1), fil_v4_all(0));
    fil_m4 moved = active;
    if (!fil_m4_any(going)) {
        fil_newton_try(newton, full, (fil_m4){0});
    } else if (search) {
        fil_newton_search found;
        fil_newton_line_search(newton, active, going, slope, with_hessian, &found);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            report[lane].backtracks += found.backtracks[lane];
        newton->energy = found.energy;
        moved = found.length > 0;
    } else {
        fil_newton_try(newton, full, (fil_m4){0});
        fil_newton_evaluate(newton, true, with_hessian, &newton->energy);
    }
    fil_newton_accept(newton);
    fil_newton_straighten(newton, active & moved);
    return moved;
}

fil_v4 fil_step_goal(const fil_newton *newton, double tolerance, double s)
{
    const double rounding = 4 * 2.3e-16;
    fil_v4 most = {0};
    for (int i = 0; i < newton->vertices; ++i)
        for (int k = 0; k < 3; ++k) {
            const double *x = newton->q + ((ptrdiff_t)i * newton->S->type->dofs + k) * FIL_LANES;
            fil_v4 size = fil_v4_abs(fil_v4_load(x));
            most = fil_v4_select((newton->count > i) & (size > most), size, most);
        }
    return fil_v4_max(rounding / s * most, fil_v4_all(tolerance));
}

// Newton's method, its quasi and its fixed form, from the iterate on, for the lanes of `active`. On return newton->q is
// the last iterate. known: the factor at hand was made nearby; it is kept while it serves, and so well as it served it
// is trusted.
static void go_on(const fil_step_job *job, fil_newton *newton, bool known, fil_m4 active, fil_strand_report *report)
{
    const fil_motion *motion = &job->state->model->motion;
    double s = job->s;
    bool quasi = known || motion->method == FIL_METHOD_QUASI, search = motion->method != FIL_METHOD_FIXED;
    bool renew = !known;
    fil_v4 last = fil_v4_all(INFINITY), goal = fil_step_goal(newton, motion->tolerance, s);
    // The guess compresses edges that turn, which makes the exact Hessian indefinite for nothing: the first one filters
    // stretch.
    fil_hessian hessian = newton->hessian;
    if (newton->adaptive && !known)
        newton->hessian = FIL_HESSIAN_STRETCH;
    fil_newton_evaluate(newton, false, renew, &newton->energy);
    for (int i = 0; i < motion->max_iterations && fil_m4_any(active); ++i) {
        bool fresh = renew;
        if (fresh) {
            int negative[FIL_LANES];
            fil_newton_factor(newton, fil_v4_all(0), negative);
        }
        fil_v4 change, slope = fil_newton_direction(newton, active, &change);
        change /= s;
        note_iteration(newton, active, change, fresh, report);
        // A small change says little when it comes from an old factor or from a repaired one.
        fil_m4 close = change <= goal;
        fil_m4 sure = newton->hessian == hessian ? ~newton->repaired : (fil_m4){0};
        fil_m4 done = active & close & (sure | (change <= doubtful * goal));
        fil_m4 serving = change <= serves * last;
        if (!fresh)
            done = known ? active & close & serving : (fil_m4){0};
        fil_m4 going = active & ~done;
        renew = !quasi || fil_m4_any(going & (close | ~serving));
        last = change;
        newton->hessian = hessian;
        fil_m4 moved = move(newton, active, going, slope, search, renew, report);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            report[lane].converged = report[lane].converged || done[lane] != 0;
        // Who found no way down is stuck, unless a new factor may help.
        active = going & fil_v4_finite(change);
        if (fresh)
            active &= moved;
    }
}

static void solve(const fil_step_job *job, fil_newton *newton, fil_strand_report *report)
{
    fil_pack_guess(job, newton);
    go_on(job, newton, false, all_lanes, report);
}

// Where one step of Newton's method with the factor at hand leads, which is what the linearisation says.
static void ask_linearisation(fil_newton *newton, double *q, double *frame)
{
    fil_v4 change, ignored;
    fil_newton_evaluate(newton, false, false, &ignored);
    fil_newton_direction(newton, all_lanes, &change);
    fil_newton_try(newton, fil_v4_all(1), (fil_m4){0});
    memcpy(q, newton->q_trial, (size_t)newton->size * FIL_LANES * sizeof *q);
    memcpy(frame, newton->frame_trial,
           (size_t)newton->vertices * (size_t)newton->S->type->frame_count * FIL_LANES * sizeof *frame);
}

// The largest distance of a vertex of the iterate from where it is in q.
static fil_v4 way_to(const fil_newton *newton, const double *q)
{
    ptrdiff_t width = (ptrdiff_t)newton->S->type->dofs * FIL_LANES;
    fil_v4 most = {0};
    for (int i = 0; i < newton->vertices; ++i) {
        fil_w3 d = fil_w3_subtract(fil_w3_load(newton->q + i * width), fil_w3_load(q + i * width));
        fil_v4 square = fil_w3_dot(d, d);
        most = fil_v4_select((newton->count > i) & ~(square <= most), square, most);
    }
    return fil_v4_sqrt(most);
}

// The largest distance of a vertex of the iterate from where it is in q, squared, in edges.
static fil_v4 distance_from(const fil_newton *newton, const double *q)
{
    ptrdiff_t width = (ptrdiff_t)newton->S->type->dofs * FIL_LANES;
    fil_v4 most = {0};
    for (int i = 1; i < newton->vertices; ++i) {
        fil_w3 x = fil_w3_load(q + i * width);
        fil_w3 e = fil_w3_subtract(x, fil_w3_load(q + (i - 1) * width));
        fil_w3 d = fil_w3_subtract(fil_w3_load(newton->q + i * width), x);
        fil_v4 off = fil_w3_dot(d, d) / fil_v4_max(fil_w3_dot(e, e), fil_v4_all(1e-300));
        most = fil_v4_select((newton->count > i) & ~(off <= most), off, most);
    }
    return most;
}

// Reports how far strands that are led may be from balance. That is an error of the step like those of contacts, and
// judged with them: here they have converged as far as they can. It is at most what Newton's method would still change
// under these impulses; that is much where they buckle, though contacts would hold them. With these it is less than
// what the last step of Newton's method on strands and contacts together changed, `last`.
static void judge_led(const fil_step_job *job, fil_newton *newton, fil_m4 led, fil_v4 last, fil_strand_report *report)
{
    int negative[FIL_LANES];
    fil_v4 change;
    fil_newton_evaluate(newton, false, true, &newton->energy);
    fil_newton_factor(newton, fil_v4_all(0), negative);
    fil_newton_direction(newton, led, &change);
    note_iteration(newton, led, fil_v4_min(change, last) / job->s, true, report);
    for (int lane = 0; lane < FIL_LANES; ++lane)
        if (led[lane]) {
            report[lane].led = true;
            report[lane].converged = isfinite(change[lane]);
        }
}

// A strand that others press along its length would buckle under impulses that do not follow it: what holds it at its
// sides is other strands, and their impulses are constant here. Where Newton's method leads so far, the linearisation
// is right about the strand, for contacts hold it there. From then on it is led: it goes where the linearisation says,
// and the next one begins there.
void fil_step_respond(const fil_step_job *job, fil_newton *newton, fil_strand_report *report)
{
    const double far = 0.05; // edges
    const fil_strands *S = newton->S;
    fil_group_scratch *scratch = &job->state->scratch[job->group];
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES, frames = (ptrdiff_t)S->type->frame_count;
    double *q = scratch->q_said + row * S->type->dofs, *frame = scratch->frame_said + row * frames;
    fil_m4 led = {0};
    for (int lane = 0; lane < FIL_LANES; ++lane)
        led[lane] = report[lane].led ? -1 : 0;
    ask_linearisation(newton, q, frame);
    fil_v4 last = way_to(newton, q);
    go_on(job, newton, true, ~led, report);
    led |= ~(distance_from(newton, q) <= far * far);
    if (!fil_m4_any(led))
        return;
    fil_newton_take(newton->q, q, led, (ptrdiff_t)newton->size * FIL_LANES);
    fil_newton_take(newton->frame, frame, led, newton->vertices * frames * FIL_LANES);
    fil_newton_straighten(newton, led);
    judge_led(job, newton, led, last, report);
}

// Time since the last call, for a phase of a pack.
static void note_time(double *last, double *seconds)
{
    double now = fil_timer_seconds();
    *seconds = now - *last;
    *last = now;
}

static void run_packs(void *data, int64_t begin, int64_t end)
{
    const fil_step_job *job = data;
    fil_group_scratch *scratch = &job->state->scratch[job->group];
    double last = fil_timer_seconds();
    for (int64_t pack = begin; pack < end; ++pack) {
        fil_newton newton;
        fil_strand_report *report = scratch->report + pack * FIL_LANES;
        double *seconds = scratch->seconds + pack * FIL_PHASES;
        for (int lane = 0; lane < FIL_LANES; ++lane)
            report[lane] = (fil_strand_report){0};
        fil_newton_start(&job->state->model->groups[job->group], scratch, (int)pack, &newton);
        fil_pack_predict(job, &newton);
        note_time(&last, &seconds[FIL_PHASE_PREDICT]);
        job->solve(job, &newton, report);
        note_time(&last, &seconds[FIL_PHASE_SOLVE]);
        fil_m4 fine = fil_pack_commit(job, &newton);
        for (int lane = 0; lane < FIL_LANES; ++lane)
            report[lane].failed = fine[lane] == 0;
        if (job->stop)
            fil_pack_stop(job, &newton);
        note_time(&last, &seconds[FIL_PHASE_COMMIT]);
    }
}

// Adds the reports of a group, in the order of its strands.
void fil_step_add_reports(const fil_strands *S, const fil_strand_report *report, fil_step_stats *stats)
{
    stats->strands += S->strand_count;
    for (int slot = 0; slot < S->strand_count; ++slot) {
        const fil_strand_report *r = &report[slot];
        stats->failed += r->failed;
        stats->unconverged += !r->failed && !r->converged;
        stats->iterations += r->iterations;
        stats->factorisations += r->factorisations;
        stats->backtracks += r->backtracks;
        stats->repairs += r->repairs;
        if (r->iterations > stats->most_iterations)
            stats->most_iterations = r->iterations;
        if (!(r->change <= stats->worst_change))
            stats->worst_change = r->change;
    }
}

// Packs run through all phases by themselves: the time on the clock is divided as that of the threads was.
static void add_seconds(const fil_strands *S, const double *of_packs, double clock, fil_step_stats *stats)
{
    double sum[FIL_PHASES] = {0}, all = 0;
    for (int64_t i = 0; i < (int64_t)S->pack_count * FIL_PHASES; ++i) {
        sum[i % FIL_PHASES] += of_packs[i];
        all += of_packs[i];
    }
    for (int phase = 0; phase < FIL_PHASES && all > 0; ++phase)
        stats->seconds[phase] += clock * sum[phase] / all;
}

void fil_step_groups(fil_step_job *job, fil_step_stats *stats)
{
    const fil_model *model = job->state->model;
    for (job->group = 0; job->group < model->group_count; ++job->group) {
        const fil_strands *S = &model->groups[job->group];
        const fil_group_scratch *scratch = &job->state->scratch[job->group];
        if (S->live)
            continue;
        double start = fil_timer_seconds();
        fil_parallel_for(job->context, S->pack_count, PACKS_AT_ONCE, run_packs, job);
        fil_step_add_reports(S, scratch->report, stats);
        add_seconds(S, scratch->seconds, fil_timer_seconds() - start, stats);
    }
}

fil_step_job fil_step_job_make(fil_context *context, fil_state *state, double h)
{
    const fil_motion *motion = &state->model->motion;
    fil_step_job job = {
        .context = context, .state = state, .h = h, .s = h, .share = 1, .scheme = motion->scheme, .solve = solve};
    if (job.scheme == FIL_SCHEME_THETA)
        job.s = motion->theta * h;
    if (job.scheme == FIL_SCHEME_BDF2 && state->head->h_before == h)
        job.s = 2 * h / 3;
    else if (job.scheme == FIL_SCHEME_BDF2)
        job.scheme = FIL_SCHEME_EULER;
    return job;
}

// All strands by themselves.
static void step_apart(fil_context *context, fil_state *state, double h, fil_step_stats *sum)
{
    fil_memory_head *head = state->head;
    fil_step_job job = fil_step_job_make(context, state, h);
    double start = fil_timer_seconds();
    // What is let go within a step is let go at the start of it when that is nearer.
    fil_step_control(&job, head->time + h, head->time + 0.5 * h);
    sum->seconds[FIL_PHASE_CONTROL] = fil_timer_seconds() - start;
    fil_step_groups(&job, sum);
    head->time += h;
    head->h_before = h;
    sum->parts = 1;
}

fil_status fil_step(fil_context *context, fil_state *state, double h, fil_step_stats *stats)
{
    if (!(h > 0) || !isfinite(h))
        return fil_context_fail(context, FIL_BAD_INPUT, "step: must be a finite number of seconds > 0 (got %g)", h);
    fil_step_stats sum = {0};
    fil_status status = FIL_OK;
    double begin = state->head->time;
    if (state->model->contacts.on && state->model->contacts.strands.strand_count > 0)
        status = fil_step_together(context, state, h, &sum);
    else
        step_apart(context, state, h, &sum);
    if (status == FIL_OK)
        status = fil_step_live(context, state, begin, h, &sum);
    if (stats)
        *stats = sum;
    return status;
}

const char *fil_phase_name(fil_phase phase)
{
    static const char *const names[FIL_PHASES] = {"control", "predict", "solve", "detect",
                                                  "build",   "contact", "commit"};
    FIL_ASSERT(phase >= 0 && phase < FIL_PHASES);
    return names[phase];
}

const char *fil_trouble_name(fil_trouble trouble)
{
    static const char *const names[FIL_TROUBLES] = {"contact", "strand", "stretch", "crossing"};
    FIL_ASSERT(trouble >= 0 && trouble < FIL_TROUBLES);
    return names[trouble];
}
