// Which boxes overlap, and which is nearest: a tree of boxes for the audit alone, with nothing to set and no bad cases
// like one cell that holds everything.
//
// Boxes are sorted along a curve that fills space (the bits of x, y and z of their middles in turn), so that those that
// follow each other lie near each other. Four at a time get a box around them, four of those another one, and so on up
// to a single box. O(n) to build; a search costs about log n and what it finds.
#include "validate/audit_tree.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { CHILDREN = 4, BITS = 10, DIGIT = 10, DIGITS = 3 * BITS / DIGIT, GRAIN = 4096 };

static bool is_empty(const fil_audit_box *box)
{
    return box->low[0] > box->high[0];
}

static void join(fil_audit_box *box, const fil_audit_box *other)
{
    for (int k = 0; k < 3; ++k) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

static bool overlap(const fil_audit_box *a, const fil_audit_box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
           a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

// Where the middle of a box lies on the curve.
static uint32_t key_of(const fil_audit_box *box, const fil_audit_box *all)
{
    uint32_t key = 0;
    if (is_empty(box))
        return 0;
    for (int k = 0; k < 3; ++k) {
        double low = (double)all->low[k], width = (double)all->high[k] - low;
        double part = width > 0 ? (0.5 * ((double)box->low[k] + (double)box->high[k]) - low) / width : 0;
        part = part > 0 ? part : 0; // numbers near the largest float overflow
        uint32_t cell = (uint32_t)((part < 1 ? part : 1) * ((1 << BITS) - 1));
        for (int bit = 0; bit < BITS; ++bit)
            key |= (cell >> bit & 1u) << (3 * bit + k);
    }
    return key;
}

// Sorts `order` by its keys, digit by digit from the last; equal keys keep their order.
static void sort(const uint32_t *key, int count, int *order, int *spare)
{
    for (int digit = 0; digit < DIGITS; ++digit) {
        int start[(1 << DIGIT) + 1] = {0}, shift = digit * DIGIT;
        for (int i = 0; i < count; ++i)
            ++start[(key[i] >> shift & ((1u << DIGIT) - 1)) + 1];
        for (int i = 0; i < 1 << DIGIT; ++i)
            start[i + 1] += start[i];
        for (int i = 0; i < count; ++i)
            spare[start[key[order[i]] >> shift & ((1u << DIGIT) - 1)]++] = order[i];
        memcpy(order, spare, (size_t)count * sizeof *order);
    }
}

typedef struct keys_job {
    const fil_audit_box *boxes;
    fil_audit_box all;
    uint32_t *key;
} keys_job;

static void find_keys(void *data, int64_t begin, int64_t end)
{
    keys_job *job = data;
    for (int64_t i = begin; i < end; ++i)
        job->key[i] = key_of(&job->boxes[i], &job->all);
}

static fil_status sort_boxes(fil_context *context, fil_arena *arena, const fil_audit_box *boxes, fil_audit_tree *out)
{
    int count = out->count, *spare = FIL_ARENA_RAW(arena, int, count);
    keys_job job = {.boxes = boxes, .all = fil_audit_box_empty(), .key = FIL_ARENA_RAW(arena, uint32_t, count)};
    out->order = FIL_ARENA_RAW(arena, int, count);
    if (!spare || !job.key || !out->order)
        return FIL_NO_MEMORY;
    for (int i = 0; i < count; ++i) {
        join(&job.all, &boxes[i]);
        out->order[i] = i;
    }
    fil_parallel_for(context, count, GRAIN, find_keys, &job);
    sort(job.key, count, out->order, spare);
    return FIL_OK;
}

fil_status fil_audit_tree_build(fil_context *context, fil_arena *arena, const fil_audit_box *boxes, int count,
                                fil_audit_tree *out)
{
    *out = (fil_audit_tree){.count = count};
    fil_status status = sort_boxes(context, arena, boxes, out);
    if (status != FIL_OK)
        return status;
    for (int size = count, level = 0;; size = size / CHILDREN + (size % CHILDREN > 0), ++level) {
        fil_audit_box *box = out->level[level] = FIL_ARENA_RAW(arena, fil_audit_box, size);
        if (!box)
            return FIL_NO_MEMORY;
        out->level_size[level] = size;
        out->level_count = level + 1;
        for (int i = 0; i < size; ++i)
            box[i] = level == 0 ? boxes[out->order[i]] : fil_audit_box_empty();
        for (int i = 0; level > 0 && i < out->level_size[level - 1]; ++i)
            join(&box[i / CHILDREN], &out->level[level - 1][i]);
        if (size <= 1)
            return FIL_OK;
    }
}

typedef struct search {
    const fil_audit_tree *tree;
    fil_audit_box box;
    int place;
    fil_audit_tree_visit *visit;
    void *user;
} search;

// `reach`: how many places one box of this level stands for.
static void descend(const search *self, int level, int begin, int64_t reach)
{
    const fil_audit_tree *tree = self->tree;
    int size = tree->level_size[level], end = size - begin > CHILDREN ? begin + CHILDREN : size;
    for (int i = begin; i < end; ++i) {
        if ((i + 1) * reach <= self->place + 1 || !overlap(&self->box, &tree->level[level][i]))
            continue;
        if (level == 0)
            self->visit(self->user, tree->order[self->place], tree->order[i]);
        else
            descend(self, level - 1, i * CHILDREN, reach / CHILDREN);
    }
}

void fil_audit_tree_search(const fil_audit_tree *tree, int place, fil_audit_tree_visit *visit, void *user)
{
    search self = {.tree = tree, .box = tree->level[0][place], .place = place, .visit = visit, .user = user};
    int64_t reach = 1;
    for (int level = 1; level < tree->level_count; ++level)
        reach *= CHILDREN;
    descend(&self, tree->level_count - 1, 0, reach);
}

typedef struct approach {
    const fil_audit_tree *tree;
    const double *place;
    fil_audit_tree_distance *distance;
    void *user;
    double best;
} approach;

static double box_distance(const fil_audit_box *box, const double place[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)box->low[k] - place[k], above = place[k] - (double)box->high[k];
        double away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

// The nearest of the children first: most of the others are then too far away.
static void come_nearer(approach *self, int level, int begin)
{
    const fil_audit_tree *tree = self->tree;
    int count = tree->level_size[level] - begin;
    double away[CHILDREN];
    count = count > CHILDREN ? CHILDREN : count;
    for (int i = 0; i < count; ++i)
        away[i] = box_distance(&tree->level[level][begin + i], self->place);
    for (int round = 0; round < count; ++round) {
        int next = 0;
        for (int i = 1; i < count; ++i)
            next = away[i] < away[next] ? i : next;
        if (!(away[next] < self->best))
            return;
        away[next] = INFINITY;
        if (level > 0) {
            come_nearer(self, level - 1, (begin + next) * CHILDREN);
        } else {
            double distance = self->distance(self->user, tree->order[begin + next], self->place);
            self->best = distance < self->best ? distance : self->best;
        }
    }
}

double fil_audit_tree_nearest(const fil_audit_tree *tree, const double place[3], fil_audit_tree_distance *distance,
                              void *user)
{
    approach self = {.tree = tree, .place = place, .distance = distance, .user = user, .best = INFINITY};
    come_nearer(&self, tree->level_count - 1, 0);
    return self.best;
}
