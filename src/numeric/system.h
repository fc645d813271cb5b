// A block-diagonal symmetric positive definite system, one band per body: factor, solve, multiply. See system.c.
#ifndef FIL_NUMERIC_SYSTEM_H
#define FIL_NUMERIC_SYSTEM_H

#include "base/arena.h"

typedef struct fil_system {
    const fil_body_matrix *A;
    double *factor; // L of A = L Lᵀ, in the layout of A
} fil_system;

// FIL_BAD_INPUT names the body whose block is not positive definite.
fil_status fil_system_factor(fil_context *context, fil_arena *arena, const fil_body_matrix *A, fil_system *out);
// x <- L⁻¹ x and x <- L⁻ᵀ x for one body; `first` is the first non-zero of x (0 when unknown).
void fil_system_forward(const fil_system *system, int body, int first, double *x);
void fil_system_backward(const fil_system *system, int body, double *x);

#endif
