// Scenes, states and steps through the public interface: what a host program relies on.
#include "test.h"

#include "../failing_allocator.h"
#include "scenes.h"
#include "world.h"

#include <float.h>
#include <stdio.h>

static void run_shaken(world *w, const random_scene *made, uint64_t seed, int steps)
{
    fil_rng rng = fil_rng_make(seed);
    fil_pose pose = fil_pose_default();
    for (int i = 0; i < steps; ++i) {
        random_scene_shake(made, &rng, &pose);
        test_ok(w->context, fil_state_pose(w->context, w->state, 0, FIL_HOLD_ROOT, -1, &pose));
        test_ok(w->context, fil_step(w->context, w->state, made->h, NULL));
    }
}

// One straight strand of n vertices along x, 1 cm per edge.
typedef struct line {
    fil_scene scene;
    fil_group group;
    int n;
    double x[60];
} line;

static void line_make(int n, const char *model, line *out)
{
    *out = (line){.scene = fil_scene_default(), .group = fil_group_default(), .n = n};
    for (int i = 0; i < n; ++i)
        out->x[3 * i] = 0.01 * i;
    out->group.model = model;
    out->group.groom = (fil_groom){.strand_count = 1, .vertex_count = &out->n, .position = out->x};
    out->scene.groups = &out->group;
    out->scene.group_count = 1;
}

TEST(step_gives_the_same_bits_on_any_number_of_threads)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        random_scene made;
        random_scene_make(11, fil_strand_type_at(t)->name, &made);
        void *first = NULL;
        for (int threads = 1; threads <= 8; threads *= 2) {
            // Many copies of the group: more packs than threads.
            fil_group groups[8];
            for (int g = 0; g < 8; ++g)
                groups[g] = made.group;
            made.scene.groups = groups;
            made.scene.group_count = 8;
            world w = world_make(&made.scene, threads);
            run_shaken(&w, &made, 5, 5);
            void *bytes = saved(w.state);
            if (!first)
                first = bytes;
            else {
                ck_assert_mem_eq(first, bytes, fil_state_size(w.state));
                free(bytes);
            }
            world_free(&w);
        }
        free(first);
    }
}

TEST(state_saved_and_restored_goes_on_with_the_same_bits)
{
    for (int t = 0; t < fil_strand_type_count(); ++t)
        for (uint64_t seed = 0; seed < 20; ++seed) {
            random_scene made;
            random_scene_make(seed, fil_strand_type_at(t)->name, &made);
            world a = world_make(&made.scene, 1), b = world_make(&made.scene, 1);
            run_shaken(&a, &made, 1, 4);
            void *half = saved(a.state);
            run_shaken(&a, &made, 2, 4);
            test_ok(b.context, fil_state_load(b.context, b.state, half, fil_state_size(b.state)));
            run_shaken(&b, &made, 2, 4);
            void *end_a = saved(a.state), *end_b = saved(b.state);
            ck_assert_mem_eq(end_a, end_b, fil_state_size(a.state));
            free(half), free(end_a), free(end_b);
            world_free(&a);
            world_free(&b);
        }
}

// A strand meets the same numbers alone and beside strands of other lengths.
TEST(step_of_a_strand_does_not_depend_on_its_neighbours)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        random_scene made;
        char name[64];
        // How live strands bend is decided for a group: it may have curls.
        snprintf(name, sizeof name, "%s%s", fil_strand_type_at(t)->name,
                 fil_strand_type_at(t)->live ? ":form=pbd" : "");
        random_scene_make(3, name, &made);
        made.scene.motion.method = FIL_METHOD_NEWTON; // quasi-Newton renews the factors of a pack together
        world all = world_make(&made.scene, 1);
        run_shaken(&all, &made, 9, 5);
        const double *together = positions(&all);
        fil_groom groom = made.group.groom;
        int first = 0;
        for (int strand = 0; strand < SCENE_STRANDS; ++strand) {
            made.group.groom.strand_count = 1;
            made.group.groom.vertex_count = groom.vertex_count + strand;
            made.group.groom.position = groom.position + 3 * first;
            made.group.groom.rest = groom.rest + 3 * first;
            world one = world_make(&made.scene, 1);
            run_shaken(&one, &made, 9, 5);
            ck_assert_mem_eq(positions(&one), together + 3 * first, (size_t)one.vertices * 3 * sizeof(double));
            world_free(&one);
            first += groom.vertex_count[strand];
        }
        world_free(&all);
    }
}

TEST(state_load_refuses_what_is_not_its_own)
{
    line a, b;
    line_make(10, "der", &a);
    line_make(11, "der", &b);
    world w = world_make(&a.scene, 1), other = world_make(&b.scene, 1);
    size_t size = fil_state_size(w.state);
    unsigned char *bytes = saved(w.state), *foreign = saved(other.state);
    test_fails(w.context, fil_state_load(w.context, w.state, bytes, 7), FIL_BAD_INPUT,
               "saved state: too short (7 bytes)");
    test_fails(w.context, fil_state_load(w.context, w.state, bytes, size - 1), FIL_BAD_INPUT, "saved state: damaged");
    test_fails(w.context, fil_state_load(w.context, w.state, foreign, fil_state_size(other.state)), FIL_BAD_INPUT,
               "saved state: belongs to another model");
    bytes[size / 2] ^= 1;
    test_fails(w.context, fil_state_load(w.context, w.state, bytes, size), FIL_BAD_INPUT, "saved state: damaged");
    bytes[0] ^= 1;
    test_fails(w.context, fil_state_load(w.context, w.state, bytes, size), FIL_BAD_INPUT,
               "saved state: not one, or from another version");
    free(bytes), free(foreign);
    world_free(&w);
    world_free(&other);
}

static fil_status create_and_step(fil_context *context, void *data)
{
    const random_scene *made = data;
    fil_model *model = NULL;
    fil_state *state = NULL;
    fil_status status = fil_model_create(context, &made->scene, &model);
    if (status == FIL_OK)
        status = fil_state_create(context, model, &state);
    if (status == FIL_OK)
        status = fil_step(context, state, made->h, NULL);
    fil_state_destroy(state);
    fil_model_destroy(model);
    return status;
}

TEST(scene_survives_failing_allocation)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        random_scene made;
        random_scene_make(2, fil_strand_type_at(t)->name, &made);
        test_failing_allocation(create_and_step, &made);
    }
}

TEST(step_allocates_nothing)
{
    random_scene made;
    random_scene_make(4, "der", &made);
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    fil_model *model;
    fil_state *state;
    test_ok(context, fil_model_create(context, &made.scene, &model));
    test_ok(context, fil_state_create(context, model, &state));
    long before = memory.calls;
    for (int i = 0; i < 5; ++i)
        test_ok(context, fil_step(context, state, made.h, NULL));
    test_ok(context, fil_relax(context, state, 5, NULL));
    ck_assert_int_eq(memory.calls, before);
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
}

TEST(held_ends_follow_their_poses)
{
    line l;
    line_make(12, "der", &l);
    l.group.tip = FIL_END_PINNED;
    world w = world_make(&l.scene, 1);
    fil_pose root = {.position = {0.001, 0.002, 0.003}, .rotation = {cos(0.1), sin(0.1), 0, 0}};
    fil_pose tip = {.position = {-0.01, 0, 0}, .rotation = {1, 0, 0, 0}};
    test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, 0, &root));
    test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_TIP, -1, &tip));
    for (int i = 0; i < 3; ++i)
        test_ok(w.context, fil_step(w.context, w.state, 1e-3, NULL));
    const double *x = positions(&w);
    // The root edge lies along the axis of the turn: only shifted. Its cross-section turns by 0.2.
    for (int k = 0; k < 3; ++k) {
        test_near(x[k], root.position[k], 1e-15);
        test_near(x[3 + k], (k == 0 ? 0.01 : 0) + root.position[k], 1e-15);
        test_near(x[33 + k], (k == 0 ? 0.10 : 0), 1e-15);
    }
    double before[36], after[36];
    world still = world_make(&l.scene, 1);
    fil_state_read(still.state, 0, &(fil_frame){.normal = before});
    fil_state_read(w.state, 0, &(fil_frame){.normal = after});
    double dot = before[0] * after[0] + before[1] * after[1] + before[2] * after[2];
    test_near(acos(dot), 0.2, 1e-12);
    world_free(&w);
    world_free(&still);
}

TEST(tip_turned_in_small_steps_winds_up_beyond_a_full_turn)
{
    line l;
    line_make(12, "der", &l);
    l.group.tip = FIL_END_CLAMPED;
    l.scene.gravity[1] = 0;
    world w = world_make(&l.scene, 1);
    fil_measure measure;
    double turn = 0;
    for (int i = 0; i < 10; ++i) {
        turn += 1.0;
        fil_pose pose = {.rotation = {cos(turn / 2), sin(turn / 2), 0, 0}};
        test_ok(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_TIP, -1, &pose));
        test_ok(w.context, fil_relax(w.context, w.state, 200, NULL));
    }
    // 10 rad over the ten joints of the eleven edges: ½ C (10 rad)² / (0.1 m between the middles of the held edges)
    fil_state_measure(w.state, 0, &measure);
    const fil_material *m = &l.group.material;
    double shear = m->young / (2 * (1 + m->poisson)), C = shear * 3.14159265358979 * pow(m->radius, 4) / 2;
    test_near(measure.elastic / (0.5 * C * 100 / 0.1), 1, 1e-9);
    world_free(&w);
}

TEST(natural_strain_makes_a_helix)
{
    // κ = R/(R²+p²), τ = p/(R²+p²): radius 1 cm, pitch 2π × 3 mm
    enum { N = 200 };
    const double R = 0.01, p = 0.003, kappa = R / (R * R + p * p), tau = p / (R * R + p * p), l = 0.0005;
    int n = N;
    static double x[3 * N], strain[3 * N], out[3 * N];
    for (int i = 0; i < N; ++i) {
        x[3 * i] = l * i;
        strain[3 * i] = kappa;
        strain[3 * i + 2] = tau;
    }
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    group.groom = (fil_groom){.strand_count = 1, .vertex_count = &n, .position = x, .natural_strain = strain};
    scene.groups = &group;
    scene.group_count = 1;
    scene.gravity[1] = 0;
    world w = world_make(&scene, 1);
    fil_step_stats stats;
    test_ok(w.context, fil_relax(w.context, w.state, 5000, &stats));
    ck_assert_int_eq(stats.unconverged + stats.failed, 0);
    fil_state_read(w.state, 0, &(fil_frame){.position = out});
    fil_measure measure;
    fil_state_measure(w.state, 0, &measure);
    ck_assert_double_lt(measure.elastic, 1e-15);
    // A turn has length 2π √(R²+p²); points a whole turn apart differ by the pitch.
    double turn = 6.283185307179586 * sqrt(R * R + p * p) / l, d[3];
    int whole = (int)turn, first = 20;
    for (int k = 0; k < 3; ++k) {
        double here = out[3 * (first + whole) + k], next = out[3 * (first + whole + 1) + k];
        d[k] = here + (turn - whole) * (next - here) - out[3 * first + k];
    }
    test_near(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (6.283185307179586 * p), 1, 3e-3);
    world_free(&w);
}

TEST(steps_that_miss_their_goal_say_so)
{
    line l;
    line_make(20, "der", &l);
    l.scene.motion.max_iterations = 1;
    world w = world_make(&l.scene, 1);
    fil_step_stats stats;
    test_ok(w.context, fil_step(w.context, w.state, 0.01, &stats));
    ck_assert_int_eq(stats.unconverged, 1);
    ck_assert_int_eq(stats.most_iterations, 1);
    ck_assert_double_gt(stats.worst_change, 1e-6);
    world_free(&w);
    l.scene.motion.max_iterations = 3;
    l.scene.motion.method = FIL_METHOD_FIXED;
    l.scene.motion.tolerance = 1e-14;
    w = world_make(&l.scene, 1);
    test_ok(w.context, fil_step(w.context, w.state, 0.01, &stats));
    ck_assert_int_eq(stats.iterations, 3);
    ck_assert_int_eq(stats.backtracks, 0);
    world_free(&w);
}

// Forces beyond all numbers: the strand is reported as failed, left where it was, and the others go on.
TEST(step_leaves_a_finite_state)
{
    for (int t = 0; t < fil_strand_type_count(); ++t) {
        random_scene made;
        random_scene_make(6, fil_strand_type_at(t)->name, &made);
        made.group.root = FIL_END_CLAMPED;
        made.group.tip = FIL_END_FREE;
        world w = world_make(&made.scene, 1);
        double *force = calloc((size_t)w.vertices * 3, sizeof(double));
        for (int i = 0; i < 3 * made.vertex_count[0]; ++i)
            force[i] = DBL_MAX;
        test_ok(w.context, fil_state_force(w.context, w.state, 0, force));
        fil_step_stats stats;
        for (int i = 0; i < 5; ++i)
            test_ok(w.context, fil_step(w.context, w.state, made.h, &stats));
        ck_assert_int_ge(stats.failed + stats.unconverged, 1);
        const double *x = positions(&w);
        for (int i = 0; i < 3 * w.vertices; ++i)
            ck_assert(isfinite(x[i]));
        free(force);
        world_free(&w);
    }
}

TEST(scene_refuses_bad_input)
{
    fil_context *context = fil_context_create(NULL);
    fil_model *model;
    line l;
#define SPOILED(change, sentence)                                                                                      \
    do {                                                                                                               \
        line_make(5, "der", &l);                                                                                       \
        change;                                                                                                        \
        test_fails(context, fil_model_create(context, &l.scene, &model), FIL_BAD_INPUT, sentence);                     \
        ck_assert_ptr_null(model);                                                                                     \
    } while (0)
    SPOILED(l.group.material.young = -3, "groups[0]: material.young: must be from 1e-06 to 1e+15 (got -3)");
    SPOILED(l.group.material.density = NAN, "groups[0]: material.density: must be from 1e-06 to 1e+09 (got nan)");
    SPOILED(l.n = 1, "groups[0]: vertex_count[0]: must be from 2 to 1000000 (got 1)");
    SPOILED(l.x[4] = NAN, "groups[0]: position[4]: must be finite (got nan)");
    SPOILED(l.x[3] = 0, "groups[0]: position: strand 0: vertices 0 and 1 coincide or are too far apart");
    SPOILED(l.group.groom.strand_count = 0, "groups[0]: strand_count: must be at least 1 (got 0)");
    SPOILED(l.group.groom.position = NULL, "groups[0]: vertex_count and position must be given");
    SPOILED(l.group.model = "dre", "unknown strand model 'dre': did you mean 'der'? (see `filum info strand`)");
    SPOILED(l.group.model = "der:hesian=none", "der: unknown setting 'hesian': did you mean 'hessian'?");
    SPOILED(l.group.model = NULL, "groups[0]: model must be given");
    SPOILED(l.group.name = "beard"; l.group.groom.hold = (const unsigned char *)"\0\3\0\0\0",
                                    "groups[0] (beard): hold[1]: must be from 0 to 2 (got 3)");
    SPOILED(l.scene.gravity[2] = INFINITY, "gravity[2]: must be finite (got inf)");
    SPOILED(l.scene.motion.theta = 0.2, "motion.theta: must be from 0.5 to 1 (got 0.2)");
    SPOILED(l.scene.motion.max_iterations = 0, "motion.max_iterations: must be from 1 to 100000 (got 0)");
    SPOILED(l.scene.group_count = -1, "group_count: must be the number of groups (got -1)");
    const double strain[15] = {0, 0, 0, 0, 0, 400};
    SPOILED(l.group.groom.natural_strain = strain,
            "groups[0]: natural_strain[5]: the twist from one edge to the next must be below pi (got 4): use more "
            "vertices");
    const double radius[5] = {1e-5, 1e-5, 0, 1e-5, 1e-5};
    SPOILED(l.group.groom.radius = radius, "groups[0]: radius[2]: must be a finite number > 0 (got 0)");
    const double velocity[15] = {0, 0, 0, INFINITY};
    SPOILED(l.group.groom.velocity = velocity, "groups[0]: velocity[3]: must be finite (got inf)");
#undef SPOILED
    fil_context_destroy(context);
}

TEST(state_refuses_bad_input)
{
    line l;
    line_make(5, "der", &l);
    world w = world_make(&l.scene, 1);
    fil_pose pose = fil_pose_default();
    test_fails(w.context, fil_step(w.context, w.state, 0, NULL), FIL_BAD_INPUT,
               "step: must be a finite number of seconds > 0 (got 0)");
    test_fails(w.context, fil_step(w.context, w.state, NAN, NULL), FIL_BAD_INPUT,
               "step: must be a finite number of seconds > 0 (got nan)");
    test_fails(w.context, fil_relax(w.context, w.state, 0, NULL), FIL_BAD_INPUT,
               "relax: max_iterations must be at least 1 (got 0)");
    test_fails(w.context, fil_state_pose(w.context, w.state, 1, FIL_HOLD_ROOT, 0, &pose), FIL_BAD_INPUT,
               "group 1: there are 1");
    test_fails(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, 1, &pose), FIL_BAD_INPUT,
               "group 0: strand 1: there are 1");
    pose.rotation[0] = 0;
    test_fails(w.context, fil_state_pose(w.context, w.state, 0, FIL_HOLD_ROOT, 0, &pose), FIL_BAD_INPUT,
               "group 0: pose: must be finite, its rotation not zero (got 0 0 0, 0 0 0 0)");
    double force[15] = {0, NAN};
    test_fails(w.context, fil_state_force(w.context, w.state, 0, force), FIL_BAD_INPUT,
               "group 0: force[1]: must be finite (got nan)");
    int modes[1];
    test_fails(w.context, fil_state_unstable_modes(w.context, w.state, -1, modes), FIL_BAD_INPUT,
               "group -1: there are 1");
    world_free(&w);
}
