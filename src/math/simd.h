// Four doubles in one register, through GCC's vector extensions: plain operators, no intrinsics.
#ifndef FIL_MATH_SIMD_H
#define FIL_MATH_SIMD_H

#include <string.h>

typedef double fil_v4 __attribute__((vector_size(32)));

// Unaligned; reads four numbers even when only three are wanted, so arrays of triples end with one more.
static inline fil_v4 fil_v4_load(const double *p)
{
    fil_v4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void fil_v4_store(double *p, fil_v4 v)
{
    memcpy(p, &v, sizeof v);
}

static inline fil_v4 fil_v4_all(double x)
{
    return (fil_v4){x, x, x, x};
}

#endif
