// A few hard contacts solved apart from the rest. See contact_patch.c.
#ifndef FIL_CONTACT_PATCH_H
#define FIL_CONTACT_PATCH_H

#include "contact/contact_watch.h"

// Solves those contacts in r, [3 contacts], that hold nearly all of the residual. Primal problems only.
fil_status fil_contact_patch_run(fil_contact_watch *watch, double *r);
// Solves the contacts of a list with all others on their bodies until they miss the law by less than `speed`, m/s, all
// together, or as far as that is soon done. u, [3 contacts]: the velocities of r.
fil_status fil_contact_patch_mend(fil_context *context, const fil_contact_problem *problem, const int *contact,
                                  int count, double speed, const double *u, double *r);

#endif
