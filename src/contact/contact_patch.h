// A few hard contacts solved apart from the rest. See contact_patch.c.
#ifndef FIL_CONTACT_PATCH_H
#define FIL_CONTACT_PATCH_H

#include "contact/contact_watch.h"

// Solves those contacts in r, [3 contacts], that hold nearly all of the residual. Primal problems only.
fil_status fil_contact_patch_run(fil_contact_watch *watch, double *r);

#endif
