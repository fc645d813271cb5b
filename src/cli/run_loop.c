// The work of filum run: steps, frames, rows, checkpoints.
//
// The state at the last complete frame is kept in memory: when the user stops the run in the middle of the next, that
// is what a checkpoint gets. Checkpoints are rare enough to cost no more than a hundredth of the time.
#include "cli/run.h"

#include "base/timer.h"

#include <math.h>
#include <string.h>

static const double checkpoint_share = 0.01, first_checkpoint_cost = 0.002;

fil_status fil_run_loop_make_room(fil_run *run)
{
    const fil_model *model = fil_simulation_model(run->simulation);
    for (int g = 0; g < fil_model_group_count(model); ++g) {
        run->strand_count += fil_model_strand_count(model, g);
        run->vertex_total += fil_model_vertex_count(model, g);
    }
    run->saved_size = fil_state_size(fil_simulation_state(run->simulation));
    run->position = FIL_ARENA_ARRAY(run->arena, double, 3 * run->vertex_total);
    run->stretch = FIL_ARENA_ARRAY(run->arena, double, run->vertex_total);
    run->saved = FIL_ARENA_ARRAY(run->arena, unsigned char, run->saved_size);
    run->checkpoint = -1;
    run->checkpoint_cost = first_checkpoint_cost;
    run->checkpoint_end = fil_timer_seconds();
    return run->position && run->stretch && run->saved ? FIL_OK : FIL_NO_MEMORY;
}

// Sums over all groups; stretch: the largest.
static void measure(const fil_run *run, fil_measure *sums)
{
    const fil_state *state = fil_simulation_state(run->simulation);
    *sums = (fil_measure){0};
    for (int g = 0; g < fil_model_group_count(fil_simulation_model(run->simulation)); ++g) {
        fil_measure group;
        fil_state_measure(state, g, &group);
        sums->kinetic += group.kinetic;
        sums->elastic += group.elastic;
        sums->gravity += group.gravity;
        sums->mass += group.mass;
        for (int k = 0; k < 3; ++k) {
            sums->momentum[k] += group.momentum[k];
            sums->angular_momentum[k] += group.angular_momentum[k];
        }
        sums->stretch = fmax(sums->stretch, group.stretch);
    }
}

static void read_places(const fil_run *run)
{
    const fil_model *model = fil_simulation_model(run->simulation);
    const fil_state *state = fil_simulation_state(run->simulation);
    int64_t first = 0;
    for (int g = 0; g < fil_model_group_count(model); ++g) {
        fil_frame out = {.position = run->position + 3 * first, .stretch = run->stretch + first};
        fil_state_read(state, g, &out);
        first += fil_model_vertex_count(model, g);
    }
}

// --parts: where strands are on the way to the next frame.
static void write_between(void *user)
{
    fil_run *run = user;
    double start = fil_timer_seconds();
    if (run->between_status != FIL_OK)
        return;
    read_places(run);
    run->between_status =
        fil_cache_write_between(run->writer, fil_simulation_frame(run->simulation) + 1, ++run->between,
                                fil_state_time(fil_simulation_state(run->simulation)), run->position, run->stretch);
    run->seconds_write += fil_timer_seconds() - start;
}

static fil_status write_frame(fil_run *run, int frame)
{
    fil_state *state = fil_simulation_state(run->simulation);
    read_places(run);
    run->between = 0;
    fil_status status = fil_cache_write_frame(run->writer, frame, fil_state_time(state), run->position, run->stretch);
    if (status == FIL_OK)
        fil_state_save(state, run->saved);
    return status;
}

// Of the last complete frame, from what was kept of it.
static fil_status write_checkpoint(fil_run *run, int frame, double time)
{
    double start = fil_timer_seconds();
    fil_status status = fil_run_stats_sync(run->context, &run->stats);
    if (status == FIL_OK)
        status = fil_cache_write_checkpoint(run->writer, frame, time, run->saved, run->saved_size);
    run->checkpoint_end = fil_timer_seconds();
    run->checkpoint_cost = run->checkpoint_end - start;
    if (status == FIL_OK)
        run->checkpoint = frame;
    return status;
}

// A frame has arrived: file and row, and now and then a checkpoint. *start: when the row before was written.
static fil_status finish_frame(fil_run *run, fil_run_row *row, double *start)
{
    double began = fil_timer_seconds();
    row->frame = fil_simulation_frame(run->simulation);
    row->time = fil_state_time(fil_simulation_state(run->simulation));
    measure(run, &row->sums);
    double measured = fil_timer_seconds();
    fil_status status = write_frame(run, row->frame);
    double now = fil_timer_seconds();
    row->seconds_measure = measured - began;
    row->seconds_write += now - measured;
    row->seconds = now - *start;
    run->seconds_write += now - measured;
    *start = now;
    if (status == FIL_OK)
        status = fil_run_stats_put(run->context, &run->stats, row);
    bool last = row->frame + 1 >= run->frames;
    bool due = now - run->checkpoint_end >= run->checkpoint_cost / checkpoint_share;
    if (status == FIL_OK && (last || due))
        status = write_checkpoint(run, row->frame, row->time);
    // What row and checkpoint took is told by the next row.
    *row = (fil_run_row){.seconds_write = fil_timer_seconds() - now};
    run->seconds_write += row->seconds_write;
    return status;
}

fil_status fil_run_loop_first(fil_run *run)
{
    fil_run_row row = {0};
    double start = fil_timer_seconds();
    return finish_frame(run, &row, &start);
}

// How far it is, and how long the rest will take at the pace since `start`.
static void show_progress(const fil_run *run, double start, int steps_per_frame, int contacts)
{
    char rest[64] = "", rough[96] = "", touching[48] = "";
    int before = run->first > 0 ? run->first - 1 : 0; // the frame at 0 s takes no steps
    double all = (double)(run->frames - 1) * steps_per_frame,
           done = (double)before * steps_per_frame + (double)run->steps;
    double elapsed = fil_timer_seconds() - start, left = elapsed * (all - done) / (double)run->steps;
    if (elapsed > 1)
        snprintf(rest, sizeof rest, ", %d:%02d:%02d left", (int)fmin(left / 3600, 1e6), (int)fmod(left / 60, 60),
                 (int)fmod(left, 60));
    if (contacts > 0)
        snprintf(touching, sizeof touching, ", %d contacts", contacts);
    if (run->rough_steps > 0)
        snprintf(rough, sizeof rough, "; strands did not converge in %lld of %lld steps", (long long)run->rough_steps,
                 (long long)run->steps);
    fil_report_progress(done / all, "%d of %d frames%s%s%s", fil_simulation_frame(run->simulation) + 1, run->frames,
                        rest, touching, rough);
}

static fil_status stop(fil_run *run, double frame_time)
{
    int frame = fil_simulation_frame(run->simulation);
    return frame != run->checkpoint ? write_checkpoint(run, frame, frame_time) : FIL_OK;
}

static void count_step(fil_run *run, fil_run_row *row, const fil_step_stats *step)
{
    fil_run_stats_add(&row->step, step);
    fil_run_stats_add(&run->all, step);
    ++row->steps;
    ++run->steps;
    run->unconverged += step->unconverged;
    run->failed += step->failed;
    run->rough_steps += step->unconverged + step->failed > 0;
    if (run->steps == 1 && run->first <= 1 && step->inside > 0)
        fil_report_remark("%d %s inside bodies", step->inside, step->inside == 1 ? "vertex starts" : "vertices start");
}

fil_status fil_run_loop(fil_run *run)
{
    int per_frame = fil_timing_steps(&run->film->timing, NULL);
    fil_state *state = fil_simulation_state(run->simulation);
    double start = fil_timer_seconds(), row_start = start, frame_time = fil_state_time(state);
    int64_t before = (int64_t)fil_simulation_frame(run->simulation) * per_frame; // steps of earlier runs
    fil_run_row row = {0};
    fil_status status = FIL_OK;
    if (run->parts)
        fil_state_watch_parts(state, write_between, run);
    while (status == FIL_OK && fil_simulation_frame(run->simulation) + 1 < run->frames) {
        if (fil_report_interrupted()) {
            status = stop(run, frame_time);
            break;
        }
        fil_step_stats step;
        bool arrived;
        fil_run_dump_begin(&run->dump, before + run->steps + 1);
        status = fil_simulation_step(run->context, run->simulation, &step, &arrived);
        if (status == FIL_OK)
            status = fil_run_dump_end(run->context, &run->dump);
        if (status != FIL_OK)
            break;
        count_step(run, &row, &step);
        if (run->parts && !arrived)
            write_between(run);
        status = run->between_status;
        if (status == FIL_OK && arrived) {
            frame_time = fil_state_time(state);
            status = finish_frame(run, &row, &row_start);
        }
        show_progress(run, start, per_frame, step.contacts);
    }
    fil_report_progress_end();
    run->seconds += fil_timer_seconds() - start;
    return status;
}
