// `fur`: short hairs all over an ellipsoid, combed back.
#include "scene/groom.h"

#include "math/mat3.h"

typedef struct fur_param {
    fil_groom_common common;
    double width, height, depth, comb;
} fur_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(fur_param, 5000, 0.02, 0.002, FIL_GROOM_STRAIGHT),
    {"width", FIL_KIND_REAL, offsetof(fur_param, width), 0.1, 1e-3, 1e2, "m", NULL, "half-axis along x"},
    {"height", FIL_KIND_REAL, offsetof(fur_param, height), 0.08, 1e-3, 1e2, "m", NULL, "half-axis along y, up"},
    {"depth", FIL_KIND_REAL, offsetof(fur_param, depth), 0.15, 1e-3, 1e2, "m", NULL, "half-axis along z"},
    {"comb", FIL_KIND_REAL, offsetof(fur_param, comb), 1, 0, 10, "", NULL,
     "how far hairs lean towards -z and down: 0 stands on end"},
};

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const fur_param *p = param;
    const fil_groom_head body = {{p->width, p->height, p->depth}};
    int vertices = fil_groom_style_vertices(&p->common);
    fil_status status = fil_groom_curves(context, p->common.strands, vertices, out);
    fil_rng rng = fil_rng_make((uint64_t)p->common.seed);
    for (int i = 0; status == FIL_OK && i < p->common.strands; ++i) {
        double x[3], normal[3];
        fil_groom_path path;
        fil_groom_head_point(&body, i, p->common.strands, -1, &rng, x, normal);
        // What lies along the body of a pull back and down.
        const double pull[3] = {0, -0.4, -1};
        double along = fil_vec3_dot(pull, normal), t[3], size = 0;
        for (int k = 0; k < 3; ++k) {
            t[k] = normal[k] + p->comb * (pull[k] - along * normal[k]);
            size += t[k] * t[k];
        }
        for (int k = 0; k < 3; ++k)
            t[k] /= sqrt(size);
        fil_groom_path_straight(x, t, p->common.length, &path);
        fil_groom_style_draw(&p->common, &rng, &path, normal, vertices, (*out)->position + (ptrdiff_t)3 * i * vertices);
    }
    return status;
}

const fil_groom_type fil_groom_fur = {
    .name = "fur",
    .doc = "short hairs all over an ellipsoid, combed back",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(fur_param),
    .make = make,
};
