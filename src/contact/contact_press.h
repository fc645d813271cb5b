// The contacts that press or may soon, solved without those that are open. See contact_press.c.
#ifndef FIL_CONTACT_PRESS_H
#define FIL_CONTACT_PRESS_H

#include "contact/contact_watch.h"

// From known impulses r, [3 contacts], which were judged last; r is judged in the end. Dual problems only. Does nothing
// where it gains nothing: where contacts are few, or few of them are open.
fil_status fil_contact_press_run(fil_contact_watch *watch, double *r);

#endif
