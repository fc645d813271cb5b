// Newton's method on four strands at once. See step_newton.c.
#ifndef FIL_STEP_NEWTON_H
#define FIL_STEP_NEWTON_H

#include "math/simd.h"
#include "step/model.h"

// One pack at work: what is constant, and where its iterate is.
typedef struct fil_newton {
    // Lane by lane.
    fil_v4 count;    // vertices of each strand: the ones behind are padding
    fil_v4 energy;   // of the objective at the iterate
    fil_m4 repaired; // the last factor is not of the Hessian itself
    fil_m4 rough;    // ... and led nowhere: the next repair takes the safe Hessian at once
    fil_m4 turning;  // straight steps failed before: search along turning edges from the start

    const fil_strands *S;
    const double *inertia, *drag, *is_free, *radius;
    fil_strand_pack kernel;

    // The objective ½ a |q - q̃|²_M + ½ b |q - q̂|²_(drag + damping M) + E(q) - load·(q - q̂)
    const double *q_hat, *q_tilde, *load;
    const double *push; // what contacts add to the load; NULL: none
    double a, b;
    const double *q_state, *frame_state; // angles count from frames carried straight from here

    double *q, *frame, *q_trial, *frame_trial;
    double *gradient, *direction, *band, *band_trial, *band_exact;
    int pack, vertices, size; // size: unknowns, vertices × dofs
    fil_hessian hessian;
    bool adaptive;
} fil_newton;

// Matrix and right-hand side of the velocities around the iterate. With g the gradient of the objective without
// contacts
//
//     A v' = b + s push',   A = s² ∇²,   b = A v - s g,   v = (q - q̂) / s
//
// A in the layout of `band`, positive definite, rows of held unknowns those of the identity; b [vertices × dofs]. The
// factor of the Hessian is left where fil_newton_direction looks for it.
void fil_newton_linearise(fil_newton *newton, double s, double *A, double *b);

void fil_newton_start(const fil_strands *S, const fil_group_scratch *scratch, int pack, fil_newton *out);
// Objective, gradient and, when wanted, Hessian at the iterate (trial: at the trial point).
void fil_newton_evaluate(fil_newton *newton, bool trial, bool with_hessian, fil_v4 *energy);
// Factors the Hessian plus shift × inertia; in adaptive mode lanes where it is not positive definite are repaired.
// negative: how many pivots were not positive before that.
void fil_newton_factor(fil_newton *newton, fil_v4 shift, int negative[FIL_LANES]);
// direction = -factor⁻¹ gradient in the lanes of `active`, zero elsewhere. Returns gradient·direction; *change: the
// largest |Δx|, or |Δθ| × radius.
fil_v4 fil_newton_direction(fil_newton *newton, fil_m4 active, fil_v4 *change);
// q_trial = q + length × direction, and its frame. Lanes of `turning` follow the direction to first order only: their
// edges turn without being stretched by it.
void fil_newton_try(fil_newton *newton, fil_v4 length, fil_m4 turning);
// Copies some lanes of an array of `count` numbers.
void fil_newton_take(double *into, const double *from, fil_m4 lanes, ptrdiff_t count);
// The trial becomes the iterate.
void fil_newton_accept(fil_newton *newton);
// Counts the angles of the iterate from frames carried straight from the state; objective and gradient follow.
void fil_newton_straighten(fil_newton *newton, fil_m4 lanes);

// A backtracking line search from length 1 [Jia20, Algorithm 1]: shortens lane by lane until the objective has fallen
// enough. Lanes that are active but not `searching` take their full step untested. On return the trial point is
// evaluated; lanes that cannot go downhill have length 0.
typedef struct fil_newton_search {
    fil_v4 length, energy; // of the trial
    int backtracks[FIL_LANES];
} fil_newton_search;
void fil_newton_line_search(fil_newton *newton, fil_m4 active, fil_m4 searching, fil_v4 slope, bool with_hessian,
                            fil_newton_search *out);

#endif
