// Live strands: what all of them promise, and what each does.
#include "test.h"

#include "../failing_allocator.h"
#include "scenes.h"
#include "globe.h"
#include "world.h"

#include "filum/extend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// All live models, in all forms.
static int live_models(char names[][64])
{
    static const char *const forms[] = {"pbd,bends=20", "xpbd,bends=20", "direct"};
    int count = 0;
    for (int t = 0; t < fil_strand_type_count(); ++t)
        for (int form = 0; form < 3 && fil_strand_type_at(t)->live; ++form)
            snprintf(names[count++], 64, "%s:form=%s", fil_strand_type_at(t)->name, forms[form]);
    return count;
}
enum { MOST_MODELS = 16 };

// A strand along z, or a coil about z.
enum { N = 21 };
typedef struct rope {
    fil_scene scene;
    fil_group group;
    double x[3 * N];
    int n;
} rope;

static void rope_make(const char *model, bool coil, rope *out)
{
    *out = (rope){.scene = fil_scene_default(), .group = fil_group_default(), .n = N};
    for (int i = 0; i < N; ++i) {
        double angle = coil ? 0.7 * i : 0;
        out->x[3 * i] = coil ? 0.01 * (cos(angle) - 1) : 0;
        out->x[3 * i + 1] = coil ? 0.01 * sin(angle) : 0;
        out->x[3 * i + 2] = 0.01 * i;
    }
    out->group.model = model;
    out->group.material.radius = 1e-3;
    out->group.material.young = 1e9;
    out->group.groom = (fil_groom){.strand_count = 1, .vertex_count = &out->n, .position = out->x};
    out->scene.groups = &out->group;
    out->scene.group_count = 1;
}

static void run(world *w, int steps, double h)
{
    for (int i = 0; i < steps; ++i) {
        fil_step_stats stats;
        test_ok(w->context, fil_step(w->context, w->state, h, &stats));
        ck_assert_int_eq(stats.failed, 0);
    }
}

// The largest stretch of the edges that are not held at both ends.
static double stretch_of(const world *w, const fil_group *group)
{
    double most = 0, *stretch = malloc((size_t)w->vertices * sizeof *stretch);
    fil_state_read(w->state, 0, &(fil_frame){.stretch = stretch});
    for (int strand = 0, first = 0; strand < group->groom.strand_count; first += group->groom.vertex_count[strand++])
        for (int i = group->root == FIL_END_CLAMPED; i + 1 < group->groom.vertex_count[strand]; ++i)
            most = fmax(most, fabs(stretch[first + i]));
    free(stretch);
    return most;
}

static double distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i)
        most = fmax(most, hypot(hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1]), a[3 * i + 2] - b[3 * i + 2]));
    return most;
}

#define FOR_EVERY_LIVE_MODEL(name)                                                                                     \
    char all_models[MOST_MODELS][64];                                                                                  \
    const int model_count = live_models(all_models);                                                                   \
    for (int m = 0; m < model_count; ++m)                                                                              \
        for (const char *name = all_models[m]; name; name = NULL)

TEST(live_models_are_there)
{
    char names[MOST_MODELS][64];
    ck_assert_int_ge(live_models(names), 9);
}

TEST(live_strands_rest_in_their_shape)
{
    FOR_EVERY_LIVE_MODEL(name)
    for (int coil = 0; coil < 2; ++coil) {
        rope r;
        rope_make(name, coil, &r);
        r.scene.gravity[1] = 0;
        world w = world_make(&r.scene, 1);
        run(&w, 100, 1.0 / 60);
        ck_assert_msg(distance(positions(&w), r.x, N) < 1e-5, "%s: %g m", name, distance(positions(&w), r.x, N));
        world_free(&w);
    }
}

// A head that turns and goes takes the shape along: frames turn with the root.
TEST(live_strands_go_along_with_the_root)
{
    static const char *const models[2][3] = {{"tridiag", "dftl", "pbd:form=direct"},
                                             {"tridiag:global=0.2", "dftl:global=0.2", "pbd:global=0.2"}};
    for (int coil = 0; coil < 2; ++coil)
        for (int m = 0; m < 3; ++m) {
            rope r;
            rope_make(models[coil][m], coil, &r);
            r.scene.gravity[1] = 0;
            r.group.material.damping = 5;
            world w = world_make(&r.scene, 1);
            for (int i = 1; i <= 600; ++i) {
                double angle = 1.5 * fmin(1, i / 200.0);
                fil_pose pose = {.position = {0.1 * fmin(1, i / 200.0), 0, 0},
                                 .rotation = {cos(angle / 2), 0.6 * sin(angle / 2), 0, 0.8 * sin(angle / 2)}};
                test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, -1, &pose));
                run(&w, 1, 1.0 / 60);
            }
            // Rodrigues' formula.
            double goal[3 * N], c = cos(1.5), s = sin(1.5);
            const double a[3] = {0.6, 0, 0.8};
            for (int i = 0; i < N; ++i) {
                const double *x = r.x + 3 * i;
                double along = a[0] * x[0] + a[2] * x[2];
                const double across[3] = {-a[2] * x[1], a[2] * x[0] - a[0] * x[2], a[0] * x[1]};
                for (int k = 0; k < 3; ++k)
                    goal[3 * i + k] = c * x[k] + s * across[k] + (1 - c) * along * a[k] + (k == 0 ? 0.1 : 0);
            }
            double off = distance(positions(&w), goal, N);
            ck_assert_msg(off < 5e-4, "%s: %g m", models[coil][m], off);
            world_free(&w);
        }
}

TEST(live_strands_fall_freely)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, true, &r);
        r.group.root = FIL_END_FREE;
        world w = world_make(&r.scene, 1);
        const double h = 0.005;
        enum { STEPS = 40 };
        run(&w, STEPS, h);
        double drop = 9.81 * h * h * STEPS * (STEPS + 1) / 2;
        const double *x = positions(&w);
        for (int i = 0; i < N; ++i)
            ck_assert_msg(fabs(x[3 * i + 1] - r.x[3 * i + 1] + drop) < 2e-4 * drop, "%s: %g instead of %g", name,
                          x[3 * i + 1] - r.x[3 * i + 1], -drop);
        world_free(&w);
    }
}

TEST(live_strands_drift_with_the_wind)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, false, &r);
        r.group.root = FIL_END_FREE;
        r.group.material.drag = 0.1;
        r.scene.wind[0] = 3;
        world w = world_make(&r.scene, 1);
        fil_measure sum;
        run(&w, 2000, 0.005);
        fil_state_measure(w.state, 0, &sum);
        // Weight against drag on all of its length.
        ck_assert_double_lt(fabs(sum.momentum[0] / sum.mass - 3), 1e-3);
        ck_assert_double_lt(fabs(sum.momentum[1] / sum.mass + sum.mass * 9.81 / (0.1 * 0.2)), 2e-2);
        world_free(&w);
    }
}

TEST(live_strands_slow_down_at_their_rate)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        double v[3 * N] = {0};
        rope_make(name, false, &r);
        r.group.root = FIL_END_FREE;
        r.group.material.damping = 2;
        r.scene.gravity[1] = 0;
        for (int i = 0; i < N; ++i)
            v[3 * i] = 1;
        r.group.groom.velocity = v;
        world w = world_make(&r.scene, 1);
        fil_measure sum;
        run(&w, 100, 0.001);
        fil_state_measure(w.state, 0, &sum);
        ck_assert_double_lt(fabs(sum.momentum[0] / sum.mass - pow(1 / 1.002, 100)), 1e-3);
        world_free(&w);
    }
}

// What holds a strand together takes nothing from its momentum; following the leader does.
TEST(live_strands_keep_their_momentum)
{
    static const char *const models[] = {"tridiag:equal_masses=false",
                                         "tridiag:equal_masses=false,form=pbd",
                                         "tridiag:equal_masses=false,form=xpbd",
                                         "pbd",
                                         "pbd:form=xpbd",
                                         "pbd:form=direct"};
    for (int m = 0; m < 6; ++m) {
        const char *name = models[m];
        rope r;
        double v[3 * N] = {0};
        rope_make(name, m % 2, &r);
        r.group.root = FIL_END_FREE;
        r.scene.gravity[1] = 0;
        v[0] = 1, v[3 * N - 2] = -1, v[3 * 7 + 2] = 1;
        r.group.groom.velocity = v;
        world w = world_make(&r.scene, 1);
        fil_measure before, after;
        fil_state_measure(w.state, 0, &before);
        run(&w, 200, 0.002);
        fil_state_measure(w.state, 0, &after);
        for (int k = 0; k < 3; ++k) {
            double change = (after.momentum[k] - before.momentum[k]) / before.mass;
            ck_assert_msg(fabs(change) < 1e-3, "%s: %g m/s", name, change);
        }
        world_free(&w);
    }
}

// Violent roots, any material, any step: finite, and what promises lengths keeps them.
TEST(live_strands_survive_random_scenes)
{
    FOR_EVERY_LIVE_MODEL(name)
    for (uint64_t seed = 0; seed < 200; ++seed) {
        random_scene made;
        random_scene_make(seed, name, &made);
        made.group.tip = FIL_END_FREE;
        world w = world_make(&made.scene, 1);
        fil_rng rng = fil_rng_make(seed);
        fil_pose pose = fil_pose_default();
        for (int i = 0; i < 20; ++i) {
            random_scene_shake(&made, &rng, &pose);
            test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, -1, &pose));
            run(&w, 1, made.h);
        }
        const double *x = positions(&w);
        for (int i = 0; i < 3 * w.vertices; ++i)
            ck_assert_msg(isfinite(x[i]), "%s, seed %d", name, (int)seed);
        if (strncmp(name, "pbd", 3) != 0)
            ck_assert_msg(stretch_of(&w, &made.group) < 0.0011, "%s, seed %d: %g", name, (int)seed,
                          stretch_of(&w, &made.group));
        world_free(&w);
    }
}

TEST(live_strands_take_a_cut_for_a_cut)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, true, &r);
        world w = world_make(&r.scene, 1);
        run(&w, 60, 1.0 / 60);
        fil_pose far = {.position = {1, 0, 0}, .rotation = {1, 0, 0, 0}};
        fil_measure before, after;
        fil_state_measure(w.state, 0, &before);
        test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, -1, &far));
        run(&w, 1, 1.0 / 60);
        fil_state_measure(w.state, 0, &after);
        run(&w, 1, 1.0 / 60);
        // pbd stretches at any time.
        double stretch = stretch_of(&w, &r.group);
        ck_assert_msg(stretch < (strncmp(name, "pbd", 3) == 0 ? 0.3 : 0.01), "%s: stretch %g", name, stretch);
        // Nothing whips.
        fil_frame frame = {.velocity = r.x};
        fil_state_read(w.state, 0, &frame);
        for (int i = 2; i < N; ++i)
            ck_assert_msg(fabs(r.x[3 * i]) < 1, "%s: %g m/s", name, r.x[3 * i]);
        world_free(&w);
    }
}

TEST(live_strands_take_long_steps)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, true, &r);
        world w = world_make(&r.scene, 1);
        run(&w, 30, 1.0 / 60);
        run(&w, 1, 0.5);
        run(&w, 1, 1.0 / 60);
        // pbd stretches at any time.
        double stretch = stretch_of(&w, &r.group);
        ck_assert_msg(stretch < (strncmp(name, "pbd", 3) == 0 ? 0.3 : 0.01), "%s: stretch %g", name, stretch);
        run(&w, 1, 1e6);
        const double *x = positions(&w);
        for (int i = 0; i < 3 * N; ++i)
            ck_assert(isfinite(x[i]));
        world_free(&w);
    }
}

// A group around a ball, which is a sphere or a mesh.
static world world_on_ball(const fil_group *group, double radius, bool mesh, int threads)
{
    static globe globe;
    fil_scene scene = fil_scene_default();
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle ball = fil_obstacle_default();
    globe_make(radius, &globe);
    ball.shape = mesh ? FIL_OBSTACLE_MESH : FIL_OBSTACLE_SPHERE;
    ball.mesh = &globe.mesh;
    ball.size[0] = radius;
    scene.groups = group;
    scene.group_count = 1;
    scene.contacts = &contacts;
    scene.obstacles = &ball;
    scene.obstacle_count = 1;
    return world_make(&scene, threads);
}

// Ropes that stand on a ball fall on it from all sides: none inside, and their edges keep their lengths.
static void check_lying(const char *model, bool mesh)
{
    enum { STRANDS = 64, VERTICES = 6 };
    static double x[3 * STRANDS * VERTICES];
    int n[STRANDS];
    for (int s = 0; s < STRANDS; ++s) {
        double z = 0.9 - 0.8 * s / STRANDS, across = sqrt(1 - z * z), angle = 2.4 * s;
        n[s] = VERTICES;
        for (int i = 0; i < VERTICES; ++i) {
            double *at = x + 3 * (ptrdiff_t)(VERTICES * s + i), far = 0.15 + 0.01 * i;
            at[0] = far * across * cos(angle), at[1] = far * z, at[2] = far * across * sin(angle);
        }
    }
    fil_group group = fil_group_default();
    group.model = model;
    group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = n, .position = x};
    world w = world_on_ball(&group, 0.15, mesh, 1);
    double most = 0, inside = 0, flat = mesh ? 0.15 * 0.0097 : 0; // sides of the mesh lie within the sphere
    for (int i = 0; i < 60; ++i) {
        run(&w, 1, 1.0 / 60);
        most = fmax(most, stretch_of(&w, &group));
        const double *now = positions(&w);
        for (int v = 0; v < STRANDS * VERTICES; ++v)
            inside = fmax(inside, 0.15 - hypot(hypot(now[3 * v], now[3 * v + 1]), now[3 * v + 2]));
    }
    ck_assert_msg(most < 0.05, "%s: stretch %g", model, most);
    ck_assert_msg(inside < flat + 1e-5, "%s: %g m inside", model, inside);
    world_free(&w);
}

TEST(live_strands_lie_down_on_a_ball)
{
    static const char *const models[] = {"tridiag:bends=0", "tridiag:form=pbd,bends=8", "dftl:bends=0"};
    for (int m = 0; m < 3; ++m)
        for (int mesh = 0; mesh < 2; ++mesh)
            check_lying(models[m], mesh);
}

TEST(live_step_allocates_nothing)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, true, &r);
        failing_allocator memory = {.fail_at = -1};
        fil_context *context = failing_context(&memory);
        fil_model *model;
        fil_state *state;
        test_ok(context, fil_model_create(context, &r.scene, &model));
        test_ok(context, fil_state_create(context, model, &state));
        long calls = memory.calls;
        for (int i = 0; i < 10; ++i)
            test_ok(context, fil_step(context, state, 1.0 / 60, NULL));
        ck_assert_int_eq(memory.calls, calls);
        fil_state_destroy(state);
        fil_model_destroy(model);
        fil_context_destroy(context);
    }
}

// How far the tip of a horizontal strand of 16 vertices sags, over its length; *theory: w L⁴ / 8 EI, right while that
// is little.
static double sag_of(const char *model, double h, double *theory)
{
    rope r;
    rope_make(model, false, &r);
    r.n = 16;
    r.group.material.damping = 5;
    const double a = r.group.material.radius, pi = 3.14159265358979, length = 0.145; // the clamp bends as well
    double weight = r.group.material.density * pi * a * a * 9.81;
    *theory = weight * pow(length, 4) / (8 * r.group.material.young * pi * pow(a, 4) / 4) / length;
    world w = world_make(&r.scene, 1);
    run(&w, (int)(4 / h), h);
    double sag = -positions(&w)[3 * 15 + 1] / length;
    world_free(&w);
    return sag;
}

// With the stiffness of its material a strand sags as much for any number of rounds and any step; with plain PBD it
// does not.
TEST(live_strands_have_the_stiffness_of_the_material)
{
    static const char *const models[] = {"tridiag:equal_masses=false", "tridiag:equal_masses=false,rounds=20", "dftl",
                                         "pbd:form=direct,rounds=20", "pbd:form=direct,rounds=100"};
    double theory, least = 1, most = 0;
    for (int h = 1; h <= 8; h *= 2) {
        for (int m = 0; m < 5; ++m) {
            double sag = sag_of(models[m], 1e-3 * h, &theory);
            ck_assert_msg(fabs(sag / theory - 1) < 0.05, "%s, %d ms: %g, theory %g", models[m], h, sag, theory);
            least = fmin(least, sag), most = fmax(most, sag);
        }
    }
    ck_assert_msg(most < 1.01 * least, "from %g to %g", least, most);
    double few = sag_of("pbd:rounds=20", 4e-3, &theory), many = sag_of("pbd:rounds=100", 4e-3, &theory);
    ck_assert_msg(few > 1.5 * many, "pbd: %g and %g", few, many);
}

// ---- cuts

TEST(live_strands_are_moved_and_put_back)
{
    FOR_EVERY_LIVE_MODEL(name)
    {
        rope r;
        rope_make(name, true, &r);
        world stays = world_make(&r.scene, 1), goes = world_make(&r.scene, 1);
        run(&stays, 20, 1.0 / 60);
        run(&goes, 20, 1.0 / 60);
        // A quarter turn about the direction of gravity: both go on alike.
        fil_pose motion = {.position = {3, 1, -2}, .rotation = {sqrt(0.5), 0, sqrt(0.5), 0}};
        test_ok(goes.context, fil_state_teleport(goes.context, goes.state, 0, &motion));
        run(&stays, 10, 1.0 / 60);
        run(&goes, 10, 1.0 / 60);
        const double *a = positions(&stays), *b = positions(&goes);
        for (int i = 0; i < N; ++i) {
            const double turned[3] = {a[3 * i + 2] + 3, a[3 * i + 1] + 1, -a[3 * i] - 2};
            ck_assert_msg(distance(turned, b + 3 * i, 1) < 2e-4, "%s: vertex %d: %g m off", name, i,
                          distance(turned, b + 3 * i, 1));
        }
        test_ok(goes.context, fil_state_reset(goes.context, goes.state, 0));
        b = positions(&goes);
        for (int i = 0; i < N; ++i) {
            const double turned[3] = {r.x[3 * i + 2] + 3, r.x[3 * i + 1] + 1, -r.x[3 * i] - 2};
            ck_assert_double_lt(distance(turned, b + 3 * i, 1), 1e-6);
        }
        world_free(&stays);
        world_free(&goes);
    }
}

TEST(live_cuts_are_for_live_strands)
{
    rope r;
    rope_make("der", false, &r);
    world w = world_make(&r.scene, 1);
    fil_pose pose = fil_pose_default();
    test_fails(w.context, fil_state_teleport(w.context, w.state, 0, &pose), FIL_BAD_INPUT,
               "group 0: der is not a live model: it cannot be moved at once");
    test_fails(w.context, fil_state_reset(w.context, w.state, 1), FIL_BAD_INPUT, "group 1: there are 1");
    world_free(&w);
}

// ---- bodies

// Ropes around a mesh, which feel each other as a cloud: the same bits with any number of threads, and from a saved
// state.
static void check_bits(const char *model)
{
    enum { STRANDS = 70, VERTICES = 12, STEPS = 20 };
    static double x[3 * STRANDS * VERTICES];
    int n[STRANDS];
    double *at = x;
    for (int s = 0; s < STRANDS; ++s) {
        n[s] = VERTICES - s % 5;
        for (int i = 0; i < n[s]; ++i, at += 3)
            at[0] = 0.1 * sin(2.4 * s) + 0.01 * i, at[1] = 0.15, at[2] = 0.1 * cos(1.7 * s);
    }
    fil_group group = fil_group_default();
    group.model = model;
    group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = n, .position = x};
    void *first = NULL, *half = NULL;
    size_t size = 0;
    for (int threads = 1; threads <= 16; threads *= 2) {
        world w = world_on_ball(&group, 0.1, true, threads);
        run(&w, STEPS / 2, 1.0 / 60);
        half = half ? half : saved(w.state);
        run(&w, STEPS / 2, 1.0 / 60);
        void *now = saved(w.state);
        size = fil_state_size(w.state);
        if (first)
            ck_assert_msg(memcmp(first, now, size) == 0, "%s: other bits with %d threads", model, threads);
        else
            first = now;
        if (first != now)
            free(now);
        world_free(&w);
    }
    world w = world_on_ball(&group, 0.1, true, 3);
    test_ok(w.context, fil_state_load(w.context, w.state, half, size));
    run(&w, STEPS / 2, 1.0 / 60);
    void *now = saved(w.state);
    ck_assert_msg(memcmp(first, now, size) == 0, "%s: other bits after a restart", model);
    world_free(&w);
    free(now), free(first), free(half);
}

TEST(live_steps_give_the_same_bits_on_any_number_of_threads_and_after_a_restart)
{
    check_bits("tridiag:grid=0.02,hangs=true");
    check_bits("dftl:grid=0.02");
    check_bits("pbd:grid=0.02,form=xpbd");
}

// Ropes that fall on a body which comes up to them and turns: no vertex is inside at the end of any step, and meshes do
// as spheres do.
TEST(live_strands_stay_out_of_bodies)
{
    static globe ball;
    globe_make(0.1, &ball);
    FOR_EVERY_LIVE_MODEL(name)
    for (int shape = FIL_OBSTACLE_SPHERE; shape <= FIL_OBSTACLE_MESH; ++shape) {
        rope r;
        rope_make(name, false, &r);
        r.group.material.young = 1e7;
        fil_contacts contacts = fil_contacts_default();
        const double time[2] = {0, 1}, value[12] = {0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 2, 0};
        fil_obstacle body = fil_obstacle_default();
        body.shape = (fil_obstacle_shape)shape;
        body.mesh = shape == FIL_OBSTACLE_MESH ? &ball.mesh : NULL;
        body.size[0] = 0.1, body.size[1] = 0.1, body.size[2] = 0.1;
        body.place.position[1] = -0.15, body.place.position[2] = 0.12;
        body.path.pivot[1] = -0.15, body.path.pivot[2] = 0.12;
        body.path.track = (fil_track){.key_count = 2, .time = time, .value = value};
        r.scene.contacts = &contacts;
        r.scene.obstacles = &body;
        r.scene.obstacle_count = 1;
        world w = world_make(&r.scene, 1);
        for (int i = 1; i <= 60; ++i) {
            run(&w, 1, 1.0 / 60);
            const double *x = positions(&w), height = -0.15 + fil_path_at(&body.path, i / 60.0).position[1];
            for (int k = 2; k < N; ++k) {
                double far = hypot(hypot(x[3 * k], x[3 * k + 1] - height), x[3 * k + 2] - 0.12);
                if (shape == FIL_OBSTACLE_SPHERE)
                    ck_assert_msg(far > 0.101 - 2e-5, "%s: %g", name, far);
                if (shape == FIL_OBSTACLE_MESH) // its sides lie up to 1 - cos 5.6° within the sphere
                    ck_assert_msg(far > 0.101 * 0.99, "%s: %g in a mesh, step %d, vertex %d", name, far, i, k);
            }
        }
        // It lies on the body.
        ck_assert_double_gt(positions(&w)[3 * N - 2], -0.2);
        world_free(&w);
    }
}

// A loose strand across a plane that leans by 0.3 rad: it slides for less friction than tan 0.3 = 0.31, and stays for
// more.
TEST(live_strands_stick_and_slide)
{
    static const double friction[] = {0.1, 0.2, 0.4, 0.6};
    for (int m = 0; m < 4; ++m) {
        rope r;
        rope_make("tridiag", false, &r);
        r.group.root = FIL_END_FREE;
        fil_contacts contacts = fil_contacts_default();
        fil_obstacle plane = fil_obstacle_default();
        plane.shape = FIL_OBSTACLE_PLANE;
        plane.place.rotation[0] = cos(0.15), plane.place.rotation[3] = sin(0.15);
        plane.place.position[1] = -1e-3 / cos(0.3);
        plane.friction = friction[m];
        r.scene.contacts = &contacts;
        r.scene.obstacles = &plane;
        r.scene.obstacle_count = 1;
        world w = world_make(&r.scene, 1);
        run(&w, 500, 0.001);
        double way = -positions(&w)[0], g = 9.81 * (sin(0.3) - friction[m] * cos(0.3));
        double theory = g > 0 ? 0.5 * g * 0.25 * cos(0.3) : 0;
        ck_assert_msg(fabs(way - theory) < 0.03 * theory + 1e-4, "friction %g: %g m, theory %g", friction[m], way,
                      theory);
        world_free(&w);
    }
}

// ---- grooms that hang

// A strand that stands out sideways, straight or curled: it stays as it is, within a thousandth of its length.
TEST(live_strands_that_hang_do_not_drop)
{
    static const char *const models[] = {"tridiag:hangs=true",
                                         "dftl:hangs=true",
                                         "tridiag:hangs=true,form=pbd,bends=8",
                                         "tridiag:hangs=true,local=0.3,bends=0",
                                         "pbd:hangs=true,form=direct",
                                         "pbd:hangs=true,bends=4"};
    for (int m = 0; m < 6; ++m)
        for (int coil = 0; coil < 2; ++coil) {
            rope r;
            rope_make(models[m], coil, &r);
            world w = world_make(&r.scene, 1);
            run(&w, 120, 1.0 / 60);
            double off = distance(positions(&w), r.x, N);
            ck_assert_msg(off < 2e-3 * 0.2, "%s, %s: %g m", models[m], coil ? "coil" : "straight", off);
            world_free(&w);
        }
}

// ---- strands that feel each other

enum { CROWD = 64 };
typedef struct crowd {
    double x[3 * N * CROWD], v[3 * N * CROWD];
    int n[CROWD];
    rope r;
} crowd;

// Loose strands side by side, 1 mm apart, every other one of which moves.
static void crowd_make(const char *model, crowd *out)
{
    rope_make(model, false, &out->r);
    for (int s = 0; s < CROWD; ++s) {
        out->n[s] = N;
        for (int i = 0; i < N; ++i) {
            double *x = out->x + 3 * (N * s + i), *v = out->v + 3 * (N * s + i);
            x[0] = 1e-3 * (s % 8), x[1] = 1e-3 * (s / 8), x[2] = 0.01 * i;
            v[0] = 0, v[1] = 0, v[2] = s % 2 ? 1 : 0;
        }
    }
    out->r.group.root = FIL_END_FREE;
    out->r.scene.gravity[1] = 0;
    out->r.group.groom =
        (fil_groom){.strand_count = CROWD, .vertex_count = out->n, .position = out->x, .velocity = out->v};
}

TEST(live_strands_take_others_along)
{
    static crowd c;
    crowd_make("tridiag:grid=0.02,grid_friction=20,grid_push=0", &c);
    world w = world_make(&c.r.scene, 2);
    fil_measure before, after;
    fil_state_measure(w.state, 0, &before);
    run(&w, 30, 0.01);
    fil_state_measure(w.state, 0, &after);
    fil_state_read(w.state, 0, &(fil_frame){.velocity = w.x});
    // All move alike: half as fast. What is interpolated at the rim does not keep momentum exactly.
    for (int s = 0; s < CROWD; ++s)
        ck_assert_msg(fabs(w.x[3 * (N * s + 10) + 2] - 0.5) < 0.1, "strand %d: %g", s, w.x[3 * (N * s + 10) + 2]);
    ck_assert_double_lt(fabs(after.momentum[2] / before.momentum[2] - 1), 0.1);
    world_free(&w);
}

TEST(live_strands_are_pushed_apart)
{
    static crowd c;
    crowd_make("tridiag:grid=0.004,grid_friction=0,grid_push=1", &c);
    world w = world_make(&c.r.scene, 1), other = world_make(&c.r.scene, 2);
    run(&w, 50, 0.01);
    run(&other, 50, 0.01);
    const double *x = positions(&w);
    double width = x[3 * N * 7 + 30] - x[30];
    ck_assert_msg(width > 0.008, "%g m wide, 7 mm at the start", width);
    ck_assert_mem_eq(x, positions(&other), sizeof(double) * 3 * N * CROWD);
    world_free(&w);
    world_free(&other);
}
