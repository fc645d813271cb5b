// duriez08: fixed point between the normal and the tangential impulse [Duriez 2008].
//
//   r_N <- (r_N - u_N / w_NN)+,    r_T <- P_disk(mu r_N)(r_T - k u_T),   k = 2 / (w_11 + w_22)
//
// A fixed point satisfies the exact law. Convergence is linear and fails where the normal and the tangents are strongly
// coupled.
#include "contact/local/local.h"
#include "math/mat3.h"

typedef struct duriez08_param {
    int iterations;
} duriez08_param;

static const fil_field fields[] = {
    {"iterations", FIL_KIND_INT, offsetof(duriez08_param, iterations), 100, 1, 100000, "", NULL,
     "fixed-point iterations before giving up"},
};

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    const duriez08_param *setting = param;
    double tangents = W[4] + W[8];
    if (c[0] >= 0 || !(W[0] > 0)) {
        r[0] = r[1] = r[2] = 0;
        return c[0] >= 0 ? 0 : -1;
    }
    double k = tangents > 0 ? 2 / tangents : 0, goal = 0.25 * tolerance * fil_vec3_norm(c) * fil_local_rho(W);
    for (int iteration = 0; iteration < setting->iterations; ++iteration) {
        double before[3] = {r[0], r[1], r[2]};
        double u_N = W[0] * r[0] + W[3] * r[1] + W[6] * r[2] + c[0];
        double normal = r[0] - u_N / W[0];
        r[0] = normal > 0 ? normal : 0;
        double u1 = W[1] * r[0] + W[4] * r[1] + W[7] * r[2] + c[1];
        double u2 = W[2] * r[0] + W[5] * r[1] + W[8] * r[2] + c[2];
        r[1] -= k * u1;
        r[2] -= k * u2;
        double size = sqrt(r[1] * r[1] + r[2] * r[2]);
        if (size > mu * r[0]) {
            r[1] *= mu * r[0] / size;
            r[2] *= mu * r[0] / size;
        }
        double change = fabs(r[0] - before[0]) + fabs(r[1] - before[1]) + fabs(r[2] - before[2]);
        // Slow convergence makes small changes too: the judge has the last word.
        if (change <= goal && fil_local_residual(W, c, mu, r) <= tolerance)
            return 0;
        if (!(change < INFINITY)) {
            r[0] = r[1] = r[2] = 0;
            return 1;
        }
    }
    return 1;
}

const fil_local_type fil_local_duriez08 = {
    .name = "duriez08",
    .doc = "Fixed point between normal and tangential impulse [Duriez 2008]",
    .fields = fields,
    .field_count = 1,
    .param_size = sizeof(duriez08_param),
    .exact = true,
    .solve = solve,
};
