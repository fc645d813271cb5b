// How long a film is and in which steps.
#include "filum/filum.h"
#include "test.h"

TEST(timing_divides_frames_evenly)
{
    fil_timing timing = fil_timing_default();
    double h;
    ck_assert_int_eq(fil_timing_frames(&timing), 60);
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 17);
    test_near(h * 17 * 30, 1, 1e-15);
    timing.step = 1.0 / 30 / 4; // exactly four, but for rounding
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 4);
    timing.step = 1;
    ck_assert_int_eq(fil_timing_steps(&timing, &h), 1);
    timing.fps = 24;
    timing.duration = 1.99; // 47.76 frames
    ck_assert_int_eq(fil_timing_frames(&timing), 48);
    timing.duration = 0;
    ck_assert_int_eq(fil_timing_frames(&timing), 0);
    timing.duration = INFINITY;
    ck_assert_int_eq(fil_timing_frames(&timing), 2147483647);
    timing.duration = NAN;
    ck_assert_int_eq(fil_timing_frames(&timing), 0);
}
