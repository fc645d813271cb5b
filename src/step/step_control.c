// What the scene wants at a time, for the step that ends then.
#include "math/quat.h"
#include "step/step_pack.h"

#include <string.h>

static void set_poses(fil_state *state, int group, double t)
{
    const fil_control_group *control = &state->model->control.groups[group];
    int strands = state->model->groups[group].strand_count;
    for (int hold = 0; hold < control->hold_count; ++hold) {
        if (control->paths[hold].track.key_count == 0)
            continue;
        fil_pose pose = fil_path_at(&control->paths[hold], t);
        fil_quat_normalise(pose.rotation);
        for (int i = 0; i < strands; ++i)
            state->groups[group].pose[(ptrdiff_t)hold * strands + i] = pose;
    }
}

// Frees the vertices that are let go; the angle behind the last edge stays idle.
static void free_vertices(const fil_strands *S, fil_group_scratch *scratch)
{
    int dofs = S->type->dofs;
    memcpy(scratch->free_now, S->free, (size_t)S->row_count * FIL_LANES * (size_t)dofs * sizeof(double));
    for (int pack = 0; pack < S->pack_count; ++pack)
        for (int64_t h = S->held_start[pack]; h < S->held_start[pack + 1]; ++h)
            for (int lane = 0; lane < FIL_LANES; ++lane) {
                int64_t row = S->pack_row[pack] + S->held_vertex[h];
                int hold = S->holder[row * FIL_LANES + lane] - 1;
                if (hold < 0 || hold == FIL_BEYOND - 1 || !scratch->released[hold])
                    continue;
                bool last = S->held_vertex[h] == S->vertices[S->strand_of_slot[pack * FIL_LANES + lane]] - 1;
                for (int k = 0; k < (last ? 3 : dofs); ++k)
                    scratch->free_now[(row * dofs + k) * FIL_LANES + lane] = 1;
            }
    scratch->free = scratch->free_now;
}

static void set_releases(fil_state *state, int group, double t)
{
    const fil_control *control = &state->model->control;
    fil_group_scratch *scratch = &state->scratch[group];
    bool changed = false;
    for (int hold = 0; hold < control->groups[group].hold_count; ++hold) {
        bool released = fil_control_released(control, group, hold, t);
        changed = changed || released != scratch->released[hold];
        scratch->released[hold] = released;
    }
    if (changed)
        free_vertices(&state->model->groups[group], scratch);
}

static void control_group(fil_step_job *job, int group, double t, double release_time)
{
    set_poses(job->state, group, t);
    if (job->state->model->control.groups[group].releases)
        set_releases(job->state, group, release_time);
}

static void set_loads(fil_step_job *job, double t)
{
    fil_control_gravity(&job->state->model->control, t, job->gravity);
    fil_control_wind(&job->state->model->control, t, job->wind);
}

void fil_step_control(fil_step_job *job, double t, double release_time)
{
    const fil_model *model = job->state->model;
    set_loads(job, t);
    for (int group = 0; group < model->group_count; ++group)
        if (!model->groups[group].live)
            control_group(job, group, t, release_time);
}

void fil_step_control_live(fil_step_job *job, double t, double release_time)
{
    set_loads(job, t);
    control_group(job, job->group, t, release_time);
}
