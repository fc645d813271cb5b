// Segments in a uniform grid, to find those near a box. See segment_grid.c.
#ifndef FIL_COLLIDE_SEGMENT_GRID_H
#define FIL_COLLIDE_SEGMENT_GRID_H

#include "base/arena.h"

// A segment goes by the name of its first vertex: from x[3 v] to x[3 (v + 1)].
typedef struct fil_segments {
    const double *x;      // [3 vertices]
    const double *end;    // [3 vertices] where they go on straight lines; NULL: they stay
    const double *radius; // [vertices] NULL: thin
} fil_segments;

typedef struct fil_segment_box {
    double low[3], high[3];
} fil_segment_box;

typedef struct fil_segment_grid {
    fil_segments segments;
    double low[3], cell[3]; // corner of the grid, size of a cell
    double reach[3];        // half the largest extent of a segment
    int size[3];            // cells
    int64_t *start;         // [cells + 1]
    int *segment;           // by cells, ascending in each
    float *box;             // of the same, widened to floats, eight side by side: low x, y, z, minus high x, y, z
} fil_segment_grid;

// All that a segment passes.
fil_segment_box fil_segment_grid_box(const fil_segments *segments, int segment);
// Reads the segments, which must outlive it. FIL_NO_MEMORY.
fil_status fil_segment_grid_create(fil_arena *arena, const fil_segments *segments, const int *segment, int count,
                                   double margin, fil_segment_grid *out);

// All segments of a grid, so that those near each other in space are mostly near each other in `order`: whoever asks in
// this order finds in the cache what others have asked for.
void fil_segment_grid_walk(const fil_segment_grid *grid, int *order);

// Of the segments near one: all but itself; those with a greater name; or those behind it in the grid, by cells and
// then by names: half of the work, and each two are found once, by one of them, which must be in the grid.
typedef enum fil_segment_grid_who {
    FIL_SEGMENT_GRID_ALL,
    FIL_SEGMENT_GRID_GREATER,
    FIL_SEGMENT_GRID_BEHIND
} fil_segment_grid_who;

// Calls visit(data, segment) for each of them whose box comes within `margin` of the box of `segment`, in an order that
// depends on the segments alone.
typedef void fil_segment_grid_visit(void *data, int segment);
void fil_segment_grid_near(const fil_segment_grid *grid, int segment, double margin, fil_segment_grid_who who,
                           fil_segment_grid_visit *visit, void *data);

#endif
