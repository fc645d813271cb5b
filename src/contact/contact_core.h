// The few contacts that are not solved yet, solved apart from the rest. See contact_core.c.
#ifndef FIL_CONTACT_CORE_H
#define FIL_CONTACT_CORE_H

#include "contact/contact_watch.h"

// Solves the contacts in r, [3 contacts], that hold the residual, and judges r. Dual problems only. *found: false, and
// r as it was, when they are not few.
fil_status fil_contact_core_run(fil_contact_watch *watch, double *r, bool *found);

#endif
