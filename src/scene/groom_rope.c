// `rope`: yarns twisted into plies, plies twisted the other way into a rope.
//
//     ply p     R1 (cos, sin)(2π (turns u + p / plies)),   yarn y on it  + R2 (cos, sin)(2π (-twice turns u + y /
//     yarns))
//
// Plies lie against each other, and so do yarns in a ply: for n circles of radius r around a centre R = r / sin(π / n).
#include "scene/groom.h"

#include <math.h>

typedef struct rope_param {
    int plies, yarns;
    double length, radius, turns, segment;
} rope_param;

static const fil_field fields[] = {
    {"plies", FIL_KIND_INT, offsetof(rope_param, plies), 3, 1, 100, "", NULL, "how many make the rope"},
    {"yarns", FIL_KIND_INT, offsetof(rope_param, yarns), 7, 1, 1000, "", NULL, "how many make a ply"},
    {"length", FIL_KIND_REAL, offsetof(rope_param, length), 0.5, 1e-3, 1e3, "m", NULL, "from top to bottom"},
    {"radius", FIL_KIND_REAL, offsetof(rope_param, radius), 0.001, 1e-6, 1, "m", NULL, "of a yarn"},
    {"turns", FIL_KIND_REAL, offsetof(rope_param, turns), 20, 0, 1e4, "1/m", NULL, "of the plies, per metre"},
    {"segment", FIL_KIND_REAL, offsetof(rope_param, segment), 0.005, 1e-5, 1e2, "m", NULL, "distance of vertices"},
};

static double ring_radius(int count, double radius)
{
    return count > 1 ? radius / sin(3.14159265358979323846 / count) : 0;
}

static fil_status make(fil_context *context, const void *param, fil_curves **out)
{
    const rope_param *p = param;
    const double pi = 3.14159265358979323846;
    int vertices = 1 + (int)fmin(fmax(ceil(p->length / p->segment - 1e-9), 1), 1e6);
    double inner = ring_radius(p->yarns, p->radius), outer = ring_radius(p->plies, inner + p->radius);
    fil_status status = fil_groom_curves(context, p->plies * p->yarns, vertices, out);
    for (int strand = 0; status == FIL_OK && strand < p->plies * p->yarns; ++strand) {
        double *x = (*out)->position + (ptrdiff_t)3 * strand * vertices;
        int ply = strand / p->yarns, yarn = strand % p->yarns;
        for (int i = 0; i < vertices; ++i) {
            double y = p->length * i / (vertices - 1), turned = p->turns * y;
            double first = 2 * pi * (turned + (double)ply / p->plies);
            double second = 2 * pi * (-2 * turned + (double)yarn / p->yarns);
            x[3 * i] = outer * cos(first) + inner * cos(second);
            x[3 * i + 1] = -y;
            x[3 * i + 2] = outer * sin(first) + inner * sin(second);
        }
    }
    return status;
}

const fil_groom_type fil_groom_rope = {
    .name = "rope",
    .doc = "a hanging rope: yarns twisted into plies, plies into a rope",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .param_size = sizeof(rope_param),
    .make = make,
};
