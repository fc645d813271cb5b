// Places inside meshes: balls and boxes whose inside is known, ties, and meshes without an inside.
#include "test.h"

#include "base/rng.h"
#include "failing_allocator.h"
#include "scene/films.h"
#include "validate/audit_inside.h"
#include "validate/audit_tree.h"

#include <stdio.h>
#include <string.h>

typedef struct rig {
    fil_context *context;
    fil_arena *arena;
    fil_film *film;
    const char *left_out;
    fil_obstacle *mesh;
    fil_audit_solid *solid, *formula;
} rig;

static fil_audit_solid *solid_of(rig *self, const fil_obstacle *obstacle, double time)
{
    fil_audit_solid *solid;
    test_ok(self->context,
            fil_audit_inside_create(self->context, self->arena, obstacle, time, &self->left_out, &solid));
    return solid;
}

// A body that a scene tells, by formula and as the triangles that are drawn.
static rig make_body(const char *body)
{
    char scene[400];
    rig self = {.context = fil_context_create(NULL)};
    self.arena = fil_arena_create(self.context);
    snprintf(scene, sizeof scene, "{'groups': [{}], 'bodies': [%s]}", body);
    self.film = film_of(self.context, scene);
    self.formula = solid_of(&self, &self.film->scene.obstacles[0], 0);
    ck_assert_ptr_nonnull(self.formula);
    self.mesh = FIL_ARENA_ARRAY(self.arena, fil_obstacle, 1);
    *self.mesh = fil_obstacle_default();
    self.mesh->shape = FIL_OBSTACLE_MESH;
    self.mesh->mesh = self.film->bodies[0].mesh;
    self.solid = solid_of(&self, self.mesh, 0);
    return self;
}

static rig make(const char *shape)
{
    char body[300];
    snprintf(body, sizeof body, "{'shape': %s}", shape);
    return make_body(body);
}

static void end(rig *self)
{
    fil_film_destroy(self->film);
    fil_arena_destroy(self->arena);
    fil_context_destroy(self->context);
}

TEST(audit_inside_box)
{
    rig rig = make("{'type': 'box', 'width': 0.1, 'height': 0.2, 'depth': 0.3}");
    ck_assert_ptr_null(rig.left_out);
    fil_rng rng = fil_rng_make(1);
    for (int i = 0; i < 20000; ++i) {
        double p[3] = {fil_rng_uniform(&rng, -0.15, 0.15), fil_rng_uniform(&rng, -0.3, 0.3),
                       fil_rng_uniform(&rng, -0.4, 0.4)};
        double depth = fmin(0.1 - fabs(p[0]), fmin(0.2 - fabs(p[1]), 0.3 - fabs(p[2])));
        double got = fil_audit_inside_depth(rig.solid, p);
        ck_assert_msg(fabs(got - fmax(depth, 0)) < 1e-8, "(%g, %g, %g): %g instead of %g", p[0], p[1], p[2], got,
                      depth);
    }
    // On a grid that hits edges, corners and diagonals of the mesh exactly.
    for (int i = 0; i < 9 * 9 * 9; ++i) {
        double p[3] = {0.025 * (i % 9 - 4), 0.05 * (i / 9 % 9 - 4), 0.075 * (i / 81 - 4)};
        double depth = fmin(0.1 - fabs(p[0]), fmin(0.2 - fabs(p[1]), 0.3 - fabs(p[2])));
        ck_assert(fabs(fil_audit_inside_depth(rig.solid, p) - fmax(depth, 0)) < 1e-8);
    }
    end(&rig);
}

TEST(audit_inside_sphere)
{
    rig rig = make("'sphere:radius=0.2'");
    ck_assert_ptr_null(rig.left_out);
    fil_rng rng = fil_rng_make(2);
    for (int i = 0; i < 20000; ++i) {
        double p[3], way[3], length = 0, radius = fil_rng_uniform(&rng, 0, 0.3);
        for (int k = 0; k < 3; ++k) {
            way[k] = fil_rng_normal(&rng);
            length += way[k] * way[k];
        }
        for (int k = 0; k < 3; ++k)
            p[k] = way[k] * radius / sqrt(length);
        // The mesh lies between the ball and a slightly smaller one.
        double depth = fil_audit_inside_depth(rig.solid, p);
        ck_assert_msg(depth <= fmax(0.2 - radius, 0) + 1e-8, "%g too deep", depth);
        ck_assert_msg(depth >= fmax(0.198 - radius, 0), "%g not deep enough at radius %g", depth, radius);
    }
    // Straight below and above every corner of the mesh.
    const fil_mesh *mesh = rig.film->bodies[0].mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->position + 3 * v;
        double inside[3] = {x[0], 0.9 * x[1], x[2]}, above[3] = {x[0], 0.21, x[2]}, below[3] = {x[0], -0.21, x[2]};
        ck_assert(fabs(x[1]) < 0.01 || fil_audit_inside_depth(rig.solid, inside) > 0);
        ck_assert(fil_audit_inside_depth(rig.solid, above) == 0);
        ck_assert(fil_audit_inside_depth(rig.solid, below) == 0);
    }
    end(&rig);
}

// Formulas and triangles agree, as well as triangles are round; also far away and turned.
TEST(audit_inside_formulas_and_meshes_agree)
{
    static const char *const shapes[] = {"sphere:radius=0.1", "ellipsoid:width=0.1,height=0.1,depth=0.1",
                                         "box:width=0.1,height=0.08,depth=0.06", "cylinder:radius=0.1,length=0.2",
                                         "capsule:radius=0.08,length=0.1"};
    static const double bad[3] = {NAN, 0, INFINITY};
    for (int i = 0; i < 40; ++i) {
        char body[300];
        const char *shape = shapes[i % 5];
        double from[3] = {i / 5 % 2 ? 1000 : 0, 50, -7};
        snprintf(body, sizeof body, "{'shape': '%s', 'place': {'position': [%g, 50, -7], 'turn': [%d, %d, 0]}}", shape,
                 from[0], 6 * i, 5 * i);
        rig rig = make_body(body);
        ck_assert_msg(!rig.left_out, "%s %s", shape, rig.left_out);
        fil_rng rng = fil_rng_make((uint64_t)i);
        int inside = 0;
        for (int n = 0; n < 2000; ++n) {
            double p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = from[k] + fil_rng_uniform(&rng, -0.15, 0.15);
            double formula = fil_audit_inside_depth(rig.formula, p), mesh = fil_audit_inside_depth(rig.solid, p);
            ck_assert_msg(fabs(formula - mesh) < 0.0012, "%s: depth %g, of its mesh %g", shape, formula, mesh);
            inside += mesh > 0;
        }
        ck_assert(inside > 100 && inside < 1900);
        ck_assert(fil_audit_inside_depth(rig.solid, bad) == 0 && fil_audit_inside_depth(rig.formula, bad) == 0);
        end(&rig);
    }
}

TEST(audit_inside_plane)
{
    rig rig = make_body("{'shape': 'plane', 'place': {'position': [0, 2, 0], 'turn': [0, 0, 90]}}"); // faces -x
    test_near(fil_audit_inside_depth(rig.formula, (const double[3]){3, 7, -9}), 3, 1e-12);
    ck_assert(fil_audit_inside_depth(rig.formula, (const double[3]){-1, 7, 9}) == 0);
    ck_assert_str_eq(rig.left_out, "is not closed"); // its triangles alone
    end(&rig);
}

// A box that grows to twice its size in a second.
TEST(audit_inside_changing_shape)
{
    static const double times[] = {0, 1};
    rig rig = make("'box:width=0.1,height=0.1,depth=0.1'");
    const fil_mesh *mesh = rig.film->bodies[0].mesh;
    int size = 3 * mesh->vertex_count;
    double *poses = FIL_ARENA_ARRAY(rig.arena, double, 2 * size);
    for (int i = 0; i < 2 * size; ++i)
        poses[i] = mesh->position[i % size] * (i < size ? 1 : 2);
    rig.mesh->pose_count = 2;
    rig.mesh->pose_time = times;
    rig.mesh->pose_position = poses;
    const struct {
        double time, half;
    } cases[] = {{-1, 0.1}, {0, 0.1}, {0.5, 0.15}, {1, 0.2}, {9, 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        fil_audit_solid *solid = solid_of(&rig, rig.mesh, cases[i].time);
        test_near(fil_audit_inside_depth(solid, (const double[3]){0.09, 0.01, 0}), cases[i].half - 0.09, 1e-12);
    }
    end(&rig);
}

// An open tent, a tetrahedron with one side turned over, a doubled triangle, nothing, a corner that is no number.
TEST(audit_inside_tells_what_has_none)
{
    static double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, broken[] = {0, 0, 0, 1, NAN, 0, 0, 1, 0, 0, 0, 1};
    static int closed[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, turned[] = {0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3},
               sheet[] = {0, 1, 2, 0, 2, 1};
    const struct {
        fil_mesh mesh;
        const char *reason;
    } cases[] = {{{4, 4, places, closed, NULL}, NULL},
                 {{4, 3, places, closed, NULL}, "is not closed"},
                 {{4, 4, places, turned, NULL}, "is not closed"},
                 {{3, 2, places, sheet, NULL}, "is not closed"},
                 {{4, 0, places, closed, NULL}, "has no triangles"},
                 {{4, 4, broken, closed, NULL}, "has corners that are not finite"}};
    rig rig = make("'box'");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        rig.mesh->mesh = &cases[i].mesh;
        fil_audit_solid *solid = solid_of(&rig, rig.mesh, 0);
        ck_assert((solid == NULL) == (cases[i].reason != NULL));
        ck_assert_pstr_eq(rig.left_out, cases[i].reason);
    }
    end(&rig);
}

static fil_status work(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    const char *reason;
    fil_audit_solid *solid;
    fil_status status = arena ? fil_audit_inside_create(context, arena, data, 0, &reason, &solid) : FIL_NO_MEMORY;
    fil_arena_destroy(arena);
    return status;
}

TEST(audit_inside_survives_failing_allocation)
{
    rig rig = make("'sphere'");
    test_failing_allocation(work, rig.mesh);
    end(&rig);
}
