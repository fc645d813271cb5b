// Bodies of a scene: to look at, and as obstacles for strands. See film_body.c.
#ifndef FIL_SCENE_FILM_BODY_H
#define FIL_SCENE_FILM_BODY_H

#include "filum/filum.h"
#include "scene/film_parse.h"

// All bodies, and an obstacle for each that is solid, in the arena of the film. `root` is the place of the whole scene.
fil_status fil_film_body_make_all(fil_film_reader *reader, const fil_film_place *root, const fil_film_items *bodies,
                                  fil_film *out);

#endif
