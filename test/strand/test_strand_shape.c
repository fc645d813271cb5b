// One strand as a rod: axes, natural shape, the numbers of its cross-section.
#include "test.h"

#include "math/mat3.h"
#include "strand/strand.h"

enum { N = 40 };

typedef struct shaped {
    fil_context *context;
    fil_arena *arena;
    fil_group group;
    int n;
    double x[3 * N], strain[3 * N];
    fil_strand_maker maker;
} shaped;

static void shape_make(shaped *s)
{
    *s = (shaped){.group = fil_group_default(), .n = N};
    for (int i = 0; i < N; ++i)
        s->x[3 * i] = 0.01 * i;
    s->group.groom = (fil_groom){.strand_count = 1, .vertex_count = &s->n, .position = s->x};
    s->context = fil_context_create(NULL);
    s->arena = fil_arena_create(s->context);
    test_ok(s->context, fil_strand_maker_create(s->arena, N, &s->maker));
}

static void shape_run(shaped *s)
{
    test_ok(s->context, fil_strand_maker_shape(s->context, &s->group, 0, 0, "group", &s->maker));
}

static void shape_free(shaped *s)
{
    fil_arena_destroy(s->arena);
    fil_context_destroy(s->context);
}

static void direction(const double *x, double t[3])
{
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        t[k] = x[3 + k] - x[k];
        size += t[k] * t[k];
    }
    for (int k = 0; k < 3; ++k)
        t[k] /= sqrt(size);
}

TEST(shape_axes_are_orthonormal_and_twist_free)
{
    shaped s;
    shape_make(&s);
    for (int i = 0; i < N; ++i) {
        s.x[3 * i + 1] = 0.02 * sin(0.4 * i);
        s.x[3 * i + 2] = 0.02 * cos(0.3 * i);
    }
    const double normal[3] = {0.1, 1, 0.2};
    s.group.groom.normal = normal;
    shape_run(&s);
    double t0[3], t1[3], axis[3];
    for (int i = 0; i < N - 1; ++i) {
        const double *m = s.maker.rest_axis + 3 * i;
        direction(s.x + 3 * i, t1);
        test_near(fil_vec3_dot(m, m), 1, 1e-13);
        test_near(fil_vec3_dot(m, t1), 0, 1e-13);
        // Along the common normal of two edges nothing changes.
        if (i > 0) {
            fil_vec3_cross(t0, t1, axis);
            double size = fil_vec3_norm(axis);
            test_near(fil_vec3_dot(m, axis) / size, fil_vec3_dot(m - 3, axis) / size, 1e-12);
        }
        for (int k = 0; k < 3; ++k)
            t0[k] = t1[k];
    }
    shape_free(&s);
}

TEST(shape_from_a_constant_curvature_is_a_circle)
{
    shaped s;
    shape_make(&s);
    const double normal[3] = {0, 0, 1}, kappa = 5;
    for (int i = 0; i < N; ++i)
        s.strain[3 * i] = kappa; // about the first axis, z: a circle in the x-y plane
    s.group.groom.normal = normal;
    s.group.groom.natural_strain = s.strain;
    shape_run(&s);
    // Chords of 1 cm that turn by 2 atan(κ l / 2): corners on a circle around (0.5 l, R').
    double turn = 2 * atan(0.5 * kappa * 0.01), radius = 0.005 / sin(turn / 2),
           centre[2] = {0.005, 0.005 / tan(turn / 2)};
    for (int i = 0; i < N; ++i) {
        const double *x = s.maker.rest + 3 * i;
        test_near(hypot(x[0] - centre[0], x[1] - centre[1]), radius, 1e-12);
        test_near(x[2], 0, 1e-15);
    }
    shape_free(&s);
}

TEST(shape_from_a_natural_twist_turns_the_axes)
{
    shaped s;
    shape_make(&s);
    for (int i = 0; i < N; ++i)
        s.strain[3 * i + 2] = 10; // rad/m
    s.group.groom.natural_strain = s.strain;
    shape_run(&s);
    for (int i = 0; i + 1 < N; ++i) {
        test_near(s.maker.rest[3 * i + 1], 0, 1e-15);
        test_near(fil_vec3_dot(s.maker.rest_axis, s.maker.rest_axis + 3 * i), cos(0.1 * i), 1e-12);
        test_near(s.maker.rest_twist[i], i > 0 ? 0.1 : 0, 1e-15);
        // At the start every joint has its natural twist.
        test_near(fil_vec3_dot(s.maker.start_axis, s.maker.start_axis + 3 * i), cos(0.1 * i), 1e-12);
    }
    shape_free(&s);
}

TEST(shape_of_an_ellipse_has_two_stiffnesses)
{
    shaped s;
    shape_make(&s);
    fil_material *m = &s.group.material;
    *m = (fil_material){.young = 1e9,
                        .poisson = 0.25,
                        .density = 1000,
                        .radius = 2e-3,
                        .aspect = 0.5,
                        .stretch_scale = 2,
                        .bend_scale = 3,
                        .twist_scale = 4};
    shape_run(&s);
    const double a = 2e-3, b = 1e-3, pi = 3.14159265358979323846, G = 1e9 / 2.5;
    test_near(s.maker.stretch[3] / (2 * 1e9 * pi * a * b), 1, 1e-14);
    test_near(s.maker.bend1[3] / (3 * 1e9 * pi * a * b * b * b / 4), 1, 1e-14);
    test_near(s.maker.bend2[3] / (3 * 1e9 * pi * a * a * a * b / 4), 1, 1e-14);
    test_near(s.maker.twist[3] / (4 * G * pi * a * a * a * b * b * b / (a * a + b * b)), 1, 1e-14);
    double mass = 1000 * 0.01 * pi * a * b;
    test_near(s.maker.mass[3] / mass, 1, 1e-14);
    test_near(s.maker.mass[0] / mass, 0.5, 1e-14);
    test_near(s.maker.rotary[3] / (mass * (a * a + b * b) / 4), 1, 1e-14);
    shape_free(&s);
}
