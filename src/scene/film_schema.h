// The JSON Schema of scenes. See film_schema.c.
#ifndef FIL_SCENE_FILM_SCHEMA_H
#define FIL_SCENE_FILM_SCHEMA_H

#include <jansson.h>

json_t *fil_film_schema_make(void); // NULL: no memory

#endif
