// Films from texts, for the tests of src/scene.
#ifndef FIL_TEST_SCENE_FILMS_H
#define FIL_TEST_SCENE_FILMS_H

#include "filum/filum.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

// Quotes in C are hard to read: ' stands for " in the scenes of these tests.
__attribute__((unused)) static fil_status film_parse(fil_context *context, const char *scene, const char *const *sets,
                                                     int count, fil_film **out)
{
    char *text = strdup(scene);
    for (char *c = text; *c; ++c)
        *c = *c == '\'' ? '"' : *c;
    fil_status status = fil_film_parse(context, "s.json", test_folder(), text, strlen(text), sets, count, out);
    free(text);
    return status;
}

__attribute__((unused)) static fil_film *film_of(fil_context *context, const char *scene)
{
    fil_film *film;
    test_ok(context, film_parse(context, scene, NULL, 0, &film));
    return film;
}

__attribute__((unused)) static fil_film *film_with(fil_context *context, const char *scene, const char *set)
{
    fil_film *film;
    test_ok(context, film_parse(context, scene, &set, 1, &film));
    return film;
}

__attribute__((unused)) static uint64_t fingerprint_of(fil_context *context, const fil_scene *scene)
{
    fil_model *model;
    test_ok(context, fil_model_create(context, scene, &model));
    uint64_t fingerprint = fil_model_fingerprint(model);
    fil_model_destroy(model);
    return fingerprint;
}

#endif
