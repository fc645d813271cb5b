// Newton for one contact, shared by mfb, pac and dac: find r with F(r, W r + c) = 0, F from contact_map.c.
//
//   dr = -J⁻¹ F,  J = dF/dr + dF/du W          pure: [Daviet11, A.2]; damped: halve the step until |F|² falls
//
// Take-off (c_N >= 0) needs no iteration: r = 0 leaves u = c.
// Differs from paper: the gradient of ½|F|² is Jᵀ F (J⁻¹ F is printed); rho is 3 / tr W instead of 1 kg, so that the
// answer does not depend on units.
// Cost: about 100 ns per iteration.
#include "contact/local/local.h"

#include "math/mat3.h"

const fil_field fil_local_newton_fields[1] = {
    {"iterations", FIL_KIND_INT, offsetof(fil_local_newton_param, iterations), 40, 1, 1000, "", NULL,
     "Newton iterations before giving up"},
};

typedef struct newton_point {
    double r[3], F[3], A[9], B[9], square; // square = |F|²
} newton_point;

static void evaluate(fil_map map, const double W[9], const double c[3], double mu, double rho, newton_point *point)
{
    double u[3] = {c[0], c[1], c[2]};
    fil_mat3_add_vector(W, point->r, u);
    fil_contact_map(map, mu, rho, point->r, u, point->F, point->A, point->B);
    point->square = fil_vec3_dot(point->F, point->F);
}

// The Newton step, or a step down the gradient when J is singular or the step hardly descends.
static void choose_step(const newton_point *point, const double W[9], double step[3])
{
    const double least_descent = 1e-3; // sigma of [Daviet11, A.2]
    double J[9], N[9], gradient[3] = {0, 0, 0};
    fil_mat3_multiply(point->B, W, J);
    for (int k = 0; k < 9; ++k)
        J[k] += point->A[k];
    double determinant = fil_mat3_adjugate(J, N);
    fil_mat3_add_transposed_vector(J, point->F, gradient);
    if (fabs(determinant) > 1e-300) {
        double inverse = -1 / determinant;
        fil_mat3_multiply_vector(N, point->F, step);
        for (int k = 0; k < 3; ++k)
            step[k] *= inverse;
        double descent = fil_vec3_dot(step, gradient);
        double bound = least_descent * least_descent * fil_vec3_dot(step, step) * fil_vec3_dot(gradient, gradient);
        if (descent < 0 && descent * descent > bound)
            return;
    }
    for (int k = 0; k < 3; ++k)
        step[k] = -gradient[k];
}

int fil_local_newton(fil_map map, bool damped, const double W[9], const double c[3], double mu, double tolerance,
                     const fil_local_newton_param *param, double r[3])
{
    if (c[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return 0;
    }
    double rho = fil_local_rho(W);
    double goal = fil_local_newton_goal(map, rho, c, mu, tolerance);

    newton_point point = {.r = {r[0], r[1], r[2]}}, trial = {0};
    evaluate(map, W, c, mu, rho, &point);
    newton_point *at = &point, *next = &trial;
    double best[3] = {r[0], r[1], r[2]}, best_square = at->square;
    for (int iteration = 0; iteration < param->iterations && best_square > goal; ++iteration) {
        double step[3], length = 1;
        choose_step(at, W, step);
        for (int halving = 0;; ++halving) {
            for (int k = 0; k < 3; ++k)
                next->r[k] = at->r[k] + length * step[k];
            evaluate(map, W, c, mu, rho, next);
            if (!damped || next->square < (1 - 1e-4 * length) * at->square || halving == 12)
                break;
            length *= 0.5;
        }
        newton_point *swap = at;
        at = next;
        next = swap;
        if (at->square < best_square) {
            best_square = at->square;
            best[0] = at->r[0];
            best[1] = at->r[1];
            best[2] = at->r[2];
        } else if (!(at->square < INFINITY)) {
            break;
        }
    }
    r[0] = best[0];
    r[1] = best[1];
    r[2] = best[2];
    // Where W is nearly singular a small F need not mean a small natural map, which is what the tolerance is about.
    return best_square <= goal && fil_local_residual(W, c, mu, r) <= tolerance ? 0 : 1;
}
