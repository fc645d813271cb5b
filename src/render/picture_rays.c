// Rays through Embree 3: which hair or mesh does a ray meet first, is there something between two points.
//
// Hairs are one geometry of flat Catmull-Rom cubics that face the ray, which is what a hair of a pixel or two looks
// like; far fewer pieces are to be built than with straight ones. Meshes are also in a scene of their own, because the
// shadow of hair comes from picture_depth.c.
//
// The same bits on any number of threads: the shape of Embree's tree may depend on who built it, so what a ray meets
// must not depend on the tree. The flag `robust` sees to it: no box is missed by rounding, and the first hit is the
// least of distances that each curve computes alone. Limit: of two hits at exactly the same distance either may win.
#include "render/picture_part.h"

#ifdef FIL_HAVE_EMBREE

#include <embree3/rtcore.h>
#include <stdio.h>

enum { HAIR_GEOMETRY = 0 }; // mesh k is geometry k + 1 in both scenes

struct fil_rays {
    RTCDevice device;
    RTCScene all, solid;
};

static RTCGeometry make_hair_geometry(RTCDevice device, const fil_drawn *drawn)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_FLAT_CATMULL_ROM_CURVE);
    rtcSetGeometryTessellationRate(geometry, 7);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, drawn->point, 0, 16,
                               (size_t)drawn->point_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, drawn->segment, 0, 4,
                               (size_t)drawn->segment_count);
    rtcCommitGeometry(geometry);
    return geometry;
}

// NULL: no memory.
static RTCGeometry make_mesh_geometry(RTCDevice device, fil_arena *arena, const fil_picture_mesh *mesh)
{
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    float *position = FIL_ARENA_ARRAY(arena, float, 3 * vertices + 4); // Embree reads past the end
    unsigned int *corner = FIL_ARENA_ARRAY(arena, unsigned int, 3 * triangles + 4);
    if (!position || !corner)
        return NULL;
    for (size_t i = 0; i < 3 * vertices; ++i)
        position[i] = (float)mesh->position[i];
    for (size_t i = 0; i < 3 * triangles; ++i)
        corner[i] = (unsigned int)mesh->triangle[i];
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, position, 0, 12, vertices);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, corner, 0, 12, triangles);
    rtcCommitGeometry(geometry);
    return geometry;
}

static fil_status fill_scenes(fil_rays *rays, fil_arena *arena, const fil_picture *picture, const fil_drawn *drawn)
{
    if (drawn->segment_count > 0) {
        RTCGeometry hair = make_hair_geometry(rays->device, drawn);
        rtcAttachGeometryByID(rays->all, hair, HAIR_GEOMETRY);
        rtcReleaseGeometry(hair);
    }
    for (int k = 0; k < picture->mesh_count; ++k) {
        if (picture->meshes[k].triangle_count == 0)
            continue;
        RTCGeometry mesh = make_mesh_geometry(rays->device, arena, &picture->meshes[k]);
        if (!mesh)
            return FIL_NO_MEMORY;
        rtcAttachGeometryByID(rays->all, mesh, (unsigned)k + 1);
        rtcAttachGeometryByID(rays->solid, mesh, (unsigned)k + 1);
        rtcReleaseGeometry(mesh);
    }
    rtcCommitScene(rays->all);
    rtcCommitScene(rays->solid);
    return FIL_OK;
}

void fil_rays_destroy(fil_rays *rays)
{
    if (!rays)
        return;
    if (rays->all)
        rtcReleaseScene(rays->all);
    if (rays->solid)
        rtcReleaseScene(rays->solid);
    if (rays->device)
        rtcReleaseDevice(rays->device);
    rays->device = NULL;
}

fil_status fil_rays_create(fil_context *context, fil_arena *arena, const fil_picture *picture, const fil_drawn *drawn,
                           fil_rays **out)
{
    fil_rays *rays = FIL_ARENA_ARRAY(arena, fil_rays, 1);
    if (!rays)
        return FIL_NO_MEMORY;
    char settings[32];
    snprintf(settings, sizeof settings, "threads=%d", fil_context_threads(context));
    rays->device = rtcNewDevice(settings);
    if (!rays->device)
        return fil_context_fail(context, FIL_UNAVAILABLE, "picture: Embree cannot run on this machine");
    *out = rays;
    rays->all = rtcNewScene(rays->device);
    rays->solid = rtcNewScene(rays->device);
    rtcSetSceneFlags(rays->all, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneFlags(rays->solid, RTC_SCENE_FLAG_ROBUST);
    fil_status status = fill_scenes(rays, arena, picture, drawn);
    enum RTCError error = rtcGetDeviceError(rays->device);
    if (status != FIL_OK || error == RTC_ERROR_NONE)
        return status;
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return fil_context_fail(context, FIL_NO_MEMORY, "picture: no memory for %lld pieces of hair in Embree",
                                (long long)drawn->segment_count);
    return fil_context_fail(context, FIL_UNAVAILABLE, "picture: Embree failed (error %d)", (int)error);
}

static struct RTCRay make_ray(fil_f3 origin, fil_f3 way, float from, float to)
{
    return (struct RTCRay){.org_x = origin.x,
                           .org_y = origin.y,
                           .org_z = origin.z,
                           .dir_x = way.x,
                           .dir_y = way.y,
                           .dir_z = way.z,
                           .tnear = from,
                           .tfar = to,
                           .mask = ~0u};
}

fil_hit fil_rays_first(const fil_rays *rays, fil_f3 origin, fil_f3 way)
{
    struct RTCIntersectContext query;
    rtcInitIntersectContext(&query);
    struct RTCRayHit ray = {.ray = make_ray(origin, way, 0, INFINITY),
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    rtcIntersect1(rays->all, &query, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return (fil_hit){.kind = FIL_STRUCK_NOTHING, .distance = INFINITY};
    bool is_hair = ray.hit.geomID == HAIR_GEOMETRY;
    return (fil_hit){.kind = is_hair ? FIL_STRUCK_HAIR : FIL_STRUCK_MESH,
                     .mesh = (int)ray.hit.geomID - 1,
                     .segment = ray.hit.primID,
                     .distance = ray.ray.tfar,
                     .u = ray.hit.u,
                     .v = ray.hit.v,
                     .normal = {ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z}};
}

static bool between(RTCScene scene, fil_f3 origin, fil_f3 way, float from, float to)
{
    struct RTCIntersectContext query;
    rtcInitIntersectContext(&query);
    struct RTCRay ray = make_ray(origin, way, from, to);
    rtcOccluded1(scene, &query, &ray);
    return ray.tfar < 0;
}

bool fil_rays_mesh_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from)
{
    return between(rays->solid, origin, way, from, INFINITY);
}

bool fil_rays_hair_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from, float to)
{
    return between(rays->all, origin, way, from, to);
}

#else

fil_status fil_rays_create(fil_context *context, fil_arena *arena, const fil_picture *picture, const fil_drawn *drawn,
                           fil_rays **out)
{
    (void)arena, (void)picture, (void)drawn, (void)out;
    return fil_context_fail(context, FIL_UNAVAILABLE,
                            "picture: this build cannot trace rays (missing: apt install libembree-dev)");
}

void fil_rays_destroy(fil_rays *rays)
{
    (void)rays;
}

fil_hit fil_rays_first(const fil_rays *rays, fil_f3 origin, fil_f3 way)
{
    (void)rays, (void)origin, (void)way;
    return (fil_hit){.kind = FIL_STRUCK_NOTHING, .distance = INFINITY};
}

bool fil_rays_mesh_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from)
{
    (void)rays, (void)origin, (void)way, (void)from;
    return false;
}

bool fil_rays_hair_between(const fil_rays *rays, fil_f3 origin, fil_f3 way, float from, float to)
{
    (void)rays, (void)origin, (void)way, (void)from, (void)to;
    return false;
}

#endif
