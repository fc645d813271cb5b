// Do moving edges, or a moving vertex and a moving triangle, meet? See crossing.c.
//
// All points go straight: at time t of 0 to 1 they are at x0 + t (x1 - x0). Four points in a plane are a root of a
// cubic; each root is tried for a common point. Nothing that meets is missed: where rounding leaves a doubt, they meet.
#ifndef FIL_COLLIDE_CROSSING_H
#define FIL_COLLIDE_CROSSING_H

#include <stdbool.h>

typedef struct fil_crossing {
    double time;  // the first
    double at[2]; // edges: the place on each, 0 to 1; vertex and triangle: weights of the second and third corner
    // Unit, across both edges or the triangle at that time, on the side where the first came from. Where they came
    // along their common plane, or edges are parallel: the way they came.
    double normal[3];
} fil_crossing;

// Edges p0 p1 and q0 q1.
bool fil_crossing_edges(const double p0[2][3], const double p1[2][3], const double q0[2][3], const double q1[2][3],
                        fil_crossing *out);
// Vertex p and triangle q.
bool fil_crossing_face(const double p0[3], const double p1[3], const double q0[3][3], const double q1[3][3],
                       fil_crossing *out);

#endif
