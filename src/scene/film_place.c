// Where in a scene we are, and sentences about it: "head.json: groups[1].material.young: must be ... (got -3)".
#include "scene/film_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fil_film_place fil_film_place_key(const fil_film_place *up, const char *key)
{
    return (fil_film_place){.up = up, .key = key, .value = json_object_get(up->value, key)};
}

fil_film_place fil_film_place_item(const fil_film_place *up, int index)
{
    return (fil_film_place){.up = up, .index = index, .value = json_array_get(up->value, (size_t)index)};
}

// "groups[1].material.young"; how long it is.
static size_t write_path(const fil_film_place *place, char *out, size_t room)
{
    if (!place->up)
        return 0;
    size_t length = write_path(place->up, out, room);
    if (length >= room)
        return length;
    int added = place->key ? snprintf(out + length, room - length, "%s%.60s", length > 0 ? "." : "", place->key)
                           : snprintf(out + length, room - length, "[%d]", place->index);
    return length + (added > 0 ? (size_t)added : 0);
}

// Words of the file stand in sentences, which are shown on terminals.
static void make_printable(char *text)
{
    for (char *c = text; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

void fil_film_place_note(fil_film_reader *reader, const fil_film_place *place, const char *format, ...)
{
    char path[300] = "", what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    write_path(place, path, sizeof path);
    make_printable(path);
    make_printable(what);
    fil_context_note(reader->context, "%.200s: %s%s%s", reader->name, path, *path ? ": " : "", what);
}

fil_status fil_film_place_must(fil_film_reader *reader, const fil_film_place *place, const char *what)
{
    enum { SHOWN = 60 };
    char *text = json_dumps(place->value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    const char *got = text ? text : "something else";
    bool cut = strlen(got) > SHOWN;
    int shown = (int)strlen(got);
    // Never through the middle of a letter.
    for (shown = cut ? SHOWN : shown; cut && shown > 0 && ((unsigned char)got[shown] & 0xc0) == 0x80;)
        --shown;
    fil_film_place_note(reader, place, "must be %s (got %.*s%s)", what, shown, got, cut ? "..." : "");
    free(text);
    return FIL_BAD_INPUT;
}

fil_status fil_film_place_blame(fil_film_reader *reader, const fil_film_place *place, fil_status status)
{
    if (status == FIL_OK || status == FIL_NO_MEMORY)
        return status;
    char why[sizeof reader->context->error];
    memcpy(why, fil_context_error(reader->context), sizeof why);
    fil_film_place_note(reader, place, "%s", why);
    return status;
}

fil_status fil_film_place_replace(fil_film_reader *reader, fil_film_place *place, json_t *value)
{
    int failed = !value                    ? -1
                 : place->up && place->key ? json_object_set_new(place->up->value, place->key, value)
                                           : json_array_set_new(place->up->value, (size_t)place->index, value);
    if (failed)
        return fil_context_no_memory(reader->context, sizeof(json_t));
    place->value = value;
    return FIL_OK;
}

fil_film_scale fil_film_place_scale(const fil_film_reader *reader, const char *unit)
{
    switch (fil_film_table_measure(unit)) {
    case FIL_FILM_LENGTH: {
        fil_film_scale scale = {.factor = reader->unit};
        snprintf(scale.name, sizeof scale.name, " %s%s", reader->unit_name, unit + 1);
        return scale;
    }
    case FIL_FILM_INVERSE: {
        fil_film_scale scale = {.factor = 1 / reader->unit};
        snprintf(scale.name, sizeof scale.name, " 1/%s", reader->unit_name);
        return scale;
    }
    case FIL_FILM_ANGLE:
        return (fil_film_scale){FIL_FILM_DEGREE, " degrees"};
    default: {
        fil_film_scale scale = {.factor = 1};
        snprintf(scale.name, sizeof scale.name, "%s%s", *unit ? " " : "", unit);
        return scale;
    }
    }
}
