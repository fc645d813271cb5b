// What a scene asks for while it runs: gravity and wind over time, paths, pins, releases.
#include "test.h"

#include "filum/extend.h"
#include "filum/filum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 11 };

typedef struct rig {
    fil_context *context;
    fil_scene scene;
    fil_group group;
    int n[2];
    double x[2 * 3 * N];
    unsigned char hold[2 * N];
    fil_model *model;
    fil_state *state;
} rig;

// Two strands of 10 cm along x.
static void rig_make(rig *r, const char *model)
{
    *r = (rig){.context = fil_context_create(NULL), .scene = fil_scene_default(), .group = fil_group_default()};
    r->n[0] = r->n[1] = N;
    for (int i = 0; i < 2 * N; ++i) {
        r->x[3 * i] = 0.01 * (i % N);
        r->x[3 * i + 2] = i < N ? 0 : 0.05;
    }
    r->group.model = model;
    r->group.groom = (fil_groom){.strand_count = 2, .vertex_count = r->n, .position = r->x, .hold = r->hold};
}

static void rig_start(rig *r)
{
    r->scene.groups = &r->group;
    r->scene.group_count = 1;
    test_ok(r->context, fil_model_create(r->context, &r->scene, &r->model));
    test_ok(r->context, fil_state_create(r->context, r->model, &r->state));
}

static void rig_stop(rig *r)
{
    fil_state_destroy(r->state);
    fil_model_destroy(r->model);
}

static void rig_free(rig *r)
{
    rig_stop(r);
    fil_context_destroy(r->context);
}

static void rig_run(rig *r, int steps, double h)
{
    for (int i = 0; i < steps; ++i)
        test_ok(r->context, fil_step(r->context, r->state, h, NULL));
}

static const double times[2] = {0, 0.01};

// A free strand falls as gravity says at the end of each step: the velocity is the sum of it.
TEST(gravity_follows_its_track)
{
    rig r;
    rig_make(&r, "der");
    r.group.root = FIL_END_FREE;
    r.group.material.drag = r.group.material.damping = 0;
    const double value[6] = {0, 0, 0, 0, 0, -20};
    r.scene.gravity_track = (fil_track){.key_count = 2, .time = times, .value = value, .blend = FIL_BLEND_LINEAR};
    rig_start(&r);
    rig_run(&r, 10, 1e-3);
    double v[2 * 3 * N];
    fil_state_read(r.state, 0, &(fil_frame){.velocity = v});
    double expected = -20 * 1e-3 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10) / 10.0;
    for (int i = 0; i < 2 * N; ++i) {
        test_near(v[3 * i + 2], expected, 1e-9);
        test_near(v[3 * i + 1], 0, 1e-9);
    }
    rig_free(&r);
}

TEST(wind_follows_its_track)
{
    rig r;
    rig_make(&r, "der");
    r.group.root = FIL_END_FREE;
    r.group.material.drag = 100; // takes the speed of the wind within a step
    r.scene.gravity[1] = 0;
    const double value[6] = {0, 0, 0, 0, 3, 0};
    r.scene.wind_track = (fil_track){.key_count = 2, .time = times, .value = value, .blend = FIL_BLEND_LINEAR};
    rig_start(&r);
    rig_run(&r, 5, 1e-3);
    double v[2 * 3 * N];
    fil_state_read(r.state, 0, &(fil_frame){.velocity = v});
    test_near(v[3 * 5 + 1], 1.5, 1e-2);
    rig_free(&r);
}

// A path in the scene and the same poses from the host: the same bits.
TEST(paths_do_what_a_host_would_do)
{
    const double value[12] = {0, 0, 0, 0, 0, 0, 0.01, 0.02, 0, 0.3, 0, 0.2};
    fil_path path = {.track = {.key_count = 2, .time = times, .value = value}, .pivot = {0.1, 0, 0}};
    double by_scene[2 * 3 * N], by_host[2 * 3 * N];
    rig r;
    rig_make(&r, "der");
    r.group.root_path = path;
    rig_start(&r);
    rig_run(&r, 12, 1e-3);
    fil_state_read(r.state, 0, &(fil_frame){.position = by_scene});
    fil_pose pose = fil_pose_default();
    test_fails(r.context, fil_state_pose(r.context, r.state, 0, FIL_HOLD_ROOT, -1, &pose), FIL_BAD_INPUT,
               "group 0: hold 0: follows a track of the scene");
    test_fails(r.context, fil_state_pose(r.context, r.state, 0, FIL_HOLD_PIN, -1, &pose), FIL_BAD_INPUT,
               "group 0: hold 2: must be root (0), tip (1) or one of 0 pins");
    rig_stop(&r);
    r.group.root_path = (fil_path){0};
    rig_start(&r);
    for (int i = 0; i < 12; ++i) {
        pose = fil_path_at(&path, fil_state_time(r.state) + 1e-3);
        test_ok(r.context, fil_state_pose(r.context, r.state, 0, FIL_HOLD_ROOT, -1, &pose));
        test_ok(r.context, fil_step(r.context, r.state, 1e-3, NULL));
    }
    fil_state_read(r.state, 0, &(fil_frame){.position = by_host});
    ck_assert_mem_eq(by_scene, by_host, sizeof by_host);
    rig_free(&r);
}

TEST(pins_hold_the_middle_and_follow_their_own_path)
{
    rig r;
    rig_make(&r, "der");
    const double value[12] = {0, 0, 0, 0, 0, 0, -0.02, 0.01, 0, 0, 0, 0};
    fil_path pins[2] = {{.track = {.key_count = 2, .time = times, .value = value}}, {.release = 0}};
    r.group.pins = pins;
    r.group.pin_count = 2;
    r.hold[5] = 3;      // the first strand by the first pin
    r.hold[N + 10] = 4; // the second by the other
    rig_start(&r);
    rig_run(&r, 20, 1e-3);
    double x[2 * 3 * N];
    fil_state_read(r.state, 0, &(fil_frame){.position = x});
    const double first[3] = {0.03, 0.01, 0}, second[3] = {0.1, 0, 0.05};
    for (int k = 0; k < 3; ++k) {
        test_near(x[3 * 5 + k], first[k], 1e-15);
        test_near(x[3 * (N + 10) + k], second[k], 1e-15);
    }
    rig_free(&r);
}

static void check_release(const char *model)
{
    rig r;
    rig_make(&r, model);
    r.group.root_path.release = 0.005;
    r.group.material.drag = 0;
    rig_start(&r);
    rig_run(&r, 5, 1e-3);
    double x[2 * 3 * N], later[2 * 3 * N], v[2 * 3 * N];
    fil_state_read(r.state, 0, &(fil_frame){.position = x});
    ck_assert_double_eq(x[1], 0);
    void *bytes = malloc(fil_state_size(r.state));
    fil_state_save(r.state, bytes);
    rig_run(&r, 30, 1e-3);
    fil_state_read(r.state, 0, &(fil_frame){.position = later, .velocity = v});
    ck_assert_double_lt(later[1], -1e-4);
    // Nothing holds it: its centre of mass falls freely from the moment of release.
    fil_measure before, after;
    fil_state_measure(r.state, 0, &after);
    size_t size = fil_state_size(r.state);
    test_ok(r.context, fil_state_load(r.context, r.state, bytes, size));
    fil_state_measure(r.state, 0, &before);
    // Live models keep it as well as they can.
    bool live = fil_strand_type_find(model)->live;
    test_near((after.momentum[1] - before.momentum[1]) / (before.mass * 0.030), -9.81, live ? 0.02 : 1e-6);
    // Back from before the release, the same again.
    rig_run(&r, 30, 1e-3);
    fil_state_read(r.state, 0, &(fil_frame){.position = x});
    ck_assert_mem_eq(x, later, sizeof x);
    free(bytes);
    rig_free(&r);
}

TEST(what_is_let_go_falls_freely)
{
    for (int i = 0; i < fil_strand_type_count(); ++i)
        check_release(fil_strand_type_at(i)->name);
}

TEST(control_is_part_of_the_fingerprint)
{
    rig r;
    rig_make(&r, "der");
    rig_start(&r);
    uint64_t plain = fil_model_fingerprint(r.model);
    rig_stop(&r);
    r.group.tip_path.release = 1;
    rig_start(&r);
    uint64_t released = fil_model_fingerprint(r.model);
    rig_stop(&r);
    const double value[6] = {0, -9.81, 0, 0, -9.81, 0};
    r.scene.gravity_track = (fil_track){.key_count = 2, .time = times, .value = value};
    rig_start(&r);
    ck_assert(plain != released && fil_model_fingerprint(r.model) != released);
    rig_free(&r);
}

TEST(bad_control_is_named)
{
    rig r;
    rig_make(&r, "der");
    const double bad[2] = {1, 0}, value[12] = {0};
    fil_path pin = {.release = -1};
    r.scene.groups = &r.group;
    r.scene.group_count = 1;
    r.group.pins = &pin;
    r.group.pin_count = 1;
    test_fails(r.context, fil_model_create(r.context, &r.scene, &r.model), FIL_BAD_INPUT,
               "groups[0].pins[0].release: must be a time in seconds, or 0 (got -1)");
    pin.release = 0;
    r.group.tip_path.track = (fil_track){.key_count = 2, .time = bad, .value = value};
    test_fails(r.context, fil_model_create(r.context, &r.scene, &r.model), FIL_BAD_INPUT,
               "groups[0].tip_path: time[1]: must be later than the one before, 1 s (got 0)");
    r.group.tip_path.track.key_count = 0;
    r.hold[3] = 4;
    test_fails(r.context, fil_model_create(r.context, &r.scene, &r.model), FIL_BAD_INPUT,
               "groups[0]: hold[3]: must be from 0 to 3 (got 4)");
    r.group.pin_count = 1000;
    test_fails(r.context, fil_model_create(r.context, &r.scene, &r.model), FIL_BAD_INPUT,
               "groups[0]: pin_count: must be 0 to 200 (got 1000)");
    r.group.pin_count = 0;
    r.hold[3] = 0;
    r.scene.wind[1] = NAN;
    test_fails(r.context, fil_model_create(r.context, &r.scene, &r.model), FIL_BAD_INPUT,
               "wind[1]: must be finite (got nan)");
    fil_context_destroy(r.context);
}

TEST(shape_tells_what_does_not_change)
{
    rig r;
    rig_make(&r, "der");
    // A quarter of a circle of 5 cm.
    for (int i = 0; i < N; ++i) {
        double angle = 0.157079632679 * i;
        r.x[3 * i] = 0.05 * sin(angle);
        r.x[3 * i + 1] = 0.05 * (1 - cos(angle));
    }
    rig_start(&r);
    int counts[2];
    double radius[2 * N], length[2 * N], stiffness[2 * N], curvature[2 * N], stretch[2 * N];
    fil_model_shape(r.model, 0, &(fil_shape){counts, radius, length, stiffness, curvature});
    fil_state_read(r.state, 0, &(fil_frame){.stretch = stretch});
    const fil_material *m = &r.group.material;
    ck_assert_int_eq(fil_model_strand_count(r.model, 0), 2);
    ck_assert(counts[0] == N && counts[1] == N);
    ck_assert_double_eq(radius[N - 1], m->radius);
    test_near(length[3], 2 * 0.05 * sin(0.157079632679 / 2), 1e-12);
    ck_assert_double_eq(length[N - 1], 0);
    test_near(stiffness[0] / (m->young * 3.14159265358979 * m->radius * m->radius), 1, 1e-12);
    test_near(curvature[5] * 0.05, 1, 0.01);
    ck_assert(curvature[0] == 0 && curvature[N - 1] == 0 && curvature[N + 5] == 0);
    for (int i = 0; i < 2 * N; ++i)
        test_near(stretch[i], 0, 1e-14);
    rig_run(&r, 20, 1e-3);
    fil_state_read(r.state, 0, &(fil_frame){.stretch = stretch});
    fil_measure measure;
    fil_state_measure(r.state, 0, &measure);
    double most = 0;
    for (int i = 0; i < 2 * N; ++i)
        most = fmax(most, fabs(stretch[i]));
    ck_assert(most > 0 && most == measure.stretch);
    rig_free(&r);
}

TEST(phases_take_time_and_have_names)
{
    rig r;
    rig_make(&r, "der");
    rig_start(&r);
    fil_step_stats stats;
    test_ok(r.context, fil_step(r.context, r.state, 1e-3, &stats));
    ck_assert_double_gt(stats.seconds[FIL_PHASE_SOLVE], 0);
    ck_assert_str_eq(fil_phase_name(FIL_PHASE_SOLVE), "solve");
    rig_free(&r);
}
