// Master curves from theory. Solved as boundary value problems by shooting, cross-checked by collocation to 1e-9 (the
// heavy elastica) and by minimising the energy of a rod in space (bend-twist); see docs/validation.md.
#include "validate/validate.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// θ'' = -Γ (1 - s) cos θ, θ(0) = 0, θ'(1) = 0: a heavy rod clamped horizontally, Γ = ρ g A L³ / (E I).
static const double elastica_gamma[] = {0.001, 0.01, 0.05, 0.1, 0.2, 0.5,  1,    1.5,  2,    3,  4,
                                        5,     6,    8,    10,  15,  20,   30,   40,   50,   75, 100,
                                        150,   200,  300,  500, 750, 1000, 2000, 5000, 10000};
static const double elastica_ratio[] = {
    0.0001249999996, 0.001249999554, 0.006249944208, 0.01249955366, 0.02499643126, 0.06244445727, 0.1245617664,
    0.1860537132,    0.2466732058,   0.364620833,    0.4776476251,  0.5857211825,  0.6891955117,  0.8843302654,
    1.06680232,      1.484315557,    1.863930144,    2.547213933,   3.155498717,   3.705560992,   4.891640165,
    5.888104623,     7.536455878,    8.906770727,    11.18311622,   14.76880345,   18.33357226,   21.3354405,
    30.60818294,     48.99404213,    69.70882958};

// A naturally curved rod that hangs from a clamp with its tangent down: where the planar shape becomes unstable.
static const double soft_curl[] = {6, 7, 8, 10, 12, 15, 20, 25, 30};
static const double soft_gamma[] = {11.868960229178416, 14.54031008367619, 19.249612537633073,
                                    28.77255074174289,  33.68067915560009, 49.33393258952248,
                                    65.94637986994256,  82.99803445036387, 105.40578170879961};
static const double hard_curl[] = {7, 8, 10, 12, 15, 20, 25, 30};
static const double hard_gamma[] = {20.771190572863176, 28.4789067299126,  43.084439765300864, 50.47915098500872,
                                    75.27959232425445,  101.4337895058156, 128.31194356335985, 166.15994850800257};

int fil_validate_theory(fil_validate_curve curve, const double **x, const double **y)
{
    switch (curve) {
    case FIL_CURVE_CANTILEVER:
        *x = elastica_gamma, *y = elastica_ratio;
        return COUNT(elastica_gamma);
    case FIL_CURVE_BENDTWIST_SOFT:
        *x = soft_curl, *y = soft_gamma;
        return COUNT(soft_curl);
    case FIL_CURVE_BENDTWIST_HARD:
        *x = hard_curl, *y = hard_gamma;
        return COUNT(hard_curl);
    default:
        *x = *y = NULL;
        return 0;
    }
}

double fil_validate_theory_at(fil_validate_curve curve, double x)
{
    const double *all_x, *all_y;
    int count = fil_validate_theory(curve, &all_x, &all_y);
    for (int i = 0; i < count; ++i)
        if (all_x[i] == x)
            return all_y[i];
    return NAN;
}
