// Films: a scene file becomes a tree (jansson), overrides change the tree, the tables of film_table.c read it, and what
// was read becomes what the simulation takes. docs/scene.md describes the file.
#include "scene/film.h"

#include "base/file.h"
#include "base/settings.h"
#include "scene/film_body.h"
#include "scene/film_contact.h"
#include "scene/film_set.h"
#include "scene/timing.h"
#include "scene/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The public struct first: one is the other.
typedef struct whole_film {
    fil_film film;
    fil_group *groups;              // [groups] those of its scene
    fil_film_groom_report *reports; // [groups]
} whole_film;

const fil_film_groom_report *fil_film_groom_report_of(const fil_film *film, int group)
{
    return ((const whole_film *)film)->reports + group;
}

// ---- the tree

// jansson asks for memory in many small pieces, and where one is refused it may drop letters without a word. So all
// that it can need is asked for at once and given back: where this succeeds, the pieces do, too.
static fil_status check_memory(fil_context *context, size_t length)
{
    enum { PER_BYTE = 128, AT_LEAST = 1 << 16 }; // the smallest objects, "{},", take 100 bytes for each of theirs
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    void *reserve = allocate(AT_LEAST + PER_BYTE * length);
    if (!reserve)
        return fil_context_no_memory(context, AT_LEAST + PER_BYTE * length);
    release(reserve);
    return FIL_OK;
}

static fil_status load_tree(fil_film_reader *reader, const char *text, size_t length, json_t **tree)
{
    static const char mark[] = "\xef\xbb\xbf"; // of UTF-8, which some editors put before everything
    json_error_t error;
    fil_film_place whole = {0};
    size_t blank = 0, marked = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    text += marked;
    length -= marked;
    while (blank < length && strchr(" \t\r\n", text[blank]))
        ++blank;
    if (blank == length)
        return fil_film_place_fail(reader, &whole, "the file is empty");
    *tree = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (*tree)
        return FIL_OK;
    if (!error.text[0] || json_error_code(&error) == json_error_out_of_memory)
        return fil_context_no_memory(reader->context, length);
    return fil_film_place_fail(reader, &whole, "line %d, column %d: %s", error.line, error.column, error.text);
}

// The tree as text, with as few digits as give the same numbers again.
static fil_status write_tree(fil_film_reader *reader, json_t *tree, const char **out)
{
    fil_arena_mark mark = fil_arena_mark_now(reader->arena);
    bool same = false;
    for (size_t digits = 15; !same && digits <= 17; ++digits) {
        size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(digits), size = json_dumpb(tree, NULL, 0, flags);
        fil_arena_rewind(reader->arena, mark);
        char *text = size > 0 ? FIL_ARENA_ARRAY(reader->arena, char, size + 1) : NULL;
        if (!text || json_dumpb(tree, text, size, flags) != size)
            return fil_context_no_memory(reader->context, size);
        json_t *again = json_loadb(text, size, 0, NULL);
        same = json_equal(tree, again);
        json_decref(again);
        *out = text;
    }
    return FIL_OK;
}

// ---- from what was read to what is simulated

// --set and messages name groups and bodies: no two may have the same name.
static fil_status check_names(fil_film_reader *reader, const fil_film_place *root, const char *list_key)
{
    fil_film_place list = fil_film_place_key(root, list_key);
    fil_status status = FIL_OK;
    json_t *seen = json_object();
    for (int i = 0; status == FIL_OK && seen && i < (int)json_array_size(list.value); ++i) {
        fil_film_place item = fil_film_place_item(&list, i), place = fil_film_place_key(&item, "name");
        const char *name = json_string_value(place.value);
        if (!name || !*name)
            continue;
        if (json_object_get(seen, name))
            status = fil_film_place_fail(reader, &place, "'%.60s' is the name of an earlier one, too", name);
        else if (json_object_set_new(seen, name, json_true()) != 0)
            status = fil_context_no_memory(reader->context, sizeof(json_t));
    }
    json_decref(seen);
    return seen ? status : fil_context_no_memory(reader->context, sizeof(json_t));
}

static fil_status check_hold(fil_film_reader *reader, const fil_film_place *group, const char *end,
                             const fil_film_hold *hold)
{
    fil_film_place place = fil_film_place_key(group, end);
    if (hold->hold == FIL_END_FREE && (hold->path.track.key_count > 0 || hold->release > 0))
        return fil_film_place_fail(reader, &place, "a free end has no path and no release");
    return FIL_OK;
}

static fil_path path_of(const fil_path *path, double release)
{
    fil_path complete = *path;
    complete.release = release;
    return complete;
}

static fil_status make_pins(fil_film_reader *reader, const fil_film_place *place, const fil_film_group *from,
                            fil_group *to)
{
    fil_film_place list = fil_film_place_key(place, "pins");
    const fil_film_pin *pins = from->pins.items;
    fil_path *paths = FIL_ARENA_ARRAY(reader->arena, fil_path, from->pins.count);
    if (!paths)
        return FIL_NO_MEMORY;
    to->pins = paths;
    to->pin_count = from->pins.count;
    for (int i = 0; i < from->pins.count; ++i) {
        paths[i] = path_of(&pins[i].path, pins[i].release);
        if (pins[i].from > pins[i].to) {
            fil_film_place pin = fil_film_place_item(&list, i);
            return fil_film_place_fail(reader, &pin, "'from' must not be above 'to' (got %.9g and %.9g)", pins[i].from,
                                       pins[i].to);
        }
    }
    return FIL_OK;
}

static fil_status make_group(fil_film_reader *reader, const fil_film_place *place, const fil_film_group *from,
                             fil_group *to, fil_film_groom_report *report)
{
    fil_film_object model = fil_film_table_models.at(from->model.index);
    char text[1024];
    fil_settings_write(model.name, model.fields, fil_film_table_fields(&model), from->model.param, text, sizeof text);
    *to = (fil_group){.name = from->name,
                      .model = fil_film_parse_copy(reader, text),
                      .material = from->material,
                      .root = (fil_end)from->root.hold,
                      .tip = (fil_end)from->tip.hold,
                      .root_path = path_of(&from->root.path, from->root.release),
                      .tip_path = path_of(&from->tip.path, from->tip.release),
                      .touch = from->touch};
    fil_status status = to->model ? check_hold(reader, place, "root", &from->root) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = check_hold(reader, place, "tip", &from->tip);
    if (status == FIL_OK)
        status = make_pins(reader, place, from, to);
    return status == FIL_OK ? fil_film_groom_make(reader, place, from, &to->groom, report) : status;
}

static fil_status make_groups(fil_film_reader *reader, const fil_film_place *root, const fil_film_root *from,
                              whole_film *to)
{
    int count = from->groups.count;
    const fil_film_group *groups = from->groups.items;
    fil_group *made = FIL_ARENA_ARRAY(reader->arena, fil_group, count);
    fil_look *looks = FIL_ARENA_ARRAY(reader->arena, fil_look, count);
    to->reports = FIL_ARENA_ARRAY(reader->arena, fil_film_groom_report, count);
    fil_status status = made && looks && to->reports ? FIL_OK : FIL_NO_MEMORY;
    fil_film_place list = fil_film_place_key(root, "groups");
    for (int i = 0; status == FIL_OK && i < count; ++i) {
        fil_film_place place = fil_film_place_item(&list, i);
        looks[i] = groups[i].look;
        status = make_group(reader, &place, &groups[i], &made[i], &to->reports[i]);
    }
    to->groups = made;
    to->film.scene.groups = made;
    to->film.scene.group_count = count;
    to->film.looks = looks;
    return status;
}

static fil_status check_timing(fil_film_reader *reader, const fil_film_place *root, const fil_timing *timing)
{
    fil_film_place place = fil_film_place_key(root, "time");
    double frames = timing->duration * timing->fps;
    if (frames <= FIL_TIMING_FRAMES_MAX)
        return FIL_OK;
    return fil_film_place_fail(reader, &place, "duration × fps must be at most %d frames (got %.3g s × %.3g 1/s)",
                               FIL_TIMING_FRAMES_MAX, timing->duration, timing->fps);
}

static fil_status check_camera(fil_film_reader *reader, const fil_film_place *root, const fil_film_camera *camera)
{
    if (!camera || camera->eye.track.key_count > 0 || camera->target.track.key_count > 0)
        return FIL_OK;
    for (int k = 0; k < 3; ++k)
        if (camera->eye.value[k] != camera->target.value[k])
            return FIL_OK;
    fil_film_place picture = fil_film_place_key(root, "picture"), place = fil_film_place_key(&picture, "camera");
    return fil_film_place_fail(reader, &place, "'eye' and 'target' must be two different points");
}

static fil_shot shot_of(const fil_film_picture *picture)
{
    fil_shot shot = picture->shot;
    shot.framed = picture->camera == NULL;
    if (picture->camera) {
        const fil_film_timed *eye = &picture->camera->eye, *target = &picture->camera->target;
        memcpy(shot.eye, eye->value, sizeof shot.eye);
        memcpy(shot.target, target->value, sizeof shot.target);
        shot.eye_track = eye->track;
        shot.target_track = target->track;
    }
    return shot;
}

static fil_status make_film(fil_film_reader *reader, const fil_film_place *place, const fil_film_root *root,
                            whole_film *out)
{
    fil_film *film = &out->film;
    film->title = root->title;
    film->timing = root->timing;
    film->scene = fil_scene_default();
    memcpy(film->scene.gravity, root->gravity.value, sizeof film->scene.gravity);
    memcpy(film->scene.wind, root->wind.value, sizeof film->scene.wind);
    film->scene.gravity_track = root->gravity.track;
    film->scene.wind_track = root->wind.track;
    film->scene.motion = root->motion;
    film->shot = shot_of(&root->picture);
    fil_status status = check_timing(reader, place, &root->timing);
    if (status == FIL_OK)
        status = check_names(reader, place, "groups");
    if (status == FIL_OK)
        status = check_names(reader, place, "bodies");
    if (status == FIL_OK)
        status = check_camera(reader, place, root->picture.camera);
    if (status == FIL_OK)
        status = make_groups(reader, place, root, out);
    if (status == FIL_OK)
        status = fil_film_body_make_all(reader, place, &root->bodies, film);
    if (status == FIL_OK)
        status = fil_film_contact_make(reader, place, root, &film->scene);
    if (status != FIL_OK || !film->scene.contacts || film->scene.obstacle_count == 0)
        return status;
    return fil_film_groom_clear_all(reader, root, &film->scene, out->groups, out->reports);
}

// ---- the public calls

// The unit of the scene, before anything else is read.
static fil_status parse_unit(fil_film_reader *reader, const fil_film_place *root)
{
    fil_film_place place = fil_film_place_key(root, "unit");
    const fil_film_key key = {.name = "unit", .form = FIL_FILM_UNIT};
    fil_status status = place.value ? fil_film_value_parse(reader, &place, &key, &reader->unit) : FIL_OK;
    const char *name = fil_unit_name(reader->unit);
    reader->unit_name = name ? name : "units";
    return status;
}

static fil_status parse_tree(fil_film_reader *reader, json_t *tree, const char *const *sets, int set_count,
                             whole_film *out)
{
    fil_film_place place = {.value = tree};
    if (!json_is_object(tree))
        return fil_film_place_must(reader, &place, "an object {...} with \"groups\"");
    fil_film_root root = {0};
    fil_status status = FIL_OK;
    for (int i = 0; status == FIL_OK && i < set_count; ++i)
        status = fil_film_set_apply(reader, tree, sets[i]);
    if (status == FIL_OK)
        status = parse_unit(reader, &place);
    if (status == FIL_OK)
        status = fil_film_parse_object(reader, &place, &fil_film_table_root, NULL, &root);
    if (status == FIL_OK)
        status = make_film(reader, &place, &root, out);
    return status == FIL_OK ? write_tree(reader, tree, &out->film.text) : status;
}

fil_status fil_film_parse(fil_context *context, const char *name, const char *folder, const char *text, size_t length,
                          const char *const *sets, int set_count, fil_film **out)
{
    *out = NULL;
    char full[FIL_PATH_MAX];
    fil_arena *arena = fil_arena_create(context);
    whole_film *whole = arena ? FIL_ARENA_ARRAY(arena, whole_film, 1) : NULL;
    if (!whole) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    whole->film.arena = arena;
    char *own_name = FIL_ARENA_ARRAY(arena, char, strlen(name) + 1);
    if (!own_name) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    whole->film.name = memcpy(own_name, name, strlen(name) + 1);
    fil_film_reader reader = {.context = context,
                              .arena = arena,
                              .name = name,
                              .folder = realpath(folder, full) ? full : folder,
                              .unit = 1,
                              .unit_name = "m"};
    json_t *tree = NULL;
    size_t total = length;
    for (int i = 0; i < set_count; ++i)
        total += strlen(sets[i]);
    fil_status status = check_memory(context, total);
    if (status == FIL_OK)
        status = load_tree(&reader, text, length, &tree);
    if (status == FIL_OK)
        status = parse_tree(&reader, tree, sets, set_count, whole);
    json_decref(tree);
    if (status == FIL_OK)
        *out = &whole->film;
    else
        fil_arena_destroy(arena);
    return status;
}

fil_status fil_film_read(fil_context *context, const char *path, const char *const *sets, int set_count, fil_film **out)
{
    *out = NULL;
    unsigned char *bytes;
    size_t size, length = strlen(path);
    char *folder = fil_context_allocate(context, length + 2);
    if (!folder)
        return FIL_NO_MEMORY;
    const char *slash = strrchr(path, '/');
    snprintf(folder, length + 2, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    fil_status status = fil_file_read(context, path, "a scene", &bytes, &size);
    if (status == FIL_OK)
        status = fil_film_parse(context, path, folder, (const char *)bytes, size, sets, set_count, out);
    fil_context_release(context, bytes);
    fil_context_release(context, folder);
    return status;
}

fil_status fil_film_compile(fil_context *context, const fil_film *film, fil_model **out)
{
    fil_status status = fil_model_create(context, &film->scene, out);
    if (status == FIL_BAD_INPUT) {
        char sentence[sizeof context->error];
        memcpy(sentence, context->error, sizeof sentence);
        fil_context_note(context, "%s: %s", film->name, sentence);
    }
    return status;
}

void fil_film_destroy(fil_film *film)
{
    if (film)
        fil_arena_destroy(film->arena);
}
