// Reads an object of the scene by its table: unknown keys, the key that must be there, plain settings, and the rest by
// their form (film_value.c). Keys are read in the order of the table, whatever the order in the file.
#include "scene/film_parse.h"

#include "base/settings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *fil_film_parse_copy(fil_film_reader *reader, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = FIL_ARENA_ARRAY(reader->arena, char, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

// ---- plain settings

static fil_status parse_number(fil_film_reader *reader, const fil_film_place *place, const fil_field *field, void *to)
{
    fil_film_scale scale = fil_film_place_scale(reader, field->unit ? field->unit : "");
    bool whole = field->kind == FIL_KIND_INT;
    double value = json_number_value(place->value) * scale.factor;
    if (!json_is_number(place->value) || !(value >= field->min && value <= field->max) ||
        (whole && value != floor(value))) {
        char what[160];
        snprintf(what, sizeof what, "%sfrom %.10g to %.10g%s",
                 whole                          ? "a whole number "
                 : json_is_number(place->value) ? ""
                                                : "a number ",
                 field->min / scale.factor, field->max / scale.factor, scale.name);
        return fil_film_place_must(reader, place, what);
    }
    if (whole)
        memcpy(to, &(int){(int)value}, sizeof(int));
    else
        memcpy(to, &value, sizeof value);
    return FIL_OK;
}

static fil_status parse_choice(fil_film_reader *reader, const fil_film_place *place, const fil_field *field, void *to)
{
    int index =
        json_is_string(place->value) ? fil_settings_choice_index(field->choices, json_string_value(place->value)) : -1;
    if (index < 0) {
        char what[300];
        snprintf(what, sizeof what, "one of %s", field->choices);
        return fil_film_place_must(reader, place, what);
    }
    memcpy(to, &index, sizeof index);
    return FIL_OK;
}

// The full name of a file, into the scene too: a copy of the scene elsewhere finds the same file.
static fil_status parse_file(fil_film_reader *reader, fil_film_place *place, void *to)
{
    const char *name = json_string_value(place->value);
    if (!name || !*name)
        return fil_film_place_must(reader, place, "the name of a file");
    size_t room = strlen(reader->folder) + strlen(name) + 2;
    char *full = FIL_ARENA_ARRAY(reader->arena, char, room);
    if (!full)
        return FIL_NO_MEMORY;
    if (*name == '/')
        snprintf(full, room, "%s", name);
    else
        snprintf(full, room, "%s/%s", reader->folder, name);
    memcpy(to, &full, sizeof full);
    json_t *text = json_string(full);
    // A folder whose name is no text of JSON: the scene keeps what it had.
    return text ? fil_film_place_replace(reader, place, text) : FIL_OK;
}

static fil_status parse_field(fil_film_reader *reader, fil_film_place *place, const fil_field *field, void *out)
{
    void *to = (char *)out + field->offset;
    switch (field->kind) {
    case FIL_KIND_BOOL:
        if (!json_is_boolean(place->value))
            return fil_film_place_must(reader, place, "true or false");
        memcpy(to, &(int){json_is_true(place->value)}, sizeof(int));
        return FIL_OK;
    case FIL_KIND_CHOICE:
        return parse_choice(reader, place, field, to);
    case FIL_KIND_FILE:
        return parse_file(reader, place, to);
    default:
        return parse_number(reader, place, field, to);
    }
}

// ---- keys

static bool is_known(const fil_film_object *object, const char *also, const char *name)
{
    for (int i = 0; i < fil_film_table_fields(object); ++i)
        if (strcmp(object->fields[i].name, name) == 0)
            return true;
    for (int i = 0; i < object->key_count; ++i)
        if (strcmp(object->keys[i].name, name) == 0)
            return true;
    return also && strcmp(also, name) == 0;
}

static fil_status unknown_key(fil_film_reader *reader, const fil_film_place *place, const fil_film_object *object,
                              const char *also, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char all[300] = "";
    int known = 0;
    for (int i = 0; i < fil_film_table_fields(object) && known < MOST; ++i)
        names[known++] = object->fields[i].name;
    for (int i = 0; i < object->key_count && known < MOST; ++i)
        names[known++] = object->keys[i].name;
    if (also && known < MOST)
        names[known++] = also;
    const char *nearest = fil_settings_nearest(name, names, known);
    if (nearest)
        return fil_film_place_fail(reader, place, "unknown key '%.60s': did you mean '%s'?", name, nearest);
    size_t length = 0;
    for (int i = 0; i < known && length < sizeof all; ++i)
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "", names[i]);
    return fil_film_place_fail(reader, place, "unknown key '%.60s' (there are %s)", name, all);
}

static fil_status check_keys(fil_film_reader *reader, const fil_film_place *place, const fil_film_object *object,
                             const char *also)
{
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value)
    {
        if (!is_known(object, also, name))
            return unknown_key(reader, place, object, also, name);
    }
    if (object->required && !json_object_get(place->value, object->required))
        return fil_film_place_fail(reader, place, "'%s' is missing", object->required);
    return FIL_OK;
}

// What the table says, in metres, whatever the unit of the scene.
static fil_status parse_default(fil_film_reader *reader, const fil_film_place *up, const fil_film_key *key, void *to)
{
    if (!key->def)
        return FIL_OK;
    fil_film_reader plain = *reader;
    plain.unit = 1;
    fil_film_place place = {.up = up, .key = key->name, .value = json_loads(key->def, JSON_DECODE_ANY, NULL)};
    if (!place.value)
        return fil_context_no_memory(reader->context, sizeof(json_t));
    json_t *whole = json_pack("{s:o}", key->name, place.value); // something that a replaced value can be put into
    fil_film_place above = {.up = up, .value = whole};
    place.up = &above;
    fil_status status =
        whole ? fil_film_value_parse(&plain, &place, key, to) : fil_context_no_memory(reader->context, sizeof(json_t));
    json_decref(whole);
    return status;
}

fil_status fil_film_parse_object(fil_film_reader *reader, fil_film_place *place, const fil_film_object *object,
                                 const char *also, void *out)
{
    if (object->brief && json_is_string(place->value)) {
        fil_status status = fil_film_place_replace(reader, place, json_pack("{s:O}", object->brief, place->value));
        if (status != FIL_OK)
            return status;
    }
    if (!json_is_object(place->value))
        return fil_film_place_must(reader, place, object->brief ? "a text or an object {...}" : "an object {...}");
    fil_status status = check_keys(reader, place, object, also);
    fil_settings_defaults(object->fields, fil_film_table_fields(object), out);
    for (int i = 0; status == FIL_OK && i < fil_film_table_fields(object); ++i) {
        fil_film_place inner = fil_film_place_key(place, object->fields[i].name);
        if (inner.value)
            status = parse_field(reader, &inner, &object->fields[i], out);
    }
    for (int i = 0; status == FIL_OK && i < object->key_count; ++i) {
        const fil_film_key *key = &object->keys[i];
        fil_film_place inner = fil_film_place_key(place, key->name);
        void *to = (char *)out + key->offset;
        status = inner.value ? fil_film_value_parse(reader, &inner, key, to) : parse_default(reader, place, key, to);
    }
    return status;
}
