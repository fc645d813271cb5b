// `line`: hairs in a row, hanging or leaning.
#include "scene/groom.h"

#include <math.h>

typedef struct line_param {
    fil_groom_common common;
    double spacing, lean;
} line_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(line_param, 1, 0.2, 0.005, FIL_GROOM_STRAIGHT),
    {"spacing", FIL_KIND_REAL, offsetof(line_param, spacing), 0.01, 0, 1e3, "m", NULL, "between roots, along x"},
    {"lean", FIL_KIND_REAL, offsetof(line_param, lean), 0, 0, 180, "degrees", NULL,
     "0 hangs down, 90 sticks out along z, 180 stands up"},
};

static void grow(const void *groom, int i, fil_rng *rng, fil_groom_hair *out)
{
    (void)rng;
    const line_param *p = groom;
    double angle = p->lean * 3.14159265358979323846 / 180;
    const double t[3] = {0, -cos(angle), sin(angle)};
    const double root[3] = {(i - 0.5 * (p->common.strands - 1)) * p->spacing, 0, 0};
    fil_groom_path_straight(root, t, p->common.length, &out->path);
    out->side[0] = 1, out->side[1] = 0, out->side[2] = 0;
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const line_param *p = param;
    fil_rng rng = fil_rng_make((uint64_t)p->common.seed);
    return fil_groom_style_make(context, &p->common, &rng, grow, p, out);
}

const fil_groom_type fil_groom_line = {
    .name = "line",
    .doc = "hairs in a row along x: the simplest groom",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(line_param),
    .make = make,
};
