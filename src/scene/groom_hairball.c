// `hairball`: radial hairs on the upper half of a sphere [Jia20, Table 4-1; Shi23].
#include "scene/groom.h"

typedef struct hairball_param {
    fil_groom_common common;
    double sphere, lowest;
} hairball_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(hairball_param, 1000, 0.2, 0.005, FIL_GROOM_STRAIGHT),
    {"sphere", FIL_KIND_REAL, offsetof(hairball_param, sphere), 0.15, 1e-4, 1e3, "m", NULL, "its radius"},
    {"lowest", FIL_KIND_REAL, offsetof(hairball_param, lowest), 0, -1, 0.99, "", NULL,
     "where roots begin, part of the radius: 0 is the equator, -1 all of the sphere"},
};

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const hairball_param *p = param;
    const fil_groom_head ball = {{p->sphere, p->sphere, p->sphere}};
    int vertices = fil_groom_style_vertices(&p->common);
    fil_status status = fil_groom_curves(context, p->common.strands, vertices, out);
    fil_rng rng = fil_rng_make((uint64_t)p->common.seed);
    for (int i = 0; status == FIL_OK && i < p->common.strands; ++i) {
        double x[3], normal[3];
        fil_groom_path path;
        fil_groom_head_point(&ball, i, p->common.strands, p->lowest, &rng, x, normal);
        fil_groom_path_straight(x, normal, p->common.length, &path);
        const double side[3] = {normal[1], normal[2], normal[0]};
        fil_groom_style_draw(&p->common, &rng, &path, side, vertices, (*out)->position + (ptrdiff_t)3 * i * vertices);
    }
    return status;
}

const fil_groom_type fil_groom_hairball = {
    .name = "hairball",
    .doc = "radial hairs on the upper part of a sphere: the test of many papers",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(hairball_param),
    .make = make,
};
