// Random scenes for the tests of src/step: any shape, material over six decades, any step, violent roots.
#ifndef FIL_TEST_STEP_SCENES_H
#define FIL_TEST_STEP_SCENES_H

#include "base/rng.h"
#include "filum/extend.h"
#include "filum/filum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_STRANDS = 6, SCENE_VERTICES = 24 };

typedef struct random_scene {
    fil_scene scene;
    fil_group group;
    int vertex_count[SCENE_STRANDS];
    double position[3 * SCENE_STRANDS * SCENE_VERTICES], rest[3 * SCENE_STRANDS * SCENE_VERTICES];
    double h;
    double shake, turn; // m, rad per step
} random_scene;

static double random_log(fil_rng *rng, double low, double high)
{
    return exp(fil_rng_uniform(rng, log(low), log(high)));
}

// Straight, helical or crooked; some start away from their rest shape.
static void random_strand(fil_rng *rng, int vertices, double length, double *x, double *rest)
{
    int kind = fil_rng_below(rng, 3);
    double radius = kind == 1 ? fil_rng_uniform(rng, 0.01, 0.2) * length : 0, turns = fil_rng_uniform(rng, 0.5, 5);
    double noise = kind == 2 ? 0.3 * length / vertices : 0, pushed = fil_rng_below(rng, 3) == 0 ? 0.2 : 0;
    for (int i = 0; i < vertices; ++i) {
        double u = (double)i / (vertices - 1), angle = 6.283185307 * turns * u;
        rest[3 * i] = radius * (cos(angle) - 1) + fil_rng_uniform(rng, -noise, noise);
        rest[3 * i + 1] = -length * u + fil_rng_uniform(rng, -noise, noise);
        rest[3 * i + 2] = radius * sin(angle) + fil_rng_uniform(rng, -noise, noise);
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = rest[3 * i + k] + pushed * fil_rng_uniform(rng, -1, 1) * length / vertices;
    }
}

static void random_scene_make(uint64_t seed, const char *model, random_scene *out)
{
    fil_rng rng = fil_rng_make(seed);
    *out = (random_scene){.scene = fil_scene_default(), .group = fil_group_default()};
    fil_material *m = &out->group.material;
    double length = random_log(&rng, 0.01, 1), *x = out->position, *rest = out->rest;
    for (int strand = 0; strand < SCENE_STRANDS; ++strand) {
        int n = out->vertex_count[strand] = 2 + fil_rng_below(&rng, SCENE_VERTICES - 1);
        random_strand(&rng, n, length, x, rest);
        x += 3 * n, rest += 3 * n;
    }
    m->young = random_log(&rng, 1e4, 1e10);
    m->density = random_log(&rng, 10, 1e4);
    m->radius = length * random_log(&rng, 1e-4, 1e-1);
    m->poisson = fil_rng_uniform(&rng, 0, 0.5);
    m->aspect = random_log(&rng, 0.1, 1);
    m->viscosity = fil_rng_below(&rng, 2) ? m->young * random_log(&rng, 1e-5, 1e-1) : 0;
    m->drag = fil_rng_below(&rng, 2) ? random_log(&rng, 1e-6, 1) : 0;
    m->damping = fil_rng_below(&rng, 2) ? random_log(&rng, 1e-2, 1e2) : 0;
    out->group.model = model;
    out->group.root = (fil_end)fil_rng_below(&rng, 3);
    out->group.tip = (fil_end)(fil_rng_below(&rng, 4) == 0 ? 1 + fil_rng_below(&rng, 2) : 0);
    out->group.groom = (fil_groom){
        .strand_count = SCENE_STRANDS, .vertex_count = out->vertex_count, .position = out->position, .rest = out->rest};
    out->scene.groups = &out->group;
    out->scene.group_count = 1;
    out->scene.gravity[1] = -random_log(&rng, 0.1, 100);
    out->scene.wind[0] = fil_rng_uniform(&rng, -10, 10);
    out->scene.motion.scheme = (fil_scheme)fil_rng_below(&rng, 3);
    out->scene.motion.theta = fil_rng_uniform(&rng, 0.5, 1);
    out->scene.motion.method = (fil_method)fil_rng_below(&rng, 2);
    out->h = random_log(&rng, 1e-4, 1.0 / 24);
    out->shake = fil_rng_below(&rng, 3) == 0 ? length * random_log(&rng, 1e-2, 3) : 0.01 * length;
    out->turn = fil_rng_below(&rng, 3) == 0 ? fil_rng_uniform(&rng, 0, 2) : 0.01;
}

// A new random place for the root.
static void random_scene_shake(const random_scene *made, fil_rng *rng, fil_pose *pose)
{
    for (int k = 0; k < 3; ++k)
        pose->position[k] += made->shake * fil_rng_uniform(rng, -1, 1);
    double angle = made->turn * fil_rng_uniform(rng, -1, 1), axis[3], size = 0;
    for (int k = 0; k < 3; ++k) {
        axis[k] = fil_rng_normal(rng);
        size += axis[k] * axis[k];
    }
    pose->rotation[0] = cos(angle / 2);
    for (int k = 0; k < 3; ++k)
        pose->rotation[k + 1] = sin(angle / 2) * axis[k] / sqrt(size);
}

#endif
