// When do two small things that move come near each other? See approach.c.
#ifndef FIL_COLLIDE_APPROACH_H
#define FIL_COLLIDE_APPROACH_H

#include <stdbool.h>

// A point, a segment or a triangle whose corners go straight from `from` to `to` while time goes from 0 to 1.
typedef struct fil_approach_thing {
    int corners;
    double from[3][3], to[3][3];
} fil_approach_thing;

typedef struct fil_approach {
    double time, distance;
    double weight_p[3], weight_q[3]; // of the corners: the nearest points at that time
    double normal[3];                // unit, from q to p; 0 when they meet
} fil_approach;

// How they stand at a time, and until when they are surely more than `reach` apart; not later than `time`: nothing can
// be said. p: point or segment. q: segment or triangle; a triangle if p is a point.
double fil_approach_look(const fil_approach_thing *p, const fil_approach_thing *q, double time, double reach,
                         fil_approach *out);
// The first time from `time` to `until` when they are at `reach` > 0, up to a thousandth of it. Never misses it; where
// it cannot be told within a number of looks, they are said to be there.
bool fil_approach_find(const fil_approach_thing *p, const fil_approach_thing *q, double time, double until,
                       double reach, fil_approach *out);
// The longest way of a corner.
double fil_approach_way(const fil_approach_thing *thing);

// The first time from `time` on when one of some values that go straight from `from` to `to` is at `reach` or below; 2:
// never.
double fil_approach_fall(const double *from, const double *to, int count, double time, double reach);

#endif
