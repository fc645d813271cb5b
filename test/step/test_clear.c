// Grooms that are moved out of bodies and apart before they start.
#include "failing_allocator.h"
#include "filum/filum.h"
#include "test.h"

#include <string.h>

enum { STRANDS = 3, VERTICES = 11 };

// A sphere of 10 cm, with strands along x: one that grows deep inside, one that lies 1 mm below its top, one that
// passes 5 cm above.
typedef struct ball {
    int vertices[STRANDS];
    double x[3 * STRANDS * VERTICES];
    fil_group group;
    fil_contacts contacts;
    fil_obstacle sphere;
    fil_scene scene;
} ball;

static void ball_make(ball *b)
{
    static const double height[STRANDS] = {0.095, 0.099, 0.15};
    for (int s = 0; s < STRANDS; ++s) {
        b->vertices[s] = VERTICES;
        for (int i = 0; i < VERTICES; ++i) {
            double *x = b->x + 3 * (s * VERTICES + i), angle = 0.06 * (i - VERTICES / 2);
            x[0] = height[s] * sin(angle), x[1] = height[s] * cos(angle), x[2] = 0;
        }
    }
    b->group = fil_group_default();
    b->group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = b->vertices, .position = b->x};
    b->group.touch.radius = 1e-4;
    b->contacts = fil_contacts_default();
    b->sphere = fil_obstacle_default();
    b->sphere.shape = FIL_OBSTACLE_SPHERE;
    b->sphere.size[0] = 0.1;
    b->scene = fil_scene_default();
    b->scene.groups = &b->group;
    b->scene.group_count = 1;
    b->scene.contacts = &b->contacts;
    b->scene.obstacles = &b->sphere;
    b->scene.obstacle_count = 1;
}

static double distance(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void check_order(const char *model)
{
    ball b;
    ball_make(&b);
    b.group.model = model;
    fil_context *context = fil_context_create(NULL);
    double x[3 * STRANDS * VERTICES];
    fil_clearing report;
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.inside, 0);
    ck_assert_int_eq(report.overlaps, 0);
    ck_assert_int_eq(report.vertices, 2 * VERTICES);
    ck_assert(report.farthest > 0.005 && report.farthest < 0.01);
    for (int i = 0; i < VERTICES; ++i) {
        double deep = distance(x + 3 * i), shallow = distance(x + 3 * (VERTICES + i));
        ck_assert_msg(deep >= 0.1 + 0.99e-4, "vertex %d is still inside: %g", i, deep);
        ck_assert_msg(shallow > deep, "vertex %d: %g above %g", i, deep, shallow);
    }
    ck_assert_mem_eq(x + 6 * VERTICES, b.x + 6 * VERTICES, 3 * VERTICES * sizeof *x);
    fil_context_destroy(context);
}

TEST(clear_moves_strands_out_of_bodies_and_keeps_their_order)
{
    check_order("der");
    check_order("tridiag");
}

TEST(clear_moves_the_insides_of_edges_out_too)
{
    ball b;
    ball_make(&b);
    fil_context *context = fil_context_create(NULL);
    double x[6];
    fil_clearing report;
    b.vertices[0] = 2;
    b.group.groom.strand_count = 1;
    memcpy(b.x, (double[]){-0.05, 0.09, 0, 0.05, 0.09, 0}, 6 * sizeof *b.x); // both ends outside, the middle not
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.inside, 0);
    ck_assert(x[1] >= 0.1 && x[4] >= 0.1);
    fil_context_destroy(context);
}

TEST(clear_moves_strands_apart)
{
    ball b;
    ball_make(&b);
    fil_context *context = fil_context_create(NULL);
    double x[3 * STRANDS * VERTICES];
    fil_clearing report;
    // All across each other, far from the sphere, in planes a hundredth of a radius apart.
    for (int s = 0; s < STRANDS; ++s)
        for (int i = 0; i < VERTICES; ++i) {
            double *place = b.x + 3 * (s * VERTICES + i), along = 0.01 * (i - 4.7), angle = s;
            place[0] = along * cos(angle), place[1] = 0.3 + 1e-6 * s, place[2] = along * sin(angle);
        }
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.overlaps, 0);
    ck_assert(report.vertices > 0 && report.farthest < 1e-3);
    memcpy(b.x, x, sizeof x);
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.vertices, 0);
    fil_context_destroy(context);
}

TEST(clear_leaves_what_touches_and_what_is_not_felt)
{
    ball b;
    ball_make(&b);
    fil_context *context = fil_context_create(NULL);
    double x[3 * STRANDS * VERTICES];
    fil_clearing report;
    fil_touch_rule rule = {.first = 0, .second = 1, .apart = true, .friction = -1};
    b.scene.rules = &rule;
    b.scene.rule_count = 1;
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.vertices, 0);
    b.scene.rule_count = 0;
    b.scene.contacts = NULL;
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.vertices, 0);
    ck_assert_mem_eq(x, b.x, sizeof x);
    ck_assert_int_eq(fil_scene_clear(context, &b.scene, 1, x, &report), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "no group 1");
    fil_context_destroy(context);
}

TEST(clear_gives_the_same_bits_on_any_number_of_threads)
{
    ball b;
    ball_make(&b);
    double x[2][3 * STRANDS * VERTICES];
    for (int k = 0; k < 2; ++k) {
        fil_context_def def = fil_context_def_default();
        def.threads = k == 0 ? 1 : 4;
        fil_context *context = fil_context_create(&def);
        fil_clearing report;
        test_ok(context, fil_scene_clear(context, &b.scene, 0, x[k], &report));
        fil_context_destroy(context);
    }
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
}

static fil_status clear_ball(fil_context *context, void *data)
{
    const ball *b = data;
    double x[3 * STRANDS * VERTICES];
    fil_clearing report;
    return fil_scene_clear(context, &b->scene, 0, x, &report);
}

TEST(clear_survives_failing_allocation)
{
    ball b;
    ball_make(&b);
    test_failing_allocation(clear_ball, &b);
}
