// What is asked of live strands between steps: to start, to move at once, to be read and measured.
#include "step/step_live.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "step/live_opencl.h"

#include <math.h>
#include <string.h>

enum { LANES = FIL_LIVE_LANES };

void fil_live_fetch(const fil_state *state, int group)
{
    if (state->scratch[group].live.device)
        fil_live_opencl_fetch(NULL, state->scratch[group].live.device, &state->groups[group].live);
}

void fil_live_renew(const fil_state *state)
{
    for (int group = 0; group < state->model->group_count; ++group)
        if (state->scratch[group].live.device)
            fil_live_opencl_reset(state->scratch[group].live.device);
}

void fil_live_start(const fil_strands *S, fil_live_state *state)
{
    const fil_live *live = S->live;
    memcpy(state->x, live->rest, (size_t)live->row[live->pack_count] * 3 * LANES * sizeof(float));
    for (int strand = 0; strand < S->strand_count; ++strand) {
        int slot = S->slot[strand];
        for (int i = 0; i < S->vertices[strand]; ++i)
            for (int k = 0; k < 3; ++k) {
                int64_t row = S->pack_row[slot / FIL_LANES] + i;
                state->v[fil_live_at(S, live, strand, i, 3, k)] =
                    (float)S->v[(row * S->type->dofs + k) * FIL_LANES + slot % FIL_LANES];
            }
    }
}

// Turns and, where `pose` says so, moves a vector of a lane.
static void carry(const fil_pose *pose, bool moves, const float *from, float *to)
{
    const double x[3] = {(double)from[0], (double)from[LANES], (double)from[2 * LANES]};
    double turned[3];
    fil_quat_rotate(pose->rotation, x, turned);
    for (int k = 0; k < 3; ++k)
        to[k * LANES] = (float)(turned[k] + (moves ? pose->position[k] : 0));
}

void fil_live_move(const fil_strands *S, const fil_pose *motion, fil_live_state *state)
{
    for (int64_t at = 0; at < S->live->row[S->live->pack_count] * LANES; ++at) {
        int64_t first = at / LANES * 3 * LANES + at % LANES;
        carry(motion, true, state->x + first, state->x + first);
        carry(motion, false, state->v + first, state->v + first);
    }
}

void fil_live_reset(const fil_strands *S, const fil_pose *pose, fil_live_state *state)
{
    const fil_live *live = S->live;
    memset(state->v, 0, (size_t)live->row[live->pack_count] * 3 * LANES * sizeof(float));
    for (int pack = 0; pack < live->pack_count; ++pack)
        for (int64_t row = live->row[pack]; row < live->row[pack + 1]; ++row)
            for (int lane = 0; lane < LANES; ++lane) {
                int64_t at = row * 3 * LANES + lane;
                carry(&pose[fil_live_strand_of(S, pack * LANES + lane)], true, live->rest + at, state->x + at);
            }
}

static double mass_of(const fil_strands *S, int strand, int i)
{
    int slot = S->slot[strand];
    return S->inertia[(S->pack_row[slot / FIL_LANES] + i) * S->type->dofs * FIL_LANES + slot % FIL_LANES];
}

void fil_live_push(fil_state *state, int group, const double *force)
{
    const fil_strands *S = &state->model->groups[group];
    fil_live_state *live = &state->groups[group].live;
    *live->pushed = force != NULL;
    if (state->scratch[group].live.device)
        fil_live_opencl_renew_push(state->scratch[group].live.device);
    for (int strand = 0; force && strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i)
            for (int k = 0; k < 3; ++k)
                live->push[fil_live_at(S, S->live, strand, i, 3, k)] =
                    (float)(force[3 * (S->first_vertex[strand] + i) + k] / mass_of(S, strand, i));
}

void fil_live_read(const fil_strands *S, const float *array, double *out)
{
    for (int strand = 0; strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i)
            for (int k = 0; k < 3; ++k)
                out[3 * (S->first_vertex[strand] + i) + k] = (double)array[fil_live_at(S, S->live, strand, i, 3, k)];
}

void fil_live_measure(const fil_strands *S, const fil_live_state *state, const double gravity[3], fil_measure *out)
{
    for (int strand = 0; strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i) {
            double mass = mass_of(S, strand, i), x[3], v[3], e[3], arm[3];
            for (int k = 0; k < 3; ++k) {
                int64_t at = fil_live_at(S, S->live, strand, i, 3, k);
                x[k] = (double)state->x[at];
                v[k] = (double)state->v[at];
                e[k] = i + 1 < S->vertices[strand] ? (double)state->x[at + 3 * LANES] - x[k] : 0;
                out->kinetic += 0.5 * mass * v[k] * v[k];
                out->gravity -= mass * gravity[k] * x[k];
                out->momentum[k] += mass * v[k];
            }
            fil_vec3_cross(x, v, arm);
            for (int k = 0; k < 3; ++k)
                out->angular_momentum[k] += mass * arm[k];
            out->mass += mass;
            double length = (double)S->live->length[fil_live_at(S, S->live, strand, i, 1, 0)];
            if (length > 0)
                out->stretch = fmax(out->stretch, fabs(fil_vec3_norm(e) / length - 1));
        }
}
