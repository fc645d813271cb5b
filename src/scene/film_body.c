// Bodies of a scene: triangles to look at, standing where the scene places them, and obstacles for strands.
//
// Obstacles with a formula (spheres, boxes ...) carry their place in their pose; those made of triangles share them
// with the body, and those stand at their place already.
#include "scene/film_body.h"

#include "scene/body.h"
#include "scene/film_spot.h"

#include <string.h>

// ---- triangles

// The triangles of a body, in the arena of the film.
static fil_status make_mesh(fil_film_reader *reader, const fil_film_body *from, const fil_mesh **out)
{
    fil_mesh *made;
    fil_status status = fil_body_type_at(from->shape.index)->make(reader->context, from->shape.param, &made);
    if (status != FIL_OK)
        return status;
    size_t places = 3 * (size_t)made->vertex_count, corners = 3 * (size_t)made->triangle_count;
    fil_mesh *mesh = FIL_ARENA_ARRAY(reader->arena, fil_mesh, 1);
    double *position = FIL_ARENA_ARRAY(reader->arena, double, places);
    int *triangle = FIL_ARENA_ARRAY(reader->arena, int, corners);
    if (mesh && position && triangle) {
        *mesh = (fil_mesh){made->vertex_count, made->triangle_count, position, triangle, NULL};
        memcpy(position, made->position, places * sizeof *position);
        memcpy(triangle, made->triangle, corners * sizeof *triangle);
        fil_film_spot_apply(&from->place, mesh->vertex_count, position);
    } else {
        status = FIL_NO_MEMORY;
    }
    *out = mesh;
    fil_mesh_destroy(made);
    return status;
}

// ---- meshes that change their shape

static fil_status check_frames(fil_film_reader *reader, const fil_film_place *shape, const fil_body_file *file)
{
    const char *slash = strrchr(file->frames, '/');
    if (!strchr(slash ? slash : file->frames, '#')) {
        fil_film_place place = fil_film_place_key(shape, "frames");
        return fil_film_place_must(reader, &place, "the name of files with # for each digit of their number");
    }
    if (file->first > file->last)
        return fil_film_place_fail(reader, shape, "'first' must not be above 'last' (got %d and %d)", file->first,
                                   file->last);
    return FIL_OK;
}

// Pose `index` of `count`, into `positions`, which the first call makes.
static fil_status read_pose(fil_film_reader *reader, const fil_body_file *file, int vertex_count, int count, int index,
                            double **positions)
{
    fil_mesh *mesh;
    fil_status status = fil_body_file_frame(reader->context, file, file->first + index, vertex_count, &mesh);
    size_t size = 3 * (size_t)vertex_count;
    if (status == FIL_OK && !*positions)
        *positions = FIL_ARENA_ARRAY(reader->arena, double, (size_t)count *size);
    if (status == FIL_OK && *positions)
        memcpy(*positions + (size_t)index * size, mesh->position, size * sizeof(double));
    fil_mesh_destroy(mesh);
    return status == FIL_OK && !*positions ? FIL_NO_MEMORY : status;
}

static fil_status make_poses(fil_film_reader *reader, const fil_film_place *shape, const fil_film_body *from,
                             fil_body *to)
{
    const fil_body_file *file = fil_body_file_of(from->shape.index, from->shape.param);
    if (!file || !file->frames)
        return FIL_OK;
    fil_status status = check_frames(reader, shape, file);
    if (status != FIL_OK)
        return status;
    int count = file->last - file->first + 1, vertices = to->mesh->vertex_count;
    double *time = FIL_ARENA_ARRAY(reader->arena, double, count), *positions = NULL;
    if (!time)
        return FIL_NO_MEMORY;
    // The last one first: a sequence that ends too early is noticed before there is memory for all of it.
    for (int i = count - 1; status == FIL_OK && i >= 0; --i) {
        time[i] = i / file->fps;
        status = read_pose(reader, file, vertices, count, i, &positions);
    }
    if (status != FIL_OK)
        return fil_film_place_blame(reader, shape, status);
    fil_film_spot_apply(&from->place, (int64_t)count * vertices, positions);
    to->pose_count = count;
    to->pose_time = time;
    to->pose_position = positions;
    return FIL_OK;
}

// ---- bodies and obstacles

static fil_obstacle obstacle_of(const fil_film_body *from, const fil_body *body)
{
    const fil_body_type *type = fil_body_type_at(from->shape.index);
    fil_obstacle made = fil_obstacle_default();
    made.name = from->name;
    made.shape = type->solid;
    made.path = from->path;
    made.friction = from->friction;
    made.restitution = from->restitution;
    if (type->solid == FIL_OBSTACLE_MESH) {
        made.mesh = body->mesh;
        made.pose_count = body->pose_count;
        made.pose_time = body->pose_time;
        made.pose_position = body->pose_position;
        return made;
    }
    made.place = fil_film_spot_pose(&from->place);
    if (type->size)
        type->size(from->shape.param, made.size);
    for (int k = 0; k < 3; ++k)
        made.size[k] *= from->place.scale;
    return made;
}

static fil_status make_body(fil_film_reader *reader, const fil_film_place *place, const fil_film_body *from,
                            fil_body *to)
{
    fil_film_place shape = fil_film_place_key(place, "shape");
    *to = (fil_body){.name = from->name, .path = from->path};
    memcpy(to->colour, from->colour, sizeof to->colour);
    fil_status status = make_mesh(reader, from, &to->mesh);
    if (status != FIL_OK)
        return fil_film_place_blame(reader, &shape, status);
    return make_poses(reader, &shape, from, to);
}

fil_status fil_film_body_make_all(fil_film_reader *reader, const fil_film_place *root, const fil_film_items *bodies,
                                  fil_film *out)
{
    const fil_film_body *from = bodies->items;
    fil_body *made = FIL_ARENA_ARRAY(reader->arena, fil_body, bodies->count);
    fil_obstacle *obstacles = FIL_ARENA_ARRAY(reader->arena, fil_obstacle, bodies->count);
    fil_status status = made && obstacles ? FIL_OK : FIL_NO_MEMORY;
    fil_film_place list = fil_film_place_key(root, "bodies");
    for (int i = 0; status == FIL_OK && i < bodies->count; ++i) {
        fil_film_place place = fil_film_place_item(&list, i);
        status = make_body(reader, &place, &from[i], &made[i]);
        if (from[i].solid)
            obstacles[out->scene.obstacle_count++] = obstacle_of(&from[i], &made[i]);
    }
    out->bodies = made;
    out->body_count = bodies->count;
    out->scene.obstacles = obstacles;
    return status;
}
