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
    fil_audit_solid *solid;
} rig;

// A body of this shape.
static rig make(const char *shape)
{
    char scene[400];
    rig self = {.context = fil_context_create(NULL)};
    self.arena = fil_arena_create(self.context);
    snprintf(scene, sizeof scene, "{'groups': [{}], 'bodies': [{'shape': %s}]}", shape);
    self.film = film_of(self.context, scene);
    test_ok(self.context,
            fil_audit_inside_create(self.context, self.arena, self.film->bodies[0].mesh, &self.left_out, &self.solid));
    return self;
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

TEST(audit_inside_all_shapes_are_closed)
{
    static const char *const shapes[] = {"'sphere'", "'ellipsoid'", "'box'", "'cylinder'", "'capsule'"};
    static const double middle[3] = {1e-3, 1e-3, 1e-3}, outside[3] = {0.5, 0, 0}, bad[3] = {NAN, 0, INFINITY};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        rig rig = make(shapes[i]);
        ck_assert_msg(!rig.left_out, "%s %s", shapes[i], rig.left_out);
        ck_assert(fil_audit_inside_depth(rig.solid, middle) > 0.05);
        ck_assert(fil_audit_inside_depth(rig.solid, outside) == 0);
        ck_assert(fil_audit_inside_depth(rig.solid, bad) == 0);
        end(&rig);
    }
}

// The film of a box, and a box far from zero or turned, and thus with other roundings.
TEST(audit_inside_far_and_turned)
{
    char scene[300];
    for (int i = 0; i < 60; ++i) {
        fil_context *context = fil_context_create(NULL);
        fil_arena *arena = fil_arena_create(context);
        snprintf(scene, sizeof scene,
                 "{'groups': [{}], 'bodies': [{'shape': 'box:width=0.1,height=0.1,depth=0.1',"
                 " 'place': {'position': [%d, 50, -7], 'turn': [%d, %d, 0]}}]}",
                 i % 2 ? 1000 : 0, 6 * i, 5 * i);
        fil_film *film = film_of(context, scene);
        const char *left_out;
        fil_audit_solid *solid;
        test_ok(context, fil_audit_inside_create(context, arena, film->bodies[0].mesh, &left_out, &solid));
        ck_assert_ptr_null(left_out);
        fil_rng rng = fil_rng_make((uint64_t)i);
        for (int n = 0; n < 300; ++n) {
            double way[3], length = 0, p[3] = {i % 2 ? 1000 : 0, 50, -7};
            for (int k = 0; k < 3; ++k) {
                way[k] = fil_rng_normal(&rng);
                length += way[k] * way[k];
            }
            double radius = n % 2 ? 0.0999 : 0.1733; // of the balls within and around the box
            for (int k = 0; k < 3; ++k)
                p[k] += way[k] / sqrt(length) * radius;
            ck_assert((fil_audit_inside_depth(solid, p) > 0) == (n % 2 == 1));
        }
        fil_film_destroy(film);
        fil_arena_destroy(arena);
        fil_context_destroy(context);
    }
}

// An open tent, a tetrahedron with one side turned over, a doubled triangle, nothing.
TEST(audit_inside_tells_what_has_none)
{
    static double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static int closed[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, turned[] = {0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3},
               sheet[] = {0, 1, 2, 0, 2, 1};
    const struct {
        int *triangle, count;
        const char *reason;
    } cases[] = {{closed, 4, NULL},
                 {closed, 3, "is not closed"},
                 {turned, 4, "is not closed"},
                 {sheet, 2, "is not closed"},
                 {closed, 0, "has no triangles"}};
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_audit_solid *solid;
    const char *reason;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        fil_mesh mesh = {cases[i].triangle == sheet ? 3 : 4, cases[i].count, places, cases[i].triangle, NULL};
        test_ok(context, fil_audit_inside_create(context, arena, &mesh, &reason, &solid));
        ck_assert((solid == NULL) == (cases[i].reason != NULL));
        ck_assert_pstr_eq(reason, cases[i].reason);
    }
    test_ok(context, fil_audit_inside_create(context, arena, NULL, &reason, &solid));
    ck_assert_str_eq(reason, "has no triangles");
    double broken[12];
    memcpy(broken, places, sizeof broken);
    broken[4] = NAN;
    fil_mesh mesh = {4, 4, broken, closed, NULL};
    test_ok(context, fil_audit_inside_create(context, arena, &mesh, &reason, &solid));
    ck_assert_str_eq(reason, "has corners that are not finite");
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

static fil_status work(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    const char *reason;
    fil_audit_solid *solid;
    fil_status status = arena ? fil_audit_inside_create(context, arena, data, &reason, &solid) : FIL_NO_MEMORY;
    fil_arena_destroy(arena);
    return status;
}

TEST(audit_inside_survives_failing_allocation)
{
    rig rig = make("'sphere'");
    test_failing_allocation(work, (void *)rig.film->bodies[0].mesh);
    end(&rig);
}
