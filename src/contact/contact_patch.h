// A few hard contacts solved apart from the rest. See contact_patch.c.
#ifndef FIL_CONTACT_PATCH_H
#define FIL_CONTACT_PATCH_H

#include "contact/contact_watch.h"

typedef struct fil_contact_patch_plan {
    double left; // of the residual of the whole, may be left of theirs
    double most; // of all contacts, may be in the patch: else nothing is done
} fil_contact_patch_plan;

// Solves those contacts in r, [3 contacts], that hold nearly all of the residual, and judges r. Primal problems only.
// *done: false, and r as it was, when they are too many, or r is good enough.
fil_status fil_contact_patch_run(fil_contact_watch *watch, const fil_contact_patch_plan *plan, double *r, bool *done);

#endif
