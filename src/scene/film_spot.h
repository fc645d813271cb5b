// Where something of a scene stands. See film_spot.c.
#ifndef FIL_SCENE_FILM_SPOT_H
#define FIL_SCENE_FILM_SPOT_H

#include "scene/film_table.h"

fil_pose fil_film_spot_pose(const fil_film_spot *spot); // all but the scale
// Scales, turns and moves `count` points.
void fil_film_spot_apply(const fil_film_spot *spot, int64_t count, double *position);

#endif
