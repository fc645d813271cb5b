// Colours of values: lightness rises evenly, sides mirror each other, neighbours differ, nonsense does no harm.
#include "render/palette.h"

#include "test.h"

static double lightness(const float c[3])
{
    return 0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2];
}

TEST(palette_amount_rises_in_lightness)
{
    double last = -1;
    for (int i = 0; i <= 100; ++i) {
        float c[3];
        fil_palette_amount(i / 100.0, c);
        for (int k = 0; k < 3; ++k)
            ck_assert(c[k] >= 0 && c[k] <= 1);
        ck_assert_double_gt(lightness(c), last);
        last = lightness(c);
    }
}

TEST(palette_sides_are_told_apart)
{
    float low[3], middle[3], high[3];
    fil_palette_sides(-1, low);
    fil_palette_sides(0, middle);
    fil_palette_sides(1, high);
    ck_assert(low[2] > 3 * low[0] && high[0] > 3 * high[2]);
    ck_assert(lightness(middle) > 3 * lightness(low) && lightness(middle) > 3 * lightness(high));
}

TEST(palette_takes_anything)
{
    float c[3], end[3];
    fil_palette_amount(1, end);
    fil_palette_amount(1e300, c);
    ck_assert_mem_eq(c, end, sizeof c);
    fil_palette_amount(0, end);
    fil_palette_amount(NAN, c);
    ck_assert_mem_eq(c, end, sizeof c);
    fil_palette_one_of_many(4294967295u, c);
    ck_assert(c[0] >= 0 && c[0] <= 1);
}

TEST(palette_neighbours_differ)
{
    // Neighbours in a row, and in a spiral by the golden ratio.
    static const unsigned steps[] = {1, 2, 3, 5, 8, 13, 21, 34, 55};
    for (unsigned i = 0; i < 50; ++i)
        for (int s = 0; s < 9; ++s) {
            float a[3], b[3];
            double difference = 0;
            fil_palette_one_of_many(i, a);
            fil_palette_one_of_many(i + steps[s], b);
            for (int k = 0; k < 3; ++k)
                difference += fabs((double)a[k] - (double)b[k]);
            ck_assert_double_gt(difference, 0.1);
        }
}
