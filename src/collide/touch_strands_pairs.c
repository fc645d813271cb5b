// Which edges of strands may touch in a step: the broad half of touch_strands.c.
//
// A grid of the boxes that edges pass, as thick as they are, gives candidates. With the distance d of two edges at the
// start and the largest relative motion m of their ends, they cannot meet when d > radii + m + margin. In dense hair
// nearly all candidates end there, so four are tried at a time.
//
// Edges of one strand touch when they are not neighbours and the strand between them is longer than π times the sum of
// their radii: less is needed for no loop, more would miss the turns of a tight curl.
//
// Of two edges the one in front in the grid asks: half of the boxes are looked at, and pairs come in the order of who
// asked. They are sorted afterwards.
//
// Most of the time of a large groom goes by until memory brings what is asked for. So edges ask in the order in which
// one walks through the columns of the grid: what one needs, others have just fetched. And candidates wait until there
// are some, so that all of them are on their way at once.
//
// Cost: linear in the number of candidates. All is written in the order of edges: threads do not matter.
#include "base/parallel.h"
#include "collide/four_edges.h"
#include "collide/segment_grid.h"
#include "collide/touch_strands.h"

#include <math.h>
#include <string.h>

// Edges are asked in ranges; each range writes its pairs to a place of its own, which is as large as nearly all need.
enum { EDGE_GRAIN = 256, PAIRS_PER_EDGE = 16, RANGE_ROOM = EDGE_GRAIN * PAIRS_PER_EDGE };
enum { LANES = FIL_FOUR, MOST_WAITING = 8 * LANES };

// ---- four edges at a time

static fil_v4 cut(fil_v4 value)
{
    return fil_v4_min(fil_v4_max(value, fil_v4_all(0)), fil_v4_all(1));
}

// value / by, cut to [0, 1]; 0 where `by` is not above `least`.
static fil_v4 place(fil_v4 value, fil_v4 by, fil_v4 least)
{
    return fil_v4_select(by > least, cut(value / by), fil_v4_all(0));
}

// Squares of the distances at the start, as fil_segment_nearest finds them.
static fil_v4 distance_squares(const fil_four_edges *p, const fil_four_edges *q)
{
    fil_w3 d = fil_w3_subtract(p->x[1], p->x[0]), e = fil_w3_subtract(q->x[1], q->x[0]);
    fil_w3 g = fil_w3_subtract(p->x[0], q->x[0]);
    fil_v4 dd = fil_w3_dot(d, d), ee = fil_w3_dot(e, e), de = fil_w3_dot(d, e);
    fil_v4 dg = fil_w3_dot(d, g), eg = fil_w3_dot(e, g), zero = fil_v4_all(0);
    fil_v4 start = place(de * eg - ee * dg, dd * ee - de * de, 1e-14 * dd * ee);
    fil_v4 t = place(eg + start * de, ee, zero), s = place(t * de - dg, dd, zero);
    fil_w3 between = fil_w3_add_scaled(fil_w3_add_scaled(g, s, d), -t, e);
    return fil_w3_dot(between, between);
}

// The squares of the largest relative motions of two ends: nothing on the edges moves farther.
static fil_v4 motion_squares(const fil_four_edges *p, const fil_four_edges *q)
{
    fil_v4 most = fil_v4_all(0);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            fil_w3 d = fil_w3_subtract(p->way[i], q->way[j]);
            most = fil_v4_max(fil_w3_dot(d, d), most);
        }
    return most;
}

// Bit l is set when the edges of lane l may meet.
static int may_meet(const fil_four_edges *p, const fil_four_edges *q, double margin)
{
    fil_v4 near = p->radius + q->radius + margin + fil_v4_sqrt(motion_squares(p, q));
    return fil_m4_bits(distance_squares(p, q) <= near * near);
}

// ---- one edge that looks for others

typedef struct pair_job {
    const fil_touch_strands *S;
    const bool *only;      // [strands] NULL: all
    fil_segment_grid grid; // of the edges of those
    const int *edge;       // [edges] all, in the order in which they ask
    double margin;
    fil_touch_pairs room; // [ranges × RANGE_ROOM]
    int64_t *start;       // [vertices + 1] where the pairs of an edge begin; first how many, counted one ahead
    fil_touch_pairs *pairs;
} pair_job;

typedef struct asker {
    const pair_job *job;
    int edge, waiting, other[MOST_WAITING];
    int64_t first, count, room;
    const fil_touch_pairs *out;
} asker;

// Whether two edges may touch at all, wherever they are.
static bool may_touch(const fil_touch_strands *S, int a, int b)
{
    int i = S->strand[a], j = S->strand[b];
    if (S->held[a] && S->held[a + 1] && S->held[b] && S->held[b + 1])
        return false;
    if (S->apart && S->apart[S->kind[i] * S->kinds + S->kind[j]])
        return false;
    if (i != j)
        return true;
    const double pi = 3.14159265358979323846;
    double radii = fmax(S->radius[a], S->radius[a + 1]) + fmax(S->radius[b], S->radius[b + 1]);
    return b > a + 1 && S->arc[b] - S->arc[a + 1] > pi * radii;
}

// What has no room is only counted.
static void add_pair(asker *self, int other)
{
    int a = other > self->edge ? self->edge : other, b = other > self->edge ? other : self->edge;
    if (!may_touch(self->job->S, a, b) || self->first + ++self->count > self->room)
        return;
    // Insertion: an edge has few.
    int64_t at = self->first + self->count - 1;
    for (; at > self->first && self->out->b[at - 1] > b; --at) {
        self->out->a[at] = self->out->a[at - 1];
        self->out->b[at] = self->out->b[at - 1];
    }
    self->out->a[at] = a;
    self->out->b[at] = b;
}

static void meet_waiting(asker *self)
{
    if (self->waiting == 0)
        return;
    fil_four_edges edge, others;
    fil_four_edges_load(self->job->S, (int[LANES]){self->edge, self->edge, self->edge, self->edge}, &edge);
    for (int i = 0; i < self->waiting; i += LANES) {
        int count = self->waiting - i < LANES ? self->waiting - i : LANES, four[LANES];
        for (int lane = 0; lane < LANES; ++lane)
            four[lane] = self->other[i + (lane < count ? lane : 0)];
        fil_four_edges_load(self->job->S, four, &others);
        int near = may_meet(&edge, &others, self->job->margin);
        for (int lane = 0; lane < count; ++lane)
            if (near >> lane & 1)
                add_pair(self, four[lane]);
    }
    self->waiting = 0;
}

static void let_wait(void *data, int other)
{
    asker *self = data;
    const fil_touch_strands *S = self->job->S;
    __builtin_prefetch(S->x0 + 3 * (int64_t)other);
    __builtin_prefetch(S->x1 + 3 * (int64_t)other);
    __builtin_prefetch(S->radius + other);
    self->other[self->waiting++] = other;
    if (self->waiting == MOST_WAITING)
        meet_waiting(self);
}

// Writes the pairs of an edge to `out` from `first` on, but not to `room` or behind. Returns how many there are.
static int64_t ask_edge(const pair_job *job, int edge, const fil_touch_pairs *out, int64_t first, int64_t room)
{
    asker asker = {.job = job, .edge = edge, .first = first, .room = room, .out = out};
    // Of two edges of the grid one asks.
    fil_segment_grid_who who = !job->only                        ? FIL_SEGMENT_GRID_BEHIND
                               : job->only[job->S->strand[edge]] ? FIL_SEGMENT_GRID_GREATER
                                                                 : FIL_SEGMENT_GRID_ALL;
    fil_segment_grid_near(&job->grid, edge, job->margin, who, let_wait, &asker);
    meet_waiting(&asker);
    return asker.count;
}

// ---- all edges

static void ask_edges(void *data, int64_t begin, int64_t end)
{
    pair_job *job = data;
    int64_t first = begin * PAIRS_PER_EDGE, room = first + RANGE_ROOM;
    for (int64_t i = begin; i < end; ++i) {
        int64_t count = ask_edge(job, job->edge[i], &job->room, first, room);
        job->start[job->edge[i] + 1] = count;
        first += count;
    }
}

// To where they belong; edges that had no room for all ask again.
static void place_pairs(void *data, int64_t begin, int64_t end)
{
    const pair_job *job = data;
    int64_t from = begin * PAIRS_PER_EDGE, room = from + RANGE_ROOM;
    for (int64_t i = begin; i < end; ++i) {
        int edge = job->edge[i];
        int64_t first = job->start[edge], count = job->start[edge + 1] - first;
        if (from + count > room) {
            ask_edge(job, edge, job->pairs, first, first + count);
        } else {
            memcpy(job->pairs->a + first, job->room.a + from, (size_t)count * sizeof(int));
            memcpy(job->pairs->b + first, job->room.b + from, (size_t)count * sizeof(int));
        }
        from += count;
    }
}

static fil_status make_pairs(fil_arena *arena, int64_t count, fil_touch_pairs *out)
{
    *out = (fil_touch_pairs){FIL_ARENA_RAW(arena, int, count), FIL_ARENA_RAW(arena, int, count), count};
    return out->a && out->b ? FIL_OK : FIL_NO_MEMORY;
}

// ---- in the order of first edges

typedef struct sort_job {
    const fil_touch_pairs *pairs;
    int64_t *end; // [vertices] of the pairs of a first edge; they begin where those of the edge before end
} sort_job;

static void sort_seconds(void *data, int64_t begin, int64_t end)
{
    const sort_job *job = data;
    int *b = job->pairs->b;
    for (int64_t edge = begin; edge < end; ++edge) {
        int64_t first = edge > 0 ? job->end[edge - 1] : 0;
        for (int64_t i = first; i < job->end[edge]; ++i) {
            int second = b[i];
            int64_t at = i;
            for (; at > first && b[at - 1] > second; --at)
                b[at] = b[at - 1];
            b[at] = second;
            job->pairs->a[i] = (int)edge;
        }
    }
}

// A pair that comes up, `far` times as far ahead as memory takes.
static inline int64_t ahead(const fil_touch_pairs *pairs, int64_t i, int far)
{
    const int64_t usual = 16;
    return i + far * usual < pairs->count ? i + far * usual : i;
}

// A counting sort by first edges; then the few second edges of each. Where strands are numbered at random, each pair is
// somewhere else in memory.
static fil_status sort_pairs(fil_context *context, fil_arena *arena, int vertices, fil_touch_pairs *pairs)
{
    fil_touch_pairs sorted;
    int64_t *next = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)vertices + 1);
    if (!next || make_pairs(arena, pairs->count, &sorted) != FIL_OK)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < pairs->count; ++i) {
        __builtin_prefetch(next + pairs->a[ahead(pairs, i, 2)] + 1, 1);
        ++next[pairs->a[i] + 1];
    }
    for (int v = 0; v < vertices; ++v)
        next[v + 1] += next[v];
    for (int64_t i = 0; i < pairs->count; ++i) {
        __builtin_prefetch(next + pairs->a[ahead(pairs, i, 2)], 1);
        __builtin_prefetch(sorted.b + next[pairs->a[ahead(pairs, i, 1)]], 1);
        sorted.b[next[pairs->a[i]]++] = pairs->b[i];
    }
    sort_job job = {&sorted, next};
    fil_parallel_for(context, vertices, EDGE_GRAIN, sort_seconds, &job);
    *pairs = sorted;
    return FIL_OK;
}

// The edges of the strands in `only`; NULL: of all.
static int list_edges(const fil_touch_strands *S, const bool *only, int *edge)
{
    int edges = 0;
    for (int v = 0; v + 1 < S->vertex_count; ++v)
        if (S->strand[v] == S->strand[v + 1] && (!only || only[S->strand[v]]))
            edge[edges++] = v;
    return edges;
}

fil_status fil_touch_strands_pairs(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                   const bool *only, double margin, fil_touch_pairs *out)
{
    *out = (fil_touch_pairs){0};
    pair_job job = {.S = strands, .only = only, .margin = margin, .pairs = out};
    int vertices = strands->vertex_count;
    int *edge = FIL_ARENA_RAW(arena, int, vertices), *asked_for = only ? FIL_ARENA_RAW(arena, int, vertices) : edge;
    job.start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)vertices + 1);
    if (!edge || !asked_for || !job.start)
        return FIL_NO_MEMORY;
    int edges = list_edges(strands, NULL, edge), asked = only ? list_edges(strands, only, asked_for) : edges;
    int64_t ranges = edges / EDGE_GRAIN + (edges % EDGE_GRAIN != 0);
    fil_segments segments = {.x = strands->x0, .end = strands->x1, .radius = strands->radius};
    fil_status status = fil_segment_grid_create(arena, &segments, asked_for, asked, margin, &job.grid);
    if (status == FIL_OK)
        status = make_pairs(arena, ranges * RANGE_ROOM, &job.room);
    if (status != FIL_OK)
        return status;
    job.edge = edge;
    // A grid of some strands does not have all edges: they then ask as they are numbered.
    if (!only)
        fil_segment_grid_walk(&job.grid, edge);
    fil_parallel_for(context, edges, EDGE_GRAIN, ask_edges, &job);
    for (int v = 0; v < vertices; ++v)
        job.start[v + 1] += job.start[v];
    status = make_pairs(arena, job.start[vertices], out);
    if (status == FIL_OK)
        fil_parallel_for(context, edges, EDGE_GRAIN, place_pairs, &job);
    return status == FIL_OK && !only ? sort_pairs(context, arena, vertices, out) : status;
}
