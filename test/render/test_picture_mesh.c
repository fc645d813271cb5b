// Normals at the corners of triangles: round where a mesh is round, sharp at edges.
#include "render/picture_part.h"

#include "test.h"

static fil_f3 *normals(fil_context *context, fil_arena **arena, const fil_picture_mesh *mesh)
{
    fil_f3 *corner;
    *arena = fil_arena_create(context);
    test_ok(context, fil_picture_mesh_normals(*arena, mesh, &corner));
    return corner;
}

// A ball of rings and sectors: the normal at a vertex points away from the middle.
TEST(picture_mesh_of_a_ball_is_round)
{
    enum { RINGS = 12, SECTORS = 24, VERTICES = (RINGS + 1) * SECTORS, TRIANGLES = 2 * RINGS * SECTORS };
    double position[3 * VERTICES];
    int triangle[3 * TRIANGLES], count = 0;
    for (int i = 0; i <= RINGS; ++i)
        for (int j = 0; j < SECTORS; ++j) {
            double a = M_PI * (0.5 + i) / (RINGS + 1), b = 2 * M_PI * j / SECTORS,
                   *p = position + 3 * (i * SECTORS + j);
            p[0] = sin(a) * cos(b), p[1] = cos(a), p[2] = sin(a) * sin(b);
        }
    for (int i = 0; i < RINGS; ++i)
        for (int j = 0; j < SECTORS; ++j) {
            int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            int corners[6] = {a, b, a + SECTORS, b, b + SECTORS, a + SECTORS};
            for (int k = 0; k < 6; ++k)
                triangle[count++] = corners[k];
        }
    fil_picture_mesh mesh = {VERTICES, TRIANGLES, position, triangle, {0.5f, 0.5f, 0.5f}};
    fil_context_def def = fil_context_def_default();
    fil_context *context = fil_context_create(&def);
    fil_arena *arena;
    const fil_f3 *corner = normals(context, &arena, &mesh);
    for (int i = 0; i < 3 * TRIANGLES; ++i) {
        int ring = triangle[i] / SECTORS;
        if (ring > 1 && ring < RINGS - 1) // the rims are open
            ck_assert_float_gt(fabsf(fil_f3_dot(corner[i], fil_f3_make(position + 3 * triangle[i]))), 0.99f);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Two squares that meet at a right angle keep their own normals; a triangle without area does no harm.
TEST(picture_mesh_edges_stay_sharp)
{
    double position[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1};
    int triangle[15] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 3, 2, 2, 2};
    fil_picture_mesh mesh = {6, 5, position, triangle, {0.5f, 0.5f, 0.5f}};
    fil_context_def def = fil_context_def_default();
    fil_context *context = fil_context_create(&def);
    fil_arena *arena;
    const fil_f3 *corner = normals(context, &arena, &mesh);
    for (int i = 0; i < 6; ++i)
        ck_assert(fabsf(corner[i].z) > 0.999f && fabsf(corner[6 + i].x) > 0.999f);
    for (int i = 0; i < 15; ++i)
        ck_assert(isfinite(corner[i].x) && isfinite(corner[i].y) && isfinite(corner[i].z));
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}
