// The nearest point of a mesh by a tree of boxes.
//
// Triangles are sorted along a curve that fills space (Morton order), and a few neighbours on it make a leaf. The tree
// is a complete binary one over the leaves, stored without pointers: the children of node i are 2 i + 1 and 2 i + 2.
// O(n log n) to build, about O(log n) to ask. Triangles without area are segments or points, and found as such.
#include "collide/nearest.h"

#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 }; // triangles in a leaf

typedef struct box {
    double low[3], high[3];
} box;

struct fil_nearest {
    const fil_mesh *mesh;
    int *order; // [triangles] along the curve
    box *boxes; // [2 leaves - 1]
    int leaves; // a power of two; the last ones may be empty
};

static box empty_box(void)
{
    return (box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static void add_to_box(box *self, const double low[3], const double high[3])
{
    for (int k = 0; k < 3; ++k) {
        self->low[k] = fmin(self->low[k], low[k]);
        self->high[k] = fmax(self->high[k], high[k]);
    }
}

static double square_to_box(const box *self, const double x[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double out = fmax(fmax(self->low[k] - x[k], x[k] - self->high[k]), 0);
        square += out * out;
    }
    return square;
}

// ---- building

typedef struct place {
    uint64_t key;
    int triangle;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : a->triangle - b->triangle;
}

// The bits of the three coordinates of a middle, 0 to 1 within the box, in turns.
static uint64_t morton_key(const fil_mesh *mesh, int triangle, const box *all)
{
    enum { BITS = 20 };
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        double size = all->high[k] - all->low[k], middle = 0;
        for (int c = 0; c < 3; ++c)
            middle += (fil_nearest_corner(mesh, triangle, c)[k] - all->low[k]) / 3;
        uint64_t cell = size > 0 ? (uint64_t)(fmin(fmax(middle / size, 0), 1) * ((1 << BITS) - 1)) : 0;
        for (int bit = 0; bit < BITS; ++bit)
            key |= (cell >> bit & 1) << (3 * bit + k);
    }
    return key;
}

static bool sort_triangles(fil_nearest *self, fil_arena *arena)
{
    const fil_mesh *mesh = self->mesh;
    place *places = FIL_ARENA_ARRAY(arena, place, mesh->triangle_count);
    if (!places)
        return false;
    box all = empty_box();
    for (int i = 0; i < mesh->vertex_count; ++i)
        add_to_box(&all, mesh->position + 3 * (int64_t)i, mesh->position + 3 * (int64_t)i);
    for (int i = 0; i < mesh->triangle_count; ++i)
        places[i] = (place){morton_key(mesh, i, &all), i};
    qsort(places, (size_t)mesh->triangle_count, sizeof *places, compare_places);
    for (int i = 0; i < mesh->triangle_count; ++i)
        self->order[i] = places[i].triangle;
    return true;
}

fil_nearest *fil_nearest_create(fil_arena *arena, const fil_mesh *mesh)
{
    fil_nearest *self = FIL_ARENA_ARRAY(arena, fil_nearest, 1);
    if (!self)
        return NULL;
    *self = (fil_nearest){.mesh = mesh, .leaves = 1};
    while ((int64_t)self->leaves * LEAF < mesh->triangle_count)
        self->leaves *= 2;
    self->order = FIL_ARENA_ARRAY(arena, int, mesh->triangle_count);
    self->boxes = FIL_ARENA_ARRAY(arena, box, 2 * (int64_t)self->leaves);
    if (!self->order || !self->boxes || !sort_triangles(self, arena))
        return NULL;
    for (int i = 0; i < 2 * self->leaves - 1; ++i)
        self->boxes[i] = empty_box();
    for (int i = 0; i < mesh->triangle_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double *x = fil_nearest_corner(mesh, self->order[i], k);
            add_to_box(&self->boxes[self->leaves - 1 + i / LEAF], x, x);
        }
    for (int i = 2 * self->leaves - 2; i > 0; --i)
        add_to_box(&self->boxes[(i - 1) / 2], self->boxes[i].low, self->boxes[i].high);
    return self;
}

// ---- asking

// Weights of the point of the segment a b that is nearest to x, the origin.
static void nearest_on_segment(const double a[3], const double b[3], double *first, double *second)
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double square = fil_vec3_dot(d, d), t = square > 0 ? -fil_vec3_dot(a, d) / square : 0;
    *second = fmin(fmax(t, 0), 1);
    *first = 1 - *second;
}

static double square_at(double y[3][3], const double weight[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double at = weight[0] * y[0][k] + weight[1] * y[1][k] + weight[2] * y[2][k];
        square += at * at;
    }
    return square;
}

// Corners relative to the point; the squared distance. The foot of the perpendicular when it lies inside, otherwise the
// nearest point of the three sides.
static double nearest_on_triangle(double y[3][3], double weight[3])
{
    double e[3], f[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = y[1][k] - y[0][k];
        f[k] = y[2][k] - y[0][k];
    }
    double ee = fil_vec3_dot(e, e), ef = fil_vec3_dot(e, f), ff = fil_vec3_dot(f, f), det = ee * ff - ef * ef;
    double ye = -fil_vec3_dot(y[0], e), yf = -fil_vec3_dot(y[0], f);
    double second = (ff * ye - ef * yf) / det, third = (ee * yf - ef * ye) / det;
    if (det > 1e-14 * ee * ff && second >= 0 && third >= 0 && second + third <= 1) {
        weight[0] = 1 - second - third;
        weight[1] = second;
        weight[2] = third;
        return square_at(y, weight);
    }
    double best = HUGE_VAL;
    for (int side = 0; side < 3; ++side) {
        int next = (side + 1) % 3;
        double tried[3] = {0, 0, 0};
        nearest_on_segment(y[side], y[next], &tried[side], &tried[next]);
        double square = square_at(y, tried);
        if (square < best) {
            best = square;
            memcpy(weight, tried, sizeof tried);
        }
    }
    return best;
}

typedef struct question {
    const fil_nearest *tree;
    const double *x;
    double best; // squared distance
    int triangle;
    double weight[3];
} question;

static void ask_leaf(question *self, int leaf)
{
    const fil_mesh *mesh = self->tree->mesh;
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < mesh->triangle_count; ++i) {
        int triangle = self->tree->order[i];
        double y[3][3], weight[3];
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                y[c][k] = fil_nearest_corner(mesh, triangle, c)[k] - self->x[k];
        double square = nearest_on_triangle(y, weight);
        if (square < self->best) {
            self->best = square;
            self->triangle = triangle;
            memcpy(self->weight, weight, sizeof weight);
        }
    }
}

static void ask_node(question *self, int node)
{
    int first_leaf = self->tree->leaves - 1;
    if (node >= first_leaf) {
        ask_leaf(self, node - first_leaf);
        return;
    }
    // The nearer child first: what it finds often rules the other one out.
    int child[2] = {2 * node + 1, 2 * node + 2};
    double square[2];
    for (int k = 0; k < 2; ++k)
        square[k] = square_to_box(&self->tree->boxes[child[k]], self->x);
    int nearer = square[1] < square[0];
    for (int k = 0; k < 2; ++k) {
        int which = k == 0 ? nearer : !nearer;
        if (square[which] < self->best)
            ask_node(self, child[which]);
    }
}

bool fil_nearest_find(const fil_nearest *self, const double x[3], double within, fil_nearest_point *out)
{
    question question = {.tree = self, .x = x, .best = within * within, .triangle = -1};
    ask_node(&question, 0);
    if (question.triangle < 0)
        return false;
    *out = (fil_nearest_point){.distance = sqrt(question.best), .triangle = question.triangle};
    for (int c = 0; c < 3; ++c) {
        out->weight[c] = question.weight[c];
        for (int k = 0; k < 3; ++k)
            out->x[k] += question.weight[c] * fil_nearest_corner(self->mesh, question.triangle, c)[k];
    }
    return true;
}
