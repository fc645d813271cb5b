// Live strands by OpenCL: the same as on the processor, to rounding.
#include "test.h"

#include "../failing_allocator.h"
#include "globe.h"
#include "world.h"

#include "step/live_opencl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Strands of different lengths that hang and are moved, between bodies; not as many as fill packs.
enum { STRANDS = 13, MOST = 12, BODIES = 4 };
typedef enum style { STRAIGHT, CURVED, CURLY, STYLES } style;
typedef struct tuft {
    fil_scene scene;
    fil_group group;
    fil_contacts contacts;
    fil_obstacle bodies[BODIES];
    char model[128];
    int vertices[STRANDS];
    double x[3 * STRANDS * MOST];
    double time[2], way[12];
} tuft;

static const double edge = 0.02; // m

static void tuft_grow(style how, tuft *out)
{
    double *x = out->x;
    for (int strand = 0; strand < STRANDS; ++strand) {
        int n = out->vertices[strand] = MOST - strand % 7;
        double turn = how == STRAIGHT ? 0 : how == CURVED ? 0.04 : 0.8, angle = 0.3 * strand;
        double at[3] = {0.02 * (strand % 4), 0, 0.02 * (strand / 4)};
        for (int i = 0; i < n; ++i, angle += turn) {
            memcpy(x, at, sizeof at);
            x += 3;
            double out_of = how == STRAIGHT ? 0.3 : how == CURVED ? 0.3 + turn * i : 0.6;
            at[0] += edge * sin(out_of) * cos(angle);
            at[1] -= edge * cos(out_of);
            at[2] += edge * sin(out_of) * sin(angle);
        }
    }
}

static void tuft_make(const char *model, style how, tuft *out)
{
    *out = (tuft){.scene = fil_scene_default(),
                  .group = fil_group_default(),
                  .contacts = fil_contacts_default(),
                  .time = {0, 2},
                  .way = {0, 0, 0, 0, 0, 0, 0.1, 0.05, 0.02, 0.3, 0.5, 0}};
    static const fil_obstacle_shape shapes[BODIES] = {FIL_OBSTACLE_SPHERE, FIL_OBSTACLE_BOX, FIL_OBSTACLE_PLANE,
                                                      FIL_OBSTACLE_CAPSULE};
    tuft_grow(how, out);
    snprintf(out->model, sizeof out->model, "%s", model);
    for (int i = 0; i < BODIES; ++i) {
        fil_obstacle *body = &out->bodies[i];
        *body = fil_obstacle_default();
        body->shape = shapes[i];
        body->size[0] = body->size[1] = body->size[2] = 0.03;
        body->place = fil_pose_default();
        body->place.position[0] = 0.05 * i;
        body->place.position[1] = i == 2 ? -0.2 : -0.1;
        body->path.track = (fil_track){.key_count = 2, .time = out->time, .value = out->way};
        body->friction = 0.2;
    }
    out->group.model = out->model;
    out->group.material.radius = 1e-3;
    out->group.material.young = 1e8;
    out->group.material.damping = 1;
    out->group.material.drag = 1e-3;
    out->group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = out->vertices, .position = out->x};
    out->scene.wind[0] = 1;
    out->scene.groups = &out->group;
    out->scene.group_count = 1;
    out->scene.contacts = &out->contacts;
    out->scene.obstacles = out->bodies;
    out->scene.obstacle_count = BODIES;
}

// One world here and one there.
typedef struct pair {
    world here, there;
} pair;

static void skip_without_device(void)
{
#if defined(__SANITIZE_THREAD__)
    test_skip("drivers of OpenCL are not made for ThreadSanitizer");
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    test_skip("drivers of OpenCL are not made for ThreadSanitizer");
#endif
#endif
    tuft t;
    tuft_make("dftl:device=opencl", STRAIGHT, &t);
    fil_context *context = fil_context_create(NULL);
    fil_model *model;
    fil_state *state;
    test_ok(context, fil_model_create(context, &t.scene, &model));
    fil_status status = fil_state_create(context, model, &state);
    // A kernel that is not compiled is a fault of ours.
    if (status == FIL_UNAVAILABLE && !strstr(fil_context_error(context), "compile"))
        test_skip("%s", fil_context_error(context));
    test_ok(context, status);
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
}

static pair pair_make(const char *model, const char *settings, tuft *t)
{
    char name[128];
    pair out;
    snprintf(t->model, sizeof t->model, "%s", model);
    out.here = world_make(&t->scene, 1);
    snprintf(name, sizeof name, "%s%sdevice=opencl,%s", model, strchr(model, ':') ? "," : ":", settings);
    snprintf(t->model, sizeof t->model, "%s", name);
    out.there = world_make(&t->scene, 1);
    return out;
}

static void pair_free(pair *p)
{
    world_free(&p->here);
    world_free(&p->there);
}

static void run(world *w, int from, int steps, double h)
{
    for (int i = from; i < from + steps; ++i) {
        double angle = 0.01 * i;
        fil_pose pose = {.position = {0.001 * i, 0.0005 * i, 0}, .rotation = {cos(angle), 0, sin(angle), 0}};
        fil_step_stats stats;
        test_ok(w->context, fil_state_pose(w->context, w->state, 0, FIL_HOLD_ROOT, -1, &pose));
        test_ok(w->context, fil_step(w->context, w->state, h, &stats));
        ck_assert_int_eq(stats.failed, 0);
        ck_assert_int_eq(stats.strands, STRANDS);
    }
}

// The largest distance between them, over the length of a strand.
static double difference(pair *p)
{
    const double *a = positions(&p->here), *b = positions(&p->there), length = (MOST - 1) * edge;
    double most = 0;
    for (int i = 0; i < 3 * p->here.vertices; i += 3) {
        double d = hypot(hypot(a[i] - b[i], a[i + 1] - b[i + 1]), a[i + 2] - b[i + 2]);
        most = d <= most ? most : d; // also when it is not a number
    }
    return most / length;
}

static void compare(const char *model, const char *settings, style how, bool moves_far)
{
    tuft t;
    tuft_make(model, how, &t);
    pair p = pair_make(model, settings, &t);
    const double h = moves_far ? 1.0 / 20 : 1.0 / 60; // 1 / 20: in three parts
    run(&p.here, 0, 1, h);
    run(&p.there, 0, 1, h);
    ck_assert_msg(difference(&p) < 1e-5, "%s %s style %d: %g after a step", model, settings, how, difference(&p));
    run(&p.here, 1, 99, h);
    run(&p.there, 1, 99, h);
    ck_assert_msg(difference(&p) < 1e-3, "%s %s style %d: %g after 100", model, settings, how, difference(&p));
    // They have gone somewhere.
    double way = 0;
    for (int i = 0; i < 3 * p.here.vertices; ++i)
        way = fmax(way, fabs(p.here.x[i] - t.x[i]));
    ck_assert_double_gt(way, edge);
    pair_free(&p);
}

static void compare_all(const char *model)
{
    static const char *const forms[] = {"form=pbd,bends=3", "form=xpbd,bends=3,global=0.1", "form=direct"};
    skip_without_device();
    for (int form = 0; form < 3; ++form)
        for (int how = 0; how < STYLES; ++how) {
            char name[64];
            snprintf(name, sizeof name, "%s:%s", model, forms[form]);
            compare(name, "layout=packed", (style)how, how == CURVED);
            compare(name, "layout=strand", (style)how, how == CURVED);
            fil_live_opencl_pretend_gpu(true);
            compare(name, "layout=packed", (style)how, how == CURVED);
            compare(name, "layout=strand", (style)how, how == CURVED);
            fil_live_opencl_pretend_gpu(false);
        }
}

TEST(opencl_tridiag_is_as_on_the_processor)
{
    compare_all("tridiag");
}

TEST(opencl_dftl_is_as_on_the_processor)
{
    compare_all("dftl");
}

TEST(opencl_pbd_is_as_on_the_processor)
{
    compare_all("pbd");
}

static const char *const layouts[] = {"layout=packed", "layout=strand"};

// A saved state holds what the device knows, and a device goes on from it.
TEST(opencl_goes_on_from_a_saved_state)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("tridiag", CURVED, &t);
        pair p = pair_make("tridiag", layouts[l], &t);
        world resumed = world_make(&t.scene, 1);
        run(&p.there, 0, 10, 1.0 / 60);
        void *bytes = saved(p.there.state);
        run(&p.there, 10, 10, 1.0 / 60);
        void *through = saved(p.there.state);
        run(&resumed, 0, 3, 1.0 / 60); // what it knows already has to go
        test_ok(resumed.context, fil_state_load(resumed.context, resumed.state, bytes, fil_state_size(resumed.state)));
        run(&resumed, 10, 10, 1.0 / 60);
        void *again = saved(resumed.state);
        ck_assert_int_eq(memcmp(through, again, fil_state_size(resumed.state)), 0);
        // The same state on the processor.
        run(&p.here, 0, 20, 1.0 / 60);
        ck_assert_double_lt(difference(&p), 1e-4);
        free(bytes), free(through), free(again);
        world_free(&resumed);
        pair_free(&p);
    }
}

TEST(opencl_reads_and_measures_what_is_on_the_device)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("dftl", CURVED, &t);
        pair p = pair_make("dftl", layouts[l], &t);
        run(&p.here, 0, 7, 1.0 / 60);
        run(&p.there, 0, 7, 1.0 / 60);
        fil_measure here, there;
        fil_state_measure(p.here.state, 0, &here);
        fil_state_measure(p.there.state, 0, &there);
        test_near(there.kinetic / here.kinetic, 1, 1e-4);
        test_near(there.momentum[0] / here.momentum[0], 1, 1e-4);
        run(&p.here, 7, 1, 1.0 / 60);
        run(&p.there, 7, 1, 1.0 / 60);
        double v[2][3 * STRANDS * MOST], stretch[2][STRANDS * MOST];
        fil_state_read(p.here.state, 0, &(fil_frame){.velocity = v[0], .stretch = stretch[0]});
        fil_state_read(p.there.state, 0, &(fil_frame){.velocity = v[1], .stretch = stretch[1]});
        for (int i = 0; i < p.here.vertices; ++i) {
            test_near(stretch[0][i], stretch[1][i], 1e-5);
            for (int k = 0; k < 3; ++k)
                test_near(v[0][3 * i + k], v[1][3 * i + k], 1e-3);
        }
        pair_free(&p);
    }
}

TEST(opencl_feels_the_forces_of_the_host)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("tridiag", STRAIGHT, &t);
        pair p = pair_make("tridiag", layouts[l], &t);
        double force[3 * STRANDS * MOST];
        for (int i = 0; i < 3 * STRANDS * MOST; ++i)
            force[i] = 1e-3 * ((i * 7) % 5 - 2);
        for (int round = 0; round < 3; ++round) {
            const double *now = round == 1 ? force : NULL;
            test_ok(p.here.context, fil_state_force(p.here.context, p.here.state, 0, now));
            test_ok(p.there.context, fil_state_force(p.there.context, p.there.state, 0, now));
            run(&p.here, 5 * round, 5, 1.0 / 60);
            run(&p.there, 5 * round, 5, 1.0 / 60);
            ck_assert_double_lt(difference(&p), 1e-4);
        }
        pair_free(&p);
    }
}

TEST(opencl_lets_roots_go)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("tridiag", CURVED, &t);
        t.group.root_path.release = 0.25;
        t.scene.obstacle_count = 0;
        pair p = pair_make("tridiag", layouts[l], &t);
        run(&p.here, 0, 40, 1.0 / 60);
        run(&p.there, 0, 40, 1.0 / 60);
        ck_assert_double_lt(difference(&p), 1e-3);
        ck_assert_double_lt(p.there.x[1], -0.1); // it fell
        pair_free(&p);
    }
}

TEST(opencl_settles)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("tridiag", CURVED, &t);
        t.scene.obstacle_count = 0;
        pair p = pair_make("tridiag", layouts[l], &t);
        fil_step_stats stats;
        run(&p.there, 0, 3, 1.0 / 60);
        run(&p.here, 0, 3, 1.0 / 60);
        test_ok(p.here.context, fil_relax(p.here.context, p.here.state, 20, NULL));
        test_ok(p.there.context, fil_relax(p.there.context, p.there.state, 20, &stats));
        ck_assert_double_lt(difference(&p), 1e-4);
        fil_measure sum;
        fil_state_measure(p.there.state, 0, &sum);
        ck_assert(sum.kinetic == 0);
        pair_free(&p);
    }
}

// Strands that are not finite are counted, those of others stay as they are.
TEST(opencl_counts_failures)
{
    skip_without_device();
    for (int l = 0; l < 2; ++l) {
        tuft t;
        tuft_make("tridiag", STRAIGHT, &t);
        pair p = pair_make("tridiag", layouts[l], &t);
        double force[3 * STRANDS * MOST] = {0};
        force[3 * t.vertices[0] + 9] = 1e300; // no float: of the second strand
        test_ok(p.there.context, fil_state_force(p.there.context, p.there.state, 0, force));
        fil_step_stats stats;
        test_ok(p.there.context, fil_step(p.there.context, p.there.state, 1.0 / 60, &stats));
        ck_assert_int_eq(stats.failed, 1);
        const double *x = positions(&p.there);
        for (int i = 0; i < 3 * p.there.vertices; ++i)
            ck_assert(isfinite(x[i]));
        pair_free(&p);
    }
}

static fil_status work(fil_context *context, void *data)
{
    const tuft *t = data;
    fil_model *model;
    fil_state *state = NULL;
    fil_status status = fil_model_create(context, &t->scene, &model);
    if (status == FIL_OK)
        status = fil_state_create(context, model, &state);
    if (status == FIL_OK)
        status = fil_step(context, state, 1.0 / 60, NULL);
    fil_state_destroy(state);
    fil_model_destroy(model);
    return status;
}

TEST(opencl_survives_failing_allocation)
{
    skip_without_device();
    tuft t;
    tuft_make("dftl:device=opencl,layout=strand", STRAIGHT, &t);
    test_failing_allocation(work, &t);
}

// What devices do not know is done by the processor meanwhile: meshes between two shares of a step, a cloud behind it.
TEST(opencl_leaves_meshes_and_feels_a_cloud)
{
    static globe ball;
    skip_without_device();
    globe_make(0.06, &ball);
    static const char *const models[] = {"tridiag", "dftl", "pbd:form=xpbd,bends=3", "tridiag:grid=0.02",
                                         "dftl:grid=0.02"};
    for (int m = 0; m < 5; ++m)
        for (int mode = 0; mode < 4; ++mode) {
            tuft t;
            fil_live_opencl_pretend_gpu(mode >= 2);
            tuft_make(models[m], CURVED, &t);
            t.bodies[1].shape = FIL_OBSTACLE_MESH;
            t.bodies[1].mesh = &ball.mesh;
            pair p = pair_make(models[m], layouts[mode % 2], &t);
            // The same without the mesh, on the processor.
            const fil_touch_rule apart = {.first = 0, .second = 2, .apart = 1, .friction = -1};
            t.scene.rules = &apart;
            t.scene.rule_count = 1;
            snprintf(t.model, sizeof t.model, "%s", models[m]);
            pair without = {world_make(&t.scene, 1), p.there};
            run(&p.here, 0, 1, 1.0 / 20); // in three parts
            run(&p.there, 0, 1, 1.0 / 20);
            ck_assert_msg(difference(&p) < 1e-5, "%s: %g after a step", models[m], difference(&p));
            run(&p.here, 1, 60, 1.0 / 60);
            run(&p.there, 1, 60, 1.0 / 60);
            ck_assert_msg(difference(&p) < 1e-3, "%s: %g after 60", models[m], difference(&p));
            run(&without.here, 0, 1, 1.0 / 20);
            run(&without.here, 1, 60, 1.0 / 60);
            ck_assert_msg(difference(&without) > 1e-2, "%s: the mesh was not in the way", models[m]);
            world_free(&without.here);
            pair_free(&p);
        }
    fil_live_opencl_pretend_gpu(false);
}

// Without a device, or without OpenCL in the build, one sentence says what to do.
TEST(opencl_says_what_is_missing)
{
    ck_assert_int_eq(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
    tuft t;
    tuft_make("pbd:device=opencl", STRAIGHT, &t);
    fil_context *context = fil_context_create(NULL);
    fil_model *model;
    fil_state *state;
    test_ok(context, fil_model_create(context, &t.scene, &model));
    fil_status status = fil_state_create(context, model, &state);
    if (status == FIL_OK)
        test_skip("this OpenCL finds its drivers by other means");
    ck_assert_int_eq(status, FIL_UNAVAILABLE);
    const char *why = fil_context_error(context);
    if (strstr(why, "this build"))
        ck_assert_str_eq(why,
                         "opencl: this build cannot use it (missing: apt install ocl-icd-opencl-dev opencl-headers)");
    else
        ck_assert_str_eq(why, "opencl: no device found; install a driver, or pocl-opencl-icd, or use device cpu");
    ck_assert_ptr_null(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
}
