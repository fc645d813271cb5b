// Shapes of bodies, made into triangles; all have their centre at the origin.
//
// Round shapes are one grid of rings and spokes around the y axis, closed at both ends: a profile gives the radius and
// the height of each ring.
#include "scene/body.h"

#include <math.h>
#include <string.h>

enum { SPOKES = 64, RINGS = 32 }; // rings between the two ends

typedef struct sizes {
    double width, height, depth;
} sizes;

typedef struct rod {
    double radius, length;
} rod;

typedef struct mesh_file {
    const char *file;
    double unit;
} mesh_file;

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
    const mesh_file *p = param;
    return fil_mesh_read(context, p->file, p->unit, out);
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
    {"file", FIL_KIND_FILE, offsetof(mesh_file, file), 0, 0, 0, "", NULL,
     ".obj; a relative name starts at the folder of the scene"},
};
static const int file_field_count = 1;
static const fil_film_key file_keys[] = {
    {.name = "unit",
     .form = FIL_FILM_UNIT,
     .offset = offsetof(mesh_file, unit),
     .def = "\"m\"",
     .doc = "what one unit of the file is: m, cm, mm, in or a number of metres"},
};

#define SIZES .fields = size_fields, .field_count = &size_field_count, .size = sizeof(sizes)
static const fil_body_type list[] = {
    {{.name = "sphere", .doc = "a ball", .fields = rod_fields, .field_count = &sphere_field_count, .size = sizeof(rod)},
     make_sphere},
    {{.name = "ellipsoid", .doc = "a ball with three half-axes", SIZES}, make_ellipsoid},
    {{.name = "box", .doc = "a box with three half sizes", SIZES}, make_box},
    {{.name = "cylinder",
      .doc = "along y, closed at both ends",
      .fields = rod_fields,
      .field_count = &rod_field_count,
      .size = sizeof(rod)},
     make_cylinder},
    {{.name = "capsule",
      .doc = "along y, with round ends",
      .fields = rod_fields,
      .field_count = &rod_field_count,
      .size = sizeof(rod)},
     make_capsule},
    {{.name = "mesh",
      .doc = "triangles from a Wavefront OBJ file",
      .fields = file_fields,
      .field_count = &file_field_count,
      .keys = file_keys,
      .key_count = 1,
      .size = sizeof(mesh_file),
      .required = "file"},
     make_mesh},
};

int fil_body_type_count(void)
{
    return sizeof list / sizeof *list;
}

const fil_body_type *fil_body_type_at(int index)
{
    return &list[index];
}
