// Reading a scene by its tables: what film_parse.c, film_place.c, film_value.c and film_path.c share.
#ifndef FIL_SCENE_FILM_PARSE_H
#define FIL_SCENE_FILM_PARSE_H

#include "base/arena.h"
#include "scene/film_table.h"

#include <jansson.h>

typedef struct fil_film_named_path {
    const char *name;
    fil_path path;
} fil_film_named_path;

typedef struct fil_film_reader {
    fil_context *context;
    fil_arena *arena;      // of the film
    const char *name;      // of the file, for sentences
    const char *folder;    // full name; where relative names of files start
    double unit;           // metres per unit of the scene
    const char *unit_name; // for sentences
    fil_film_named_path *paths;
    int path_count;
    int64_t vertex_total; // of the grooms so far
} fil_film_reader;

// ---- film_place.c: where in the scene we are

typedef struct fil_film_place {
    const struct fil_film_place *up; // NULL: the whole scene
    const char *key;                 // NULL: item `index` of a list
    int index;
    json_t *value;
} fil_film_place;

fil_film_place fil_film_place_key(const fil_film_place *up, const char *key); // its value may be NULL: absent
fil_film_place fil_film_place_item(const fil_film_place *up, int index);

// The sentence "head.json: groups[1].material.young: what is wrong"; and FIL_BAD_INPUT.
#define fil_film_place_fail(reader, place, ...) (fil_film_place_note((reader), (place), __VA_ARGS__), FIL_BAD_INPUT)
void fil_film_place_note(fil_film_reader *reader, const fil_film_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "must be WHAT (got VALUE)"
fil_status fil_film_place_must(fil_film_reader *reader, const fil_film_place *place, const char *what);
// Puts a failure of another part of the library behind the place; keeps the status.
fil_status fil_film_place_blame(fil_film_reader *reader, const fil_film_place *place, fil_status status);
// Another value at the same place; takes over the reference.
fil_status fil_film_place_replace(fil_film_reader *reader, fil_film_place *place, json_t *value);

// What one unit of the file is in SI for a quantity in `unit`, and what the unit is called in the file.
typedef struct fil_film_scale {
    double factor;
    char name[48];
} fil_film_scale;
fil_film_scale fil_film_place_scale(const fil_film_reader *reader, const char *unit);

// ---- film_parse.c: objects and plain settings

// Fills `out` with the defaults and what the object at the place says. `also`: one more key that is allowed, or NULL.
fil_status fil_film_parse_object(fil_film_reader *reader, fil_film_place *place, const fil_film_object *object,
                                 const char *also, void *out);
// A copy of a text in the arena; NULL: no memory.
const char *fil_film_parse_copy(fil_film_reader *reader, const char *text);

// ---- film_value.c: one function for each form of value

fil_status fil_film_value_parse(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key, void *out);
// "must be three numbers from ... to ...", and what else is allowed.
fil_status fil_film_value_range(fil_film_reader *reader, const fil_film_place *place, const fil_film_key *key,
                                const char *or_else);
// "scalp:strands=200" as {"type": "scalp", "strands": 200}.
fil_status fil_film_value_expand(fil_film_reader *reader, fil_film_place *place);

// ---- film_path.c: values over time

fil_status fil_film_path_timed(fil_film_reader *reader, fil_film_place *place, const fil_film_key *key,
                               fil_film_timed *out);
fil_status fil_film_path_parse(fil_film_reader *reader, fil_film_place *place, fil_path *out);
fil_status fil_film_path_all(fil_film_reader *reader, fil_film_place *place);

#endif
