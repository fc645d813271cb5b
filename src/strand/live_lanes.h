// What live kernels are written in, for C: eight floats in a register. step/live_opencl_words.cl gives the same names
// another meaning: one float of a work item, or eight. A kernel file has no other vocabulary, and no include guard;
// names that OpenCL C keeps for itself (global, local, private, constant, kernel, half) are not for its variables.
#ifndef FIL_STRAND_LIVE_LANES_H
#define FIL_STRAND_LIVE_LANES_H

#include "math/simd.h"

#include <stddef.h>

#define GLOBAL   // memory that all see
#define STRIDE 8 // floats from one number of a strand to the next
#define LIVE static inline

typedef fil_v8 lanes;
typedef fil_m8 mask;

static inline lanes load(const float *array, int at)
{
    return fil_v8_load(array + (ptrdiff_t)at * STRIDE);
}

static inline void store(float *array, int at, lanes value)
{
    fil_v8_store(array + (ptrdiff_t)at * STRIDE, value);
}

// Begins to bring to the cache what will be loaded soon.
static inline void ask_for(const float *array, int at)
{
    __builtin_prefetch(array + (ptrdiff_t)at * STRIDE);
}

static inline lanes all(float x)
{
    return fil_v8_all(x);
}

static inline lanes choose(mask which, lanes yes, lanes no)
{
    return fil_v8_select(which, yes, no);
}

static inline bool any_of(mask which)
{
    return fil_m8_bits(which) != 0;
}

static inline mask not_of(mask which)
{
    return ~which;
}

static inline lanes root_of(lanes a)
{
    return fil_v8_sqrt(a);
}

#endif
