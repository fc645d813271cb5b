// The scene file as tables: every object, its keys, where they are stored, their defaults, ranges and meaning. The
// parser (film_parse.c), the schema (film_schema.c) and the documentation are made from them. See film_table.c.
#ifndef FIL_SCENE_FILM_TABLE_H
#define FIL_SCENE_FILM_TABLE_H

#include "filum/extend.h"

typedef struct fil_film_object fil_film_object;

// What the value of a key looks like, and what it is stored as. Plain settings are rows of fil_field instead.
typedef enum fil_film_form {
    FIL_FILM_TEXT,     // const char *
    FIL_FILM_PAIR,     // const char *[2]: a name, or a list of two; a name alone stands for both
    FIL_FILM_UNIT,     // double: metres. A name ("cm") or a number
    FIL_FILM_VECTOR,   // double[3]
    FIL_FILM_TIMED,    // fil_film_timed: three numbers, or keys over time
    FIL_FILM_COLOUR,   // double[3]: a name or three numbers
    FIL_FILM_PATH,     // fil_path: the name of a path of the scene, or a path
    FIL_FILM_PATHS,    // the paths of the scene, by name; kept by the reader
    FIL_FILM_OBJECT,   // the struct that `object` describes
    FIL_FILM_OPTIONAL, // a pointer to one; NULL: absent
    FIL_FILM_LIST,     // fil_film_items
    FIL_FILM_TYPED,    // fil_film_chosen: one of `choices`. An object with a "type", or "type:name=value,..."
    FIL_FILM_FORMS,
} fil_film_form;

// Things to choose from, the default first.
typedef struct fil_film_choices {
    const char *kind; // for sentences: "groom"
    int (*count)(void);
    fil_film_object (*at)(int index);
} fil_film_choices;

typedef struct fil_film_key {
    const char *name;
    fil_film_form form;
    size_t offset;
    const char *def;               // as JSON, lengths in metres; NULL: there is none
    double min, max;               // of the numbers of VECTOR, TIMED, COLOUR; of the count of LIST
    const char *unit;              // of the same numbers
    const fil_film_object *object; // OBJECT, OPTIONAL, LIST
    const fil_film_choices *choices;
    const char *doc;
} fil_film_key;

struct fil_film_object {
    const char *name, *doc;
    const fil_field *fields;  // plain settings
    const int *field_count;   // NULL: none
    const fil_film_key *keys; // the others
    int key_count;
    size_t size;          // of the struct it is stored in
    const char *required; // the one key that must be given; NULL: none
    const char *brief;    // the field that a text alone stands for ("root": "clamped"); NULL: none
};

// ---- what the objects are stored in

typedef struct fil_film_items {
    int count;
    void *items;
} fil_film_items;

typedef struct fil_film_chosen {
    int index; // in the choices
    void *param;
} fil_film_chosen;

typedef struct fil_film_timed {
    double value[3];
    fil_track track;
} fil_film_timed;

typedef struct fil_film_track_key {
    double time, value[3];
} fil_film_track_key;

typedef struct fil_film_track {
    int blend;
    fil_film_items keys;
} fil_film_track;

typedef struct fil_film_path_key {
    double time, position[3], turn[3];
} fil_film_path_key;

typedef struct fil_film_path {
    double pivot[3];
    int blend;
    fil_film_items keys;
} fil_film_path;

typedef struct fil_film_spot {
    double position[3], turn[3], scale;
} fil_film_spot;

typedef struct fil_film_hold {
    int hold;
    fil_path path;
    double release;
} fil_film_hold;

typedef struct fil_film_pin {
    double from, to, release;
    fil_path path;
} fil_film_pin;

typedef struct fil_film_group {
    const char *name;
    fil_film_chosen model, groom;
    fil_material material;
    fil_film_spot place;
    fil_film_hold root, tip;
    fil_film_items pins;
    fil_touch touch;
    fil_look look;
} fil_film_group;

typedef struct fil_film_body {
    const char *name;
    fil_film_chosen shape;
    fil_film_spot place;
    fil_path path;
    double colour[3];
    int solid;
    double friction, restitution;
} fil_film_body;

typedef struct fil_film_rule {
    const char *between[2];
    int apart;
    double friction;
} fil_film_rule;

typedef struct fil_film_contact {
    fil_contacts contacts;
    fil_film_items rules;
} fil_film_contact;

typedef struct fil_film_camera {
    fil_film_timed eye, target;
} fil_film_camera;

typedef struct fil_film_picture {
    fil_shot shot;
    fil_film_camera *camera;
} fil_film_picture;

typedef struct fil_film_root {
    const char *schema, *title;
    double unit;
    fil_timing timing;
    fil_film_timed gravity, wind;
    fil_motion motion;
    fil_film_contact *contact;
    fil_film_items groups, bodies;
    fil_film_picture picture;
} fil_film_root;

// What the file means by a quantity in `unit`: lengths follow the scene's unit, angles are degrees.
typedef enum fil_film_measure {
    FIL_FILM_PLAIN,   // as the table says
    FIL_FILM_LENGTH,  // m, m/s, m/s²
    FIL_FILM_INVERSE, // 1/m
    FIL_FILM_ANGLE,   // rad
} fil_film_measure;
fil_film_measure fil_film_table_measure(const char *unit);
#define FIL_FILM_DEGREE (3.14159265358979323846 / 180)

int fil_film_table_fields(const fil_film_object *object); // how many

// The whole scene, and the objects that are met from several places.
extern const fil_film_object fil_film_table_root, fil_film_table_track, fil_film_table_path;
extern const fil_film_choices fil_film_table_models, fil_film_table_grooms, fil_film_table_shapes;

#endif
