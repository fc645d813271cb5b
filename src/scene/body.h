// Shapes of bodies: the list. See body.c.
#ifndef FIL_SCENE_BODY_H
#define FIL_SCENE_BODY_H

#include "filum/filum.h"
#include "scene/film_table.h"

// A shape, its settings, the triangles that they make, and what strands feel.
typedef struct fil_body_type {
    fil_film_object object;
    fil_status (*make)(fil_context *context, const void *param, fil_mesh **out);
    fil_obstacle_shape solid;
    void (*size)(const void *param, double size[3]); // of the obstacle; NULL: it has none
} fil_body_type;

int fil_body_type_count(void);
const fil_body_type *fil_body_type_at(int index);

// The settings of a mesh from a file.
typedef struct fil_body_file {
    const char *file;
    double unit;
    const char *frames; // "body.####.obj", for a body that changes its shape; NULL: it does not
    int first, last;
    double fps;
} fil_body_file;
const fil_body_file *fil_body_file_of(int type, const void *param); // NULL: another shape
// One frame of a body that changes its shape. FIL_BAD_INPUT: no such file, or another number of vertices.
fil_status fil_body_file_frame(fil_context *context, const fil_body_file *file, int number, int vertex_count,
                               fil_mesh **out);

// The vertices of a body at a time, [3 vertices].
void fil_body_at(const fil_body *body, double time, double *out);

#endif
