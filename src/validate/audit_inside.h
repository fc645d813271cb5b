// How deep places lie inside bodies. See audit_inside.c.
#ifndef FIL_VALIDATE_AUDIT_INSIDE_H
#define FIL_VALIDATE_AUDIT_INSIDE_H

#include "base/arena.h"

typedef struct fil_audit_solid fil_audit_solid; // a body in its own frame

// *left_out: NULL, or why the body has no inside that could be checked (*out is NULL then).
fil_status fil_audit_inside_create(fil_context *context, fil_arena *arena, const fil_mesh *mesh, const char **left_out,
                                   fil_audit_solid **out);

// How far a place (of the frame of the body) is from the surface; 0: outside.
double fil_audit_inside_depth(const fil_audit_solid *solid, const double place[3]);

#endif
