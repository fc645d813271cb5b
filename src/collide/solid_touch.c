// Where strands touch bodies.
//
// A tree of the boxes that bodies sweep tells which strands come near which bodies. Each such pair is looked at in the
// frame of the body at the start and at the end of the step: there a rigid body stands still, and the strand does all
// the motion. The normal and the point of the surface are those of the moment when a vertex or the inside of an edge
// comes within reach, mostly the start; the gap is measured along that normal at the start.
//
// Pairs write what they find to places of their own, which are then put in order: the same bits on any number of
// threads. Linear cost in vertices, times the bodies that are near each.
#include "base/parallel.h"
#include "collide/solid_part.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <string.h>

enum { STRANDS_AT_ONCE = 16, TOUCHES_AT_ONCE = 4 };
static const double CLEAR = 0.1; // radii by which the inside of an edge must be nearer than its ends

typedef struct pair {
    int strand, body;
    fil_touch_point *found; // two for each vertex at most
    int count;
} pair;

typedef struct task {
    const fil_touch_strands *strands;
    const fil_solid_motion *bodies;
    int body_count;
    double margin;
    const bool *only;           // [strands] NULL: all
    fil_solid_surface *surface; // [bodies] of meshes
    fil_bvh tree;               // of bodies with an end
    int *tree_body;             // [items of the tree]
    int *endless;               // bodies without an end
    int endless_count;
    int64_t *pair_start; // [strands + 1]
    pair *pairs;
    int64_t *point_start;  // [strands + 1]
    unsigned char *inside; // [vertices]
    fil_touch_point *out;
} task;

// ---- which strands come near which bodies

// The box of all that a body sweeps. A turning corner strays from the straight way by less than half of it.
static fil_bvh_box swept_box(const fil_solid_motion *body)
{
    fil_bvh_box box = fil_bvh_box_empty();
    const fil_bvh_box *own = &body->solid->box;
    double longest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double x[3], from[3], to[3], way[3];
        for (int k = 0; k < 3; ++k)
            x[k] = corner >> k & 1 ? own->high[k] : own->low[k];
        fil_solid_to_world(&body->from, x, from);
        fil_solid_to_world(&body->to, x, to);
        for (int k = 0; k < 3; ++k)
            way[k] = to[k] - from[k];
        longest = fmax(longest, fil_vec3_norm(way));
        fil_bvh_box_add(&box, from);
        fil_bvh_box_add(&box, to);
    }
    fil_bvh_box_widen(&box, 0.5 * longest);
    return box;
}

static fil_bvh_box strand_box(const task *self, int strand)
{
    const fil_touch_strands *strands = self->strands;
    fil_bvh_box box = fil_bvh_box_empty();
    double reach = 0;
    for (int64_t v = strands->first[strand]; v < strands->first[strand + 1]; ++v) {
        fil_bvh_box_add(&box, strands->x0 + 3 * v);
        fil_bvh_box_add(&box, strands->x1 + 3 * v);
        reach = fmax(reach, strands->radius[v]);
    }
    fil_bvh_box_widen(&box, 1.001 * (reach + self->margin));
    return box;
}

typedef struct gathering {
    const task *task;
    pair *pairs; // NULL: only count
    int strand, count;
} gathering;

// Bodies come in the order of the tree; they are few, so that each is put in its place at once.
static void gather_body(gathering *self, int body)
{
    int at = self->count++;
    if (!self->pairs)
        return;
    for (; at > 0 && self->pairs[at - 1].body > body; --at)
        self->pairs[at] = self->pairs[at - 1];
    self->pairs[at] = (pair){.strand = self->strand, .body = body};
}

static void gather_item(void *data, int item)
{
    gathering *self = data;
    gather_body(self, self->task->tree_body[item]);
}

static int gather(const task *self, int strand, pair *pairs)
{
    if (self->only && !self->only[strand])
        return 0;
    gathering gathering = {self, pairs, strand, 0};
    fil_bvh_box box = strand_box(self, strand);
    for (int i = 0; i < self->endless_count; ++i)
        gather_body(&gathering, self->endless[i]);
    fil_bvh_near(&self->tree, &box, gather_item, &gathering);
    return gathering.count;
}

static void count_pairs(void *data, int64_t begin, int64_t end)
{
    task *self = data;
    for (int64_t strand = begin; strand < end; ++strand)
        self->pair_start[strand + 1] = gather(self, (int)strand, NULL);
}

static void fill_pairs(void *data, int64_t begin, int64_t end)
{
    task *self = data;
    for (int64_t strand = begin; strand < end; ++strand)
        gather(self, (int)strand, self->pairs + self->pair_start[strand]);
}

// ---- one strand and one body

static bool ask(const task *self, int body, const fil_approach_thing *thing, const fil_solid_reach *reach, int *hint,
                fil_solid_place *out)
{
    const fil_solid *solid = self->bodies[body].solid;
    fil_bvh_box box = fil_bvh_box_empty();
    for (int c = 0; c < thing->corners; ++c) {
        fil_bvh_box_add(&box, thing->from[c]);
        fil_bvh_box_add(&box, thing->to[c]);
    }
    fil_bvh_box_widen(&box, 1.001 * reach->near);
    if (!fil_bvh_box_overlap(&box, &solid->box))
        return false;
    return solid->mesh ? fil_solid_mesh_ask(&self->surface[body], thing, reach, hint, out)
                       : fil_solid_shape_ask(solid, thing, reach, out);
}

// Notes a place if the step may close it.
static void note(const task *self, pair *pair, int64_t vertex, const fil_approach_thing *thing,
                 const fil_solid_place *place)
{
    const fil_solid_motion *body = &self->bodies[pair->body];
    const fil_touch_strands *strands = self->strands;
    int last = thing->corners - 1;
    double radius = (1 - place->at) * strands->radius[vertex] + place->at * strands->radius[vertex + last];
    if (!fil_solid_closes(thing, place->at, place->normal, place->to, radius + self->margin))
        return;
    fil_touch_point point = {.a = (int)vertex, .b = -1 - pair->body, .at_a = place->at, .gap = -radius};
    double from[3], to[3];
    fil_solid_to_world(&body->from, place->from, from);
    fil_solid_to_world(&body->to, place->to, to);
    fil_quat_rotate(body->from.rotation, place->normal, point.normal);
    for (int k = 0; k < 3; ++k) {
        double x = (1 - place->at) * thing->from[0][k] + place->at * thing->from[last][k];
        point.carried[k] = to[k] - from[k];
        point.gap += place->normal[k] * (x - place->from[k]);
    }
    if (vertex == self->strands->first[pair->strand + 1] - 1) {
        --point.a;
        point.at_a = 1;
    }
    pair->found[pair->count++] = point;
}

static fil_solid_reach reach_of(const task *self, int64_t first, int64_t last)
{
    const double *radius = self->strands->radius;
    double wide = fmax(radius[first], radius[last]);
    return (fil_solid_reach){wide + self->margin, CLEAR * wide};
}

static void touch_pair(const task *self, pair *pair)
{
    const fil_touch_strands *strands = self->strands;
    const fil_solid_motion *body = &self->bodies[pair->body];
    fil_approach_thing edge = {.corners = 2}, vertex = {.corners = 1};
    fil_solid_place place;
    int hint = -1;
    for (int64_t v = strands->first[pair->strand]; v < strands->first[pair->strand + 1]; ++v) {
        memcpy(edge.from[0], edge.from[1], sizeof edge.from[0]);
        memcpy(edge.to[0], edge.to[1], sizeof edge.to[0]);
        fil_solid_to_body(&body->from, strands->x0 + 3 * v, edge.from[1]);
        fil_solid_to_body(&body->to, strands->x1 + 3 * v, edge.to[1]);
        bool is_first = v == strands->first[pair->strand];
        if (!is_first && !(strands->held[v - 1] && strands->held[v])) {
            fil_solid_reach reach = reach_of(self, v - 1, v);
            if (ask(self, pair->body, &edge, &reach, &hint, &place))
                note(self, pair, v - 1, &edge, &place);
        }
        if (strands->held[v])
            continue;
        memcpy(vertex.from[0], edge.from[1], sizeof vertex.from[0]);
        memcpy(vertex.to[0], edge.to[1], sizeof vertex.to[0]);
        fil_solid_reach reach = reach_of(self, v, v);
        if (ask(self, pair->body, &vertex, &reach, &hint, &place)) {
            note(self, pair, v, &vertex, &place);
            self->inside[v] |= place.inside;
        }
    }
}

// By strands, so that no two threads write to one vertex.
static void touch_strands(void *data, int64_t begin, int64_t end)
{
    task *self = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        int64_t count = 0;
        for (int64_t i = self->pair_start[strand]; i < self->pair_start[strand + 1]; ++i) {
            touch_pair(self, &self->pairs[i]);
            count += self->pairs[i].count;
        }
        self->point_start[strand + 1] = count;
    }
}

// ---- putting all in order

// Pairs of a strand are in the order of bodies, what each found in the order of edges.
static void put_in_order(void *data, int64_t begin, int64_t end)
{
    task *self = data;
    for (int64_t strand = begin; strand < end; ++strand) {
        fil_touch_point *out = self->out + self->point_start[strand];
        for (int edge = self->strands->first[strand]; out < self->out + self->point_start[strand + 1]; ++edge)
            for (int64_t i = self->pair_start[strand]; i < self->pair_start[strand + 1]; ++i)
                for (pair *pair = &self->pairs[i]; pair->count > 0 && pair->found->a == edge; --pair->count)
                    *out++ = *pair->found++;
    }
}

static int64_t sum_up(int64_t *start, int count)
{
    for (int i = 0; i < count; ++i)
        start[i + 1] += start[i];
    return start[count];
}

// ---- all of it

static fil_status pose_bodies(task *self, fil_arena *arena)
{
    fil_bvh_box *boxes = FIL_ARENA_RAW(arena, fil_bvh_box, self->body_count);
    self->surface = FIL_ARENA_RAW(arena, fil_solid_surface, self->body_count);
    self->tree_body = FIL_ARENA_RAW(arena, int, self->body_count);
    self->endless = FIL_ARENA_RAW(arena, int, self->body_count);
    if (!boxes || !self->surface || !self->tree_body || !self->endless)
        return FIL_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < self->body_count; ++i) {
        const fil_solid_motion *body = &self->bodies[i];
        if (body->solid->mesh &&
            fil_solid_mesh_pose(arena, body->solid, body->time_from, body->time_to, &self->surface[i]) != FIL_OK)
            return FIL_NO_MEMORY;
        if (body->solid->shape == FIL_OBSTACLE_PLANE) {
            self->endless[self->endless_count++] = i;
        } else {
            boxes[count] = swept_box(body);
            self->tree_body[count++] = i;
        }
    }
    return fil_bvh_create(arena, boxes, count, &self->tree) ? FIL_OK : FIL_NO_MEMORY;
}

static fil_status find_pairs(fil_context *context, task *self, fil_arena *arena)
{
    const fil_touch_strands *strands = self->strands;
    self->pair_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)strands->strand_count + 1);
    if (!self->pair_start)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, strands->strand_count, STRANDS_AT_ONCE, count_pairs, self);
    int64_t count = sum_up(self->pair_start, strands->strand_count), points = 0;
    self->pairs = FIL_ARENA_RAW(arena, pair, count);
    if (!self->pairs)
        return FIL_NO_MEMORY;
    fil_parallel_for(context, strands->strand_count, STRANDS_AT_ONCE, fill_pairs, self);
    for (int s = 0; s < strands->strand_count; ++s)
        points += (self->pair_start[s + 1] - self->pair_start[s]) * 2 * (strands->first[s + 1] - strands->first[s]);
    fil_touch_point *found = FIL_ARENA_RAW(arena, fil_touch_point, points);
    if (!found)
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < count; ++i) {
        int strand = self->pairs[i].strand;
        self->pairs[i].found = found;
        found += 2 * (strands->first[strand + 1] - strands->first[strand]);
    }
    return FIL_OK;
}

static fil_status touch(fil_context *context, task *self, fil_arena *arena, fil_arena *scratch, fil_touch_list *out)
{
    int strand_count = self->strands->strand_count;
    self->point_start = FIL_ARENA_ARRAY(scratch, int64_t, (int64_t)strand_count + 1);
    self->inside = FIL_ARENA_ARRAY(scratch, unsigned char, self->strands->vertex_count);
    if (!self->point_start || !self->inside)
        return FIL_NO_MEMORY;
    fil_status status = pose_bodies(self, scratch);
    if (status == FIL_OK)
        status = find_pairs(context, self, scratch);
    if (status != FIL_OK)
        return status;
    fil_parallel_for(context, strand_count, TOUCHES_AT_ONCE, touch_strands, self);
    int64_t count = sum_up(self->point_start, strand_count);
    out->point = FIL_ARENA_RAW(arena, fil_touch_point, count);
    if (!out->point)
        return FIL_NO_MEMORY;
    out->count = (int)count;
    self->out = out->point;
    fil_parallel_for(context, strand_count, STRANDS_AT_ONCE, put_in_order, self);
    return FIL_OK;
}

fil_status fil_solid_touch(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                           const fil_solid_motion *bodies, int body_count, double margin, const bool *only,
                           fil_touch_list *out, int *inside)
{
    *out = (fil_touch_list){0};
    task task = {.strands = strands, .bodies = bodies, .body_count = body_count, .margin = margin, .only = only};
    fil_arena *scratch = fil_arena_borrow(context);
    fil_status status = scratch ? touch(context, &task, arena, scratch, out) : FIL_NO_MEMORY;
    int count = 0;
    for (int v = 0; v < strands->vertex_count && status == FIL_OK; ++v)
        count += task.inside[v];
    if (inside)
        *inside = count;
    fil_arena_give_back(scratch);
    return status;
}
