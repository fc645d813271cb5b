// 4sides: the cone replaced by a pyramid with four sides [Otaduy et al. 2009].
//
//   r_N >= 0 ⊥ u_N >= 0,   |r_1| <= mu r_N and |r_2| <= mu r_N, each opposing its own component of u_T
//
// Solved by projected Gauss-Seidel over the three rows. The pyramid through (±mu, ±mu) allows up to sqrt(2) mu on its
// edges: this is not the exact law.
#include "contact/local/local.h"
#include "math/mat3.h"

typedef struct foursides_param {
    int iterations;
} foursides_param;

static const fil_field fields[] = {
    {"iterations", FIL_KIND_INT, offsetof(foursides_param, iterations), 100, 1, 100000, "", NULL,
     "sweeps over the three rows before giving up"},
};

static double clamp(double value, double bound)
{
    return value > bound ? bound : value < -bound ? -bound : value;
}

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    const foursides_param *setting = param;
    if (c[0] >= 0 || !(W[0] > 0)) {
        r[0] = r[1] = r[2] = 0;
        return c[0] >= 0 ? 0 : -1;
    }
    double goal = 0.25 * tolerance * fil_vec3_norm(c) * fil_local_rho(W);
    for (int iteration = 0; iteration < setting->iterations; ++iteration) {
        double before[3] = {r[0], r[1], r[2]};
        double normal = -(c[0] + W[3] * r[1] + W[6] * r[2]) / W[0];
        r[0] = normal > 0 ? normal : 0;
        if (W[4] > 0)
            r[1] = clamp(-(c[1] + W[1] * r[0] + W[7] * r[2]) / W[4], mu * r[0]);
        if (W[8] > 0)
            r[2] = clamp(-(c[2] + W[2] * r[0] + W[5] * r[1]) / W[8], mu * r[0]);
        double change = fabs(r[0] - before[0]) + fabs(r[1] - before[1]) + fabs(r[2] - before[2]);
        if (change <= goal)
            return 0;
        if (!(change < INFINITY)) {
            r[0] = r[1] = r[2] = 0;
            return 1;
        }
    }
    return 1;
}

const fil_local_type fil_local_4sides = {
    .name = "4sides",
    .doc = "The cone replaced by a pyramid with four sides [Otaduy et al. 2009]; not the exact law",
    .fields = fields,
    .field_count = 1,
    .param_size = sizeof(foursides_param),
    .exact = false,
    .solve = solve,
};
