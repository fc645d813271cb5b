// What is asked of things that overlap at the start.
#include "test.h"

#include "world.h"

#include <math.h>

enum { VERTICES = 17, HELD = 3 };
static const double radius = 5e-4, edge = 0.01;

// A strand on the ground, some way inside it, under the held root of another one.
typedef struct wedge {
    fil_scene scene;
    fil_group groups[2];
    fil_contacts contacts;
    fil_obstacle ground;
    int counts[2];
    double lying[3 * VERTICES], held[3 * HELD];
} wedge;

// depth: of its centre line below where it would touch the ground; clearance: from there to the held one above.
static void make_wedge(wedge *t, double depth, double clearance)
{
    *t = (wedge){.scene = fil_scene_default(),
                 .contacts = fil_contacts_default(),
                 .ground = fil_obstacle_default(),
                 .counts = {VERTICES, HELD}};
    double *x[2] = {t->lying, t->held};
    double height = radius - depth;
    for (int i = 0; i < VERTICES; ++i) {
        t->lying[3 * i + 1] = height;
        t->lying[3 * i + 2] = (i - 0.5 * VERTICES) * edge;
    }
    for (int i = 0; i < HELD; ++i) {
        t->held[3 * i] = (i - 0.5) * edge;
        t->held[3 * i + 1] = height + 2 * radius + clearance;
    }
    for (int g = 0; g < 2; ++g) {
        t->groups[g] = fil_group_default();
        t->groups[g].material.radius = radius;
        t->groups[g].material.young = 1e8;
        t->groups[g].root = g == 0 ? FIL_END_FREE : FIL_END_CLAMPED;
        t->groups[g].groom = (fil_groom){.strand_count = 1, .vertex_count = &t->counts[g], .position = x[g]};
    }
    t->ground.shape = FIL_OBSTACLE_PLANE;
    t->scene.groups = t->groups;
    t->scene.group_count = 2;
    t->scene.contacts = &t->contacts;
    t->scene.obstacles = &t->ground;
    t->scene.obstacle_count = 1;
}

// How far the middle of the lying strand is lifted in 0.2 s; no step may be in trouble.
static double lift(const wedge *t)
{
    world w = world_make(&t->scene, 1);
    fil_step_stats stats = {0};
    for (int i = 0; i < 200; ++i) {
        test_ok(w.context, fil_step(w.context, w.state, 1e-3, &stats));
        ck_assert_int_eq(stats.retries, 0);
        ck_assert_int_eq(stats.rough_parts, 0);
        ck_assert_int_eq(stats.unconverged, 0);
    }
    fil_state_read(w.state, 0, &(fil_frame){.position = w.x});
    double middle = 0.5 * (w.x[3 * (VERTICES / 2) + 1] + w.x[3 * (VERTICES / 2 + 1) + 1]);
    world_free(&w);
    return middle - t->lying[1];
}

TEST(strands_in_the_ground_are_eased_out)
{
    wedge t;
    make_wedge(&t, 0.6 * radius, 10 * radius);
    double way = lift(&t);
    ck_assert_double_gt(way, 0.55 * radius);
    ck_assert_double_lt(way, 0.61 * radius);
}

// No motion could lift it: it would have to go through what is held.
TEST(strands_between_what_cannot_move_stay)
{
    wedge t;
    make_wedge(&t, 0.6 * radius, -0.2 * radius);
    ck_assert_double_lt(fabs(lift(&t)), 0.05 * radius);
}

// A strand across another one, centre lines nearly in one place, that is pressed down hard.
typedef struct pressed {
    fil_scene scene;
    fil_group groups[2];
    fil_contacts contacts;
    int count;
    double x[2][3 * VERTICES], force[3 * VERTICES];
} pressed;

static void make_pressed(pressed *t, double distance)
{
    *t = (pressed){.scene = fil_scene_default(), .contacts = fil_contacts_default(), .count = VERTICES};
    for (int g = 0; g < 2; ++g) {
        for (int i = 0; i < VERTICES; ++i) {
            t->x[g][3 * i + (g == 0 ? 0 : 2)] = (i - 0.5 * VERTICES) * edge;
            t->x[g][3 * i + 1] = g * distance;
        }
        t->groups[g] = fil_group_default();
        t->groups[g].material.radius = radius;
        t->groups[g].material.young = 1e8;
        t->groups[g].root = t->groups[g].tip = FIL_END_PINNED;
        t->groups[g].groom = (fil_groom){.strand_count = 1, .vertex_count = &t->count, .position = t->x[g]};
    }
    // Twice what would end any demand to go apart.
    double mass = t->groups[1].material.density * 3.14159 * radius * radius * edge * (VERTICES - 1);
    for (int i = 0; i < VERTICES; ++i)
        t->force[3 * i + 1] = -200 * mass / VERTICES;
    t->scene.groups = t->groups;
    t->scene.group_count = 2;
    t->scene.contacts = &t->contacts;
}

static double height_in_the_middle(const world *w, int group)
{
    double x[3 * VERTICES];
    fil_state_read(w->state, group, &(fil_frame){.position = x});
    return 0.5 * (x[3 * (VERTICES / 2) + 1] + x[3 * (VERTICES / 2 + 1) + 1]);
}

// However hard they are pressed, centre lines do not come so near that nothing tells their sides apart any more.
TEST(pressed_strands_keep_their_centre_lines_apart)
{
    pressed t;
    make_pressed(&t, 0.1 * radius);
    world w = world_make(&t.scene, 1);
    fil_step_stats stats = {0};
    for (int i = 0; i < 50; ++i) {
        test_ok(w.context, fil_state_force(w.context, w.state, 1, t.force));
        test_ok(w.context, fil_step(w.context, w.state, 1e-3, &stats));
        ck_assert_int_eq(stats.crossings, 0);
        ck_assert_int_eq(stats.rough_parts, 0);
        if (i < 20)
            continue;
        // A fifth of the sum of their radii.
        ck_assert_double_gt(height_in_the_middle(&w, 1) - height_in_the_middle(&w, 0), 0.39 * radius);
    }
    world_free(&w);
}

// A strand that leans on something held, close beside its own held root: a short lever.
typedef struct lever {
    fil_scene scene;
    fil_group groups[2];
    fil_contacts contacts;
    int counts[2];
    double strand[3 * VERTICES], bar[3 * 2];
} lever;

static const double touch_radius = 1e-5;

// at: where on its first edge that can move, from the held vertex on.
static void make_lever(lever *t, fil_contacts_method method, double at)
{
    *t = (lever){.scene = fil_scene_default(), .contacts = fil_contacts_default(), .counts = {VERTICES, 2}};
    double *x[2] = {t->strand, t->bar};
    for (int i = 0; i < VERTICES; ++i)
        t->strand[3 * i] = (i - 1) * edge;
    for (int i = 0; i < 2; ++i) {
        t->bar[3 * i] = at * edge;
        t->bar[3 * i + 1] = -2.02 * touch_radius;
        t->bar[3 * i + 2] = (i - 0.4) * edge;
    }
    for (int g = 0; g < 2; ++g) {
        t->groups[g] = fil_group_default();
        t->groups[g].material.radius = radius;
        t->groups[g].material.young = 1e7;
        t->groups[g].touch.radius = touch_radius;
        t->groups[g].root = FIL_END_CLAMPED;
        t->groups[g].groom = (fil_groom){.strand_count = 1, .vertex_count = &t->counts[g], .position = x[g]};
    }
    t->contacts.method = method;
    t->contacts.max_iterations = 3000;
    t->scene.groups = t->groups;
    t->scene.group_count = 2;
    t->scene.contacts = &t->contacts;
}

// How far the strand hangs down at its second free vertex after it fell for a while; the bar carries it, whole steps.
static double lean(const lever *t, double at)
{
    world w = world_make(&t->scene, 1);
    fil_step_stats stats = {0};
    for (int i = 0; i < 60; ++i) {
        test_ok(w.context, fil_step(w.context, w.state, 1e-3, &stats));
        ck_assert_int_eq(stats.retries + stats.rough_parts + stats.crossings, 0);
        ck_assert_double_le(stats.contact_residual, t->contacts.tolerance);
        positions(&w);
        ck_assert_double_gt((1 - at) * w.x[4] + at * w.x[7], -0.05 * touch_radius);
    }
    ck_assert_int_gt(stats.closed, 0);
    double hangs = w.x[3 * 3 + 1];
    world_free(&w);
    return hangs;
}

// Without the bar its first edge turns by some degrees, which is the whole overlap and more at any of these places.
TEST(strands_lean_on_what_is_close_beside_their_roots)
{
    const double places[] = {0.01, 0.03, 0.099, 0.101, 0.3};
    for (int method = FIL_CONTACTS_LINEAR; method <= FIL_CONTACTS_IMPULSE; ++method) {
        double hangs[5];
        for (int i = 0; i < 5; ++i) {
            lever t;
            make_lever(&t, (fil_contacts_method)method, places[i]);
            hangs[i] = lean(&t, places[i]);
        }
        // A lever is a lever, however short: what it does changes little by little.
        ck_assert_double_lt(hangs[4], 0);
        for (int i = 1; i < 5; ++i)
            ck_assert_double_eq_tol(hangs[i], hangs[i - 1], 0.05 * edge);
        ck_assert_double_eq_tol(hangs[3], hangs[2], 0.002 * edge);
    }
}
