// What detection works on and what it finds: polylines that move, and the places where they touch.
//
// Vertices of all strands are numbered one after another; an edge goes by the number of its first vertex.
#ifndef FIL_COLLIDE_TOUCH_H
#define FIL_COLLIDE_TOUCH_H

#include "base/arena.h"

// Strands that go straight from x0 to x1 in a step.
typedef struct fil_touch_strands {
    int strand_count;
    int vertex_count;
    const int *first;          // [strands + 1] first vertex
    const int *strand;         // [vertices] which strand it belongs to
    const unsigned char *held; // [vertices] it is moved by others: nothing can push it
    const double *radius;      // [vertices] m, at which they touch
    const double *arc;         // [vertices] m, from the root along the strand at rest
    const double *x0, *x1;     // [3 vertices]
    // Which strands do not feel which. NULL: all feel all.
    const int *kind;   // [strands]
    const bool *apart; // [kinds × kinds]
    int kinds;
} fil_touch_strands;

// Two things that touch, or may do so in the step.
typedef struct fil_touch_point {
    int a;             // edge
    int b;             // edge; against a body: -1 - body
    double at_a, at_b; // where on the edges, 0 to 1; at_b: 0 against a body
    double normal[3];  // unit, from b to a
    double gap;        // m between the surfaces along the normal at the start of the step; negative: they overlap
    double carried[3]; // m: how far the point of the body is carried in the step; 0 between strands
    bool crossing;     // they would pass through each other
} fil_touch_point;

// A list in an arena.
typedef struct fil_touch_list {
    fil_touch_point *point;
    int count;
} fil_touch_list;

#endif
