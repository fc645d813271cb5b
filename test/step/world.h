// A scene that is compiled and ready to step, for the tests of src/step.
#ifndef FIL_TEST_STEP_WORLD_H
#define FIL_TEST_STEP_WORLD_H

#include "filum/filum.h"
#include "test.h"

#include <stdlib.h>

typedef struct world {
    fil_context *context;
    fil_model *model;
    fil_state *state;
    int vertices; // of the first group
    double *x;    // their positions, when they were last read
} world;

static world world_make(const fil_scene *scene, int threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    world w = {.context = fil_context_create(&def)};
    test_ok(w.context, fil_model_create(w.context, scene, &w.model));
    test_ok(w.context, fil_state_create(w.context, w.model, &w.state));
    w.vertices = fil_model_vertex_count(w.model, 0);
    w.x = calloc((size_t)w.vertices * 3, sizeof(double));
    return w;
}

static void world_free(world *w)
{
    free(w->x);
    fil_state_destroy(w->state);
    fil_model_destroy(w->model);
    fil_context_destroy(w->context);
}

static inline const double *positions(world *w)
{
    fil_state_read(w->state, 0, &(fil_frame){.position = w->x});
    return w->x;
}

static inline void *saved(const fil_state *state)
{
    void *bytes = malloc(fil_state_size(state));
    fil_state_save(state, bytes);
    return bytes;
}

#endif
