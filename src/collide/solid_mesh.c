// Meshes as obstacles: made ready once, posed in every step.
//
// Vertices at the same place in all poses are one vertex: files often write a vertex for each of its normals. A mesh is
// closed when each side of its triangles has another that runs the other way; then it has an inside, and triangles are
// turned so that they look out of it. A grid of cells remembers which parts of space the surface does not touch: what
// is there needs no search to tell inside from outside.
#include "collide/solid_part.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 32, CELLS_ALONG = 400 }; // for each triangle, and along the longest side at most

// ---- vertices

typedef struct spot {
    double x[3];
    int vertex;
} spot;

static int compare_spots(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return a->vertex - b->vertex;
}

static const double *pose_of(const fil_obstacle *obstacle, int pose)
{
    int64_t size = 3 * (int64_t)obstacle->mesh->vertex_count;
    return obstacle->pose_count > 0 ? obstacle->pose_position + pose * size : obstacle->mesh->position;
}

static bool same_in_all_poses(const fil_obstacle *obstacle, int poses, int a, int b)
{
    for (int pose = 0; pose < poses; ++pose)
        for (int k = 0; k < 3; ++k)
            if (pose_of(obstacle, pose)[3 * (int64_t)a + k] != pose_of(obstacle, pose)[3 * (int64_t)b + k])
                return false;
    return true;
}

// name[v]: the number of vertex v among those that are left.
static bool merge_vertices(fil_solid_mesh *self, fil_arena *arena, fil_arena *scratch, const fil_obstacle *obstacle,
                           int *name)
{
    int count = obstacle->mesh->vertex_count;
    spot *spots = FIL_ARENA_RAW(scratch, spot, count);
    int *keeper = FIL_ARENA_RAW(scratch, int, count);
    if (!spots || !keeper)
        return false;
    for (int v = 0; v < count; ++v) {
        spots[v].vertex = v;
        memcpy(spots[v].x, pose_of(obstacle, 0) + 3 * (int64_t)v, sizeof spots[v].x);
    }
    qsort(spots, (size_t)count, sizeof *spots, compare_spots);
    for (int i = 0; i < count; ++i) {
        int v = spots[i].vertex, before = i > 0 ? keeper[spots[i - 1].vertex] : -1;
        keeper[v] = before >= 0 && same_in_all_poses(obstacle, self->pose_count, before, v) ? before : v;
    }
    for (int v = 0; v < count; ++v)
        name[v] = keeper[v] == v ? self->vertex_count++ : name[keeper[v]];
    self->pose_time = FIL_ARENA_ARRAY(arena, double, self->pose_count);
    self->position = FIL_ARENA_RAW(arena, double, 3 * (int64_t)self->pose_count * self->vertex_count);
    if (!self->pose_time || !self->position)
        return false;
    for (int pose = 0; pose < self->pose_count; ++pose) {
        double *to = self->position + 3 * (int64_t)pose * self->vertex_count;
        if (obstacle->pose_count > 0)
            self->pose_time[pose] = obstacle->pose_time[pose];
        for (int v = 0; v < count; ++v)
            memcpy(to + 3 * (int64_t)name[v], pose_of(obstacle, pose) + 3 * (int64_t)v, 3 * sizeof *to);
    }
    return true;
}

// ---- triangles

static double area_of(const fil_solid_mesh *self, int triangle, double normal[3])
{
    const int *corner = self->triangle + 3 * (int64_t)triangle;
    const double *a = self->position + 3 * (int64_t)corner[0], *b = self->position + 3 * (int64_t)corner[1];
    const double *c = self->position + 3 * (int64_t)corner[2];
    fil_vec3_cross((const double[3]){b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                   (const double[3]){c[0] - a[0], c[1] - a[1], c[2] - a[2]}, normal);
    return fil_vec3_norm(normal);
}

// True: at least one has an area.
static bool keep_triangles(fil_solid_mesh *self, const fil_mesh *mesh, const int *name)
{
    bool any = false;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        int corner[3], *to = self->triangle + 3 * (int64_t)self->triangle_count;
        for (int k = 0; k < 3; ++k)
            corner[k] = name[mesh->triangle[3 * (int64_t)t + k]];
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        memcpy(to, corner, sizeof corner);
        double normal[3];
        any = area_of(self, self->triangle_count++, normal) > 0 || any;
    }
    return any;
}

typedef struct side {
    int low, high; // vertices
    int up;        // it runs from low to high
    int name;      // 3 triangle + corner
} side;

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    return a->low != b->low ? a->low - b->low : a->high != b->high ? a->high - b->high : a->name - b->name;
}

// Sides between the same vertices, `count` of them: each takes one that runs the other way as its neighbour, in order.
// True: none is left over.
static bool join_sides(fil_solid_mesh *self, const side *sides, int count)
{
    int up = 0, down = 0;
    for (;;) {
        while (up < count && !sides[up].up)
            ++up;
        while (down < count && sides[down].up)
            ++down;
        if (up == count || down == count)
            return up == count && down == count;
        self->neighbour[sides[up].name] = sides[down].name / 3;
        self->neighbour[sides[down].name] = sides[up].name / 3;
        ++up;
        ++down;
    }
}

static bool find_neighbours(fil_solid_mesh *self, fil_arena *arena, fil_arena *scratch)
{
    int count = 3 * self->triangle_count;
    side *sides = FIL_ARENA_RAW(scratch, side, count);
    self->neighbour = FIL_ARENA_RAW(arena, int, count);
    if (!sides || !self->neighbour)
        return false;
    for (int i = 0; i < count; ++i) {
        int a = self->triangle[i], b = self->triangle[i % 3 == 2 ? i - 2 : i + 1];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, a < b, i};
        self->neighbour[i] = -1;
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    self->closed = true;
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sides[next].low == sides[i].low && sides[next].high == sides[i].high;)
            ++next;
        self->closed = join_sides(self, sides + i, next - i) && self->closed;
    }
    return true;
}

static bool find_fans(fil_solid_mesh *self, fil_arena *arena)
{
    self->fan_start = FIL_ARENA_ARRAY(arena, int, (int64_t)self->vertex_count + 2);
    self->fan = FIL_ARENA_RAW(arena, int, 3 * (int64_t)self->triangle_count);
    if (!self->fan_start || !self->fan)
        return false;
    // Counted two places ahead, so that filling leaves the starts in place.
    for (int i = 0; i < 3 * self->triangle_count; ++i)
        ++self->fan_start[self->triangle[i] + 2];
    for (int v = 0; v < self->vertex_count; ++v)
        self->fan_start[v + 2] += self->fan_start[v + 1];
    for (int i = 0; i < 3 * self->triangle_count; ++i)
        self->fan[self->fan_start[self->triangle[i] + 1]++] = i / 3;
    return true;
}

// The volume by tetrahedra from the first vertex.
static bool looks_inwards(const fil_solid_mesh *self)
{
    double volume = 0;
    for (int t = 0; t < self->triangle_count; ++t) {
        double normal[3], way[3];
        area_of(self, t, normal);
        for (int k = 0; k < 3; ++k)
            way[k] = self->position[3 * (int64_t)self->triangle[3 * (int64_t)t] + k] - self->position[k];
        volume += fil_vec3_dot(normal, way);
    }
    return volume < 0;
}

static void turn_over(fil_solid_mesh *self)
{
    for (int t = 0; t < self->triangle_count; ++t) {
        int *corner = self->triangle + 3 * (int64_t)t, *neighbour = self->neighbour + 3 * (int64_t)t;
        int kept = corner[1], side = neighbour[0];
        corner[1] = corner[2];
        corner[2] = kept;
        neighbour[0] = neighbour[2];
        neighbour[2] = side;
    }
}

static void find_boxes(const fil_solid_mesh *self, const double *from, const double *to, fil_bvh_box *boxes)
{
    for (int t = 0; t < self->triangle_count; ++t) {
        boxes[t] = fil_bvh_box_empty();
        for (int k = 0; k < 3; ++k) {
            int64_t v = self->triangle[3 * (int64_t)t + k];
            fil_bvh_box_add(&boxes[t], from + 3 * v);
            fil_bvh_box_add(&boxes[t], to + 3 * v);
        }
    }
}

// ---- cells

static int cell_at(const fil_bvh_box *all, double size, int cells, int k, double x)
{
    int at = (int)((x - all->low[k]) / size);
    return at < 0 ? 0 : at < cells ? at : cells - 1;
}

static void cut_cells(fil_solid_mesh *self, const fil_bvh_box *all, const fil_bvh_box *boxes)
{
    for (int t = 0; t < self->triangle_count; ++t) {
        int low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            // A hair wider: what lies on a border cuts both cells.
            double more = 1e-6 * self->cell_size;
            low[k] = cell_at(all, self->cell_size, self->cells[k], k, boxes[t].low[k] - more);
            high[k] = cell_at(all, self->cell_size, self->cells[k], k, boxes[t].high[k] + more);
        }
        for (int i = low[0]; i <= high[0]; ++i)
            for (int j = low[1]; j <= high[1]; ++j)
                memset(self->cell + ((int64_t)i * self->cells[1] + j) * self->cells[2] + low[2], FIL_SOLID_CUT,
                       (size_t)(high[2] - low[2] + 1));
    }
}

// Cells side by side that are not cut are on the same side of the surface: only where none before is known, a search
// must tell.
static void tell_cells(fil_solid_mesh *self, const fil_bvh_box *all)
{
    const fil_solid_surface surface = {.mesh = self, .from = self->position, .to = self->position, .tree = self->tree};
    const int64_t row = self->cells[2], layer = self->cells[1] * row;
    for (int i = 0; i < self->cells[0]; ++i)
        for (int j = 0; j < self->cells[1]; ++j)
            for (int l = 0; l < self->cells[2]; ++l) {
                unsigned char *cell = self->cell + i * layer + j * row + l;
                if (*cell == FIL_SOLID_CUT)
                    continue;
                if (l > 0 && cell[-1] != FIL_SOLID_CUT) {
                    *cell = cell[-1];
                } else if (j > 0 && cell[-row] != FIL_SOLID_CUT) {
                    *cell = cell[-row];
                } else if (i > 0 && cell[-layer] != FIL_SOLID_CUT) {
                    *cell = cell[-layer];
                } else {
                    const double x[3] = {all->low[0] + (i + 0.5) * self->cell_size,
                                         all->low[1] + (j + 0.5) * self->cell_size,
                                         all->low[2] + (l + 0.5) * self->cell_size};
                    bool inside = fil_solid_mesh_ask_distance(&surface, x, HUGE_VAL) < 0;
                    *cell = inside ? FIL_SOLID_INSIDE : FIL_SOLID_OUTSIDE;
                }
            }
}

static bool find_cells(fil_solid_mesh *self, fil_arena *arena, const fil_bvh_box *boxes)
{
    const fil_bvh_box all = self->tree.node[0];
    double longest = 0, volume = 1;
    int64_t count = 1;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, all.high[k] - all.low[k]);
        volume *= all.high[k] - all.low[k];
    }
    self->cell_size = fmax(cbrt(volume / ((double)CELLS * self->triangle_count)), longest / CELLS_ALONG);
    for (int k = 0; k < 3; ++k) {
        self->cells[k] = (int)((all.high[k] - all.low[k]) / self->cell_size) + 1;
        count *= self->cells[k];
    }
    self->cell = FIL_ARENA_RAW(arena, unsigned char, count);
    if (!self->cell)
        return false;
    memset(self->cell, FIL_SOLID_OUTSIDE, (size_t)count);
    cut_cells(self, &all, boxes);
    tell_cells(self, &all);
    return true;
}

// ---- all of it

static bool make_mesh(fil_arena *arena, fil_arena *scratch, const fil_obstacle *obstacle, fil_solid_mesh **out)
{
    const fil_mesh *mesh = obstacle->mesh;
    fil_solid_mesh *self = FIL_ARENA_ARRAY(arena, fil_solid_mesh, 1);
    int *name = FIL_ARENA_RAW(scratch, int, mesh->vertex_count);
    if (!self || !name)
        return false;
    self->pose_count = obstacle->pose_count > 0 ? obstacle->pose_count : 1;
    self->triangle = FIL_ARENA_RAW(arena, int, 3 * (int64_t)mesh->triangle_count);
    if (!self->triangle || !merge_vertices(self, arena, scratch, obstacle, name))
        return false;
    if (!keep_triangles(self, mesh, name))
        return true;
    fil_bvh_box *boxes = FIL_ARENA_RAW(scratch, fil_bvh_box, self->triangle_count);
    if (!boxes || !find_neighbours(self, arena, scratch) || !find_fans(self, arena))
        return false;
    if (self->closed && looks_inwards(self))
        turn_over(self);
    find_boxes(self, self->position, self->position, boxes);
    if (!fil_bvh_create(arena, boxes, self->triangle_count, &self->tree))
        return false;
    if (self->closed && self->pose_count == 1 && !find_cells(self, arena, boxes))
        return false;
    *out = self;
    return true;
}

fil_status fil_solid_mesh_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle,
                                 fil_solid_mesh **out)
{
    *out = NULL;
    fil_arena *scratch = fil_arena_create(context);
    bool done = scratch && make_mesh(arena, scratch, obstacle, out);
    fil_arena_destroy(scratch);
    return done ? FIL_OK : FIL_NO_MEMORY;
}

// The vertices at a time, straight between poses.
static void interpolate(const fil_solid_mesh *self, double time, double *out)
{
    int after = 0;
    while (after < self->pose_count && self->pose_time[after] <= time)
        ++after;
    int low = after > 0 ? after - 1 : 0, high = after < self->pose_count ? after : self->pose_count - 1;
    double span = self->pose_time[high] - self->pose_time[low];
    double part = span > 0 ? (time - self->pose_time[low]) / span : 0;
    const double *a = self->position + 3 * (int64_t)low * self->vertex_count;
    const double *b = self->position + 3 * (int64_t)high * self->vertex_count;
    for (int64_t i = 0; i < 3 * (int64_t)self->vertex_count; ++i)
        out[i] = a[i] + part * (b[i] - a[i]);
}

fil_status fil_solid_mesh_surface(fil_arena *arena, const fil_solid *solid, fil_solid_surface *out)
{
    const fil_solid_mesh *self = solid->mesh;
    *out = (fil_solid_surface){.mesh = self, .from = self->position, .to = self->position, .tree = self->tree};
    if (self->pose_count == 1)
        return FIL_OK;
    out->from = FIL_ARENA_RAW(arena, double, 3 * (int64_t)self->vertex_count);
    out->to = FIL_ARENA_RAW(arena, double, 3 * (int64_t)self->vertex_count);
    out->boxes = FIL_ARENA_RAW(arena, fil_bvh_box, self->triangle_count);
    bool made = out->from && out->to && out->boxes && fil_bvh_share(arena, &self->tree, &out->tree);
    return made ? FIL_OK : FIL_NO_MEMORY;
}

void fil_solid_surface_move(fil_solid_surface *self, double time_from, double time_to)
{
    const fil_solid_mesh *mesh = self->mesh;
    if (mesh->pose_count == 1)
        return;
    interpolate(mesh, time_from, self->from);
    interpolate(mesh, time_to, self->to);
    find_boxes(mesh, self->from, self->to, self->boxes);
    fil_bvh_refit(&self->tree, self->boxes);
    self->stir = 0;
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        double way[3];
        for (int k = 0; k < 3; ++k)
            way[k] = self->to[3 * v + k] - self->from[3 * v + k];
        self->stir = fmax(self->stir, fil_vec3_norm(way));
    }
}

fil_status fil_solid_mesh_pose(fil_arena *arena, const fil_solid *solid, double time_from, double time_to,
                               fil_solid_surface *out)
{
    fil_status status = fil_solid_mesh_surface(arena, solid, out);
    if (status == FIL_OK)
        fil_solid_surface_move(out, time_from, time_to);
    return status;
}
