// Obstacles: what they may be, and what tells them apart. Shapes are in solid_shape.c, meshes in solid_mesh.c; how
// strands touch them in solid_touch.c.
#include "base/hash.h"
#include "collide/solid_part.h"

#include <math.h>

typedef struct shape_size {
    int count;
    const char *name[3];
} shape_size;

static const shape_size SIZES[FIL_OBSTACLE_SHAPES] = {
    [FIL_OBSTACLE_SPHERE] = {1, {"radius"}},
    [FIL_OBSTACLE_CAPSULE] = {2, {"radius", "length"}},
    [FIL_OBSTACLE_CYLINDER] = {2, {"radius", "length"}},
    [FIL_OBSTACLE_BOX] = {3, {"half width along x", "half width along y", "half width along z"}},
};

static fil_status check_sizes(fil_context *context, const fil_obstacle *obstacle, const char *place)
{
    for (int k = 0; k < SIZES[obstacle->shape].count; ++k)
        if (!(obstacle->size[k] > 0) || !isfinite(obstacle->size[k]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: the %s must be a finite number > 0 (got %g)", place,
                                    SIZES[obstacle->shape].name[k], obstacle->size[k]);
    return FIL_OK;
}

static fil_status check_positions(fil_context *context, const double *x, int64_t count, const char *place,
                                  const char *what)
{
    for (int64_t i = 0; i < 3 * count; ++i)
        if (!isfinite(x[i]))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: %s %lld is not finite", place, what,
                                    (long long)(i / 3));
    return FIL_OK;
}

static fil_status check_poses(fil_context *context, const fil_obstacle *obstacle, const char *place)
{
    if (obstacle->pose_count < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: the number of poses must be 0 or more (got %d)", place,
                                obstacle->pose_count);
    if (obstacle->pose_count > 0 && (!obstacle->pose_time || !obstacle->pose_position))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: poses need times and positions", place);
    for (int i = 0; i < obstacle->pose_count; ++i) {
        double time = obstacle->pose_time[i];
        if (!isfinite(time) || (i > 0 && !(time > obstacle->pose_time[i - 1])))
            return fil_context_fail(context, FIL_BAD_INPUT,
                                    "%s: times of poses must be finite and ascend (got %g at %d)", place, time, i);
    }
    return check_positions(context, obstacle->pose_position,
                           (int64_t)obstacle->pose_count * obstacle->mesh->vertex_count, place, "vertex of the poses");
}

static fil_status check_mesh(fil_context *context, const fil_obstacle *obstacle, const char *place)
{
    const fil_mesh *mesh = obstacle->mesh;
    if (!mesh)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: there is no mesh", place);
    if (mesh->triangle_count < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: the mesh has no triangles", place);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->vertex_count)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: triangle %lld names vertex %d, but there are %d",
                                    place, (long long)(i / 3), mesh->triangle[i], mesh->vertex_count);
    fil_status status = check_positions(context, mesh->position, mesh->vertex_count, place, "vertex");
    return status == FIL_OK ? check_poses(context, obstacle, place) : status;
}

// A plane reaches everywhere; a mesh is all its poses.
static fil_bvh_box box_of(const fil_solid *solid)
{
    fil_bvh_box box = fil_bvh_box_empty();
    if (solid->mesh) {
        for (int64_t i = 0; i < (int64_t)solid->mesh->pose_count * solid->mesh->vertex_count; ++i)
            fil_bvh_box_add(&box, solid->mesh->position + 3 * i);
        return box;
    }
    bool along = solid->shape == FIL_OBSTACLE_CAPSULE || solid->shape == FIL_OBSTACLE_CYLINDER;
    for (int k = 0; k < 3; ++k) {
        double half = solid->shape == FIL_OBSTACLE_BOX ? solid->size[k] : solid->size[0];
        if (along && k == 1)
            half = 0.5 * solid->size[1] + (solid->shape == FIL_OBSTACLE_CAPSULE ? solid->size[0] : 0);
        if (solid->shape == FIL_OBSTACLE_PLANE)
            half = HUGE_VAL;
        box.low[k] = -half;
        box.high[k] = half;
    }
    return box;
}

fil_status fil_solid_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle, const char *place,
                            fil_solid **out)
{
    *out = NULL;
    if ((unsigned)obstacle->shape >= FIL_OBSTACLE_SHAPES)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: there is no shape %d", place, (int)obstacle->shape);
    bool is_mesh = obstacle->shape == FIL_OBSTACLE_MESH;
    fil_status status = is_mesh ? check_mesh(context, obstacle, place) : check_sizes(context, obstacle, place);
    if (status != FIL_OK)
        return status;
    fil_solid *solid = FIL_ARENA_ARRAY(arena, fil_solid, 1);
    if (!solid)
        return FIL_NO_MEMORY;
    solid->shape = obstacle->shape;
    for (int k = 0; k < SIZES[solid->shape].count; ++k)
        solid->size[k] = obstacle->size[k];
    if (is_mesh) {
        status = fil_solid_mesh_create(context, arena, obstacle, &solid->mesh);
        if (status != FIL_OK)
            return status;
        if (!solid->mesh)
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: no triangle of the mesh has an area", place);
    }
    solid->box = box_of(solid);
    *out = solid;
    return FIL_OK;
}

fil_obstacle_shape fil_solid_shape_of(const fil_solid *solid, const double **size)
{
    *size = solid->size;
    return solid->shape;
}

uint64_t fil_solid_hash(const fil_solid *solid, uint64_t hash)
{
    int shape = (int)solid->shape;
    hash = fil_hash_bytes(hash, &shape, sizeof shape);
    hash = fil_hash_bytes(hash, solid->size, sizeof solid->size);
    const fil_solid_mesh *mesh = solid->mesh;
    if (!mesh)
        return hash;
    size_t poses = (size_t)mesh->pose_count;
    hash = fil_hash_bytes(hash, mesh->triangle, sizeof(int) * 3 * (size_t)mesh->triangle_count);
    hash = fil_hash_bytes(hash, mesh->pose_time, sizeof(double) * poses);
    return fil_hash_bytes(hash, mesh->position, sizeof(double) * 3 * poses * (size_t)mesh->vertex_count);
}
