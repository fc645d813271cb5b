// What strands can be coloured by: one number for each vertex, and a scale for all of them. See value.c.
#ifndef FIL_RENDER_VALUE_H
#define FIL_RENDER_VALUE_H

#include "filum/types.h"

// Of the vertices of a group. Speed: `before` and `after` are places `seconds` apart.
void fil_value_strain(const fil_cache_group *group, const float *position, const float *stretch, float *value);
void fil_value_speed(int64_t vertices, const float *before, const float *after, double seconds, float *value);
void fil_value_force(const fil_cache_group *group, const float *stretch, float *value);

// How large values are, without keeping them. Zeroed: there were none.
enum { FIL_VALUE_OCTAVES = 96, FIL_VALUE_STEPS = 16 };
typedef struct fil_value_scale {
    int64_t zeros, count[FIL_VALUE_OCTAVES * FIL_VALUE_STEPS];
} fil_value_scale;
void fil_value_scale_add(fil_value_scale *scale, const float *value, int64_t count);
// A round number that 99 of 100 values stay below, whatever their sign; at least `least`.
double fil_value_scale_end(const fil_value_scale *scale, double least);

#endif
