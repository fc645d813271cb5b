// The tables of the scene file. docs/scene.md is made from them; so is the schema that editors use.
#include "scene/film_table.h"

#include "scene/body.h"
#include "scene/film_contact.h"
#include "scene/film_groom.h"
#include "scene/timing.h"
#include "step/model.h"

#include <string.h>

int fil_film_table_fields(const fil_film_object *object)
{
    return object->field_count ? *object->field_count : 0;
}

fil_film_measure fil_film_table_measure(const char *unit)
{
    if (strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0 || strcmp(unit, "m/s²") == 0)
        return FIL_FILM_LENGTH;
    return strcmp(unit, "1/m") == 0 ? FIL_FILM_INVERSE : strcmp(unit, "rad") == 0 ? FIL_FILM_ANGLE : FIL_FILM_PLAIN;
}

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

// ---- values over time

static const char blends[] = "smooth|spline|linear";
#define BLEND_DOC                                                                                                      \
    "from key to key: smooth (for keys set by hand), spline (for dense keys of a recorded motion) or linear (with "    \
    "corners)"

static const fil_field track_key_fields[] = {
    {"time", FIL_KIND_REAL, offsetof(fil_film_track_key, time), 0, -1e6, 1e6, "s", NULL,
     "when; later than the one before"},
};
static const int track_key_field_count = COUNT(track_key_fields);
static const fil_film_key track_key_keys[] = {
    {.name = "value",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_track_key, value),
     .def = "[0, 0, 0]",
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "what it is then"},
};
static const fil_film_object track_key = {.name = "track key",
                                          .doc = "A value at a time",
                                          .fields = track_key_fields,
                                          .field_count = &track_key_field_count,
                                          .keys = track_key_keys,
                                          .key_count = COUNT(track_key_keys),
                                          .size = sizeof(fil_film_track_key),
                                          .required = "time"};

static const fil_field track_fields[] = {
    {"blend", FIL_KIND_CHOICE, offsetof(fil_film_track, blend), FIL_BLEND_SMOOTH, 0, 2, "", blends, BLEND_DOC},
};
static const int track_field_count = COUNT(track_fields);
static const fil_film_key track_keys[] = {
    {.name = "keys",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_track, keys),
     .min = 1,
     .max = 1e7,
     .object = &track_key,
     .doc = "what it is when; the first value holds before, the last one behind"},
};
const fil_film_object fil_film_table_track = {.name = "track",
                                              .doc = "Three numbers over time",
                                              .fields = track_fields,
                                              .field_count = &track_field_count,
                                              .keys = track_keys,
                                              .key_count = COUNT(track_keys),
                                              .size = sizeof(fil_film_track),
                                              .required = "keys"};

static const fil_field path_key_fields[] = {
    {"time", FIL_KIND_REAL, offsetof(fil_film_path_key, time), 0, -1e6, 1e6, "s", NULL,
     "when; later than the one before"},
};
static const int path_key_field_count = COUNT(path_key_fields);
static const fil_film_key path_key_keys[] = {
    {.name = "position",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_path_key, position),
     .def = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m",
     .doc = "how far it has gone"},
    {.name = "turn",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_path_key, turn),
     .def = "[0, 0, 0]",
     .min = -1e6 * FIL_FILM_DEGREE,
     .max = 1e6 * FIL_FILM_DEGREE,
     .unit = "rad",
     .doc = "how far it has turned about the pivot: the direction is the axis, the length the angle"},
};
static const fil_film_object path_key = {.name = "path key",
                                         .doc = "A place at a time",
                                         .fields = path_key_fields,
                                         .field_count = &path_key_field_count,
                                         .keys = path_key_keys,
                                         .key_count = COUNT(path_key_keys),
                                         .size = sizeof(fil_film_path_key),
                                         .required = "time"};

static const fil_field path_fields[] = {
    {"blend", FIL_KIND_CHOICE, offsetof(fil_film_path, blend), FIL_BLEND_SMOOTH, 0, 2, "", blends, BLEND_DOC},
};
static const int path_field_count = COUNT(path_fields);
static const fil_film_key path_keys[] = {
    {.name = "pivot",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_path, pivot),
     .def = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m",
     .doc = "the point that turns are about"},
    {.name = "keys",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_path, keys),
     .min = 1,
     .max = 1e7,
     .object = &path_key,
     .doc = "where it is when; what counts is the change since time 0"},
};
const fil_film_object fil_film_table_path = {.name = "path",
                                             .doc = "How things that are held move",
                                             .fields = path_fields,
                                             .field_count = &path_field_count,
                                             .keys = path_keys,
                                             .key_count = COUNT(path_keys),
                                             .size = sizeof(fil_film_path),
                                             .required = "keys"};

// ---- where things are and what holds them

static const fil_field spot_fields[] = {
    {"scale", FIL_KIND_REAL, offsetof(fil_film_spot, scale), 1, 1e-6, 1e6, "", NULL, "how much larger"},
};
static const int spot_field_count = COUNT(spot_fields);
static const fil_film_key spot_keys[] = {
    {.name = "position",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_spot, position),
     .def = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m",
     .doc = "where its origin goes"},
    {.name = "turn",
     .form = FIL_FILM_VECTOR,
     .offset = offsetof(fil_film_spot, turn),
     .def = "[0, 0, 0]",
     .min = -1e6 * FIL_FILM_DEGREE,
     .max = 1e6 * FIL_FILM_DEGREE,
     .unit = "rad",
     .doc = "turned about its origin: the direction is the axis, the length the angle"},
};
static const fil_film_object spot = {.name = "place",
                                     .doc = "Where something stands: scaled first, then turned, then moved",
                                     .fields = spot_fields,
                                     .field_count = &spot_field_count,
                                     .keys = spot_keys,
                                     .key_count = COUNT(spot_keys),
                                     .size = sizeof(fil_film_spot)};

#define RELEASE_ROW(type)                                                                                              \
    {                                                                                                                  \
        "release", FIL_KIND_REAL, offsetof(type, release), 0, 0, 1e6, "s", NULL, "when it is let go; 0: never"         \
    }
#define PATH_KEY(type)                                                                                                 \
    {                                                                                                                  \
        .name = "path", .form = FIL_FILM_PATH, .offset = offsetof(type, path),                                         \
        .doc = "how it moves: the name of a path of the scene, or a path; absent: it stays"                            \
    }

#define HOLD_FIELDS(end)                                                                                               \
    {                                                                                                                  \
        {"hold",                                                                                                       \
         FIL_KIND_CHOICE,                                                                                              \
         offsetof(fil_film_hold, hold),                                                                                \
         end,                                                                                                          \
         0,                                                                                                            \
         2,                                                                                                            \
         "",                                                                                                           \
         "free|pinned|clamped",                                                                                        \
         "not at all; the last vertex; the last two vertices and the rotation about the edge between them"},           \
            RELEASE_ROW(fil_film_hold)                                                                                 \
    }
static const fil_field root_hold_fields[] = HOLD_FIELDS(FIL_END_CLAMPED);
static const fil_field tip_hold_fields[] = HOLD_FIELDS(FIL_END_FREE);
static const int hold_field_count = COUNT(tip_hold_fields);
static const fil_film_key hold_keys[] = {PATH_KEY(fil_film_hold)};
static const fil_film_object root_hold = {.name = "root",
                                          .doc =
                                              "How the first vertices of the strands are held; a text alone is `hold`",
                                          .fields = root_hold_fields,
                                          .field_count = &hold_field_count,
                                          .keys = hold_keys,
                                          .key_count = COUNT(hold_keys),
                                          .size = sizeof(fil_film_hold),
                                          .brief = "hold"};
static const fil_film_object tip_hold = {.name = "tip",
                                         .doc = "How the last vertices of the strands are held; a text alone is `hold`",
                                         .fields = tip_hold_fields,
                                         .field_count = &hold_field_count,
                                         .keys = hold_keys,
                                         .key_count = COUNT(hold_keys),
                                         .size = sizeof(fil_film_hold),
                                         .brief = "hold"};

static const fil_field pin_fields[] = {
    {"from", FIL_KIND_REAL, offsetof(fil_film_pin, from), 0, 0, 1, "", NULL,
     "part of the strand's length: 0 root, 1 tip"},
    {"to", FIL_KIND_REAL, offsetof(fil_film_pin, to), 1, 0, 1, "", NULL, "the same; not before `from`"},
    RELEASE_ROW(fil_film_pin),
};
static const int pin_field_count = COUNT(pin_fields);
static const fil_film_key pin_keys[] = {PATH_KEY(fil_film_pin)};
static const fil_film_object pin = {.name = "pin",
                                    .doc = "Holds the vertices of a part of each strand, at least the nearest one",
                                    .fields = pin_fields,
                                    .field_count = &pin_field_count,
                                    .keys = pin_keys,
                                    .key_count = COUNT(pin_keys),
                                    .size = sizeof(fil_film_pin)};

// ---- groups

static const fil_film_object material = {.name = "material",
                                         .doc = "What strands are made of",
                                         .fields = fil_material_fields,
                                         .field_count = &fil_material_field_count,
                                         .size = sizeof(fil_material)};

static const fil_film_object touch = {.name = "touch",
                                      .doc = "How strands touch each other and bodies",
                                      .fields = fil_touch_fields,
                                      .field_count = &fil_touch_field_count,
                                      .size = sizeof(fil_touch)};

static const fil_field look_fields[] = {
    {"hairs", FIL_KIND_INT, offsetof(fil_look, hairs), 1, 1, 10000, "", NULL,
     "drawn for each strand, scattered around it"},
    {"spread", FIL_KIND_REAL, offsetof(fil_look, spread), 0.004, 0, 1e3, "m", NULL, "how far they scatter"},
    {"thickness", FIL_KIND_REAL, offsetof(fil_look, thickness), 0, 0, 1e3, "m", NULL,
     "radius of a drawn hair; 0: the strand's own"},
};
static const int look_field_count = COUNT(look_fields);
static const fil_film_key look_keys[] = {
    {.name = "colour",
     .form = FIL_FILM_COLOUR,
     .offset = offsetof(fil_look, colour),
     .def = "\"brown\"",
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "a name, or red, green and blue from 0 to 1, linear"},
};
static const fil_film_object look = {.name = "look",
                                     .doc = "How strands are drawn",
                                     .fields = look_fields,
                                     .field_count = &look_field_count,
                                     .keys = look_keys,
                                     .key_count = COUNT(look_keys),
                                     .size = sizeof(fil_look)};

static fil_film_object model_at(int index)
{
    const fil_strand_type *type = fil_strand_type_at(index);
    return (fil_film_object){.name = type->name,
                             .doc = type->doc,
                             .fields = type->fields,
                             .field_count = &type->field_count,
                             .size = type->param_size};
}
const fil_film_choices fil_film_table_models = {"strand model", fil_strand_type_count, model_at};

// The generators, then files.
static int groom_count(void)
{
    return fil_groom_type_count() + 1;
}
static fil_film_object groom_at(int index)
{
    if (index == fil_groom_type_count())
        return fil_film_groom_file;
    const fil_groom_type *type = fil_groom_type_at(index);
    return (fil_film_object){.name = type->name,
                             .doc = type->doc,
                             .fields = type->fields,
                             .field_count = &type->field_count,
                             .size = type->param_size};
}
const fil_film_choices fil_film_table_grooms = {"groom", groom_count, groom_at};

static const fil_film_key group_keys[] = {
    {.name = "name",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_group, name),
     .def = "\"\"",
     .doc = "for messages, and for --set; no two groups have the same"},
    {.name = "model",
     .form = FIL_FILM_TYPED,
     .offset = offsetof(fil_film_group, model),
     .def = "\"der\"",
     .choices = &fil_film_table_models,
     .doc = "how strands resist stretching, bending and twisting"},
    {.name = "material",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, material),
     .def = "{}",
     .object = &material,
     .doc = "what they are made of"},
    {.name = "groom",
     .form = FIL_FILM_TYPED,
     .offset = offsetof(fil_film_group, groom),
     .def = "\"line\"",
     .choices = &fil_film_table_grooms,
     .doc = "the strands, without load: from a generator or from a file"},
    {.name = "place",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, place),
     .def = "{}",
     .object = &spot,
     .doc = "where the groom goes, before anything else"},
    {.name = "root",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, root),
     .def = "{}",
     .object = &root_hold,
     .doc = "how the first vertices are held"},
    {.name = "tip",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, tip),
     .def = "{}",
     .object = &tip_hold,
     .doc = "how the last vertices are held"},
    {.name = "pins",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_group, pins),
     .def = "[]",
     .min = 0,
     .max = FIL_PINS_MAX,
     .object = &pin,
     .doc = "what else is held; where two meet, the later one holds"},
    {.name = "touch",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, touch),
     .def = "{}",
     .object = &touch,
     .doc = "how they touch each other and bodies, in a scene with `contact`"},
    {.name = "look",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_group, look),
     .def = "{}",
     .object = &look,
     .doc = "how they are drawn"},
};
static const fil_film_object group = {.name = "group",
                                      .doc = "Strands of one kind",
                                      .keys = group_keys,
                                      .key_count = COUNT(group_keys),
                                      .size = sizeof(fil_film_group)};

// ---- bodies

static fil_film_object shape_at(int index)
{
    return fil_body_type_at(index)->object;
}
const fil_film_choices fil_film_table_shapes = {"shape", fil_body_type_count, shape_at};

static const fil_field body_fields[] = {
    {"solid", FIL_KIND_BOOL, offsetof(fil_film_body, solid), 1, 0, 1, "", NULL,
     "strands feel it, in a scene with `contact`"},
    {"friction", FIL_KIND_REAL, offsetof(fil_film_body, friction), -1, 0, 1e3, "", NULL,
     "Coulomb's coefficient of strands on it; absent: `friction_body` of the strands"},
    {"restitution", FIL_KIND_REAL, offsetof(fil_film_body, restitution), 0, 0, 1, "", NULL,
     "0: no bounce, 1: as fast as it came; the larger of it and the strands'"},
};
static const int body_field_count = COUNT(body_fields);
static const fil_film_key body_keys[] = {
    {.name = "name",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_body, name),
     .def = "\"\"",
     .doc = "for messages, and for --set; no two bodies have the same"},
    {.name = "shape",
     .form = FIL_FILM_TYPED,
     .offset = offsetof(fil_film_body, shape),
     .def = "\"sphere\"",
     .choices = &fil_film_table_shapes,
     .doc = "what it looks like"},
    {.name = "place",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_body, place),
     .def = "{}",
     .object = &spot,
     .doc = "where it stands at the start"},
    PATH_KEY(fil_film_body),
    {.name = "colour",
     .form = FIL_FILM_COLOUR,
     .offset = offsetof(fil_film_body, colour),
     .def = "\"skin\"",
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "a name, or red, green and blue from 0 to 1, linear"},
};
static const fil_film_object body = {.name = "body",
                                     .doc = "Something solid to look at, and to touch in a scene with `contact`",
                                     .fields = body_fields,
                                     .field_count = &body_field_count,
                                     .keys = body_keys,
                                     .key_count = COUNT(body_keys),
                                     .size = sizeof(fil_film_body)};

// ---- pictures

static const fil_film_key camera_keys[] = {
    {.name = "eye",
     .form = FIL_FILM_TIMED,
     .offset = offsetof(fil_film_camera, eye),
     .def = "[0, 0, 1]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m",
     .doc = "where it stands"},
    {.name = "target",
     .form = FIL_FILM_TIMED,
     .offset = offsetof(fil_film_camera, target),
     .def = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m",
     .doc = "what it looks at"},
};
static const fil_film_object camera = {.name = "camera",
                                       .doc = "Where one looks from, and where to",
                                       .keys = camera_keys,
                                       .key_count = COUNT(camera_keys),
                                       .size = sizeof(fil_film_camera)};

static const fil_field picture_fields[] = {
    {"width", FIL_KIND_INT, offsetof(fil_film_picture, shot.width), 960, 16, 16384, "", NULL, "pixels"},
    {"height", FIL_KIND_INT, offsetof(fil_film_picture, shot.height), 720, 16, 16384, "", NULL, "pixels"},
    {"samples", FIL_KIND_INT, offsetof(fil_film_picture, shot.samples), 8, 1, 4096, "", NULL,
     "rays per pixel: more is smoother"},
    {"ground", FIL_KIND_BOOL, offsetof(fil_film_picture, shot.ground), 1, 0, 1, "", NULL, "a floor below everything"},
    {"angle", FIL_KIND_REAL, offsetof(fil_film_picture, shot.angle), 30, 0.01, 170, "degrees", NULL,
     "vertical field of view"},
};
static const int picture_field_count = COUNT(picture_fields);
static const fil_film_key picture_keys[] = {
    {.name = "camera",
     .form = FIL_FILM_OPTIONAL,
     .offset = offsetof(fil_film_picture, camera),
     .object = &camera,
     .doc = "absent: it finds its place by itself"},
};
static const fil_film_object picture = {.name = "picture",
                                        .doc = "How the film is shot",
                                        .fields = picture_fields,
                                        .field_count = &picture_field_count,
                                        .keys = picture_keys,
                                        .key_count = COUNT(picture_keys),
                                        .size = sizeof(fil_film_picture)};

// ---- the whole

static const fil_film_object timing = {.name = "time",
                                       .doc = "How long, and in which steps",
                                       .fields = fil_timing_fields,
                                       .field_count = &fil_timing_field_count,
                                       .size = sizeof(fil_timing)};
static const fil_film_object motion = {.name = "motion",
                                       .doc = "How strands are carried through time",
                                       .fields = fil_motion_fields,
                                       .field_count = &fil_motion_field_count,
                                       .size = sizeof(fil_motion)};

// Read in this order: units before lengths, paths before those who use them.
static const fil_film_key root_keys[] = {
    {.name = "$schema",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_root, schema),
     .def = "\"\"",
     .doc = "where editors find the schema (`filum schema`); not used"},
    {.name = "title",
     .form = FIL_FILM_TEXT,
     .offset = offsetof(fil_film_root, title),
     .def = "\"\"",
     .doc = "what it is"},
    {.name = "unit",
     .form = FIL_FILM_UNIT,
     .offset = offsetof(fil_film_root, unit),
     .def = "\"m\"",
     .doc = "of all lengths, speeds and accelerations in the scene: m, cm, mm, in, or a number of metres"},
    {.name = "time",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_root, timing),
     .def = "{}",
     .object = &timing,
     .doc = "how long the film is, and in which steps"},
    {.name = "gravity",
     .form = FIL_FILM_TIMED,
     .offset = offsetof(fil_film_root, gravity),
     .def = "[0, -9.81, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m/s²",
     .doc = "what pulls; y is up"},
    {.name = "wind",
     .form = FIL_FILM_TIMED,
     .offset = offsetof(fil_film_root, wind),
     .def = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .unit = "m/s",
     .doc = "velocity of the air; felt where the material has drag"},
    {.name = "motion",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_root, motion),
     .def = "{}",
     .object = &motion,
     .doc = "how strands are carried through time"},
    {.name = "contact",
     .form = FIL_FILM_OPTIONAL,
     .offset = offsetof(fil_film_root, contact),
     .object = &fil_film_contact_table,
     .doc = "strands touch each other and solid bodies; absent: they pass through everything"},
    {.name = "paths",
     .form = FIL_FILM_PATHS,
     .def = "{}",
     .object = &fil_film_table_path,
     .doc = "ways to move, by names that the rest of the scene uses"},
    {.name = "groups",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_root, groups),
     .min = 1,
     .max = 10000,
     .object = &group,
     .doc = "the strands"},
    {.name = "bodies",
     .form = FIL_FILM_LIST,
     .offset = offsetof(fil_film_root, bodies),
     .def = "[]",
     .min = 0,
     .max = 10000,
     .object = &body,
     .doc = "solid things to look at and to touch"},
    {.name = "picture",
     .form = FIL_FILM_OBJECT,
     .offset = offsetof(fil_film_root, picture),
     .def = "{}",
     .object = &picture,
     .doc = "how the film is shot"},
};
const fil_film_object fil_film_table_root = {.name = "scene",
                                             .doc = "A scene of filum",
                                             .keys = root_keys,
                                             .key_count = COUNT(root_keys),
                                             .size = sizeof(fil_film_root),
                                             .required = "groups"};
