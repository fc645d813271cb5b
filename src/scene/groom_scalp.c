// `scalp`: a head of hair. Roots cover the top, the sides and the back of an ellipsoid or of the upper part of a mesh
// and leave the face free; hairs leave along the normal and fall.
#include "scene/groom.h"

#include <math.h>

typedef struct scalp_param {
    fil_groom_common common;
    fil_groom_mesh mesh;
    double width, height, depth, lowest;
    int face;
    double bend;
} scalp_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(scalp_param, 2000, 0.25, 0.006, FIL_GROOM_STRAIGHT),
    FIL_GROOM_MESH(scalp_param),
    {"width", FIL_KIND_REAL, offsetof(scalp_param, width), 0.075, 1e-3, 1e2, "m", NULL, "half-axis along x"},
    {"height", FIL_KIND_REAL, offsetof(scalp_param, height), 0.11, 1e-3, 1e2, "m", NULL, "half-axis along y, up"},
    {"depth", FIL_KIND_REAL, offsetof(scalp_param, depth), 0.095, 1e-3, 1e2, "m", NULL,
     "half-axis along z, towards the face; equal half-axes make a sphere"},
    {"lowest", FIL_KIND_REAL, offsetof(scalp_param, lowest), -0.4, -1, 0.99, "", NULL,
     "where roots begin, part of the half-height: 0 is the middle, -1 the lowest point"},
    {"face", FIL_KIND_BOOL, offsetof(scalp_param, face), 1, 0, 1, "", NULL, "leave the side towards z free"},
    {"bend", FIL_KIND_REAL, offsetof(scalp_param, bend), 0.02, 1e-4, 1e2, "m", NULL,
     "how far hairs rise before they fall"},
};

// Away from the face: a parting along the middle, the more the nearer the forehead.
static void comb_at(const fil_groom_head *head, const double x[3], double comb[3])
{
    double front = fmin(fmax(0.5 + (x[2] - head->centre[2]) / head->half[2], 0), 1.5);
    comb[0] = (x[0] < head->centre[0] ? -1.3 : 1.3) * front;
    comb[1] = 0;
    comb[2] = -1.1 * front;
}

static void grow(const void *param, const fil_groom_head *head, const fil_groom_root *root, fil_rng *rng,
                 fil_groom_hair *out)
{
    (void)rng;
    const scalp_param *p = param;
    double comb[3];
    comb_at(head, root->x, comb);
    fil_groom_head_grow(head, root, comb, p->common.length, p->bend, &out->path);
    out->side[0] = -root->normal[2], out->side[1] = 0.1, out->side[2] = root->normal[0];
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const scalp_param *p = param;
    const fil_groom_head head = {.half = {p->width, p->height, p->depth}, .lowest = p->lowest, .face = p->face};
    return fil_groom_head_make(context, &p->common, &head, &p->mesh, grow, p, out);
}

const fil_groom_type fil_groom_scalp = {
    .name = "scalp",
    .doc = "a head of hair on an ellipsoid or a mesh, the face towards z",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(scalp_param),
    .make = make,
};
