// A body of triangles, for the tests of src/step.
#ifndef FIL_TEST_STEP_GLOBE_H
#define FIL_TEST_STEP_GLOBE_H

#include "filum/types.h"

#include <math.h>
#include <string.h>

// A sphere of triangles.
typedef struct globe {
    double x[3 * 17 * 33];
    int triangle[3 * 2 * 16 * 32];
    fil_mesh mesh;
} globe;

static inline void globe_make(double radius, globe *out)
{
    const double pi = 3.14159265358979;
    for (int i = 0; i < 17; ++i)
        for (int j = 0; j < 33; ++j) {
            double *x = out->x + 3 * (33 * i + j), down = pi * i / 16, around = 2 * pi * (j % 32) / 32;
            x[0] = radius * sin(down) * cos(around), x[1] = radius * cos(down), x[2] = radius * sin(down) * sin(around);
        }
    int *t = out->triangle;
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 32; ++j) {
            int a = 33 * i + j, b = a + 33;
            const int corners[6] = {a, a + 1, b, a + 1, b + 1, b};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
    out->mesh = (fil_mesh){
        .vertex_count = 17 * 33, .triangle_count = 2 * 16 * 32, .position = out->x, .triangle = out->triangle};
}

#endif
