// The residual as an iteration sees it for free, and when to ask the judge. See contact_estimate.c.
#ifndef FIL_CONTACT_ESTIMATE_H
#define FIL_CONTACT_ESTIMATE_H

#include "contact/contact_watch.h"

typedef struct fil_estimate {
    double rho, scale; // it is |F| of the natural map with this rho, divided by this scale
    double value;      // at the last point
    double goal;       // the judge is asked when the value is below
    double slack;      // by how much the judge may find more than the tolerance, because polishing takes that away
    double judged;     // what the judge measured last, comparable with the value
    double least;      // the smallest value so far, and
    int64_t since;     // the iteration at which it last fell by a quarter
} fil_estimate;

// What impulses and velocities are measured in: powers of two that make the numbers of a problem near 1.
typedef struct fil_units {
    double impulse, velocity;
} fil_units;

fil_estimate fil_estimate_make(const fil_contact_watch *watch, double slack);
fil_units fil_estimate_units(const fil_contact_watch *watch);
// The value at the point of the present iteration.
void fil_estimate_set(fil_estimate *estimate, const fil_contact_watch *watch, double value);
// Whether the judge is to be asked.
bool fil_estimate_due(const fil_estimate *estimate, const fil_contact_watch *watch);
// Asks it.
void fil_estimate_judge(fil_estimate *estimate, fil_contact_watch *watch, const double *r);
// Whether floats are still good for something.
bool fil_estimate_floats_serve(const fil_estimate *estimate, const fil_contact_watch *watch);

#endif
