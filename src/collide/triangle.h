// Nearest points of a triangle and a point or a segment. See triangle.c.
#ifndef FIL_COLLIDE_TRIANGLE_H
#define FIL_COLLIDE_TRIANGLE_H

// The point of the triangle that is nearest to x, as weights of the corners; they sum to 1. Returns the square of the
// distance. Triangles without area are segments or points.
double fil_triangle_nearest(double corner[3][3], const double x[3], double weight[3]);

// The nearest of several triangles so far; the square may start as that of a distance beyond which nothing counts.
typedef struct fil_triangle_best {
    double square;
    int triangle; // -1: none
    double weight[3];
} fil_triangle_best;
void fil_triangle_try(double corner[3][3], int triangle, const double x[3], fil_triangle_best *best);

// The nearest points of the triangle and the segment from a to b: a + s (b - a). Returns the square of their distance.
double fil_triangle_nearest_segment(double corner[3][3], const double a[3], const double b[3], double weight[3],
                                    double *s);

#endif
