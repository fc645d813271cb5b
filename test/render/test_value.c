// What strands are coloured by: against values that are known.
#include "render/value.h"

#include "test.h"

#include <string.h>

enum { N = 5 };

// One strand of N vertices with edges of 0.01 m, straight at rest.
typedef struct strand {
    int count[1];
    double radius[N], length[N], stiffness[N], curvature[N];
    fil_cache_group group;
} strand;

static void make_strand(strand *s)
{
    *s = (strand){.count = {N}};
    for (int i = 0; i < N; ++i) {
        s->radius[i] = 1e-4;
        s->length[i] = i + 1 < N ? 0.01 : 0;
        s->stiffness[i] = 100;
    }
    s->group = (fil_cache_group){.strand_count = 1, .vertex_total = N};
    s->group.shape = (fil_shape){s->count, s->radius, s->length, s->stiffness, s->curvature};
}

// On a circle of radius R the strain is radius / R at inner vertices, and a strand curved at rest has none.
TEST(value_strain_of_a_bent_strand)
{
    strand s;
    make_strand(&s);
    float position[3 * N] = {0}, stretch[N] = {0}, value[N];
    double big = 0.05, angle = 2 * asin(0.01 / 2 / big), curvature = 2 * tan(angle / 2) / 0.01;
    for (int i = 0; i < N; ++i) {
        position[3 * i] = (float)(big * cos(angle * i));
        position[3 * i + 1] = (float)(big * sin(angle * i));
    }
    fil_value_strain(&s.group, position, stretch, value);
    ck_assert_float_eq(value[0], 0);
    ck_assert_float_eq(value[N - 1], 0);
    for (int i = 1; i + 1 < N; ++i) {
        ck_assert(fabs((double)value[i] / (1e-4 * curvature) - 1) < 1e-4);
        s.curvature[i] = curvature;
    }
    stretch[1] = -0.02f;
    fil_value_strain(&s.group, position, stretch, value);
    ck_assert(fabs((double)value[1] - 0.02) < 1e-6 && fabs((double)value[2] - 0.02) < 1e-6);
    ck_assert((double)value[3] < 1e-6);
}

TEST(value_force_is_stiffness_times_stretch)
{
    strand s;
    make_strand(&s);
    float stretch[N] = {0.01f, 0.03f, -0.01f, -0.01f, -0.01f}, value[N];
    fil_value_force(&s.group, stretch, value);
    double expected[N] = {1, 2, 1, -1, -1};
    for (int i = 0; i < N; ++i)
        ck_assert(fabs((double)value[i] - expected[i]) < 1e-6);
}

TEST(value_speed_is_way_over_time)
{
    float before[6] = {0}, after[6] = {0.03f, 0.04f, 0, 0, 0, 0}, value[2];
    fil_value_speed(2, before, after, 0.1, value);
    ck_assert(fabs((double)value[0] - 0.5) < 1e-6);
    ck_assert_float_eq(value[1], 0);
    fil_value_speed(2, before, after, 0, value); // no time, no speed
    ck_assert_float_eq(value[0], 0);
}

TEST(value_scale_is_round_and_ignores_a_few_wild_ones)
{
    static fil_value_scale scale;
    float value[1000];
    for (int i = 0; i < 1000; ++i)
        value[i] = 0.0011f * (float)(i % 2 ? i : -i) / 1000;
    value[7] = 1e20f;
    value[8] = NAN;
    value[9] = INFINITY;
    fil_value_scale_add(&scale, value, 1000);
    test_near(fil_value_scale_end(&scale, 1e-6) / 0.0015, 1, 1e-9);
    // Nothing at all: the least there is. A single one among many zeros still shows.
    static fil_value_scale empty;
    test_near(fil_value_scale_end(&empty, 1e-6) / 1e-6, 1, 1e-9);
    memset(value, 0, sizeof value);
    value[0] = 0.7f;
    fil_value_scale_add(&empty, value, 1000);
    test_near(fil_value_scale_end(&empty, 1e-6), 0.8, 1e-9);
}
