// Generators of strands: the list, and what they share. See groom.c, groom_style.c.
#ifndef FIL_SCENE_GROOM_H
#define FIL_SCENE_GROOM_H

#include "base/arena.h"
#include "base/rng.h"
#include "filum/extend.h"
#include "filum/filum.h"

extern const fil_groom_type fil_groom_line, fil_groom_coil, fil_groom_hairball, fil_groom_scalp, fil_groom_ponytail,
    fil_groom_rope, fil_groom_fur;

// How a hair departs from its middle line.
enum { FIL_GROOM_STRAIGHT, FIL_GROOM_WAVY, FIL_GROOM_CURLY, FIL_GROOM_COILY };

// A row of settings that many generators share, in this order: strands, length, segment, style, variation, seed.
typedef struct fil_groom_common {
    int strands;
    double length, segment;
    int style;
    double variation;
    int seed;
} fil_groom_common;
#define FIL_GROOM_COMMON(type, strands_, length_, segment_, style_)                                                    \
    {"strands", FIL_KIND_INT, offsetof(type, common.strands), strands_, 1, 1e7, "", NULL, "how many"},                 \
        {"length", FIL_KIND_REAL, offsetof(type, common.length), length_, 1e-4, 1e3,                                   \
         "m",      NULL,          "of the middle line of a hair"},                                                     \
        {"segment", FIL_KIND_REAL, offsetof(type, common.segment),                                                     \
         segment_,  1e-5,          1e2,                                                                                \
         "m",       NULL,          "distance of vertices; curls take shorter ones where they need to"},                \
        {"style",                                                                                                      \
         FIL_KIND_CHOICE,                                                                                              \
         offsetof(type, common.style),                                                                                 \
         style_,                                                                                                       \
         0,                                                                                                            \
         3,                                                                                                            \
         "",                                                                                                           \
         "straight|wavy|curly|coily",                                                                                  \
         "how hairs depart from their middle lines"},                                                                  \
        {"variation",                                                                                                  \
         FIL_KIND_REAL,                                                                                                \
         offsetof(type, common.variation),                                                                             \
         0.2,                                                                                                          \
         0,                                                                                                            \
         0.9,                                                                                                          \
         "",                                                                                                           \
         NULL,                                                                                                         \
         "part by which lengths and curls differ between hairs"},                                                      \
    {                                                                                                                  \
        "seed", FIL_KIND_INT, offsetof(type, common.seed), 1, 0, 2147483647, "", NULL, "of all that is random"         \
    }

// A middle line: points at equal steps.
enum { FIL_GROOM_LINE_POINTS = 128 };
typedef struct fil_groom_path {
    double x[FIL_GROOM_LINE_POINTS][3];
    double step; // m
} fil_groom_path;
// A straight one.
void fil_groom_path_straight(const double x[3], const double t[3], double length, fil_groom_path *out);

// One hair: its middle line, and any vector across the start of it.
typedef struct fil_groom_hair {
    fil_groom_path path;
    double side[3];
} fil_groom_hair;
typedef void fil_groom_grow(const void *groom, int i, fil_rng *rng, fil_groom_hair *out);
// All hairs: `grow` finds the middle line of each, the style is drawn around it. They have the same number of vertices,
// so that they pack well.
fil_status fil_groom_style_make(fil_context *context, const fil_groom_common *common, fil_rng *rng,
                                fil_groom_grow *grow, const void *groom, fil_curves **out);
// No groom and no scene has more vertices in all: they would not fit, and a slip of the pen asks for them easily.
#define FIL_GROOM_VERTICES_MAX INT64_C(200000000)
// Curves with room for strands of equal length.
fil_status fil_groom_curves(fil_context *context, int strands, int vertices, fil_curves **out);

// A mesh that hairs grow on. See groom_skin.c.
typedef struct fil_groom_skin fil_groom_skin;

// What hairs grow on: an upright ellipsoid, or the mesh whose upper part has this box. y is up, z towards the face. See
// groom_head.c.
typedef struct fil_groom_head {
    double half[3], centre[3]; // m, half-axes
    double lowest;             // where roots begin: part of half[1], from -1 (everywhere) to 1 (nowhere)
    bool face;                 // leave the face free
    fil_groom_skin *skin;      // NULL: the ellipsoid itself
} fil_groom_head;

// The two settings of a mesh, for generators that can grow on one.
typedef struct fil_groom_mesh {
    const char *file; // NULL: none
    double unit;      // m
} fil_groom_mesh;
#define FIL_GROOM_MESH(type)                                                                                           \
    {"mesh", FIL_KIND_FILE, offsetof(type, mesh.file), 0, 0, 0, "", NULL, "a mesh (.obj) to grow on instead"},         \
    {                                                                                                                  \
        "mesh_unit", FIL_KIND_REAL, offsetof(type, mesh.unit), 1, 1e-9, 1e9, "", NULL,                                 \
            "metres that one unit of the mesh is"                                                                      \
    }

typedef struct fil_groom_root {
    double x[3], normal[3];
} fil_groom_root;
typedef void fil_groom_head_hair(const void *param, const fil_groom_head *head, const fil_groom_root *root,
                                 fil_rng *rng, fil_groom_hair *out);
// All hairs of a head, from roots that are spread evenly. `mesh` (may be NULL) takes the place of the ellipsoid.
fil_status fil_groom_head_make(fil_context *context, const fil_groom_common *common, const fil_groom_head *head,
                               const fil_groom_mesh *mesh, fil_groom_head_hair *hair, const void *param,
                               fil_curves **out);
// Does hair grow at this place of the skin?
bool fil_groom_head_has_hair(const fil_groom_head *head, const double x[3]);
// A hair that leaves the head along its normal and gives in to gravity within `bend` metres, outside of the head.
// `comb` is added to the pull of gravity and fades within the size of the head.
void fil_groom_head_grow(const fil_groom_head *head, const fil_groom_root *root, const double comb[3], double length,
                         double bend, fil_groom_path *out);
// Moves x out of the head when it is inside, leaving a gap of `clear` (part of the half-axes). `reach` is how deep, in
// metres, it may be inside of a mesh. Returns a distance within which nothing of the head is: 0 where it is not known.
double fil_groom_head_keep_out(const fil_groom_head *head, double clear, double reach, double x[3]);

// Reads a mesh and finds its normals.
fil_status fil_groom_skin_create(fil_context *context, const fil_groom_mesh *mesh, fil_groom_skin **out);
void fil_groom_skin_destroy(fil_groom_skin *skin);
// The box of what lies above `lowest` (part of the half-height of the whole).
void fil_groom_skin_box(const fil_groom_skin *skin, double lowest, double low[3], double high[3]);
// So many roots, spread evenly where hair grows. The arena is for scratch.
fil_status fil_groom_skin_roots(fil_context *context, fil_arena *arena, const fil_groom_head *head, int count,
                                fil_rng *rng, fil_groom_root *out);
// Moves x to `gap` metres outside when it is nearer or inside, by no more than `reach`.
double fil_groom_skin_keep_out(const fil_groom_skin *skin, double gap, double reach, double x[3]);

#endif
