// mfb: Newton on the modified Fischer-Burmeister function of [Daviet11, 5.2 and appendix A]. See local_newton.c.
#include "contact/local/local.h"

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    return fil_local_newton(FIL_MAP_FB, false, W, c, mu, tolerance, param, r);
}

const fil_local_type fil_local_mfb = {
    .name = "mfb",
    .doc = "Newton on the modified Fischer-Burmeister function [Daviet11, section 5 and appendix A]",
    .fields = fil_local_newton_fields,
    .field_count = 1,
    .param_size = sizeof(fil_local_newton_param),
    .exact = true,
    .solve = solve,
};
