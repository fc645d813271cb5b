// The three ways to find impulses: the same motion, the same bits, and what they promise.
#include "test.h"

#include "../failing_allocator.h"
#include "filum/extend.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 3, VERTICES = 16, STRANDS_MAX = 12 };
static const char *const names[METHODS] = {"linear", "adonis", "impulse"};

// Groups of straight strands that all look alike, and perhaps a plane.
typedef struct touching {
    fil_scene scene;
    fil_group groups[2];
    fil_contacts contacts;
    fil_obstacle plane;
    int counts[STRANDS_MAX];
    double x[2][3 * VERTICES * STRANDS_MAX], v[3 * VERTICES * STRANDS_MAX];
} touching;

static void add_strand(fil_group *group, double *x, const double from[3], const double step[3])
{
    double *to = x + 3 * (ptrdiff_t)VERTICES * group->groom.strand_count++;
    for (int i = 0; i < VERTICES; ++i)
        for (int k = 0; k < 3; ++k)
            to[3 * i + k] = from[k] + i * step[k];
}

static void start(touching *t, int method, int groups)
{
    *t = (touching){.scene = fil_scene_default(), .contacts = fil_contacts_default()};
    for (int i = 0; i < STRANDS_MAX; ++i)
        t->counts[i] = VERTICES;
    for (int g = 0; g < groups; ++g) {
        t->groups[g] = fil_group_default();
        t->groups[g].material.radius = 5e-4;
        t->groups[g].material.young = 1e8;
        t->groups[g].root = t->groups[g].tip = FIL_END_FREE;
        t->groups[g].groom = (fil_groom){.vertex_count = t->counts, .position = t->x[g]};
    }
    t->scene.groups = t->groups;
    t->scene.group_count = groups;
    t->scene.contacts = &t->contacts;
    t->contacts.method = (fil_contacts_method)method;
    t->contacts.max_iterations = 3000;
}

// A strand that falls across the middle of one that is held at both ends. Many: a bundle falls.
static void make_crossing(touching *t, int method, int many)
{
    start(t, method, 2);
    t->groups[0].root = t->groups[0].tip = FIL_END_PINNED;
    add_strand(&t->groups[0], t->x[0], (double[]){-0.075, 0, 0.001}, (double[]){0.01, 0, 0});
    for (int i = 0; i < many; ++i)
        add_strand(&t->groups[1], t->x[1], (double[]){0.0013 * (i / 2) + 0.0021, 0.0013 + 0.0012 * (i % 2), -0.075},
                   (double[]){0, 0, 0.01});
    t->groups[1].root = FIL_END_PINNED;
}

// A strand that lies across a slope of 30 degrees.
static void make_slope(touching *t, int method, double friction)
{
    const double angle = 3.14159265358979323846 / 6;
    start(t, method, 1);
    t->groups[0].touch.friction_body = friction;
    t->plane = fil_obstacle_default();
    t->plane.shape = FIL_OBSTACLE_PLANE;
    t->plane.place.rotation[0] = cos(angle / 2);
    t->plane.place.rotation[3] = sin(angle / 2);
    t->scene.obstacles = &t->plane;
    t->scene.obstacle_count = 1;
    double high = 5e-4;
    add_strand(&t->groups[0], t->x[0], (double[]){-high * sin(angle), high * cos(angle), 0}, (double[]){0, 0, 0.01});
}

static fil_step_stats run(world *w, int steps)
{
    fil_step_stats stats = {0};
    for (int i = 0; i < steps; ++i)
        test_ok(w->context, fil_step(w->context, w->state, 1e-3, &stats));
    return stats;
}

// Steps until a contact carries an impulse.
static fil_step_stats run_until_touch(world *w)
{
    fil_step_stats stats = {0};
    for (int i = 0; i < 100 && stats.closed == 0; ++i)
        stats = run(w, 1);
    ck_assert_int_gt(stats.closed, 0);
    return stats;
}

static void same_state(const void *bytes, const fil_state *state, const char *what, int method)
{
    void *now = saved(state);
    ck_assert_msg(memcmp(bytes, now, fil_state_size(state)) == 0, "%s: %s", names[method], what);
    free(now);
}

// The mean place of the last group after some steps.
static void mean_place(const touching *t, int steps, double mean[3])
{
    double x[3 * VERTICES * STRANDS_MAX];
    int group = t->scene.group_count - 1, vertices = VERTICES * t->groups[group].groom.strand_count;
    world w = world_make(&t->scene, 1);
    fil_step_stats stats = run(&w, steps);
    ck_assert_int_gt(stats.closed, 0);
    ck_assert_double_le(stats.contact_residual, t->contacts.tolerance);
    ck_assert_int_eq(stats.crossings, 0);
    fil_state_read(w.state, group, &(fil_frame){.position = x});
    for (int k = 0; k < 3; ++k) {
        mean[k] = 0;
        for (int i = 0; i < vertices; ++i)
            mean[k] += x[3 * i + k] / vertices;
    }
    world_free(&w);
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

TEST(methods_of_contacts_agree_on_strands_that_cross)
{
    double mean[METHODS][3];
    touching t;
    for (int method = 0; method < METHODS; ++method) {
        make_crossing(&t, method, 1);
        mean_place(&t, 50, mean[method]);
    }
    // The strand has fallen by 4 mm in the mean. Two methods meet all equations; one meets them to first order.
    ck_assert_double_lt(mean[FIL_CONTACTS_ADONIS][1], -0.002);
    ck_assert_double_lt(distance(mean[FIL_CONTACTS_IMPULSE], mean[FIL_CONTACTS_ADONIS]), 1e-8);
    ck_assert_double_lt(distance(mean[FIL_CONTACTS_LINEAR], mean[FIL_CONTACTS_ADONIS]), 1e-4);
    ck_assert_double_gt(distance(mean[FIL_CONTACTS_LINEAR], mean[FIL_CONTACTS_ADONIS]), 0);
}

TEST(methods_of_contacts_agree_on_a_bundle)
{
    double mean[METHODS][3];
    touching t;
    for (int method = 0; method < METHODS; ++method) {
        make_crossing(&t, method, 4);
        t.contacts.tolerance = 1e-4;
        mean_place(&t, 30, mean[method]);
        ck_assert_double_lt(distance(mean[method], mean[0]), 2e-4);
    }
    ck_assert_double_lt(mean[0][1], -0.001);
}

TEST(methods_of_contacts_slide_down_a_slope_as_coulomb_says)
{
    const double mu[2] = {0.3, 1}, g = 9.81, steps = 50;
    for (int method = 0; method < METHODS; ++method)
        for (int sticks = 0; sticks < 2; ++sticks) {
            double v[3 * VERTICES], expected = sticks ? 0 : g * (0.5 - mu[sticks] * sqrt(0.75));
            touching t;
            make_slope(&t, method, mu[sticks]);
            t.scene.gravity[0] = t.scene.gravity[2] = 0;
            t.scene.gravity[1] = -g;
            world w = world_make(&t.scene, 1);
            run(&w, (int)steps);
            fil_state_read(w.state, 0, &(fil_frame){.velocity = v});
            for (int i = 0; i < VERTICES; ++i) {
                double down = -(v[3 * i] * sqrt(0.75) + v[3 * i + 1] * 0.5) / (1e-3 * steps);
                ck_assert_msg(fabs(down - expected) < 0.01 * g * 0.24, "%s, friction %g: acceleration %g, not %g",
                              names[method], mu[sticks], down, expected);
            }
            world_free(&w);
        }
}

TEST(impulse_converges_on_a_single_contact)
{
    double last = INFINITY;
    for (int most = 10; most <= 160; most *= 2) {
        touching t;
        make_crossing(&t, FIL_CONTACTS_IMPULSE, 1);
        t.contacts.max_iterations = most;
        t.contacts.halvings = 0;
        world w = world_make(&t.scene, 1);
        fil_step_stats stats = run_until_touch(&w);
        bool done = stats.contact_residual <= t.contacts.tolerance;
        ck_assert_int_eq(stats.contacts, 1);
        ck_assert_double_lt(stats.contact_residual, last);
        ck_assert_int_le(stats.contact_iterations, most);
        // Neither a goal that is missed nor iterations that were spent are kept quiet.
        if (!done) {
            ck_assert_int_eq(stats.contact_iterations, most);
            ck_assert_uint_ne(stats.trouble & (1u << FIL_TROUBLE_CONTACT), 0);
            ck_assert_int_eq(stats.rough_parts, 1);
            last = stats.contact_residual;
        } else {
            ck_assert_uint_eq(stats.trouble, 0);
        }
        ck_assert(done || most < 160);
        world_free(&w);
    }
}

TEST(impulse_ends_when_nothing_moves_any_more)
{
    touching t;
    make_crossing(&t, FIL_CONTACTS_IMPULSE, 1);
    t.contacts.tolerance = 1e-14;
    t.contacts.still = 1e-8;
    world w = world_make(&t.scene, 1);
    fil_step_stats stats = run_until_touch(&w);
    ck_assert_int_lt(stats.contact_iterations, t.contacts.max_iterations);
    ck_assert_double_gt(stats.contact_residual, t.contacts.tolerance);
    ck_assert_double_lt(stats.contact_residual, 1e-2);
    ck_assert_uint_eq(stats.trouble & (1u << FIL_TROUBLE_CONTACT), 0);
    world_free(&w);
}

TEST(linear_takes_one_iteration)
{
    touching t;
    make_crossing(&t, FIL_CONTACTS_LINEAR, 1);
    world w = world_make(&t.scene, 1);
    fil_step_stats stats = run_until_touch(&w);
    ck_assert_int_eq(stats.most_iterations, 1);
    ck_assert_int_eq(stats.factorisations, stats.strands);
    ck_assert_int_eq(stats.linearisations, 1);
    ck_assert_int_eq(stats.unconverged, 0);
    ck_assert_double_le(stats.contact_residual, t.contacts.tolerance);
    world_free(&w);
}

TEST(methods_of_contacts_give_the_same_bits_on_any_number_of_threads)
{
    for (int method = 0; method < METHODS; ++method) {
        void *first = NULL;
        touching t;
        make_crossing(&t, method, STRANDS_MAX);
        t.contacts.tolerance = 1e-2;
        t.contacts.max_iterations = 30;
        t.contacts.halvings = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            world w = world_make(&t.scene, threads);
            run_until_touch(&w);
            run(&w, 4);
            if (threads == 1)
                first = saved(w.state);
            same_state(first, w.state, "depends on threads", method);
            world_free(&w);
        }
        free(first);
    }
}

TEST(methods_of_contacts_go_on_from_a_saved_state_with_the_same_bits)
{
    for (int method = 0; method < METHODS; ++method) {
        touching t;
        make_crossing(&t, method, 2);
        t.contacts.tolerance = 1e-4;
        world w = world_make(&t.scene, 1), again = world_make(&t.scene, 1);
        run_until_touch(&w);
        run(&w, 3);
        void *middle = saved(w.state);
        run(&w, 5);
        void *end = saved(w.state);
        test_ok(again.context, fil_state_load(again.context, again.state, middle, fil_state_size(again.state)));
        run(&again, 5);
        same_state(end, again.state, "a saved state goes on differently", method);
        world_free(&w);
        world_free(&again);
        free(middle);
        free(end);
    }
}

TEST(methods_of_contacts_go_on_from_a_state_of_each_other)
{
    touching t;
    make_crossing(&t, FIL_CONTACTS_ADONIS, 2);
    world w = world_make(&t.scene, 1);
    run_until_touch(&w);
    void *middle = saved(w.state);
    for (int method = 0; method < METHODS; ++method) {
        t.contacts.method = (fil_contacts_method)method;
        t.contacts.halvings = method;
        world other = world_make(&t.scene, 1);
        ck_assert_uint_ne(fil_model_fingerprint(w.model), fil_model_fingerprint(other.model));
        test_ok(other.context, fil_state_load(other.context, other.state, middle, fil_state_size(other.state)));
        run(&other, 3);
        world_free(&other);
    }
    t.groups[0].touch.friction = 0.1;
    world foreign = world_make(&t.scene, 1);
    test_fails(foreign.context, fil_state_load(foreign.context, foreign.state, middle, fil_state_size(foreign.state)),
               FIL_BAD_INPUT, "saved state: belongs to another model");
    world_free(&foreign);
    world_free(&w);
    free(middle);
}

// A step from the saved state in which allocation number k fails. Returns false when there are not so many.
static bool step_with_failure(const touching *t, int method, const void *bytes, long k)
{
    failing_allocator memory = {.fail_at = -1};
    world w = {.context = failing_context(&memory)};
    test_ok(w.context, fil_model_create(w.context, &t->scene, &w.model));
    test_ok(w.context, fil_state_create(w.context, w.model, &w.state));
    test_ok(w.context, fil_state_load(w.context, w.state, bytes, fil_state_size(w.state)));
    memory.fail_at = memory.calls + k;
    fil_status status = fil_step(w.context, w.state, 1e-3, NULL);
    bool failed = memory.calls > memory.fail_at;
    ck_assert_msg(status == (failed ? FIL_NO_MEMORY : FIL_OK), "%s: allocation %ld: status %d", names[method], k,
                  (int)status);
    if (failed) {
        same_state(bytes, w.state, "a step that failed left its traces", method);
        // And nothing stands in the way of another attempt.
        memory.fail_at = -1;
        test_ok(w.context, fil_step(w.context, w.state, 1e-3, NULL));
    }
    world_free(&w);
    ck_assert_int_eq(memory.live, 0);
    return failed;
}

TEST(methods_of_contacts_survive_failing_allocation)
{
    for (int method = 0; method < METHODS; ++method) {
        touching t;
        make_crossing(&t, method, 2);
        t.contacts.tolerance = 1e-3;
        t.contacts.halvings = 0;
        world w = world_make(&t.scene, 1);
        run_until_touch(&w);
        void *bytes = saved(w.state);
        long k = 0;
        while (step_with_failure(&t, method, bytes, k))
            ++k;
        ck_assert_int_gt(k, 5);
        free(bytes);
        world_free(&w);
    }
}

// A hair that hangs down, a little wavy, and is pressed onto the ground tip first: it bows. Under the impulse of the
// ground as a load it would give way without end in a step so long; the ground itself only stops its tip.
static void make_bowing(touching *t, fil_path *down)
{
    start(t, FIL_CONTACTS_ADONIS, 1);
    fil_material hair = fil_material_default();
    t->groups[0].material = hair;
    t->groups[0].root = FIL_END_CLAMPED;
    t->groups[0].root_path = *down;
    t->groups[0].touch.friction_body = 0.5;
    add_strand(&t->groups[0], t->x[0], (double[]){0, 0.17, 0}, (double[]){0.001, -0.0115, 0});
    for (int i = 0; i < VERTICES; ++i)
        t->x[0][3 * i + 2] = 0.004 * sin(0.8 * i);
    t->plane = fil_obstacle_default();
    t->plane.shape = FIL_OBSTACLE_PLANE;
    t->scene.obstacles = &t->plane;
    t->scene.obstacle_count = 1;
}

TEST(strands_pressed_along_their_length_are_led)
{
    const double times[2] = {0, 0.5}, way[12] = {[7] = -0.05};
    fil_path down = {.track = {.key_count = 2, .time = times, .value = way}};
    touching t;
    make_bowing(&t, &down);
    world w = world_make(&t.scene, 1);
    int closed = 0, retries = 0;
    for (int i = 0; i < 40; ++i) {
        fil_step_stats stats;
        test_ok(w.context, fil_step(w.context, w.state, 0.0125, &stats));
        closed += stats.closed;
        retries += stats.retries;
        ck_assert_double_le(stats.contact_residual, t.contacts.tolerance);
        // Balance of strands that are led is part of the residual.
        ck_assert_int_eq(stats.unconverged, 0);
    }
    ck_assert_int_gt(closed, 30);
    ck_assert_int_eq(retries, 0);
    world_free(&w);
}
