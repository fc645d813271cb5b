// Shapes of bodies: the list. See body.c.
#ifndef FIL_SCENE_BODY_H
#define FIL_SCENE_BODY_H

#include "filum/filum.h"
#include "scene/film_table.h"

// A shape, its settings, and the triangles that they make.
typedef struct fil_body_type {
    fil_film_object object;
    fil_status (*make)(fil_context *context, const void *param, fil_mesh **out);
} fil_body_type;

int fil_body_type_count(void);
const fil_body_type *fil_body_type_at(int index);

#endif
