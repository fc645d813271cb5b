// `ponytail`: hairs run over the head to a tie at its back and fall from there.
#include "scene/groom.h"

#include "math/mat3.h"

typedef struct ponytail_param {
    fil_groom_common common;
    double width, height, depth, tie;
} ponytail_param;

static const fil_field fields[] = {
    FIL_GROOM_COMMON(ponytail_param, 1500, 0.3, 0.006, FIL_GROOM_STRAIGHT),
    {"width", FIL_KIND_REAL, offsetof(ponytail_param, width), 0.075, 1e-3, 1e2, "m", NULL, "half-axis along x"},
    {"height", FIL_KIND_REAL, offsetof(ponytail_param, height), 0.11, 1e-3, 1e2, "m", NULL, "half-axis along y, up"},
    {"depth", FIL_KIND_REAL, offsetof(ponytail_param, depth), 0.095, 1e-3, 1e2, "m", NULL,
     "half-axis along z, towards the face"},
    {"tie", FIL_KIND_REAL, offsetof(ponytail_param, tie), 0.012, 1e-4, 1, "m", NULL, "radius of the tie"},
};

enum { FINE = 512 };

// Hairs have their length from the tie on; the way over the head comes on top.
static double way_over_head(const ponytail_param *p)
{
    return p->height + p->depth;
}

// The way of one hair, finely: over the head to the tie, through it, down. `place` in the tie's disc, both -1 to 1.
static double trace(const ponytail_param *p, const fil_groom_head *head, const double root[3], const double place[2],
                    double fine[FINE][3])
{
    const double tie[3] = {0, 0.45 * head->half[1], -0.93 * head->half[2]}, fall = 1.6 * p->common.length;
    double length = 0;
    for (int i = 0; i < FINE; ++i) {
        double u = (double)i / (FINE - 1), over = fmin(1, u / 0.3), after = fmax(0, (u - 0.3) / 0.7) * fall;
        double lift = 0.03 + 0.1 * over * over, drop = after * after / (after + 0.06),
               back = 0.05 * (1 - exp(-after / 0.03));
        double wide = 1 + 2 * (1 - exp(-after / 0.1));
        double *x = fine[i];
        for (int k = 0; k < 3; ++k)
            x[k] = (1 - over) * root[k] + over * tie[k];
        fil_groom_head_keep_out(head, fmin(lift, 0.6 * u), 0, x);
        x[0] += over * place[0] * p->tie * wide;
        x[1] += over * place[1] * p->tie * wide - drop;
        x[2] -= back + 0.2 * drop * (1 - after / (after + 0.3));
        fil_groom_head_keep_out(head, fmin(0.02, 0.6 * u), 0, x);
        if (i > 0) {
            const double d[3] = {x[0] - fine[i - 1][0], x[1] - fine[i - 1][1], x[2] - fine[i - 1][2]};
            length += fil_vec3_norm(d);
        }
    }
    return length;
}

// Equal steps along the fine way, as far as the hair is long.
static void resample(double fine[FINE][3], double length, fil_groom_path *out)
{
    out->step = length / (FIL_GROOM_LINE_POINTS - 1);
    double gone = 0;
    int made = 0;
    for (int i = 0; i + 1 < FINE && made < FIL_GROOM_LINE_POINTS; ++i) {
        const double d[3] = {fine[i + 1][0] - fine[i][0], fine[i + 1][1] - fine[i][1], fine[i + 1][2] - fine[i][2]};
        double part = fil_vec3_norm(d);
        for (; made < FIL_GROOM_LINE_POINTS && made * out->step <= gone + part; ++made)
            for (int k = 0; k < 3; ++k)
                out->x[made][k] = fine[i][k] + (part > 0 ? (made * out->step - gone) / part : 0) * d[k];
        gone += part;
    }
    for (; made < FIL_GROOM_LINE_POINTS; ++made)
        for (int k = 0; k < 3; ++k)
            out->x[made][k] = fine[FINE - 1][k];
}

static void grow(const void *param, const fil_groom_head *head, const fil_groom_root *root, fil_rng *rng,
                 fil_groom_hair *out)
{
    const ponytail_param *p = param;
    double angle = fil_rng_uniform(rng, 0, 6.283185307179586), radius = sqrt(fil_rng_uniform(rng, 0, 1));
    const double place[2] = {radius * cos(angle), radius * sin(angle)};
    double fine[FINE][3], whole = trace(p, head, root->x, place, fine);
    resample(fine, fmin(whole, p->common.length + way_over_head(p)), &out->path);
    out->side[0] = 1, out->side[1] = 0, out->side[2] = 0;
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const ponytail_param *p = param;
    const fil_groom_head head = {.half = {p->width, p->height, p->depth}, .lowest = 0.1};
    fil_groom_common common = p->common;
    common.length += way_over_head(p);
    return fil_groom_head_make(context, &common, &head, NULL, grow, p, out);
}

const fil_groom_type fil_groom_ponytail = {
    .name = "ponytail",
    .doc = "hairs that run over a head to a tie at its back and fall from there",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(ponytail_param),
    .make = make,
};
