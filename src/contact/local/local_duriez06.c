// duriez06: stick if the cone allows it, else slide along the sticking impulse [Duriez et al. 2006].
//
// When the sticking impulse leaves the cone, its direction t is kept and only its size follows from u_N = 0:
//   r = r_N (1, mu t),   r_N = -c_N / (w_NN + mu w_NT · t)
// Slip is then not opposite to friction: this is not the exact law, except where W couples nothing.
#include "contact/local/local_slide.h"
#include "math/mat3.h"

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    (void)param;
    (void)tolerance;
    double stick[3];
    if (c[0] >= 0 || !(W[0] > 0)) {
        r[0] = r[1] = r[2] = 0;
        return c[0] >= 0 ? 0 : -1;
    }
    if (fil_slide_stick(W, c, mu, 1e-14, stick)) {
        r[0] = stick[0];
        r[1] = stick[1];
        r[2] = stick[2];
        return 0;
    }
    double size = sqrt(stick[1] * stick[1] + stick[2] * stick[2]);
    double t[2] = {size > 0 ? stick[1] / size : 0, size > 0 ? stick[2] / size : 0};
    double effect = W[0] + mu * (W[3] * t[0] + W[6] * t[1]);
    // Friction that pulls the bodies together (the paradox of Painlevé): count the normal alone.
    r[0] = -c[0] / (effect > 1e-3 * W[0] ? effect : W[0]);
    r[1] = mu * r[0] * t[0];
    r[2] = mu * r[0] * t[1];
    return 0;
}

const fil_local_type fil_local_duriez06 = {
    .name = "duriez06",
    .doc = "Stick, or slide along the sticking impulse [Duriez et al. 2006]; not the exact law",
    .exact = false,
    .solve = solve,
};
