// The nearest point of a mesh, by a tree of the boxes of its triangles. Triangles without area are segments or points,
// and found as such.
#include "collide/nearest.h"

#include "collide/bvh.h"
#include "collide/triangle.h"
#include "math/mat3.h"

#include <string.h>

struct fil_nearest {
    const fil_mesh *mesh;
    fil_bvh tree;
};

fil_nearest *fil_nearest_create(fil_arena *arena, const fil_mesh *mesh)
{
    fil_nearest *self = FIL_ARENA_ARRAY(arena, fil_nearest, 1);
    fil_bvh_box *boxes = FIL_ARENA_RAW(arena, fil_bvh_box, mesh->triangle_count);
    if (!self || !boxes)
        return NULL;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        boxes[i] = fil_bvh_box_empty();
        for (int k = 0; k < 3; ++k)
            fil_bvh_box_add(&boxes[i], fil_nearest_corner(mesh, i, k));
    }
    self->mesh = mesh;
    return fil_bvh_create(arena, boxes, mesh->triangle_count, &self->tree) ? self : NULL;
}

typedef struct question {
    const fil_mesh *mesh;
    const double *x;
    fil_triangle_best best;
} question;

static void try_triangle(void *data, int triangle)
{
    question *self = data;
    double corner[3][3];
    for (int c = 0; c < 3; ++c)
        memcpy(corner[c], fil_nearest_corner(self->mesh, triangle, c), sizeof corner[c]);
    fil_triangle_try(corner, triangle, self->x, &self->best);
}

bool fil_nearest_find(const fil_nearest *self, const double x[3], double within, fil_nearest_point *out)
{
    question question = {self->mesh, x, {.square = within * within, .triangle = -1}};
    const fil_triangle_best *best = &question.best;
    fil_bvh_nearest(&self->tree, x, &best->square, try_triangle, &question);
    if (best->triangle < 0)
        return false;
    *out = (fil_nearest_point){.distance = sqrt(best->square), .triangle = best->triangle};
    for (int c = 0; c < 3; ++c) {
        out->weight[c] = best->weight[c];
        for (int k = 0; k < 3; ++k)
            out->x[k] += best->weight[c] * fil_nearest_corner(self->mesh, best->triangle, c)[k];
    }
    return true;
}
