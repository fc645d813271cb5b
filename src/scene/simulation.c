// A film in the making: the scene compiled, a state, and where it stands. Steps are equal and a whole number of them
// makes a frame, so a state saved at a frame is all that is needed to go on.
#include "base/arena.h"
#include "scene/film.h"

enum { SETTLE_ITERATIONS = 2000 };

struct fil_simulation {
    fil_arena *arena;
    fil_model *model;
    fil_state *state;
    int frame, done; // the last complete frame, and steps since
    int steps;       // per frame
    double h;
};

static fil_status start(fil_context *context, const fil_film *film, fil_simulation *self)
{
    self->steps = fil_timing_steps(&film->timing, &self->h);
    fil_status status = fil_film_compile(context, film, &self->model);
    if (status == FIL_OK)
        status = fil_state_create(context, self->model, &self->state);
    if (status == FIL_OK && film->timing.settle)
        status = fil_relax(context, self->state, SETTLE_ITERATIONS, NULL);
    return status;
}

fil_status fil_simulation_create(fil_context *context, const fil_film *film, fil_simulation **out)
{
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    fil_simulation *self = arena ? FIL_ARENA_ARRAY(arena, fil_simulation, 1) : NULL;
    if (!self) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    self->arena = arena;
    fil_status status = start(context, film, self);
    if (status == FIL_OK)
        *out = self;
    else
        fil_simulation_destroy(self);
    return status;
}

void fil_simulation_destroy(fil_simulation *simulation)
{
    if (!simulation)
        return;
    fil_state_destroy(simulation->state);
    fil_model_destroy(simulation->model);
    fil_arena_destroy(simulation->arena);
}

fil_status fil_simulation_step(fil_context *context, fil_simulation *simulation, fil_step_stats *stats, bool *arrived)
{
    fil_status status = fil_step(context, simulation->state, simulation->h, stats);
    if (status != FIL_OK)
        return status;
    bool complete = ++simulation->done == simulation->steps;
    if (complete) {
        simulation->done = 0;
        ++simulation->frame;
    }
    if (arrived)
        *arrived = complete;
    return FIL_OK;
}

fil_status fil_simulation_load(fil_context *context, fil_simulation *simulation, int frame, const void *bytes,
                               size_t size)
{
    fil_status status = fil_state_load(context, simulation->state, bytes, size);
    if (status == FIL_OK) {
        simulation->frame = frame;
        simulation->done = 0;
    }
    return status;
}

int fil_simulation_frame(const fil_simulation *simulation)
{
    return simulation->frame;
}

const fil_model *fil_simulation_model(const fil_simulation *simulation)
{
    return simulation->model;
}

fil_state *fil_simulation_state(const fil_simulation *simulation)
{
    return simulation->state;
}
