// Frames to draw, from three sources that look the same from outside.
//
// A scene is simulated as far as frames are asked for, and its frames are kept in memory, 16 bytes for each vertex:
// the camera must fit all of them before the first is drawn. For films that are too large for that, `filum run` writes
// them to disk.
#include "cli/frames.h"

#include "base/file.h"
#include "cli/groom.h"
#include "cli/scene.h"
#include "scene/colour.h"
#include "scene/film_groom.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

fil_frames_kind fil_frames_kind_of(const char *word)
{
    struct stat info;
    if (stat(word, &info) == 0 && S_ISDIR(info.st_mode))
        return FIL_FRAMES_FOLDER;
    const char *ending = strrchr(word, '.');
    return ending && strcasecmp(ending, ".json") == 0 ? FIL_FRAMES_SCENE : FIL_FRAMES_GROOM;
}

// Folder

// The strands are in the folder: grooms need not be made again, and their files may be gone. Any small one will do.
static fil_status parse_without_grooms(fil_context *context, const char *folder, int groups, fil_frames *out)
{
    enum { LENGTH = 40 };
    const char *text = fil_cache_scene(out->cache), **sets = FIL_ARENA_ARRAY(out->arena, const char *, groups);
    char *words = FIL_ARENA_ARRAY(out->arena, char, (size_t)groups *LENGTH), name[FIL_PATH_MAX];
    if (!sets || !words)
        return FIL_NO_MEMORY;
    for (int g = 0; g < groups; ++g) {
        sets[g] = words + (size_t)g * LENGTH;
        snprintf(words + (size_t)g * LENGTH, LENGTH, "groups.%d.groom=line", g);
    }
    snprintf(name, sizeof name, "%.4000s/scene.json", folder);
    return fil_film_parse(context, name, folder, text, strlen(text), sets, groups, &out->film);
}

static fil_status open_folder(fil_context *context, const char *folder, fil_frames *out)
{
    fil_status status = fil_cache_open(context, folder, &out->cache);
    if (status != FIL_OK)
        return status;
    out->count = fil_cache_frame_count(out->cache);
    if (out->count < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: holds no frame yet", folder);
    int groups = fil_cache_group_count(out->cache);
    status = parse_without_grooms(context, folder, groups, out);
    if (status != FIL_OK)
        return status;
    if (groups != out->film->scene.group_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: scene.json has %d groups, strands.fil has %d", folder,
                                out->film->scene.group_count, groups);
    out->vertex_total = fil_cache_vertex_total(out->cache);
    fil_cache_group *list = FIL_ARENA_ARRAY(out->arena, fil_cache_group, groups);
    for (int g = 0; list && g < groups; ++g)
        list[g] = *fil_cache_group_at(out->cache, g);
    out->groups = list;
    return list ? FIL_OK : FIL_NO_MEMORY;
}

// Scene

static fil_status describe_strands(fil_frames *out)
{
    const fil_model *model = fil_simulation_model(out->simulation);
    int count = fil_model_group_count(model);
    fil_cache_group *groups = FIL_ARENA_ARRAY(out->arena, fil_cache_group, count);
    out->groups = groups;
    for (int g = 0; groups && g < count; ++g) {
        fil_cache_group *group = &groups[g];
        group->name = out->film->scene.groups[g].name;
        group->strand_count = fil_model_strand_count(model, g);
        group->vertex_total = fil_model_vertex_count(model, g);
        group->shape = (fil_shape){.vertex_count = FIL_ARENA_ARRAY(out->arena, int, group->strand_count),
                                   .radius = FIL_ARENA_ARRAY(out->arena, double, group->vertex_total),
                                   .length = FIL_ARENA_ARRAY(out->arena, double, group->vertex_total),
                                   .stiffness = FIL_ARENA_ARRAY(out->arena, double, group->vertex_total),
                                   .curvature = FIL_ARENA_ARRAY(out->arena, double, group->vertex_total)};
        const fil_shape *shape = &group->shape;
        if (!shape->vertex_count || !shape->radius || !shape->length || !shape->stiffness || !shape->curvature)
            return FIL_NO_MEMORY;
        fil_model_shape(model, g, shape);
        out->vertex_total += group->vertex_total;
    }
    return groups ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status keep_frame(fil_frames *self)
{
    const fil_state *state = fil_simulation_state(self->simulation);
    int64_t first = 0, total = self->vertex_total;
    for (int g = 0; g < self->film->scene.group_count; first += self->groups[g++].vertex_total)
        fil_state_read(state, g,
                       &(fil_frame){.position = self->position + 3 * first, .stretch = self->stretch + first});
    float *out = self->kept[self->done] = FIL_ARENA_ARRAY(self->arena, float, 4 * total);
    if (!out)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < 3 * total; ++i)
        out[i] = (float)self->position[i];
    for (int64_t i = 0; i < total; ++i)
        out[3 * total + i] = (float)self->stretch[i];
    self->time[self->done++] = fil_state_time(state);
    return FIL_OK;
}

static fil_status open_scene(fil_context *context, const fil_arguments *arguments, const char *path, fil_frames *out)
{
    fil_status status = fil_scene_load(arguments, context, path, &out->film);
    if (status == FIL_OK)
        status = fil_simulation_create(context, out->film, &out->simulation);
    if (status == FIL_OK)
        status = describe_strands(out);
    if (status != FIL_OK)
        return status;
    out->count = fil_timing_frames(&out->film->timing) + 1;
    out->kept = FIL_ARENA_ARRAY(out->arena, float *, out->count);
    out->time = FIL_ARENA_ARRAY(out->arena, double, out->count);
    out->position = FIL_ARENA_ARRAY(out->arena, double, 3 * out->vertex_total);
    out->stretch = FIL_ARENA_ARRAY(out->arena, double, out->vertex_total);
    bool good = out->kept && out->time && out->position && out->stretch;
    return good ? keep_frame(out) : FIL_NO_MEMORY;
}

static fil_status simulate_to(fil_context *context, fil_frames *self, int frame)
{
    while (self->done <= frame) {
        bool arrived = false;
        if (fil_report_interrupted())
            return fil_context_fail(context, FIL_BAD_INPUT, "interrupted");
        fil_report_progress((double)self->done / (frame + 1), "simulating frame %d", self->done);
        fil_status status = fil_simulation_step(context, self->simulation, NULL, &arrived);
        if (status == FIL_OK && arrived)
            status = keep_frame(self);
        if (status != FIL_OK)
            return status;
    }
    return FIL_OK;
}

// Groom

static const double hair_radius = 4e-5; // m, where the groom says nothing

static fil_status open_groom(fil_context *context, const char *word, double unit, fil_frames *out)
{
    fil_curves_report report;
    fil_status status = fil_groom_load(context, word, unit, &out->curves, &report);
    if (status != FIL_OK)
        return status;
    if (out->curves->radius) // a tip of zero is common, and cannot be drawn
        fil_film_groom_raise_radii(out->curves, hair_radius);
    const fil_curves *curves = out->curves;
    fil_cache_group *group = FIL_ARENA_ARRAY(out->arena, fil_cache_group, 1);
    out->film = FIL_ARENA_ARRAY(out->arena, fil_film, 1);
    fil_group *plain = FIL_ARENA_ARRAY(out->arena, fil_group, 1);
    fil_look *look = FIL_ARENA_ARRAY(out->arena, fil_look, 1);
    if (!group || !out->film || !plain || !look)
        return FIL_NO_MEMORY;
    *group =
        (fil_cache_group){.name = word, .strand_count = curves->strand_count, .vertex_total = curves->vertex_total};
    group->shape = (fil_shape){.vertex_count = curves->vertex_count, .radius = curves->radius};
    *plain = fil_group_default();
    *look = (fil_look){.hairs = 1, .spread = 0.004};
    fil_colour_find("brown", look->colour);
    look->thickness = curves->radius ? 0 : hair_radius;
    *out->film = (fil_film){.scene = fil_scene_default(), .timing = fil_timing_default(), .looks = look};
    out->film->scene.groups = plain;
    out->film->scene.group_count = 1;
    out->film->shot = (fil_shot){.width = 960, .height = 720, .samples = 16, .ground = 1, .framed = 1, .angle = 30};
    out->groups = group;
    out->count = 1;
    out->vertex_total = curves->vertex_total;
    return FIL_OK;
}

fil_status fil_frames_open(fil_context *context, const fil_arguments *arguments, const char *word, double unit,
                           fil_frames *out)
{
    *out = (fil_frames){.kind = fil_frames_kind_of(word), .arena = fil_arena_create(context)};
    if (!out->arena)
        return FIL_NO_MEMORY;
    fil_status status = FIL_OK;
    switch (out->kind) {
    case FIL_FRAMES_FOLDER:
        status = open_folder(context, word, out);
        break;
    case FIL_FRAMES_SCENE:
        status = open_scene(context, arguments, word, out);
        break;
    case FIL_FRAMES_GROOM:
        status = open_groom(context, word, unit, out);
        break;
    }
    if (status != FIL_OK)
        fil_frames_close(out);
    return status;
}

void fil_frames_close(fil_frames *frames)
{
    fil_simulation_destroy(frames->simulation);
    if (frames->kind != FIL_FRAMES_GROOM)
        fil_film_destroy(frames->film);
    fil_curves_destroy(frames->curves);
    fil_cache_close(frames->cache);
    fil_arena_destroy(frames->arena);
    *frames = (fil_frames){0};
}

fil_status fil_frames_read(fil_context *context, void *user, int frame, double *time, float *position, float *stretch)
{
    fil_frames *self = user;
    size_t total = (size_t)self->vertex_total;
    if (fil_report_interrupted())
        return fil_context_fail(context, FIL_BAD_INPUT, "interrupted");
    if (self->kind == FIL_FRAMES_FOLDER)
        return fil_cache_read(context, self->cache, frame, time, position, stretch);
    if (self->kind == FIL_FRAMES_GROOM) {
        *time = 0;
        for (size_t i = 0; i < 3 * total; ++i)
            position[i] = (float)self->curves->position[i];
        if (stretch)
            memset(stretch, 0, total * sizeof *stretch);
        return FIL_OK;
    }
    fil_status status = simulate_to(context, self, frame);
    if (status != FIL_OK)
        return status;
    *time = self->time[frame];
    memcpy(position, self->kept[frame], 3 * total * sizeof *position);
    if (stretch)
        memcpy(stretch, self->kept[frame] + 3 * total, total * sizeof *stretch);
    return FIL_OK;
}

bool fil_frames_range(const char *text, int count, int *first, int *last)
{
    int most = count - 1;
    char *end = (char *)text;
    long from = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1, to = from;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        to = strtol(end + 1, &end, 10);
    else if (*end == '-' && end[1] == '\0')
        to = most, ++end;
    if (*end || from < 0 || to < from || to > most) {
        fil_report_error("--frames: must be FIRST-LAST within 0 to %d (got '%s')", most, text);
        return false;
    }
    *first = (int)from;
    *last = (int)to;
    return true;
}
