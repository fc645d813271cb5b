// `fur`: short hairs all over an ellipsoid or a mesh, combed back.
#include "scene/groom.h"

#include "math/mat3.h"

typedef struct fur_param {
    fil_groom_common common;
    fil_groom_mesh mesh;
    double width, height, depth, comb;
} fur_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(fur_param, 5000, 0.02, 0.002, FIL_GROOM_STRAIGHT),
    FIL_GROOM_MESH(fur_param),
    {"width", FIL_KIND_REAL, offsetof(fur_param, width), 0.1, 1e-3, 1e2, "m", NULL, "half-axis along x"},
    {"height", FIL_KIND_REAL, offsetof(fur_param, height), 0.08, 1e-3, 1e2, "m", NULL, "half-axis along y, up"},
    {"depth", FIL_KIND_REAL, offsetof(fur_param, depth), 0.15, 1e-3, 1e2, "m", NULL, "half-axis along z"},
    {"comb", FIL_KIND_REAL, offsetof(fur_param, comb), 1, 0, 10, "", NULL,
     "how far hairs lean towards -z and down: 0 stands on end"},
};

static void grow(const void *param, const fil_groom_head *head, const fil_groom_root *root, fil_rng *rng,
                 fil_groom_hair *out)
{
    (void)rng;
    const fur_param *p = param;
    // What lies along the body of a pull back and down.
    const double pull[3] = {0, -0.4, -1}, *normal = root->normal;
    double along = fil_vec3_dot(pull, normal), t[3];
    for (int k = 0; k < 3; ++k)
        t[k] = normal[k] + p->comb * (pull[k] - along * normal[k]);
    double size = fil_vec3_norm(t);
    for (int k = 0; k < 3; ++k) {
        t[k] /= size;
        out->side[k] = normal[k];
    }
    fil_groom_path_straight(root->x, t, p->common.length, &out->path);
    // Hollows of a mesh: a hair may meet the other side. As far as nothing is near, nothing is asked for.
    for (int i = 1; i < FIL_GROOM_LINE_POINTS;) {
        double free = fil_groom_head_keep_out(head, 0, p->common.length, out->path.x[i]);
        i += 1 + (int)fmin(free / out->path.step, FIL_GROOM_LINE_POINTS);
    }
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const fur_param *p = param;
    const fil_groom_head body = {.half = {p->width, p->height, p->depth}, .lowest = -1};
    return fil_groom_head_make(context, &p->common, &body, &p->mesh, grow, p, out);
}

const fil_groom_type fil_groom_fur = {
    .name = "fur",
    .doc = "short hairs all over an ellipsoid or a mesh, combed back",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(fur_param),
    .make = make,
};
