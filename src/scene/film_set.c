// Overrides: "groups.0.material.young=4e9" changes the tree before it is read. Items of a list are named by their
// number or by their "name". The value is JSON; what is not JSON is a text. Objects that are missing on the way are
// made.
#include "scene/film_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    fil_film_reader *reader;
    const char *text;
} setting;

// A value of the tree, and the table of its object; of its items when it is a list. NULL: not known.
typedef struct position {
    json_t *value;
    const fil_film_object *object;
} position;

#define bad_set(self, ...) (note_set((self), __VA_ARGS__), FIL_BAD_INPUT)
__attribute__((format(printf, 2, 3))) static void note_set(const setting *self, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fil_film_place whole = {0};
    fil_film_place_note(self->reader, &whole, "--set %.200s: %s", self->text, what);
}

static fil_status no_memory(const setting *self)
{
    return fil_context_no_memory(self->reader->context, sizeof(json_t));
}

static json_t *value_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

// The number of the item that `word` names by its place or its name; -1: there is none.
static int find_item(json_t *list, const char *word)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (name && strcmp(name, word) == 0)
            return (int)index;
    }
    char *end;
    long number = strtol(word, &end, 10);
    bool is_number = *word >= '0' && *word <= '9' && *end == '\0';
    return is_number && (size_t)number < json_array_size(list) ? (int)number : -1;
}

static const fil_film_key *row_of(const fil_film_object *object, const char *word)
{
    for (int i = 0; object && i < object->key_count; ++i)
        if (strcmp(object->keys[i].name, word) == 0)
            return &object->keys[i];
    return NULL;
}

// A text that stands for an object becomes that object: "scalp:strands=200", "clamped".
static fil_status open_text(const setting *self, json_t *parent, const char *word, const fil_film_key *row)
{
    fil_film_place above = {.value = parent}, place = fil_film_place_key(&above, word);
    if (!row || !json_is_string(place.value))
        return FIL_OK;
    if (row->form == FIL_FILM_TYPED)
        return fil_film_value_expand(self->reader, &place);
    if (row->object && row->object->brief)
        return fil_film_place_replace(self->reader, &place, json_pack("{s:O}", row->object->brief, place.value));
    return FIL_OK;
}

static fil_status go_into_list(const setting *self, position *at, const char *word, json_t *last)
{
    int index = find_item(at->value, word);
    if (index < 0) {
        json_decref(last);
        return bad_set(self, "there is no item '%.60s' in a list of %zu", word, json_array_size(at->value));
    }
    if (last && json_array_set_new(at->value, (size_t)index, last) != 0)
        return no_memory(self);
    at->value = json_array_get(at->value, (size_t)index);
    return FIL_OK;
}

// What `word` names inside of `at`; made when it is missing. `last`: it gets this value (the reference is taken over).
static fil_status go_into(const setting *self, position *at, const char *word, json_t *last)
{
    if (json_is_array(at->value))
        return go_into_list(self, at, word, last);
    if (!json_is_object(at->value)) {
        json_decref(last);
        return bad_set(self, "there is nothing inside of a number or a text to be named '%.60s'", word);
    }
    const fil_film_key *row = row_of(at->object, word);
    bool missing = !json_object_get(at->value, word);
    if ((last || missing) && json_object_set_new(at->value, word, last ? last : json_object()) != 0)
        return no_memory(self);
    fil_status status = last ? FIL_OK : open_text(self, at->value, word, row);
    *at = (position){json_object_get(at->value, word), row ? row->object : NULL};
    return status;
}

fil_status fil_film_set_apply(fil_film_reader *reader, json_t *scene, const char *set)
{
    setting self = {reader, set};
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return bad_set(&self, "must be KEY=VALUE, as in groups.0.material.young=4e9");
    json_t *text = json_string(set), *value = value_of(equals + 1);
    position at = {scene, &fil_film_table_root};
    json_decref(text);
    if (!text || !value) {
        json_decref(value);
        return bad_set(&self, "must be UTF-8 text");
    }
    fil_status status = FIL_OK;
    for (const char *from = set; status == FIL_OK && from <= equals;) {
        char word[128];
        size_t length = strcspn(from, ".=");
        bool is_last = from + length == equals;
        if (length == 0 || length >= sizeof word) {
            json_decref(value);
            return bad_set(&self, "a name between the dots is %s", length ? "too long" : "missing");
        }
        snprintf(word, sizeof word, "%.*s", (int)length, from);
        status = go_into(&self, &at, word, is_last ? value : NULL);
        if (status != FIL_OK && !is_last)
            json_decref(value);
        from += length + 1;
    }
    return status;
}
