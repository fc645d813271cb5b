// Segments in a uniform grid, to find those near a box. See segment_grid.c.
#ifndef FIL_COLLIDE_SEGMENT_GRID_H
#define FIL_COLLIDE_SEGMENT_GRID_H

#include "base/arena.h"

// A segment goes by the name of its first vertex: from x[3 v] to x[3 (v + 1)].
typedef struct fil_segment_grid {
    const double *x;
    double low[3], cell[3]; // corner of the grid, size of a cell
    double reach[3];        // half the largest extent of a segment
    int size[3];            // cells
    int64_t *start;         // [cells + 1]
    int *segment;           // by cells, ascending in each
} fil_segment_grid;

// Reads x, which must outlive it. FIL_NO_MEMORY.
fil_status fil_segment_grid_create(fil_arena *arena, const double *x, const int *segment, int count, double margin,
                                   fil_segment_grid *out);

// Calls visit(data, segment) for every segment whose box comes within `margin` of the box of `segment` and whose name
// is greater, in an order that depends on the segments alone.
typedef void fil_segment_grid_visit(void *data, int segment);
void fil_segment_grid_near(const fil_segment_grid *grid, int segment, double margin, fil_segment_grid_visit *visit,
                           void *data);

#endif
