// Grooms come with strands inside the bodies they belong to (roots below the skin, hair that lies a little deep) and
// with strands that overlap. What is moved before the start need not be pushed out later, against what holds it: roots
// are moved like all else, and no force acts, since strands are then at rest where they were moved to.
//
// All that is near a surface is lifted along its normal: from the gap g to
//
//   g' = w log(1 + exp(g / w))
//
// which is positive everywhere, rises with g, and leaves alone what is far outside. So what lay deeper still does, and
// hair that was in layers is not pressed into one. w is the depth that is usual there, or a quarter of an edge if that
// is less. Edges that are in a body all the same and stay there when they are pushed out along normals pierce a thin
// part of it, an ear, with an end on either side: both ends go along the lines of a field that lead away from the body,
// and so over the rim, with half of it for the vertices beside them. Then, in passes, strands that overlap go apart,
// pair after pair, and both ends of each edge that is still in a body go as far as that has to.
#include "collide/segment.h"
#include "collide/touch_strands.h"
#include "math/mat3.h"
#include "step/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 20 };

static const double slight = 0.01; // radii: what touches is where it is meant to be
static const double farther = 0.1; // radii: what lies exactly on a surface would be inside by the next rounding
static const double reach = 5;     // w: beyond it the lift is below a hundredth of w

typedef struct clearing {
    fil_context *context;
    const fil_model *model;
    fil_arena *arena;
    int group;
    fil_touch_strands strands;
    bool *only;               // [strands] those of the group
    ptrdiff_t begin, end;     // its vertices
    double *x;                // [3 vertices]
    fil_solid_motion *bodies; // [obstacles]
    double *shift;            // [4 vertices] the longest way out, and its length
    int *stuck;               // [vertices] how often the edge behind it was in a body

    // The strands of the group with each edge in pieces: only vertices know how deep they are in a body.
    fil_touch_strands fine;
    double *fine_x;   // [3 vertices]
    int *coarse_edge; // [vertices] the edge of `strands` that a piece is of
} clearing;

enum { PIECES = 4 };

// Puts the fine strands where the coarse ones are.
static void refine(clearing *self)
{
    for (ptrdiff_t i = 0; i < self->fine.vertex_count; ++i) {
        const double *x = self->x + 3 * (ptrdiff_t)self->coarse_edge[i];
        double at = self->fine.arc[i];
        for (int k = 0; k < 3; ++k)
            self->fine_x[3 * i + k] = at < 1 ? (1 - at) * x[k] + at * x[k + 3] : x[k + 3];
    }
}

static fil_status make_fine(clearing *self, int first_strand, int strand_count)
{
    const fil_touch_strands *from = &self->strands;
    int64_t most = PIECES * (int64_t)(self->end - self->begin);
    int *first = FIL_ARENA_ARRAY(self->arena, int, strand_count + 1), *strand = FIL_ARENA_ARRAY(self->arena, int, most);
    double *radius = FIL_ARENA_ARRAY(self->arena, double, most), *at = FIL_ARENA_ARRAY(self->arena, double, most);
    unsigned char *held = FIL_ARENA_ARRAY(self->arena, unsigned char, most);
    self->fine_x = FIL_ARENA_ARRAY(self->arena, double, 3 * most);
    self->coarse_edge = FIL_ARENA_ARRAY(self->arena, int, most);
    if (!first || !strand || !radius || !at || !held || !self->fine_x || !self->coarse_edge)
        return FIL_NO_MEMORY;
    int count = 0;
    for (int s = 0; s < strand_count; ++s) {
        int begin = from->first[first_strand + s], edges = from->first[first_strand + s + 1] - begin - 1;
        first[s] = count;
        for (int i = 0; i <= PIECES * edges; ++i, ++count) {
            int edge = i < PIECES * edges ? i / PIECES : edges - 1;
            strand[count] = s;
            self->coarse_edge[count] = begin + edge;
            at[count] = (double)(i - PIECES * edge) / PIECES;
            radius[count] = (1 - at[count]) * from->radius[begin + edge] + at[count] * from->radius[begin + edge + 1];
        }
    }
    first[strand_count] = count;
    self->fine = (fil_touch_strands){.strand_count = strand_count,
                                     .vertex_count = count,
                                     .first = first,
                                     .strand = strand,
                                     .held = held,
                                     .radius = radius,
                                     .arc = at,
                                     .x0 = self->fine_x,
                                     .x1 = self->fine_x};
    return FIL_OK;
}

static fil_status make(fil_context *context, const fil_scene *scene, const fil_model *model, fil_arena *arena,
                       int group, clearing *out)
{
    const fil_model_contacts *contacts = &model->contacts;
    int first = contacts->first_strand[group], last = contacts->first_strand[group + 1];
    int vertices = contacts->strands.vertex_count;
    unsigned char *held = FIL_ARENA_ARRAY(arena, unsigned char, vertices);
    *out = (clearing){.context = context, .model = model, .arena = arena, .group = group, .strands = contacts->strands};
    out->x = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)vertices);
    out->only = FIL_ARENA_ARRAY(arena, bool, contacts->strands.strand_count);
    out->bodies = FIL_ARENA_ARRAY(arena, fil_solid_motion, contacts->obstacle_count);
    out->shift = FIL_ARENA_ARRAY(arena, double, 4 * (int64_t)vertices);
    out->stuck = FIL_ARENA_ARRAY(arena, int, vertices);
    if (!out->x || !held || !out->only || !out->bodies || !out->shift || !out->stuck)
        return FIL_NO_MEMORY;
    for (int s = first; s < last; ++s)
        out->only[s] = true;
    for (int i = 0; i < contacts->obstacle_count; ++i) {
        fil_pose pose = fil_model_obstacle_pose(&contacts->obstacles[i], 0);
        out->bodies[i] = (fil_solid_motion){.solid = contacts->obstacles[i].solid, .from = pose, .to = pose};
    }
    out->begin = contacts->strands.first[first];
    out->end = contacts->strands.first[last];
    for (int g = 0; g < model->group_count; ++g)
        memcpy(out->x + 3 * (ptrdiff_t)contacts->strands.first[contacts->first_strand[g]],
               scene->groups[g].groom.position, 3 * (size_t)fil_model_vertex_count(model, g) * sizeof(double));
    out->strands.held = held;
    out->strands.x0 = out->strands.x1 = out->x;
    return make_fine(out, first, last - first);
}

static bool is_own(const clearing *self, int vertex)
{
    return vertex >= self->begin && vertex < self->end;
}

static bool feels(const clearing *self, const fil_touch_point *point)
{
    const fil_touch_rule *rule = fil_model_rule(self->model, self->group, self->model->group_count - 1 - point->b);
    return !rule || !rule->apart;
}

// From a place on the fine strands to the same on the coarse ones.
static fil_touch_point coarse(const clearing *self, const fil_touch_point *fine)
{
    fil_touch_point point = *fine;
    point.a = self->coarse_edge[fine->a];
    point.at_a = self->fine.arc[fine->a] + fine->at_a / PIECES;
    return point;
}

// All places within the margin of the bodies that they feel.
static fil_status find(clearing *self, double margin, fil_touch_list *out)
{
    refine(self);
    fil_status status = fil_solid_touch(self->context, self->arena, &self->fine, self->bodies,
                                        self->model->contacts.obstacle_count, margin, NULL, out, NULL);
    int kept = 0;
    for (int i = 0; status == FIL_OK && i < out->count; ++i)
        if (feels(self, &out->point[i]))
            out->point[kept++] = coarse(self, &out->point[i]);
    out->count = status == FIL_OK ? kept : 0;
    return status;
}

// A vertex goes the longest of the ways that are wanted of it.
static void want(clearing *self, int vertex, const double normal[3], double way)
{
    double *shift = self->shift + 4 * (ptrdiff_t)vertex;
    if (way <= shift[3])
        return;
    for (int k = 0; k < 3; ++k)
        shift[k] = way * normal[k];
    shift[3] = way;
}

static void go(clearing *self, bool *moved)
{
    for (ptrdiff_t i = self->begin; i < self->end; ++i) {
        const double *shift = self->shift + 4 * i;
        for (int k = 0; k < 3; ++k)
            self->x[3 * i + k] += shift[k];
        moved[i - self->begin] |= shift[3] > 0;
    }
    memset(self->shift, 0, 4 * (size_t)self->strands.vertex_count * sizeof *self->shift);
}

// ---- lifting

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool at_vertex(const fil_touch_point *point)
{
    return point->at_a <= 0 || point->at_a >= 1;
}

static bool is_inside(const clearing *self, const fil_touch_point *point)
{
    return point->gap < -slight * self->strands.radius[point->a];
}

// w; 0: no vertex is inside.
static fil_status find_depth(clearing *self, double *out)
{
    fil_touch_list list;
    fil_status status = find(self, 0, &list);
    double *depth = status == FIL_OK ? FIL_ARENA_RAW(self->arena, double, list.count) : NULL;
    int count = 0;
    if (!depth)
        return status == FIL_OK ? FIL_NO_MEMORY : status;
    for (int i = 0; i < list.count; ++i)
        if (at_vertex(&list.point[i]) && is_inside(self, &list.point[i]))
            depth[count++] = -list.point[i].gap;
    qsort(depth, (size_t)count, sizeof *depth, compare_numbers);
    double length = 0;
    for (ptrdiff_t i = self->begin; i + 1 < self->end; ++i)
        length += fmax(0, self->strands.arc[i + 1] - self->strands.arc[i]);
    *out = count > 0 ? fmin(depth[count / 2], 0.25 * length / (double)(self->end - self->begin)) : 0;
    return FIL_OK;
}

static fil_status lift(clearing *self, bool *moved)
{
    fil_touch_list list;
    double w;
    fil_status status = find_depth(self, &w);
    if (status != FIL_OK || !(w > 0))
        return status;
    status = find(self, reach * w, &list);
    for (int i = 0; status == FIL_OK && i < list.count; ++i) {
        const fil_touch_point *point = &list.point[i];
        double g = point->gap / w;
        if (at_vertex(point)) // log(1 + exp(g)) - g
            want(self, point->a + (point->at_a >= 1), point->normal, w * (log1p(exp(-fabs(g))) + fmax(0, -g)));
    }
    go(self, moved);
    return status;
}

// Both ends of an edge go as far as a place on it has to.
static void push_out(clearing *self, const fil_touch_point *point)
{
    double way = farther * self->strands.radius[point->a] - point->gap;
    if (point->at_a < 1)
        want(self, point->a, point->normal, way);
    if (point->at_a > 0)
        want(self, point->a + 1, point->normal, way);
}

// ---- freeing

// Moves the ends of an edge away from a body, and a part of what is beside them.
static void lead_away(clearing *self, const fil_touch_point *point)
{
    const double part_of_edge = 0.15;
    const int *strand = self->strands.strand;
    const double *x = self->x + 3 * (ptrdiff_t)point->a;
    double at = point->at_a, place[3], way[3];
    for (int k = 0; k < 3; ++k)
        place[k] = (1 - at) * x[k] + at * x[k + 3];
    fil_solid_away(&self->bodies[-1 - point->b], place, way);
    double length = part_of_edge * (self->strands.arc[point->a + 1] - self->strands.arc[point->a]);
    for (int i = -1; i <= 2; ++i)
        if (is_own(self, point->a + i) && strand[point->a + i] == strand[point->a])
            want(self, point->a + i, way, i == -1 || i == 2 ? 0.5 * length : length);
}

// What is in bodies: first along normals, then away.
static fil_status free_pierced(clearing *self, bool *moved)
{
    enum { TURNS = 40, BY_NORMALS = 4 };
    int places = 1;
    fil_status status = FIL_OK;
    for (int turn = 0; turn < TURNS && places > 0 && status == FIL_OK; ++turn) {
        fil_arena_mark mark = fil_arena_mark_now(self->arena);
        fil_touch_list list;
        status = find(self, 0, &list);
        places = 0;
        for (int i = 0, last = -1; i < list.count; ++i) {
            const fil_touch_point *point = &list.point[i];
            if (!is_inside(self, point))
                continue;
            self->stuck[point->a] += point->a != last;
            last = point->a;
            if (self->stuck[point->a] > BY_NORMALS)
                lead_away(self, point);
            else
                push_out(self, point);
            ++places;
        }
        go(self, moved);
        fil_arena_rewind(self->arena, mark);
    }
    return status;
}

// ---- passes

// Moves two edges apart if they overlap, and says whether they did: they turn and shift by as little as brings the
// place apart, in proportion to the weights of their ends in it. Only vertices of the group move.
static bool part_pair(clearing *self, int a, int b, bool *moved)
{
    double *p = self->x + 3 * (ptrdiff_t)a, *q = self->x + 3 * (ptrdiff_t)b, s, t, way[3], square = 0;
    double apart = self->strands.radius[a] + self->strands.radius[b];
    double distance = sqrt(fil_segment_nearest(p, p + 3, q, q + 3, &s, &t));
    if (distance >= (1 - slight) * apart)
        return false;
    for (int k = 0; k < 3; ++k)
        way[k] = (1 - s) * p[k] + s * p[k + 3] - (1 - t) * q[k] - t * q[k + 3];
    if (!(distance > 1e-6 * apart)) {
        const double d[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]}, e[3] = {q[3] - q[0], q[4] - q[1], q[5] - q[2]};
        fil_vec3_cross(d, e, way);
        distance = fil_vec3_norm(way);
        if (!(distance > 0))
            return true;
    }
    const double weight[4] = {1 - s, s, t - 1, -t};
    const int vertex[4] = {a, a + 1, b, b + 1};
    double left = (1 + farther) * apart - fmin(distance, apart);
    for (int k = 0; k < 4; ++k)
        square += is_own(self, vertex[k]) ? weight[k] * weight[k] : 0;
    for (int k = 0; k < 4; ++k) {
        if (!is_own(self, vertex[k]) || weight[k] == 0)
            continue;
        double *x = self->x + 3 * (ptrdiff_t)vertex[k];
        for (int m = 0; m < 3; ++m)
            x[m] += left * weight[k] / square * way[m] / distance;
        moved[vertex[k] - self->begin] = true;
    }
    return true;
}

// Strands that overlap, in turn, many times. *places: how many there are.
static fil_status part(clearing *self, bool *moved, int *places)
{
    enum { SWEEPS = 30 };
    fil_touch_pairs pairs;
    fil_status status = fil_touch_strands_pairs(self->context, self->arena, &self->strands, self->only,
                                                2 * self->model->contacts.thickest, &pairs);
    if (status != FIL_OK)
        return status;
    for (int sweep = 0, left = 1; sweep < SWEEPS && left > 0; ++sweep) {
        left = 0;
        for (int64_t i = 0; i < pairs.count; ++i)
            left += part_pair(self, pairs.a[i], pairs.b[i], moved);
        *places = sweep == 0 ? left : *places;
    }
    return FIL_OK;
}

// What is in bodies. *places: how many there are.
static fil_status push(clearing *self, bool *moved, int *places)
{
    fil_touch_list list;
    fil_status status = find(self, 0, &list);
    *places = 0;
    for (int i = 0; i < list.count; ++i) {
        const fil_touch_point *point = &list.point[i];
        if (!is_inside(self, point))
            continue;
        push_out(self, point);
        ++*places;
    }
    go(self, moved);
    return status;
}

static fil_status clear(clearing *self, double *position, fil_clearing *report)
{
    bool *moved = FIL_ARENA_ARRAY(self->arena, bool, self->end - self->begin);
    if (!moved)
        return FIL_NO_MEMORY;
    const double worthwhile = 0.97;
    int inside = 1, overlaps = 1;
    double before = INFINITY, left = 0;
    fil_status status = lift(self, moved);
    if (status == FIL_OK)
        status = free_pierced(self, moved);
    for (int pass = 0; pass < PASSES && left <= worthwhile * before && inside + overlaps > 0 && status == FIL_OK;
         ++pass) {
        before = pass > 0 ? left : INFINITY;
        fil_arena_mark mark = fil_arena_mark_now(self->arena);
        status = part(self, moved, &overlaps);
        if (status == FIL_OK)
            status = push(self, moved, &inside);
        fil_arena_rewind(self->arena, mark);
        left = inside + (double)overlaps;
    }
    for (ptrdiff_t i = 0; status == FIL_OK && i < self->end - self->begin; ++i) {
        const double *x = self->x + 3 * (self->begin + i);
        if (!moved[i])
            continue;
        double way[3] = {x[0] - position[3 * i], x[1] - position[3 * i + 1], x[2] - position[3 * i + 2]};
        ++report->vertices;
        report->farthest = fmax(report->farthest, fil_vec3_norm(way));
        memcpy(position + 3 * i, x, 3 * sizeof *x);
    }
    report->inside = inside;
    report->overlaps = overlaps;
    return status;
}

// Live strands as others, for detection knows only those.
static fil_status compile(fil_context *context, const fil_scene *scene, fil_model **out)
{
    fil_arena *arena = fil_arena_borrow(context);
    fil_group *groups = arena ? FIL_ARENA_ARRAY(arena, fil_group, scene->group_count) : NULL;
    fil_status status = groups ? FIL_OK : FIL_NO_MEMORY;
    if (groups) {
        fil_scene plain = *scene;
        memcpy(groups, scene->groups, (size_t)scene->group_count * sizeof *groups);
        for (int g = 0; g < scene->group_count; ++g) {
            const fil_strand_type *type = groups[g].model ? fil_strand_type_of(groups[g].model) : NULL;
            if (type && type->live)
                groups[g].model = "lifted";
        }
        plain.groups = groups;
        status = fil_model_create(context, &plain, out);
    }
    fil_arena_give_back(arena);
    return status;
}

fil_status fil_scene_clear(fil_context *context, const fil_scene *scene, int group, double *position,
                           fil_clearing *report)
{
    *report = (fil_clearing){0};
    if (group < 0 || group >= scene->group_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "there is no group %d", group);
    fil_model *model;
    fil_status status = compile(context, scene, &model);
    if (status != FIL_OK)
        return status;
    memcpy(position, scene->groups[group].groom.position,
           3 * (size_t)fil_model_vertex_count(model, group) * sizeof *position);
    fil_arena *arena = fil_arena_borrow(context);
    clearing self;
    status = arena ? FIL_OK : FIL_NO_MEMORY;
    if (status == FIL_OK && model->contacts.on) {
        status = make(context, scene, model, arena, group, &self);
        if (status == FIL_OK)
            status = clear(&self, position, report);
    }
    fil_arena_give_back(arena);
    fil_model_destroy(model);
    return status;
}
