// The solvers behind the list in contact.c.
#ifndef FIL_CONTACT_CONTACT_H
#define FIL_CONTACT_CONTACT_H

#include "filum/extend.h"

// Looks at every setting of `def` as a solve would, and solves nothing. The sentence of a failure names the setting.
fil_status fil_contact_check_def(fil_context *context, const fil_contact_def *def);

extern const fil_contact_type fil_contact_auto, fil_contact_gs, fil_contact_anderson, fil_contact_proximal,
    fil_contact_newton, fil_contact_sor, fil_contact_apg, fil_contact_admm;

#endif
