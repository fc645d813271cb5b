// Meshes of Wavefront .obj files: `v x y z` places and `f i j k ...` faces. A face with more than three corners is cut
// into a fan of triangles around its first corner. Lines, normals, texture coordinates and everything else are passed
// over. Triangles without area stay: they are part of the file, and whoever uses a mesh must bear them.
//
// Two passes over the bytes: the first counts, so that what a file can make us allocate is a small multiple of its
// length.
#include "io/mesh.h"

#include "base/file.h"
#include "io/obj.h"

#include <limits.h>
#include <math.h>
#include <string.h>

fil_status fil_mesh_create(fil_context *context, int vertex_count, int triangle_count, fil_mesh **out)
{
    FIL_ASSERT(vertex_count >= 0 && triangle_count >= 0);
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_mesh *mesh = FIL_ARENA_ARRAY(arena, fil_mesh, 1);
    if (mesh) {
        *mesh = (fil_mesh){.vertex_count = vertex_count, .triangle_count = triangle_count, .arena = arena};
        mesh->position = FIL_ARENA_ARRAY(arena, double, 3 * (int64_t)vertex_count);
        mesh->triangle = FIL_ARENA_ARRAY(arena, int, 3 * (int64_t)triangle_count);
    }
    if (!mesh || !mesh->position || !mesh->triangle) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    *out = mesh;
    return FIL_OK;
}

void fil_mesh_destroy(fil_mesh *mesh)
{
    if (mesh)
        fil_arena_destroy(mesh->arena);
}

static fil_status read_place(fil_obj *obj)
{
    char place[32];
    fil_status status = fil_obj_place(obj);
    const double *x = obj->places + 3 * (obj->places_seen - 1);
    for (int k = 0; status == FIL_OK && k < 3; ++k)
        if (!(fabs(x[k]) <= FIL_CURVES_FARTHEST))
            status = fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place),
                                    "a coordinate must be a finite number of at most 1e30 (got %g)", x[k]);
    return status;
}

static fil_status read_face(fil_obj *obj, fil_mesh *mesh)
{
    char place[32];
    int64_t corners = 0, first = 0, previous = 0, index;
    for (; !fil_obj_line_ends(obj); ++corners) {
        fil_status status = fil_obj_index(obj, "f", &index);
        if (status != FIL_OK)
            return status;
        if (corners == 0)
            first = index;
        if (corners >= 2) {
            int *triangle = mesh->triangle + 3 * (int64_t)mesh->triangle_count++;
            triangle[0] = (int)first;
            triangle[1] = (int)previous;
            triangle[2] = (int)index;
        }
        previous = index;
    }
    return corners >= 3 ? FIL_OK
                        : fil_curves_bad(obj->in, fil_curves_text_place(&obj->text, place),
                                         "`f` needs at least three indices (got %d)", (int)corners);
}

static fil_status read_all(const fil_curves_input *in, double unit, fil_mesh *mesh)
{
    fil_obj obj = fil_obj_open(in);
    obj.places = mesh->position;
    obj.place_count = mesh->vertex_count;
    mesh->triangle_count = 0; // from here on: what has been read
    char word[FIL_OBJ_WORD];
    fil_status status = FIL_OK;
    while (status == FIL_OK && fil_obj_keyword(&obj, word)) {
        if (strcmp(word, "v") == 0)
            status = read_place(&obj);
        else if (strcmp(word, "f") == 0)
            status = read_face(&obj, mesh);
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
        mesh->position[i] *= unit;
    return status;
}

fil_status fil_mesh_read_bytes(const fil_curves_input *in, double unit, fil_mesh **out)
{
    *out = NULL;
    fil_status status = fil_curves_check_unit(in->context, unit);
    if (status != FIL_OK)
        return status;
    if (in->size == 0)
        return fil_context_fail(in->context, FIL_BAD_INPUT, "%s: the file is empty", in->name);
    fil_obj_counts counts = fil_obj_count(in);
    if (counts.faces == 0)
        return fil_curves_bad(in, "faces", "the file holds no face (no `f` line%s)",
                              counts.lines > 0 ? "; it holds lines: is it a groom?" : "");
    if (counts.places > INT_MAX || counts.triangles > INT_MAX)
        return fil_curves_bad(in, "faces", "more than %d vertices or triangles", INT_MAX);
    status = fil_mesh_create(in->context, (int)counts.places, (int)counts.triangles, out);
    if (status == FIL_OK)
        status = read_all(in, unit > 0 ? unit : 1, *out);
    if (status != FIL_OK) {
        fil_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

fil_status fil_mesh_read(fil_context *context, const char *path, double unit, fil_mesh **out)
{
    *out = NULL;
    unsigned char *bytes;
    fil_curves_input in = {.context = context, .name = path};
    fil_status status = fil_file_read(context, path, "a mesh", &bytes, &in.size);
    in.bytes = bytes;
    if (status == FIL_OK)
        status = fil_mesh_read_bytes(&in, unit, out);
    if (bytes)
        fil_context_release(context, bytes);
    return status;
}
