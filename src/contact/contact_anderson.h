// Anderson-accelerated sweeps as a part that auto can call. See contact_anderson.c.
#ifndef FIL_CONTACT_ANDERSON_H
#define FIL_CONTACT_ANDERSON_H

#include "contact/contact_sweep.h"
#include "contact/contact_watch.h"

enum { FIL_ANDERSON_WINDOW = 20, FIL_ANDERSON_SUMS = 2 * FIL_ANDERSON_WINDOW };

typedef struct fil_anderson_plan {
    int window;        // differences kept
    int sweeps;        // sweeps per step
    double relaxation; // of the sweeps
    int64_t steps;     // budget
} fil_anderson_plan;

typedef struct fil_anderson {
    fil_contact_watch *watch;
    fil_sweep *sweep;
    int64_t size;                                              // 3n
    double *df[FIL_ANDERSON_WINDOW], *dg[FIL_ANDERSON_WINDOW]; // differences of f = g - r and of g
    double gram[FIL_ANDERSON_WINDOW][FIL_ANDERSON_WINDOW];     // df · df
    double gamma[FIL_ANDERSON_WINDOW];
    double *f, *g, *last_f, *last_g;
    double *sums; // [blocks × FIL_ANDERSON_SUMS] parts of products of vectors
} fil_anderson;

fil_status fil_anderson_make(fil_contact_watch *watch, fil_sweep *sweep, int window, fil_anderson *out);
// Improves r until the watch stops or the steps are spent.
void fil_anderson_run(fil_anderson *anderson, const fil_anderson_plan *plan, double *r);

#endif
