// Reproducible random numbers: the same seed gives the same sequence everywhere (normal numbers up to the last digits
// of the machine's log and cos). See rng.c.
#ifndef FIL_BASE_RNG_H
#define FIL_BASE_RNG_H

#include <stdint.h>

typedef struct fil_rng {
    uint64_t state;
} fil_rng;

fil_rng fil_rng_make(uint64_t seed);
uint64_t fil_rng_bits(fil_rng *rng);
double fil_rng_uniform(fil_rng *rng, double low, double high);
double fil_rng_normal(fil_rng *rng);        // mean 0, variance 1
int fil_rng_below(fil_rng *rng, int bound); // 0 .. bound - 1

#endif
