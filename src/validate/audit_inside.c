// Is a place inside a body, and how far from its surface?
//
// Simple shapes have a formula. For a closed mesh it is the winding number: a line upwards from the place passes
// through triangles; those that face up count +1, those that face down -1, and the place is inside when the sum is not
// zero. All that can go wrong is a line that hits an edge or a corner. So x and z of all corners are rounded to whole
// numbers of 2^-28 of the size of the mesh, where the side of a line on which a point lies is exact in 64 bits, and a
// point on the line counts as on its positive side: as if it were moved by next to nothing in x and z, in the same
// direction always. Every line upwards then passes through the inside of triangles only.
//
// A grid of columns along y holds the triangles above and below each spot; a tree of boxes finds the nearest triangle.
#include "validate/audit_inside.h"

#include "math/quat.h"
#include "validate/audit_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE_BITS = 28, MOST_COLUMNS = 512 }; // columns along x, along z

struct fil_audit_solid {
    const fil_obstacle *obstacle;
    fil_pose back; // from where it stands to its own frame
    // Meshes
    fil_mesh mesh; // as it is at the time
    double low[3], high[3];
    double fine;         // m: the size of a whole number
    int64_t (*whole)[2]; // [vertices] x, z
    int64_t column;      // width of a column, a whole number
    int columns[2];
    int *first; // [columns + 1] where the triangles of a column begin
    int *list;  // of triangles
    fil_audit_tree tree;
};

static const char no_mesh[] = "has no triangles", not_closed[] = "is not closed",
                  not_finite[] = "has corners that are not finite";

// Closed

typedef struct corner {
    double place[3];
    int vertex;
} corner;

typedef struct side {
    int from, to, way; // from < to; way: +1 or -1
} side;

static int compare_corners(const void *left, const void *right)
{
    const corner *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->place[k] != b->place[k])
            return a->place[k] < b->place[k] ? -1 : 1;
    return 0;
}

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

// Corners at one place get one number.
static bool number_corners(fil_arena *arena, const fil_mesh *mesh, int *number)
{
    corner *corners = FIL_ARENA_RAW(arena, corner, mesh->vertex_count);
    if (!corners)
        return false;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        corners[v].vertex = v;
        for (int k = 0; k < 3; ++k)
            corners[v].place[k] = mesh->position[3 * (int64_t)v + k];
    }
    qsort(corners, (size_t)mesh->vertex_count, sizeof *corners, compare_corners);
    for (int i = 0, at = 0; i < mesh->vertex_count; ++i) {
        at += i > 0 && compare_corners(&corners[i - 1], &corners[i]) != 0;
        number[corners[i].vertex] = at;
    }
    return true;
}

// Every side of a triangle is run through as often in one direction as in the other.
static fil_status check_closed(fil_arena *arena, const fil_mesh *mesh, bool *closed)
{
    int64_t count = 3 * (int64_t)mesh->triangle_count;
    int *number = FIL_ARENA_RAW(arena, int, mesh->vertex_count);
    side *sides = FIL_ARENA_RAW(arena, side, count);
    if (!number || !sides || !number_corners(arena, mesh, number))
        return FIL_NO_MEMORY;
    for (int64_t i = 0; i < count; ++i) {
        int a = number[mesh->triangle[i]], b = number[mesh->triangle[i - i % 3 + (i + 1) % 3]];
        sides[i] = a < b ? (side){a, b, 1} : (side){b, a, a > b ? -1 : 0};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    int sum = 0;
    *closed = true;
    for (int64_t i = 0; i < count; ++i) {
        sum += sides[i].way;
        if (i + 1 == count || compare_sides(&sides[i], &sides[i + 1]) != 0) {
            *closed = *closed && sum == 0;
            sum = 0;
        }
    }
    return FIL_OK;
}

// Columns

static int64_t whole(const fil_audit_solid *self, int axis, double x)
{
    return (int64_t)floor((x - self->low[2 * axis]) / self->fine + 0.5);
}

// The columns that a triangle lies in: low and high, x and z.
static void columns_of(const fil_audit_solid *self, int triangle, int low[2], int high[2])
{
    for (int axis = 0; axis < 2; ++axis) {
        low[axis] = self->columns[axis];
        high[axis] = 0;
        for (int c = 0; c < 3; ++c) {
            int at = (int)(self->whole[self->mesh.triangle[3 * (int64_t)triangle + c]][axis] / self->column);
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
}

// Counts the triangles of every column, or (with a list) puts them there.
static int64_t visit_columns(fil_audit_solid *self, int *fill)
{
    int64_t sum = 0;
    for (int t = 0; t < self->mesh.triangle_count; ++t) {
        int low[2], high[2];
        columns_of(self, t, low, high);
        for (int z = low[1]; z <= high[1]; ++z)
            for (int x = low[0]; x <= high[0]; ++x, ++sum) {
                int *at = &fill[z * self->columns[0] + x];
                if (self->list)
                    self->list[*at] = t;
                ++*at;
            }
    }
    return sum;
}

static fil_status make_columns(fil_arena *arena, fil_audit_solid *self)
{
    int64_t wide[2] = {whole(self, 0, self->high[0]), whole(self, 1, self->high[2])};
    double along = sqrt(0.5 * self->mesh.triangle_count);
    along = along < 1 ? 1 : along < MOST_COLUMNS ? along : MOST_COLUMNS;
    self->column = 1 + (int64_t)((double)(wide[0] > wide[1] ? wide[0] : wide[1]) / along);
    for (int axis = 0; axis < 2; ++axis)
        self->columns[axis] = 1 + (int)(wide[axis] / self->column);
    int count = self->columns[0] * self->columns[1];
    int *fill = FIL_ARENA_ARRAY(arena, int, count);
    self->first = FIL_ARENA_ARRAY(arena, int, count + 1);
    if (!fill || !self->first)
        return FIL_NO_MEMORY;
    int *list = FIL_ARENA_RAW(arena, int, visit_columns(self, fill));
    if (!list)
        return FIL_NO_MEMORY;
    for (int i = 0; i < count; ++i) {
        self->first[i + 1] = self->first[i] + fill[i];
        fill[i] = self->first[i];
    }
    self->list = list;
    visit_columns(self, fill);
    return FIL_OK;
}

static fil_status make_tree(fil_context *context, fil_arena *arena, fil_audit_solid *self)
{
    fil_audit_box *boxes = FIL_ARENA_RAW(arena, fil_audit_box, self->mesh.triangle_count);
    if (!boxes)
        return FIL_NO_MEMORY;
    for (int t = 0; t < self->mesh.triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            double low = INFINITY, high = -INFINITY;
            for (int c = 0; c < 3; ++c) {
                double x = self->mesh.position[3 * (int64_t)self->mesh.triangle[3 * (int64_t)t + c] + k];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            boxes[t].low[k] = nextafterf((float)low, -INFINITY);
            boxes[t].high[k] = nextafterf((float)high, INFINITY);
        }
    return fil_audit_tree_build(context, arena, boxes, self->mesh.triangle_count, &self->tree);
}

// Inside

static void measure(fil_audit_solid *self)
{
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        self->low[k] = INFINITY;
        self->high[k] = -INFINITY;
        for (int64_t v = 0; v < self->mesh.vertex_count; ++v) {
            double x = self->mesh.position[3 * v + k];
            self->low[k] = x < self->low[k] ? x : self->low[k];
            self->high[k] = x > self->high[k] ? x : self->high[k];
        }
        size = fmax(size, self->high[k] - self->low[k]);
    }
    self->fine = size / (double)(1 << FINE_BITS);
}

// A mesh that changes its shape goes straight from pose to pose.
static fil_status blend_poses(fil_arena *arena, const fil_obstacle *obstacle, double time, fil_mesh *mesh)
{
    int64_t size = 3 * (int64_t)mesh->vertex_count;
    const double *t = obstacle->pose_time;
    int last = obstacle->pose_count - 1, i = 0;
    mesh->position = FIL_ARENA_RAW(arena, double, size);
    if (!mesh->position)
        return FIL_NO_MEMORY;
    while (i + 1 < last && t[i + 1] < time)
        ++i;
    int next = i < last ? i + 1 : i;
    double part = next > i ? fmin(fmax((time - t[i]) / (t[next] - t[i]), 0), 1) : 0;
    for (int64_t k = 0; k < size; ++k)
        mesh->position[k] =
            (1 - part) * obstacle->pose_position[i * size + k] + part * obstacle->pose_position[next * size + k];
    return FIL_OK;
}

// Why a mesh cannot be checked; NULL: it can.
static fil_status find_defect(fil_arena *arena, const fil_mesh *mesh, const char **defect)
{
    *defect = not_finite;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
        if (!isfinite(mesh->position[i]))
            return FIL_OK;
    bool closed = false;
    fil_status status = check_closed(arena, mesh, &closed);
    *defect = closed ? NULL : not_closed;
    return status;
}

static fil_status prepare_mesh(fil_context *context, fil_arena *arena, fil_audit_solid *self, const char **left_out)
{
    fil_status status = find_defect(arena, &self->mesh, left_out);
    if (status != FIL_OK || *left_out)
        return status;
    measure(self);
    if (!(self->high[0] > self->low[0] && self->high[1] > self->low[1] && self->high[2] > self->low[2])) {
        *left_out = not_closed; // as flat as a sheet
        return FIL_OK;
    }
    int64_t vertices = self->mesh.vertex_count;
    self->whole = fil_arena_allocate_raw(arena, (size_t)vertices, sizeof *self->whole);
    if (!self->whole)
        return FIL_NO_MEMORY;
    for (int64_t v = 0; v < vertices; ++v)
        for (int k = 0; k < 2; ++k)
            self->whole[v][k] = whole(self, k, self->mesh.position[3 * v + 2 * k]);
    status = make_columns(arena, self);
    return status == FIL_OK ? make_tree(context, arena, self) : status;
}

fil_status fil_audit_inside_create(fil_context *context, fil_arena *arena, const fil_obstacle *obstacle, double time,
                                   const char **left_out, fil_audit_solid **out)
{
    *out = NULL;
    *left_out = NULL;
    fil_audit_solid *self = FIL_ARENA_ARRAY(arena, fil_audit_solid, 1);
    if (!self)
        return FIL_NO_MEMORY;
    self->obstacle = obstacle;
    self->back = fil_audit_inside_inverse(&obstacle->place);
    fil_status status = FIL_OK;
    if (obstacle->shape == FIL_OBSTACLE_MESH && (!obstacle->mesh || obstacle->mesh->triangle_count == 0)) {
        *left_out = no_mesh;
    } else if (obstacle->shape == FIL_OBSTACLE_MESH) {
        self->mesh = *obstacle->mesh;
        if (obstacle->pose_count > 0)
            status = blend_poses(arena, obstacle, time, &self->mesh);
        if (status == FIL_OK)
            status = prepare_mesh(context, arena, self, left_out);
    }
    *out = status == FIL_OK && !*left_out ? self : NULL;
    return status;
}

// Twice the area of a, b and p, with the sign that says on which side of the line through a and b p lies. Both
// triangles at an edge get the same number, with opposite signs; on the line counts as the positive side of the line
// from the lesser corner to the greater.
static int64_t area_beside(const int64_t a[2], const int64_t b[2], const int64_t p[2], bool *positive)
{
    bool ordered = a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
    int64_t area = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    *positive = area > 0 || (area == 0 && ordered);
    return area;
}

// +1 or -1: the line upwards from the place passes through the triangle; 0: it does not.
static int passes(const fil_audit_solid *self, int triangle, const int64_t p[2], double height)
{
    const int *vertex = self->mesh.triangle + 3 * (int64_t)triangle;
    int64_t weight[3], sum = 0;
    bool positive[3];
    for (int c = 0; c < 3; ++c) {
        const int64_t *a = self->whole[vertex[(c + 1) % 3]], *b = self->whole[vertex[(c + 2) % 3]];
        weight[c] = area_beside(a, b, p, &positive[c]);
        sum += weight[c];
    }
    if (sum == 0 || positive[0] != positive[1] || positive[0] != positive[2])
        return 0;
    double surface = 0;
    for (int c = 0; c < 3; ++c)
        surface += (double)weight[c] / (double)sum * self->mesh.position[3 * (int64_t)vertex[c] + 1];
    return surface > height ? (sum > 0 ? 1 : -1) : 0;
}

static bool is_inside(const fil_audit_solid *self, const double place[3])
{
    for (int k = 0; k < 3; ++k)
        if (!(place[k] >= self->low[k] && place[k] <= self->high[k]))
            return false;
    int64_t p[2] = {whole(self, 0, place[0]), whole(self, 1, place[2])};
    int at = (int)(p[1] / self->column * self->columns[0] + p[0] / self->column), winding = 0;
    for (int i = self->first[at]; i < self->first[at + 1]; ++i)
        winding += passes(self, self->list[i], p, place[1]);
    return winding != 0;
}

// Distance

// The square of the distance of p from the segment a b, seen from p.
static double segment_distance(const double a[3], const double b[3])
{
    double along[3], size = 0, part = 0, sum = 0;
    for (int k = 0; k < 3; ++k) {
        along[k] = b[k] - a[k];
        size += along[k] * along[k];
        part -= a[k] * along[k];
    }
    part = size > 0 ? fmin(fmax(part / size, 0), 1) : 0;
    for (int k = 0; k < 3; ++k) {
        double x = a[k] + part * along[k];
        sum += x * x;
    }
    return sum;
}

// The square of the distance of p from a triangle: from its plane when p is above or below it, else from its sides.
static double triangle_distance(void *user, int triangle, const double p[3])
{
    const fil_audit_solid *self = user;
    double c[3][3], u[3], v[3], n[3], best = INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c[i][k] = self->mesh.position[3 * (int64_t)self->mesh.triangle[3 * (int64_t)triangle + i] + k] - p[k];
    for (int k = 0; k < 3; ++k) {
        u[k] = c[1][k] - c[0][k];
        v[k] = c[2][k] - c[0][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double size = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    bool above = size > 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = c[i], *b = c[(i + 1) % 3];
        double turn = 0;
        for (int k = 0; k < 3; ++k)
            turn += n[k] * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
        above = above && turn >= 0;
        best = fmin(best, segment_distance(a, b));
    }
    if (!above)
        return best;
    double height = n[0] * c[0][0] + n[1] * c[0][1] + n[2] * c[0][2];
    return fmin(best, height * height / size);
}

// Simple shapes

static double shape_depth(const fil_obstacle *obstacle, const double p[3])
{
    const double *size = obstacle->size;
    double beyond = fabs(p[1]) - 0.5 * size[1]; // the end of what lies along y
    switch (obstacle->shape) {
    case FIL_OBSTACLE_PLANE:
        return -p[1];
    case FIL_OBSTACLE_SPHERE:
        return size[0] - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    case FIL_OBSTACLE_CAPSULE:
        return size[0] - hypot(hypot(p[0], p[2]), fmax(beyond, 0));
    case FIL_OBSTACLE_CYLINDER:
        return fmin(size[0] - hypot(p[0], p[2]), -beyond);
    case FIL_OBSTACLE_BOX:
        return fmin(size[0] - fabs(p[0]), fmin(size[1] - fabs(p[1]), size[2] - fabs(p[2])));
    default:
        return 0;
    }
}

fil_pose fil_audit_inside_inverse(const fil_pose *pose)
{
    fil_pose back = {.rotation = {pose->rotation[0], -pose->rotation[1], -pose->rotation[2], -pose->rotation[3]}};
    fil_quat_normalise(back.rotation);
    fil_quat_rotate(back.rotation, pose->position, back.position);
    for (int k = 0; k < 3; ++k)
        back.position[k] = -back.position[k];
    return back;
}

void fil_audit_inside_move(const fil_pose *pose, const double place[3], double out[3])
{
    fil_quat_rotate(pose->rotation, place, out);
    for (int k = 0; k < 3; ++k)
        out[k] += pose->position[k];
}

double fil_audit_inside_depth(const fil_audit_solid *solid, const double place[3])
{
    double p[3];
    fil_audit_inside_move(&solid->back, place, p);
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
        return 0;
    if (solid->obstacle->shape != FIL_OBSTACLE_MESH)
        return fmax(shape_depth(solid->obstacle, p), 0);
    return is_inside(solid, p) ? sqrt(fil_audit_tree_nearest(&solid->tree, p, triangle_distance, (void *)solid)) : 0;
}
