// What the parts of solids share. All of it is in the frame of the solid.
#ifndef FIL_COLLIDE_SOLID_PART_H
#define FIL_COLLIDE_SOLID_PART_H

#include "collide/approach.h"
#include "collide/bvh.h"
#include "collide/solid.h"

// A mesh without copies of vertices and without triangles that have a corner twice. solid_mesh.c makes it.
typedef struct fil_solid_mesh {
    int vertex_count, triangle_count;
    int *triangle;                // [3 triangles]
    int *neighbour;               // [3 triangles] behind the side from a corner to the next; -1: none
    int *fan_start;               // [vertices + 1]
    int *fan;                     // [3 triangles] the triangles around each vertex
    int pose_count;               // at least 1
    double *pose_time, *position; // [poses], [poses × 3 vertices]
    fil_bvh tree;                 // of the first pose
    bool closed;
    // Cells that the surface does not touch, of a closed mesh that keeps its shape: what is in them needs no search.
    unsigned char *cell; // fil_solid_cell; NULL: there are none
    int cells[3];
    double cell_size;
} fil_solid_mesh;

typedef enum fil_solid_cell { FIL_SOLID_CUT, FIL_SOLID_OUTSIDE, FIL_SOLID_INSIDE } fil_solid_cell;

struct fil_solid {
    fil_obstacle_shape shape;
    double size[3];
    fil_bvh_box box; // over all poses; of a plane: all space
    fil_solid_mesh *mesh;
};

// A mesh in a step.
struct fil_solid_surface {
    const fil_solid_mesh *mesh;
    double *from, *to;  // [3 vertices] at the start and at the end; the same: it keeps its shape
    fil_bvh tree;       // over all the way
    fil_bvh_box *boxes; // [triangles] of a mesh that changes its shape
    double stir;        // m, the longest way of a vertex
};

// How near is near.
typedef struct fil_solid_reach {
    double near;
    double clear; // an edge must be nearer by this than its ends
} fil_solid_reach;

// Where a vertex (at = 0) or an edge comes near.
typedef struct fil_solid_place {
    double at;
    double normal[3];      // unit, out of the solid
    double from[3], to[3]; // the point of the surface at the start and at the end
    bool inside;           // a vertex that is inside at the start
} fil_solid_place;

// Whether a thing ends the step within `reach` of a plane: with what starts near and leaves there is nothing to do.
static inline bool fil_solid_closes(const fil_approach_thing *thing, double at, const double normal[3],
                                    const double to[3], double reach)
{
    int last = thing->corners - 1;
    double distance = 0;
    for (int k = 0; k < 3; ++k)
        distance += normal[k] * ((1 - at) * thing->to[0][k] + at * thing->to[last][k] - to[k]);
    return distance <= reach;
}

// How long to wait before looking again at an edge that is near now, but in no way that counts: until it has moved by
// its reach, but a part of the step at least.
static inline double fil_solid_pause(double way, double reach)
{
    const double least = 1.0 / 64;
    return way * least < reach ? reach / way : least;
}

// solid_shape.c: all but meshes. Convex, so that the distance is.
double fil_solid_shape_distance(const fil_solid *solid, const double x[3], double normal[3]);
bool fil_solid_shape_ask(const fil_solid *solid, const fil_approach_thing *thing, const fil_solid_reach *reach,
                         fil_solid_place *out);

// solid_mesh.c. FIL_NO_MEMORY; *out is NULL if no triangle has an area.
fil_status fil_solid_mesh_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle,
                                 fil_solid_mesh **out);
fil_status fil_solid_mesh_surface(fil_arena *arena, const fil_solid *solid, fil_solid_surface *out);
// The same, already between two times.
fil_status fil_solid_mesh_pose(fil_arena *arena, const fil_solid *solid, double time_from, double time_to,
                               fil_solid_surface *out);
// Between the world and the frame of a body.
void fil_solid_to_world(const fil_pose *pose, const double x[3], double out[3]);
void fil_solid_to_body(const fil_pose *pose, const double x[3], double out[3]);

// solid_mesh_ask.c
// *hint: a triangle that may be near, -1 for none; becomes the nearest if that was looked for.
bool fil_solid_mesh_ask(const fil_solid_surface *surface, const fil_approach_thing *thing, const fil_solid_reach *reach,
                        int *hint, fil_solid_place *out);
// The distance at the start, negative inside a closed mesh; HUGE_VAL: none within `within`.
double fil_solid_mesh_ask_distance(const fil_solid_surface *surface, const double x[3], double within);

#endif
