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
