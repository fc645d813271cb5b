// The linearised contact problem that Newton methods solve. See contact_linearise.c.
#ifndef FIL_CONTACT_LINEARISE_H
#define FIL_CONTACT_LINEARISE_H

#include "contact/contact_map.h"
#include "contact/contact_watch.h"
#include "numeric/block_lu.h"

typedef struct fil_linearisation {
    const fil_contact_problem *problem;
    fil_contact_operator *op;
    double *rho; // [n] 3 / tr W_ii
    // The point: velocity, F, and the blocks A = dF/dr, B = dF/du of every contact.
    double *u, *F, *A, *B;
    double square; // |F|²
    // The Newton matrix over the contacts that are not eliminated.
    fil_block_lu lu;
    int *active, *position; // active contacts; where a contact is among them, or -1
    int active_count, analysed_count;
    bool analysed;
    int *analysed_active;
    int64_t *start;
    int *column;
    double *value, *rhs;
} fil_linearisation;

enum { FIL_LINEARISATION_LARGEST = 10000 }; // contacts; ordering and fill grow faster than the problem

// FIL_BAD_INPUT when the problem is too large for a direct factorisation.
fil_status fil_linearisation_make(fil_contact_watch *watch, fil_arena *arena, fil_linearisation *out);
// u = W r + q, F(r, u) and, when `jacobian`, A and B. Sets and returns |F|².
double fil_linearisation_evaluate(fil_linearisation *lin, fil_map map, const double *r, bool jacobian);
// Solves [A + B (W + lambda diag(1/rho))] dr = -F at the point evaluated last. 0 solved, 1 singular, -1 no memory.
int fil_linearisation_step(fil_linearisation *lin, double lambda, double *dr);
// Block multiply-adds of one factorisation at the point evaluated last; infinite when memory does not suffice. dr:
// scratch.
double fil_linearisation_work(fil_linearisation *lin, double *dr);

#endif
