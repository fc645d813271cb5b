// Strands for the programs of bench/: curly hair on a small patch, reproducible.
#ifndef FIL_BENCH_STRAND_GROOM_H
#define FIL_BENCH_STRAND_GROOM_H

#include "bench.h"

#include "base/rng.h"

#include <math.h>

typedef struct bench_groom {
    int *vertex_count;
    double *position;
    fil_groom groom;
} bench_groom;

// Helices that hang from a plane, 20 cm long, each with its own radius, pitch and phase.
static inline bench_groom bench_groom_make(int strands, int vertices)
{
    bench_groom made = {.vertex_count = bench_allocate((size_t)strands, sizeof(int)),
                        .position = bench_allocate((size_t)strands * (size_t)vertices * 3, sizeof(double))};
    fil_rng rng = fil_rng_make(7);
    double *x = made.position;
    for (int strand = 0; strand < strands; ++strand) {
        double radius = fil_rng_uniform(&rng, 0.002, 0.01), turns = fil_rng_uniform(&rng, 1, 4);
        double phase = fil_rng_uniform(&rng, 0, 6.28), at[2] = {0.001 * (strand % 100), 0.001 * (double)(strand / 100)};
        made.vertex_count[strand] = vertices;
        for (int i = 0; i < vertices; ++i, x += 3) {
            double u = (double)i / (vertices - 1), angle = phase + 6.283185307 * turns * u;
            x[0] = at[0] + radius * (cos(angle) - cos(phase));
            x[1] = -0.2 * u;
            x[2] = at[1] + radius * (sin(angle) - sin(phase));
        }
    }
    made.groom = (fil_groom){.strand_count = strands, .vertex_count = made.vertex_count, .position = made.position};
    return made;
}

static inline void bench_groom_free(bench_groom *made)
{
    free(made->vertex_count);
    free(made->position);
}

// Curly human hair in gravity.
static inline void bench_groom_state(fil_context *context, const bench_groom *made, const char *model_name,
                                     const fil_motion *motion, fil_model **model, fil_state **state)
{
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    group.model = model_name;
    group.groom = made->groom;
    scene.groups = &group;
    scene.group_count = 1;
    if (motion)
        scene.motion = *motion;
    bench_need(context, fil_model_create(context, &scene, model));
    bench_need(context, fil_state_create(context, *model, state));
}

#endif
