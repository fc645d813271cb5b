// Hairs around middle lines.
//
// A hair is x(s) = line(s) + offset in the plane across the line, whose axes are carried along without twist. Offsets:
//
//     wavy    a cos φ along the first axis                φ = 2π s / wavelength + phase
//     curly   a (cos φ, sin φ): a helix
//     coily   the same, tighter
//
// grown from nothing over the first wavelength, so that roots stay where they are. The hair is longer than its line.
#include "scene/groom.h"

#include "base/context.h"

#include "math/mat3.h"

static const double pi = 3.14159265358979323846;

typedef struct curl {
    double amplitude, wavelength; // m
    bool flat;
    int per_turn; // vertices that a turn needs
} curl;

static curl curl_of(int style)
{
    static const curl curls[] = {
        {0, 1, false, 0}, {0.004, 0.05, true, 10}, {0.006, 0.02, false, 12}, {0.004, 0.007, false, 8}};
    return curls[style];
}

static int vertices_of(const fil_groom_common *common)
{
    curl c = curl_of(common->style);
    double segments = common->length / common->segment;
    if (c.per_turn > 0)
        segments = fmax(segments, c.per_turn * common->length / c.wavelength);
    return 1 + (int)fmin(fmax(ceil(segments - 1e-9), 1), 1e6);
}

// Makes a a unit vector across t.
static void put_across(const double t[3], double a[3])
{
    double along = fil_vec3_dot(a, t);
    for (int k = 0; k < 3; ++k)
        a[k] -= along * t[k];
    if (fil_vec3_norm(a) < 1e-9) {
        const double axis[3] = {fabs(t[0]) < 0.7, 0, fabs(t[0]) >= 0.7};
        fil_vec3_cross(t, axis, a);
    }
    fil_vec3_normalise(a);
}

void fil_groom_path_straight(const double x[3], const double t[3], double length, fil_groom_path *out)
{
    out->step = length / (FIL_GROOM_LINE_POINTS - 1);
    for (int i = 0; i < FIL_GROOM_LINE_POINTS; ++i)
        for (int k = 0; k < 3; ++k)
            out->x[i][k] = x[k] + i * out->step * t[k];
}

// Where the path is at arc length s, and which way it goes there.
static void path_at(const fil_groom_path *path, double s, double x[3], double t[3])
{
    double place = s / path->step;
    int i = (int)fmin(fmax(place, 0), FIL_GROOM_LINE_POINTS - 2);
    for (int k = 0; k < 3; ++k) {
        t[k] = path->x[i + 1][k] - path->x[i][k];
        x[k] = path->x[i][k] + (place - i) * t[k];
    }
    if (fil_vec3_normalise(t) == 0)
        t[0] = 1;
}

static void draw(const fil_groom_common *common, fil_rng *rng, const fil_groom_hair *hair, int vertices, double *out)
{
    const fil_groom_path *path = &hair->path;
    curl c = curl_of(common->style);
    double vary = common->variation;
    double length = path->step * (FIL_GROOM_LINE_POINTS - 1) * (1 - vary * fil_rng_uniform(rng, 0, 1));
    double amplitude = c.amplitude * (1 + vary * fil_rng_uniform(rng, -1, 1));
    double wavelength = c.wavelength * (1 + 0.5 * vary * fil_rng_uniform(rng, -1, 1));
    double phase = fil_rng_uniform(rng, 0, 2 * pi), a[3] = {hair->side[0], hair->side[1], hair->side[2]};
    for (int i = 0; i < vertices; ++i) {
        double s = length * i / (vertices - 1), x[3], t[3], b[3];
        path_at(path, s, x, t);
        put_across(t, a);
        fil_vec3_cross(t, a, b);
        double grown = fmin(1, s / wavelength), angle = 2 * pi * s / wavelength + phase;
        double first = amplitude * grown * cos(angle), second = c.flat ? 0 : amplitude * grown * sin(angle);
        for (int k = 0; k < 3; ++k)
            out[3 * i + k] = x[k] + first * a[k] + second * b[k];
    }
}

fil_status fil_groom_style_make(fil_context *context, const fil_groom_common *common, fil_rng *rng,
                                fil_groom_grow *grow, const void *groom, fil_curves **out)
{
    int vertices = vertices_of(common);
    fil_status status = fil_groom_curves(context, common->strands, vertices, out);
    for (int i = 0; status == FIL_OK && i < common->strands; ++i) {
        fil_groom_hair hair;
        grow(groom, i, rng, &hair);
        draw(common, rng, &hair, vertices, (*out)->position + (ptrdiff_t)3 * i * vertices);
    }
    return status;
}

fil_status fil_groom_curves(fil_context *context, int strands, int vertices, fil_curves **out)
{
    *out = NULL;
    if ((int64_t)strands * vertices > FIL_GROOM_VERTICES_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%d strands of %d vertices each are too many: must be at most %lld vertices", strands,
                                vertices, (long long)FIL_GROOM_VERTICES_MAX);
    fil_status status = fil_curves_create(context, strands, (int64_t)strands * vertices, false, out);
    for (int i = 0; status == FIL_OK && i < strands; ++i)
        (*out)->vertex_count[i] = vertices;
    return status;
}
