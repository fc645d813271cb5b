// Strands for the programs of bench/ that look for what touches: all with the same number of vertices.
#ifndef FIL_BENCH_STRAND_TOUCH_H
#define FIL_BENCH_STRAND_TOUCH_H

#include "bench.h"

#include "collide/touch.h"

// `all` points to the arrays, which are for the caller to fill.
typedef struct bench_strands {
    fil_touch_strands all;
    unsigned char *held;            // [vertices] nothing is
    double *radius, *arc, *x0, *x1; // [vertices], [vertices], [3 vertices] twice
} bench_strands;

static inline bench_strands bench_strands_make(int strands, int vertices, double radius)
{
    size_t count = (size_t)strands * (size_t)vertices;
    int *first = bench_allocate((size_t)strands + 1, sizeof *first), *strand = bench_allocate(count, sizeof *strand);
    bench_strands made = {.held = bench_allocate(count, 1),
                          .radius = bench_allocate(count, sizeof(double)),
                          .arc = bench_allocate(count, sizeof(double)),
                          .x0 = bench_allocate(3 * count, sizeof(double)),
                          .x1 = bench_allocate(3 * count, sizeof(double))};
    for (int s = 0; s < strands; ++s)
        first[s + 1] = (s + 1) * vertices;
    for (size_t v = 0; v < count; ++v) {
        strand[v] = (int)(v / (size_t)vertices);
        made.radius[v] = radius;
    }
    made.all = (fil_touch_strands){.strand_count = strands,
                                   .vertex_count = (int)count,
                                   .first = first,
                                   .strand = strand,
                                   .held = made.held,
                                   .radius = made.radius,
                                   .arc = made.arc,
                                   .x0 = made.x0,
                                   .x1 = made.x1};
    return made;
}

static inline void bench_strands_free(bench_strands *made)
{
    free((void *)made->all.first);
    free((void *)made->all.strand);
    free(made->held);
    free(made->radius);
    free(made->arc);
    free(made->x0);
    free(made->x1);
}

#endif
