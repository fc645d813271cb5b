// Single vertices against bodies: for those who move positions out of them.
#include "collide/solid_part.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>

void fil_solid_to_world(const fil_pose *pose, const double x[3], double out[3])
{
    fil_quat_rotate(pose->rotation, x, out);
    for (int k = 0; k < 3; ++k)
        out[k] += pose->position[k];
}

void fil_solid_to_body(const fil_pose *pose, const double x[3], double out[3])
{
    const double *q = pose->rotation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    fil_quat_rotate(
        back, (const double[3]){x[0] - pose->position[0], x[1] - pose->position[1], x[2] - pose->position[2]}, out);
}

fil_status fil_solid_surface_create(fil_arena *arena, const fil_solid *solid, fil_solid_surface **out)
{
    *out = FIL_ARENA_ARRAY(arena, fil_solid_surface, 1);
    return *out ? fil_solid_mesh_surface(arena, solid, *out) : FIL_NO_MEMORY;
}

bool fil_solid_leave(const fil_solid_motion *body, const fil_solid_surface *surface, const double x0[3],
                     const double x1[3], double radius, int *hint, fil_solid_way *out)
{
    fil_approach_thing vertex = {.corners = 1};
    fil_solid_place place;
    fil_solid_to_body(&body->from, x0, vertex.from[0]);
    fil_solid_to_body(&body->to, x1, vertex.to[0]);
    fil_bvh_box box = fil_bvh_box_empty();
    fil_bvh_box_add(&box, vertex.from[0]);
    fil_bvh_box_add(&box, vertex.to[0]);
    fil_bvh_box_widen(&box, 1.001 * radius);
    const fil_solid_reach reach = {.near = radius};
    if (!fil_bvh_box_overlap(&box, &body->solid->box) || !fil_solid_mesh_ask(surface, &vertex, &reach, hint, &place))
        return false;
    out->depth = radius;
    for (int k = 0; k < 3; ++k)
        out->depth -= place.normal[k] * (vertex.to[0][k] - place.to[k]);
    fil_quat_rotate(body->to.rotation, place.normal, out->normal);
    fil_solid_to_world(&body->from, place.from, out->from);
    return out->depth > 0;
}

// Adds the field of a triangle at x: A d / |d|³, blunt within the size of the triangle.
static void add_field(const double *position, const int *triangle, const double x[3], double field[3])
{
    const double *a = position + 3 * (ptrdiff_t)triangle[0], *b = position + 3 * (ptrdiff_t)triangle[1];
    const double *c = position + 3 * (ptrdiff_t)triangle[2];
    double e[3], f[3], across[3], d[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = b[k] - a[k], f[k] = c[k] - a[k];
        d[k] = x[k] - (a[k] + b[k] + c[k]) / 3;
    }
    fil_vec3_cross(e, f, across);
    double area = 0.5 * fil_vec3_norm(across), square = fil_vec3_dot(d, d) + area;
    for (int k = 0; k < 3; ++k)
        field[k] += area * d[k] / (square * sqrt(square));
}

void fil_solid_away(const fil_solid_motion *body, const double x[3], double out[3])
{
    const fil_solid *solid = body->solid;
    double own[3], field[3] = {0};
    fil_solid_to_body(&body->from, x, own);
    if (!solid->mesh) {
        fil_solid_shape_distance(solid, own, field); // convex: the nearest way out is one
    } else {
        for (ptrdiff_t i = 0; i < solid->mesh->triangle_count; ++i)
            add_field(solid->mesh->position, solid->mesh->triangle + 3 * i, own, field);
        fil_vec3_normalise(field);
    }
    fil_quat_rotate(body->from.rotation, field, out);
}
