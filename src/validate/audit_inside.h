// How deep places lie inside bodies. See audit_inside.c.
#ifndef FIL_VALIDATE_AUDIT_INSIDE_H
#define FIL_VALIDATE_AUDIT_INSIDE_H

#include "base/arena.h"

typedef struct fil_audit_solid fil_audit_solid; // an obstacle, without its path

// As it is at a time, when it changes its shape. *left_out: NULL, or why it has no inside that could be checked (*out
// is NULL then). Obstacle and arena must outlive it.
fil_status fil_audit_inside_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle, double time,
                                   const char **left_out, fil_audit_solid **out);

// How far a place is from the surface, seen as if the obstacle had not left its start; 0: outside.
double fil_audit_inside_depth(const fil_audit_solid *solid, const double place[3]);

// The way back of a pose.
fil_pose fil_audit_inside_inverse(const fil_pose *pose);
void fil_audit_inside_move(const fil_pose *pose, const double place[3], double out[3]);

#endif
