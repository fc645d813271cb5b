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

static void put_matrix(const four_poses *four, float *to)
{
    for (int k = 0; k < 3; ++k) {
        const fil_w3 axis = {fil_v4_all(k == 0), fil_v4_all(k == 1), fil_v4_all(k == 2)};
        fil_w3 column = fil_quat_rotate_four(four->rotation, axis);
        put_numbers(to + k * LANES, column.x);
        put_numbers(to + (3 + k) * LANES, column.y);
        put_numbers(to + (6 + k) * LANES, column.z);
    }
    put_vectors(to + 9 * LANES, four->position);
}

// The poses of what holds a vertex, from those of the roots; holds are `strands` poses apart.
static four_poses gather_holds(const fil_pose *const root[FIL_LANES], const unsigned char *holder, int strands)
{
    const fil_pose *from[FIL_LANES];
    for (int lane = 0; lane < FIL_LANES; ++lane)
        from[lane] = root[lane] + (ptrdiff_t)(holder[lane] > 0 ? holder[lane] - 1 : FIL_HOLD_ROOT) * strands;
    return gather(from);
}

static bool by_root_alone(const unsigned char *holder)
{
    bool out = true;
    for (int lane = 0; lane < FIL_LANES; ++lane)
        out = out && holder[lane] <= FIL_HOLD_ROOT + 1;
    return out;
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

// What `four` makes of x, in the lanes that are held.
static fil_w3 place(const four_poses *four, const unsigned char *holder, fil_w3 x)
{
    fil_w3 placed = fil_w3_add(fil_quat_rotate_four(four->rotation, x), four->position);
    return fil_w3_select((fil_m4){holder[0], holder[1], holder[2], holder[3]} > 0, placed, x);
}

void fil_live_hold(const fil_state *state, int group, double share, int pack, float *pose, float *goal)
{
    const fil_strands *S = &state->model->groups[group];
    const fil_live *live = S->live;
    const ptrdiff_t row = (ptrdiff_t)live->row[pack] * 3 * LANES;
    const int64_t begin = live->held_start[pack], end = live->held_start[pack + 1];
    for (int first = 0; first < LANES; first += FIL_LANES) {
        const fil_pose *root[FIL_LANES];
        for (int lane = 0; lane < FIL_LANES; ++lane)
            root[lane] = state->groups[group].pose + fil_live_strand_of(S, pack * LANES + first + lane);
        const four_poses of_root = gather(root);
        put_matrix(&of_root, pose + first);
        for (int64_t j = begin; j < end; ++j) {
            const unsigned char *holder = live->holder + j * LANES + first;
            const ptrdiff_t at = row + (ptrdiff_t)3 * LANES * live->held[j] + first;
            four_poses four = by_root_alone(holder) ? of_root : gather_holds(root, holder, S->strand_count);
            fil_w3 to = place(&four, holder, vectors_at(live->rest + at));
            if (share != 1)
                to = go_part(&state->model->control.groups[group], holder, share,
                             vectors_at(state->groups[group].live.x + at), to);
            put_vectors(goal + (j - begin) * 3 * LANES + first, to);
            ask_for(live->rest + at, 3 * live->vertices[pack]); // of the next pack
        }
    }
}
