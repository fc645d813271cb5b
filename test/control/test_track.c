// Tracks: they pass through their keys, without jumps, and without going past them where they say so.
#include "test.h"

#include "base/rng.h"
#include "control/track.h"

#include <math.h>

static double value_at(const fil_track *track, double t)
{
    double y;
    fil_track_at(track, 1, t, &y);
    return y;
}

enum { KEYS = 9 };
static const double times[KEYS] = {-1, 0, 0.1, 0.5, 0.6, 1.5, 2, 2.01, 4};
static const double values[KEYS] = {0, 0, 1, 1, 3, -2, -1, -1, 5};

static fil_track track_of(fil_blend blend)
{
    return (fil_track){.key_count = KEYS, .time = times, .value = values, .blend = blend};
}

TEST(tracks_pass_through_their_keys_and_stay_behind_them)
{
    for (int blend = FIL_BLEND_SMOOTH; blend <= FIL_BLEND_LINEAR; ++blend) {
        fil_track track = track_of((fil_blend)blend);
        for (int i = 0; i < KEYS; ++i)
            test_near(value_at(&track, times[i]), values[i], 1e-15);
        ck_assert_double_eq(value_at(&track, -100), values[0]);
        ck_assert_double_eq(value_at(&track, 100), values[KEYS - 1]);
        ck_assert_double_eq(value_at(&track, -INFINITY), values[0]);
    }
}

// Differences of order 0, 1 and 2 from the left and from the right of every key.
static void check_joins(const fil_track *track, int order, double tolerance)
{
    const double d = 1e-4;
    for (int i = 1; i < KEYS - 1; ++i) {
        double t = times[i], y[5];
        for (int k = 0; k < 5; ++k)
            y[k] = value_at(track, t + (k - 2) * d);
        double slope_left = (3 * y[2] - 4 * y[1] + y[0]) / (2 * d);
        double slope_right = (-3 * y[2] + 4 * y[3] - y[4]) / (2 * d);
        ck_assert_double_lt(fabs(slope_left - slope_right), tolerance);
        double bend_left = (y[2] - 2 * y[1] + y[0]) / (d * d), bend_right = (y[4] - 2 * y[3] + y[2]) / (d * d);
        if (order == 2)
            ck_assert_msg(fabs(bend_left - bend_right) < 0.2 * (1 + fabs(bend_left)) + 2e5 * d, "key %d: %g, %g", i,
                          bend_left, bend_right);
    }
}

TEST(smooth_and_spline_join_without_jumps)
{
    fil_track track = track_of(FIL_BLEND_SMOOTH);
    check_joins(&track, 2, 0.05);
    track.blend = FIL_BLEND_SPLINE;
    check_joins(&track, 2, 0.05);
}

TEST(smooth_never_passes_its_keys)
{
    fil_rng rng = fil_rng_make(3);
    for (int round = 0; round < 300; ++round) {
        double t[6], y[6];
        for (int i = 0; i < 6; ++i) {
            t[i] = (i > 0 ? t[i - 1] : 0) + exp(fil_rng_uniform(&rng, -4, 2));
            y[i] = fil_rng_below(&rng, 3) == 0 && i > 0 ? y[i - 1] : fil_rng_uniform(&rng, -5, 5);
        }
        fil_track track = {.key_count = 6, .time = t, .value = y};
        for (int i = 0; i < 5; ++i)
            for (int k = 0; k <= 200; ++k) {
                double s = value_at(&track, t[i] + (t[i + 1] - t[i]) * k / 200);
                ck_assert_double_ge(s, fmin(y[i], y[i + 1]) - 1e-12);
                ck_assert_double_le(s, fmax(y[i], y[i + 1]) + 1e-12);
            }
    }
}

// Slopes from the whole system, solved densely enough by many sweeps; the window must not show.
TEST(spline_is_the_spline_of_all_keys)
{
    enum { N = 400 };
    static double t[N], y[N], m[N];
    fil_rng rng = fil_rng_make(5);
    for (int i = 0; i < N; ++i) {
        t[i] = (i > 0 ? t[i - 1] : 0) + exp(fil_rng_uniform(&rng, -3, 0));
        y[i] = fil_rng_uniform(&rng, -1, 1);
        m[i] = 0;
    }
    for (int sweep = 0; sweep < 300; ++sweep)
        for (int i = 1; i < N - 1; ++i) {
            double a = 1 / (t[i] - t[i - 1]), b = 1 / (t[i + 1] - t[i]);
            double load = 3 * ((y[i] - y[i - 1]) * a * a + (y[i + 1] - y[i]) * b * b);
            m[i] = (load - a * m[i - 1] - b * m[i + 1]) / (2 * (a + b));
        }
    fil_track track = {.key_count = N, .time = t, .value = y, .blend = FIL_BLEND_SPLINE};
    for (int i = 0; i < N - 1; ++i) {
        double h = t[i + 1] - t[i], s = 0.3;
        double hermite = y[i] * (1 + 2 * s) * (1 - s) * (1 - s) + h * m[i] * s * (1 - s) * (1 - s) +
                         y[i + 1] * s * s * (3 - 2 * s) - h * m[i + 1] * s * s * (1 - s);
        test_near(value_at(&track, t[i] + s * h), hermite, 1e-12);
    }
}

// A sine sampled at 24 keys a second comes back to fourth order.
TEST(spline_follows_dense_keys)
{
    enum { N = 49 };
    double t[N], y[N];
    for (int i = 0; i < N; ++i) {
        t[i] = i / 24.0;
        y[i] = 1 - cos(3.14159265358979 * t[i]); // starts and ends at rest
    }
    fil_track track = {.key_count = N, .time = t, .value = y, .blend = FIL_BLEND_SPLINE};
    for (int i = 0; i < 1000; ++i)
        test_near(value_at(&track, 0.002 * i), 1 - cos(3.14159265358979 * 0.002 * i), 3e-6);
}

TEST(one_key_is_a_constant)
{
    double time = 1, y[3];
    const double value[3] = {1, 2, 3};
    fil_track track = {.key_count = 1, .time = &time, .value = value};
    fil_track_at(&track, 3, 0, y);
    ck_assert_mem_eq(y, value, sizeof y);
    fil_track_at(&track, 3, 2, y);
    ck_assert_mem_eq(y, value, sizeof y);
}

TEST(bad_tracks_are_named)
{
    fil_context *context = fil_context_create(NULL);
    double t[3] = {0, 1, 1}, y[3] = {0, 1, 2};
    fil_track track = {.key_count = 3, .time = t, .value = y};
    test_fails(context, fil_track_check(context, &track, 1, "wind"), FIL_BAD_INPUT,
               "wind: time[2]: must be later than the one before, 1 s (got 1)");
    t[2] = NAN;
    test_fails(context, fil_track_check(context, &track, 1, "wind"), FIL_BAD_INPUT,
               "wind: time[2]: must be finite (got nan)");
    t[2] = 2;
    y[1] = INFINITY;
    test_fails(context, fil_track_check(context, &track, 1, "wind"), FIL_BAD_INPUT,
               "wind: value[1][0]: must be finite (got inf)");
    track.time = NULL;
    test_fails(context, fil_track_check(context, &track, 1, "wind"), FIL_BAD_INPUT,
               "wind: time and value must be given for 3 keys");
    fil_context_destroy(context);
}
