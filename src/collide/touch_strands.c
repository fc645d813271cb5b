// Where strands touch strands: capsules around edges, on their straight way from x0 to x1.
//
// Broad: which edges come near each other, in touch_strands_pairs.c.
// Narrow: one place for each pair, from the first of these that holds:
//
//   crossing  the centre lines pass through each other; normal and places of that moment
//   start     the nearest points are within the margin at the start, or come there: gap + normal · motion <= margin
//   end       the edges are that near at the end, and were on that side at the start
//
// Nearest points at the end of an edge do not count where the strand goes straight on and nearer behind it.
//
// Its gap is measured along the normal at the start. Neighbouring edges of a strand meet in a vertex, so both may find
// the same place: of places on the same two strands that are within a third of an edge of each other on both, with
// normals within 25°, the one with the least gap stays: at a bend each edge keeps its own. Crossings are never given up
// for others.
//
// Cost: linear in the number of pairs. All is written in the order of edges: threads do not matter.
#include "collide/touch_strands.h"

#include "base/parallel.h"
#include "collide/crossing.h"
#include "collide/four_edges.h"
#include "collide/segment.h"
#include "math/mat3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR_GRAIN = 1024, STRAND_GRAIN = 64, PAIRS_AHEAD = 32 };

static const double same_place = 1.0 / 3; // of an edge
static const double same_normal = 0.9;    // cosine
static const double parallel = 1e-6;      // square of the sine below which edges count as parallel
static const double lean = 0.1;           // sine of normals against the strand; strands side by side lean less
static const double straight = 0.9995;    // cosine: 2 degrees

// ---- one pair

// Two edges, at the start and at the end.
typedef struct meeting {
    double p0[2][3], p1[2][3], q0[2][3], q1[2][3];
    double radius_p[2], radius_q[2];
} meeting;

static void load_edge(const fil_touch_strands *S, int edge, double x0[2][3], double x1[2][3], double radius[2])
{
    memcpy(x0, S->x0 + 3 * (int64_t)edge, 6 * sizeof(double));
    memcpy(x1, S->x1 + 3 * (int64_t)edge, 6 * sizeof(double));
    memcpy(radius, S->radius + edge, 2 * sizeof(double));
}

static void load(const fil_touch_strands *S, int a, int b, meeting *out)
{
    load_edge(S, a, out->p0, out->p1, out->radius_p);
    load_edge(S, b, out->q0, out->q1, out->radius_q);
}

static double between(const double x[2], double at)
{
    return (1 - at) * x[0] + at * x[1];
}

static double radii_at(const meeting *m, double s, double t)
{
    return between(m->radius_p, s) + between(m->radius_q, t);
}

// From the place t on q to the place s on p.
static void way_between(const double p[2][3], double s, const double q[2][3], double t, double way[3])
{
    for (int k = 0; k < 3; ++k)
        way[k] = (1 - s) * p[0][k] + s * p[1][k] - (1 - t) * q[0][k] - t * q[1][k];
}

// The square of the largest relative motion of two ends: nothing on the edges moves farther.
static double motion_square(const meeting *m)
{
    double most = 0;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = m->p1[i][k] - m->p0[i][k] - m->q1[j][k] + m->q0[j][k];
            double square = fil_vec3_dot(d, d);
            most = square > most ? square : most;
        }
    return most;
}

// The middle of the part of edge p that lies beside edge q, for edges that are parallel: any point there is nearest,
// and this one stays where it is when they are not quite.
static bool beside(const double p[2][3], const double q[2][3], double *s, double *t)
{
    double d[3], e[3], g[3];
    for (int k = 0; k < 3; ++k)
        d[k] = p[1][k] - p[0][k], e[k] = q[1][k] - q[0][k], g[k] = q[0][k] - p[0][k];
    double dd = fil_vec3_dot(d, d), ee = fil_vec3_dot(e, e), de = fil_vec3_dot(d, e);
    if (!(dd * ee - de * de <= parallel * dd * ee) || !(dd > 0) || !(ee > 0))
        return false;
    double first = fil_vec3_dot(g, d) / dd, last = first + de / dd;
    double low = fmax(0, fmin(first, last)), high = fmin(1, fmax(first, last));
    if (!(low < high))
        return false;
    *s = 0.5 * (low + high);
    double along[3];
    for (int k = 0; k < 3; ++k)
        along[k] = *s * d[k] - g[k];
    *t = fmin(1, fmax(0, fil_vec3_dot(along, e) / ee));
    return true;
}

static double nearest(const double p[2][3], const double q[2][3], double *s, double *t, double way[3])
{
    if (!beside(p, q, s, t))
        fil_segment_nearest(p[0], p[1], q[0], q[1], s, t);
    way_between(p, *s, q, *t, way);
    return fil_vec3_norm(way);
}

// A unit vector across both edges, for those whose centre lines meet.
static void across(const double p[2][3], const double q[2][3], double n[3])
{
    double d[3], e[3];
    for (int k = 0; k < 3; ++k)
        d[k] = p[1][k] - p[0][k], e[k] = q[1][k] - q[0][k];
    fil_vec3_cross(d, e, n);
    if (fil_vec3_norm(n) > 1e-12 * fil_vec3_norm(d) * fil_vec3_norm(e)) {
        fil_vec3_normalise(n);
        return;
    }
    int least = fabs(d[0]) < fabs(d[1]) ? 0 : 1;
    least = fabs(d[2]) < fabs(d[least]) ? 2 : least;
    double axis[3] = {least == 0, least == 1, least == 2};
    fil_vec3_cross(d, axis, n);
    if (!(fil_vec3_normalise(n) > 0))
        memcpy(n, (double[]){0, 1, 0}, 3 * sizeof *n);
}

// A place with its normal; the gap is that at the start. Returns the gap at the end.
static double set_place(const meeting *m, double s, double t, const double normal[3], fil_touch_point *out)
{
    double start[3], end[3];
    way_between(m->p0, s, m->q0, t, start);
    way_between(m->p1, s, m->q1, t, end);
    double radii = radii_at(m, s, t);
    out->at_a = s;
    out->at_b = t;
    memcpy(out->normal, normal, sizeof out->normal);
    out->gap = fil_vec3_dot(start, normal) - radii;
    return fil_vec3_dot(end, normal) - radii;
}

static bool crosses(const meeting *m, fil_touch_point *out)
{
    fil_crossing crossing;
    if (!fil_crossing_edges(m->p0, m->p1, m->q0, m->q1, &crossing))
        return false;
    set_place(m, crossing.at[0], crossing.at[1], crossing.normal, out);
    out->crossing = true;
    return true;
}

// Whether the strand goes straight on behind the end at which the nearest point of an edge is, and comes clearly nearer
// there to what lies `way` from it. The place is then one of that edge; a contact here would have its normal along the
// strand and hold up what slides. Where the strand bends, what slides may run into this edge: then it stays.
static bool goes_on_nearer(const fil_touch_strands *S, const double *x, int edge, double at, const double way[3])
{
    int vertex = at <= 0 ? edge : edge + 1, next = at <= 0 ? edge - 1 : edge + 2, other = at <= 0 ? edge + 1 : edge;
    if ((at > 0 && at < 1) || next < 0 || next >= S->vertex_count || S->strand[next] != S->strand[vertex])
        return false;
    double d[3], e[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = x[3 * (int64_t)next + k] - x[3 * (int64_t)vertex + k];
        e[k] = x[3 * (int64_t)vertex + k] - x[3 * (int64_t)other + k];
    }
    double length = fil_vec3_norm(d);
    return fil_vec3_dot(d, e) > straight * length * fil_vec3_norm(e) &&
           fil_vec3_dot(way, d) > lean * length * fil_vec3_norm(way);
}

// The nearest points of the edges at the start (x = x0) or at the end. At the end, what passed through a neighbour of
// an edge is near it on the wrong side, and would be held there.
static bool comes_near(const fil_touch_strands *S, const double *x, const meeting *m, double margin,
                       fil_touch_point *out)
{
    const double(*p)[3] = x == S->x0 ? m->p0 : m->p1, (*q)[3] = x == S->x0 ? m->q0 : m->q1;
    double s, t, way[3], normal[3];
    double distance = nearest(p, q, &s, &t, way), radii = radii_at(m, s, t);
    double back[3] = {-way[0], -way[1], -way[2]};
    if (S->strand[out->a] != S->strand[out->b] &&
        (goes_on_nearer(S, x, out->a, s, back) || goes_on_nearer(S, x, out->b, t, way)))
        return false;
    if (distance > 1e-9 * radii)
        for (int k = 0; k < 3; ++k)
            normal[k] = way[k] / distance;
    else
        across(p, q, normal);
    double end_gap = set_place(m, s, t, normal, out);
    return out->gap > -radii && (end_gap <= margin || out->gap <= margin);
}

// ---- places

typedef struct find_job {
    const fil_touch_strands *S;
    const fil_touch_pairs *pairs;
    double margin;
    bool crossings_only;
    double clearance;       // radii: with crossings only, what ends nearer than that, and nearer than it began
    unsigned char *touches; // [pairs] the answers
    int64_t *start;         // [ranges + 1] how many places a range has, counted one ahead
    fil_touch_point *found; // [start of the last]
} find_job;

// What is known of a pair after the first look.
typedef enum answer { APART, PASSES, COMES_NEAR } answer;

// Edges that end so near each other that hardly anything tells on which side.
static bool ends_close(const meeting *m, double clearance, fil_touch_point *out)
{
    const double nearer = 0.9; // than they began: what moves rigidly comes no nearer
    const double(*p)[3] = m->p1, (*q)[3] = m->q1;
    double s, t, way[3], normal[3];
    double start = fil_segment_nearest(m->p0[0], m->p0[1], m->q0[0], m->q0[1], &s, &t);
    double end = fil_segment_nearest(p[0], p[1], q[0], q[1], &s, &t);
    double radii = radii_at(m, s, t), most = clearance * radii;
    if (!(end < most * most) || !(end < nearer * nearer * start))
        return false;
    way_between(p, s, q, t, way);
    memcpy(normal, way, sizeof normal);
    if (!(fil_vec3_normalise(normal) > 1e-9 * radii))
        across(p, q, normal);
    set_place(m, s, t, normal, out);
    return true;
}

// How two edges touch; `out` is then the place. may_cross: false where it is known that they cannot.
static answer touch_pair(const find_job *job, int64_t pair, bool may_cross, fil_touch_point *out)
{
    meeting loaded;
    const meeting *m = &loaded;
    double s, t;
    if (!may_cross && job->crossings_only)
        return APART;
    *out = (fil_touch_point){.a = job->pairs->a[pair], .b = job->pairs->b[pair]};
    load(job->S, out->a, out->b, &loaded);
    if (may_cross && fil_segment_nearest(m->p0[0], m->p0[1], m->q0[0], m->q0[1], &s, &t) <= motion_square(m) &&
        crosses(m, out))
        return PASSES;
    if (job->crossings_only)
        return may_cross && ends_close(m, job->clearance, out) ? PASSES : APART;
    bool near =
        comes_near(job->S, job->S->x0, m, job->margin, out) || comes_near(job->S, job->S->x1, m, job->margin, out);
    return near ? COMES_NEAR : APART;
}

static double most_radius(const fil_touch_strands *S, int edge)
{
    return fmax(S->radius[edge], S->radius[edge + 1]);
}

// The first test of fil_crossing_edges, four pairs at a time: where all coefficients of the cubic have one sign,
// clearly, the edges never lie in a plane. Nearly all pairs end here. Bit l is set where those of lane l may cross, or
// end close: the volume is at most the distance times both lengths.
static int may_cross(const find_job *job, const int64_t pair[FIL_FOUR])
{
    const double doubt = 1e-10;
    int a[FIL_FOUR], b[FIL_FOUR];
    fil_four_edges p, q;
    for (int lane = 0; lane < FIL_FOUR; ++lane) {
        a[lane] = job->pairs->a[pair[lane]];
        b[lane] = job->pairs->b[pair[lane]];
    }
    fil_four_edges_load(job->S, a, &p);
    fil_four_edges_load(job->S, b, &q);
    // At the start and at the end: along p, along q, between them.
    fil_w3 u[2] = {fil_w3_subtract(p.x[1], p.x[0])}, v[2] = {fil_w3_subtract(q.x[1], q.x[0])};
    fil_w3 w[2] = {fil_w3_subtract(p.x[0], q.x[0])};
    u[1] = fil_w3_add(u[0], fil_w3_subtract(p.way[1], p.way[0]));
    v[1] = fil_w3_add(v[0], fil_w3_subtract(q.way[1], q.way[0]));
    w[1] = fil_w3_add(w[0], fil_w3_subtract(p.way[0], q.way[0]));
    fil_v4 volume[4] = {{0}}; // by how many of the three are at the end; three of them for the two in the middle
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            fil_w3 across = fil_w3_cross(u[i], v[j]);
            for (int k = 0; k < 2; ++k)
                volume[i + j + k] += fil_w3_dot(across, w[k]);
        }
    fil_v4 size = fil_v4_all(doubt * doubt);
    const fil_w3 *ends[3] = {u, v, w};
    for (int k = 0; k < 3; ++k)
        size *= fil_v4_max(fil_w3_dot(ends[k][0], ends[k][0]), fil_w3_dot(ends[k][1], ends[k][1]));
    fil_v4 noise = 3 * fil_v4_sqrt(size);
    fil_v4 close = fil_v4_all(0);
    for (int lane = 0; lane < FIL_FOUR && job->clearance > 0; ++lane)
        close[lane] = job->clearance * (most_radius(job->S, a[lane]) + most_radius(job->S, b[lane]));
    close = fil_v4_sqrt(fil_w3_dot(u[1], u[1]) * fil_w3_dot(v[1], v[1])) * close;
    fil_m4 above = volume[0] > noise, below = volume[0] < -noise;
    above &= volume[3] > close;
    below &= volume[3] < -close;
    for (int k = 1; k < 4; ++k) {
        above &= volume[k] > noise;
        below &= volume[k] < -noise;
    }
    return fil_m4_bits(~(above | below));
}

// Asks memory for the second edge of a pair that comes up; first edges follow one another.
static void ask_for_pair(const find_job *job, int64_t pair)
{
    if (pair >= job->pairs->count)
        return;
    int64_t edge = job->pairs->b[pair];
    __builtin_prefetch(job->S->x0 + 3 * edge);
    __builtin_prefetch(job->S->x1 + 3 * edge);
    __builtin_prefetch(job->S->radius + edge);
}

static void count_places(void *data, int64_t begin, int64_t end)
{
    const find_job *job = data;
    int64_t count = 0;
    for (int64_t first = begin; first < end; first += FIL_FOUR) {
        int64_t four[FIL_FOUR];
        for (int lane = 0; lane < FIL_FOUR; ++lane) {
            four[lane] = first + lane < end ? first + lane : first;
            ask_for_pair(job, first + lane + PAIRS_AHEAD);
        }
        int crossing = may_cross(job, four);
        for (int lane = 0; lane < FIL_FOUR && first + lane < end; ++lane) {
            fil_touch_point point;
            answer answer = touch_pair(job, first + lane, crossing >> lane & 1, &point);
            job->touches[first + lane] = (unsigned char)answer;
            count += answer != APART;
        }
    }
    job->start[begin / PAIR_GRAIN + 1] = count;
}

static void write_places(void *data, int64_t begin, int64_t end)
{
    const find_job *job = data;
    fil_touch_point *out = job->found + job->start[begin / PAIR_GRAIN];
    for (int64_t pair = begin; pair < end; ++pair)
        if (job->touches[pair] != APART)
            touch_pair(job, pair, job->touches[pair] == PASSES, out++);
}

// Pairs that touch are computed twice, counting first: most pairs do not, and a place is a hundred times as large as
// the answer.
static fil_status find(fil_context *context, fil_arena *arena, find_job *job, fil_touch_list *out)
{
    int64_t pairs = job->pairs->count, ranges = (pairs + PAIR_GRAIN - 1) / PAIR_GRAIN;
    job->touches = FIL_ARENA_RAW(arena, unsigned char, pairs);
    job->start = FIL_ARENA_ARRAY(arena, int64_t, ranges + 1);
    if (!job->touches || !job->start)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, pairs, PAIR_GRAIN, count_places, job);
    for (int64_t i = 0; i < ranges; ++i)
        job->start[i + 1] += job->start[i];
    job->found = FIL_ARENA_RAW(arena, fil_touch_point, job->start[ranges]);
    if (!job->found)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, pairs, PAIR_GRAIN, write_places, job);
    *out = (fil_touch_list){.point = job->found, .count = (int)job->start[ranges]};
    return FIL_OK;
}

fil_status fil_touch_strands_crossings(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                       const fil_touch_pairs *pairs, double clearance, fil_touch_list *out)
{
    find_job job = {.S = strands, .pairs = pairs, .crossings_only = true, .clearance = clearance};
    return find(context, arena, &job, out);
}

// ---- places that several pairs share

typedef struct place {
    int strand, index; // the second strand; in the list
    double arc;        // on the first one
} place;

// The places of the first strands, one after the other.
typedef struct double_job {
    const find_job *find;
    place *places;  // [places]
    int64_t *start; // [strands + 1]
    double reach;   // m: what is farther apart on a strand is never one
    bool *dropped;  // [places] others stand for it
} double_job;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->strand != y->strand)
        return x->strand < y->strand ? -1 : 1;
    if (x->arc != y->arc)
        return x->arc < y->arc ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static double arc_at(const fil_touch_strands *S, int edge, double at)
{
    return (1 - at) * S->arc[edge] + at * S->arc[edge + 1];
}

static double edge_length(const fil_touch_strands *S, int edge)
{
    return S->arc[edge + 1] - S->arc[edge];
}

// Whether two contacts of the same strands are one.
static bool same(const fil_touch_strands *S, const fil_touch_point *x, const fil_touch_point *y)
{
    double off_a = fabs(arc_at(S, x->a, x->at_a) - arc_at(S, y->a, y->at_a));
    double off_b = fabs(arc_at(S, x->b, x->at_b) - arc_at(S, y->b, y->at_b));
    return off_a <= same_place * fmin(edge_length(S, x->a), edge_length(S, y->a)) &&
           off_b <= same_place * fmin(edge_length(S, x->b), edge_length(S, y->b)) &&
           fil_vec3_dot(x->normal, y->normal) > same_normal;
}

// Marks those of `places` (of the same two strands, by arc length) that others stand for.
static void prune(const double_job *job, const place *places, int64_t count)
{
    const fil_touch_point *point = job->find->found;
    bool *dropped = job->dropped;
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = i + 1; j < count && places[j].arc - places[i].arc <= job->reach; ++j) {
            int x = places[i].index, y = places[j].index;
            if (dropped[x] || dropped[y] || (point[x].crossing && point[y].crossing) ||
                !same(job->find->S, &point[x], &point[y]))
                continue;
            bool keep_x = point[x].crossing || (!point[y].crossing && point[x].gap <= point[y].gap);
            dropped[keep_x ? y : x] = true;
        }
}

static void prune_strands(void *data, int64_t begin, int64_t end)
{
    const double_job *job = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        place *places = job->places + job->start[strand];
        int64_t count = job->start[strand + 1] - job->start[strand];
        qsort(places, (size_t)count, sizeof *places, compare_places);
        for (int64_t first = 0, last; first < count; first = last) {
            for (last = first + 1; last < count && places[last].strand == places[first].strand;)
                ++last;
            prune(job, places + first, last - first);
        }
    }
}

// A counting sort by the first strands.
static void list_places(const fil_touch_list *list, double_job *job)
{
    const fil_touch_strands *S = job->find->S;
    int64_t *next = job->start + 1; // where the next one of a strand goes, counted one ahead
    double longest = 0;
    for (int i = 0; i < list->count; ++i)
        ++next[S->strand[list->point[i].a] + 1];
    for (int64_t strand = 1; strand <= S->strand_count; ++strand)
        next[strand] += next[strand - 1];
    for (int i = 0; i < list->count; ++i) {
        const fil_touch_point *point = &list->point[i];
        job->places[next[S->strand[point->a]]++] =
            (place){.strand = S->strand[point->b], .index = i, .arc = arc_at(S, point->a, point->at_a)};
        longest = fmax(longest, edge_length(S, point->a));
    }
    job->reach = same_place * longest;
}

static fil_status drop_doubles(fil_context *context, fil_arena *arena, const find_job *find, fil_touch_list *list)
{
    double_job job = {.find = find,
                      .places = FIL_ARENA_RAW(arena, place, list->count),
                      .start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)find->S->strand_count + 2),
                      .dropped = FIL_ARENA_ARRAY(arena, bool, list->count)};
    if (!job.places || !job.start || !job.dropped)
        return FIL_NO_MEMORY;
    list_places(list, &job);
    fil_parallel_for(context, find->S->strand_count, STRAND_GRAIN, prune_strands, &job);
    int kept = 0;
    for (int i = 0; i < list->count; ++i)
        if (!job.dropped[i])
            list->point[kept++] = list->point[i];
    list->count = kept;
    return FIL_OK;
}

fil_status fil_touch_strands_find(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                                  const fil_touch_pairs *pairs, double margin, fil_touch_list *out)
{
    find_job job = {.S = strands, .pairs = pairs, .margin = margin};
    fil_status status = find(context, arena, &job, out);
    return status == FIL_OK ? drop_doubles(context, arena, &job, out) : status;
}
