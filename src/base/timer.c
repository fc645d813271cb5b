// Monotonic wall clock: durations survive a change of the system time.
#include "base/timer.h"

#include <time.h>

double fil_timer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
