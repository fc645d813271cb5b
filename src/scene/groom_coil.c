// `coil`: helices on straight stems, as [Shi23] tests them: radius, pitch and vertices per turn are exact.
#include "scene/groom.h"

#include <math.h>

typedef struct coil_param {
    int strands;
    double radius, pitch, turns, stem, spacing;
    int per_turn;
} coil_param;

static const fil_field fields[] = {
    {"strands", FIL_KIND_INT, offsetof(coil_param, strands), 1, 1, 1e7, "", NULL, "how many, in a row along x"},
    {"radius", FIL_KIND_REAL, offsetof(coil_param, radius), 0.005, 1e-6, 1e2, "m", NULL, "of the coil"},
    {"pitch", FIL_KIND_REAL, offsetof(coil_param, pitch), 0.005, 0, 1e2, "m", NULL, "what a turn gains downwards"},
    {"turns", FIL_KIND_REAL, offsetof(coil_param, turns), 20, 0.1, 1e5, "", NULL, "how many"},
    {"per_turn", FIL_KIND_INT, offsetof(coil_param, per_turn), 12, 3, 1000, "", NULL, "vertices in a turn"},
    {"stem", FIL_KIND_REAL, offsetof(coil_param, stem), 0.005, 1e-6, 1e2, "m", NULL, "straight piece at the root"},
    {"spacing", FIL_KIND_REAL, offsetof(coil_param, spacing), 0.02, 0, 1e3, "m", NULL, "between roots"},
};

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const coil_param *p = param;
    const double pi = 3.14159265358979323846;
    int coil = 1 + (int)fmin(ceil(p->turns * p->per_turn - 1e-9), 1e6), vertices = coil + 1;
    fil_status status = fil_groom_curves(context, p->strands, vertices, out);
    for (int strand = 0; status == FIL_OK && strand < p->strands; ++strand) {
        double *x = (*out)->position + (ptrdiff_t)3 * strand * vertices;
        double at = (strand - 0.5 * (p->strands - 1)) * p->spacing;
        x[0] = at + p->radius, x[1] = p->stem, x[2] = 0;
        for (int i = 0; i < coil; ++i) {
            double angle = 2 * pi * i / p->per_turn;
            x[3 * (i + 1)] = at + p->radius * cos(angle);
            x[3 * (i + 1) + 1] = -p->pitch * i / p->per_turn;
            x[3 * (i + 1) + 2] = p->radius * sin(angle);
        }
    }
    return status;
}

const fil_groom_type fil_groom_coil = {
    .name = "coil",
    .doc = "hanging helices with exact radius and pitch [Shi23]",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(coil_param),
    .make = make,
};
