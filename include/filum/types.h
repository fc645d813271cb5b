// Plain data of filum: what a host program fills in and reads. SI units everywhere.
//
// The one problem that strand models and contact solvers share (docs/notation.md):
//
//     A v = b + Hᵀ r,   u = H v + w,   (u_i, r_i) in Coulomb(mu_i)          the primal view
//     u = W r + q,      W = H A⁻¹ Hᵀ,  q = w + H A⁻¹ b                      the dual view
//
// Per contact: the normal first, then two tangents. Every 3×3 block is stored by columns.
#ifndef FILUM_TYPES_H
#define FILUM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the outside world did to us. Bugs of the caller are asserted; numerics are reported in stats.
typedef enum fil_status {
    FIL_OK = 0,
    FIL_BAD_INPUT,   // a file or a setting is wrong: the text names the file and the place
    FIL_NO_MEMORY,   // the machine has no memory left
    FIL_IO_FAILED,   // the machine could not write or read: disk full, permission
    FIL_UNAVAILABLE, // this build was made without that part
} fil_status;

typedef struct fil_context fil_context; // error text, threads, memory: one per host thread
typedef struct fil_arena fil_arena;     // memory released in one call

// How a library call obtains memory and runs in parallel. Zeroed callbacks mean malloc and free.
typedef struct fil_context_def {
    int threads; // 0: all that OpenMP offers
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} fil_context_def;

// A square matrix of 3×3 blocks in compressed rows. Columns ascend within a row and the diagonal is present.
typedef struct fil_block_matrix {
    int rows;       // block rows
    bool half;      // only blocks with column >= row are stored; the others are their transposes
    int64_t *start; // [rows + 1]
    int *column;    // [start[rows]]
    double *value;  // [9 * start[rows] + 4]: by columns; the tail lets vectors read past the last block
} fil_block_matrix;

// Symmetric positive definite blocks, one per body, each a band; a dense block is a band as wide as itself.
typedef struct fil_body_matrix {
    int body_count;
    int *dof_start;       // [body_count + 1]
    int *bandwidth;       // [body_count] half-bandwidth, 0 (diagonal) to dofs - 1 (dense)
    int64_t *value_start; // [body_count + 1]
    double *value;        // A(j + k, j) at value[value_start[body] + j * (bandwidth + 1) + k], 0 <= k <= bandwidth
} fil_body_matrix;

// H by sides: the bodies that a contact touches (two; one against the world). A side moves a run of dofs of its body.
typedef struct fil_contact_jacobian {
    int *side_start;      // [contact_count + 1]
    int *body;            // [sides]
    int *first_dof;       // [sides] within the body
    int *dof_count;       // [sides]
    int64_t *value_start; // [sides + 1]
    double *value;        // 3 × dof_count per side, by columns
} fil_contact_jacobian;

// One contact problem in whichever views are present. Made by fil_contact_problem_create_*; owns its arrays.
typedef struct fil_contact_problem {
    int contact_count;
    int file_dim; // 3, or 2: a planar problem lifted to three dimensions with an idle second tangent
    double *mu;   // [contact_count] friction coefficients, >= 0

    bool has_primal;
    fil_body_matrix A;
    fil_contact_jacobian H;
    double *b; // [dofs]
    double *w; // [3 contact_count]

    bool has_dual;
    fil_block_matrix W;
    double *q; // [3 contact_count]

    char title[128]; // what the file says it is, or empty
    fil_arena *arena;
} fil_contact_problem;

// The residuals that a tolerance may mean; all are computed by contact_merit.c and by nothing else.
typedef enum fil_merit {
    FIL_MERIT_NATURAL, // |r - P_K(r - rho (u + mu |u_T| e))| / (rho |q|), rho = 1 / mean diagonal of W
    FIL_MERIT_FCLIB,   // the same with rho = 1, divided by 1 + |q|
    FIL_MERIT_FB,      // infinity norm of the Fischer-Burmeister function of [Daviet11], rho = 1
    FIL_MERIT_COUNT,
} fil_merit;

typedef enum fil_outcome {
    FIL_SOLVED,      // the tolerance is met
    FIL_STALLED,     // the budget is spent: the best impulse found is returned
    FIL_NO_SOLUTION, // proven: no impulse can keep the bodies apart; the least-residual impulse is returned
    FIL_CANCELLED,   // the progress callback asked to stop: the best impulse found is returned
} fil_outcome;

// One point of a solve, shown to the host while it runs.
typedef struct fil_progress {
    const char *phase;  // which method is at work
    int64_t iterations; // sweeps and Newton steps so far
    double seconds;     // since the solve began
    double residual;    // of the chosen merit, at the current iterate
    double best;        // the smallest so far
} fil_progress;

// What to solve and how well. Start from fil_contact_def_default().
typedef struct fil_contact_def {
    const char *solver; // a key of `filum info contact`, settings behind a colon: "gs:relaxation=1.3,order=coloured"
    const char *local;  // a key of `filum info local`, or two joined by '+': first choice and fail-safe
    fil_merit merit;
    double tolerance;
    int64_t max_iterations;                                  // 0: the solver's own budget
    bool warm;                                               // start from the r that is passed in
    bool (*progress)(void *user, const fil_progress *point); // may be NULL; false cancels
    void *user;
} fil_contact_def;

typedef struct fil_solve_stats {
    fil_outcome outcome;
    const char *finished_by; // the method that produced the returned impulse
    int64_t iterations;      // sweeps + Newton steps
    int64_t sweeps;
    int64_t newton_steps;
    int64_t factorisations;
    int64_t local_calls;    // one-contact problems solved
    int64_t failsafe_calls; // ... by the second solver of a hybrid
    int64_t local_failures; // ... by neither
    double residual[FIL_MERIT_COUNT];
    double seconds_setup; // assembly of W included when it was not given
    double seconds_solve;
} fil_solve_stats;

#ifdef __cplusplus
}
#endif
#endif
