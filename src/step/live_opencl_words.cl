// What live kernels are written in, for OpenCL: the words of strand/live_lanes.h. The host says with WIDE how many
// strands a work item moves, 1 or 8, and with STRIDE how many floats it is from one number of a strand to the next.
#pragma OPENCL FP_CONTRACT OFF

#define GLOBAL __global
#define LIVE static
#define all all_lanes // OpenCL has a function of that name

#if WIDE == 8

typedef float8 lanes;
typedef int8 mask;

LIVE lanes load(GLOBAL const float *array, int at)
{
    return vload8(0, array + (long)at * STRIDE);
}

LIVE void store(GLOBAL float *array, int at, lanes value)
{
    vstore8(value, 0, array + (long)at * STRIDE);
}

LIVE lanes choose(mask which, lanes yes, lanes no)
{
    return select(no, yes, which);
}

LIVE bool any_of(mask which)
{
    return any(which) != 0;
}

LIVE mask not_of(mask which)
{
    return ~which;
}

// Bits of the lanes.
LIVE int bits_of(mask which)
{
    const mask bit = (mask)(1, 2, 4, 8, 16, 32, 64, 128) & which;
    return bit.s0 | bit.s1 | bit.s2 | bit.s3 | bit.s4 | bit.s5 | bit.s6 | bit.s7;
}

#else

// Comparisons of single numbers give 1, those of vectors -1.
typedef float lanes;
typedef int mask;

LIVE lanes load(GLOBAL const float *array, int at)
{
    return array[(long)at * STRIDE];
}

LIVE void store(GLOBAL float *array, int at, lanes value)
{
    array[(long)at * STRIDE] = value;
}

LIVE lanes choose(mask which, lanes yes, lanes no)
{
    return which ? yes : no;
}

LIVE bool any_of(mask which)
{
    return which != 0;
}

LIVE mask not_of(mask which)
{
    return !which;
}

LIVE int bits_of(mask which)
{
    return which != 0;
}

#endif

// Devices hide the way to their memory by turning to another work item.
LIVE void ask_for(GLOBAL const float *array, int at)
{
    (void)array, (void)at;
}

LIVE lanes all(float x)
{
    return (lanes)(x);
}

LIVE lanes root_of(lanes a)
{
    return sqrt(a);
}
