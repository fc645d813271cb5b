// A tree of boxes, to find those near a box. See bvh.c.
#ifndef FIL_COLLIDE_BVH_H
#define FIL_COLLIDE_BVH_H

#include "base/arena.h"

typedef struct fil_bvh_box {
    double low[3], high[3];
} fil_bvh_box;

fil_bvh_box fil_bvh_box_empty(void);
void fil_bvh_box_add(fil_bvh_box *self, const double x[3]);
void fil_bvh_box_join(fil_bvh_box *self, const fil_bvh_box *other);
void fil_bvh_box_widen(fil_bvh_box *self, double by);
bool fil_bvh_box_overlap(const fil_bvh_box *a, const fil_bvh_box *b);

typedef struct fil_bvh {
    int count;         // items
    int leaves;        // a power of two; the last ones may be empty
    int *order;        // [count] items along the curve
    fil_bvh_box *item; // [count] in that order
    fil_bvh_box *node; // [2 leaves - 1]
} fil_bvh;

// Lives in the arena. False: no memory.
bool fil_bvh_create(fil_arena *arena, const fil_bvh_box *boxes, int count, fil_bvh *out);
// The same order with boxes of its own, still to be given by fil_bvh_refit. `from` must outlive it.
bool fil_bvh_share(fil_arena *arena, const fil_bvh *from, fil_bvh *out);
// New boxes for the same items.
void fil_bvh_refit(fil_bvh *self, const fil_bvh_box *boxes);

typedef void fil_bvh_visit(void *data, int item);
// All items whose boxes touch the box, in an order that depends on the tree alone.
void fil_bvh_near(const fil_bvh *self, const fil_bvh_box *box, fil_bvh_visit *visit, void *data);
// Items whose boxes are nearer to x than the square root of *square, about the nearest first; visit may lower *square.
void fil_bvh_nearest(const fil_bvh *self, const double x[3], const double *square, fil_bvh_visit *visit, void *data);

#endif
