// One strand of a groom as a rod: its shape without load, the axes of its cross-sections, stiffness and mass.
//
//     edge of length l, half-widths a and b along the axes m1 and m2 (means of its two vertices):
//     area π a b, E I about m1 ¼ π a b³ E, about m2 ¼ π a³ b E, G J = G π a³ b³ / (a² + b²)
//     rotary inertia ρ l ¼ π a b (a² + b²); mass ρ l π a b, half of it at each vertex
//
// Cross-sections: the first axis at the root is the groom's normal made orthogonal to the first edge; the next ones
// follow by parallel transport, turned by the natural twist. At the start each joint has its natural twist, so a strand
// whose rest shape is its start carries no stress.
#include "strand/strand.h"

#include "math/mat3.h"

#include <string.h>

fil_status fil_strand_maker_create(fil_arena *arena, int longest, fil_strand_maker *out)
{
    *out = (fil_strand_maker){0};
    struct {
        double **array;
        int width;
    } rooms[] = {{&out->rest, 3},    {&out->rest_axis, 3}, {&out->rest_twist, 1}, {&out->length, 1}, {&out->stretch, 1},
                 {&out->bend1, 1},   {&out->bend2, 1},     {&out->twist, 1},      {&out->mass, 1},   {&out->rotary, 1},
                 {&out->voronoi, 1}, {&out->radius, 1},    {&out->start_axis, 3}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        *rooms[i].array = FIL_ARENA_ARRAY(arena, double, (size_t)longest *(size_t)rooms[i].width);
        if (!*rooms[i].array)
            return FIL_NO_MEMORY;
    }
    out->shape = (fil_strand_shape){.rest = out->rest,
                                    .rest_axis = out->rest_axis,
                                    .rest_twist = out->rest_twist,
                                    .length = out->length,
                                    .stretch = out->stretch,
                                    .bend1 = out->bend1,
                                    .bend2 = out->bend2,
                                    .twist = out->twist};
    return FIL_OK;
}

static void direction(const double *x, double t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = x[3 + k] - x[k];
    double length = fil_vec3_norm(t);
    for (int k = 0; k < 3; ++k)
        t[k] /= length;
}

// d, across t0, taken to be across t1 by the smallest rotation; opposite directions keep it.
static void transport(const double d[3], const double t0[3], const double t1[3], double out[3])
{
    double chi = 1 + fil_vec3_dot(t0, t1);
    double along = chi > 1e-12 ? fil_vec3_dot(t1, d) / chi : 0;
    for (int k = 0; k < 3; ++k)
        out[k] = d[k] - along * (t0[k] + t1[k]);
}

static void turn_about(const double t[3], double angle, double d[3])
{
    double c = cos(angle), s = sin(angle), across[3];
    fil_vec3_cross(t, d, across);
    for (int k = 0; k < 3; ++k)
        d[k] = c * d[k] + s * across[k];
}

// Makes d a unit vector across t; a d along t is replaced by any such vector.
static void orthonormalise(const double t[3], double d[3])
{
    double along = fil_vec3_dot(t, d);
    for (int k = 0; k < 3; ++k)
        d[k] -= along * t[k];
    double length = fil_vec3_norm(d);
    if (!(length > 1e-6)) {
        int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0 : fabs(t[1]) <= fabs(t[2]) ? 1 : 2;
        const double axis[3] = {least == 0, least == 1, least == 2};
        fil_vec3_cross(t, axis, d);
        length = fil_vec3_norm(d);
    }
    for (int k = 0; k < 3; ++k)
        d[k] /= length;
}

void fil_strand_spread_axes(int vertices, const double *x, const double *twist, double *axis)
{
    double t0[3], t1[3];
    direction(x, t0);
    orthonormalise(t0, axis);
    for (int i = 1; i < vertices - 1; ++i) {
        direction(x + (ptrdiff_t)3 * i, t1);
        transport(axis + (ptrdiff_t)3 * (i - 1), t0, t1, axis + (ptrdiff_t)3 * i);
        turn_about(t1, twist ? twist[i] : 0, axis + (ptrdiff_t)3 * i);
        orthonormalise(t1, axis + (ptrdiff_t)3 * i);
        memcpy(t0, t1, sizeof t0);
    }
}

void fil_strand_replace_by_axes(int vertices, const double axis[3], double *x)
{
    double t0[3], t1[3], d[3] = {axis[0], axis[1], axis[2]}, carried[3];
    direction(x, t0);
    orthonormalise(t0, d);
    for (int i = 0; i < vertices - 1; ++i) {
        direction(x + (ptrdiff_t)3 * i, t1);
        transport(d, t0, t1, carried);
        orthonormalise(t1, carried);
        memcpy(d, carried, sizeof d);
        memcpy(t0, t1, sizeof t0);
        memcpy(x + (ptrdiff_t)3 * i, d, sizeof d);
    }
}

// Edge by edge: turn the frame by the natural curvature κ1 m1 + κ2 m2 times the Voronoi length, as the discrete
// curvature 2 tan(φ / 2) measures it, then by the natural twist.
static void curve_from_strain(int vertices, const double *strain, const double *length, double *x, double *axis,
                              double *twist)
{
    double t[3], m1[3], m2[3];
    direction(x, t);
    memcpy(m1, axis, sizeof m1);
    for (int i = 1; i < vertices - 1; ++i) {
        double voronoi = 0.5 * (length[i - 1] + length[i]);
        const double *natural = strain + (ptrdiff_t)3 * i;
        twist[i] = natural[2] * voronoi;
        fil_vec3_cross(t, m1, m2);
        double b[3], size = voronoi * hypot(natural[0], natural[1]);
        for (int k = 0; k < 3; ++k)
            b[k] = size > 0 ? voronoi * (natural[0] * m1[k] + natural[1] * m2[k]) / size : 0;
        // Both edges see the binormal; half of the twist on each side keeps the two measurements alike.
        double angle = 2 * atan(0.5 * size), next[3] = {t[0], t[1], t[2]};
        turn_about(t, 0.5 * twist[i], b);
        turn_about(b, size > 0 ? angle : 0, next);
        orthonormalise(b, next);
        if (!(size > 0))
            memcpy(next, t, sizeof next);
        double turned[3];
        transport(m1, t, next, turned);
        turn_about(next, twist[i], turned);
        orthonormalise(next, turned);
        memcpy(m1, turned, sizeof m1);
        memcpy(t, next, sizeof t);
        memcpy(axis + (ptrdiff_t)3 * i, m1, sizeof m1);
        for (int k = 0; k < 3; ++k)
            x[3 * (i + 1) + k] = x[3 * i + k] + length[i] * t[k];
    }
}

static fil_status check_vertices(fil_context *context, const char *place, const char *name, const double *x,
                                 int64_t first, int vertices)
{
    for (int i = 0; i < vertices; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(x[3 * (first + i) + k]))
                return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s[%lld]: must be finite (got %g)", place, name,
                                        (long long)(3 * (first + i) + k), x[3 * (first + i) + k]);
    return FIL_OK;
}

// Lengths of the edges; an edge shorter than this part of the longest one has no direction.
static fil_status measure_edges(fil_context *context, const char *place, const char *name, int strand, const double *x,
                                int vertices, double *length)
{
    double longest = 0;
    for (int i = 0; i < vertices - 1; ++i) {
        const double *p = x + (ptrdiff_t)3 * i, e[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]};
        length[i] = fil_vec3_norm(e);
        longest = fmax(longest, length[i]);
    }
    for (int i = 0; i < vertices - 1; ++i)
        if (!(length[i] > 1e-9 * longest) || !isfinite(length[i]))
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "%s: %s: strand %d: vertices %d and %d coincide or are too far apart", place, name,
                                    strand, i, i + 1);
    return FIL_OK;
}

static fil_status value_at(fil_context *context, const char *place, const char *name, const double *array,
                           double otherwise, int64_t index, double *out)
{
    *out = array ? array[index] : otherwise;
    if (!(*out > 0) || !isfinite(*out))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s[%lld]: must be a finite number > 0 (got %g)", place,
                                name, (long long)index, *out);
    return FIL_OK;
}

// Stiffness of the edges, masses of the vertices.
static fil_status fill_section(fil_context *context, const fil_group *group, int64_t first, const char *place,
                               fil_strand_maker *maker)
{
    const double pi = 3.14159265358979323846;
    const fil_material *material = &group->material;
    const fil_groom *groom = &group->groom;
    int n = maker->shape.vertices;
    double shear = material->young / (2 * (1 + material->poisson)), density_before = 0;
    memset(maker->mass, 0, (size_t)n * sizeof(double));
    memset(maker->rotary, 0, (size_t)n * sizeof(double));
    memset(maker->voronoi, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        double density;
        fil_status status =
            value_at(context, place, "radius", groom->radius, material->radius, first + i, &maker->radius[i]);
        if (status == FIL_OK)
            status = value_at(context, place, "density", groom->density, material->density, first + i, &density);
        if (status != FIL_OK)
            return status;
        if (i > 0) {
            int e = i - 1;
            double a = 0.5 * (maker->radius[e] + maker->radius[i]), b = a * material->aspect;
            double rho = 0.5 * (density_before + density), l = maker->length[e];
            double mass = rho * l * pi * a * b;
            maker->stretch[e] = material->stretch_scale * material->young * pi * a * b;
            maker->bend1[e] = material->bend_scale * material->young * 0.25 * pi * a * b * b * b;
            maker->bend2[e] = material->bend_scale * material->young * 0.25 * pi * a * a * a * b;
            maker->twist[e] = material->twist_scale * shear * pi * a * a * a * b * b * b / (a * a + b * b);
            maker->rotary[e] = 0.25 * mass * (a * a + b * b);
            maker->mass[e] += 0.5 * mass, maker->mass[i] += 0.5 * mass;
            maker->voronoi[e] += 0.5 * l, maker->voronoi[i] += 0.5 * l;
        }
        density_before = density;
    }
    maker->rotary[n - 1] = maker->rotary[n - 2]; // idle, and not zero
    return FIL_OK;
}

static fil_status natural_shape(fil_context *context, const fil_groom *groom, int64_t first, const char *place,
                                fil_strand_maker *maker)
{
    int n = maker->shape.vertices;
    fil_status status = check_vertices(context, place, "natural_strain", groom->natural_strain, first, n);
    if (status != FIL_OK)
        return status;
    const double pi = 3.14159265358979323846;
    curve_from_strain(n, groom->natural_strain + 3 * first, maker->length, maker->rest, maker->rest_axis,
                      maker->rest_twist);
    for (int i = 1; i < n - 1; ++i)
        if (!(fabs(maker->rest_twist[i]) < pi))
            return fil_context_fail(
                context, FIL_BAD_INPUT,
                "%s: natural_strain[%lld]: the twist from one edge to the next must be below pi (got %g): use more "
                "vertices",
                place, (long long)(3 * (first + i) + 2), maker->rest_twist[i]);
    return FIL_OK;
}

fil_status fil_strand_maker_shape(fil_context *context, const fil_group *group, int strand, int64_t first,
                                  const char *place, fil_strand_maker *maker)
{
    const fil_groom *groom = &group->groom;
    int n = maker->shape.vertices = groom->vertex_count[strand];
    const double *x = groom->position + 3 * first, *rest = groom->rest ? groom->rest + 3 * first : x;
    const char *rest_name = groom->rest ? "rest" : "position";
    fil_status status = check_vertices(context, place, "position", groom->position, first, n);
    if (status == FIL_OK && groom->rest)
        status = check_vertices(context, place, "rest", groom->rest, first, n);
    if (status == FIL_OK)
        status = measure_edges(context, place, "position", strand, x, n, maker->length);
    if (status == FIL_OK)
        status = measure_edges(context, place, rest_name, strand, rest, n, maker->length);
    if (status == FIL_OK && groom->normal)
        status = check_vertices(context, place, "normal", groom->normal, strand, 1);
    if (status == FIL_OK)
        status = fill_section(context, group, first, place, maker);
    if (status != FIL_OK)
        return status;

    // The root axis: given for the start, taken to the rest shape by the smallest rotation.
    double t_start[3], t_rest[3];
    direction(x, t_start);
    direction(rest, t_rest);
    memset(maker->start_axis, 0, 3 * sizeof(double));
    if (groom->normal)
        memcpy(maker->start_axis, groom->normal + (ptrdiff_t)3 * strand, 3 * sizeof(double));
    orthonormalise(t_start, maker->start_axis);
    transport(maker->start_axis, t_start, t_rest, maker->rest_axis);
    orthonormalise(t_rest, maker->rest_axis);
    memcpy(maker->rest, rest, (size_t)(3 * n) * sizeof(double));
    memset(maker->rest_twist, 0, (size_t)n * sizeof(double));
    if (groom->natural_strain) {
        status = natural_shape(context, groom, first, place, maker);
        if (status != FIL_OK)
            return status;
    } else {
        fil_strand_spread_axes(n, maker->rest, maker->rest_twist, maker->rest_axis);
    }
    fil_strand_spread_axes(n, x, maker->rest_twist, maker->start_axis);
    return FIL_OK;
}
