// The schemes. Each is backward Euler in disguise: with q̂, v̂, s below, q̃ = q̂ + s v̂, the new state is the minimum of
// ½ |q - q̃|²_M / s² + E(q) - load·q, and the new velocity is v = (q - q̂) / s.
//
//     Euler   q̂ = q                   v̂ = v                          s = h
//     theta   q̂ = q + h (1 - θ) v     v̂ = v + h (1 - θ) M⁻¹ f(q, v)  s = θ h
//     BDF2    q̂ = (4 q - q_before)/3  v̂ = (4 v - v_before)/3         s = 2 h / 3
//
// Viscosity [Bergou 2010]: the stress k (ε - ε̄) + k T (ε - ε_now) / h, T = viscosity / young, is that of a stiffness
// k (1 + T/h) with the rest strain (ε̄ + T/h ε_now) / (1 + T/h). It is first order in time whatever the scheme.
#include "step/step_pack.h"

#include "math/quat.h"
#include "math/trig.h"

#include <string.h>

static const double *state_array(const fil_newton *newton, const double *array)
{
    return array + newton->S->pack_row[newton->pack] * newton->S->type->dofs * FIL_LANES;
}

// Gravity, wind and the host's forces.
static void fill_load(const fil_step_job *job, const fil_newton *newton, double *load)
{
    int dofs = newton->S->type->dofs;
    const double *force = job->state->groups[job->group].force + newton->S->pack_row[newton->pack] * 3 * FIL_LANES;
    for (int i = 0; i < newton->vertices; ++i) {
        fil_v4 drag = fil_v4_load(newton->drag + (ptrdiff_t)i * FIL_LANES);
        for (int k = 0; k < dofs; ++k) {
            ptrdiff_t at = ((ptrdiff_t)i * dofs + k) * FIL_LANES;
            fil_v4 sum = {0};
            if (k < 3)
                sum = fil_v4_load(newton->inertia + at) * job->gravity[k] + drag * job->wind[k] +
                      fil_v4_load(force + ((ptrdiff_t)i * 3 + k) * FIL_LANES);
            fil_v4_store(load + at, sum * fil_v4_load(newton->is_free + at));
        }
    }
}

// The strains at which no stress acts in this step.
static void fill_strain(const fil_step_job *job, fil_newton *newton, double *out)
{
    const fil_strands *S = newton->S;
    if (S->relaxation == 0)
        return;
    const fil_group_state *state = &job->state->groups[job->group];
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES;
    double weight = S->relaxation / job->h;
    S->type->strain(&newton->kernel, state_array(newton, state->q), state->frame + row * S->type->frame_count, out);
    ptrdiff_t count = (ptrdiff_t)newton->vertices * S->type->strain_count * FIL_LANES;
    for (ptrdiff_t k = 0; k < count; ++k)
        out[k] = (newton->kernel.strain[k] + weight * out[k]) / (1 + weight);
    newton->kernel.strain = out;
    newton->kernel.stiffening = 1 + weight;
}

// Force over mass at the state, for the theta scheme, into `out`.
static void acceleration(const fil_step_job *job, fil_newton *newton, double *out)
{
    const fil_strands *S = newton->S;
    const fil_group_state *state = &job->state->groups[job->group];
    const double *q = state_array(newton, state->q), *v = state_array(newton, state->v);
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES, size = (ptrdiff_t)newton->size * FIL_LANES;
    double ignored[FIL_LANES] = {0};
    memset(out, 0, (size_t)size * sizeof *out);
    S->type->elastic(&newton->kernel, q, state->frame + row * S->type->frame_count, FIL_HESSIAN_NONE, ignored, out,
                     NULL);
    for (int i = 0; i < newton->vertices; ++i)
        for (int k = 0; k < S->type->dofs; ++k) {
            ptrdiff_t at = ((ptrdiff_t)i * S->type->dofs + k) * FIL_LANES;
            fil_v4 mass = fil_v4_load(newton->inertia + at), drag = fil_v4_all(0);
            if (k < 3)
                drag = fil_v4_load(newton->drag + (ptrdiff_t)i * FIL_LANES);
            fil_v4 slow = (drag + S->damping * mass) * fil_v4_load(v + at);
            fil_v4_store(out + at, (fil_v4_load(newton->load + at) - fil_v4_load(out + at) - slow) / mass);
        }
}

void fil_pack_predict(const fil_step_job *job, fil_newton *newton)
{
    const fil_strands *S = newton->S;
    const fil_group_state *state = &job->state->groups[job->group];
    fil_group_scratch *scratch = &job->state->scratch[job->group];
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES, start = row * S->type->dofs;
    newton->q_state = state->q + start;
    newton->frame_state = state->frame + row * S->type->frame_count;
    double *q_hat = scratch->q_hat + start, *q_tilde = scratch->q_tilde + start;
    const double *q = state->q + start, *v = state->v + start;
    const double *q_before = state->q_before + start, *v_before = state->v_before + start;
    ptrdiff_t size = (ptrdiff_t)newton->size * FIL_LANES;
    double s = job->s, explicit_part = job->h - s;

    fill_load(job, newton, scratch->load + start);
    fill_strain(job, newton, scratch->strain + row * S->type->strain_count);
    newton->a = 1 / (s * s);
    newton->b = 1 / s;
    if (job->scheme == FIL_SCHEME_THETA)
        acceleration(job, newton, newton->direction);
    for (ptrdiff_t k = 0; k < size; ++k) {
        double velocity = v[k];
        q_hat[k] = q[k];
        if (job->scheme == FIL_SCHEME_THETA) {
            q_hat[k] += explicit_part * v[k];
            velocity += explicit_part * newton->direction[k];
        } else if (job->scheme == FIL_SCHEME_BDF2) {
            q_hat[k] = (4 * q[k] - q_before[k]) / 3;
            velocity = (4 * v[k] - v_before[k]) / 3;
        }
        q_tilde[k] = q_hat[k] + s * velocity;
    }
}

// A pose of the host holds at the end of the whole step: a part of it goes a share of the way.
static double share_of(const fil_step_job *job, const fil_newton *newton, int64_t row, int lane)
{
    int hold = newton->S->holder[row * FIL_LANES + lane] - 1;
    const fil_control_group *control = &job->state->model->control.groups[job->group];
    return hold >= 0 && hold < control->hold_count && control->paths[hold].track.key_count == 0 ? job->share : 1;
}

static const fil_pose *pose_of(const fil_step_job *job, const fil_newton *newton, int64_t row, int lane)
{
    const fil_strands *S = newton->S;
    int hold = S->holder[row * FIL_LANES + lane] - 1, strand = S->strand_of_slot[newton->pack * FIL_LANES + lane];
    if (hold < 0 || hold == FIL_BEYOND - 1 || job->state->scratch[job->group].released[hold])
        return NULL;
    return &job->state->groups[job->group].pose[(ptrdiff_t)hold * S->strand_count + strand];
}

// Held vertices of the iterate to where their pose takes them.
static void hold_positions(const fil_step_job *job, const fil_newton *newton, double *q)
{
    const fil_strands *S = newton->S;
    int dofs = S->type->dofs;
    for (int64_t h = S->held_start[newton->pack]; h < S->held_start[newton->pack + 1]; ++h) {
        int64_t row = S->pack_row[newton->pack] + S->held_vertex[h];
        for (int lane = 0; lane < FIL_LANES; ++lane) {
            const fil_pose *pose = pose_of(job, newton, row, lane);
            double x[3], turned[3];
            for (int k = 0; k < 3; ++k)
                x[k] = S->q[(row * dofs + k) * FIL_LANES + lane];
            if (!pose)
                continue;
            fil_quat_rotate(pose->rotation, x, turned);
            double share = share_of(job, newton, row, lane);
            for (int k = 0; k < 3; ++k) {
                int at = (S->held_vertex[h] * dofs + k) * FIL_LANES + lane;
                double target = turned[k] + pose->position[k];
                q[at] = share == 1 ? target : newton->q_state[at] + share * (target - newton->q_state[at]);
            }
        }
    }
}

// Held angles: from the reference frame at the iterate to the axis where the pose takes it, in the turn nearest to
// where the angle was.
static void hold_angles(const fil_step_job *job, const fil_newton *newton, double *q)
{
    const fil_strands *S = newton->S;
    int dofs = S->type->dofs;
    if (dofs < 4)
        return;
    double *axes = newton->direction; // not in use before the first iteration, and wide enough
    S->type->axes(newton->vertices, q, newton->frame, axes);
    for (int64_t h = S->held_start[newton->pack]; h < S->held_start[newton->pack + 1]; ++h) {
        int i = S->held_vertex[h];
        int64_t row = S->pack_row[newton->pack] + i;
        for (int lane = 0; lane < FIL_LANES; ++lane) {
            const fil_pose *pose = pose_of(job, newton, row, lane);
            double *angle = &q[(i * dofs + 3) * FIL_LANES + lane];
            if (!pose || newton->is_free[(i * dofs + 3) * FIL_LANES + lane] != 0 || i + 1 >= newton->vertices)
                continue;
            double start[3], target[3], now[3], t[3], across[3];
            for (int k = 0; k < 3; ++k) {
                start[k] = S->axis[(row * 3 + k) * FIL_LANES + lane];
                now[k] = axes[(i * 3 + k) * FIL_LANES + lane];
                t[k] = q[((i + 1) * dofs + k) * FIL_LANES + lane] - q[(i * dofs + k) * FIL_LANES + lane];
            }
            fil_quat_rotate(pose->rotation, start, target);
            fil_vec3_cross(now, target, across);
            double length = fil_vec3_norm(t);
            double turn = length > 0 ? atan2(fil_vec3_dot(across, t) / length, fil_vec3_dot(now, target)) : 0;
            *angle += share_of(job, newton, row, lane) * turn;
        }
    }
}

// The larger of the relative changes of the edges between two states, squared, lane by lane.
static fil_v4 edge_change(const fil_newton *newton, const double *q0, const double *q1)
{
    ptrdiff_t width = (ptrdiff_t)newton->S->type->dofs * FIL_LANES;
    fil_v4 most = {0};
    for (int i = 0; i < newton->vertices - 1; ++i) {
        const double *a = q0 + i * width, *b = q1 + i * width;
        fil_w3 e0 = fil_w3_subtract(fil_w3_load(a + width), fil_w3_load(a));
        fil_w3 e1 = fil_w3_subtract(fil_w3_load(b + width), fil_w3_load(b));
        fil_w3 d = fil_w3_subtract(e1, e0);
        fil_v4 change = fil_w3_dot(d, d) / fil_v4_max(fil_w3_dot(e0, e0), fil_v4_all(1e-300));
        most = fil_v4_select((newton->count > i + 1.0) & (change > most), change, most);
    }
    return most;
}

// Held unknowns to their targets, and the frame that belongs to the iterate.
static void settle(const fil_step_job *job, fil_newton *newton)
{
    const fil_strands *S = newton->S;
    const fil_group_state *state = &job->state->groups[job->group];
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES;
    hold_positions(job, newton, newton->q);
    if (S->type->carry)
        S->type->carry(newton->vertices, state->q + row * S->type->dofs, state->frame + row * S->type->frame_count,
                       newton->q, newton->frame);
    hold_angles(job, newton, newton->q);
}

void fil_pack_stand_still(const fil_step_job *job, fil_newton *newton)
{
    const double *q = state_array(newton, job->state->groups[job->group].q);
    memcpy(newton->q, q, (size_t)newton->size * FIL_LANES * sizeof *q);
    settle(job, newton);
}

// Gives every edge behind a held root the length it has in the state, from the root on: what a stiff strand would do if
// its root were pulled. Edges between held vertices stay as they are.
static void follow_root(const fil_newton *newton, const double *state_q, double *q)
{
    ptrdiff_t width = (ptrdiff_t)newton->S->type->dofs * FIL_LANES;
    fil_m4 root_held = fil_v4_load(newton->is_free) == 0;
    for (int i = 0; i < newton->vertices - 1; ++i) {
        const double *a = state_q + i * width;
        fil_w3 old = fil_w3_subtract(fil_w3_load(a + width), fil_w3_load(a));
        fil_w3 x = fil_w3_load(q + i * width), next = fil_w3_load(q + (i + 1) * width), e = fil_w3_subtract(next, x);
        fil_v4 size = fil_w3_dot(e, e);
        fil_m4 moves = root_held & (fil_v4_load(newton->is_free + (i + 1) * width) > 0) & (size > 0);
        fil_v4 factor = fil_v4_sqrt(fil_w3_dot(old, old) / fil_v4_max(size, fil_v4_all(1e-300)));
        fil_w3_store(q + (i + 1) * width, fil_w3_select(moves, fil_w3_add_scaled(x, factor, e), next));
    }
}

// The inertial prediction, held positions at their targets.
static void go_straight(const fil_step_job *job, fil_newton *newton, const double *q)
{
    ptrdiff_t size = (ptrdiff_t)newton->size * FIL_LANES;
    for (ptrdiff_t k = 0; k < size; ++k)
        newton->q[k] = newton->is_free[k] != 0 ? newton->q_tilde[k] : q[k];
    hold_positions(job, newton, newton->q);
}

// With the acceleration of the step before, which is what forces and contacts together made of it.
void fil_pack_drift(const fil_step_job *job, fil_newton *newton)
{
    const fil_group_state *state = &job->state->groups[job->group];
    const double h_before = job->state->head->h_before;
    const double *q = state_array(newton, state->q);
    const double *v = state_array(newton, state->v), *v_before = state_array(newton, state->v_before);
    double goes_on = h_before > 0 ? job->s * job->h / h_before : 0;
    go_straight(job, newton, q);
    for (ptrdiff_t k = 0; k < (ptrdiff_t)newton->size * FIL_LANES; ++k)
        newton->q[k] += newton->is_free[k] != 0 ? goes_on * (v[k] - v_before[k]) : 0;
    follow_root(newton, q, newton->q);
    settle(job, newton);
}

// Chooses between the inertial prediction and standing still, lane by lane. A small motion is predicted well; beyond
// that straight lines stretch whatever turns, so the lower objective decides.
void fil_pack_guess(const fil_step_job *job, fil_newton *newton)
{
    const double small = 0.1 * 0.1;
    const double *q = state_array(newton, job->state->groups[job->group].q);
    ptrdiff_t size = (ptrdiff_t)newton->size * FIL_LANES;
    go_straight(job, newton, q);
    fil_m4 large = edge_change(newton, q, newton->q) > small;
    if (!fil_m4_any(large)) {
        settle(job, newton);
        return;
    }
    fil_v4 moving, still;
    memcpy(newton->q_trial, newton->q, (size_t)size * sizeof *q);
    follow_root(newton, q, newton->q_trial);
    fil_newton_take(newton->q, newton->q_trial, large, size);
    settle(job, newton);
    fil_newton_evaluate(newton, false, false, &moving);
    fil_newton_accept(newton); // the prediction is the trial now
    memcpy(newton->q, q, (size_t)size * sizeof *q);
    hold_positions(job, newton, newton->q);
    follow_root(newton, q, newton->q);
    settle(job, newton);
    fil_newton_evaluate(newton, false, false, &still);
    fil_m4 keep = ~(large & (still < moving)) & fil_v4_finite(moving);
    fil_newton_take(newton->q, newton->q_trial, keep, size);
    fil_newton_take(newton->frame, newton->frame_trial, keep,
                    (ptrdiff_t)newton->vertices * newton->S->type->frame_count * FIL_LANES);
}

void fil_pack_stop(const fil_step_job *job, const fil_newton *newton)
{
    fil_group_state *state = &job->state->groups[job->group];
    ptrdiff_t start = newton->S->pack_row[newton->pack] * newton->S->type->dofs * FIL_LANES;
    memset(state->v + start, 0, (size_t)newton->size * FIL_LANES * sizeof(double));
}

fil_m4 fil_pack_commit(const fil_step_job *job, const fil_newton *newton)
{
    const fil_strands *S = newton->S;
    fil_group_state *state = &job->state->groups[job->group];
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES, start = row * S->type->dofs;
    ptrdiff_t size = (ptrdiff_t)newton->size * FIL_LANES;
    ptrdiff_t frame_size = (ptrdiff_t)newton->vertices * S->type->frame_count * FIL_LANES;
    double *frame = state->frame + row * S->type->frame_count;
    fil_v4 most = {0}, zero = {0};
    for (ptrdiff_t k = 0; k < size; k += FIL_LANES) {
        fil_v4 a = fil_v4_abs(fil_v4_load(newton->q + k));
        most = fil_v4_select(a <= most, most, a);
    }
    for (ptrdiff_t k = 0; k < frame_size; k += FIL_LANES) {
        fil_v4 a = fil_v4_abs(fil_v4_load(newton->frame + k));
        most = fil_v4_select(a <= most, most, a);
    }
    fil_m4 fine = fil_v4_finite(most);
    for (ptrdiff_t k = 0; k < size; k += FIL_LANES) {
        double *q = state->q + start + k, *v = state->v + start + k;
        fil_v4 old = fil_v4_load(q), new = fil_v4_load(newton->q + k), was = fil_v4_load(v);
        fil_v4 velocity = (new - fil_v4_load(newton->q_hat + k)) / job->s;
        // A held velocity is the host's: the plain quotient, which does not ring.
        velocity = fil_v4_select(fil_v4_load(newton->is_free + k) > 0, velocity, (new - old) / job->h);
        fil_v4_store(state->q_before + start + k, old);
        fil_v4_store(state->v_before + start + k, fil_v4_select(fine, was, zero));
        fil_v4_store(q, fil_v4_select(fine, new, old));
        fil_v4_store(v, fil_v4_select(fine, velocity, zero));
    }
    for (ptrdiff_t k = 0; k < frame_size; k += FIL_LANES)
        fil_v4_store(frame + k, fil_v4_select(fine, fil_v4_load(newton->frame + k), fil_v4_load(frame + k)));
    return fine;
}
