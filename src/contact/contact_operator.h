// u = W r + q without caring how: through W when it is there, else through the bodies. See contact_operator.c.
#ifndef FIL_CONTACT_OPERATOR_H
#define FIL_CONTACT_OPERATOR_H

#include "contact/contact_strands.h"
#include "numeric/system.h"

typedef struct fil_contact_operator {
    const fil_context *context;
    const fil_contact_problem *problem;
    bool matrix_free;
    fil_contact_strands *strands; // matrix-free: the fast form, or NULL, and then the rest
    double *blocked;              // memory for products through strands
    fil_system system;            // the factors of A
    double *v;                    // [dofs]
    int *body_start;              // sides of each body, by contact
    int *body_side;
    int *side_contact;
} fil_contact_operator;

// Uses W when the problem has it, unless `matrix_free` asks for the primal view in its general form. Without W, strands
// are noticed.
fil_status fil_contact_operator_make(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                     bool matrix_free, fil_contact_operator *out);
// Through strands, whether or not there is W; out->strands is NULL when the problem is of another kind.
fil_status fil_contact_operator_make_strands(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                                             fil_contact_operator *out);
// u = W r + q
void fil_contact_operator_apply(const fil_contact_operator *op, const double *r, double *u);
// v = A⁻¹ (b + Hᵀ r); matrix-free operators only.
void fil_contact_operator_velocity(const fil_contact_operator *op, const double *r, double *v);
// The trace of each diagonal block of W, [contacts].
fil_status fil_contact_operator_diagonal(const fil_contact_operator *op, fil_arena *arena, double *trace);

// The sides that touch each body, in ascending order of contacts: start [bodies + 1], side [sides]; and the contact of
// each side.
fil_status fil_contact_sides_by_body(fil_arena *arena, const fil_contact_problem *problem, int **start, int **side,
                                     int **contact);

#endif
