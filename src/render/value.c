// What strands can be coloured by.
//
//     strain  |stretch| + radius |curvature - curvature at rest|: the largest in the cross-section
//     speed   distance between two frames over the time between them, m/s
//     force   stiffness × stretch, N: tension is positive
//
// Curvature is 2 tan(angle / 2) over the mean length of both edges at rest, as the strand models have it. Stretch and
// force belong to edges; a vertex takes the larger strain and the mean force of its two.
//
// A scale must hold for a whole film and must not hang on a single wild vertex. It counts values in bins, 16 to each
// power of two, and takes the one that 99 % stay below.
#include "render/value.h"

#include <math.h>

// 2 tan(angle / 2) between two edges.
static double bend(const float *a, const float *b, const float *c)
{
    double e[3], f[3], ee = 0, ff = 0, ef = 0;
    for (int k = 0; k < 3; ++k) {
        e[k] = (double)b[k] - (double)a[k];
        f[k] = (double)c[k] - (double)b[k];
        ee += e[k] * e[k], ff += f[k] * f[k], ef += e[k] * f[k];
    }
    double x = e[1] * f[2] - e[2] * f[1], y = e[2] * f[0] - e[0] * f[2], z = e[0] * f[1] - e[1] * f[0];
    double along = sqrt(ee * ff) + ef;
    return along > 0 ? 2 * sqrt(x * x + y * y + z * z) / along : 0;
}

void fil_value_strain(const fil_cache_group *group, const float *position, const float *stretch, float *value)
{
    const fil_shape *shape = &group->shape;
    int64_t first = 0;
    for (int s = 0; s < group->strand_count; first += shape->vertex_count[s++])
        for (int j = 0; j < shape->vertex_count[s]; ++j) {
            int64_t i = first + j;
            double before = fabs((double)stretch[j > 0 ? i - 1 : i]), after = fabs((double)stretch[i]);
            double strain = before > after ? before : after;
            if (j > 0 && j + 1 < shape->vertex_count[s]) {
                const float *p = position + 3 * i;
                double length = 0.5 * (shape->length[i - 1] + shape->length[i]);
                double curvature = length > 0 ? bend(p - 3, p, p + 3) / length : 0;
                strain += shape->radius[i] * fabs(curvature - shape->curvature[i]);
            }
            value[i] = (float)strain;
        }
}

void fil_value_speed(int64_t vertices, const float *before, const float *after, double seconds, float *value)
{
    for (int64_t i = 0; i < vertices; ++i) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            double way = (double)after[3 * i + k] - (double)before[3 * i + k];
            square += way * way;
        }
        value[i] = (float)(seconds > 0 ? sqrt(square) / seconds : 0);
    }
}

void fil_value_force(const fil_cache_group *group, const float *stretch, float *value)
{
    const fil_shape *shape = &group->shape;
    int64_t first = 0;
    for (int s = 0; s < group->strand_count; first += shape->vertex_count[s++]) {
        int last = shape->vertex_count[s] - 2; // edge
        for (int j = 0; j < shape->vertex_count[s]; ++j) {
            int64_t before = first + (j > 0 ? j - 1 : 0), after = first + (j < last ? j : last);
            value[first + j] = (float)(0.5 * (shape->stiffness[before] * (double)stretch[before] +
                                              shape->stiffness[after] * (double)stretch[after]));
        }
    }
}

// Bins of powers of two, from 2^-64 on.
enum { LOWEST = -64 };

void fil_value_scale_add(fil_value_scale *scale, const float *value, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        int power;
        double part = frexp(fabs((double)value[i]), &power); // in [0.5, 1)
        if (!(part >= 0.5) || !isfinite(part) || power < LOWEST) {
            ++scale->zeros;
            continue;
        }
        power = power - LOWEST < FIL_VALUE_OCTAVES ? power - LOWEST : FIL_VALUE_OCTAVES - 1;
        ++scale->count[power * FIL_VALUE_STEPS + (int)((2 * part - 1) * FIL_VALUE_STEPS)];
    }
}

// 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten, not below x.
static double round_up(double x)
{
    static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    double power = pow(10, floor(log10(x)));
    for (int i = 0; i < 8; ++i)
        if (steps[i] * power >= x * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

double fil_value_scale_end(const fil_value_scale *scale, double least)
{
    int64_t total = scale->zeros, below = scale->zeros;
    double most = 0;
    for (int i = 0; i < FIL_VALUE_OCTAVES * FIL_VALUE_STEPS; ++i)
        total += scale->count[i];
    // Where only a few are not zero, all of them count.
    bool few = scale->zeros > 0.99 * (double)total;
    for (int i = 0; i < FIL_VALUE_OCTAVES * FIL_VALUE_STEPS; ++i) {
        below += scale->count[i];
        if (scale->count[i] > 0)
            most = ldexp(1 + (i % FIL_VALUE_STEPS + 1.0) / FIL_VALUE_STEPS, i / FIL_VALUE_STEPS + LOWEST - 1);
        if (!few && (double)below >= 0.99 * (double)total)
            break;
    }
    return round_up(most > least ? most : least);
}
