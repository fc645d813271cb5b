// Where in a scene we are, and sentences about it: "head.json: groups[1].material.young: must be ... (got -3)".
#include "scene/film_parse.h"

#include <stdio.h>
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

// The beginning of a value as JSON.
enum { SHOWN = 60 };
typedef struct beginning {
    char text[SHOWN + 1];
    size_t used;
    bool cut;
} beginning;

static int add_piece(const char *piece, size_t size, void *data)
{
    beginning *out = data;
    size_t taken = size < SHOWN - out->used ? size : SHOWN - out->used;
    memcpy(out->text + out->used, piece, taken);
    out->used += taken;
    out->cut = out->cut || taken < size;
    return 0;
}

fil_status fil_film_place_must(fil_film_reader *reader, const fil_film_place *place, const char *what)
{
    beginning got = {.used = 0};
    json_dump_callback(place->value, add_piece, &got, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    // Never through the middle of a letter: back to before its first byte.
    size_t end = got.used;
    while (got.cut && end > 0 && ((unsigned char)got.text[end - 1] & 0xc0) == 0x80)
        --end;
    if (got.cut && end > 0 && (unsigned char)got.text[end - 1] >= 0xc0)
        --end;
    got.text[end] = '\0';
    return fil_film_place_fail(reader, place, "must be %s (got %s%s)", what, got.text, got.cut ? "..." : "");
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
    int failed = !value       ? -1
                 : place->key ? json_object_set_new(place->up->value, place->key, value)
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
