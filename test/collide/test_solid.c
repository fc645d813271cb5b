// Strands against bodies: distances of all shapes, meshes against shapes, thin things hit fast, moving and changing
// bodies, many bodies, bad input.
#include "base/rng.h"
#include "collide/solid_part.h"
#include "collide/triangle.h"
#include "failing_allocator.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "test.h"

#include <string.h>

// ---- bodies

static fil_obstacle make_obstacle(fil_obstacle_shape shape, double a, double b, double c)
{
    fil_obstacle out = fil_obstacle_default();
    out.shape = shape;
    out.size[0] = a, out.size[1] = b, out.size[2] = c;
    return out;
}

// Rings around y and two poles. `open`: without the triangles of the upper half.
static fil_mesh *make_ball(fil_context *context, double radius, int rings, bool open)
{
    int spokes = 2 * rings, half = rings / 2, first = open ? half : 0;
    fil_mesh *mesh;
    test_ok(context, fil_mesh_create(context, (rings + 1) * spokes, 2 * spokes * (rings - first), &mesh));
    for (int i = 0; i <= rings; ++i)
        for (int k = 0; k < spokes; ++k) {
            // Poles are written once for each spoke: copies to be found.
            double up = 3.14159265358979323846 * i / rings, around = 2 * 3.14159265358979323846 * k / spokes;
            double *x = mesh->position + 3 * (i * spokes + k), ring = i % rings == 0 ? 0 : radius * sin(up);
            x[0] = ring * sin(around), x[1] = radius * cos(up), x[2] = ring * cos(around);
        }
    int *at = mesh->triangle;
    for (int i = first; i < rings; ++i)
        for (int k = 0; k < spokes; ++k) {
            int a = i * spokes + k, b = i * spokes + (k + 1) % spokes;
            const int two[6] = {a, a + spokes, b + spokes, a, b + spokes, b};
            memcpy(at, two, sizeof two);
            at += 6;
        }
    return mesh;
}

// A square of 2 × 2 in the plane y = 0.
static fil_mesh *make_sheet(fil_context *context)
{
    fil_mesh *mesh;
    test_ok(context, fil_mesh_create(context, 4, 2, &mesh));
    const double x[12] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
    const int corner[6] = {0, 2, 1, 0, 3, 2};
    memcpy(mesh->position, x, sizeof x);
    memcpy(mesh->triangle, corner, sizeof corner);
    return mesh;
}

// ---- strands

enum { MOST = 64 };

typedef struct rig {
    fil_context *context;
    fil_arena *arena;
    int first[MOST + 1], strand[MOST];
    unsigned char held[MOST];
    double radius[MOST], arc[MOST], x0[3 * MOST], x1[3 * MOST];
    fil_touch_strands strands;
    fil_solid_motion body;
    double margin;
    fil_touch_list list;
    int inside;
} rig;

static rig *make_rig(void)
{
    static rig self;
    self = (rig){.context = fil_context_create(NULL), .margin = 1e-4};
    self.arena = fil_arena_create(self.context);
    self.strands = (fil_touch_strands){.first = self.first,
                                       .strand = self.strand,
                                       .held = self.held,
                                       .radius = self.radius,
                                       .arc = self.arc,
                                       .x0 = self.x0,
                                       .x1 = self.x1};
    self.body.from.rotation[0] = self.body.to.rotation[0] = 1;
    return &self;
}

static void end_rig(rig *self)
{
    fil_arena_destroy(self->arena);
    fil_context_destroy(self->context);
}

static fil_solid *make_solid(rig *self, const fil_obstacle *obstacle)
{
    fil_solid *solid;
    test_ok(self->context, fil_solid_create(self->context, self->arena, obstacle, "body", &solid));
    self->body.solid = solid;
    return solid;
}

static fil_solid *make_mesh_solid(rig *self, const fil_mesh *mesh)
{
    fil_obstacle obstacle = make_obstacle(FIL_OBSTACLE_MESH, 0, 0, 0);
    obstacle.mesh = mesh;
    return make_solid(self, &obstacle);
}

// One strand of two vertices.
static void set_edge(rig *self, const double a0[3], const double b0[3], const double a1[3], const double b1[3])
{
    self->strands.strand_count = 1;
    self->strands.vertex_count = 2;
    self->first[1] = 2;
    self->radius[0] = self->radius[1] = 1e-3;
    memcpy(self->x0, a0, 24), memcpy(self->x0 + 3, b0, 24);
    memcpy(self->x1, a1, 24), memcpy(self->x1 + 3, b1, 24);
}

static void touch(rig *self)
{
    test_ok(self->context, fil_solid_touch(self->context, self->arena, &self->strands, &self->body, 1, self->margin,
                                           NULL, &self->list, &self->inside));
}

// ---- shapes

static bool is_inside(const fil_obstacle *o, const double x[3])
{
    const double *s = o->size, across = x[0] * x[0] + x[2] * x[2];
    double core = fmax(fabs(x[1]) - 0.5 * s[1], 0);
    switch (o->shape) {
    case FIL_OBSTACLE_PLANE:
        return x[1] < 0;
    case FIL_OBSTACLE_SPHERE:
        return across + x[1] * x[1] < s[0] * s[0];
    case FIL_OBSTACLE_CAPSULE:
        return across + core * core < s[0] * s[0];
    case FIL_OBSTACLE_CYLINDER:
        return across < s[0] * s[0] && core == 0;
    default:
        return fabs(x[0]) < s[0] && fabs(x[1]) < s[1] && fabs(x[2]) < s[2];
    }
}

// The sign is right, the gradient is the normal and has length 1, and the foot is on the surface: it is the distance.
TEST(solid_distances_of_shapes)
{
    rig *rig = make_rig();
    fil_rng rng = fil_rng_make(3);
    for (int shape = 0; shape < FIL_OBSTACLE_MESH; ++shape) {
        fil_obstacle obstacle = make_obstacle((fil_obstacle_shape)shape, 0.4, 0.9, 0.6);
        const fil_solid *solid = make_solid(rig, &obstacle);
        for (int i = 0; i < 4000; ++i) {
            double x[3], normal[3], foot[3], unused[3], off = 0;
            for (int k = 0; k < 3; ++k)
                x[k] = fil_rng_uniform(&rng, -1.2, 1.2);
            double distance = fil_solid_shape_distance(solid, x, normal);
            ck_assert_int_eq(distance < 0, is_inside(&obstacle, x));
            test_near(fil_vec3_norm(normal), 1, 1e-12);
            for (int k = 0; k < 3; ++k) {
                const double h = 1e-6;
                double plus[3], minus[3];
                memcpy(plus, x, sizeof plus), memcpy(minus, x, sizeof minus);
                plus[k] += h, minus[k] -= h;
                double slope =
                    fil_solid_shape_distance(solid, plus, unused) - fil_solid_shape_distance(solid, minus, unused);
                off = fmax(off, fabs(slope / (2 * h) - normal[k]));
                foot[k] = x[k] - distance * normal[k];
            }
            // Finite differences are wrong across the few places where the nearest side changes inside.
            ck_assert(off < 1e-5 || (distance < 0 && off <= 2));
            test_near(fil_solid_shape_distance(solid, foot, unused), 0, 1e-12);
        }
    }
    end_rig(rig);
}

TEST(solid_ball_of_triangles_is_a_ball)
{
    rig *rig = make_rig();
    fil_mesh *mesh = make_ball(rig->context, 1, 24, false);
    const fil_solid *solid = make_mesh_solid(rig, mesh);
    ck_assert(solid->mesh->closed);
    ck_assert_int_eq(solid->mesh->vertex_count, 23 * 48 + 2);
    ck_assert_int_eq(solid->mesh->triangle_count, 22 * 96 + 2 * 48);
    fil_solid_surface surface;
    test_ok(rig->context, fil_solid_mesh_pose(rig->arena, solid, 0, 0, &surface));
    fil_rng rng = fil_rng_make(4);
    const double flat = 0.01; // how far triangles are below the sphere
    for (int i = 0; i < 20000; ++i) {
        const double x[3] = {fil_rng_uniform(&rng, -1.3, 1.3), fil_rng_uniform(&rng, -1.3, 1.3),
                             fil_rng_uniform(&rng, -1.3, 1.3)};
        double exact = fil_vec3_norm(x) - 1, found = fil_solid_mesh_ask_distance(&surface, x, HUGE_VAL);
        ck_assert_msg(found >= exact - 1e-12 && found <= exact + flat, "%g is %g", exact, found);
        // Through the cells, too; and the normal goes out.
        fil_approach_thing vertex = {.corners = 1};
        memcpy(vertex.from[0], x, sizeof x), memcpy(vertex.to[0], x, sizeof x);
        fil_solid_place place;
        int hint = i % 2 ? -1 : i % solid->mesh->triangle_count;
        bool near = fil_solid_mesh_ask(&surface, &vertex, &(fil_solid_reach){0.05, 0}, &hint, &place);
        ck_assert(near ? found <= 0.0501 : found > 0.05);
        if (near) {
            ck_assert_int_eq(place.inside, found < 0);
            ck_assert(fil_vec3_norm(x) < 0.3 || fil_vec3_dot(place.normal, x) > 0.9 * fil_vec3_norm(x));
        }
    }
    fil_mesh_destroy(mesh);
    end_rig(rig);
}

TEST(solid_mesh_turned_inside_out_is_the_same)
{
    rig *rig = make_rig();
    fil_mesh *mesh = make_ball(rig->context, 1, 8, false);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        int kept = mesh->triangle[3 * t];
        mesh->triangle[3 * t] = mesh->triangle[3 * t + 1];
        mesh->triangle[3 * t + 1] = kept;
    }
    const fil_solid *solid = make_mesh_solid(rig, mesh);
    fil_solid_surface surface;
    test_ok(rig->context, fil_solid_mesh_pose(rig->arena, solid, 0, 0, &surface));
    ck_assert_double_lt(fil_solid_mesh_ask_distance(&surface, (double[]){0.1, 0.2, 0}, HUGE_VAL), -0.5);
    ck_assert_double_gt(fil_solid_mesh_ask_distance(&surface, (double[]){1.5, 0.2, 0}, HUGE_VAL), 0.5);
    fil_mesh *half = make_ball(rig->context, 1, 8, true);
    ck_assert(!make_mesh_solid(rig, half)->mesh->closed);
    fil_mesh_destroy(half);
    fil_mesh_destroy(mesh);
    end_rig(rig);
}

// ---- touching

TEST(solid_vertices_near_a_plane)
{
    rig *rig = make_rig();
    fil_obstacle plane = make_obstacle(FIL_OBSTACLE_PLANE, 0, 0, 0);
    make_solid(rig, &plane);
    // Both ends above and falling through, then too high to matter, then one end held.
    set_edge(rig, (double[]){0, 0.01, 0}, (double[]){1, 0.02, 0}, (double[]){0, -0.01, 0}, (double[]){1, -0.01, 0});
    touch(rig);
    ck_assert_int_eq(rig->list.count, 2);
    ck_assert_int_eq(rig->inside, 0);
    for (int i = 0; i < 2; ++i) {
        const fil_touch_point *point = &rig->list.point[i];
        ck_assert_int_eq(point->a, 0);
        ck_assert_int_eq(point->b, -1);
        ck_assert_double_eq(point->at_a, i);
        test_near(point->gap, 0.01 * (i + 1) - 1e-3, 1e-12);
        test_near(point->normal[1], 1, 1e-12);
    }
    rig->held[0] = 1;
    touch(rig);
    ck_assert_int_eq(rig->list.count, 1);
    rig->x1[1] = 0.01, rig->x1[4] = 0.002;
    touch(rig);
    ck_assert_int_eq(rig->list.count, 0);
    // What is inside is counted; who is not asked has no place.
    rig->x0[4] = -0.01, rig->x1[4] = -0.02;
    test_ok(rig->context, fil_solid_touch(rig->context, rig->arena, &rig->strands, &rig->body, 1, rig->margin,
                                          (bool[]){false}, &rig->list, NULL));
    ck_assert_int_eq(rig->list.count, 0);
    touch(rig);
    ck_assert_int_eq(rig->inside, 1);
    test_near(rig->list.point[0].gap, -0.011, 1e-12);
    end_rig(rig);
}

// A vertex goes through a plate from one side to the other in one step.
static void shoot_through(rig *rig, double normal_y)
{
    for (int up = -1; up <= 1; up += 2) {
        double y = up * 0.7;
        set_edge(rig, (double[]){0.1, y, 0.2}, (double[]){0.1, 2 * y, 0.2}, (double[]){0.3, -y, 0.1},
                 (double[]){0.3, 2 * y, 0.1});
        touch(rig);
        ck_assert_int_ge(rig->list.count, 1);
        const fil_touch_point *point = &rig->list.point[0];
        ck_assert_double_eq(point->at_a, 0);
        test_near(point->normal[1], up * normal_y, 1e-9);
        ck_assert_double_gt(point->gap, 0.6);
        // Beside it there is nothing.
        for (int k = 0; k < 6; k += 3)
            rig->x0[k] += 3, rig->x1[k] += 3;
        touch(rig);
        ck_assert_int_eq(rig->list.count, 0);
    }
}

TEST(solid_thin_things_stop_what_is_shot_at_them)
{
    rig *rig = make_rig();
    fil_obstacle box = make_obstacle(FIL_OBSTACLE_BOX, 1, 1e-5, 1);
    make_solid(rig, &box);
    shoot_through(rig, 1);
    fil_obstacle disc = make_obstacle(FIL_OBSTACLE_CYLINDER, 1, 1e-5, 0);
    make_solid(rig, &disc);
    shoot_through(rig, 1);
    fil_mesh *sheet = make_sheet(rig->context);
    ck_assert(!make_mesh_solid(rig, sheet)->mesh->closed);
    shoot_through(rig, 1);
    fil_mesh_destroy(sheet);
    end_rig(rig);
}

TEST(solid_edges_do_not_jump_over_thin_things)
{
    rig *rig = make_rig();
    fil_mesh *ball = make_ball(rig->context, 0.01, 12, false);
    fil_obstacle capsule = make_obstacle(FIL_OBSTACLE_CAPSULE, 0.005, 2, 0);
    fil_obstacle box = make_obstacle(FIL_OBSTACLE_BOX, 0.01, 1, 0.01);
    for (int which = 0; which < 3; ++which) {
        if (which == 2)
            make_mesh_solid(rig, ball);
        else
            make_solid(rig, which == 0 ? &capsule : &box);
        // An edge along z from x = 0.5 to x = -0.5, past a body at the origin; its ends are far away.
        set_edge(rig, (double[]){0.5, 0.001, -1}, (double[]){0.5, 0.001, 1}, (double[]){-0.5, 0.001, -1},
                 (double[]){-0.5, 0.001, 1});
        touch(rig);
        ck_assert_int_eq(rig->list.count, 1);
        const fil_touch_point *point = &rig->list.point[0];
        test_near(point->at_a, 0.5, 0.02);
        ck_assert_double_gt(point->normal[0], 0.9);
        ck_assert_double_gt(point->gap, 0.4);
        // At rest on it, and held at both ends.
        rig->x0[0] = rig->x0[3] = rig->x1[0] = rig->x1[3] = 0.0112;
        rig->margin = 0.01;
        touch(rig);
        ck_assert_int_eq(rig->list.count, 1);
        ck_assert_double_lt(fabs(rig->list.point[0].gap), 0.006);
        rig->held[0] = rig->held[1] = 1;
        touch(rig);
        ck_assert_int_eq(rig->list.count, 0);
        rig->held[0] = rig->held[1] = 0;
        rig->margin = 1e-4;
    }
    fil_mesh_destroy(ball);
    end_rig(rig);
}

// Fast edges anywhere: where samples of time and place go into a body, something must have been found.
TEST(solid_nothing_gets_in_unseen)
{
    rig *rig = make_rig();
    fil_rng rng = fil_rng_make(21);
    fil_mesh *ball = make_ball(rig->context, 0.3, 8, false), *cup = make_ball(rig->context, 0.3, 8, true);
    enum { STEPS = 24 };
    for (int kind = 1; kind < 7; ++kind) {
        fil_obstacle obstacle = make_obstacle((fil_obstacle_shape)(kind < 5 ? kind : FIL_OBSTACLE_MESH), 0.3, 0.2, 0.1);
        obstacle.mesh = kind == 5 ? ball : cup;
        const fil_solid *solid = make_solid(rig, &obstacle);
        fil_solid_surface surface = {0};
        if (solid->mesh)
            test_ok(rig->context, fil_solid_mesh_pose(rig->arena, solid, 0, 0, &surface));
        int hits = 0, found = 0;
        for (int i = 0; i < (test_long() ? 50000 : 1500); ++i) {
            double x[4][3], deepest = HUGE_VAL, start = HUGE_VAL, unused[3];
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 3; ++k)
                    x[c][k] = fil_rng_uniform(&rng, -1, 1);
            set_edge(rig, x[0], x[1], x[2], x[3]);
            rig->radius[0] = rig->radius[1] = 0.01;
            touch(rig);
            for (int t = 0; t <= STEPS; ++t)
                for (int s = 0; s <= STEPS; ++s) {
                    double y[3], at = (double)s / STEPS, time = (double)t / STEPS;
                    for (int k = 0; k < 3; ++k)
                        y[k] = (1 - time) * ((1 - at) * x[0][k] + at * x[1][k]) +
                               time * ((1 - at) * x[2][k] + at * x[3][k]);
                    deepest = fmin(deepest, solid->mesh ? fil_solid_mesh_ask_distance(&surface, y, 0.1)
                                                        : fil_solid_shape_distance(solid, y, unused));
                    start = t == 0 ? deepest : start;
                }
            // What overlaps from the start may leave in peace.
            if (start < 0.05)
                continue;
            hits += deepest < 0.008;
            found += rig->list.count > 0;
            ck_assert_msg(deepest >= 0.008 || rig->list.count > 0, "kind %d, case %d: %g deep, not found", kind, i,
                          deepest);
            // A strand that stays away is left alone.
            ck_assert_msg(deepest <= 0.2 || rig->list.count == 0, "kind %d, case %d: %g away", kind, i, deepest);
        }
        ck_assert_int_gt(hits, 200);
        ck_assert_int_lt(found, 2 * hits);
    }
    fil_mesh_destroy(cup);
    fil_mesh_destroy(ball);
    end_rig(rig);
}

TEST(solid_carries_what_sticks_to_it)
{
    rig *rig = make_rig();
    fil_obstacle sphere = make_obstacle(FIL_OBSTACLE_SPHERE, 0.1, 0, 0);
    fil_mesh *mesh = make_ball(rig->context, 0.1, 20, false);
    for (int which = 0; which < 2; ++which) {
        if (which == 0)
            make_solid(rig, &sphere);
        else
            make_mesh_solid(rig, mesh);
        fil_quat_from_turn((double[]){0, 0.3, 0.2}, rig->body.from.rotation);
        fil_quat_from_turn((double[]){0.1, 0.5, 0.2}, rig->body.to.rotation);
        for (int k = 0; k < 3; ++k)
            rig->body.from.position[k] = 0.2 * k, rig->body.to.position[k] = 0.3 * k + 0.01;
        // A vertex just above the surface that goes with the body, and one that stays behind far away.
        const double own[3] = {0.0612, 0.0612, 0.0612};
        double from[3], to[3], away[3] = {5, 5, 5};
        fil_quat_rotate(rig->body.from.rotation, own, from);
        fil_quat_rotate(rig->body.to.rotation, own, to);
        for (int k = 0; k < 3; ++k)
            from[k] += rig->body.from.position[k], to[k] += rig->body.to.position[k];
        set_edge(rig, from, away, to, away);
        rig->margin = 0.02;
        touch(rig);
        ck_assert_int_eq(rig->list.count, 1);
        const fil_touch_point *point = &rig->list.point[0];
        test_near(point->gap, fil_vec3_norm(own) - 0.1 - 1e-3, 2e-3);
        for (int k = 0; k < 3; ++k) {
            ck_assert_double_le(fabs(point->carried[k] - (to[k] - from[k])), 0.005);
            ck_assert_double_le(fabs(point->normal[k] - (from[k] - 0.2 * k) / fil_vec3_norm(own)), 0.1);
        }
        rig->body.from.position[0] = rig->body.to.position[0] = 0;
    }
    fil_mesh_destroy(mesh);
    end_rig(rig);
}

// A sheet that rises through a strand that stands still, then a ball that grows.
TEST(solid_mesh_that_changes_its_shape)
{
    rig *rig = make_rig();
    fil_mesh *sheet = make_sheet(rig->context);
    double pose[24], time[2] = {1, 2};
    for (int i = 0; i < 12; ++i)
        pose[i] = sheet->position[i], pose[12 + i] = sheet->position[i] + (i % 3 == 1 ? 2 : 0);
    fil_obstacle obstacle = make_obstacle(FIL_OBSTACLE_MESH, 0, 0, 0);
    obstacle.mesh = sheet;
    obstacle.pose_count = 2;
    obstacle.pose_time = time;
    obstacle.pose_position = pose;
    make_solid(rig, &obstacle);
    const double a[3] = {0.1, 1, 0.2}, b[3] = {0.2, 1, 0.3};
    set_edge(rig, a, b, a, b);
    rig->body.time_from = 0, rig->body.time_to = 1; // before the first pose it stays
    touch(rig);
    ck_assert_int_eq(rig->list.count, 0);
    rig->body.time_from = 1.25, rig->body.time_to = 1.75;
    touch(rig);
    ck_assert_int_eq(rig->list.count, 2);
    for (int i = 0; i < 2; ++i) {
        test_near(rig->list.point[i].gap, 0.5 - 1e-3, 1e-9);
        test_near(rig->list.point[i].normal[1], 1, 1e-9);
        test_near(rig->list.point[i].carried[1], 1, 1e-9);
    }
    rig->body.time_from = 1.75, rig->body.time_to = 2.5; // it is above and goes away
    touch(rig);
    ck_assert_int_eq(rig->list.count, 0);
    fil_mesh_destroy(sheet);
    end_rig(rig);
}

// Triangles and edges that move anywhere: where samples come near each other, something must have been found.
TEST(solid_nothing_gets_through_a_changing_mesh)
{
    rig *rig = make_rig();
    fil_rng rng = fil_rng_make(31);
    fil_mesh *mesh;
    test_ok(rig->context, fil_mesh_create(rig->context, 3, 1, &mesh));
    const double time[2] = {0, 1};
    double pose[2][3][3];
    fil_obstacle obstacle = make_obstacle(FIL_OBSTACLE_MESH, 0, 0, 0);
    mesh->triangle[1] = 1, mesh->triangle[2] = 2;
    obstacle.mesh = mesh;
    obstacle.pose_count = 2;
    obstacle.pose_time = time;
    obstacle.pose_position = pose[0][0];
    rig->body.time_to = 1;
    int hits = 0;
    enum { STEPS = 24 };
    for (int i = 0; i < (test_long() ? 100000 : 3000); ++i) {
        double x[2][2][3], start = HUGE_VAL, nearest = HUGE_VAL;
        for (int k = 0; k < 30; ++k)
            *(k < 18 ? &pose[k / 9][k % 9 / 3][k % 3] : &x[(k - 18) / 6][k % 6 / 3][k % 3]) =
                fil_rng_uniform(&rng, -1, 1);
        make_solid(rig, &obstacle);
        set_edge(rig, x[0][0], x[0][1], x[1][0], x[1][1]);
        rig->radius[0] = rig->radius[1] = 0.02;
        touch(rig);
        for (int t = 0; t <= STEPS; ++t) {
            double corner[3][3], end[2][3], weight[3], at, part = (double)t / STEPS;
            for (int k = 0; k < 3; ++k) {
                for (int c = 0; c < 3; ++c)
                    corner[c][k] = (1 - part) * pose[0][c][k] + part * pose[1][c][k];
                for (int c = 0; c < 2; ++c)
                    end[c][k] = (1 - part) * x[0][c][k] + part * x[1][c][k];
            }
            nearest = fmin(nearest, fil_triangle_nearest_segment(corner, end[0], end[1], weight, &at));
            start = t == 0 ? nearest : start;
        }
        if (sqrt(start) < 0.025)
            continue;
        hits += sqrt(nearest) < 0.015;
        ck_assert_msg(sqrt(nearest) >= 0.015 || rig->list.count > 0, "case %d: came within %g", i, sqrt(nearest));
        ck_assert_msg(sqrt(nearest) <= 0.3 || rig->list.count == 0, "case %d: %g away", i, sqrt(nearest));
    }
    ck_assert_int_gt(hits, 300);
    fil_mesh_destroy(mesh);
    end_rig(rig);
}

// ---- many

typedef struct crowd {
    fil_touch_strands strands;
    double *x0, *x1;
} crowd;

// Strands that start on a ball and stand away from it, and move at random.
static crowd make_crowd(fil_arena *arena, int strands, int vertices, double length, double motion)
{
    int count = strands * vertices;
    int *first = FIL_ARENA_ARRAY(arena, int, strands + 1), *strand = FIL_ARENA_ARRAY(arena, int, count);
    unsigned char *held = FIL_ARENA_ARRAY(arena, unsigned char, count);
    double *radius = FIL_ARENA_ARRAY(arena, double, count), *arc = FIL_ARENA_ARRAY(arena, double, count);
    crowd self = {.x0 = FIL_ARENA_ARRAY(arena, double, 3 * count), .x1 = FIL_ARENA_ARRAY(arena, double, 3 * count)};
    fil_rng rng = fil_rng_make(9);
    for (int s = 0; s < strands; ++s) {
        double at[3], along[3];
        for (int k = 0; k < 3; ++k)
            at[k] = fil_rng_normal(&rng), along[k] = fil_rng_normal(&rng);
        fil_vec3_normalise(at);
        for (int k = 0; k < 3; ++k)
            at[k] *= 0.1, along[k] += 5 * at[k];
        fil_vec3_normalise(along);
        first[s + 1] = (s + 1) * vertices;
        for (int i = 0; i < vertices; ++i) {
            int v = s * vertices + i;
            strand[v] = s, held[v] = i < 2, radius[v] = 5e-5;
            for (int k = 0; k < 3; ++k) {
                self.x0[3 * v + k] = at[k] + along[k] * length * i / (vertices - 1);
                self.x1[3 * v + k] = self.x0[3 * v + k] + motion * fil_rng_uniform(&rng, -1, 1);
            }
        }
    }
    self.strands =
        (fil_touch_strands){strands, count, first, strand, held, radius, arc, self.x0, self.x1, NULL, NULL, 0};
    return self;
}

static fil_solid_motion still(const fil_solid *solid, double x, double y, double z)
{
    return (fil_solid_motion){.solid = solid, .from = {{x, y, z}, {1, 0, 0, 0}}, .to = {{x, y, z}, {1, 0, 0, 0}}};
}

static void check_order(const fil_touch_list *list)
{
    for (int i = 1; i < list->count; ++i) {
        const fil_touch_point *a = &list->point[i - 1], *b = &list->point[i];
        ck_assert(a->a < b->a || (a->a == b->a && (a->b > b->b || (a->b == b->b && a->at_a < b->at_a))));
    }
}

TEST(solid_thousand_bodies_and_the_same_bits_on_any_number_of_threads)
{
    fil_touch_list lists[3];
    fil_context *contexts[3];
    fil_arena *arenas[3];
    enum { BODIES = 1000 };
    for (int run = 0; run < 3; ++run) {
        fil_context_def def = fil_context_def_default();
        def.threads = 1 << run;
        contexts[run] = fil_context_create(&def);
        arenas[run] = fil_arena_create(contexts[run]);
        crowd crowd = make_crowd(arenas[run], 300, 20, 0.3, 0.002);
        fil_mesh *ball = make_ball(contexts[run], 0.02, 8, false);
        fil_obstacle shapes[6];
        fil_solid *solids[6];
        for (int k = 0; k < 6; ++k) {
            shapes[k] = make_obstacle((fil_obstacle_shape)k, 0.02, 0.02, 0.01);
            shapes[k].mesh = ball;
            test_ok(contexts[run], fil_solid_create(contexts[run], arenas[run], &shapes[k], "body", &solids[k]));
        }
        fil_rng rng = fil_rng_make(11);
        static fil_solid_motion bodies[BODIES];
        bodies[0] = still(solids[FIL_OBSTACLE_PLANE], 0, -0.1, 0);
        for (int i = 1; i < BODIES; ++i)
            bodies[i] = still(solids[1 + i % 5], fil_rng_uniform(&rng, -0.4, 0.4), fil_rng_uniform(&rng, -0.4, 0.4),
                              fil_rng_uniform(&rng, -0.4, 0.4));
        int inside;
        test_ok(contexts[run], fil_solid_touch(contexts[run], arenas[run], &crowd.strands, bodies, BODIES, 1e-4, NULL,
                                               &lists[run], &inside));
        check_order(&lists[run]);
        ck_assert_int_gt(lists[run].count, 1000);
        ck_assert_int_eq(lists[run].count, lists[0].count);
        ck_assert_mem_eq(lists[run].point, lists[0].point, sizeof(fil_touch_point) * (size_t)lists[0].count);
        // One body at a time finds the same in sum.
        int alone = 0;
        for (int i = 0; i < BODIES && run == 0; ++i) {
            fil_touch_list list;
            test_ok(contexts[run], fil_solid_touch(contexts[run], arenas[run], &crowd.strands, &bodies[i], 1, 1e-4,
                                                   NULL, &list, NULL));
            alone += list.count;
        }
        ck_assert(run > 0 || alone == lists[0].count);
        fil_mesh_destroy(ball);
    }
    for (int run = 0; run < 3; ++run) {
        fil_arena_destroy(arenas[run]);
        fil_context_destroy(contexts[run]);
    }
}

TEST(solid_without_bodies_or_strands)
{
    rig *rig = make_rig();
    test_ok(rig->context, fil_solid_touch(rig->context, rig->arena, &rig->strands, NULL, 0, 0, NULL, &rig->list, NULL));
    ck_assert_int_eq(rig->list.count, 0);
    fil_obstacle plane = make_obstacle(FIL_OBSTACLE_PLANE, 0, 0, 0);
    make_solid(rig, &plane);
    touch(rig);
    ck_assert_int_eq(rig->list.count, 0);
    end_rig(rig);
}

// The nearest distance by trying all triangles of a mesh, squared.
static double tried_square(const fil_mesh *mesh, const double x[3])
{
    double best = HUGE_VAL;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double corner[3][3], weight[3];
        for (int c = 0; c < 3; ++c)
            memcpy(corner[c], mesh->position + 3 * (int64_t)mesh->triangle[3 * t + c], sizeof corner[c]);
        best = fmin(best, fil_triangle_nearest(corner, x, weight));
    }
    return best;
}

// Inside by counting how often a ray leaves and enters.
static bool ray_says_inside(const fil_mesh *mesh, const double x[3])
{
    const double way[3] = {0.267, 0.534, 0.802};
    int wind = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double e[2][3], from[3], p[3], q[3];
        const double *a = mesh->position + 3 * (int64_t)mesh->triangle[3 * t];
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 2; ++i)
                e[i][k] = mesh->position[3 * (int64_t)mesh->triangle[3 * t + 1 + i] + k] - a[k];
            from[k] = x[k] - a[k];
        }
        fil_vec3_cross(way, e[1], p);
        fil_vec3_cross(from, e[0], q);
        double det = fil_vec3_dot(e[0], p), u = fil_vec3_dot(from, p) / det, v = fil_vec3_dot(way, q) / det;
        if (det != 0 && u >= 0 && v >= 0 && u + v <= 1 && fil_vec3_dot(e[1], q) / det > 0)
            wind += det > 0 ? -1 : 1;
    }
    return wind != 0;
}

TEST(solid_of_a_real_body)
{
    rig *rig = make_rig();
    fil_mesh *mesh;
    test_ok(rig->context, fil_mesh_read(rig->context, test_data("grooms/ds_body_scaled.obj"), 0.01, &mesh));
    const fil_solid *solid = make_mesh_solid(rig, mesh);
    ck_assert(solid->mesh->closed);
    fil_solid_surface surface;
    test_ok(rig->context, fil_solid_mesh_pose(rig->arena, solid, 0, 0, &surface));
    fil_rng rng = fil_rng_make(8);
    int inside = 0, differ = 0;
    enum { POINTS = 300 };
    for (int i = 0; i < POINTS; ++i) {
        // Around the head.
        const double x[3] = {fil_rng_uniform(&rng, -0.1, 0.1), fil_rng_uniform(&rng, -0.1, 0.15),
                             fil_rng_uniform(&rng, -0.1, 0.2)};
        double found = fil_solid_mesh_ask_distance(&surface, x, HUGE_VAL);
        test_near(found * found, tried_square(mesh, x), 1e-12);
        inside += found < 0;
        differ += (found < 0) != ray_says_inside(mesh, x);
    }
    ck_assert_int_gt(inside, POINTS / 20);
    ck_assert_int_lt(inside, POINTS);
    ck_assert_int_eq(differ, 0);
    fil_mesh_destroy(mesh);
    end_rig(rig);
}

// ---- the outside world

static void expect(rig *rig, const fil_obstacle *obstacle, const char *sentence)
{
    fil_solid *solid;
    test_fails(rig->context, fil_solid_create(rig->context, rig->arena, obstacle, "obstacles[2] (head)", &solid),
               FIL_BAD_INPUT, sentence);
    ck_assert_ptr_null(solid);
}

TEST(solid_refuses_bad_obstacles)
{
    rig *rig = make_rig();
    fil_obstacle bad = make_obstacle((fil_obstacle_shape)17, 1, 1, 1);
    expect(rig, &bad, "obstacles[2] (head): there is no shape 17");
    bad = make_obstacle(FIL_OBSTACLE_SPHERE, -1, 0, 0);
    expect(rig, &bad, "obstacles[2] (head): the radius must be a finite number > 0 (got -1)");
    bad = make_obstacle(FIL_OBSTACLE_CAPSULE, 1, NAN, 0);
    expect(rig, &bad, "obstacles[2] (head): the length must be a finite number > 0 (got nan)");
    bad = make_obstacle(FIL_OBSTACLE_BOX, 1, 1, INFINITY);
    expect(rig, &bad, "obstacles[2] (head): the half width along z must be a finite number > 0 (got inf)");
    bad = make_obstacle(FIL_OBSTACLE_MESH, 0, 0, 0);
    bad.mesh = NULL;
    expect(rig, &bad, "obstacles[2] (head): there is no mesh");
    fil_mesh *sheet = make_sheet(rig->context);
    bad.mesh = sheet;
    sheet->triangle[4] = 4;
    expect(rig, &bad, "obstacles[2] (head): triangle 1 names vertex 4, but there are 4");
    sheet->triangle[4] = 3;
    double times[2] = {1, 1}, poses[24] = {0};
    bad.pose_count = 2;
    expect(rig, &bad, "obstacles[2] (head): poses need times and positions");
    bad.pose_time = times;
    bad.pose_position = poses;
    expect(rig, &bad, "obstacles[2] (head): times of poses must be finite and ascend (got 1 at 1)");
    times[1] = 2;
    poses[23] = NAN;
    expect(rig, &bad, "obstacles[2] (head): vertex of the poses 7 is not finite");
    bad.pose_count = 0;
    sheet->position[5] = INFINITY;
    expect(rig, &bad, "obstacles[2] (head): vertex 1 is not finite");
    // All at one place, then none at all.
    memset(sheet->position, 0, 12 * sizeof(double));
    expect(rig, &bad, "obstacles[2] (head): no triangle of the mesh has an area");
    sheet->triangle_count = 0;
    expect(rig, &bad, "obstacles[2] (head): the mesh has no triangles");
    fil_mesh_destroy(sheet);
    end_rig(rig);
}

TEST(solid_hash_tells_solids_apart)
{
    rig *rig = make_rig();
    fil_mesh *ball = make_ball(rig->context, 1, 8, false);
    uint64_t seen[9];
    for (int i = 0; i < 9; ++i) {
        fil_obstacle obstacle = make_obstacle((fil_obstacle_shape)(i % 6), i < 6 ? 1 : 2, 1, 1);
        obstacle.mesh = ball;
        if (i >= 6)
            obstacle.shape = i == 6 ? FIL_OBSTACLE_SPHERE : FIL_OBSTACLE_MESH;
        if (i >= 7)
            ball->position[20] += 0.01;
        seen[i] = fil_solid_hash(make_solid(rig, &obstacle), 5);
        ck_assert_uint_eq(seen[i], fil_solid_hash(make_solid(rig, &obstacle), 5));
        for (int k = 0; k < i; ++k)
            ck_assert_uint_ne(seen[i], seen[k]);
    }
    fil_mesh_destroy(ball);
    end_rig(rig);
}

static fil_status create_and_touch(fil_context *context, void *data)
{
    fil_obstacle *obstacle = data;
    fil_solid *solid;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    const double x[6] = {0, 1.01, 0, 0, 1.1, 0}, radius[2] = {0.01, 0.01};
    const int first[2] = {0, 2}, strand[2] = {0, 0};
    const fil_touch_strands strands = {1, 2,    first, strand, (const unsigned char *)"\0", radius, radius, x,
                                       x, NULL, NULL,  0};
    fil_status status = fil_solid_create(context, arena, obstacle, "body", &solid);
    if (status == FIL_OK) {
        fil_solid_motion body = still(solid, 0, 0, 0);
        fil_touch_list list;
        body.time_to = 0.5;
        status = fil_solid_touch(context, arena, &strands, &body, 1, 0.01, NULL, &list, NULL);
    }
    fil_arena_destroy(arena);
    return status;
}

TEST(solid_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    fil_mesh *ball = make_ball(context, 1, 8, false);
    fil_obstacle obstacle = make_obstacle(FIL_OBSTACLE_MESH, 0, 0, 0);
    obstacle.mesh = ball;
    test_failing_allocation(create_and_touch, &obstacle);
    const double time[1] = {0};
    obstacle.pose_count = 1;
    obstacle.pose_time = time;
    obstacle.pose_position = ball->position;
    test_failing_allocation(create_and_touch, &obstacle);
    fil_mesh_destroy(ball);
    fil_context_destroy(context);
}
