// Overrides of a scene. See film_set.c.
#ifndef FIL_SCENE_FILM_SET_H
#define FIL_SCENE_FILM_SET_H

#include "scene/film_parse.h"

// "groups.0.material.young=4e9" in the tree of the scene.
fil_status fil_film_set_apply(fil_film_reader *reader, json_t *scene, const char *set);

#endif
