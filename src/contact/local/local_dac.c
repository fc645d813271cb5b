// dac: Newton with backtracking on the Alart-Curnier function. See local_newton.c.
#include "contact/local/local.h"

static int solve(const double W[9], const double c[3], double mu, double tolerance, const void *param, double r[3])
{
    return fil_local_newton(FIL_MAP_AC, true, W, c, mu, tolerance, param, r);
}

const fil_local_type fil_local_dac = {
    .name = "dac",
    .doc = "Damped Newton on the Alart-Curnier function [Bertails-Descoubes et al. 2011]",
    .fields = fil_local_newton_fields,
    .field_count = 1,
    .param_size = sizeof(fil_local_newton_param),
    .exact = true,
    .solve = solve,
};
