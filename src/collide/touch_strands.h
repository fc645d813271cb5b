// Where strands touch strands. See touch_strands.c, and touch_strands_pairs.c for the pairs.
#ifndef FIL_COLLIDE_TOUCH_STRANDS_H
#define FIL_COLLIDE_TOUCH_STRANDS_H

#include "collide/touch.h"

// Pairs of edges, a < b.
typedef struct fil_touch_pairs {
    int *a, *b;
    int64_t count;
} fil_touch_pairs;

// All pairs that may come nearer than their radii and `margin` while strands go from x0 to x1, or to places within half
// the margin of x1. In the order of a, then of b. `only`: [strands] pairs that have an edge of a marked strand, in some
// order; NULL: all.
fil_status fil_touch_strands_pairs(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                   const bool *only, double margin, fil_touch_pairs *out);
// Where they touch, or would touch at the end of the step: the gap there is at most the margin, or they pass through
// each other. One place for each pair of edges, and one for places that several pairs share.
fil_status fil_touch_strands_find(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                  const fil_touch_pairs *pairs, double margin, fil_touch_list *out);
// Those that pass through each other on the way; and, with point.crossing false, those whose centre lines came so near
// each other at the end: `clearance` of their radii.
fil_status fil_touch_strands_crossings(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                       const fil_touch_pairs *pairs, double clearance, fil_touch_list *out);

#endif
