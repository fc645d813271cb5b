// Drag, wind, damping, viscosity and masses against what can be written down.
#include "test.h"

#include "filum/extend.h"
#include "filum/filum.h"

#include <string.h>

// One straight strand of two vertices along y, 1 m, with a model of its own.
typedef struct rod {
    fil_scene scene;
    fil_group group;
    int n;
    double x[6], v[6];
    fil_context *context;
    fil_model *model;
    fil_state *state;
} rod;

static void rod_prepare(const char *model, rod *r)
{
    *r = (rod){.scene = fil_scene_default(), .group = fil_group_default(), .n = 2, .x = {0, 0, 0, 0, -1, 0}};
    r->group.model = model;
    r->group.root = FIL_END_FREE;
    r->group.material.radius = 1e-3;
    r->group.material.density = 1e3;
    r->group.material.young = 1e9;
    r->scene.motion.tolerance = 1e-12;
}

static double rod_mass(const rod *r)
{
    const fil_material *m = &r->group.material;
    return m->density * 3.14159265358979 * m->radius * m->radius * m->aspect;
}

static void rod_start(rod *r)
{
    r->group.groom = (fil_groom){.strand_count = 1, .vertex_count = &r->n, .position = r->x, .velocity = r->v};
    r->scene.groups = &r->group;
    r->scene.group_count = 1;
    r->context = fil_context_create(NULL);
    test_ok(r->context, fil_model_create(r->context, &r->scene, &r->model));
    test_ok(r->context, fil_state_create(r->context, r->model, &r->state));
}

static void rod_run(rod *r, double h, int steps)
{
    for (int i = 0; i < steps; ++i) {
        fil_step_stats stats;
        test_ok(r->context, fil_step(r->context, r->state, h, &stats));
        ck_assert_int_eq(stats.unconverged + stats.failed, 0);
    }
    fil_state_read(r->state, 0, &(fil_frame){.position = r->x, .velocity = r->v});
}

static void rod_free(rod *r)
{
    fil_state_destroy(r->state);
    fil_model_destroy(r->model);
    fil_context_destroy(r->context);
}

static const char *model_at(int index)
{
    return fil_strand_type_at(index)->name;
}

TEST(free_fall_follows_the_scheme)
{
    for (int t = 0; t < fil_strand_type_count(); ++t)
        for (int scheme = 0; scheme < 3 && !fil_strand_type_at(t)->live; ++scheme) {
            rod r;
            rod_prepare(model_at(t), &r);
            r.scene.motion.scheme = (fil_scheme)scheme;
            rod_start(&r);
            enum { STEPS = 20 };
            const double h = 0.01, g = 9.81, time = STEPS * h;
            rod_run(&r, h, STEPS);
            test_near(r.v[1], -g * time, 1e-12);
            // Euler falls by one half step more; theta is exact; BDF2 carries what its first step did wrong.
            double drop = scheme == FIL_SCHEME_EULER ? 0.5 * g * (time * time + h * time) : 0.5 * g * time * time;
            test_near(r.x[1], -drop, scheme == FIL_SCHEME_BDF2 ? 1e-2 * drop : 1e-12);
            rod_free(&r);
        }
}

TEST(air_drag_ends_in_the_wind_or_at_terminal_speed)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        if (fil_strand_type_at(t)->live)
            continue; // test_step_live.c
        rod r;
        rod_prepare(model_at(t), &r);
        r.group.material.drag = 0.01;
        r.scene.wind[0] = 3;
        rod_start(&r);
        rod_run(&r, 0.05, 2000);
        test_near(r.v[0], 3, 1e-10);
        test_near(r.v[1], -rod_mass(&r) * 9.81 / 0.01, 1e-10);
        rod_free(&r);
    }
}

TEST(damping_slows_down_at_its_rate)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        if (fil_strand_type_at(t)->live)
            continue; // test_step_live.c
        rod r;
        rod_prepare(model_at(t), &r);
        r.group.material.damping = 2;
        r.scene.gravity[1] = 0;
        r.scene.motion.scheme = FIL_SCHEME_THETA;
        r.v[0] = r.v[3] = 5;
        rod_start(&r);
        rod_run(&r, 0.001, 1000);
        test_near(r.v[0], 5 * exp(-2), 1e-5);
        // Wind is no matter to damping.
        rod_free(&r);
    }
}

// A mass on a Kelvin-Voigt spring: m x'' = -k (x + T x'), T = viscosity / young. Half of the mass hangs at the end.
TEST(viscosity_damps_like_kelvin_and_voigt)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        if (fil_strand_type_at(t)->live)
            continue; // test_step_live.c
        rod r;
        rod_prepare(model_at(t), &r);
        fil_material *m = &r.group.material;
        r.group.root = FIL_END_PINNED;
        r.scene.gravity[1] = 0;
        r.v[4] = -0.01;
        m->young = 1e6;
        double mass = 0.5 * rod_mass(&r), k = m->young * 3.14159265358979 * m->radius * m->radius;
        double omega = sqrt(k / mass), T = 0.2 / omega; // damping ratio 0.1
        m->viscosity = m->young * T;
        rod_start(&r);
        const double zeta = 0.1, period = 6.283185307179586 / (omega * sqrt(1 - zeta * zeta));
        enum { STEPS = 20000 };
        rod_run(&r, period / STEPS, STEPS);
        // After one period: back at rest length, slower by exp(-zeta omega period). Euler adds its own damping.
        double slower = exp(-zeta * omega * period);
        test_near(r.v[4] / -0.01 / slower, 1, 3e-3);
        ck_assert_double_lt(fabs(r.x[4] + 1), 1e-3 * 0.01 / omega);
        rod_free(&r);
    }
}

TEST(mass_and_stiffness_follow_radius_and_density)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        if (fil_strand_type_at(t)->live)
            continue; // test_step_live.c
        // A cone and a density that grows: the mean of both ends counts on every edge.
        enum { N = 5 };
        int n = N;
        double x[3 * N] = {0}, radius[N], density[N], mass = 0;
        for (int i = 0; i < N; ++i) {
            x[3 * i] = 0.1 * i;
            radius[i] = 1e-3 * (1 + i);
            density[i] = 1000 + 100 * i;
        }
        for (int i = 0; i + 1 < N; ++i) {
            double a = 0.5 * (radius[i] + radius[i + 1]), rho = 0.5 * (density[i] + density[i + 1]);
            mass += rho * 0.1 * 3.14159265358979 * a * a * 0.5;
        }
        fil_scene scene = fil_scene_default();
        fil_group group = fil_group_default();
        group.model = model_at(t);
        group.material.aspect = 0.5;
        group.groom =
            (fil_groom){.strand_count = 1, .vertex_count = &n, .position = x, .radius = radius, .density = density};
        scene.groups = &group;
        scene.group_count = 1;
        fil_context *context = fil_context_create(NULL);
        fil_model *model;
        fil_state *state;
        test_ok(context, fil_model_create(context, &scene, &model));
        test_ok(context, fil_state_create(context, model, &state));
        fil_measure measure;
        fil_state_measure(state, 0, &measure);
        test_near(measure.mass / mass, 1, 1e-12);
        ck_assert_double_eq(measure.stretch, 0);
        fil_state_destroy(state);
        fil_model_destroy(model);
        fil_context_destroy(context);
    }
}

// One bent joint by hand: two edges of 1 cm at a right angle, natural shape straight, ellipse 2 : 1.
TEST(der_bends_about_the_axes_of_its_cross_section)
{
    int n = 3;
    const double straight[9] = {0, 0, 0, 0.01, 0, 0, 0.02, 0, 0}, pi = 3.14159265358979;
    for (int axis = 1; axis <= 2; ++axis) {
        double bent[9] = {0, 0, 0, 0.01, 0, 0, 0.01, 0, 0};
        bent[6 + axis] = 0.01;
        // The first axis of the cross-section is y: bending in the x-y plane turns about z, the second axis.
        const double normal[3] = {0, 1, 0};
        fil_scene scene = fil_scene_default();
        fil_group group = fil_group_default();
        fil_material *m = &group.material;
        m->aspect = 0.5;
        group.groom =
            (fil_groom){.strand_count = 1, .vertex_count = &n, .position = bent, .rest = straight, .normal = normal};
        scene.groups = &group;
        scene.group_count = 1;
        fil_context *context = fil_context_create(NULL);
        fil_model *model;
        fil_state *state;
        test_ok(context, fil_model_create(context, &scene, &model));
        test_ok(context, fil_state_create(context, model, &state));
        double a = m->radius, b = 0.5 * m->radius;
        double I = axis == 1 ? pi * a * a * a * b / 4 : pi * a * b * b * b / 4;
        fil_measure measure;
        fil_state_measure(state, 0, &measure);
        // κ = 2 tan(45°) = 2; ½ E I κ² / l
        test_near(measure.elastic / (0.5 * m->young * I * 4 / 0.01), 1, 1e-9);
        fil_state_destroy(state);
        fil_model_destroy(model);
        fil_context_destroy(context);
    }
}
