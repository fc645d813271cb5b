// The nearest point of a mesh. See nearest.c.
#ifndef FIL_COLLIDE_NEAREST_H
#define FIL_COLLIDE_NEAREST_H

#include "base/arena.h"

// Corner k of a triangle.
static inline const double *fil_nearest_corner(const fil_mesh *mesh, int triangle, int k)
{
    return mesh->position + 3 * (int64_t)mesh->triangle[3 * (int64_t)triangle + k];
}

typedef struct fil_nearest fil_nearest;
typedef struct fil_nearest_point {
    double x[3], distance; // m
    int triangle;
    double weight[3]; // of the corners of the triangle; they sum to 1
} fil_nearest_point;

// Lives in the arena and reads the mesh, which must outlive it. NULL: no memory.
fil_nearest *fil_nearest_create(fil_arena *arena, const fil_mesh *mesh);
// False: nothing is nearer than `within`.
bool fil_nearest_find(const fil_nearest *self, const double x[3], double within, fil_nearest_point *out);

#endif
