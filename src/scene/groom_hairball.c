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

static void grow(const void *param, const fil_groom_head *head, const fil_groom_root *root, fil_rng *rng,
                 fil_groom_hair *out)
{
    (void)head, (void)rng;
    const hairball_param *p = param;
    const double *normal = root->normal;
    fil_groom_path_straight(root->x, normal, p->common.length, &out->path);
    out->side[0] = normal[1], out->side[1] = normal[2], out->side[2] = normal[0];
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const hairball_param *p = param;
    const fil_groom_head ball = {.half = {p->sphere, p->sphere, p->sphere}, .lowest = p->lowest};
    return fil_groom_head_make(context, &p->common, &ball, NULL, grow, p, out);
}

const fil_groom_type fil_groom_hairball = {
    .name = "hairball",
    .doc = "radial hairs on the upper part of a sphere: the test of many papers",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(hairball_param),
    .make = make,
};
