// Nearest points of a triangle and a point: the foot of the perpendicular when it lies inside, otherwise the nearest
// point of the three sides. A segment that goes through the triangle meets it; otherwise one of its ends or one of the
// sides of the triangle is part of the nearest pair.
#include "collide/triangle.h"

#include "collide/segment.h"
#include "math/mat3.h"

#include <string.h>

// Weights of the point of the segment a b that is nearest to the origin.
static void nearest_on_segment(const double a[3], const double b[3], double *first, double *second)
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double square = fil_vec3_dot(d, d), t = square > 0 ? -fil_vec3_dot(a, d) / square : 0;
    *second = fmin(fmax(t, 0), 1);
    *first = 1 - *second;
}

static double square_at(double y[3][3], const double weight[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double at = weight[0] * y[0][k] + weight[1] * y[1][k] + weight[2] * y[2][k];
        square += at * at;
    }
    return square;
}

double fil_triangle_nearest(double corner[3][3], const double x[3], double weight[3])
{
    double y[3][3], e[3], f[3];
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c)
            y[c][k] = corner[c][k] - x[k];
        e[k] = y[1][k] - y[0][k];
        f[k] = y[2][k] - y[0][k];
    }
    double ee = fil_vec3_dot(e, e), ef = fil_vec3_dot(e, f), ff = fil_vec3_dot(f, f), det = ee * ff - ef * ef;
    double ye = -fil_vec3_dot(y[0], e), yf = -fil_vec3_dot(y[0], f);
    double second = (ff * ye - ef * yf) / det, third = (ee * yf - ef * ye) / det;
    if (det > 1e-14 * ee * ff && second >= 0 && third >= 0 && second + third <= 1) {
        weight[0] = 1 - second - third;
        weight[1] = second;
        weight[2] = third;
        return square_at(y, weight);
    }
    double best = HUGE_VAL;
    for (int side = 0; side < 3; ++side) {
        int next = (side + 1) % 3;
        double tried[3] = {0, 0, 0};
        nearest_on_segment(y[side], y[next], &tried[side], &tried[next]);
        double square = square_at(y, tried);
        if (square < best) {
            best = square;
            memcpy(weight, tried, sizeof tried);
        }
    }
    return best;
}

void fil_triangle_try(double corner[3][3], int triangle, const double x[3], fil_triangle_best *best)
{
    double weight[3], square = fil_triangle_nearest(corner, x, weight);
    if (square < best->square) {
        best->square = square;
        best->triangle = triangle;
        memcpy(best->weight, weight, sizeof weight);
    }
}

// Where the segment goes through the triangle, if it does.
static bool goes_through(double corner[3][3], const double a[3], const double b[3], double weight[3], double *s)
{
    double e[3], f[3], normal[3], from[3], x[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = corner[1][k] - corner[0][k];
        f[k] = corner[2][k] - corner[0][k];
        from[k] = a[k] - corner[0][k];
        x[k] = b[k] - corner[0][k];
    }
    fil_vec3_cross(e, f, normal);
    double above = fil_vec3_dot(normal, from), below = fil_vec3_dot(normal, x);
    if (above * below >= 0)
        return false;
    *s = above / (above - below);
    for (int k = 0; k < 3; ++k)
        x[k] = from[k] + *s * (x[k] - from[k]);
    double area = fil_vec3_dot(normal, normal), side[3];
    fil_vec3_cross(x, f, side);
    weight[1] = fil_vec3_dot(side, normal) / area;
    fil_vec3_cross(e, x, side);
    weight[2] = fil_vec3_dot(side, normal) / area;
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

double fil_triangle_nearest_segment(double corner[3][3], const double a[3], const double b[3], double weight[3],
                                    double *s)
{
    if (goes_through(corner, a, b, weight, s))
        return 0;
    *s = 0;
    double best = fil_triangle_nearest(corner, a, weight);
    for (int k = 0; k < 4; ++k) {
        double tried[3] = {0, 0, 0}, place = 1, square;
        if (k == 3) {
            square = fil_triangle_nearest(corner, b, tried);
        } else {
            int next = (k + 1) % 3;
            square = fil_segment_nearest(a, b, corner[k], corner[next], &place, &tried[next]);
            tried[k] = 1 - tried[next];
        }
        if (square < best) {
            best = square;
            *s = place;
            memcpy(weight, tried, sizeof tried);
        }
    }
    return best;
}
