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

// A lens, thin as an ear: 20 mm wide along x and z, at most 1 mm thick along y, closed.
static fil_mesh *make_lens(fil_context *context)
{
    enum { RINGS = 10, SPOKES = 24 };
    fil_mesh *mesh;
    test_ok(context, fil_mesh_create(context, 2 * RINGS * SPOKES, 2 * SPOKES * (2 * RINGS - 1), &mesh));
    int *at = mesh->triangle;
    for (int ring = 0; ring < 2 * RINGS; ++ring) // from the upper pole around the rim to the lower one
        for (int k = 0; k < SPOKES; ++k) {
            double up = 3.14159265358979 * ring / (2 * RINGS - 1), around = 2 * 3.14159265358979 * k / SPOKES;
            double *x = mesh->position + 3 * (ring * SPOKES + k), wide = 0.01 * sin(up);
            x[0] = wide * sin(around), x[1] = 0.0005 * cos(up), x[2] = wide * cos(around);
            int a = ring * SPOKES + k, b = ring * SPOKES + (k + 1) % SPOKES;
            const int two[6] = {a, a + SPOKES, b + SPOKES, a, b + SPOKES, b};
            if (ring + 1 < 2 * RINGS) {
                memcpy(at, two, sizeof two);
                at += 6;
            }
        }
    return mesh;
}

// Where the straight way between two points is inside the lens, tried at 200 places.
static int places_in_lens(const double *a, const double *b)
{
    int inside = 0;
    for (int i = 0; i <= 200; ++i) {
        double x[3], at = i / 200.0;
        for (int k = 0; k < 3; ++k)
            x[k] = ((1 - at) * a[k] + at * b[k]) / (k == 1 ? 0.0005 : 0.01);
        inside += distance(x) < 0.98; // the mesh is a little smaller than the lens
    }
    return inside;
}

TEST(clear_leads_strands_around_what_they_pierce)
{
    ball b;
    ball_make(&b);
    fil_context *context = fil_context_create(NULL);
    fil_mesh *lens = make_lens(context);
    b.sphere = fil_obstacle_default();
    b.sphere.shape = FIL_OBSTACLE_MESH;
    b.sphere.mesh = lens;
    b.group.touch.radius = 1e-5;
    // Each strand goes down through the lens, at 2, 5 and 8 mm from its middle.
    for (int s = 0; s < STRANDS; ++s)
        for (int i = 0; i < VERTICES; ++i) {
            double *x = b.x + 3 * (s * VERTICES + i);
            x[0] = 0.002 + 0.003 * s, x[1] = 0.003 * (i - 4.6), x[2] = 0.001 * s;
        }
    double x[3 * STRANDS * VERTICES];
    int before = 0, after = 0;
    fil_clearing report;
    test_ok(context, fil_scene_clear(context, &b.scene, 0, x, &report));
    ck_assert_int_eq(report.inside, 0);
    for (int s = 0; s < STRANDS; ++s)
        for (int i = 3 * s * VERTICES; i < 3 * (s * VERTICES + VERTICES - 1); i += 3) {
            before += places_in_lens(b.x + i, b.x + i + 3);
            after += places_in_lens(x + i, x + i + 3);
        }
    ck_assert_int_gt(before, 0);
    ck_assert_int_eq(after, 0);
    ck_assert(report.farthest < 0.02);
    fil_mesh_destroy(lens);
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
