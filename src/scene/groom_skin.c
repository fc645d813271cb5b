// A mesh that hairs grow on: smooth normals, roots, and places kept outside.
//
// Normals are the mean of those of the triangles around a vertex, weighted by their angles there, and point out of the
// mesh whichever way its triangles turn. A place is inside when it lies behind the normal of the nearest point.
//
// Roots are thrown like darts, evenly by area: one that is too near to an earlier one is thrown again. The distance
// begins near the largest that can be reached and shrinks when too many darts are refused, so that roots are spread as
// evenly as chance can do it, and the first ones of them are, too.
#include "scene/groom.h"

#include "collide/nearest.h"
#include "math/mat3.h"

#include <string.h>

struct fil_groom_skin {
    const char *file;
    fil_mesh *mesh;
    double *normal; // [3 vertices] unit, or zero where there is none
    fil_nearest *nearest;
};

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

// Twice the area, along the normal.
static void area_vector(const fil_mesh *mesh, int triangle, double out[3])
{
    double e[3], f[3];
    subtract(fil_nearest_corner(mesh, triangle, 1), fil_nearest_corner(mesh, triangle, 0), e);
    subtract(fil_nearest_corner(mesh, triangle, 2), fil_nearest_corner(mesh, triangle, 0), f);
    fil_vec3_cross(e, f, out);
}

static double angle_at(const fil_mesh *mesh, int triangle, int k)
{
    double e[3], f[3], across[3];
    subtract(fil_nearest_corner(mesh, triangle, (k + 1) % 3), fil_nearest_corner(mesh, triangle, k), e);
    subtract(fil_nearest_corner(mesh, triangle, (k + 2) % 3), fil_nearest_corner(mesh, triangle, k), f);
    fil_vec3_cross(e, f, across);
    return atan2(fil_vec3_norm(across), fil_vec3_dot(e, f));
}

static void find_normals(const fil_mesh *mesh, double *normal)
{
    double volume = 0; // relative to a point of the mesh: its sign tells which way triangles turn
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double n[3], from[3];
        area_vector(mesh, t, n);
        subtract(fil_nearest_corner(mesh, t, 0), mesh->position, from);
        volume += fil_vec3_dot(from, n);
        for (int c = 0; c < 3 && fil_vec3_normalise(n) > 0; ++c)
            for (int k = 0; k < 3; ++k)
                normal[3 * (int64_t)mesh->triangle[3 * (int64_t)t + c] + k] += angle_at(mesh, t, c) * n[k];
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        fil_vec3_normalise(normal + 3 * (int64_t)i);
        for (int k = 0; k < 3 && volume < 0; ++k)
            normal[3 * (int64_t)i + k] *= -1;
    }
}

fil_status fil_groom_skin_create(fil_context *context, const fil_groom_mesh *mesh, fil_groom_skin **out)
{
    fil_mesh *read;
    *out = NULL;
    fil_status status = fil_mesh_read(context, mesh->file, mesh->unit, &read);
    if (status != FIL_OK)
        return status;
    // All of it lives with the mesh.
    fil_groom_skin *skin = FIL_ARENA_ARRAY(read->arena, fil_groom_skin, 1);
    double *normal = FIL_ARENA_ARRAY(read->arena, double, 3 * (int64_t)read->vertex_count);
    fil_nearest *nearest = skin && normal ? fil_nearest_create(read->arena, read) : NULL;
    if (!nearest) {
        fil_mesh_destroy(read);
        return FIL_NO_MEMORY;
    }
    find_normals(read, normal);
    *skin = (fil_groom_skin){mesh->file, read, normal, nearest};
    *out = skin;
    return FIL_OK;
}

void fil_groom_skin_destroy(fil_groom_skin *skin)
{
    if (skin)
        fil_mesh_destroy(skin->mesh);
}

// The box of all vertices at or above a height; *low is as it was when there is none.
static void box_above(const fil_mesh *mesh, double height, double low[3], double high[3])
{
    bool any = false;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const double *x = mesh->position + 3 * (int64_t)i;
        if (!(x[1] >= height))
            continue;
        for (int k = 0; k < 3; ++k) {
            low[k] = any ? fmin(low[k], x[k]) : x[k];
            high[k] = any ? fmax(high[k], x[k]) : x[k];
        }
        any = true;
    }
}

void fil_groom_skin_box(const fil_groom_skin *skin, double lowest, double low[3], double high[3])
{
    box_above(skin->mesh, -HUGE_VAL, low, high);
    double height = 0.5 * (low[1] + high[1]) + 0.5 * lowest * (high[1] - low[1]);
    box_above(skin->mesh, height, low, high);
    low[1] = height; // the sides of coarse meshes have no vertex there
}

// The normal at a point of a triangle.
static void normal_at(const fil_groom_skin *skin, int triangle, const double weight[3], double out[3])
{
    const double up[3] = {0, 1, 0};
    for (int k = 0; k < 3; ++k) {
        out[k] = 0;
        for (int c = 0; c < 3; ++c)
            out[k] += weight[c] * skin->normal[3 * (int64_t)skin->mesh->triangle[3 * (int64_t)triangle + c] + k];
    }
    if (fil_vec3_normalise(out) == 0)
        area_vector(skin->mesh, triangle, out);
    if (fil_vec3_normalise(out) == 0)
        memcpy(out, up, sizeof up);
}

double fil_groom_skin_keep_out(const fil_groom_skin *skin, double gap, double reach, double x[3])
{
    fil_nearest_point near;
    double normal[3], out[3];
    if (!fil_nearest_find(skin->nearest, x, gap + reach, &near))
        return gap + reach;
    normal_at(skin, near.triangle, near.weight, normal);
    subtract(x, near.x, out);
    bool outside = fil_vec3_dot(out, normal) >= 0;
    for (int k = 0; k < 3 && !(outside && near.distance >= gap); ++k)
        x[k] = near.x[k] + gap * normal[k];
    return outside ? near.distance : 0;
}

// ---- roots

// Where darts can land: the triangles with a corner where hair grows, by area.
typedef struct target {
    const fil_groom_skin *skin;
    const fil_groom_head *head;
    double *area; // [triangles] up to and with this one
} target;

static bool make_target(target *self, fil_arena *arena)
{
    const fil_mesh *mesh = self->skin->mesh;
    self->area = FIL_ARENA_ARRAY(arena, double, mesh->triangle_count);
    double sum = 0;
    for (int t = 0; self->area && t < mesh->triangle_count; ++t) {
        bool hair = false;
        double n[3];
        for (int c = 0; c < 3; ++c)
            hair |= fil_groom_head_has_hair(self->head, fil_nearest_corner(mesh, t, c));
        area_vector(mesh, t, n);
        sum += hair ? 0.5 * fil_vec3_norm(n) : 0;
        self->area[t] = sum;
    }
    return self->area;
}

static double target_area(const target *self)
{
    return self->area[self->skin->mesh->triangle_count - 1];
}

// One dart, anywhere on the target; false: no hair grows where it lands.
static bool throw_dart(const target *self, fil_rng *rng, fil_groom_root *out)
{
    const fil_mesh *mesh = self->skin->mesh;
    double wanted = fil_rng_uniform(rng, 0, target_area(self));
    int first = 0, last = mesh->triangle_count - 1;
    while (first < last) {
        int middle = first + (last - first) / 2;
        if (self->area[middle] > wanted)
            last = middle;
        else
            first = middle + 1;
    }
    double root = sqrt(fil_rng_uniform(rng, 0, 1)), along = fil_rng_uniform(rng, 0, 1);
    const double weight[3] = {1 - root, root * (1 - along), root * along};
    for (int k = 0; k < 3; ++k)
        out->x[k] = weight[0] * fil_nearest_corner(mesh, first, 0)[k] +
                    weight[1] * fil_nearest_corner(mesh, first, 1)[k] +
                    weight[2] * fil_nearest_corner(mesh, first, 2)[k];
    normal_at(self->skin, first, weight, out->normal);
    return fil_groom_head_has_hair(self->head, out->x);
}

// Roots by the cell of a grid they lie in: chains of a hash table.
typedef struct cells {
    double size;
    uint64_t mask;
    int *first, *next; // -1: none
} cells;

static bool make_cells(cells *self, fil_arena *arena, int count, double size)
{
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)count)
        slots *= 2;
    *self = (cells){.size = size, .mask = slots - 1};
    self->first = FIL_ARENA_ARRAY(arena, int, slots);
    self->next = FIL_ARENA_ARRAY(arena, int, count);
    for (uint64_t i = 0; self->first && i < slots; ++i)
        self->first[i] = -1;
    return self->first && self->next;
}

static int *slot_of(const cells *self, const double x[3], int dx, int dy, int dz)
{
    const int d[3] = {dx, dy, dz};
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        uint64_t cell = (uint64_t)(int64_t)(fmin(fmax(floor(x[k] / self->size), -1e15), 1e15) + d[k]);
        hash = (hash ^ cell) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return &self->first[hash & self->mask];
}

static bool is_crowded(const cells *self, const fil_groom_root *roots, const double x[3], double radius)
{
    for (int cell = 0; cell < 27; ++cell)
        for (int i = *slot_of(self, x, cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1); i >= 0; i = self->next[i]) {
            double d[3];
            subtract(x, roots[i].x, d);
            if (fil_vec3_dot(d, d) < radius * radius)
                return true;
        }
    return false;
}

fil_status fil_groom_skin_roots(fil_context *context, fil_arena *arena, const fil_groom_head *head, int count,
                                fil_rng *rng, fil_groom_root *out)
{
    target target = {.skin = head->skin, .head = head};
    cells cells = {0};
    if (!make_target(&target, arena))
        return FIL_NO_MEMORY;
    // Chance alone fills an area to about this distance of neighbours.
    double radius = 0.75 * sqrt(target_area(&target) / count);
    if (radius > 0 && !make_cells(&cells, arena, count, radius))
        return FIL_NO_MEMORY;
    int64_t missed = 0, most_missed = 1000 * (int64_t)count + 100000, refused = 0;
    for (int made = 0; made < count && radius > 0 && missed < most_missed;) {
        if (!throw_dart(&target, rng, &out[made])) {
            ++missed;
        } else if (is_crowded(&cells, out, out[made].x, radius)) {
            if (++refused % count == 0)
                radius *= 0.95;
        } else {
            int *slot = slot_of(&cells, out[made].x, 0, 0, 0);
            cells.next[made] = *slot;
            *slot = made++;
        }
    }
    return radius > 0 && missed < most_missed
               ? FIL_OK
               : fil_context_fail(context, FIL_BAD_INPUT,
                                  "%s: hair has no place: too little of the mesh lies above `lowest`%s",
                                  head->skin->file, head->face ? " and outside of the face" : "");
}
