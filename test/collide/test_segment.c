// Nearest points of segments against a search on a fine grid; the grid of segments against all pairs.
#include "base/rng.h"
#include "collide/segment.h"
#include "collide/segment_grid.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static double distance_at(double x[4][3], double s, double t)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double way = x[0][k] + s * (x[1][k] - x[0][k]) - x[2][k] - t * (x[3][k] - x[2][k]);
        sum += way * way;
    }
    return sum;
}

// No pair of places is nearer than the one that was found.
static void check_nearest(double x[4][3])
{
    double s, t, square = fil_segment_nearest(x[0], x[1], x[2], x[3], &s, &t);
    ck_assert(s >= 0 && s <= 1 && t >= 0 && t <= 1);
    test_near(square, distance_at(x, s, t), 1e-14);
    for (int i = 0; i <= 50; ++i)
        for (int j = 0; j <= 50; ++j)
            ck_assert(square <= distance_at(x, i / 50.0, j / 50.0) + 1e-13);
}

TEST(segment_nearest_is_nearest)
{
    fil_rng rng = fil_rng_make(1);
    for (int trial = 0; trial < 300; ++trial) {
        double x[4][3];
        for (int k = 0; k < 12; ++k)
            x[k / 3][k % 3] = fil_rng_uniform(&rng, -1, 1);
        if (trial % 3 == 1) // nearly parallel, some exactly
            for (int k = 0; k < 3; ++k)
                x[3][k] = x[2][k] + (trial % 2 ? 1 : -0.5) * (x[1][k] - x[0][k]) + (trial % 5 ? 1e-9 * k : 0);
        if (trial % 7 == 2) // a point
            memcpy(x[1], x[0], sizeof x[0]);
        if (trial % 11 == 2)
            memcpy(x[3], x[2], sizeof x[2]);
        check_nearest(x);
    }
}

typedef struct visited {
    int count;
    bool *seen;
} visited;

static void visit(void *data, int segment)
{
    visited *self = data;
    ck_assert(!self->seen[segment]);
    self->seen[segment] = true;
    ++self->count;
}

TEST(segment_grid_finds_every_near_segment)
{
    enum { COUNT = 400 };
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(2);
    double *x = calloc((size_t)6 * COUNT, sizeof *x);
    int segment[COUNT];
    const double margin = 0.03;
    for (int i = 0; i < COUNT; ++i) {
        segment[i] = 2 * i;
        for (int k = 0; k < 3; ++k) {
            x[6 * i + k] = fil_rng_uniform(&rng, -0.3, 0.3) * (k == 0 ? 3 : 1);
            x[6 * i + 3 + k] = x[6 * i + k] + fil_rng_uniform(&rng, -0.1, 0.1) * (i % 50 == 0 ? 10 : 1);
        }
    }
    fil_segment_grid grid;
    ck_assert_int_eq(fil_segment_grid_create(arena, &(fil_segments){.x = x}, segment, COUNT, margin, &grid), FIL_OK);
    bool seen[2 * COUNT];
    int near = 0, pairs = 0;
    for (int i = 0; i < COUNT; ++i) {
        visited visited = {.seen = seen};
        memset(seen, 0, sizeof seen);
        fil_segment_grid_near(&grid, segment[i], margin, FIL_SEGMENT_GRID_GREATER, visit, &visited);
        pairs += visited.count;
        for (int j = 0; j < COUNT; ++j) {
            double s, t;
            const double *p = x + 6 * (ptrdiff_t)i, *q = x + 6 * (ptrdiff_t)j;
            double square = fil_segment_nearest(p, p + 3, q, q + 3, &s, &t);
            ck_assert(j > i || !seen[2 * j]);
            ck_assert(j <= i || square > margin * margin || seen[2 * j]);
            near += j > i && square <= margin * margin;
        }
    }
    ck_assert_int_gt(near, 50);
    // By those in front in the grid each two are found once, too.
    bool *met = calloc((size_t)4 * COUNT * COUNT, sizeof *met);
    for (int i = 0; i < COUNT; ++i) {
        visited visited = {.seen = met + (ptrdiff_t)segment[i] * 2 * COUNT};
        fil_segment_grid_near(&grid, segment[i], margin, FIL_SEGMENT_GRID_BEHIND, visit, &visited);
        pairs -= visited.count;
    }
    ck_assert_int_eq(pairs, 0);
    for (int i = 0; i < COUNT; ++i) {
        visited visited = {.seen = seen};
        memset(seen, 0, sizeof seen);
        fil_segment_grid_near(&grid, segment[i], margin, FIL_SEGMENT_GRID_GREATER, visit, &visited);
        for (int j = i + 1; j < COUNT; ++j)
            ck_assert_int_eq(seen[2 * j],
                             met[(ptrdiff_t)4 * i * COUNT + 2 * j] + met[(ptrdiff_t)4 * j * COUNT + 2 * i]);
    }
    free(met);
    // None at all, and all in one point.
    ck_assert_int_eq(fil_segment_grid_create(arena, &(fil_segments){.x = x}, segment, 0, 0, &grid), FIL_OK);
    memset(x, 0, (size_t)6 * COUNT * sizeof *x);
    ck_assert_int_eq(fil_segment_grid_create(arena, &(fil_segments){.x = x}, segment, COUNT, 0, &grid), FIL_OK);
    visited all = {.seen = seen};
    memset(seen, 0, sizeof seen);
    fil_segment_grid_near(&grid, segment[COUNT / 2], 0, FIL_SEGMENT_GRID_ALL, visit, &all);
    ck_assert_int_eq(all.count, COUNT - 1);
    free(x);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}
