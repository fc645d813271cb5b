// The state: creation, what the host sets and reads, and saving.
//
// Everything that a later step depends on lies in one piece of memory, so saving is copying it. The saved bytes begin
// with a header (what they are, of which model, how many, a checksum) and are of use on a machine like this one only.
#include "step/step_live.h"
#include "step/step_newton.h"

#include "base/hash.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

typedef struct saved_head {
    char magic[8];
    uint64_t things, size, checksum;
} saved_head;

// A ponytail has about two contacts for each vertex; what is beyond begins from zero.
enum { TRACKED_PER_VERTEX = 3 };

static const char magic[8] = {'f', 'i', 'l', 'u', 'm', 's', 't', '3'};

// Hands out parts of the one piece of memory; with base NULL it only counts.
typedef struct portion {
    unsigned char *base;
    size_t used;
} portion;

static void *take(portion *p, size_t bytes)
{
    void *at = p->base ? p->base + p->used : NULL;
    p->used += (bytes + 63) / 64 * 64;
    return at;
}

static void divide_group(portion *p, const fil_strands *S, fil_group_state *state)
{
    size_t row = (size_t)S->row_count * FIL_LANES * sizeof(double), dofs = row * (size_t)S->type->dofs;
    state->q = take(p, dofs);
    state->v = take(p, dofs);
    state->q_before = take(p, dofs);
    state->v_before = take(p, dofs);
    state->frame = take(p, row * (size_t)S->type->frame_count);
    state->force = take(p, 3 * row);
}

static void divide_live(portion *p, const fil_live *live, fil_live_state *state)
{
    size_t row = (size_t)live->row[live->pack_count] * FIL_LIVE_LANES * sizeof(float);
    state->x = take(p, 3 * row);
    state->v = take(p, 3 * row);
    state->push = take(p, 3 * row);
    state->pushed = take(p, sizeof(int));
}

static void divide_memory(portion *p, const fil_model *model, fil_state *out)
{
    fil_group_state *groups = out->groups;
    out->head = take(p, sizeof *out->head);
    out->tracked = take(p, (size_t)out->tracked_room * sizeof *out->tracked);
    for (int g = 0; g < model->group_count; ++g) {
        const fil_strands *S = &model->groups[g];
        fil_group_state *state = &groups[g];
        if (S->live)
            divide_live(p, S->live, &state->live);
        else
            divide_group(p, S, state);
        size_t holds = (size_t)model->control.groups[g].hold_count;
        state->pose = take(p, holds * (size_t)S->strand_count * sizeof(fil_pose));
    }
}

// What only groups with an energy need.
static fil_status make_newton_scratch(fil_arena *arena, const fil_strands *S, fil_group_scratch *out)
{
    int dofs = S->type->dofs, frame = S->type->frame_count;
    struct {
        double **array;
        int width;
    } rooms[] = {{&out->q_hat, dofs},
                 {&out->q_tilde, dofs},
                 {&out->load, dofs},
                 {&out->strain, S->type->strain_count},
                 {&out->q[0], dofs},
                 {&out->q[1], dofs},
                 {&out->frame[0], frame},
                 {&out->frame[1], frame},
                 {&out->gradient, dofs},
                 {&out->direction, dofs},
                 {&out->band[0], dofs * (S->type->bandwidth + 1)},
                 {&out->band[1], dofs * (S->type->bandwidth + 1)},
                 {&out->band[2], dofs * (S->type->bandwidth + 1)}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        *rooms[i].array = FIL_ARENA_ARRAY(arena, double, (size_t)S->row_count *FIL_LANES *(size_t)rooms[i].width);
        if (!*rooms[i].array)
            return FIL_NO_MEMORY;
    }
    out->report = FIL_ARENA_ARRAY(arena, fil_strand_report, (size_t)S->pack_count * FIL_LANES);
    out->seconds = FIL_ARENA_ARRAY(arena, double, (size_t)S->pack_count *FIL_PHASES);
    return out->report && out->seconds ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status make_scratch(fil_context *context, fil_arena *arena, const fil_model *model, int group,
                               fil_group_scratch *out)
{
    const fil_strands *S = &model->groups[group];
    const fil_control_group *control = &model->control.groups[group];
    out->released = FIL_ARENA_ARRAY(arena, bool, control->hold_count);
    out->free = S->free;
    if (control->releases)
        out->free_now = FIL_ARENA_ARRAY(arena, double, (size_t)S->row_count *FIL_LANES *(size_t)S->type->dofs);
    if (!out->released || (!out->free_now && control->releases))
        return FIL_NO_MEMORY;
    return S->live ? fil_live_make_scratch(context, arena, model, group, &out->live)
                   : make_newton_scratch(arena, S, out);
}

// What only steps with contacts need.
static fil_status make_contact_scratch(fil_context *context, fil_state *state)
{
    const fil_model *model = state->model;
    fil_arena *arena = state->arena;
    fil_contact_scratch *out = &state->contact;
    const fil_touch_strands *strands = &model->contacts.strands;
    out->arena = fil_arena_create(context);
    out->held = FIL_ARENA_ARRAY(arena, unsigned char, strands->vertex_count);
    out->x0 = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)strands->vertex_count);
    out->x1 = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)strands->vertex_count);
    out->x1_found = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)strands->vertex_count);
    out->body = FIL_ARENA_ARRAY(arena, int, strands->strand_count);
    out->pressed = FIL_ARENA_ARRAY(arena, int, strands->strand_count);
    out->bodies = FIL_ARENA_ARRAY(arena, fil_solid_motion, model->contacts.obstacle_count);
    out->saved = FIL_ARENA_RAW(arena, unsigned char, state->memory_size);
    bool good = out->arena && out->held && out->x0 && out->x1 && out->x1_found && out->body && out->pressed &&
                out->bodies && out->saved;
    for (int g = 0; good && g < model->group_count; ++g) {
        const fil_strands *S = &model->groups[g];
        fil_group_scratch *scratch = &state->scratch[g];
        if (S->live)
            continue;
        scratch->newton = FIL_ARENA_ARRAY(arena, fil_newton, S->pack_count);
        size_t row = (size_t)S->row_count * FIL_LANES;
        scratch->push = FIL_ARENA_ARRAY(arena, double, row *(size_t)S->type->dofs);
        scratch->q_said = FIL_ARENA_ARRAY(arena, double, row *(size_t)S->type->dofs);
        scratch->frame_said = FIL_ARENA_ARRAY(arena, double, row *(size_t)S->type->frame_count);
        good = scratch->newton && scratch->push && scratch->q_said && scratch->frame_said;
    }
    return good ? FIL_OK : FIL_NO_MEMORY;
}

static void start_newton(const fil_strands *S, fil_group_state *state)
{
    size_t row = (size_t)S->row_count * FIL_LANES * sizeof(double), dofs = row * (size_t)S->type->dofs;
    memcpy(state->q, S->q, dofs);
    memcpy(state->v, S->v, dofs);
    memcpy(state->q_before, S->q, dofs);
    memcpy(state->v_before, S->v, dofs);
    memcpy(state->frame, S->frame, row * (size_t)S->type->frame_count);
}

static void start_group(const fil_strands *S, int holds, fil_group_state *state)
{
    if (S->live)
        fil_live_start(S, &state->live);
    else
        start_newton(S, state);
    for (int i = 0; i < holds * S->strand_count; ++i)
        state->pose[i] = fil_pose_default();
}

static fil_status fill_state(fil_context *context, fil_arena *arena, const fil_model *model, fil_state *state)
{
    size_t groups = (size_t)model->group_count + 1;
    state->groups = FIL_ARENA_ARRAY(arena, fil_group_state, groups);
    state->scratch = FIL_ARENA_ARRAY(arena, fil_group_scratch, groups);
    if (!state->groups || !state->scratch)
        return FIL_NO_MEMORY;
    portion p = {0};
    state->tracked_room = model->contacts.on ? TRACKED_PER_VERTEX * model->contacts.strands.vertex_count : 0;
    divide_memory(&p, model, state);
    state->memory_size = p.used;
    state->memory = FIL_ARENA_ARRAY(arena, unsigned char, p.used);
    if (!state->memory)
        return FIL_NO_MEMORY;
    p = (portion){.base = state->memory};
    divide_memory(&p, model, state);
    for (int g = 0; g < model->group_count; ++g) {
        fil_status status = make_scratch(context, arena, model, g, &state->scratch[g]);
        if (status != FIL_OK)
            return status;
        start_group(&model->groups[g], model->control.groups[g].hold_count, &state->groups[g]);
    }
    return model->contacts.on ? make_contact_scratch(context, state) : FIL_OK;
}

fil_status fil_state_create(fil_context *context, const fil_model *model, fil_state **out)
{
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    fil_state *state = arena ? FIL_ARENA_ARRAY(arena, fil_state, 1) : NULL;
    fil_status status = FIL_NO_MEMORY;
    if (state) {
        state->arena = arena;
        state->model = model;
        status = fill_state(context, arena, model, state);
    }
    if (status == FIL_OK)
        *out = state;
    else if (state)
        fil_state_destroy(state);
    else
        fil_arena_destroy(arena);
    return status;
}

void fil_state_destroy(fil_state *state)
{
    if (!state)
        return;
    for (int g = 0; state->scratch && g < state->model->group_count; ++g)
        fil_live_release_scratch(&state->scratch[g].live);
    fil_arena_destroy(state->contact.arena);
    fil_arena_destroy(state->arena);
}

double fil_state_time(const fil_state *state)
{
    return state->head->time;
}

static fil_status check_group(fil_context *context, const fil_state *state, int group)
{
    if (group < 0 || group >= state->model->group_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: there are %d", group, state->model->group_count);
    return FIL_OK;
}

void fil_state_watch_parts(fil_state *state, fil_part_watch *watch, void *user)
{
    state->part_watch = watch;
    state->part_watch_user = user;
}

// Makes the rotation a unit quaternion.
static fil_status check_pose(fil_context *context, int group, fil_pose *pose)
{
    const double *r = pose->rotation, *x = pose->position;
    double size = fil_quat_norm(r);
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]) || !isfinite(size) || !(size > 0))
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "group %d: pose: must be finite, its rotation not zero (got %g %g %g, %g %g %g %g)",
                                group, x[0], x[1], x[2], r[0], r[1], r[2], r[3]);
    fil_quat_normalise(pose->rotation);
    return FIL_OK;
}

static fil_status check_live(fil_context *context, const fil_state *state, int group)
{
    fil_status status = check_group(context, state, group);
    if (status == FIL_OK && !state->model->groups[group].live)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: %s is not a live model: it cannot be moved at once",
                                group, state->model->groups[group].type->name);
    return status;
}

fil_status fil_state_teleport(fil_context *context, fil_state *state, int group, const fil_pose *motion)
{
    fil_pose unit = *motion;
    fil_status status = check_live(context, state, group);
    if (status == FIL_OK)
        status = check_pose(context, group, &unit);
    if (status != FIL_OK)
        return status;
    fil_live_fetch(state, group);
    fil_live_move(&state->model->groups[group], &unit, &state->groups[group].live);
    fil_live_renew(state);
    int64_t poses = (int64_t)state->model->control.groups[group].hold_count * state->model->groups[group].strand_count;
    for (int64_t i = 0; i < poses; ++i) {
        fil_pose *pose = &state->groups[group].pose[i], old = *pose;
        fil_quat_rotate(unit.rotation, old.position, pose->position);
        for (int k = 0; k < 3; ++k)
            pose->position[k] += unit.position[k];
        fil_quat_multiply(unit.rotation, old.rotation, pose->rotation);
    }
    return FIL_OK;
}

fil_status fil_state_reset(fil_context *context, fil_state *state, int group)
{
    fil_status status = check_live(context, state, group);
    if (status != FIL_OK)
        return status;
    fil_live_reset(&state->model->groups[group], state->groups[group].pose, &state->groups[group].live);
    fil_live_renew(state);
    return FIL_OK;
}

fil_status fil_state_pose(fil_context *context, fil_state *state, int group, int hold, int strand, const fil_pose *pose)
{
    fil_status status = check_group(context, state, group);
    if (status != FIL_OK)
        return status;
    const fil_strands *S = &state->model->groups[group];
    if (strand < -1 || strand >= S->strand_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: strand %d: there are %d", group, strand,
                                S->strand_count);
    const fil_control_group *control = &state->model->control.groups[group];
    if (hold < 0 || hold >= control->hold_count)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "group %d: hold %d: must be root (0), tip (1) or one of %d pins", group, hold,
                                control->hold_count - FIL_HOLD_PIN);
    if (control->paths[hold].track.key_count > 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "group %d: hold %d: follows a track of the scene", group, hold);
    fil_pose unit = *pose;
    status = check_pose(context, group, &unit);
    if (status != FIL_OK)
        return status;
    for (int i = strand < 0 ? 0 : strand; i < (strand < 0 ? S->strand_count : strand + 1); ++i)
        state->groups[group].pose[(ptrdiff_t)hold * S->strand_count + i] = unit;
    return FIL_OK;
}

// Where number k of vertex i of a strand is in a packed array of that width.
static size_t packed(const fil_strands *S, int strand, int i, int width, int k)
{
    int slot = S->slot[strand];
    return (size_t)(((S->pack_row[slot / FIL_LANES] + i) * width + k) * FIL_LANES + slot % FIL_LANES);
}

void fil_state_watch(fil_state *state, fil_problem_watch *watch, void *user)
{
    state->watch = watch;
    state->watch_user = user;
}

fil_status fil_state_force(fil_context *context, fil_state *state, int group, const double *force)
{
    fil_status status = check_group(context, state, group);
    if (status != FIL_OK)
        return status;
    const fil_strands *S = &state->model->groups[group];
    for (int64_t i = 0; force && i < 3 * S->vertex_count; ++i)
        if (!isfinite(force[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "group %d: force[%lld]: must be finite (got %g)", group,
                                    (long long)i, force[i]);
    if (S->live) {
        fil_live_push(state, group, force);
        return FIL_OK;
    }
    for (int strand = 0; strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i)
            for (int k = 0; k < 3; ++k)
                state->groups[group].force[packed(S, strand, i, 3, k)] =
                    force ? force[3 * (S->first_vertex[strand] + i) + k] : 0;
    return FIL_OK;
}

void fil_state_place(const fil_strands *S, const fil_group_state *state, int strand, int i, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = S->live ? (double)state->live.x[fil_live_at(S, S->live, strand, i, 3, k)]
                         : state->q[packed(S, strand, i, S->type->dofs, k)];
}

// The first three numbers of each vertex.
static void read_vectors(const fil_strands *S, int width, const double *array, double *out)
{
    for (int strand = 0; strand < S->strand_count; ++strand)
        for (int i = 0; i < S->vertices[strand]; ++i)
            for (int k = 0; k < 3; ++k)
                out[3 * (S->first_vertex[strand] + i) + k] = array[packed(S, strand, i, width, k)];
}

static void read_positions(const fil_strands *S, const fil_group_state *state, double *out)
{
    if (S->live)
        fil_live_read(S, state->live.x, out);
    else
        read_vectors(S, S->type->dofs, state->q, out);
}

static void read_velocities(const fil_strands *S, const fil_group_state *state, double *out)
{
    if (S->live)
        fil_live_read(S, state->live.v, out);
    else
        read_vectors(S, S->type->dofs, state->v, out);
}

// Models without frames show axes that follow from the curve: the root's as it started, carried by what holds the root,
// then parallel transport. The positions are written first, each axis then takes the place of one that is not needed
// any more.
static void transport_normals(const fil_strands *S, const fil_state *state, int group, double *out)
{
    const fil_pose *pose = state->groups[group].pose; // of roots come first
    read_positions(S, &state->groups[group], out);
    for (int strand = 0; strand < S->strand_count; ++strand) {
        double start[3], axis[3];
        for (int k = 0; k < 3; ++k)
            start[k] = S->axis[packed(S, strand, 0, 3, k)];
        fil_quat_rotate(pose[strand].rotation, start, axis);
        fil_strand_replace_by_axes(S->vertices[strand], axis, out + 3 * S->first_vertex[strand]);
    }
}

static void read_normals(const fil_strands *S, const fil_state *state, int group, double *out)
{
    const fil_strand_type *type = S->type;
    if (type->axes) {
        double *axis = state->scratch[group].gradient;
        for (int pack = 0; pack < S->pack_count; ++pack) {
            int64_t row = S->pack_row[pack];
            type->axes(S->pack_vertices[pack], state->groups[group].q + row * type->dofs * FIL_LANES,
                       state->groups[group].frame + row * type->frame_count * FIL_LANES, axis + row * 3 * FIL_LANES);
        }
        read_vectors(S, 3, axis, out);
    } else {
        transport_normals(S, state, group, out);
    }
    // The last vertex has no edge behind it.
    for (int strand = 0; strand < S->strand_count; ++strand) {
        double *last = out + 3 * (S->first_vertex[strand + 1] - 1);
        memcpy(last, last - 3, 3 * sizeof(double));
    }
}

static void read_stretch(const fil_strands *S, const fil_group_state *state, double *out)
{
    for (int strand = 0; strand < S->strand_count; ++strand) {
        double *at = out + S->first_vertex[strand];
        for (int i = 0; i + 1 < S->vertices[strand]; ++i) {
            double x[3], next[3];
            fil_state_place(S, state, strand, i, x);
            fil_state_place(S, state, strand, i + 1, next);
            const double e[3] = {next[0] - x[0], next[1] - x[1], next[2] - x[2]};
            at[i] = fil_vec3_norm(e) / S->edge_length[packed(S, strand, i, 1, 0)] - 1;
        }
        at[S->vertices[strand] - 1] = at[S->vertices[strand] - 2];
    }
}

void fil_state_read(const fil_state *state, int group, const fil_frame *out)
{
    FIL_ASSERT(group >= 0 && group < state->model->group_count);
    const fil_strands *S = &state->model->groups[group];
    fil_live_fetch(state, group);
    if (out->position)
        read_positions(S, &state->groups[group], out->position);
    if (out->velocity)
        read_velocities(S, &state->groups[group], out->velocity);
    if (out->normal)
        read_normals(S, state, group, out->normal);
    if (out->stretch)
        read_stretch(S, &state->groups[group], out->stretch);
}

size_t fil_state_size(const fil_state *state)
{
    return sizeof(saved_head) + state->memory_size;
}

void fil_state_save(const fil_state *state, void *bytes)
{
    for (int g = 0; g < state->model->group_count; ++g)
        fil_live_fetch(state, g);
    saved_head head = {.things = state->model->things,
                       .size = state->memory_size,
                       .checksum = fil_hash_bytes(0, state->memory, state->memory_size)};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(bytes, &head, sizeof head);
    memcpy((unsigned char *)bytes + sizeof head, state->memory, state->memory_size);
}

fil_status fil_state_load(fil_context *context, fil_state *state, const void *bytes, size_t size)
{
    saved_head head;
    if (size < sizeof head)
        return fil_context_fail(context, FIL_BAD_INPUT, "saved state: too short (%zu bytes)", size);
    memcpy(&head, bytes, sizeof head);
    const unsigned char *memory = (const unsigned char *)bytes + sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "saved state: not one, or from another version");
    if (head.things != state->model->things)
        return fil_context_fail(context, FIL_BAD_INPUT, "saved state: belongs to another model");
    if (size != fil_state_size(state) || head.size != state->memory_size ||
        head.checksum != fil_hash_bytes(0, memory, state->memory_size))
        return fil_context_fail(context, FIL_BAD_INPUT, "saved state: damaged");
    memcpy(state->memory, memory, state->memory_size);
    fil_live_renew(state);
    int most = state->model->contacts.settings.halvings;
    state->head->halved = state->head->halved < most ? state->head->halved : most;
    return FIL_OK;
}
