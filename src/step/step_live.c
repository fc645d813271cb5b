// A step of live strands: control, then pack by pack, each through the whole step while it is in the cache.
//
// Long steps are divided into parts, at most MOST_PARTS: the time that a step takes is bounded. Packs are dealt to
// blocks, and a block uses its memory again for each of its packs, so what is not state does not leave the cache. Or a
// device does all that (live_opencl.c) and is told what holds strands and where bodies are.
#include "step/step_live.h"

#include "base/parallel.h"
#include "base/timer.h"
#include "math/quat.h"
#include "step/live_opencl.h"
#include "step/step_pack.h"

#include <math.h>
#include <string.h>

enum { MOST_BLOCKS = 64, PACKS_A_BLOCK = 16, MOST_PARTS = 64, PACKS_A_MESSAGE = 256, LANES = FIL_LIVE_LANES };

// Rows that nobody uses between the memory of two blocks, two lines of the cache: processors fetch lines in pairs, and
// two threads would take those at the border away from each other. Without a gap short strands took a quarter longer.
enum { GAP = 4 };

// ---- memory

// Blocks of nearly equal numbers of rows.
static void deal_packs(const fil_live *live, fil_live_scratch *out)
{
    int64_t rows = live->row[live->pack_count];
    int pack = 0;
    for (int block = 0; block < out->blocks; ++block) {
        out->first[block] = pack;
        while (pack < live->pack_count && live->row[pack] < rows * (block + 1) / out->blocks)
            ++pack;
    }
    out->first[out->blocks] = live->pack_count;
}

// Whether a group feels an obstacle, and with which friction.
static bool feels(const fil_model *model, int group, int i, double *friction)
{
    const fil_model_obstacle *obstacle = &model->contacts.obstacles[i];
    const fil_touch_rule *rule = fil_model_rule(model, group, model->group_count + i);
    *friction = obstacle->friction < 0 ? model->contacts.touch[group].friction_body : obstacle->friction;
    if (rule && rule->friction >= 0)
        *friction = rule->friction;
    return !rule || !rule->apart;
}

// Memory for the meshes that a group feels.
static fil_status make_meshes(fil_arena *arena, const fil_model *model, int group, fil_live_scratch *out)
{
    fil_status status = FIL_OK;
    out->meshes = FIL_ARENA_ARRAY(arena, fil_live_mesh, (size_t)model->contacts.obstacle_count + 1);
    if (!out->meshes)
        return FIL_NO_MEMORY;
    for (int i = 0; i < model->contacts.obstacle_count && status == FIL_OK; ++i) {
        const fil_solid *solid = model->contacts.obstacles[i].solid;
        const double *size;
        double friction;
        if (fil_solid_shape_of(solid, &size) == FIL_OBSTACLE_MESH && feels(model, group, i, &friction))
            status = fil_solid_surface_create(arena, solid, &out->meshes[out->mesh_count++].surface);
    }
    return status;
}

// How many blocks there are. Two packs to a block would be enough for threads to share the work, but then the
// memory they use is cold, in the cache of the other thread: 1,000 strands took a tenth longer.
static int blocks_of(const fil_live *live)
{
    int blocks = (live->pack_count + PACKS_A_BLOCK - 1) / PACKS_A_BLOCK;
    return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

// From the memory of a block to that of the next, in floats for each number of a vertex; in those of poses.
static ptrdiff_t room_of_block(const fil_live *live)
{
    return ((ptrdiff_t)live->longest + GAP) * LANES;
}

enum { ROOM_OF_POSE = (12 + GAP) * LANES };

// What packs need on their way, block by block.
static fil_status make_blocks(fil_arena *arena, const fil_live *live, fil_live_scratch *out)
{
    out->blocks = blocks_of(live);
    size_t rows = (size_t)out->blocks * (size_t)room_of_block(live);
    struct {
        float **array;
        size_t count;
    } rooms[] = {{&out->p, 3 * rows},
                 {&out->bend, 3 * rows},
                 {&out->gain, 3 * rows},
                 {&out->work, 5 * rows},
                 {&out->force, 4 * rows},
                 {&out->goal, 3 * rows},
                 {&out->pose, (size_t)out->blocks * ROOM_OF_POSE}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        *rooms[i].array = FIL_ARENA_ARRAY(arena, float, rooms[i].count);
        if (!*rooms[i].array)
            return FIL_NO_MEMORY;
    }
    out->first = FIL_ARENA_ARRAY(arena, int, (size_t)out->blocks + 1);
    out->fine = FIL_ARENA_ARRAY(arena, unsigned char, live->pack_count);
    if (!out->first || !out->fine)
        return FIL_NO_MEMORY;
    deal_packs(live, out);
    return FIL_OK;
}

// What a device is told of packs, and where it has vertices when they leave meshes.
static fil_status make_messages(fil_arena *arena, const fil_live *live, fil_live_scratch *out)
{
    out->goal = FIL_ARENA_ARRAY(arena, float, (size_t)live->held_start[live->pack_count] * 3 * LANES);
    out->pose = FIL_ARENA_ARRAY(arena, float, (size_t)live->pack_count * 12 * LANES);
    if (out->mesh_count > 0)
        out->p = FIL_ARENA_ARRAY(arena, float, (size_t)live->row[live->pack_count] * 3 * LANES);
    return out->goal && out->pose && (out->p || out->mesh_count == 0) ? FIL_OK : FIL_NO_MEMORY;
}

fil_status fil_live_make_scratch(fil_context *context, fil_arena *arena, const fil_model *model, int group,
                                 fil_live_scratch *out)
{
    const fil_live *live = model->groups[group].live;
    const bool releases = model->control.groups[group].releases, away = live->param->device == FIL_LIVE_OPENCL;
    out->shapes = FIL_ARENA_ARRAY(arena, fil_live_shape, (size_t)model->contacts.obstacle_count + 1);
    if (releases)
        out->weight = FIL_ARENA_ARRAY(arena, float, (size_t)live->row[live->pack_count] * LANES);
    out->before = FIL_ARENA_RAW(arena, float, (size_t)live->row[live->pack_count] * 3 * LANES);
    if (!out->shapes || !out->before || (releases && !out->weight))
        return FIL_NO_MEMORY;
    fil_status status = make_meshes(arena, model, group, out);
    if (status == FIL_OK)
        status = away ? make_messages(arena, live, out) : make_blocks(arena, live, out);
    if (status == FIL_OK)
        status = fil_live_grid_make(arena, live, &out->grid);
    if (status == FIL_OK && away)
        status = fil_live_opencl_create(context, arena, &model->groups[group], model->contacts.obstacle_count,
                                        out->mesh_count > 0, &out->device);
    return status;
}

void fil_live_release_scratch(const fil_live_scratch *scratch)
{
    fil_live_opencl_destroy(scratch->device);
}

// Makes positions and velocities here as new as those of a device.
static fil_status fetch(fil_context *context, const fil_state *state, int group)
{
    fil_live_opencl *device = state->scratch[group].live.device;
    return device ? fil_live_opencl_fetch(context, device, &state->groups[group].live) : FIL_OK;
}

// ---- bodies

static void set_matrix(const fil_pose *pose, float *out)
{
    for (int k = 0; k < 3; ++k) {
        double column[3];
        fil_quat_rotate(pose->rotation, (const double[3]){k == 0, k == 1, k == 2}, column);
        for (int j = 0; j < 3; ++j)
            out[3 * j + k] = (float)column[j];
        out[9 + k] = (float)pose->position[k];
    }
}

typedef struct live_job {
    fil_step_job job;
    fil_live_now now;
    const float *weight;
} live_job;

// The bodies that a group feels in a part of a step. Returns how many of them are no meshes.
static int set_bodies(const fil_step_job *job, double from, double to, fil_live_scratch *out)
{
    const fil_model *model = job->state->model;
    int count = 0, meshes = 0;
    for (int i = 0; i < model->contacts.obstacle_count; ++i) {
        const fil_model_obstacle *obstacle = &model->contacts.obstacles[i];
        double friction;
        if (!feels(model, job->group, i, &friction))
            continue;
        const double *size;
        fil_obstacle_shape kind = fil_solid_shape_of(obstacle->solid, &size);
        fil_pose start = fil_model_obstacle_pose(obstacle, from), end = fil_model_obstacle_pose(obstacle, to);
        if (kind == FIL_OBSTACLE_MESH) {
            fil_live_mesh *mesh = &out->meshes[meshes++];
            mesh->motion = (fil_solid_motion){obstacle->solid, start, end, from, to};
            mesh->friction = friction;
            fil_solid_surface_move(mesh->surface, from, to);
            continue;
        }
        fil_live_shape *shape = &out->shapes[count++];
        *shape = (fil_live_shape){
            .kind = (int)kind, .size = {(float)size[0], (float)size[1], (float)size[2]}, .friction = (float)friction};
        set_matrix(&start, shape->from);
        set_matrix(&end, shape->to);
    }
    return count;
}

// ---- packs

static fil_live_pack pack_of(const live_job *self, int block, int pack)
{
    const fil_live *live = self->job.state->model->groups[self->job.group].live;
    const fil_live_state *state = &self->job.state->groups[self->job.group].live;
    const fil_live_scratch *scratch = &self->job.state->scratch[self->job.group].live;
    int64_t row = live->row[pack] * LANES, own = block * room_of_block(live);
    return (fil_live_pack){.n = live->vertices[pack],
                           .held_count = (int)(live->held_start[pack + 1] - live->held_start[pack]),
                           .x = state->x + 3 * row,
                           .v = state->v + 3 * row,
                           .p = scratch->p + 3 * own,
                           .force = scratch->force + 4 * own,
                           .bend = scratch->bend + 3 * own,
                           .gain = scratch->gain + 3 * own,
                           .work = scratch->work + 5 * own,
                           .weight = self->weight + row,
                           .length = live->length + row,
                           .inverse = live->inverse + row,
                           .drag = live->drag + row,
                           .radius = live->radius + row,
                           .give = live->give ? live->give + 2 * row : NULL,
                           .rest = live->rest + 3 * row,
                           .rest_bend = live->rest_bend + 3 * row,
                           .lift = live->lift ? live->lift + 3 * row : NULL,
                           .axis = live->axis + (ptrdiff_t)pack * 3 * LANES,
                           .along = live->along + row,
                           .push = state->push + 3 * row,
                           .pose = scratch->pose + (ptrdiff_t)block * ROOM_OF_POSE,
                           .goal = scratch->goal + 3 * own,
                           .held = live->held + live->held_start[pack]};
}

// Out of all meshes, and lengths once more where that has changed them.
static void leave_meshes(const live_job *self, const fil_live_pack *P)
{
    const fil_live_type *type = self->job.state->model->groups[self->job.group].live->type;
    const fil_live_scratch *scratch = &self->job.state->scratch[self->job.group].live;
    unsigned lanes = (1u << LANES) - 1;
    for (int lead = 0; lead <= type->leads && lanes && scratch->mesh_count > 0; ++lead) {
        for (int i = 0; i < scratch->mesh_count; ++i)
            fil_live_leave_mesh(&scratch->meshes[i], P, lanes);
        lanes = lead < type->leads ? type->lead(P, &self->now, scratch->shapes) : 0;
    }
}

static void run_blocks(void *data, int64_t begin, int64_t end)
{
    const live_job *self = data;
    const fil_strands *S = &self->job.state->model->groups[self->job.group];
    const fil_live_scratch *scratch = &self->job.state->scratch[self->job.group].live;
    for (int block = (int)begin; block < (int)end; ++block)
        for (int pack = scratch->first[block]; pack < scratch->first[block + 1]; ++pack) {
            fil_live_pack P = pack_of(self, block, pack);
            fil_live_hold(self->job.state, self->job.group, self->job.share, pack,
                          scratch->pose + (ptrdiff_t)block * ROOM_OF_POSE,
                          scratch->goal + 3 * block * room_of_block(S->live));
            S->live->type->solve(&P, &self->now, scratch->shapes);
            leave_meshes(self, &P);
            scratch->fine[pack] = (unsigned char)S->live->type->finish(&P, &self->now);
        }
}

static fil_live_now now_of(const fil_step_job *job)
{
    const fil_strands *S = &job->state->model->groups[job->group];
    fil_live_now now = fil_live_tell(S->live, job->h);
    now.damping = (float)S->damping;
    now.pushed = *job->state->groups[job->group].live.pushed;
    for (int k = 0; k < 3; ++k) {
        now.gravity[k] = (float)job->gravity[k];
        now.wind[k] = (float)job->wind[k];
    }
    return now;
}

static int count_failures(const fil_strands *S, const unsigned char *fine)
{
    int failed = 0;
    for (int slot = 0; slot < S->strand_count; ++slot)
        failed += !(fine[slot / LANES] >> slot % LANES & 1);
    return failed;
}

static void write_messages(void *data, int64_t begin, int64_t end)
{
    const live_job *self = data;
    const fil_live *live = self->job.state->model->groups[self->job.group].live;
    const fil_live_scratch *scratch = &self->job.state->scratch[self->job.group].live;
    for (int pack = (int)begin; pack < (int)end; ++pack) {
        fil_live_hold(self->job.state, self->job.group, self->job.share, pack,
                      scratch->pose + (ptrdiff_t)pack * 12 * LANES, scratch->goal + live->held_start[pack] * 3 * LANES);
    }
}

// A pack whose vertices are on their way.
static fil_live_pack moving_pack(const live_job *self, int pack)
{
    const fil_live *live = self->job.state->model->groups[self->job.group].live;
    int64_t row = live->row[pack] * LANES;
    return (fil_live_pack){.n = live->vertices[pack],
                           .x = self->job.state->groups[self->job.group].live.x + 3 * row,
                           .p = self->job.state->scratch[self->job.group].live.p + 3 * row,
                           .weight = self->weight + row,
                           .length = live->length + row,
                           .inverse = live->inverse + row,
                           .radius = live->radius + row};
}

static void lead_packs(void *data, int64_t begin, int64_t end)
{
    const live_job *self = data;
    for (int pack = (int)begin; pack < (int)end; ++pack) {
        fil_live_pack P = moving_pack(self, pack);
        leave_meshes(self, &P);
    }
}

static fil_status order_share(live_job *self, fil_live_share share, int *failed)
{
    const fil_step_job *job = &self->job;
    const fil_live_scratch *scratch = &job->state->scratch[job->group].live;
    const fil_live_order order = {.now = &self->now,
                                  .shapes = scratch->shapes,
                                  .weight = scratch->weight,
                                  .pose = scratch->pose,
                                  .goal = scratch->goal};
    self->now.share = (int)share;
    return fil_live_opencl_step(job->context, scratch->device, &job->state->groups[job->group].live, &order, failed);
}

// Devices do not know meshes: between two shares of the step strands leave them here.
static fil_status step_in_shares(live_job *self, int *failed)
{
    const fil_step_job *job = &self->job;
    const fil_live_scratch *scratch = &job->state->scratch[job->group].live;
    fil_status status = order_share(self, FIL_LIVE_MOVE, failed);
    if (status == FIL_OK)
        status = fil_live_opencl_take_places(job->context, scratch->device, &job->state->groups[job->group].live,
                                             scratch->p);
    if (status != FIL_OK)
        return status;
    fil_parallel_for(job->context, job->state->model->groups[job->group].live->pack_count, 1, lead_packs, self);
    status = fil_live_opencl_give_places(job->context, scratch->device, scratch->p);
    return status == FIL_OK ? order_share(self, FIL_LIVE_FINISH, failed) : status;
}

static fil_status step_away(live_job *self, int *failed)
{
    const fil_step_job *job = &self->job;
    // A part of the way to a pose begins where the strand is now.
    fil_status status = job->share != 1 ? fetch(job->context, job->state, job->group) : FIL_OK;
    if (status != FIL_OK)
        return status;
    fil_parallel_for(job->context, job->state->model->groups[job->group].live->pack_count, PACKS_A_MESSAGE,
                     write_messages, self);
    if (job->state->scratch[job->group].live.mesh_count > 0)
        return step_in_shares(self, failed);
    return order_share(self, FIL_LIVE_WHOLE, failed);
}

static fil_status step_here(live_job *self, int *failed)
{
    const fil_live_scratch *scratch = &self->job.state->scratch[self->job.group].live;
    fil_parallel_for(self->job.context, scratch->blocks, 1, run_blocks, self);
    *failed = count_failures(&self->job.state->model->groups[self->job.group], scratch->fine);
    return FIL_OK;
}

// As a cloud, of whose strands a device shows and is given the velocities.
static fil_status feel_cloud(const fil_step_job *job)
{
    fil_live_scratch *scratch = &job->state->scratch[job->group].live;
    const fil_strands *S = &job->state->model->groups[job->group];
    if (!(S->live->param->grid > 0))
        return FIL_OK;
    fil_status status = fetch(job->context, job->state, job->group);
    if (status != FIL_OK)
        return status;
    fil_live_grid_mix(job->context, S, job->h, &scratch->grid, &job->state->groups[job->group].live);
    if (scratch->device)
        fil_live_opencl_renew(scratch->device);
    return FIL_OK;
}

// One part of a step of one group.
static fil_status step_group(const fil_step_job *job, double from, double to, int *failed)
{
    fil_state *state = job->state;
    const fil_strands *S = &state->model->groups[job->group];
    fil_live_scratch *scratch = &state->scratch[job->group].live;
    live_job self = {.job = *job, .now = now_of(job), .weight = S->live->weight};
    if (scratch->weight) {
        fil_live_weigh(S->live, S, state->scratch[job->group].free, scratch->weight);
        self.weight = scratch->weight;
    }
    self.now.shapes = set_bodies(job, from, to, scratch);
    fil_status status = scratch->device ? step_away(&self, failed) : step_here(&self, failed);
    return status == FIL_OK ? feel_cloud(job) : status;
}

static int parts_of(const fil_live_param *param, double h)
{
    double parts = ceil(h / param->substep - 1e-6);
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
}

// All parts of a step of one group.
static fil_status step_parts(fil_context *context, fil_state *state, int group, double begin, double h,
                             fil_step_stats *stats)
{
    int parts = parts_of(state->model->groups[group].live->param, h);
    fil_status status = FIL_OK;
    for (int part = 0; part < parts && status == FIL_OK; ++part) {
        fil_step_job job = fil_step_job_make(context, state, h / parts);
        double from = begin + h * part / parts, to = begin + h * (part + 1) / parts;
        int failed = 0;
        job.group = group;
        job.share = 1.0 / (parts - part);
        fil_step_control_live(&job, to, 0.5 * (from + to));
        status = step_group(&job, from, to, &failed);
        stats->failed += failed;
    }
    return status;
}

fil_status fil_step_live(fil_context *context, fil_state *state, double begin, double h, fil_step_stats *stats)
{
    const fil_model *model = state->model;
    fil_status status = FIL_OK;
    for (int group = 0; group < model->group_count && status == FIL_OK; ++group) {
        const fil_strands *S = &model->groups[group];
        if (!S->live)
            continue;
        double start = fil_timer_seconds();
        status = step_parts(context, state, group, begin, h, stats);
        stats->strands += S->strand_count;
        stats->seconds[FIL_PHASE_SOLVE] += fil_timer_seconds() - start;
    }
    return status;
}

// The longest way from x to where it was, squared, over the length of the strands.
static double longest_way(const fil_strands *S, const float *x, const float *before)
{
    double most = 0;
    for (int strand = 0; strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i) {
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                int64_t at = fil_live_at(S, S->live, strand, i, 3, k);
                double way = (double)x[at] - (double)before[at];
                square += way * way;
            }
            most = fmax(most, square / (S->strand_length[strand] * S->strand_length[strand]));
        }
    return most;
}

// One step from rest and to rest; moves: whether a strand moved by more than rounding.
static fil_status creep(fil_context *context, fil_state *state, int group, double h, bool *moves)
{
    const double still = 1e-5; // of the length of a strand
    const fil_strands *S = &state->model->groups[group];
    fil_live_state *now = &state->groups[group].live;
    size_t size = (size_t)S->live->row[S->live->pack_count] * 3 * LANES * sizeof(float);
    double time = state->head->time;
    float *before = state->scratch[group].live.before;
    fil_step_job job = fil_step_job_make(context, state, h);
    int failed;
    fil_status status = fetch(context, state, group);
    if (status != FIL_OK)
        return status;
    memcpy(before, now->x, size);
    job.group = group;
    fil_step_control_live(&job, time, time);
    status = step_group(&job, time, time, &failed);
    if (status == FIL_OK)
        status = fetch(context, state, group);
    if (status != FIL_OK)
        return status;
    memset(now->v, 0, size);
    if (state->scratch[group].live.device)
        fil_live_opencl_renew(state->scratch[group].live.device);
    *moves = longest_way(S, now->x, before) > still * still;
    return FIL_OK;
}

fil_status fil_live_settle(fil_context *context, fil_state *state, int max_iterations, fil_step_stats *stats)
{
    fil_status status = FIL_OK;
    for (int group = 0; group < state->model->group_count && status == FIL_OK; ++group) {
        const fil_strands *S = &state->model->groups[group];
        if (!S->live)
            continue;
        bool moves = true;
        for (int i = 0; i < max_iterations && moves && status == FIL_OK; ++i)
            status = creep(context, state, group, fmin(S->live->param->substep, 1.0 / 60), &moves);
        stats->strands += S->strand_count;
        stats->unconverged += moves ? S->strand_count : 0;
    }
    return status;
}
