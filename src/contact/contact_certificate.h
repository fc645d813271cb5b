// The proof that a problem has no solution. See contact_certificate.c.
#ifndef FIL_CONTACT_CERTIFICATE_H
#define FIL_CONTACT_CERTIFICATE_H

#include "base/arena.h"

typedef enum fil_certificate { FIL_CERTIFICATE_NONE, FIL_CERTIFICATE_FOUND, FIL_CERTIFICATE_NO_MEMORY } fil_certificate;

// Looks for normal impulses that move nothing and yet press; costs a few hundred thirds of a sweep.
fil_certificate fil_contact_certificate_search(const fil_contact_problem *problem, fil_arena *scratch);

#endif
