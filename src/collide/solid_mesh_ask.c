// Where vertices and edges of strands come near a mesh.
//
// The nearest point of the mesh tells the distance of a vertex at the start. Its sign, for closed meshes: the vertex is
// inside if it lies behind the normal at that point, which on a side is the mean of two triangles and at a corner the
// mean of all around it, weighted by their angles (Bærentzen and Aanæs 2005). What is not near at the start is followed
// on its way, with every triangle near that way (approach.c): the earliest that comes within reach counts. So both
// sides of open meshes are outside, and nothing gets through however thin the mesh and however fast the motion.
#include "collide/solid_part.h"
#include "collide/triangle.h"
#include "math/mat3.h"

#include <string.h>

static void corners_at(const fil_solid_surface *self, int triangle, double time, double x[3][3])
{
    for (int c = 0; c < 3; ++c) {
        int64_t v = 3 * (int64_t)self->mesh->triangle[3 * (int64_t)triangle + c];
        for (int k = 0; k < 3; ++k)
            x[c][k] = self->from[v + k] + time * (self->to[v + k] - self->from[v + k]);
    }
}

// ---- the nearest point at a time

typedef struct question {
    const fil_solid_surface *surface;
    const double *x;
    double time;
    fil_triangle_best best;
} question;

static void try_triangle(void *data, int triangle)
{
    question *self = data;
    double corner[3][3];
    corners_at(self->surface, triangle, self->time, corner);
    fil_triangle_try(corner, triangle, self->x, &self->best);
}

// A triangle that is near (hint; -1: none is known) spares most of the search.
static bool find_nearest(const fil_solid_surface *surface, const double x[3], double time, double within, int hint,
                         question *out)
{
    *out = (question){surface, x, time, {.square = within * within, .triangle = -1}};
    if (hint >= 0)
        try_triangle(out, hint);
    fil_bvh_nearest(&surface->tree, x, &out->best.square, try_triangle, out);
    return out->best.triangle >= 0;
}

// ---- normals

static void unit_normal(const fil_solid_surface *self, int triangle, double time, double normal[3])
{
    double x[3][3], e[3], f[3];
    corners_at(self, triangle, time, x);
    for (int k = 0; k < 3; ++k) {
        e[k] = x[1][k] - x[0][k];
        f[k] = x[2][k] - x[0][k];
    }
    fil_vec3_cross(e, f, normal);
    fil_vec3_normalise(normal);
}

static void add_corner(const fil_solid_surface *self, int triangle, int vertex, double time, double sum[3])
{
    double x[3][3], e[3], f[3], across[3];
    corners_at(self, triangle, time, x);
    int c = 0;
    while (c < 2 && self->mesh->triangle[3 * (int64_t)triangle + c] != vertex)
        ++c;
    for (int k = 0; k < 3; ++k) {
        e[k] = x[(c + 1) % 3][k] - x[c][k];
        f[k] = x[(c + 2) % 3][k] - x[c][k];
    }
    fil_vec3_cross(e, f, across);
    double length = fil_vec3_normalise(across), angle = atan2(length, fil_vec3_dot(e, f));
    for (int k = 0; k < 3; ++k)
        sum[k] += length > 0 ? angle * across[k] : 0;
}

// Out of the mesh at a point of it: not a unit vector.
static void normal_at(const fil_solid_surface *self, int triangle, const double weight[3], double time, double sum[3])
{
    const fil_solid_mesh *mesh = self->mesh;
    int inner = 0, last = 0, missing = 0;
    for (int c = 0; c < 3; ++c) {
        inner += weight[c] > 0;
        last = weight[c] > 0 ? c : last;
        missing = weight[c] > 0 ? missing : c;
    }
    if (inner == 1) {
        int vertex = mesh->triangle[3 * (int64_t)triangle + last];
        sum[0] = sum[1] = sum[2] = 0;
        for (int i = mesh->fan_start[vertex]; i < mesh->fan_start[vertex + 1]; ++i)
            add_corner(self, mesh->fan[i], vertex, time, sum);
        return;
    }
    unit_normal(self, triangle, time, sum);
    int other = inner == 2 ? mesh->neighbour[3 * (int64_t)triangle + (missing + 1) % 3] : -1;
    if (other >= 0) {
        double normal[3];
        unit_normal(self, other, time, normal);
        for (int k = 0; k < 3; ++k)
            sum[k] += normal[k];
    }
}

static bool is_behind(const question *near)
{
    double corner[3][3], normal[3], way[3];
    corners_at(near->surface, near->best.triangle, near->time, corner);
    normal_at(near->surface, near->best.triangle, near->best.weight, near->time, normal);
    for (int k = 0; k < 3; ++k) {
        way[k] = near->x[k];
        for (int c = 0; c < 3; ++c)
            way[k] -= near->best.weight[c] * corner[c][k];
    }
    return fil_vec3_dot(way, normal) < 0;
}

static fil_solid_cell cell_of(const fil_solid_surface *self, const double x[3])
{
    const fil_solid_mesh *mesh = self->mesh;
    const fil_bvh_box *all = &self->tree.node[0];
    int64_t at = 0;
    for (int k = 0; k < 3; ++k)
        if (!(x[k] >= all->low[k] && x[k] <= all->high[k]))
            return FIL_SOLID_OUTSIDE;
    if (!mesh->cell)
        return FIL_SOLID_CUT;
    for (int k = 0; k < 3; ++k) {
        int cell = (int)((x[k] - all->low[k]) / mesh->cell_size);
        at = at * mesh->cells[k] + (cell < mesh->cells[k] ? cell : mesh->cells[k] - 1);
    }
    return (fil_solid_cell)mesh->cell[at];
}

double fil_solid_mesh_ask_distance(const fil_solid_surface *surface, const double x[3], double within)
{
    question near;
    if (!find_nearest(surface, x, 0, within, -1, &near))
        return HUGE_VAL;
    return surface->mesh->closed && is_behind(&near) ? -sqrt(near.best.square) : sqrt(near.best.square);
}

// ---- places

// The point of a triangle, at the start and at the end.
static void set_points(const fil_solid_surface *surface, int triangle, const double weight[3], fil_solid_place *out)
{
    double from[3][3], to[3][3];
    corners_at(surface, triangle, 0, from);
    corners_at(surface, triangle, 1, to);
    for (int k = 0; k < 3; ++k) {
        out->from[k] = out->to[k] = 0;
        for (int c = 0; c < 3; ++c) {
            out->from[k] += weight[c] * from[c][k];
            out->to[k] += weight[c] * to[c][k];
        }
    }
}

// Away from the surface, where the way from it is too short to tell: as the mesh has it; on the side of `side` if it is
// open.
static void set_mesh_normal(const fil_solid_surface *surface, int triangle, const double weight[3], double time,
                            const double side[3], double normal[3])
{
    normal_at(surface, triangle, weight, time, normal);
    if (!(fil_vec3_normalise(normal) > 0))
        normal[0] = 0, normal[1] = 1, normal[2] = 0;
    bool turn = !surface->mesh->closed && fil_vec3_dot(normal, side) < 0;
    for (int k = 0; k < 3 && turn; ++k)
        normal[k] = -normal[k];
}

// A vertex that is near, or inside, at the start.
static void place_at_start(const question *near, const fil_approach_thing *thing, bool inside, fil_solid_place *out)
{
    *out = (fil_solid_place){.inside = inside};
    set_points(near->surface, near->best.triangle, near->best.weight, out);
    double came[3], size = 0;
    for (int k = 0; k < 3; ++k) {
        out->normal[k] = inside ? out->from[k] - near->x[k] : near->x[k] - out->from[k];
        came[k] = (thing->from[0][k] - thing->to[0][k]) - (out->from[k] - out->to[k]);
        size = fmax(size, fabs(near->x[k]));
    }
    if (!(fil_vec3_normalise(out->normal) > 1e-12 * size))
        set_mesh_normal(near->surface, near->best.triangle, near->best.weight, 0, came, out->normal);
}

// ---- on the way

typedef struct search {
    const fil_solid_surface *surface;
    const fil_approach_thing *thing;
    double reach, way;
    int triangle; // -1: none yet
    fil_approach best;
} search;

// Ends of edges are vertices, which are followed by themselves; and what leaves need not be kept out.
static bool is_inside_edge(const search *self, const fil_approach *found)
{
    return self->thing->corners == 1 || (found->weight_p[0] > 0 && found->weight_p[1] > 0);
}

static bool closes(const search *self, const fil_approach_thing *triangle, const fil_approach *found)
{
    double to[3] = {0};
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            to[k] += found->weight_q[c] * triangle->to[c][k];
    return fil_solid_closes(self->thing, found->weight_p[1], found->normal, to, self->reach);
}

static bool comes_first(const search *self, int triangle, const fil_approach *found)
{
    const fil_approach *best = &self->best;
    if (self->triangle < 0 || found->time != best->time)
        return self->triangle < 0 || found->time < best->time;
    return found->distance != best->distance ? found->distance < best->distance : triangle < self->triangle;
}

// A triangle that keeps its place, and all of the way is further than the reach above its plane, or below: that is
// quick to see.
static bool is_beside(const search *self, double corner[3][3])
{
    double e[3], f[3], normal[3], lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        e[k] = corner[1][k] - corner[0][k];
        f[k] = corner[2][k] - corner[0][k];
    }
    fil_vec3_cross(e, f, normal);
    double plane = fil_vec3_dot(normal, corner[0]), length = fil_vec3_norm(normal);
    for (int c = 0; c < self->thing->corners; ++c) {
        double from = fil_vec3_dot(normal, self->thing->from[c]), to = fil_vec3_dot(normal, self->thing->to[c]);
        lowest = fmin(lowest, fmin(from, to));
        highest = fmax(highest, fmax(from, to));
    }
    double reach = 1.001 * self->reach * length;
    return lowest - plane > reach || plane - highest > reach;
}

static void follow_triangle(void *data, int triangle)
{
    search *self = data;
    fil_approach_thing q = {.corners = 3};
    fil_approach found;
    corners_at(self->surface, triangle, 0, q.from);
    corners_at(self->surface, triangle, 1, q.to);
    if (self->surface->from == self->surface->to && is_beside(self, q.from))
        return;
    double pause = fil_solid_pause(self->way, self->reach), until = self->triangle < 0 ? 1 : self->best.time, time = 0;
    while (time <= until && fil_approach_find(self->thing, &q, time, until, self->reach, &found)) {
        time = found.time + pause;
        if (!closes(self, &q, &found))
            continue;
        if (is_inside_edge(self, &found) && comes_first(self, triangle, &found)) {
            self->best = found;
            self->triangle = triangle;
        }
        return;
    }
}

static bool follow(const fil_solid_surface *surface, const fil_approach_thing *thing, double reach, search *out)
{
    *out = (search){.surface = surface, .thing = thing, .reach = reach, .triangle = -1};
    out->way = fil_approach_way(thing) + surface->stir;
    fil_bvh_box box = fil_bvh_box_empty();
    for (int c = 0; c < thing->corners; ++c) {
        fil_bvh_box_add(&box, thing->from[c]);
        fil_bvh_box_add(&box, thing->to[c]);
    }
    fil_bvh_box_widen(&box, 1.001 * reach);
    fil_bvh_near(&surface->tree, &box, follow_triangle, out);
    return out->triangle >= 0;
}

static void place_on_way(const search *found, fil_solid_place *out)
{
    const fil_approach *best = &found->best;
    *out = (fil_solid_place){.at = best->weight_p[1]};
    set_points(found->surface, found->triangle, best->weight_q, out);
    memcpy(out->normal, best->normal, sizeof out->normal);
    if (best->distance > 0)
        return;
    // An edge through the mesh: the side of its first end, which hangs on the root.
    double side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = found->thing->from[0][k] - out->from[k];
    set_mesh_normal(found->surface, found->triangle, best->weight_q, best->time, side, out->normal);
}

static bool ask_vertex(const fil_solid_surface *surface, const fil_approach_thing *thing, const fil_solid_reach *reach,
                       int *hint, fil_solid_place *out)
{
    const double *x = thing->from[0];
    fil_solid_cell cell = surface->mesh->closed ? cell_of(surface, x) : FIL_SOLID_OUTSIDE;
    double way[3] = {thing->to[0][0] - x[0], thing->to[0][1] - x[1], thing->to[0][2] - x[2]};
    double within = cell == FIL_SOLID_OUTSIDE ? reach->near + fil_vec3_norm(way) + surface->stir : HUGE_VAL;
    question near;
    search found;
    if (!find_nearest(surface, x, 0, within, *hint, &near))
        return false;
    *hint = near.best.triangle;
    bool inside = cell == FIL_SOLID_INSIDE || (cell == FIL_SOLID_CUT && is_behind(&near));
    if (inside || near.best.square <= reach->near * reach->near) {
        place_at_start(&near, thing, inside, out);
        if (inside || fil_solid_closes(thing, 0, out->normal, out->to, reach->near))
            return true;
    }
    if (!follow(surface, thing, reach->near, &found))
        return false;
    place_on_way(&found, out);
    return true;
}

// An end that is about as near, and comes, speaks for the edge; so does one inside for an edge that goes through.
static bool end_speaks(const search *found, int end, const fil_solid_reach *reach, const double to[3])
{
    const fil_approach_thing *thing = found->thing;
    const fil_approach *best = &found->best;
    question near;
    double x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = thing->from[end][k] + best->time * (thing->to[end][k] - thing->from[end][k]);
    double within = fmin(best->distance + reach->clear, found->reach);
    if (fil_solid_closes(thing, end, best->normal, to, reach->near) &&
        find_nearest(found->surface, x, best->time, within, -1, &near))
        return true;
    return best->distance <= 0 && found->surface->mesh->closed &&
           find_nearest(found->surface, x, best->time, HUGE_VAL, found->triangle, &near) && is_behind(&near);
}

static bool ask_edge(const fil_solid_surface *surface, const fil_approach_thing *thing, const fil_solid_reach *reach,
                     fil_solid_place *out)
{
    search found;
    if (!follow(surface, thing, reach->near, &found))
        return false;
    place_on_way(&found, out);
    return !end_speaks(&found, 0, reach, out->to) && !end_speaks(&found, 1, reach, out->to);
}

bool fil_solid_mesh_ask(const fil_solid_surface *surface, const fil_approach_thing *thing, const fil_solid_reach *reach,
                        int *hint, fil_solid_place *out)
{
    return thing->corners == 1 ? ask_vertex(surface, thing, reach, hint, out) : ask_edge(surface, thing, reach, out);
}
