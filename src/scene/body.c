// Shapes of bodies, made into triangles; all have their centre at the origin. And where they are at a time.
//
// Round shapes are one grid of rings and spokes around the y axis, closed at both ends: a profile gives the radius and
// the height of each ring.
#include "scene/body.h"

#include "base/file.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPOKES = 64, RINGS = 32 }; // rings between the two ends

typedef struct sizes {
    double width, height, depth;
} sizes;

typedef struct rod {
    double radius, length;
} rod;

typedef struct plane {
    double extent;
} plane;

// Ring i of a shape: radius along x and z, height.
typedef struct ring {
    double x, z, y;
} ring;

static void put(fil_mesh *mesh, int vertex, double x, double y, double z)
{
    mesh->position[3 * vertex] = x;
    mesh->position[3 * vertex + 1] = y;
    mesh->position[3 * vertex + 2] = z;
}

static int *put_triangle(int *at, int a, int b, int c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

// Rings from the top down; the ends are single points at the heights of the first and the last profile.
static fil_status make_round(fil_context *context, const ring *rings, int count, double top, double bottom,
                             fil_mesh **out)
{
    int first = 0, last = count * SPOKES + 1;
    fil_status status = fil_mesh_create(context, count * SPOKES + 2, 2 * count * SPOKES, out);
    if (status != FIL_OK)
        return status;
    put(*out, first, 0, top, 0);
    put(*out, last, 0, bottom, 0);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < SPOKES; ++k) {
            double angle = 2 * 3.14159265358979323846 * k / SPOKES;
            put(*out, 1 + i * SPOKES + k, rings[i].x * sin(angle), rings[i].y, rings[i].z * cos(angle));
        }
    int *triangle = (*out)->triangle;
    for (int k = 0; k < SPOKES; ++k) {
        int next = (k + 1) % SPOKES;
        triangle = put_triangle(triangle, first, 1 + k, 1 + next);
        for (int i = 0; i + 1 < count; ++i) {
            int a = 1 + i * SPOKES, b = a + SPOKES;
            triangle = put_triangle(triangle, a + k, b + k, b + next);
            triangle = put_triangle(triangle, a + k, b + next, a + next);
        }
        int a = 1 + (count - 1) * SPOKES;
        triangle = put_triangle(triangle, last, a + next, a + k);
    }
    return FIL_OK;
}

static fil_status make_ellipsoid(fil_context *context, const void *param, fil_mesh **out)
{
    const sizes *half = param;
    ring rings[RINGS - 1];
    for (int i = 0; i < RINGS - 1; ++i) {
        double angle = 3.14159265358979323846 * (i + 1) / RINGS;
        rings[i] = (ring){half->width * sin(angle), half->depth * sin(angle), half->height * cos(angle)};
    }
    return make_round(context, rings, RINGS - 1, half->height, -half->height, out);
}

static fil_status make_sphere(fil_context *context, const void *param, fil_mesh **out)
{
    double radius = ((const rod *)param)->radius;
    return make_ellipsoid(context, &(sizes){radius, radius, radius}, out);
}

static fil_status make_cylinder(fil_context *context, const void *param, fil_mesh **out)
{
    const rod *p = param;
    double half = 0.5 * p->length;
    // Each rim twice: what smooths normals over neighbours leaves it sharp.
    const ring rings[] = {{p->radius * (1 - 1e-4), p->radius * (1 - 1e-4), half},
                          {p->radius, p->radius, half},
                          {p->radius, p->radius, -half},
                          {p->radius * (1 - 1e-4), p->radius * (1 - 1e-4), -half}};
    return make_round(context, rings, 4, half, -half, out);
}

// Two half spheres, `length` apart.
static fil_status make_capsule(fil_context *context, const void *param, fil_mesh **out)
{
    const rod *p = param;
    double half = 0.5 * p->length;
    ring rings[RINGS];
    for (int i = 0; i < RINGS; ++i) {
        bool upper = i < RINGS / 2;
        double angle = 3.14159265358979323846 * (upper ? i + 1 : i) / RINGS;
        double radius = p->radius * sin(angle);
        rings[i] = (ring){radius, radius, p->radius * cos(angle) + (upper ? half : -half)};
    }
    return make_round(context, rings, RINGS, half + p->radius, -half - p->radius, out);
}

static fil_status make_box(fil_context *context, const void *param, fil_mesh **out)
{
    const sizes *half = param;
    // Corner i: bits are the signs of x, y, z. Two triangles for each side, seen from outside against the clock.
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    fil_status status = fil_mesh_create(context, 24, 12, out);
    if (status != FIL_OK)
        return status;
    int *triangle = (*out)->triangle;
    for (int s = 0; s < 6; ++s) {
        for (int k = 0; k < 4; ++k) {
            int corner = sides[s][k];
            put(*out, 4 * s + k, corner & 1 ? half->width : -half->width, corner & 2 ? half->height : -half->height,
                corner & 4 ? half->depth : -half->depth);
        }
        triangle = put_triangle(triangle, 4 * s, 4 * s + 1, 4 * s + 2);
        triangle = put_triangle(triangle, 4 * s, 4 * s + 2, 4 * s + 3);
    }
    return FIL_OK;
}

static fil_status make_mesh(fil_context *context, const void *param, fil_mesh **out)
{
    const fil_body_file *p = param;
    return fil_mesh_read(context, p->file, p->unit, out);
}

static fil_status make_plane(fil_context *context, const void *param, fil_mesh **out)
{
    double extent = ((const plane *)param)->extent;
    fil_status status = fil_mesh_create(context, 4, 2, out);
    if (status != FIL_OK)
        return status;
    for (int i = 0; i < 4; ++i) // seen from above, against the clock
        put(*out, i, i < 2 ? -extent : extent, 0, i == 1 || i == 2 ? extent : -extent);
    put_triangle(put_triangle((*out)->triangle, 0, 1, 2), 0, 2, 3);
    return FIL_OK;
}

// ---- obstacles

static void size_of_rod(const void *param, double size[3])
{
    const rod *p = param;
    size[0] = p->radius;
    size[1] = p->length;
}

static void size_of_box(const void *param, double size[3])
{
    const sizes *half = param;
    size[0] = half->width;
    size[1] = half->height;
    size[2] = half->depth;
}

// ---- bodies that change their shape

// "body.####.obj" with a number for the last run of #, with at least so many digits.
static bool name_frame(const char *pattern, int number, char *out, size_t room)
{
    const char *end = strrchr(pattern, '#') + 1, *start = end;
    while (start > pattern && start[-1] == '#')
        --start;
    int length = snprintf(out, room, "%.*s%0*d%s", (int)(start - pattern), pattern, (int)(end - start), number, end);
    return length > 0 && (size_t)length < room;
}

fil_status fil_body_file_frame(fil_context *context, const fil_body_file *file, int number, int vertex_count,
                               fil_mesh **out)
{
    *out = NULL;
    char name[FIL_PATH_MAX];
    if (!name_frame(file->frames, number, name, sizeof name))
        return fil_context_fail(context, FIL_BAD_INPUT, "%.100s...: the file name is too long", file->frames);
    fil_status status = fil_mesh_read(context, name, file->unit, out);
    if (status != FIL_OK || (*out)->vertex_count == vertex_count)
        return status;
    status = fil_context_fail(context, FIL_BAD_INPUT, "%s: must have %d vertices, as %s has (got %d)", name,
                              vertex_count, file->file, (*out)->vertex_count);
    fil_mesh_destroy(*out);
    *out = NULL;
    return status;
}

// The vertices of a mesh that changes its shape: straight from pose to pose.
static void blend_poses(const fil_body *body, double time, double *out)
{
    int next = 0, last = body->pose_count - 1;
    while (next <= last && body->pose_time[next] <= time)
        ++next;
    int before = next > 0 ? next - 1 : 0, after = next <= last ? next : last;
    double span = body->pose_time[after] - body->pose_time[before];
    double part = span > 0 ? (time - body->pose_time[before]) / span : 0;
    ptrdiff_t size = 3 * (ptrdiff_t)body->mesh->vertex_count;
    const double *from = body->pose_position + before * size, *to = body->pose_position + after * size;
    for (ptrdiff_t i = 0; i < size; ++i)
        out[i] = (1 - part) * from[i] + part * to[i];
}

void fil_body_at(const fil_body *body, double time, double *out)
{
    ptrdiff_t count = body->mesh->vertex_count;
    if (body->pose_count > 0)
        blend_poses(body, time, out);
    else
        memcpy(out, body->mesh->position, 3 * (size_t)count * sizeof *out);
    fil_pose pose = fil_path_at(&body->path, time);
    for (ptrdiff_t i = 0; i < count; ++i) {
        double start[3] = {out[3 * i], out[3 * i + 1], out[3 * i + 2]};
        fil_quat_rotate(pose.rotation, start, out + 3 * i);
        for (int k = 0; k < 3; ++k)
            out[3 * i + k] += pose.position[k];
    }
}

// ---- tables

static const fil_field size_fields[] = {
    {"width", FIL_KIND_REAL, offsetof(sizes, width), 0.1, 1e-6, 1e6, "m", NULL, "half of it, along x"},
    {"height", FIL_KIND_REAL, offsetof(sizes, height), 0.1, 1e-6, 1e6, "m", NULL, "half of it, along y"},
    {"depth", FIL_KIND_REAL, offsetof(sizes, depth), 0.1, 1e-6, 1e6, "m", NULL, "half of it, along z"},
};
static const int size_field_count = sizeof size_fields / sizeof *size_fields;
static const fil_field rod_fields[] = {
    {"radius", FIL_KIND_REAL, offsetof(rod, radius), 0.1, 1e-6, 1e6, "m", NULL, "how thick"},
    {"length", FIL_KIND_REAL, offsetof(rod, length), 0.2, 1e-6, 1e6, "m", NULL,
     "along y; of a capsule: between the middles of its round ends"},
};
static const int rod_field_count = sizeof rod_fields / sizeof *rod_fields, sphere_field_count = 1;
static const fil_field file_fields[] = {
    {"file", FIL_KIND_FILE, offsetof(fil_body_file, file), 0, 0, 0, "", NULL,
     ".obj; a relative name starts at the folder of the scene"},
    {"frames", FIL_KIND_FILE, offsetof(fil_body_file, frames), 0, 0, 0, "", NULL,
     "for a body that changes its shape: \"body.####.obj\", # for each digit of the number; the same vertices as "
     "`file`"},
    {"first", FIL_KIND_INT, offsetof(fil_body_file, first), 1, 0, 1e6, "", NULL,
     "number of the first of the frames, which is at 0 s"},
    {"last", FIL_KIND_INT, offsetof(fil_body_file, last), 1, 0, 1e6, "", NULL, "number of the last"},
    {"fps", FIL_KIND_REAL, offsetof(fil_body_file, fps), 24, 0.1, 1e5, "1/s", NULL,
     "how many of them there are in a second"},
};
static const int file_field_count = sizeof file_fields / sizeof *file_fields;
static const fil_film_key file_keys[] = {
    {.name = "unit",
     .form = FIL_FILM_UNIT,
     .offset = offsetof(fil_body_file, unit),
     .def = "\"m\"",
     .doc = "what one unit of the file is: m, cm, mm, in or a number of metres"},
};

static const fil_field plane_fields[] = {
    {"extent", FIL_KIND_REAL, offsetof(plane, extent), 1, 1e-6, 1e6, "m", NULL,
     "half of the square that is drawn; what is solid has no end"},
};
static const int plane_field_count = 1;

#define SIZES .fields = size_fields, .field_count = &size_field_count, .size = sizeof(sizes)
static const fil_body_type list[] = {
    {{.name = "sphere", .doc = "a ball", .fields = rod_fields, .field_count = &sphere_field_count, .size = sizeof(rod)},
     make_sphere,
     FIL_OBSTACLE_SPHERE,
     size_of_rod},
    {{.name = "ellipsoid", .doc = "a ball with three half-axes", SIZES}, make_ellipsoid, FIL_OBSTACLE_MESH, NULL},
    {{.name = "box", .doc = "a box with three half sizes", SIZES}, make_box, FIL_OBSTACLE_BOX, size_of_box},
    {{.name = "cylinder",
      .doc = "along y, closed at both ends",
      .fields = rod_fields,
      .field_count = &rod_field_count,
      .size = sizeof(rod)},
     make_cylinder,
     FIL_OBSTACLE_CYLINDER,
     size_of_rod},
    {{.name = "capsule",
      .doc = "along y, with round ends",
      .fields = rod_fields,
      .field_count = &rod_field_count,
      .size = sizeof(rod)},
     make_capsule,
     FIL_OBSTACLE_CAPSULE,
     size_of_rod},
    {{.name = "plane",
      .doc = "all below y = 0, without end",
      .fields = plane_fields,
      .field_count = &plane_field_count,
      .size = sizeof(plane)},
     make_plane,
     FIL_OBSTACLE_PLANE,
     NULL},
    {{.name = "mesh",
      .doc = "triangles from a Wavefront OBJ file",
      .fields = file_fields,
      .field_count = &file_field_count,
      .keys = file_keys,
      .key_count = 1,
      .size = sizeof(fil_body_file),
      .required = "file"},
     make_mesh,
     FIL_OBSTACLE_MESH,
     NULL},
};

int fil_body_type_count(void)
{
    return sizeof list / sizeof *list;
}

const fil_body_type *fil_body_type_at(int index)
{
    return &list[index];
}

const fil_body_file *fil_body_file_of(int type, const void *param)
{
    return list[type].make == make_mesh ? param : NULL;
}
