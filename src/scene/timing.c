// How long a film is and in which steps. A frame takes a whole number of equal steps, none longer than asked for.
#include "scene/timing.h"

#include "base/settings.h"
#include "filum/filum.h"

#include <limits.h>
#include <math.h>

const fil_field fil_timing_fields[] = {
    {"duration", FIL_KIND_REAL, offsetof(fil_timing, duration), 2, 0, 1e5, "s", NULL, "how long the film is"},
    {"fps", FIL_KIND_REAL, offsetof(fil_timing, fps), 30, 0.1, 1e5, "1/s", NULL, "frames per second"},
    {"step", FIL_KIND_REAL, offsetof(fil_timing, step), 0.002, 1e-7, 10, "s", NULL,
     "length of a step at most: a frame takes a whole number of equal steps"},
    {"settle", FIL_KIND_BOOL, offsetof(fil_timing, settle), 0, 0, 1, "", NULL,
     "strands come to rest under their loads before the first frame"},
};
const int fil_timing_field_count = sizeof fil_timing_fields / sizeof *fil_timing_fields;

fil_timing fil_timing_default(void)
{
    fil_timing timing;
    fil_settings_defaults(fil_timing_fields, fil_timing_field_count, &timing);
    return timing;
}

// A count that fits an int, whatever the host has asked for.
static int to_count(double value, int least)
{
    return !(value >= least) ? least : value < INT_MAX ? (int)value : INT_MAX;
}

int fil_timing_frames(const fil_timing *timing)
{
    return to_count(floor(timing->duration * timing->fps + 0.5), 0);
}

int fil_timing_steps(const fil_timing *timing, double *h)
{
    // A step that divides the frame but for rounding is taken as it is.
    int steps = to_count(ceil(1 / (timing->fps * timing->step) - 1e-9), 1);
    if (h)
        *h = 1 / (timing->fps * steps);
    return steps;
}
