// Compiles a scene: checks it, packs its strands, and forgets the host's arrays.
#include "step/model.h"

#include "base/hash.h"
#include "base/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const fil_field fil_motion_fields[] = {
    {"scheme", FIL_KIND_CHOICE, offsetof(fil_motion, scheme), FIL_SCHEME_EULER, 0, 2, "", "euler|theta|bdf2",
     "backward Euler (first order, damps what the step does not resolve); theta scheme (0.5: second order, keeps "
     "energy); BDF2 (second "
     "order, little damping)"},
    {"theta", FIL_KIND_REAL, offsetof(fil_motion, theta), 0.5, 0.5, 1, "", NULL, "weight of the new state in theta"},
    {"method", FIL_KIND_CHOICE, offsetof(fil_motion, method), FIL_METHOD_NEWTON, 0, 2, "", "newton|quasi|fixed",
     "Newton with line search; the same with a factor kept while it serves; max_iterations Newton steps without line "
     "search"},
    {"max_iterations", FIL_KIND_INT, offsetof(fil_motion, max_iterations), 100, 1, 100000, "", NULL,
     "Newton iterations per step at most"},
    {"tolerance", FIL_KIND_REAL, offsetof(fil_motion, tolerance), 1e-6, 1e-14, 1e6, "m/s", NULL,
     "an iteration that changes no velocity by more is the last"},
};
const int fil_motion_field_count = sizeof fil_motion_fields / sizeof *fil_motion_fields;

fil_motion fil_motion_default(void)
{
    fil_motion motion;
    fil_settings_defaults(fil_motion_fields, fil_motion_field_count, &motion);
    return motion;
}

fil_scene fil_scene_default(void)
{
    return (fil_scene){.gravity = {0, -9.81, 0}, .motion = fil_motion_default()};
}

fil_pose fil_pose_default(void)
{
    return (fil_pose){.rotation = {1, 0, 0, 0}};
}

fil_status fil_model_check_fields(fil_context *context, const fil_field *fields, int count, const char *place,
                                  const void *param)
{
    for (int i = 0; i < count; ++i) {
        const char *at = (const char *)param + fields[i].offset;
        double value;
        int whole;
        memcpy(&whole, at, sizeof whole);
        if (fields[i].kind == FIL_KIND_REAL)
            memcpy(&value, at, sizeof value);
        else
            value = whole;
        if (!(value >= fields[i].min && value <= fields[i].max))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s%s: must be from %g to %g (got %g)", place,
                                    fields[i].name, fields[i].min, fields[i].max, value);
    }
    return FIL_OK;
}

static fil_status check_scene(fil_context *context, const fil_scene *scene)
{
    fil_status status =
        fil_model_check_fields(context, fil_motion_fields, fil_motion_field_count, "motion.", &scene->motion);
    if (status != FIL_OK)
        return status;
    if (scene->group_count < 0 || (scene->group_count > 0 && !scene->groups))
        return fil_context_fail(context, FIL_BAD_INPUT, "group_count: must be the number of groups (got %d)",
                                scene->group_count);
    return FIL_OK;
}

static uint64_t fingerprint_of_things(const fil_model *model)
{
    uint64_t hash = fil_model_contacts_hash(model, fil_control_hash(&model->control, 0));
    hash = fil_hash_bytes(hash, &model->motion, sizeof model->motion);
    for (int g = 0; g < model->group_count; ++g) {
        const fil_strands *S = &model->groups[g];
        const fil_strand_type *type = S->type;
        size_t row = (size_t)S->row_count * FIL_LANES * sizeof(double);
        hash = fil_hash_bytes(hash, type->name, strlen(type->name));
        hash = fil_hash_bytes(hash, S->param, type->param_size);
        hash = fil_hash_bytes(hash, S->vertices, (size_t)S->strand_count * sizeof(int));
        hash = fil_hash_bytes(hash, &S->relaxation, sizeof S->relaxation);
        hash = fil_hash_bytes(hash, &S->damping, sizeof S->damping);
        hash = fil_hash_bytes(hash, S->inertia, row * (size_t)type->dofs);
        hash = fil_hash_bytes(hash, S->drag, row);
        hash = fil_hash_bytes(hash, S->constants, row * (size_t)type->constant_count);
        hash = fil_hash_bytes(hash, S->strain, row * (size_t)type->strain_count);
        hash = fil_hash_bytes(hash, S->q, row * (size_t)type->dofs);
        hash = fil_hash_bytes(hash, S->free, row * (size_t)type->dofs);
        hash = fil_hash_bytes(hash, S->holder, (size_t)S->row_count * FIL_LANES);
    }
    return hash;
}

// Live strands that shall not drop at the start.
static fil_status hang(fil_model *model, const fil_strands *S)
{
    double gravity[3];
    if (!S->live || !S->live->param->hangs)
        return FIL_OK;
    fil_control_gravity(&model->control, 0, gravity);
    return fil_live_hang(model->arena, S, gravity);
}

static fil_status compile(fil_context *context, const fil_scene *scene, fil_model *model)
{
    fil_status status = fil_control_build(context, model->arena, scene, &model->control);
    if (status != FIL_OK)
        return status;
    // Field by field: bytes between the fields would spoil the fingerprint.
    memset(&model->motion, 0, sizeof model->motion);
    model->motion.scheme = scene->motion.scheme;
    model->motion.theta = scene->motion.theta;
    model->motion.method = scene->motion.method;
    model->motion.max_iterations = scene->motion.max_iterations;
    model->motion.tolerance = scene->motion.tolerance;
    model->groups = FIL_ARENA_ARRAY(model->arena, fil_strands, (size_t)scene->group_count + 1);
    if (!model->groups)
        return FIL_NO_MEMORY;
    for (; model->group_count < scene->group_count; ++model->group_count) {
        const fil_group *group = &scene->groups[model->group_count];
        if (!group->model)
            return fil_context_fail(context, FIL_BAD_INPUT, "groups[%d]: model must be given", model->group_count);
        char place[128];
        const char *name = group->name ? group->name : "";
        int length = snprintf(place, sizeof place, "groups[%d]", model->group_count);
        if (*name)
            snprintf(place + length, sizeof place - (size_t)length, " (%.80s)", name);
        status = fil_strands_build(context, model->arena, group, place, &model->groups[model->group_count]);
        if (status == FIL_OK)
            status = hang(model, &model->groups[model->group_count]);
        if (status != FIL_OK)
            return status;
    }
    status = fil_model_contacts_build(context, scene, model);
    model->things = status == FIL_OK ? fingerprint_of_things(model) : 0;
    model->fingerprint = fil_model_contacts_hash_settings(model, model->things);
    return status;
}

fil_status fil_model_create(fil_context *context, const fil_scene *scene, fil_model **out)
{
    *out = NULL;
    fil_status status = check_scene(context, scene);
    if (status != FIL_OK)
        return status;
    fil_arena *arena = fil_arena_create(context);
    fil_model *model = arena ? FIL_ARENA_ARRAY(arena, fil_model, 1) : NULL;
    status = FIL_NO_MEMORY;
    if (model) {
        model->arena = arena;
        status = compile(context, scene, model);
    }
    if (status == FIL_OK)
        *out = model;
    else
        fil_arena_destroy(arena);
    return status;
}

void fil_model_destroy(fil_model *model)
{
    if (model)
        fil_arena_destroy(model->arena);
}

int fil_model_group_count(const fil_model *model)
{
    return model->group_count;
}

int fil_model_vertex_count(const fil_model *model, int group)
{
    FIL_ASSERT(group >= 0 && group < model->group_count);
    return (int)model->groups[group].vertex_count;
}

int fil_model_strand_count(const fil_model *model, int group)
{
    FIL_ASSERT(group >= 0 && group < model->group_count);
    return model->groups[group].strand_count;
}

uint64_t fil_model_fingerprint(const fil_model *model)
{
    return model->fingerprint;
}

// Numbers of the edges of all strands, 0 behind the last; with `last`, that one too.
static void read_rows(const fil_strands *S, const double *rows, bool last, double *out)
{
    for (int strand = 0; out && strand < S->strand_count; ++strand) {
        int slot = S->slot[strand], n = S->vertices[strand];
        const double *from = rows + S->pack_row[slot / FIL_LANES] * FIL_LANES + slot % FIL_LANES;
        for (int i = 0; i < n; ++i)
            out[S->first_vertex[strand] + i] = i + 1 < n || last ? from[(ptrdiff_t)i * FIL_LANES] : 0;
    }
}

void fil_model_shape(const fil_model *model, int group, const fil_shape *out)
{
    FIL_ASSERT(group >= 0 && group < model->group_count);
    const fil_strands *S = &model->groups[group];
    if (out->vertex_count)
        memcpy(out->vertex_count, S->vertices, (size_t)S->strand_count * sizeof(int));
    read_rows(S, S->radius, true, out->radius);
    read_rows(S, S->edge_length, false, out->length);
    read_rows(S, S->edge_stiffness, false, out->stiffness);
    read_rows(S, S->curvature, false, out->curvature);
}
