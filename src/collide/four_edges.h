// Four edges of strands side by side, at the start and on their way.
#ifndef FIL_COLLIDE_FOUR_EDGES_H
#define FIL_COLLIDE_FOUR_EDGES_H

#include "collide/touch_strands.h"
#include "math/transpose.h"

enum { FIL_FOUR = 4 };

typedef struct fil_four_edges {
    fil_w3 x[2], way[2]; // ends at the start, how far they go
    fil_v4 radius;       // the larger one
} fil_four_edges;

static inline void fil_four_edges_ends(const double *x, const int edge[FIL_FOUR], fil_w3 out[2])
{
    fil_v4 head[FIL_FOUR], tail[FIL_FOUR]; // the first and the last four of six numbers
    for (int lane = 0; lane < FIL_FOUR; ++lane) {
        head[lane] = fil_v4_load(x + 3 * (int64_t)edge[lane]);
        tail[lane] = fil_v4_load(x + 3 * (int64_t)edge[lane] + 2);
    }
    fil_v4_transpose_rows(head);
    fil_v4_transpose_rows(tail);
    out[0] = (fil_w3){head[0], head[1], head[2]};
    out[1] = (fil_w3){tail[1], tail[2], tail[3]};
}

static inline void fil_four_edges_load(const fil_touch_strands *S, const int edge[FIL_FOUR], fil_four_edges *out)
{
    fil_w3 end[2];
    fil_four_edges_ends(S->x0, edge, out->x);
    fil_four_edges_ends(S->x1, edge, end);
    for (int i = 0; i < 2; ++i)
        out->way[i] = fil_w3_subtract(end[i], out->x[i]);
    double radius[FIL_FOUR];
    for (int lane = 0; lane < FIL_FOUR; ++lane) {
        const double *ends = S->radius + edge[lane];
        radius[lane] = ends[0] > ends[1] ? ends[0] : ends[1];
    }
    out->radius = fil_v4_load(radius);
}

#endif
