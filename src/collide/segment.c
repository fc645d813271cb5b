// Nearest points of two segments: with d = p1 - p0, e = q1 - q0, g = p0 - q0 the distance
//
//   |g + s d - t e|²
//
// is least where both derivatives vanish. The best s on the line is cut to [0, 1], the best t for it is cut to [0, 1],
// and if that moved t, s is found anew: the square is convex, so that is the minimum (Ericson 2005, 5.1.9).
#include "collide/segment.h"

#include "math/mat3.h"

static double cut(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

// The place on a segment nearest to a point: `along` is its direction times the way to the point.
static double place(double along, double square)
{
    return square > 0 ? cut(along / square) : 0;
}

double fil_segment_nearest(const double p0[3], const double p1[3], const double q0[3], const double q1[3], double *s,
                           double *t)
{
    double d[3], e[3], g[3], way[3];
    for (int k = 0; k < 3; ++k)
        d[k] = p1[k] - p0[k], e[k] = q1[k] - q0[k], g[k] = p0[k] - q0[k];
    double dd = fil_vec3_dot(d, d), ee = fil_vec3_dot(e, e), de = fil_vec3_dot(d, e);
    double dg = fil_vec3_dot(d, g), eg = fil_vec3_dot(e, g), across = dd * ee - de * de;
    // Nearly parallel: any s will do for a start.
    double start = across > 1e-14 * dd * ee ? cut((de * eg - ee * dg) / across) : 0;
    *t = place(eg + start * de, ee);
    *s = place(*t * de - dg, dd);
    for (int k = 0; k < 3; ++k)
        way[k] = g[k] + *s * d[k] - *t * e[k];
    return fil_vec3_dot(way, way);
}
