// Obstacles, ready for detection. See solid.c.
#ifndef FIL_COLLIDE_SOLID_H
#define FIL_COLLIDE_SOLID_H

#include "collide/touch.h"

// An obstacle in its own frame.
typedef struct fil_solid fil_solid;

// Checks shape and mesh and copies what it needs (not place, path, friction: those are the caller's). `place`
// ("obstacles[2] (head)") begins the sentence of a failure. NULL and the status: it failed.
fil_status fil_solid_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle, const char *place,
                            fil_solid **out);
// What it is, and how large: [3] as in fil_obstacle.
fil_obstacle_shape fil_solid_shape_of(const fil_solid *solid, const double **size);
// Tells solids apart that differ in anything detection depends on.
uint64_t fil_solid_hash(const fil_solid *solid, uint64_t hash);

// Where a solid is at the start and at the end of a step: a point p of its frame is at rotation p + position. Meshes
// that change shape also want the times.
typedef struct fil_solid_motion {
    const fil_solid *solid;
    fil_pose from, to; // rotations are unit quaternions
    double time_from, time_to;
} fil_solid_motion;

// All places where strands touch one of the bodies or may do so while they go from x0 to x1: with the gap g at the
// start and the change d of the distance along the normal in the step, g + d <= margin, or the
// surface is passed. The normal is that of the first moment within reach, mostly the start, in the world at the start;
// a body gives at most one place for a vertex and one inside an edge. In the order of edges, then of bodies; the same
// for any number of threads. `only`: [strands] those that are asked; NULL: all. Memory of the list
// comes from `arena`. *inside (may be NULL): free vertices inside a body at the start.
fil_status fil_solid_touch(fil_context *context, fil_arena *arena, const fil_touch_strands *strands,
                           const fil_solid_motion *bodies, int body_count, double margin, const bool *only,
                           fil_touch_list *out, int *inside);

// A direction, in the world at the start, that leads away from a body from anywhere, also out of thin parts that the
// nearest way out leads through: along the lines of the field of a charge spread over its surface.
void fil_solid_away(const fil_solid_motion *body, const double x[3], double out[3]);

// A mesh in a step, to be asked by single vertices. Lives in the arena; NULL and FIL_NO_MEMORY.
typedef struct fil_solid_surface fil_solid_surface;
fil_status fil_solid_surface_create(fil_arena *arena, const fil_solid *solid, fil_solid_surface **out);
// Where it is in the step from one time to another.
void fil_solid_surface_move(fil_solid_surface *self, double time_from, double time_to);

// How a vertex that goes from x0 to x1 gets out of a mesh.
typedef struct fil_solid_way {
    double depth, normal[3]; // m; the way out
    double from[3];          // where the place that it touches was at the start
} fil_solid_way;
// False: at x1 it is out, and it did not pass through. *hint: a triangle that may be near, -1 for none; it is kept.
bool fil_solid_leave(const fil_solid_motion *body, const fil_solid_surface *surface, const double x0[3],
                     const double x1[3], double radius, int *hint, fil_solid_way *out);

#endif
