// What the local solvers share: the Newton loop, the judge of one contact, the hybrid. See local.c and local_newton.c.
#ifndef FIL_CONTACT_LOCAL_H
#define FIL_CONTACT_LOCAL_H

#include "base/context.h"
#include "contact/contact_map.h"
#include "filum/extend.h"

#include <math.h>

extern const fil_local_type fil_local_mfb, fil_local_enum, fil_local_root, fil_local_pac, fil_local_dac,
    fil_local_duriez06, fil_local_duriez08, fil_local_4sides;

// "mfb+enum" with settings behind a colon ("mfb:iterations=20+enum"); the parameters live in the arena.
fil_status fil_local_parse(fil_context *context, fil_arena *arena, const char *text, double tolerance, fil_local *out);

// Counts of what the calls did; a sweep adds them up.
typedef struct fil_local_counts {
    int64_t calls, failsafe, failures;
} fil_local_counts;

// The hybrid of [Daviet11, 6.1]: first solver, fail-safe when it misses the tolerance, zero when both fail badly.
void fil_local_solve(const fil_local *local, const double W[9], const double c[3], double mu, double r[3],
                     fil_local_counts *counts);

// rho of one contact: the inverse of the mean diagonal of W. 1 when W has no diagonal to speak of.
static inline double fil_local_rho(const double W[9])
{
    double trace = W[0] + W[4] + W[8];
    return trace > 0 ? 3 / trace : 1;
}

// The natural map of one contact relative to rho |c|, less the rounding of W r: what `tolerance` of every local solver
// means.
double fil_local_residual(const double W[9], const double c[3], double mu, const double r[3]);

// Newton on F(r, W r + c) = 0 from the r that is passed in. Damped: backtracking on |F|²; pure: the full step, or down
// the gradient where the step does not descend [Daviet11, A.2]. Keeps the best iterate. 0 solved, 1 best effort.
typedef struct fil_local_newton_param {
    int iterations;
} fil_local_newton_param;
// |F|² at which it stops.
static inline double fil_local_newton_goal(fil_map map, double rho, const double c[3], double mu, double tolerance)
{
    // fb weighs the normal impulse by mu: ask for as much more when mu is small.
    double weight = map == FIL_MAP_FB && mu > 0 && mu < 1 ? mu : 1;
    double goal = 0.25 * tolerance * rho * weight;
    return goal * goal * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}
int fil_local_newton(fil_map map, bool damped, const double W[9], const double c[3], double mu, double tolerance,
                     const fil_local_newton_param *param, double r[3]);
extern const fil_field fil_local_newton_fields[1];

#endif
