// Checks and copies what a scene says about control, and answers what holds at a time.
#include "control/control.h"

#include "base/hash.h"
#include "control/track.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static fil_status copy_track(fil_context *context, fil_arena *arena, const fil_track *track, int width,
                             const char *place, fil_track *out)
{
    fil_status status = fil_track_check(context, track, width, place);
    return status == FIL_OK ? fil_track_copy(arena, track, width, out) : status;
}

static fil_status check_vector(fil_context *context, const double *v, const char *place)
{
    for (int k = 0; k < 3; ++k)
        if (!isfinite(v[k]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s[%d]: must be finite (got %g)", place, k, v[k]);
    return FIL_OK;
}

fil_status fil_control_copy_path(fil_context *context, fil_arena *arena, const fil_path *path, const char *place,
                                 fil_path *out)
{
    char inner[128];
    snprintf(inner, sizeof inner, "%s.pivot", place);
    fil_status status = check_vector(context, path->pivot, inner);
    if (status != FIL_OK)
        return status;
    if (!isfinite(path->release) || path->release < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s.release: must be a time in seconds, or 0 (got %g)", place,
                                path->release);
    *out = *path;
    return copy_track(context, arena, &path->track, 6, place, &out->track);
}

// The path of what holds number `hold`, and its name.
static const fil_path *path_of(const fil_group *group, int hold, char *name, size_t room)
{
    if (hold >= FIL_HOLD_PIN) {
        snprintf(name, room, "pins[%d]", hold - FIL_HOLD_PIN);
        return &group->pins[hold - FIL_HOLD_PIN];
    }
    snprintf(name, room, hold == FIL_HOLD_ROOT ? "root_path" : "tip_path");
    return hold == FIL_HOLD_ROOT ? &group->root_path : &group->tip_path;
}

static fil_status build_group(fil_context *context, fil_arena *arena, const fil_group *group, int index,
                              fil_control_group *out)
{
    if (group->pin_count < 0 || group->pin_count > FIL_PINS_MAX || (group->pin_count > 0 && !group->pins))
        return fil_context_fail(context, FIL_BAD_INPUT, "groups[%d]: pin_count: must be 0 to %d (got %d)", index,
                                FIL_PINS_MAX, group->pin_count);
    out->hold_count = FIL_HOLD_PIN + group->pin_count;
    out->paths = FIL_ARENA_ARRAY(arena, fil_path, out->hold_count);
    if (!out->paths)
        return FIL_NO_MEMORY;
    for (int hold = 0; hold < out->hold_count; ++hold) {
        char name[32], place[96];
        const fil_path *path = path_of(group, hold, name, sizeof name);
        snprintf(place, sizeof place, "groups[%d].%s", index, name);
        fil_status status = fil_control_copy_path(context, arena, path, place, &out->paths[hold]);
        if (status != FIL_OK)
            return status;
        out->releases |= path->release > 0;
    }
    return FIL_OK;
}

fil_status fil_control_build(fil_context *context, fil_arena *arena, const fil_scene *scene, fil_control *out)
{
    memcpy(out->gravity, scene->gravity, sizeof out->gravity);
    memcpy(out->wind, scene->wind, sizeof out->wind);
    fil_status status = check_vector(context, scene->gravity, "gravity");
    if (status == FIL_OK)
        status = check_vector(context, scene->wind, "wind");
    if (status == FIL_OK)
        status = copy_track(context, arena, &scene->gravity_track, 3, "gravity_track", &out->gravity_track);
    if (status == FIL_OK)
        status = copy_track(context, arena, &scene->wind_track, 3, "wind_track", &out->wind_track);
    out->groups = FIL_ARENA_ARRAY(arena, fil_control_group, (size_t)scene->group_count + 1);
    if (status == FIL_OK && !out->groups)
        status = FIL_NO_MEMORY;
    for (; status == FIL_OK && out->group_count < scene->group_count; ++out->group_count)
        status = build_group(context, arena, &scene->groups[out->group_count], out->group_count,
                             &out->groups[out->group_count]);
    return status;
}

static uint64_t hash_track(uint64_t hash, const fil_track *track, int width)
{
    const int head[2] = {track->key_count, (int)track->blend};
    size_t keys = (size_t)track->key_count;
    hash = fil_hash_bytes(hash, head, sizeof head);
    hash = fil_hash_bytes(hash, track->time, keys * sizeof(double));
    return fil_hash_bytes(hash, track->value, keys * (size_t)width * sizeof(double));
}

uint64_t fil_control_hash_path(const fil_path *path, uint64_t hash)
{
    hash = hash_track(hash, &path->track, 6);
    hash = fil_hash_bytes(hash, path->pivot, sizeof path->pivot);
    return fil_hash_bytes(hash, &path->release, sizeof path->release);
}

uint64_t fil_control_hash(const fil_control *control, uint64_t hash)
{
    hash = fil_hash_bytes(hash, control->gravity, sizeof control->gravity);
    hash = fil_hash_bytes(hash, control->wind, sizeof control->wind);
    hash = hash_track(hash, &control->gravity_track, 3);
    hash = hash_track(hash, &control->wind_track, 3);
    for (int g = 0; g < control->group_count; ++g)
        for (int hold = 0; hold < control->groups[g].hold_count; ++hold)
            hash = fil_control_hash_path(&control->groups[g].paths[hold], hash);
    return hash;
}

static void vector_at(const double constant[3], const fil_track *track, double t, double out[3])
{
    if (track->key_count > 0)
        fil_track_at(track, 3, t, out);
    else
        memcpy(out, constant, 3 * sizeof *out);
}

void fil_control_gravity(const fil_control *control, double t, double out[3])
{
    vector_at(control->gravity, &control->gravity_track, t, out);
}

void fil_control_wind(const fil_control *control, double t, double out[3])
{
    vector_at(control->wind, &control->wind_track, t, out);
}

bool fil_control_released(const fil_control *control, int group, int hold, double t)
{
    double release = control->groups[group].paths[hold].release;
    return release > 0 && t > release;
}
