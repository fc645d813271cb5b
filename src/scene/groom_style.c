// Hairs around middle lines, and points on heads.
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

int fil_groom_style_vertices(const fil_groom_common *common)
{
    curl c = curl_of(common->style);
    double segments = common->length / common->segment;
    if (c.per_turn > 0)
        segments = fmax(segments, c.per_turn * common->length / c.wavelength);
    return 1 + (int)fmin(fmax(ceil(segments - 1e-9), 1), 1e6);
}

static void normalise(double a[3])
{
    double length = fil_vec3_norm(a);
    for (int k = 0; k < 3; ++k)
        a[k] = length > 0 ? a[k] / length : k == 0;
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
    normalise(a);
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
    normalise(t);
}

void fil_groom_style_draw(const fil_groom_common *common, fil_rng *rng, const fil_groom_path *path,
                          const double side[3], int vertices, double *out)
{
    curl c = curl_of(common->style);
    double vary = common->variation;
    double length = path->step * (FIL_GROOM_LINE_POINTS - 1) * (1 - vary * fil_rng_uniform(rng, 0, 1));
    double amplitude = c.amplitude * (1 + vary * fil_rng_uniform(rng, -1, 1));
    double wavelength = c.wavelength * (1 + 0.5 * vary * fil_rng_uniform(rng, -1, 1));
    double phase = fil_rng_uniform(rng, 0, 2 * pi), a[3] = {side[0], side[1], side[2]};
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

// Heights at equal steps and turns by the golden angle cover a sphere evenly; an ellipsoid inherits it, stretched.
void fil_groom_head_point(const fil_groom_head *head, int i, int n, double lowest, fil_rng *rng, double x[3],
                          double normal[3])
{
    const double golden = 2.39996322972865332;
    double jitter = 0.5 * sqrt((1 - lowest) * 2 * pi / n); // part of the distance between neighbours
    double y = 1 - (1 - lowest) * (i + 0.5 + 0.8 * fil_rng_uniform(rng, -0.5, 0.5)) / n;
    y = fmin(fmax(y, -1), 1);
    double around = golden * i + jitter * fil_rng_uniform(rng, -1, 1), ring = sqrt(1 - y * y);
    const double unit[3] = {ring * cos(around), y, ring * sin(around)};
    for (int k = 0; k < 3; ++k) {
        x[k] = head->half[k] * unit[k];
        normal[k] = unit[k] / head->half[k];
    }
    normalise(normal);
}

void fil_groom_head_keep_out(const fil_groom_head *head, double clear, double x[3])
{
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size += x[k] / head->half[k] * (x[k] / head->half[k]);
    size = sqrt(size);
    for (int k = 0; k < 3 && size < 1 + clear && size > 0; ++k)
        x[k] *= (1 + clear) / size;
}

void fil_groom_head_grow(const fil_groom_head *head, const double x[3], const double normal[3], const double comb[3],
                         double length, double bend, fil_groom_path *out)
{
    const double clear = 0.03;
    out->step = length / (FIL_GROOM_LINE_POINTS - 1);
    double at[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < FIL_GROOM_LINE_POINTS; ++i) {
        for (int k = 0; k < 3; ++k)
            out->x[i][k] = at[k];
        double s = i * out->step, down = 1 - exp(-s / bend), combed = exp(-2 * s / head->half[1]), t[3];
        for (int k = 0; k < 3; ++k)
            t[k] = (1 - down) * normal[k] + down * (combed * comb[k] - (k == 1));
        normalise(t);
        double from[3] = {at[0], at[1], at[2]}, moved = 0;
        for (int k = 0; k < 3; ++k)
            at[k] += out->step * t[k];
        // The gap opens with the distance from the root. Steps along the head keep their length.
        fil_groom_head_keep_out(head, fmin(clear, 0.5 * i * out->step), at);
        for (int k = 0; k < 3; ++k)
            moved += (at[k] - from[k]) * (at[k] - from[k]);
        for (int k = 0; k < 3 && moved > 0; ++k)
            at[k] = from[k] + (at[k] - from[k]) * out->step / sqrt(moved);
    }
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
