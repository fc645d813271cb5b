// What holds live strands: where the roots and the held vertices of a pack shall be. Four strands side by side, in
// doubles: poses are those of the host.
#include "step/step_live.h"

#include "math/quat.h"

enum { LANES = FIL_LIVE_LANES };

typedef struct four_poses {
    fil_w3 position;
    fil_v4 rotation[4];
} four_poses;

static four_poses gather(const fil_pose *const from[FIL_LANES])
{
    four_poses out;
    fil_v4 position[3];
    for (int k = 0; k < 3; ++k)
        position[k] = (fil_v4){from[0]->position[k], from[1]->position[k], from[2]->position[k], from[3]->position[k]};
    for (int k = 0; k < 4; ++k)
        out.rotation[k] =
            (fil_v4){from[0]->rotation[k], from[1]->rotation[k], from[2]->rotation[k], from[3]->rotation[k]};
    out.position = (fil_w3){position[0], position[1], position[2]};
    return out;
}

static fil_v4 numbers_at(const float *from)
{
    fil_q4 four;
    memcpy(&four, from, sizeof four);
    return __builtin_convertvector(four, fil_v4);
}

static void put_numbers(float *to, fil_v4 a)
{
    fil_q4 four = __builtin_convertvector(a, fil_q4);
    memcpy(to, &four, sizeof four);
}

// Vectors lie as in fil_live_pack.
static fil_w3 vectors_at(const float *from)
{
    return (fil_w3){numbers_at(from), numbers_at(from + LANES), numbers_at(from + 2 * LANES)};
}

static void put_vectors(float *to, fil_w3 a)
{
    put_numbers(to, a.x);
    put_numbers(to + LANES, a.y);
    put_numbers(to + 2 * LANES, a.z);
}

// The poses of the roots of four slots.
static void find_roots(const fil_state *state, int group, int slot, const fil_pose *root[FIL_LANES])
{
    for (int lane = 0; lane < FIL_LANES; ++lane)
        root[lane] = state->groups[group].pose + fil_live_strand_of(&state->model->groups[group], slot + lane);
}

void fil_live_set_poses(const fil_state *state, int group, int pack, float *pose)
{
    for (int first = 0; first < LANES; first += FIL_LANES) {
        const fil_pose *root[FIL_LANES];
        find_roots(state, group, pack * LANES + first, root);
        four_poses four = gather(root);
        for (int k = 0; k < 3; ++k) {
            const fil_w3 axis = {fil_v4_all(k == 0), fil_v4_all(k == 1), fil_v4_all(k == 2)};
            fil_w3 column = fil_quat_rotate_four(four.rotation, axis);
            put_numbers(pose + k * LANES + first, column.x);
            put_numbers(pose + (3 + k) * LANES + first, column.y);
            put_numbers(pose + (6 + k) * LANES + first, column.z);
        }
        put_vectors(pose + 9 * LANES + first, four.position);
    }
}

// The way to where a pose of the host has a vertex, which is there at the end of the whole step: a part of a step goes
// a share of it. Paths say where it is at the end of the part.
static fil_w3 go_part(const fil_control_group *control, const unsigned char *holder, double share, fil_w3 from,
                      fil_w3 to)
{
    fil_v4 part;
    for (int lane = 0; lane < FIL_LANES; ++lane)
        part[lane] = holder[lane] > 0 && control->paths[holder[lane] - 1].track.key_count == 0 ? share : 1;
    return fil_w3_select(part == 1, to, fil_w3_add_scaled(from, part, fil_w3_subtract(to, from)));
}

// Where a vertex of four strands, at x at time 0, is taken by what holds it; root: poses [strands].
static fil_w3 place(const fil_pose *const root[FIL_LANES], const unsigned char *holder, int strands, fil_w3 x)
{
    const fil_pose *pose[FIL_LANES];
    fil_m4 is_held;
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        int hold = holder[lane] > 0 ? holder[lane] - 1 : FIL_HOLD_ROOT;
        pose[lane] = root[lane] + (ptrdiff_t)hold * strands;
        is_held[lane] = -(holder[lane] > 0);
    }
    four_poses four = gather(pose);
    return fil_w3_select(is_held, fil_w3_add(fil_quat_rotate_four(four.rotation, x), four.position), x);
}

void fil_live_set_goals(const fil_state *state, int group, double share, int pack, float *goal)
{
    const fil_strands *S = &state->model->groups[group];
    const fil_live *live = S->live;
    const ptrdiff_t row = (ptrdiff_t)live->row[pack] * 3 * LANES;
    const int64_t begin = live->held_start[pack], end = live->held_start[pack + 1];
    for (int first = 0; first < LANES; first += FIL_LANES) {
        const fil_pose *root[FIL_LANES];
        find_roots(state, group, pack * LANES + first, root);
        for (int64_t j = begin; j < end; ++j) {
            const unsigned char *holder = live->holder + j * LANES + first;
            const ptrdiff_t at = row + (ptrdiff_t)3 * LANES * live->held[j] + first;
            fil_w3 to = place(root, holder, S->strand_count, vectors_at(live->rest + at));
            if (share != 1)
                to = go_part(&state->model->control.groups[group], holder, share,
                             vectors_at(state->groups[group].live.x + at), to);
            put_vectors(goal + (j - begin) * 3 * LANES + first, to);
            ask_for(live->rest + at, 3 * live->vertices[pack]); // of the next pack
        }
    }
}
