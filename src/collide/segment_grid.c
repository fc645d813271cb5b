// A uniform grid that holds each segment once, in the cell of its middle. A search looks at the cells that the middle
// of a near segment can be in: the box of the asker, widened by its margin and by half the largest extent of a
// segment, axis by axis. So strands that run along an axis cost little: cells are long where segments are.
//
// Boxes are tried eight at a time.
//
// Cost: linear to build (a counting sort); a search visits what is near, and more only when few segments are much
// longer than the rest.
#include "collide/segment_grid.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

typedef fil_segment_box box;

static void add_point(box *out, const double *x, double radius)
{
    for (int k = 0; k < 3; ++k) {
        out->low[k] = x[k] - radius < out->low[k] ? x[k] - radius : out->low[k];
        out->high[k] = x[k] + radius > out->high[k] ? x[k] + radius : out->high[k];
    }
}

fil_segment_box fil_segment_grid_box(const fil_segments *segments, int segment)
{
    box out = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = segment; i < segment + 2; ++i) {
        double radius = segments->radius ? segments->radius[i] : 0;
        add_point(&out, segments->x + 3 * (int64_t)i, radius);
        if (segments->end)
            add_point(&out, segments->end + 3 * (int64_t)i, radius);
    }
    return out;
}

// The largest float that is not above. Half of all numbers are rounded up: no branch foresees which.
static inline float below(double x)
{
    float y = (float)x;
    uint32_t bits, down = y > 0 ? UINT32_MAX : 1;
    memcpy(&bits, &y, sizeof bits);
    bits += down & -(uint32_t)((double)y > x);
    memcpy(&y, &bits, sizeof y);
    return y;
}

enum { LANES = 8, BOUNDS = 6, BLOCK = LANES * BOUNDS };
// Cells: what the search around such a column looks at stays in a core's own cache.
enum { COLUMN = 8 };

// Boxes overlap where low <= high of the other and -high <= -low of the other, along each axis.
static void pack(const box *box, int64_t place, float *out)
{
    out += place / LANES * BLOCK + place % LANES;
    for (int k = 0; k < 3; ++k) {
        out[(ptrdiff_t)LANES * k] = below(box->low[k]);
        out[(ptrdiff_t)LANES * (3 + k)] = below(-box->high[k]);
    }
}

static int cell_along(const fil_segment_grid *grid, int axis, double place)
{
    double at = (place - grid->low[axis]) / grid->cell[axis];
    return at >= grid->size[axis] ? grid->size[axis] - 1 : at > 0 ? (int)at : 0;
}

static int64_t cell_of(const fil_segment_grid *grid, const box *box)
{
    int64_t cell = 0;
    for (int k = 0; k < 3; ++k)
        cell = cell * grid->size[k] + cell_along(grid, k, 0.5 * (box->low[k] + box->high[k]));
    return cell;
}

// Cells as large as a mean segment and the margin, but not many more cells than segments.
static void choose_cells(const box *boxes, int count, double margin, fil_segment_grid *grid)
{
    box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double sum[3] = {0}, cells = 1;
    for (int i = 0; i < count; ++i) {
        box one = boxes[i];
        for (int k = 0; k < 3; ++k) {
            double extent = one.high[k] - one.low[k];
            sum[k] += extent;
            grid->reach[k] = 0.5 * extent > grid->reach[k] ? 0.5 * extent : grid->reach[k];
            all.low[k] = one.low[k] < all.low[k] ? one.low[k] : all.low[k];
            all.high[k] = one.high[k] > all.high[k] ? one.high[k] : all.high[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        double extent = count > 0 ? all.high[k] - all.low[k] : 0;
        grid->low[k] = count > 0 ? all.low[k] : 0;
        grid->cell[k] = sum[k] / (count > 0 ? count : 1) + margin;
        // A point has no extent and the margin may be zero: then one cell is enough.
        grid->cell[k] = grid->cell[k] > 1e-9 * extent ? grid->cell[k] : extent + 1;
        cells *= extent / grid->cell[k] + 1;
    }
    double wider = cells > 2.0 * count + 1 ? cbrt(cells / (2.0 * count + 1)) : 1;
    for (int k = 0; k < 3; ++k) {
        grid->cell[k] *= wider;
        grid->size[k] = count > 0 ? (int)((all.high[k] - all.low[k]) / grid->cell[k]) + 1 : 1;
    }
}

fil_status fil_segment_grid_create(fil_arena *arena, const fil_segments *segments, const int *segment, int count,
                                   double margin, fil_segment_grid *out)
{
    *out = (fil_segment_grid){.segments = *segments};
    out->box = FIL_ARENA_ARRAY(arena, float, ((int64_t)count / LANES + 1) * BLOCK);
    box *boxes = FIL_ARENA_RAW(arena, box, count);
    if (!out->box || !boxes)
        return FIL_NO_MEMORY;
    for (int i = 0; i < count; ++i)
        boxes[i] = fil_segment_grid_box(segments, segment[i]);
    choose_cells(boxes, count, margin, out);
    int64_t cells = (int64_t)out->size[0] * out->size[1] * out->size[2];
    out->start = FIL_ARENA_ARRAY(arena, int64_t, cells + 2);
    out->segment = FIL_ARENA_RAW(arena, int, count);
    if (!out->start || !out->segment)
        return FIL_NO_MEMORY;
    // Count into start[cell + 2], sum, then let start[cell + 1] run while filling: it ends where the cell ends.
    int64_t *next = out->start + 1;
    for (int i = 0; i < count; ++i)
        ++next[cell_of(out, &boxes[i]) + 1];
    for (int64_t cell = 1; cell <= cells; ++cell)
        next[cell] += next[cell - 1];
    for (int i = 0; i < count; ++i) {
        int64_t place = next[cell_of(out, &boxes[i])]++;
        out->segment[place] = segment[i];
        pack(&boxes[i], place, out->box);
    }
    return FIL_OK;
}

static int end_of_column(const fil_segment_grid *grid, int axis, int begin)
{
    return begin + COLUMN < grid->size[axis] ? begin + COLUMN : grid->size[axis];
}

// The segments of one layer of a column, which begins at the cell (i0, j0) of its first two axes. Returns how many.
static int64_t walk_layer(const fil_segment_grid *grid, int i0, int j0, int layer, int *order)
{
    int i1 = end_of_column(grid, 0, i0), j1 = end_of_column(grid, 1, j0);
    int64_t count = 0;
    for (int i = i0; i < i1; ++i)
        for (int j = j0; j < j1; ++j) {
            const int64_t *cell = grid->start + ((int64_t)i * grid->size[1] + j) * grid->size[2] + layer;
            for (int64_t at = cell[0]; at < cell[1]; ++at)
                order[count++] = grid->segment[at];
        }
    return count;
}

void fil_segment_grid_walk(const fil_segment_grid *grid, int *order)
{
    for (int i = 0; i < grid->size[0]; i += COLUMN)
        for (int j = 0; j < grid->size[1]; j += COLUMN)
            for (int layer = 0; layer < grid->size[2]; ++layer)
                order += walk_layer(grid, i, j, layer, order);
}

// Runs of cells to look at, and of each the name that others must be above. They are collected first: memory then
// fetches all of them at once.
enum { MOST_RUNS = 32 };

typedef struct runs {
    int count, above[MOST_RUNS];
    int64_t begin[MOST_RUNS], end[MOST_RUNS];
} runs;

static inline void add_run(const fil_segment_grid *grid, int64_t begin, int64_t end, int above, runs *runs)
{
    runs->begin[runs->count] = begin;
    runs->end[runs->count] = end;
    runs->above[runs->count] = above;
    runs->count += begin < end;
    __builtin_prefetch(grid->box + begin / LANES * BLOCK);
    __builtin_prefetch(grid->box + (end - (begin < end)) / LANES * BLOCK);
    __builtin_prefetch(grid->segment + begin);
}

// What a search passes on: segments of which no bound is above its limit, but not the one that asks.
typedef struct search {
    fil_v8 limit[BOUNDS];
    int segment;
    fil_segment_grid_visit *visit;
    void *data;
} search;

static void set_limits(const box *box, search *out)
{
    for (int k = 0; k < 3; ++k) {
        out->limit[k] = fil_v8_all(-below(-box->high[k]));
        out->limit[3 + k] = fil_v8_all(-below(box->low[k]));
    }
}

// Bit l is set where box l of a block overlaps that of the search.
static inline unsigned overlaps(const float *block, const search *search)
{
    fil_m8 apart = fil_v8_load(block) > search->limit[0];
    for (int k = 1; k < BOUNDS; ++k)
        apart |= fil_v8_load(block + (ptrdiff_t)LANES * k) > search->limit[k];
    return ~fil_m8_bits(apart) & 0xff;
}

static inline void visit_run(const fil_segment_grid *grid, const search *search, int64_t begin, int64_t end, int above)
{
    for (int64_t first = begin - begin % LANES; first < end; first += LANES) {
        unsigned near = overlaps(grid->box + first / LANES * BLOCK, search);
        if (first < begin)
            near &= ~0u << (begin - first);
        if (end - first < LANES)
            near &= ~(~0u << (end - first));
        for (; near; near &= near - 1) {
            int other = grid->segment[first + __builtin_ctz(near)];
            if (other > above && other != search->segment)
                search->visit(search->data, other);
        }
    }
}

static inline void visit_runs(const fil_segment_grid *grid, const search *search, runs *runs)
{
    for (int i = 0; i < runs->count; ++i)
        visit_run(grid, search, runs->begin[i], runs->end[i], runs->above[i]);
    runs->count = 0;
}

// Of a row of cells along the last axis, those from the cell of the asker on; nobody in it before the asker.
static inline void add_behind(const fil_segment_grid *grid, const int64_t *row, int own, int last, int segment,
                              runs *runs)
{
    add_run(grid, row[own], row[own + 1], segment, runs);
    add_run(grid, row[own + 1], row[last + 1], -1, runs);
}

void fil_segment_grid_near(const fil_segment_grid *grid, int segment, double margin, fil_segment_grid_who who,
                           fil_segment_grid_visit *visit, void *data)
{
    box wide = fil_segment_grid_box(&grid->segments, segment);
    int first[3], last[3], own[3];
    for (int k = 0; k < 3; ++k) {
        own[k] = cell_along(grid, k, 0.5 * (wide.low[k] + wide.high[k]));
        wide.low[k] -= margin, wide.high[k] += margin;
        first[k] = cell_along(grid, k, wide.low[k] - grid->reach[k]);
        last[k] = cell_along(grid, k, wide.high[k] + grid->reach[k]);
    }
    search search = {.segment = segment, .visit = visit, .data = data};
    set_limits(&wide, &search);
    bool behind = who == FIL_SEGMENT_GRID_BEHIND;
    int above = who == FIL_SEGMENT_GRID_GREATER ? segment : -1;
    runs runs;
    runs.count = 0;
    for (int i = behind ? own[0] : first[0]; i <= last[0]; ++i)
        for (int j = behind && i == own[0] ? own[1] : first[1]; j <= last[1]; ++j) {
            // Cells next to each other along the last axis are one run.
            const int64_t *row = grid->start + ((int64_t)i * grid->size[1] + j) * grid->size[2];
            if (behind && i == own[0] && j == own[1])
                add_behind(grid, row, own[2], last[2], segment, &runs);
            else
                add_run(grid, row[first[2]], row[last[2] + 1], above, &runs);
            if (runs.count >= MOST_RUNS - 1) // two may come at a time
                visit_runs(grid, &search, &runs);
        }
    visit_runs(grid, &search, &runs);
}
