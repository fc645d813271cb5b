// A tree of boxes.
//
// Items are sorted along a curve that fills space (Morton order), and a few neighbours on it make a leaf. The tree is a
// complete binary one over the leaves, stored without pointers: the children of node i are 2 i + 1 and 2 i + 2.
// O(n log n) to build, O(n) to give it new boxes, about O(log n) to ask.
#include "collide/bvh.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 4 }; // items in a leaf

fil_bvh_box fil_bvh_box_empty(void)
{
    return (fil_bvh_box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

void fil_bvh_box_add(fil_bvh_box *self, const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        self->low[k] = x[k] < self->low[k] ? x[k] : self->low[k];
        self->high[k] = x[k] > self->high[k] ? x[k] : self->high[k];
    }
}

void fil_bvh_box_join(fil_bvh_box *self, const fil_bvh_box *other)
{
    for (int k = 0; k < 3; ++k) {
        self->low[k] = other->low[k] < self->low[k] ? other->low[k] : self->low[k];
        self->high[k] = other->high[k] > self->high[k] ? other->high[k] : self->high[k];
    }
}

void fil_bvh_box_widen(fil_bvh_box *self, double by)
{
    for (int k = 0; k < 3; ++k) {
        self->low[k] -= by;
        self->high[k] += by;
    }
}

bool fil_bvh_box_overlap(const fil_bvh_box *a, const fil_bvh_box *b)
{
    bool together = true;
    for (int k = 0; k < 3; ++k)
        together &= a->low[k] <= b->high[k] && a->high[k] >= b->low[k];
    return together;
}

// ---- building

typedef struct place {
    uint64_t key;
    int item;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : a->item - b->item;
}

// The bits of the three coordinates of a middle, in turns; 0 to 1 along the longest side, so that cells are cubes.
static uint64_t morton_key(const fil_bvh_box *box, const fil_bvh_box *all)
{
    enum { BITS = 20 };
    uint64_t key = 0;
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size = fmax(size, all->high[k] - all->low[k]);
    for (int k = 0; k < 3; ++k) {
        double middle = 0.5 * (box->low[k] + box->high[k]) - all->low[k];
        uint64_t cell = size > 0 ? (uint64_t)(fmin(fmax(middle / size, 0), 1) * ((1 << BITS) - 1)) : 0;
        for (int bit = 0; bit < BITS; ++bit)
            key |= (cell >> bit & 1) << (3 * bit + k);
    }
    return key;
}

static bool sort_items(fil_bvh *self, fil_arena *arena, const fil_bvh_box *boxes)
{
    place *places = FIL_ARENA_ARRAY(arena, place, self->count);
    if (!places)
        return false;
    fil_bvh_box all = fil_bvh_box_empty();
    for (int i = 0; i < self->count; ++i)
        fil_bvh_box_join(&all, &boxes[i]);
    for (int i = 0; i < self->count; ++i)
        places[i] = (place){morton_key(&boxes[i], &all), i};
    qsort(places, (size_t)self->count, sizeof *places, compare_places);
    for (int i = 0; i < self->count; ++i)
        self->order[i] = places[i].item;
    return true;
}

bool fil_bvh_share(fil_arena *arena, const fil_bvh *from, fil_bvh *out)
{
    *out = *from;
    out->item = FIL_ARENA_RAW(arena, fil_bvh_box, from->count);
    out->node = FIL_ARENA_RAW(arena, fil_bvh_box, 2 * (int64_t)from->leaves - 1);
    return out->item && out->node;
}

void fil_bvh_refit(fil_bvh *self, const fil_bvh_box *boxes)
{
    for (int i = 0; i < 2 * self->leaves - 1; ++i)
        self->node[i] = fil_bvh_box_empty();
    for (int i = 0; i < self->count; ++i) {
        self->item[i] = boxes[self->order[i]];
        fil_bvh_box_join(&self->node[self->leaves - 1 + i / LEAF], &self->item[i]);
    }
    for (int i = 2 * self->leaves - 2; i > 0; --i)
        fil_bvh_box_join(&self->node[(i - 1) / 2], &self->node[i]);
}

bool fil_bvh_create(fil_arena *arena, const fil_bvh_box *boxes, int count, fil_bvh *out)
{
    fil_bvh tree = {.count = count, .leaves = 1};
    while ((int64_t)tree.leaves * LEAF < count)
        tree.leaves *= 2;
    tree.order = FIL_ARENA_RAW(arena, int, count);
    if (!tree.order || !sort_items(&tree, arena, boxes) || !fil_bvh_share(arena, &tree, out))
        return false;
    fil_bvh_refit(out, boxes);
    return true;
}

// ---- asking

void fil_bvh_near(const fil_bvh *self, const fil_bvh_box *box, fil_bvh_visit *visit, void *data)
{
    enum { DEEP = 64 }; // one node waits at each level, and one more
    int waiting[DEEP] = {0}, count = 1, first_leaf = self->leaves - 1;
    while (count > 0) {
        int node = waiting[--count];
        if (!fil_bvh_box_overlap(&self->node[node], box))
            continue;
        if (node < first_leaf) {
            waiting[count++] = 2 * node + 2;
            waiting[count++] = 2 * node + 1;
            continue;
        }
        int begin = (node - first_leaf) * LEAF, end = begin + LEAF < self->count ? begin + LEAF : self->count;
        for (int i = begin; i < end; ++i)
            if (fil_bvh_box_overlap(&self->item[i], box))
                visit(data, self->order[i]);
    }
}

static double square_to_box(const fil_bvh_box *self, const double x[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double below = self->low[k] - x[k], above = x[k] - self->high[k], out = below > above ? below : above;
        square += out > 0 ? out * out : 0;
    }
    return square;
}

typedef struct question {
    const fil_bvh *tree;
    const double *x, *square;
    fil_bvh_visit *visit;
    void *data;
} question;

static void ask_node(const question *self, int node)
{
    const fil_bvh *tree = self->tree;
    int first_leaf = tree->leaves - 1;
    if (node >= first_leaf) {
        int begin = (node - first_leaf) * LEAF, end = begin + LEAF < tree->count ? begin + LEAF : tree->count;
        for (int i = begin; i < end; ++i)
            if (square_to_box(&tree->item[i], self->x) < *self->square)
                self->visit(self->data, tree->order[i]);
        return;
    }
    // The nearer child first: what it finds often rules the other one out.
    int child[2] = {2 * node + 1, 2 * node + 2};
    double square[2];
    for (int k = 0; k < 2; ++k)
        square[k] = square_to_box(&tree->node[child[k]], self->x);
    int nearer = square[1] < square[0];
    for (int k = 0; k < 2; ++k) {
        int which = k == 0 ? nearer : !nearer;
        if (square[which] < *self->square)
            ask_node(self, child[which]);
    }
}

void fil_bvh_nearest(const fil_bvh *self, const double x[3], const double *square, fil_bvh_visit *visit, void *data)
{
    ask_node(&(question){self, x, square, visit, data}, 0);
}
