// The clock never goes back, and its unit is the second.
#include "test.h"

#include "base/timer.h"

#include <time.h>

TEST(timer_counts_seconds)
{
    double start = fil_timer_seconds(), previous = start;
    for (int i = 0; i < 1000; ++i) {
        double now = fil_timer_seconds();
        ck_assert(now >= previous);
        previous = now;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    double passed = fil_timer_seconds() - start;
    ck_assert_msg(passed >= 0.049 && passed < 60, "%g s", passed);
}
