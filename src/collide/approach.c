// Things that come near each other, by planes that keep them apart.
//
// At a time t the nearest points of the two things give a direction n, and a plane across it lies between them. Their
// corners go straight, so the distance of each pair of corners along n is linear in time, and all corners stay on their
// sides until the first of these distances falls to the reach: till then nothing can have happened. The next look is
// at that time. Looks never go past the first meeting, and near it they converge as Newton's method does where the
// corners that come first move alike, linearly otherwise.
#include "collide/approach.h"

#include "collide/segment.h"
#include "collide/triangle.h"
#include "math/mat3.h"

#include <math.h>

enum { LOOKS = 64 };

static void place(const fil_approach_thing *self, double time, double x[3][3])
{
    for (int c = 0; c < self->corners; ++c)
        for (int k = 0; k < 3; ++k)
            x[c][k] = (1 - time) * self->from[c][k] + time * self->to[c][k];
}

// Weights of the nearest points.
static void find_nearest(double p[3][3], int p_corners, double q[3][3], int q_corners, fil_approach *out)
{
    double *s = &out->weight_p[1], *t = &out->weight_q[1];
    *s = 0;
    if (q_corners == 2) {
        fil_segment_nearest(p[0], p[1], q[0], q[1], s, t);
        out->weight_q[0] = 1 - *t;
    } else if (p_corners == 2) {
        fil_triangle_nearest_segment(q, p[0], p[1], out->weight_q, s);
    } else {
        fil_triangle_nearest(q, p[0], out->weight_q);
    }
    out->weight_p[0] = 1 - *s;
}

// The directions along which the nearest points could slide: edges and triangles that they lie inside. At most two.
static int find_slides(double x[3][3], const double *weight, int corners, double slide[3][3], int count)
{
    int last = -1;
    for (int c = 0; c < corners && count < 2; ++c) {
        if (!(weight[c] > 0))
            continue;
        for (int k = 0; k < 3 && last >= 0; ++k)
            slide[count][k] = x[c][k] - x[last][k];
        count += last >= 0;
        last = c;
    }
    return count;
}

// The way from one nearest point to the other is the difference of nearly equal numbers when they are close. That it is
// at right angles to all slides gives its digits back.
static void sharpen(double normal[3], double slide[3][3], int count)
{
    double across[3];
    if (count == 2) {
        fil_vec3_cross(slide[0], slide[1], across);
        double size = fil_vec3_norm(slide[0]) * fil_vec3_norm(slide[1]);
        if (fil_vec3_normalise(across) > 1e-6 * size) {
            double sign = fil_vec3_dot(across, normal) < 0 ? -1 : 1;
            for (int k = 0; k < 3; ++k)
                normal[k] = sign * across[k];
            return;
        }
    }
    if (count > 0) {
        double along = fil_vec3_dot(normal, slide[0]) / fil_vec3_dot(slide[0], slide[0]);
        for (int k = 0; k < 3; ++k)
            normal[k] -= along * slide[0][k];
        fil_vec3_normalise(normal);
    }
}

double fil_approach_fall(const double *from, const double *to, int count, double time, double reach)
{
    double first = 2;
    for (int i = 0; i < count; ++i) {
        if (!((1 - time) * from[i] + time * to[i] > reach))
            return time;
        double falls = (from[i] - reach) / (from[i] - to[i]);
        first = to[i] < from[i] && to[i] <= reach && falls < first ? falls : first;
    }
    return first;
}

double fil_approach_look(const fil_approach_thing *p, const fil_approach_thing *q, double time, double reach,
                         fil_approach *out)
{
    double x[3][3] = {{0}}, y[3][3] = {{0}};
    place(p, time, x);
    place(q, time, y);
    *out = (fil_approach){.time = time};
    find_nearest(x, p->corners, y, q->corners, out);
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < p->corners; ++c)
            out->normal[k] += out->weight_p[c] * x[c][k];
        for (int c = 0; c < q->corners; ++c)
            out->normal[k] -= out->weight_q[c] * y[c][k];
    }
    out->distance = fil_vec3_normalise(out->normal);
    // What rounding left of a meeting has a direction that means nothing.
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size = fmax(size, fmax(fabs(x[0][k]), fabs(y[0][k])));
    if (!(out->distance > 1e-14 * size)) {
        out->distance = 0;
        out->normal[0] = out->normal[1] = out->normal[2] = 0;
    }
    if (!(out->distance > reach))
        return time;
    double slide[3][3], from[6], to[6];
    int slides = find_slides(y, out->weight_q, q->corners, slide, 0), pairs = 0;
    sharpen(out->normal, slide, find_slides(x, out->weight_p, p->corners, slide, slides));
    for (int i = 0; i < p->corners; ++i)
        for (int j = 0; j < q->corners; ++j, ++pairs) {
            from[pairs] = to[pairs] = 0;
            for (int k = 0; k < 3; ++k) {
                from[pairs] += out->normal[k] * (p->from[i][k] - q->from[j][k]);
                to[pairs] += out->normal[k] * (p->to[i][k] - q->to[j][k]);
            }
        }
    return fil_approach_fall(from, to, pairs, time, reach);
}

bool fil_approach_find(const fil_approach_thing *p, const fil_approach_thing *q, double time, double until,
                       double reach, fil_approach *out)
{
    for (int look = 0; look < LOOKS; ++look) {
        double apart = fil_approach_look(p, q, time, reach, out);
        if (apart <= time || out->distance <= 1.001 * reach)
            return true;
        if (apart > until)
            return false;
        time = apart;
    }
    return true;
}

double fil_approach_way(const fil_approach_thing *thing)
{
    double longest = 0;
    for (int c = 0; c < thing->corners; ++c) {
        double way[3];
        for (int k = 0; k < 3; ++k)
            way[k] = thing->to[c][k] - thing->from[c][k];
        longest = fmax(longest, fil_vec3_norm(way));
    }
    return longest;
}
