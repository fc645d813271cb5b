// Hairs that follow guides: a few strands are simulated, and all others go where those around them go.
//
// A hair remembers its three nearest guides, and each of its vertices where it was seen from the point of each guide as
// far along: in a frame that goes along the guide without twist. Later it is where these say that it is, in the mean,
// weighted by 1/distance of the roots; when nothing has moved, exactly where it was. How a guide has turned about its
// own root edge, positions of a single strand cannot tell; the roots of its neighbours can. Each guide forms a triangle
// with two of them, and its first axis turns with the triangle.
//
// Linear cost. Limits: guides must be dense enough for the skin between three roots to be about flat.
#include "strand/strand.h"

#include "base/parallel.h"
#include "collide/bvh.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { NEAREST = 3, NEIGHBOURS = 8, GRAIN = 64 };

// What one guide says of one vertex of a hair.
typedef struct place {
    int vertex; // of all guides: where its edge begins
    float at;   // on the edge, 0 to 1
    float x[3]; // in the frame there
} place;

typedef struct hair {
    int guides;
    float weight[NEAREST];
} hair;

struct fil_follow {
    fil_arena *arena;
    int guide_count, hair_count;
    int64_t *first_guide, *first_hair; // [guides + 1], [hairs + 1] vertices
    int (*triangle)[2];                // [guides] two others; -1: there are none that make one
    double *axis_at_rest;              // [3 guides] of the first edges
    double *corner_at_rest;            // [9 guides] the frames of the triangles
    double *tangent, *axis;            // [3 guide vertices] of vertices, as the guides are now
    hair *hairs;
    place *places; // [hair vertices × NEAREST]
};

// ---- the nearest roots

typedef struct nearest {
    const double *x; // [3 roots]
    double from[3], square;
    int own, count, most;
    int index[NEIGHBOURS];
    double squares[NEIGHBOURS];
} nearest;

// Keeps the list in ascending order; equal distances by number.
static void see(void *data, int item)
{
    nearest *self = data;
    const double *x = self->x + 3 * (ptrdiff_t)item;
    double d[3] = {x[0] - self->from[0], x[1] - self->from[1], x[2] - self->from[2]}, square = fil_vec3_dot(d, d);
    if (item == self->own)
        return;
    int at = self->count < self->most ? self->count : self->most;
    while (at > 0 &&
           (self->squares[at - 1] > square || (self->squares[at - 1] == square && self->index[at - 1] > item)))
        --at;
    if (at == self->most)
        return;
    int last = self->count < self->most ? self->count++ : self->most - 1;
    for (int k = last; k > at; --k) {
        self->squares[k] = self->squares[k - 1];
        self->index[k] = self->index[k - 1];
    }
    self->squares[at] = square;
    self->index[at] = item;
    if (self->count == self->most)
        self->square = nextafter(self->squares[self->most - 1], INFINITY);
}

static nearest find_nearest(const fil_bvh *tree, const double *roots, const double from[3], int own, int most)
{
    nearest self = {.x = roots, .square = INFINITY, .own = own, .most = most};
    memcpy(self.from, from, sizeof self.from);
    fil_bvh_nearest(tree, from, &self.square, see, &self);
    return self;
}

// ---- frames

// The frame of the triangle of a guide, by rows: along its first side, square to it in its plane, out of it. False: it
// has no area.
static bool triangle_frame(const double *a, const double *b, const double *c, double frame[9])
{
    double side[3], other[3], *out = frame + 6;
    for (int k = 0; k < 3; ++k) {
        side[k] = b[k] - a[k];
        other[k] = c[k] - a[k];
    }
    fil_vec3_cross(side, other, out);
    double area = fil_vec3_norm(out), size = fil_vec3_dot(side, side) + fil_vec3_dot(other, other);
    if (!(area > 1e-3 * size))
        return false;
    memcpy(frame, side, sizeof side);
    fil_vec3_normalise(frame);
    fil_vec3_normalise(out);
    fil_vec3_cross(out, frame, frame + 3);
    return true;
}

static bool frame_of(const fil_follow *self, int guide, const double *x, double frame[9])
{
    const int *other = self->triangle[guide];
    return other[0] >= 0 && triangle_frame(x + 3 * self->first_guide[guide], x + 3 * self->first_guide[other[0]],
                                           x + 3 * self->first_guide[other[1]], frame);
}

// The first axis of a guide, turned with its triangle. Without one it is carried by the edge alone.
static void turn_axis(const fil_follow *self, int guide, const double *x, double axis[3])
{
    const double *rest = self->axis_at_rest + 3 * (ptrdiff_t)guide, *from = self->corner_at_rest + 9 * (ptrdiff_t)guide;
    double to[9];
    memcpy(axis, rest, 3 * sizeof *axis);
    if (!frame_of(self, guide, x, to))
        return;
    for (int k = 0; k < 3; ++k)
        axis[k] = 0;
    for (int row = 0; row < 3; ++row) {
        double part = fil_vec3_dot(from + (ptrdiff_t)3 * row, rest);
        for (int k = 0; k < 3; ++k)
            axis[k] += part * to[3 * row + k];
    }
}

// Tangents and axes of vertices: the mean of the edges beside them.
static void set_frames(const fil_follow *self, int guide, const double *x)
{
    int64_t first = self->first_guide[guide];
    int n = (int)(self->first_guide[guide + 1] - first);
    double *axis = self->axis + 3 * first, *tangent = self->tangent + 3 * first;
    turn_axis(self, guide, x, axis);
    fil_strand_spread_axes(n, x + 3 * first, NULL, axis);
    for (int i = 0; i + 1 < n; ++i) {
        for (int k = 0; k < 3; ++k)
            tangent[3 * i + k] = x[3 * (first + i + 1) + k] - x[3 * (first + i) + k];
        fil_vec3_normalise(tangent + (ptrdiff_t)3 * i);
    }
    for (int i = n - 1; i >= 0; --i)
        for (int k = 0; k < 3; ++k) {
            int before = i > 0 ? i - 1 : 0, behind = i + 1 < n ? i : n - 2;
            axis[3 * i + k] = axis[3 * before + k] + axis[3 * behind + k];
            tangent[3 * i + k] = tangent[3 * before + k] + tangent[3 * behind + k];
        }
}

// The point and the frame that a place is seen from.
static void stand_at(const fil_follow *self, const double *x, const place *at, double point[3], double frame[9])
{
    const ptrdiff_t v = 3 * (ptrdiff_t)at->vertex;
    double t = (double)at->at, *along = frame, *across = frame + 3;
    for (int k = 0; k < 3; ++k) {
        point[k] = (1 - t) * x[v + k] + t * x[v + 3 + k];
        along[k] = (1 - t) * self->tangent[v + k] + t * self->tangent[v + 3 + k];
        across[k] = (1 - t) * self->axis[v + k] + t * self->axis[v + 3 + k];
    }
    fil_vec3_normalise(along);
    double off = fil_vec3_dot(along, across);
    for (int k = 0; k < 3; ++k)
        across[k] -= off * along[k];
    fil_vec3_normalise(across);
    fil_vec3_cross(along, across, frame + 6);
}

// ---- making

static int64_t *count_up(fil_arena *arena, const fil_curves *curves)
{
    int64_t *first = FIL_ARENA_ARRAY(arena, int64_t, (size_t)curves->strand_count + 1);
    for (int i = 0; first && i < curves->strand_count; ++i)
        first[i + 1] = first[i] + curves->vertex_count[i];
    return first;
}

// Two neighbours with which a guide makes the largest triangle for the length of its sides.
static void choose_triangle(fil_follow *self, const fil_bvh *tree, const double *roots, int guide)
{
    nearest near = find_nearest(tree, roots, roots + 3 * (ptrdiff_t)guide, guide, NEIGHBOURS);
    double best = 0;
    self->triangle[guide][0] = self->triangle[guide][1] = -1;
    for (int i = 0; i < near.count; ++i)
        for (int j = i + 1; j < near.count; ++j) {
            const double *a = roots + 3 * (ptrdiff_t)guide, *b = roots + 3 * (ptrdiff_t)near.index[i];
            const double *c = roots + 3 * (ptrdiff_t)near.index[j];
            double side[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                   other[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            double out[3], size = fil_vec3_dot(side, side) + fil_vec3_dot(other, other);
            fil_vec3_cross(side, other, out);
            double area = size > 0 ? fil_vec3_norm(out) / size : 0;
            if (area > 1.2 * best) { // a nearer one that is about as good stays
                best = area;
                self->triangle[guide][0] = near.index[i];
                self->triangle[guide][1] = near.index[j];
            }
        }
}

static void weigh(const nearest *near, hair *out)
{
    double sum = 0, weight[NEAREST];
    out->guides = near->count;
    for (int i = 0; i < near->count; ++i)
        sum += weight[i] = 1 / (sqrt(near->squares[i]) + 1e-9);
    for (int i = 0; i < near->count; ++i)
        out->weight[i] = (float)(weight[i] / sum);
}

// The place as far along a guide as `part` of its length.
static place place_along(const fil_follow *self, int guide, const double *x, double part)
{
    int64_t first = self->first_guide[guide], last = self->first_guide[guide + 1] - 2;
    double whole = 0, arc = 0;
    for (int64_t v = first; v <= last; ++v)
        whole += hypot(hypot(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1]), x[3 * v + 5] - x[3 * v + 2]);
    for (int64_t v = first; v <= last; ++v) {
        double edge = hypot(hypot(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1]), x[3 * v + 5] - x[3 * v + 2]);
        if (arc + edge >= part * whole || v == last)
            return (place){.vertex = (int)v, .at = (float)fmin(1, fmax(0, edge > 0 ? (part * whole - arc) / edge : 0))};
        arc += edge;
    }
    return (place){.vertex = (int)first};
}

static void remember_hair(fil_follow *self, int index, const nearest *near, const double *guide, const double *x)
{
    int64_t first = self->first_hair[index], end = self->first_hair[index + 1];
    double whole = 0, arc = 0;
    for (int64_t v = first; v + 1 < end; ++v)
        whole += hypot(hypot(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1]), x[3 * v + 5] - x[3 * v + 2]);
    for (int64_t v = first; v < end; ++v) {
        for (int g = 0; g < near->count; ++g) {
            place *at = &self->places[NEAREST * v + g];
            double point[3], frame[9];
            *at = place_along(self, near->index[g], guide, whole > 0 ? arc / whole : 0);
            stand_at(self, guide, at, point, frame);
            const double off[3] = {x[3 * v] - point[0], x[3 * v + 1] - point[1], x[3 * v + 2] - point[2]};
            for (int k = 0; k < 3; ++k)
                at->x[k] = (float)fil_vec3_dot(frame + (ptrdiff_t)3 * k, off);
        }
        if (v + 1 < end)
            arc += hypot(hypot(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1]), x[3 * v + 5] - x[3 * v + 2]);
    }
}

static fil_status make_room(fil_follow *self, const fil_curves *guides, const fil_curves *hairs)
{
    fil_arena *arena = self->arena;
    self->guide_count = guides->strand_count;
    self->hair_count = hairs->strand_count;
    self->first_guide = count_up(arena, guides);
    self->first_hair = count_up(arena, hairs);
    self->triangle = fil_arena_allocate(arena, (size_t)guides->strand_count, sizeof *self->triangle);
    self->axis_at_rest = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)guides->strand_count);
    self->corner_at_rest = FIL_ARENA_ARRAY(arena, double, 9 * (size_t)guides->strand_count);
    self->tangent = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)guides->vertex_total);
    self->axis = FIL_ARENA_ARRAY(arena, double, 3 * (size_t)guides->vertex_total);
    self->hairs = FIL_ARENA_ARRAY(arena, hair, hairs->strand_count);
    self->places = FIL_ARENA_ARRAY(arena, place, NEAREST * (size_t)hairs->vertex_total);
    bool made = self->first_guide && self->first_hair && self->triangle && self->axis_at_rest && self->corner_at_rest;
    return made && self->tangent && self->axis && self->hairs && self->places ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status remember(fil_follow *self, const fil_curves *guides, const fil_curves *hairs)
{
    double *roots = FIL_ARENA_ARRAY(self->arena, double, 3 * (size_t)self->guide_count);
    fil_bvh_box *boxes = FIL_ARENA_ARRAY(self->arena, fil_bvh_box, self->guide_count);
    fil_bvh tree;
    if (!roots || !boxes)
        return FIL_NO_MEMORY;
    for (int g = 0; g < self->guide_count; ++g) {
        memcpy(roots + 3 * (ptrdiff_t)g, guides->position + 3 * self->first_guide[g], 3 * sizeof *roots);
        boxes[g] = fil_bvh_box_empty();
        fil_bvh_box_add(&boxes[g], roots + 3 * (ptrdiff_t)g);
    }
    if (!fil_bvh_create(self->arena, boxes, self->guide_count, &tree))
        return FIL_NO_MEMORY;
    for (int g = 0; g < self->guide_count; ++g) {
        choose_triangle(self, &tree, roots, g);
        frame_of(self, g, guides->position, self->corner_at_rest + 9 * (ptrdiff_t)g);
        // Any axis; fil_strand_spread_axes makes it square to the first edge.
        double *axis = self->axis_at_rest + 3 * (ptrdiff_t)g;
        set_frames(self, g, guides->position);
        memcpy(axis, self->axis + 3 * self->first_guide[g], 3 * sizeof *axis);
        fil_vec3_normalise(axis);
    }
    for (int h = 0; h < self->hair_count; ++h) {
        nearest near = find_nearest(&tree, roots, hairs->position + 3 * self->first_hair[h], -1, NEAREST);
        weigh(&near, &self->hairs[h]);
        remember_hair(self, h, &near, guides->position, hairs->position);
    }
    return FIL_OK;
}

fil_status fil_follow_create(fil_context *context, const fil_curves *guides, const fil_curves *hairs, fil_follow **out)
{
    *out = NULL;
    if (guides->strand_count < 1 || guides->vertex_total > INT32_MAX / NEAREST)
        return fil_context_fail(context, FIL_BAD_INPUT, "follow: there must be guides (got %d strands)",
                                guides->strand_count);
    fil_arena *arena = fil_arena_create(context);
    fil_follow *self = arena ? FIL_ARENA_ARRAY(arena, fil_follow, 1) : NULL;
    fil_status status = FIL_NO_MEMORY;
    if (self) {
        self->arena = arena;
        status = make_room(self, guides, hairs);
    }
    if (status == FIL_OK)
        status = remember(self, guides, hairs);
    if (status == FIL_OK)
        *out = self;
    else
        fil_arena_destroy(arena);
    return status;
}

void fil_follow_destroy(fil_follow *follow)
{
    if (follow)
        fil_arena_destroy(follow->arena);
}

// ---- following

typedef struct following {
    const fil_follow *self;
    const double *guide;
    double *hair;
} following;

static void frame_guides(void *data, int64_t begin, int64_t end)
{
    const following *job = data;
    for (int64_t g = begin; g < end; ++g)
        set_frames(job->self, (int)g, job->guide);
}

static void move_hairs(void *data, int64_t begin, int64_t end)
{
    const following *job = data;
    const fil_follow *self = job->self;
    for (int64_t h = begin; h < end; ++h)
        for (int64_t v = self->first_hair[h]; v < self->first_hair[h + 1]; ++v) {
            double sum[3] = {0};
            for (int g = 0; g < self->hairs[h].guides; ++g) {
                const place *at = &self->places[NEAREST * v + g];
                double point[3], frame[9], weight = (double)self->hairs[h].weight[g];
                stand_at(self, job->guide, at, point, frame);
                for (int k = 0; k < 3; ++k)
                    sum[k] += weight * (point[k] + (double)at->x[0] * frame[k] + (double)at->x[1] * frame[3 + k] +
                                        (double)at->x[2] * frame[6 + k]);
            }
            memcpy(job->hair + 3 * v, sum, sizeof sum);
        }
}

// NOLINTNEXTLINE(readability-non-const-parameter): hairs are written
void fil_follow_apply(const fil_context *context, fil_follow *follow, const double *guide, double *hair)
{
    following job = {follow, guide, hair};
    fil_parallel_for(context, follow->guide_count, GRAIN, frame_guides, &job);
    fil_parallel_for(context, follow->hair_count, GRAIN, move_hairs, &job);
}
