// Boxes that overlap, and the nearest of them. See audit_tree.c.
#ifndef FIL_VALIDATE_AUDIT_TREE_H
#define FIL_VALIDATE_AUDIT_TREE_H

#include "base/arena.h"

#include <math.h>

typedef struct fil_audit_box {
    float low[3], high[3]; // low > high: empty, overlaps nothing
} fil_audit_box;

static inline fil_audit_box fil_audit_box_empty(void)
{
    return (fil_audit_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

enum { FIL_AUDIT_TREE_LEVELS = 20 };

typedef struct fil_audit_tree {
    int count;
    int *order; // [count] which box lies at a place
    int level_count;
    int level_size[FIL_AUDIT_TREE_LEVELS];
    fil_audit_box *level[FIL_AUDIT_TREE_LEVELS]; // [0]: the boxes by place, [i + 1]: around four of [i]
} fil_audit_tree;

fil_status fil_audit_tree_build(fil_context *context, fil_arena *arena, const fil_audit_box *boxes, int count,
                                fil_audit_tree *out);

// Calls visit for every box that overlaps the one at `place` and lies at a later place: over all places, every pair
// once.
typedef void fil_audit_tree_visit(void *user, int box, int other);
void fil_audit_tree_search(const fil_audit_tree *tree, int place, fil_audit_tree_visit *visit, void *user);

// The least value of `distance` (the square of the distance of the place from what is in a box) over all boxes.
typedef double fil_audit_tree_distance(void *user, int box, const double place[3]);
double fil_audit_tree_nearest(const fil_audit_tree *tree, const double place[3], fil_audit_tree_distance *distance,
                              void *user);

#endif
