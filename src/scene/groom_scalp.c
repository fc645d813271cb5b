// `scalp`: a head of hair. Roots cover the top, the sides and the back of an ellipsoid and leave the face free; hairs
// leave along the normal and fall.
#include "scene/groom.h"

#include <math.h>

typedef struct scalp_param {
    fil_groom_common common;
    double width, height, depth, bend;
} scalp_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(scalp_param, 2000, 0.25, 0.006, FIL_GROOM_STRAIGHT),
    {"width", FIL_KIND_REAL, offsetof(scalp_param, width), 0.075, 1e-3, 1e2, "m", NULL, "half-axis along x"},
    {"height", FIL_KIND_REAL, offsetof(scalp_param, height), 0.11, 1e-3, 1e2, "m", NULL, "half-axis along y, up"},
    {"depth", FIL_KIND_REAL, offsetof(scalp_param, depth), 0.095, 1e-3, 1e2, "m", NULL,
     "half-axis along z, towards the face; equal half-axes make a sphere"},
    {"bend", FIL_KIND_REAL, offsetof(scalp_param, bend), 0.02, 1e-4, 1e2, "m", NULL,
     "how far hairs rise before they fall"},
};

// The hairline: high over the face, low at the neck.
static bool is_bare(const fil_groom_head *head, const double x[3])
{
    double front = x[2] / head->half[2], up = x[1] / head->half[1];
    return up < 0.15 + 0.55 * front;
}

// Away from the face: a parting along the middle, the more the nearer the forehead.
static void comb_at(const fil_groom_head *head, const double x[3], double comb[3])
{
    double front = fmin(fmax(0.5 + x[2] / head->half[2], 0), 1.5);
    comb[0] = (x[0] < 0 ? -1.3 : 1.3) * front;
    comb[1] = 0;
    comb[2] = -1.1 * front;
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const scalp_param *p = param;
    const fil_groom_head head = {{p->width, p->height, p->depth}};
    int vertices = fil_groom_style_vertices(&p->common), strands = p->common.strands;
    fil_status status = fil_groom_curves(context, strands, vertices, out);
    if (status != FIL_OK)
        return status;
    // Points on the whole upper part, of which about this share bears hair.
    const double lowest = -0.4, share = 0.62;
    fil_rng rng = fil_rng_make((uint64_t)p->common.seed);
    int made = 0;
    for (int round = 0; made < strands; ++round) {
        int points = 1 + (int)((strands - made) / share);
        for (int i = 0; i < points && made < strands; ++i) {
            double x[3], normal[3], comb[3];
            fil_groom_path path;
            fil_groom_head_point(&head, i, points, lowest, &rng, x, normal);
            if (is_bare(&head, x))
                continue;
            comb_at(&head, x, comb);
            fil_groom_head_grow(&head, x, normal, comb, p->common.length, p->bend, &path);
            const double side[3] = {-normal[2], 0.1, normal[0]};
            fil_groom_style_draw(&p->common, &rng, &path, side, vertices,
                                 (*out)->position + (ptrdiff_t)3 * made * vertices);
            ++made;
        }
    }
    return FIL_OK;
}

const fil_groom_type fil_groom_scalp = {
    .name = "scalp",
    .doc = "a head of hair on an ellipsoid, the face towards z",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(scalp_param),
    .make = make,
};
