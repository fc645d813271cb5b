// How the sides on one body feel each other: H_s A⁻¹ H_tᵀ. See contact_coupling.c.
#ifndef FIL_CONTACT_COUPLING_H
#define FIL_CONTACT_COUPLING_H

#include "numeric/inverse.h"
#include "numeric/system.h"

typedef struct fil_coupling {
    const fil_contact_jacobian *H;
    int dofs, bandwidth, lowest; // lowest: the first dof that a side moves
    const double *L;             // the factor of the body
    const int *side;             // [count] ascending first dof
    bool narrow;                 // by the structure of the inverse, else by whole solves
    fil_inverse inverse;
    double *rows; // narrow: A⁻¹ H_tᵀ of one side, 4 per dof; else L⁻¹ H_tᵀ of all sides
} fil_coupling;

// The sides of each body, given in any order, by ascending first dof: [sides], those of a body begin at body_start.
fil_status fil_coupling_sort(fil_arena *arena, const fil_contact_problem *problem, const int *body_start,
                             const int *body_side, int **by_dof);
// How many numbers fil_coupling_make wants to work in.
int64_t fil_coupling_size(const fil_contact_problem *problem, int body, const int *side, int count);
// The sides of a body, by ascending first dof. Nothing is allocated: all goes into `work`.
fil_coupling fil_coupling_make(const fil_contact_problem *problem, const fil_system *system, int body, const int *side,
                               int count, double *work);
// Side t with each side s <= t: H_t A⁻¹ H_sᵀ at block[12 s], three columns of three numbers and a zero. t = 0, 1, 2 ...
void fil_coupling_column(const fil_coupling *coupling, int t, double *block);

#endif
