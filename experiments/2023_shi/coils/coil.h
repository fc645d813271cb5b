// The coils of [Shi23] and what is done to them. Lengths in cm, as in the paper; the caller scales them.
#ifndef FIL_EXPERIMENT_COIL_H
#define FIL_EXPERIMENT_COIL_H

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { COIL_MOST_VERTICES = 101 };

// What happens to the free vertices of a coil.
typedef enum coil_deed {
    COIL_COMPRESS,   // x times a factor: across the axis of the coil
    COIL_FLATTEN,    // y times a factor: along the axis, away from the held part
    COIL_JITTER,     // every coordinate by a random number up to the size
    COIL_STRAIGHTEN, // all vertices on a line below the held edge; size 0: edges keep their lengths, else this long
} coil_deed;

typedef struct coil_test {
    const char *name;
    coil_deed deed;
    double size;
} coil_test;

// The tests of [Shi23]; flatten and the straight coil whose edges keep their lengths are ours.
static const coil_test coil_tests[] = {
    {"compress-30", COIL_COMPRESS, 0.7},      {"compress-60", COIL_COMPRESS, 0.4},
    {"compress-99.999", COIL_COMPRESS, 1e-5}, {"flatten-30", COIL_FLATTEN, 0.7},
    {"flatten-99.999", COIL_FLATTEN, 1e-5},   {"jitter-0.5", COIL_JITTER, 0.05},
    {"jitter-2", COIL_JITTER, 0.2},           {"jitter-5", COIL_JITTER, 0.5},
    {"straight", COIL_STRAIGHTEN, 0},         {"straight-short", COIL_STRAIGHTEN, 0.5},
};
enum { COIL_TESTS = sizeof coil_tests / sizeof *coil_tests };

typedef struct coil {
    int vertices, held; // the first `held` vertices do not move
    double radius;
    double rest[3 * COIL_MOST_VERTICES];
} coil;

static inline void coil_put(coil *made, double x, double y, double z)
{
    double *place = made->rest + 3 * (size_t)made->vertices++;
    place[0] = x, place[1] = y, place[2] = z;
}

// A wisp: radius 0.5, pitch 0.5, 5 vertices per turn, on a stem. Held is what lies in a ball of radius 15.25.
static inline coil coil_wisp(void)
{
    const double turn = 0.4 * 3.14159265358979323846;
    coil made = {.held = 4, .radius = 0.5};
    coil_put(&made, -1, 14, 0);
    coil_put(&made, 0, 14, 0);
    coil_put(&made, 0, 15, 0);
    for (int k = 2; k < 100; ++k)
        coil_put(&made, -0.5 * cos(turn * k), 15 + 0.1 * k, 0.5 * sin(turn * k));
    return made;
}

// The coil that is straightened: radius 0.75, pitch 1, 5 vertices per turn, hanging from a held vertical edge.
static inline coil coil_hanging(void)
{
    const double turn = 0.4 * 3.14159265358979323846;
    coil made = {.held = 2, .radius = 0.75};
    coil_put(&made, 0.75, 0.5, 0);
    for (int k = 0; k < 20; ++k)
        coil_put(&made, 0.75 * cos(turn * k), -0.2 * k, 0.75 * sin(turn * k));
    return made;
}

static inline void coil_straighten(const coil *made, double length, double *x)
{
    for (int i = made->held; i < made->vertices; ++i) {
        const double *a = made->rest + 3 * (size_t)i;
        double own =
            sqrt((a[0] - a[-3]) * (a[0] - a[-3]) + (a[1] - a[-2]) * (a[1] - a[-2]) + (a[2] - a[-1]) * (a[2] - a[-1]));
        double *out = x + 3 * (size_t)i;
        out[0] = out[-3], out[1] = out[-2] - (length > 0 ? length : own), out[2] = out[-1];
    }
}

// The deformed coil into x.
static inline void coil_deform(const coil *made, const coil_test *test, uint64_t seed, double *x)
{
    fil_rng rng = fil_rng_make(seed);
    double floor = made->rest[3 * (size_t)(made->held - 1) + 1];
    memcpy(x, made->rest, 3 * (size_t)made->vertices * sizeof *x);
    if (test->deed == COIL_STRAIGHTEN) {
        coil_straighten(made, test->size, x);
        return;
    }
    for (int i = made->held; i < made->vertices; ++i) {
        double *out = x + 3 * (size_t)i;
        if (test->deed == COIL_COMPRESS)
            out[0] *= test->size;
        else if (test->deed == COIL_FLATTEN)
            out[1] = floor + test->size * (out[1] - floor);
        for (int k = 0; k < 3 && test->deed == COIL_JITTER; ++k)
            out[k] += fil_rng_uniform(&rng, -test->size, test->size);
    }
}

#endif
