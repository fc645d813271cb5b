// Generators of strands: the list, and what they share. See groom.c, groom_style.c.
#ifndef FIL_SCENE_GROOM_H
#define FIL_SCENE_GROOM_H

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

// How many vertices the hairs of a style have; the same for all, so that they pack well.
int fil_groom_style_vertices(const fil_groom_common *common);
// Draws one hair around its middle line: 3 vertices numbers at `out`. side: any vector across the start of the line.
void fil_groom_style_draw(const fil_groom_common *common, fil_rng *rng, const fil_groom_path *path,
                          const double side[3], int vertices, double *out);
// No groom and no scene has more vertices in all: they would not fit, and a slip of the pen asks for them easily.
#define FIL_GROOM_VERTICES_MAX INT64_C(200000000)
// Curves with room for strands of equal length.
fil_status fil_groom_curves(fil_context *context, int strands, int vertices, fil_curves **out);

// An upright ellipsoid with its centre at the origin, y up.
typedef struct fil_groom_head {
    double half[3]; // m, half-axes
} fil_groom_head;
// Point i of n, spread evenly over the part above `lowest` (-1 to 1, part of the height), jittered; and its normal.
void fil_groom_head_point(const fil_groom_head *head, int i, int n, double lowest, fil_rng *rng, double x[3],
                          double normal[3]);
// A hair that leaves the head along its normal and gives in to gravity within `bend` metres, outside of the head.
// `comb` is added to the pull of gravity and fades within the size of the head.
void fil_groom_head_grow(const fil_groom_head *head, const double x[3], const double normal[3], const double comb[3],
                         double length, double bend, fil_groom_path *out);
// Moves x out of the head when it is inside, leaving a gap of `clear` (part of the half-axes).
void fil_groom_head_keep_out(const fil_groom_head *head, double clear, double x[3]);

#endif
