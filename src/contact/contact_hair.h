// Inside of the family of contact problems from real strands: grooms and touches. See contact_hair.c.
#ifndef FIL_CONTACT_CONTACT_HAIR_H
#define FIL_CONTACT_CONTACT_HAIR_H

#include "base/arena.h"

enum { FIL_HAIR_CLUMP = 25 };   // strands of a clump
#define FIL_HAIR_SEGMENT 5e-3   // m, an edge
#define FIL_HAIR_DENSITY 1300.0 // kg/m³

// One strand of the family, as a curve that moves. Everything follows from the seed and the number of the strand.
typedef struct fil_contact_hair_strand {
    double radius;                  // m
    double root[3], slope[2];       // where its axis begins; how it leans to y and z
    double curl, turn, phase;       // helix about the axis: radius (m), rad per metre of axis, angle at the root
    double wander[2], rate, start;  // own waves to y and z: size (m), rad per metre, angle at the root
    double sway[2][3], swing[2][3]; // velocities (m/s) in and out of phase: of the whole, and more towards the tip
    double activity;                // 0 to 1: how much of its motion and of its weight the strand has
    double press[3];                // m/s, what pushes it towards its neighbours and down, without getting anywhere
} fil_contact_hair_strand;

fil_contact_hair_strand fil_contact_hair_groom_strand(const fil_contact_hair *def, int strand);
double fil_contact_hair_groom_young(const fil_contact_hair *def, int clump); // Pa
double fil_contact_hair_groom_ground(const fil_contact_hair *def);           // m, height of the body below
double fil_contact_hair_groom_spacing(const fil_contact_hair *def);          // m, of the strands of a clump

// Where the vertices are at step def->index, [3 vertices].
void fil_contact_hair_groom_place(const fil_contact_hair *def, const fil_contact_hair_strand *strand, double *x);
// Their shape without load: nearly the same curve, with the edge lengths of x.
void fil_contact_hair_groom_rest(const fil_contact_hair *def, const fil_contact_hair_strand *strand, const double *x,
                                 double *rest);
// The velocities they would like to have.
void fil_contact_hair_groom_velocity(const fil_contact_hair *def, const fil_contact_hair_strand *strand, double *v);

// Where two edges touch, or an edge and the body below.
typedef struct fil_contact_hair_touch {
    int a, b;          // first vertices of the edges, counted through all strands, a < b; b = -1: the body
    double at_a, at_b; // places on the edges, inside 0 to 1
    double gap;        // m; below 0: closed
} fil_contact_hair_touch;

// The `count` closest of all touches, ascending by a, fewer where there are not as many. x: [3 vertices of all
// strands]; radius: [strands].
fil_status fil_contact_hair_touch_find(fil_context *context, fil_arena *arena, const fil_contact_hair *def,
                                       const double *x, const double *radius, fil_contact_hair_touch **out, int *count);

#endif
