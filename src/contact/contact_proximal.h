// The adaptive-proximal Newton method as a part that auto can call. See contact_proximal.c.
#ifndef FIL_CONTACT_PROXIMAL_H
#define FIL_CONTACT_PROXIMAL_H

#include "contact/contact_linearise.h"
#include "contact/contact_sweep.h"

typedef struct fil_proximal_plan {
    fil_map map;
    int memory;     // steps over which |F| need not fall
    int iterations; // factorisations allowed
    double lambda;  // first proximal weight
    double floor;   // least proximal weight
} fil_proximal_plan;

typedef struct fil_proximal {
    fil_contact_watch *watch;
    fil_sweep *sweep; // for the way out of a dead end
    fil_linearisation lin;
    double *dr, *trial, *projected; // [3n]
} fil_proximal;

fil_status fil_proximal_make(fil_contact_watch *watch, fil_sweep *sweep, fil_proximal *out);
// Improves r until the watch stops, the plan is spent, or no step is possible. False: not enough memory.
bool fil_proximal_run(fil_proximal *proximal, const fil_proximal_plan *plan, double *r);

#endif
