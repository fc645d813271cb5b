// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit word of state, passes BigCrush, the same on every machine.
#include "base/rng.h"

#include <math.h>

fil_rng fil_rng_make(uint64_t seed)
{
    return (fil_rng){.state = seed};
}

uint64_t fil_rng_bits(fil_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double fil_rng_uniform(fil_rng *rng, double low, double high)
{
    double unit = (double)(fil_rng_bits(rng) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

double fil_rng_normal(fil_rng *rng)
{
    // Box-Muller; the second number is thrown away to keep the state one word.
    double radius = sqrt(-2.0 * log(1.0 - fil_rng_uniform(rng, 0.0, 1.0)));
    return radius * cos(fil_rng_uniform(rng, 0.0, 6.283185307179586));
}

int fil_rng_below(fil_rng *rng, int bound)
{
    return (int)(fil_rng_uniform(rng, 0.0, 1.0) * bound);
}
