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

void fil_live_set_poses(const fil_state *state, int group, int pack, float *pose)
{
    const fil_strands *S = &state->model->groups[group];
    const fil_pose *root = state->groups[group].pose + (ptrdiff_t)FIL_HOLD_ROOT * S->strand_count;
    for (int first = 0; first < LANES; first += FIL_LANES) {
        const fil_pose *from[FIL_LANES];
        for (int lane = 0; lane < FIL_LANES; ++lane)
            from[lane] = root + fil_live_strand_of(S, pack * LANES + first + lane);
        four_poses four = gather(from);
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

// What is known of a lane.
typedef struct held_lane {
    int vertices;
    const unsigned char *holder; // [vertices], FIL_LANES apart
    const fil_pose *pose;        // [holds], strand_count apart
} held_lane;

static held_lane lane_of(const fil_state *state, int group, int slot)
{
    const fil_strands *S = &state->model->groups[group];
    int strand = fil_live_strand_of(S, slot), from = S->slot[strand];
    return (held_lane){.vertices = S->vertices[strand],
                       .holder = S->holder + S->pack_row[from / FIL_LANES] * FIL_LANES + from % FIL_LANES,
                       .pose = state->groups[group].pose + strand};
}

// Where vertex i of four strands shall be, which is at x at time 0 and at `now` when the step begins. A pose of the
// host holds at the end of the whole step: a part of it goes a share of the way.
static fil_w3 goal_of(const fil_state *state, int group, double share, const held_lane *lanes, int i, fil_w3 x,
                      fil_w3 now)
{
    const fil_control_group *control = &state->model->control.groups[group];
    const fil_pose *from[FIL_LANES];
    fil_m4 is_held;
    fil_v4 part;
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        const held_lane *own = &lanes[lane];
        int holder = i < own->vertices ? own->holder[(ptrdiff_t)i * FIL_LANES] : 0, hold = holder > 0 ? holder - 1 : 0;
        from[lane] = own->pose + (ptrdiff_t)hold * state->model->groups[group].strand_count;
        is_held[lane] = -(holder > 0);
        part[lane] = control->paths[hold].track.key_count == 0 ? share : 1;
    }
    four_poses four = gather(from);
    fil_w3 goal = fil_w3_add(fil_quat_rotate_four(four.rotation, x), four.position);
    goal = fil_w3_select(part == 1, goal, fil_w3_add_scaled(now, part, fil_w3_subtract(goal, now)));
    return fil_w3_select(is_held, goal, x);
}

void fil_live_set_goals(const fil_state *state, int group, double share, int pack, float *goal)
{
    const fil_live *live = state->model->groups[group].live;
    const int64_t row = live->row[pack] * 3 * LANES;
    const float *rest = live->rest + row, *now = state->groups[group].live.x + row;
    const int *held = live->held + live->held_start[pack];
    held_lane lanes[LANES];
    for (int lane = 0; lane < LANES; ++lane)
        lanes[lane] = lane_of(state, group, pack * LANES + lane);
    for (int j = 0; j < live->held_start[pack + 1] - live->held_start[pack]; ++j)
        for (int first = 0; first < LANES; first += FIL_LANES) {
            ptrdiff_t at = (ptrdiff_t)3 * LANES * held[j] + first;
            put_vectors(goal + (ptrdiff_t)3 * LANES * j + first, goal_of(state, group, share, lanes + first, held[j],
                                                                         vectors_at(rest + at), vectors_at(now + at)));
        }
}
