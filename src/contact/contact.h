// The solvers behind the list in contact.c.
#ifndef FIL_CONTACT_CONTACT_H
#define FIL_CONTACT_CONTACT_H

#include "contact/local/local.h"
#include "filum/extend.h"

extern const fil_contact_type fil_contact_auto, fil_contact_gs, fil_contact_anderson, fil_contact_proximal,
    fil_contact_newton, fil_contact_sor, fil_contact_apg, fil_contact_admm;

// Whether fil_contact_solve would take these settings.
fil_status fil_contact_check_def(fil_context *context, const fil_contact_def *def);
// fil_contact_solve for a part of a problem that was checked: with the local solver of the whole instead of def->local.
fil_status fil_contact_solve_part(fil_context *context, fil_contact_problem *problem, const fil_contact_def *def,
                                  const fil_local *local, double *r, fil_solve_stats *stats);

// fil_contact_problem_create_primal, but A->value and H->value, by far the largest arrays, are not cleared: for who
// fills them.
fil_status fil_contact_problem_create_raw(fil_context *context, int contact_count, int body_count, int dof_count,
                                          int64_t matrix_values, int side_count, int64_t jacobian_values,
                                          fil_contact_problem **out);

#endif
