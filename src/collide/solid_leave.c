// Single vertices against meshes: for those who move positions out of bodies.
#include "collide/solid_part.h"
#include "math/mat3.h"
#include "math/quat.h"

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
