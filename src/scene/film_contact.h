// How strands of a scene touch. See film_contact.c.
#ifndef FIL_SCENE_FILM_CONTACT_H
#define FIL_SCENE_FILM_CONTACT_H

#include "filum/filum.h"
#include "scene/film_parse.h"

extern const fil_film_object fil_film_contact_table;

// Contacts and rules of a scene whose groups and obstacles are there. `place` is that of the whole scene.
fil_status fil_film_contact_make(fil_film_reader *reader, const fil_film_place *place, const fil_film_root *root,
                                 fil_scene *out);

#endif
