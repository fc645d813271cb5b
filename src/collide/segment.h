// Nearest points of two segments. See segment.c.
#ifndef FIL_COLLIDE_SEGMENT_H
#define FIL_COLLIDE_SEGMENT_H

// The nearest points p0 + s (p1 - p0) and q0 + t (q1 - q0), 0 <= s, t <= 1. Returns the square of their distance.
// Parallel segments have many: one of them is taken. A segment may be a point.
double fil_segment_nearest(const double p0[3], const double p1[3], const double q0[3], const double q1[3], double *s,
                           double *t);

#endif
