// The values of a scene that are more than a plain setting: one function for each form of film_table.h.
#include "base/settings.h"
#include "scene/colour.h"
#include "scene/film_parse.h"
#include "scene/unit.h"

#include <stdio.h>
#include <string.h>

typedef fil_status parse_form(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out);

static fil_status parse_text(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    (void)key;
    if (!json_is_string(place->value))
        return fil_film_place_must(reader, place, "a text");
    const char *copy = fil_film_parse_copy(reader, json_string_value(place->value));
    memcpy(out, &copy, sizeof copy);
    return copy ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status parse_pair(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    (void)key;
    const char *pair[2] = {NULL, NULL};
    json_t *value = place->value;
    size_t count = json_array_size(value);
    for (size_t i = 0; i < 2; ++i) {
        json_t *item = count > 0 ? json_array_get(value, count > 1 ? i : 0) : value;
        if (!json_is_string(item) || count > 2)
            return fil_film_place_must(reader, place, "a name, or a list of two names");
        pair[i] = fil_film_parse_copy(reader, json_string_value(item));
    }
    memcpy(out, pair, sizeof pair);
    return pair[0] && pair[1] ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status parse_unit(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    (void)key;
    double metres = json_number_value(place->value);
    bool named = json_is_string(place->value);
    if (named ? !fil_unit_find(json_string_value(place->value), &metres) : !fil_unit_is_good(metres))
        return fil_film_place_must(reader, place, "m, cm, mm, in or a number of metres from 1e-09 to 1e+09");
    memcpy(out, &metres, sizeof metres);
    return FIL_OK;
}

fil_status fil_film_value_range(fil_film_reader *reader, const fil_film_place *place, const fil_film_key *key,
                                const char *or_else)
{
    fil_film_scale scale = fil_film_place_scale(reader, key->unit);
    char what[160];
    snprintf(what, sizeof what, "three numbers from %.9g to %.9g%s%s", key->min / scale.factor, key->max / scale.factor,
             scale.name, or_else);
    return fil_film_place_must(reader, place, what);
}

static fil_status parse_vector(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    fil_film_scale scale = fil_film_place_scale(reader, key->unit);
    double numbers[3];
    bool good = json_array_size(place->value) == 3;
    for (int k = 0; good && k < 3; ++k) {
        json_t *item = json_array_get(place->value, (size_t)k);
        numbers[k] = json_number_value(item) * scale.factor;
        good = json_is_number(item) && numbers[k] >= key->min && numbers[k] <= key->max;
    }
    if (!good)
        return fil_film_value_range(reader, place, key,
                                    key->form == FIL_FILM_TIMED ? ", or a track {\"keys\": [...]}" : "");
    memcpy(out, numbers, sizeof numbers);
    return FIL_OK;
}

static fil_status parse_timed(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    fil_film_timed *timed = out;
    return json_is_object(place->value) ? fil_film_path_timed(reader, place, key, timed)
                                        : parse_vector(reader, place, key, timed->value);
}

static fil_status parse_colour(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    if (json_is_array(place->value))
        return parse_vector(reader, place, key, out);
    if (json_is_string(place->value) && fil_colour_find(json_string_value(place->value), out))
        return FIL_OK;
    char names[200], what[280];
    fil_colour_list(names, sizeof names);
    snprintf(what, sizeof what, "[r, g, b] or one of %s", names);
    return fil_film_place_must(reader, place, what);
}

static fil_status unknown_path(fil_film_reader *reader, const fil_film_place *place, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int known = reader->path_count < MOST ? reader->path_count : MOST;
    for (int i = 0; i < known; ++i)
        names[i] = reader->paths[i].name;
    const char *nearest = fil_settings_nearest(name, names, known);
    if (nearest)
        return fil_film_place_fail(reader, place, "there is no path '%.60s': did you mean '%.60s'?", name, nearest);
    return fil_film_place_fail(reader, place, "there is no path '%.60s' in the `paths` of the scene", name);
}

static fil_status parse_path(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    (void)key;
    const char *name = json_string_value(place->value);
    if (json_is_object(place->value))
        return fil_film_path_parse(reader, place, out);
    if (!name)
        return fil_film_place_must(reader, place, "the name of a path of the scene, or a path {...}");
    for (int i = 0; i < reader->path_count; ++i)
        if (strcmp(reader->paths[i].name, name) == 0) {
            memcpy(out, &reader->paths[i].path, sizeof(fil_path));
            return FIL_OK;
        }
    return unknown_path(reader, place, name);
}

static fil_status parse_paths(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    (void)key, (void)out;
    return fil_film_path_all(reader, place);
}

static fil_status parse_object(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    return fil_film_parse_object(reader, place, key->object, NULL, out);
}

static fil_status parse_optional(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    void *inner = fil_arena_allocate(reader->arena, 1, key->object->size);
    memcpy(out, &inner, sizeof inner);
    return inner ? fil_film_parse_object(reader, place, key->object, NULL, inner) : FIL_NO_MEMORY;
}

static fil_status parse_list(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    fil_film_items *list = out;
    size_t count = json_array_size(place->value);
    if (!json_is_array(place->value) || !((double)count >= key->min && (double)count <= key->max)) {
        char what[80];
        snprintf(what, sizeof what, "a list [...] of %.9g to %.9g items", key->min, key->max);
        return fil_film_place_must(reader, place, what);
    }
    list->items = fil_arena_allocate(reader->arena, count, key->object->size);
    if (!list->items)
        return FIL_NO_MEMORY;
    fil_status status = FIL_OK;
    for (list->count = 0; status == FIL_OK && list->count < (int)count; ++list->count) {
        fil_film_place item = fil_film_place_item(place, list->count);
        char *to = (char *)list->items + (size_t)list->count * key->object->size;
        status = fil_film_parse_object(reader, &item, key->object, NULL, to);
    }
    return status;
}

// ---- one of several things, each with settings

// "name=value" into the object: a value of JSON, or a text.
static fil_status expand_setting(fil_film_reader *reader, fil_film_place *place, json_t *object, const char *text,
                                 size_t length)
{
    char name[64];
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : 0, value_length = equals ? length - name_length - 1 : 0;
    if (name_length == 0 || name_length >= sizeof name || value_length == 0)
        return fil_film_place_must(reader, place, "\"type\" or \"type:name=value,name=value\"");
    snprintf(name, sizeof name, "%.*s", (int)name_length, text);
    if (json_object_get(object, name))
        return fil_film_place_fail(reader, place, "'%s' is given twice", name);
    json_t *value = json_loadb(equals + 1, value_length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    value = value ? value : json_stringn(equals + 1, value_length);
    // Cut at a comma, bytes of one letter stay together: what was UTF-8 still is.
    return json_object_set_new(object, name, value) == 0 ? FIL_OK
                                                         : fil_context_no_memory(reader->context, sizeof(json_t));
}

fil_status fil_film_value_expand(fil_film_reader *reader, fil_film_place *place)
{
    const char *text = json_string_value(place->value);
    size_t length = strcspn(text, ":");
    json_t *object = json_pack("{s:o}", "type", json_stringn(text, length));
    fil_status status = object ? FIL_OK : fil_context_no_memory(reader->context, sizeof(json_t));
    for (const char *at = text[length] ? text + length + 1 : ""; status == FIL_OK && *at;) {
        size_t piece = strcspn(at, ",");
        status = expand_setting(reader, place, object, at, piece);
        at += piece + (at[piece] == ',');
    }
    if (status == FIL_OK)
        return fil_film_place_replace(reader, place, object);
    json_decref(object);
    return status;
}

static fil_status unknown_type(fil_film_reader *reader, const fil_film_place *place, const fil_film_choices *choices)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char all[300] = "";
    int known = choices->count() < MOST ? choices->count() : MOST;
    size_t length = 0;
    for (int i = 0; i < known; ++i) {
        names[i] = choices->at(i).name;
        if (length < sizeof all)
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *word = json_string_value(place->value);
    const char *nearest = word ? fil_settings_nearest(word, names, known) : NULL;
    if (nearest)
        return fil_film_place_fail(reader, place, "unknown %s '%.60s': did you mean '%s'?", choices->kind, word,
                                   nearest);
    char what[340];
    snprintf(what, sizeof what, "one of %s", all);
    return fil_film_place_must(reader, place, what);
}

static fil_status parse_typed(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    fil_film_chosen *chosen = out;
    fil_status status = json_is_string(place->value) ? fil_film_value_expand(reader, place) : FIL_OK;
    if (status != FIL_OK)
        return status;
    if (!json_is_object(place->value))
        return fil_film_place_must(reader, place, "a text \"type:name=value\" or an object {...}");
    fil_film_place type = fil_film_place_key(place, "type");
    const char *name = json_string_value(type.value);
    chosen->index = type.value ? -1 : 0; // the first one is the default
    for (int i = 0; i < key->choices->count(); ++i)
        if (name && strcmp(key->choices->at(i).name, name) == 0)
            chosen->index = i;
    if (chosen->index < 0)
        return unknown_type(reader, &type, key->choices);
    fil_film_object object = key->choices->at(chosen->index);
    chosen->param = fil_arena_allocate(reader->arena, 1, object.size + 1);
    return chosen->param ? fil_film_parse_object(reader, place, &object, "type", chosen->param) : FIL_NO_MEMORY;
}

fil_status fil_film_value_parse(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out)
{
    static parse_form *const forms[FIL_FILM_FORMS] = {
        [FIL_FILM_TEXT] = parse_text,         [FIL_FILM_PAIR] = parse_pair,   [FIL_FILM_UNIT] = parse_unit,
        [FIL_FILM_VECTOR] = parse_vector,     [FIL_FILM_TIMED] = parse_timed, [FIL_FILM_COLOUR] = parse_colour,
        [FIL_FILM_PATH] = parse_path,         [FIL_FILM_PATHS] = parse_paths, [FIL_FILM_OBJECT] = parse_object,
        [FIL_FILM_OPTIONAL] = parse_optional, [FIL_FILM_LIST] = parse_list,   [FIL_FILM_TYPED] = parse_typed,
    };
    return forms[key->form](reader, place, key, out);
}
