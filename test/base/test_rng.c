// Random numbers: the published sequence, and the shape of the distributions.
#include "test.h"

#include "base/rng.h"

#include <stdlib.h>

// Reference values of SplitMix64 for the seed 1234567 (the reference implementation in Java's SplittableRandom).
TEST(rng_known_values)
{
    fil_rng rng = fil_rng_make(1234567);
    ck_assert_uint_eq(fil_rng_bits(&rng), UINT64_C(6457827717110365317));
    ck_assert_uint_eq(fil_rng_bits(&rng), UINT64_C(3203168211198807973));
    ck_assert_uint_eq(fil_rng_bits(&rng), UINT64_C(9817491932198370423));
    ck_assert_uint_eq(fil_rng_bits(&rng), UINT64_C(4593380528125082431));
    ck_assert_uint_eq(fil_rng_bits(&rng), UINT64_C(16408922859458223821));
}

TEST(rng_same_seed_same_sequence)
{
    fil_rng a = fil_rng_make(7), b = fil_rng_make(7), c = fil_rng_make(8);
    int equal = 0;
    for (int i = 0; i < 100; ++i) {
        uint64_t bits = fil_rng_bits(&a);
        ck_assert_uint_eq(bits, fil_rng_bits(&b));
        equal += bits == fil_rng_bits(&c);
    }
    ck_assert_int_eq(equal, 0);
}

// Chi-squared over 100 cells: 99 degrees of freedom, deviation sqrt(2 * 99) = 14; six deviations allowed.
TEST(rng_uniform_fills_the_interval_evenly)
{
    enum { CELLS = 100, SAMPLES = 1000000 };
    int cells[CELLS] = {0}, outside = 0;
    fil_rng rng = fil_rng_make(1);
    for (int i = 0; i < SAMPLES; ++i) {
        double x = fil_rng_uniform(&rng, -2.0, 3.0);
        if (x >= -2.0 && x < 3.0)
            ++cells[(int)((x + 2.0) / 5.0 * CELLS)];
        else
            ++outside;
    }
    ck_assert_int_eq(outside, 0);
    double chi = 0, expected = (double)SAMPLES / CELLS;
    for (int i = 0; i < CELLS; ++i)
        chi += (cells[i] - expected) * (cells[i] - expected) / expected;
    ck_assert_msg(fabs(chi - (CELLS - 1)) < 6 * 14.1, "chi-squared %g", chi);
}

TEST(rng_below_reaches_every_number_evenly)
{
    enum { BOUND = 7, SAMPLES = 700000 };
    int seen[BOUND] = {0}, outside = 0;
    fil_rng rng = fil_rng_make(2);
    for (int i = 0; i < SAMPLES; ++i) {
        int k = fil_rng_below(&rng, BOUND);
        if (k >= 0 && k < BOUND)
            ++seen[k];
        else
            ++outside;
    }
    ck_assert_int_eq(outside, 0);
    for (int k = 0; k < BOUND; ++k)
        ck_assert_msg(abs(seen[k] - SAMPLES / BOUND) < 2000, "%d was drawn %d times", k, seen[k]);
    ck_assert_int_eq(fil_rng_below(&rng, 1), 0);
}

TEST(rng_normal_has_the_right_moments)
{
    enum { SAMPLES = 1000000 };
    fil_rng rng = fil_rng_make(3);
    double moments[5] = {0};
    for (int i = 0; i < SAMPLES; ++i) {
        double x = fil_rng_normal(&rng), power = 1;
        for (int k = 0; k < 5; ++k, power *= x)
            moments[k] += power / SAMPLES;
    }
    ck_assert(fabs(moments[1]) < 0.006);
    ck_assert(fabs(moments[2] - 1) < 0.01);
    ck_assert(fabs(moments[3]) < 0.03);
    ck_assert(fabs(moments[4] - 3) < 0.06);
}
