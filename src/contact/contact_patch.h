// A few hard contacts solved apart from the rest. See contact_patch.c.
#ifndef FIL_CONTACT_PATCH_H
#define FIL_CONTACT_PATCH_H

#include "contact/contact_watch.h"

// Solves those contacts in r, [3 contacts], that hold nearly all of the residual, until no more than `left` of the
// whole's is theirs, and judges r. Primal problems only.
fil_status fil_contact_patch_run(fil_contact_watch *watch, double left, double *r);

#endif
