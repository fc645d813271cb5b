// Round bodies look round: the normals at the corners of triangles, from which picture_shade.c takes the one of a
// point.
//
// A corner takes the mean of the triangles around its vertex, weighted by area, but only of those that turn away from
// its own by less than 40 degrees: edges that are meant to be sharp stay sharp.
#include "render/picture_part.h"

static const float round_enough = 0.766f; // cosine of 40 degrees

static fil_f3 vertex_at(const fil_picture_mesh *mesh, int64_t corner)
{
    return fil_f3_make(mesh->position + 3 * (int64_t)mesh->triangle[corner]);
}

// Which triangles are around each vertex: those of vertex v are around[start[v]] and on.
typedef struct fans {
    int *start, *around;
} fans;

static fil_status find_fans(fil_arena *arena, const fil_picture_mesh *mesh, fans *out)
{
    int64_t corners = 3 * (int64_t)mesh->triangle_count;
    out->start = FIL_ARENA_ARRAY(arena, int, (int64_t)mesh->vertex_count + 2);
    out->around = FIL_ARENA_ARRAY(arena, int, corners);
    if (!out->start || !out->around)
        return FIL_NO_MEMORY;
    // Counted two places ahead: after the second loop start[v + 1] has moved on to where it belongs.
    for (int64_t i = 0; i < corners; ++i)
        ++out->start[mesh->triangle[i] + 2];
    for (int v = 2; v <= mesh->vertex_count; ++v)
        out->start[v] += out->start[v - 1];
    for (int64_t i = 0; i < corners; ++i)
        out->around[out->start[mesh->triangle[i] + 1]++] = (int)(i / 3);
    return FIL_OK;
}

fil_status fil_picture_mesh_normals(fil_arena *arena, const fil_picture_mesh *mesh, fil_f3 **out)
{
    int64_t triangles = mesh->triangle_count;
    fil_f3 *face = FIL_ARENA_ARRAY(arena, fil_f3, triangles), zero = {0, 0, 0}; // twice the area long
    fil_f3 *corner = *out = FIL_ARENA_ARRAY(arena, fil_f3, 3 * triangles);
    fans fan;
    if (!face || !corner || find_fans(arena, mesh, &fan) != FIL_OK)
        return FIL_NO_MEMORY;
    for (int64_t t = 0; t < triangles; ++t) {
        fil_f3 a = vertex_at(mesh, 3 * t);
        face[t] = fil_f3_cross(fil_f3_sub(vertex_at(mesh, 3 * t + 1), a), fil_f3_sub(vertex_at(mesh, 3 * t + 2), a));
    }
    for (int64_t i = 0; i < 3 * triangles; ++i) {
        fil_f3 own = fil_f3_unit(face[i / 3], zero);
        for (int k = fan.start[mesh->triangle[i]]; k < fan.start[mesh->triangle[i] + 1]; ++k) {
            fil_f3 other = face[fan.around[k]];
            if (fil_f3_dot(own, fil_f3_unit(other, zero)) >= round_enough)
                corner[i] = fil_f3_add(corner[i], other);
        }
        corner[i] = fil_f3_unit(corner[i], own);
    }
    return FIL_OK;
}
