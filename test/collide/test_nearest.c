// The nearest point of a mesh: against trying every triangle finely, on meshes of every kind.
#include "base/rng.h"
#include "collide/nearest.h"
#include "failing_allocator.h"
#include "math/mat3.h"
#include "test.h"

// Triangles anywhere; every fourth one is flat: a segment, or a point.
static fil_mesh *random_mesh(fil_context *context, int triangles)
{
    fil_mesh *mesh;
    if (fil_mesh_create(context, 3 * triangles, triangles, &mesh) != FIL_OK)
        return NULL;
    fil_rng rng = fil_rng_make((uint64_t)triangles);
    for (int i = 0; i < 9 * triangles; ++i)
        mesh->position[i] = fil_rng_uniform(&rng, -1, 1);
    for (int i = 0; i < 3 * triangles; ++i)
        mesh->triangle[i] = i;
    for (int i = 0; i < triangles; i += 4)
        mesh->triangle[3 * i + 1] = mesh->triangle[3 * i];
    for (int i = 0; i < triangles; i += 12)
        mesh->triangle[3 * i + 2] = mesh->triangle[3 * i];
    return mesh;
}

// The smallest distance to points at equal steps on every triangle: an upper bound, and near to the truth.
static double tried_distance(const fil_mesh *mesh, const double x[3])
{
    enum { STEPS = 60 };
    double best = HUGE_VAL;
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int i = 0; i <= STEPS; ++i)
            for (int j = 0; i + j <= STEPS; ++j) {
                const double weight[3] = {(double)i / STEPS, (double)j / STEPS, (double)(STEPS - i - j) / STEPS};
                double d[3] = {-x[0], -x[1], -x[2]};
                for (int c = 0; c < 3; ++c)
                    for (int k = 0; k < 3; ++k)
                        d[k] += weight[c] * mesh->position[3 * mesh->triangle[3 * t + c] + k];
                best = fmin(best, fil_vec3_norm(d));
            }
    return best;
}

TEST(nearest_point_is_the_nearest)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(7);
    for (int triangles = 1; triangles < 80; triangles = 2 * triangles + 1) {
        fil_mesh *mesh = random_mesh(context, triangles);
        fil_nearest *nearest = fil_nearest_create(mesh->arena, mesh);
        ck_assert(nearest != NULL);
        for (int i = 0; i < 20; ++i) {
            const double x[3] = {fil_rng_uniform(&rng, -2, 2), fil_rng_uniform(&rng, -2, 2),
                                 fil_rng_uniform(&rng, -2, 2)};
            fil_nearest_point point;
            ck_assert(fil_nearest_find(nearest, x, 100, &point));
            double tried = tried_distance(mesh, x);
            ck_assert_double_le(point.distance, tried + 1e-12);
            ck_assert_double_ge(point.distance, tried - 0.06);
            // The point is where it says, and on its triangle.
            const double d[3] = {point.x[0] - x[0], point.x[1] - x[1], point.x[2] - x[2]};
            test_near(fil_vec3_norm(d), point.distance, 1e-12);
            test_near(point.weight[0] + point.weight[1] + point.weight[2], 1, 1e-12);
            for (int c = 0; c < 3; ++c)
                ck_assert_double_ge(point.weight[c], 0);
            ck_assert(!fil_nearest_find(nearest, x, 0.99 * point.distance, &point));
        }
        fil_mesh_destroy(mesh);
    }
    fil_context_destroy(context);
}

static fil_status build(fil_context *context, void *data)
{
    (void)data;
    fil_mesh *mesh = random_mesh(context, 50);
    fil_status status = mesh && fil_nearest_create(mesh->arena, mesh) ? FIL_OK : FIL_NO_MEMORY;
    fil_mesh_destroy(mesh);
    return status;
}

TEST(nearest_survives_failing_allocation)
{
    test_failing_allocation(build, NULL);
}
