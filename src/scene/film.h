// Films: what the library knows of one besides the public struct. See film.c.
#ifndef FIL_SCENE_FILM_H
#define FIL_SCENE_FILM_H

#include "scene/film_groom.h"

// What was done to the groom of a group of a film that was read.
const fil_film_groom_report *fil_film_groom_report_of(const fil_film *film, int group);
// The model of its scene; the sentence of a failure names the film.
fil_status fil_film_compile(fil_context *context, const fil_film *film, fil_model **out);

#endif
