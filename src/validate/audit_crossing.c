// Do strands pass through each other from one frame to the next? Every vertex goes straight.
//
// The ends of two segments span a tetrahedron whose volume is a cubic in time. Segments meet only when it is zero. In
// Bernstein form a cubic whose four coefficients have one sign has no root, and cutting it in two never adds changes of
// sign, in floating point neither: an interval is cut until nothing is left but tiny ones that the volume changes its
// sign in. Intervals in which the segments are apart along x, y or z are dropped on the way. What remains is a moment
// in which the lines meet; it counts when the place lies on both segments.
//
// Ties (a segment that hits a vertex, strands in one plane) would be counted twice or not at all. So the later strand
// of a pair is nudged by a billionth of a segment, all of it and in both frames: a neighbour always sees the same
// picture, and a zero is as good as positive. Within one strand the nudge grows from the root to the tip.
//
// Nothing here is shared with src/collide, which this is meant to check.
#include "validate/audit_crossing.h"

#include "base/parallel.h"
#include "validate/audit_tree.h"

#include <math.h>
#include <stdlib.h>

// Two segments

enum { DEEPEST = 50 }; // cuts: an interval of 2^-50

typedef struct hunt {
    const fil_audit_segment *a, *b;
    fil_audit_pass *pass;
    int count;
} hunt;

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Six times the volume of the four ends, as a cubic in Bernstein form.
static void find_volume(const fil_audit_segment *a, const fil_audit_segment *b, double out[4])
{
    double side[3][2][3]; // from the first end of a: to its other end, and to the ends of b
    for (int f = 0; f < 2; ++f) {
        subtract(a->end[f][1], a->end[f][0], side[0][f]);
        subtract(b->end[f][0], a->end[f][0], side[1][f]);
        subtract(b->end[f][1], a->end[f][0], side[2][f]);
    }
    double sum[4] = {0};
    for (int f = 0; f < 4; ++f) {
        double normal[3];
        int g = f & 1, h = f >> 1;
        cross(side[1][g], side[2][h], normal);
        for (int e = 0; e < 2; ++e)
            sum[e + g + h] += dot(side[0][e], normal);
    }
    out[0] = sum[0];
    out[1] = sum[1] / 3;
    out[2] = sum[2] / 3;
    out[3] = sum[3];
}

static bool one_sign(const double c[4])
{
    bool first = c[0] < 0;
    return first == (c[1] < 0) && first == (c[2] < 0) && first == (c[3] < 0);
}

static void place_ends(const fil_audit_segment *s, double t, double out[2][3])
{
    for (int e = 0; e < 2; ++e)
        for (int k = 0; k < 3; ++k)
            out[e][k] = (1 - t) * s->end[0][e][k] + t * s->end[1][e][k];
}

// Is one of the segments before the other along an axis all the time? What is between two moments is between the
// differences at them.
static bool apart(const fil_audit_segment *a, const fil_audit_segment *b)
{
    for (int k = 0; k < 3; ++k) {
        bool before = true, behind = true;
        for (int f = 0; f < 2; ++f)
            for (int i = 0; i < 4; ++i) {
                double difference = a->end[f][i & 1][k] - b->end[f][i >> 1][k];
                before = before && difference < 0;
                behind = behind && difference > 0;
            }
        if (before || behind)
            return true;
    }
    return false;
}

static bool apart_between(const hunt *self, double from, double to)
{
    fil_audit_segment a, b;
    place_ends(self->a, from, a.end[0]);
    place_ends(self->a, to, a.end[1]);
    place_ends(self->b, from, b.end[0]);
    place_ends(self->b, to, b.end[1]);
    return apart(&a, &b);
}

// The lines meet at time t: do the segments? A place on the border of two segments belongs to the later one.
static void add_pass(hunt *self, double t, int sign)
{
    double a[2][3], b[2][3], along[2][3], between[3], normal[3], side[3];
    place_ends(self->a, t, a);
    place_ends(self->b, t, b);
    subtract(a[1], a[0], along[0]);
    subtract(b[1], b[0], along[1]);
    subtract(b[0], a[0], between);
    cross(along[0], along[1], normal);
    double size = dot(normal, normal);
    fil_audit_pass pass = {.time = t, .sign = sign};
    cross(between, along[1], side);
    pass.at[0] = dot(side, normal) / size;
    cross(between, along[0], side);
    pass.at[1] = dot(side, normal) / size;
    // Parallel segments give no number, which is not inside.
    if (!(pass.at[0] >= 0 && pass.at[0] < 1 && pass.at[1] >= 0 && pass.at[1] < 1) || self->count == FIL_AUDIT_PASSES)
        return;
    for (int k = 0; k < 3; ++k)
        pass.place[k] = a[0][k] + pass.at[0] * along[0][k];
    self->pass[self->count++] = pass;
}

static void search(hunt *self, const double c[4], double from, double to, int depth)
{
    if (one_sign(c) || apart_between(self, from, to))
        return;
    if (depth == DEEPEST) {
        if ((c[0] < 0) != (c[3] < 0))
            add_pass(self, 0.5 * (from + to), c[0] < 0 ? 1 : -1);
        return;
    }
    double left[4], right[4], row[4] = {c[0], c[1], c[2], c[3]};
    for (int i = 0; i < 4; ++i) {
        left[i] = row[0];
        right[3 - i] = row[3 - i];
        for (int k = 0; k < 3 - i; ++k)
            row[k] = 0.5 * row[k] + 0.5 * row[k + 1];
    }
    double middle = 0.5 * (from + to);
    search(self, left, from, middle, depth + 1);
    search(self, right, middle, to, depth + 1);
}

int fil_audit_crossing_pair(const fil_audit_segment *a, const fil_audit_segment *b,
                            fil_audit_pass out[FIL_AUDIT_PASSES])
{
    double c[4];
    if (apart(a, b))
        return 0;
    find_volume(a, b, c);
    hunt self = {.a = a, .b = b, .pass = out};
    search(&self, c, 0, 1, 0);
    return self.count;
}

// All strands

enum { GRAIN = 256 };

typedef struct finder {
    const fil_audit_strands *strands;
    fil_audit_tree tree;
    fil_audit_box *box;      // [vertices] around the way of a segment; empty: there is none
    int64_t *count;          // [places of the tree] how many passes are found from there
    fil_audit_event *events; // NULL: only count
} finder;

// One place of the tree at work.
typedef struct post {
    const finder *finder;
    fil_audit_event *out;
    int64_t count;
} post;

static void box_segments(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    const fil_audit_strands *strands = self->strands;
    for (int64_t v = begin; v < end; ++v) {
        const float *ends[4] = {strands->before + 3 * v, strands->before + 3 * v + 3, strands->after + 3 * v,
                                strands->after + 3 * v + 3};
        fil_audit_box box;
        bool good = v + 1 < strands->first[strands->strand_of[v] + 1];
        for (int k = 0; k < 3 && good; ++k) {
            float low = INFINITY, high = -INFINITY;
            for (int i = 0; i < 4; ++i) {
                good = good && isfinite(ends[i][k]);
                low = ends[i][k] < low ? ends[i][k] : low;
                high = ends[i][k] > high ? ends[i][k] : high;
            }
            // Rounded outwards, with room for the nudge.
            box.low[k] = nextafterf((float)((double)low - 2 * strands->nudge), -INFINITY);
            box.high[k] = nextafterf((float)((double)high + 2 * strands->nudge), INFINITY);
        }
        self->box[v] = good ? box : fil_audit_box_empty();
    }
}

// A segment seen from `origin`, which keeps differences exact far from zero. `shift`: of its first end; it grows by
// `slope` up to the other.
static void load(const fil_audit_strands *strands, int v, const float *origin, double shift, double slope,
                 fil_audit_segment *out)
{
    static const double direction[3] = {0.51, 0.67, 0.54}; // no scene is built along it
    const float *frames[2] = {strands->before + 3 * (int64_t)v, strands->after + 3 * (int64_t)v};
    for (int f = 0; f < 2; ++f)
        for (int e = 0; e < 2; ++e)
            for (int k = 0; k < 3; ++k)
                out->end[f][e][k] = (double)frames[f][3 * e + k] - (double)origin[k] +
                                    strands->nudge * (shift + slope * e) * direction[k];
}

static void load_pair(const fil_audit_strands *strands, const int vertex[2], fil_audit_segment *a, fil_audit_segment *b)
{
    const float *origin = strands->before + 3 * (int64_t)vertex[0];
    int strand = strands->strand_of[vertex[0]], first = strands->first[strand];
    if (strand != strands->strand_of[vertex[1]]) {
        load(strands, vertex[0], origin, 0, 0, a);
        load(strands, vertex[1], origin, 1, 0, b);
    } else {
        double slope = 1.0 / (strands->first[strand + 1] - first);
        load(strands, vertex[0], origin, (vertex[0] - first) * slope, slope, a);
        load(strands, vertex[1], origin, (vertex[1] - first) * slope, slope, b);
    }
}

static void visit(void *user, int segment, int other)
{
    post *self = user;
    const fil_audit_strands *strands = self->finder->strands;
    int vertex[2] = {segment < other ? segment : other, segment < other ? other : segment};
    int strand[2] = {strands->strand_of[vertex[0]], strands->strand_of[vertex[1]]};
    if (strand[0] == strand[1] && vertex[1] - vertex[0] <= 1)
        return;
    fil_audit_segment a, b;
    fil_audit_pass pass[FIL_AUDIT_PASSES];
    load_pair(strands, vertex, &a, &b);
    int count = fil_audit_crossing_pair(&a, &b, pass);
    const float *origin = strands->before + 3 * (int64_t)vertex[0];
    for (int i = 0; i < count && self->out; ++i) {
        for (int k = 0; k < 3; ++k)
            pass[i].place[k] += (double)origin[k];
        self->out[self->count + i] = (fil_audit_event){{strand[0], strand[1]}, {vertex[0], vertex[1]}, .pass = pass[i]};
    }
    self->count += count;
}

static void count_passes(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    for (int64_t place = begin; place < end; ++place) {
        post at = {.finder = self};
        fil_audit_tree_search(&self->tree, (int)place, visit, &at);
        self->count[place] = at.count;
    }
}

// Again, where there are any; `count` has become where the first one goes.
static void keep_passes(void *data, int64_t begin, int64_t end)
{
    finder *self = data;
    for (int64_t place = begin; place < end; ++place) {
        post at = {.finder = self, .out = self->events + self->count[place]};
        if (self->count[place + 1] > self->count[place])
            fil_audit_tree_search(&self->tree, (int)place, visit, &at);
    }
}

static int compare_events(const void *left, const void *right)
{
    const fil_audit_event *a = left, *b = right;
    const int keys[2][4] = {{a->strand[0], a->strand[1], a->vertex[0], a->vertex[1]},
                            {b->strand[0], b->strand[1], b->vertex[0], b->vertex[1]}};
    for (int i = 0; i < 4; ++i)
        if (keys[0][i] != keys[1][i])
            return keys[0][i] < keys[1][i] ? -1 : 1;
    return (a->pass.time > b->pass.time) - (a->pass.time < b->pass.time);
}

static void find_sums(int64_t *count, int size)
{
    int64_t sum = 0;
    for (int i = 0; i <= size; ++i) {
        int64_t here = count[i];
        count[i] = sum;
        sum += here;
    }
}

fil_status fil_audit_crossing_find(fil_context *context, fil_arena *arena, const fil_audit_strands *strands,
                                   fil_audit_events *out)
{
    int vertices = strands->first[strands->strand_count];
    *out = (fil_audit_events){0};
    if (vertices == 0)
        return FIL_OK;
    finder self = {.strands = strands, .box = FIL_ARENA_RAW(arena, fil_audit_box, vertices)};
    self.count = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)vertices + 1);
    if (!self.box || !self.count)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, vertices, GRAIN, box_segments, &self);
    fil_status status = fil_audit_tree_build(context, arena, self.box, vertices, &self.tree);
    if (status != FIL_OK)
        return status;
    fil_parallel_for(context, vertices, GRAIN, count_passes, &self);
    find_sums(self.count, vertices);
    out->count = self.count[vertices];
    out->event = self.events = FIL_ARENA_RAW(arena, fil_audit_event, out->count);
    if (!self.events)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, vertices, GRAIN, keep_passes, &self);
    if (out->count > 0)
        qsort(out->event, (size_t)out->count, sizeof *out->event, compare_events);
    return FIL_OK;
}

int64_t fil_audit_crossing_net(const fil_audit_events *events, int64_t begin, int *net)
{
    const int *strand = events->event[begin].strand;
    int64_t end = begin;
    for (*net = 0; end < events->count; ++end) {
        const fil_audit_event *event = &events->event[end];
        if (event->strand[0] != strand[0] || event->strand[1] != strand[1])
            break;
        *net += event->pass.sign;
    }
    return end;
}
