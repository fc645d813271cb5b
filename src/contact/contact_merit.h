// The judge of every solver. See contact_merit.c.
#ifndef FIL_CONTACT_MERIT_H
#define FIL_CONTACT_MERIT_H

#include "contact/contact_operator.h"

// What the residuals are measured by; computed once per problem.
typedef struct fil_contact_merit {
    double rho;    // inverse of the mean diagonal of W
    double norm_q; // |q|, the free velocity
    const fil_context *context;
    double *partial; // sums over ranges of contacts
} fil_contact_merit;

fil_status fil_contact_merit_make(const fil_contact_operator *op, fil_arena *arena, fil_contact_merit *out);
// One residual, or all of them, at r with u = W r + q.
double fil_contact_merit_of(const fil_contact_merit *merit, fil_merit kind, const fil_contact_problem *problem,
                            const double *r, const double *u);

#endif
