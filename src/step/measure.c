// Energies, momenta and stretch of a group, from the state alone. Sums run over strands in the order of the groom.
#include "math/mat3.h"
#include "step/step_live.h"
#include "step/step_newton.h"

#include <math.h>

// Elastic energies of a pack, viscosity left out.
static fil_v4 elastic_energy(const fil_strands *S, const fil_state *state, int group, int pack)
{
    fil_newton newton;
    double energy[FIL_LANES] = {0};
    ptrdiff_t row = S->pack_row[pack] * FIL_LANES;
    fil_newton_start(S, &state->scratch[group], pack, &newton);
    S->type->elastic(&newton.kernel, state->groups[group].q + row * S->type->dofs,
                     state->groups[group].frame + row * S->type->frame_count, FIL_HESSIAN_NONE, energy, newton.gradient,
                     NULL);
    return fil_v4_load(energy);
}

static void add_vertex(const double gravity[3], const double m[4], const double x[4], const double v[4], int dofs,
                       fil_measure *out)
{
    double arm[3];
    fil_vec3_cross(x, v, arm);
    out->mass += m[0];
    for (int k = 0; k < 3; ++k) {
        out->kinetic += 0.5 * m[0] * v[k] * v[k];
        out->gravity -= m[0] * gravity[k] * x[k];
        out->momentum[k] += m[0] * v[k];
        out->angular_momentum[k] += m[0] * arm[k];
    }
    if (dofs > 3)
        out->kinetic += 0.5 * m[3] * v[3] * v[3];
}

static void add_stretch(const double x[4], const double next[4], double length, fil_measure *out)
{
    const double e[3] = {next[0] - x[0], next[1] - x[1], next[2] - x[2]};
    out->stretch = fmax(out->stretch, fabs(fil_vec3_norm(e) / length - 1));
}

static void read_numbers(const double *array, int64_t at, int dofs, double out[4])
{
    for (int k = 0; k < dofs; ++k)
        out[k] = array[at + (ptrdiff_t)k * FIL_LANES];
}

void fil_state_measure(const fil_state *state, int group, fil_measure *out)
{
    FIL_ASSERT(group >= 0 && group < state->model->group_count);
    const fil_strands *S = &state->model->groups[group];
    const fil_group_state *now = &state->groups[group];
    int dofs = S->type->dofs;
    double gravity[3];
    fil_control_gravity(&state->model->control, state->head->time, gravity);
    *out = (fil_measure){0};
    if (S->live) {
        fil_live_fetch(state, group);
        fil_live_measure(S, &now->live, gravity, out);
        return;
    }
    for (int pack = 0; pack < S->pack_count; ++pack) {
        fil_v4 energy = elastic_energy(S, state, group, pack);
        for (int lane = 0; lane < FIL_LANES && pack * FIL_LANES + lane < S->strand_count; ++lane)
            out->elastic += energy[lane];
    }
    for (int strand = 0; strand < S->strand_count; ++strand) {
        int slot = S->slot[strand], lane = slot % FIL_LANES;
        int64_t row = S->pack_row[slot / FIL_LANES];
        for (int i = 0; i < S->vertices[strand]; ++i, ++row) {
            double m[4] = {0}, x[4] = {0}, v[4] = {0}, next[4] = {0};
            int64_t at = row * dofs * FIL_LANES + lane;
            read_numbers(S->inertia, at, dofs, m);
            read_numbers(now->q, at, dofs, x);
            read_numbers(now->v, at, dofs, v);
            add_vertex(gravity, m, x, v, dofs, out);
            if (i + 1 == S->vertices[strand])
                continue;
            read_numbers(now->q, at + (int64_t)dofs * FIL_LANES, dofs, next);
            add_stretch(x, next, S->edge_length[row * FIL_LANES + lane], out);
        }
    }
}
