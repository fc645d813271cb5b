// The tree of boxes against trying all of them, before and after the boxes move.
#include "base/rng.h"
#include "collide/bvh.h"
#include "failing_allocator.h"
#include "test.h"

#include <string.h>

enum { MOST = 300 };

static fil_bvh_box random_box(fil_rng *rng, double size)
{
    fil_bvh_box box;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = fil_rng_uniform(rng, -1, 1);
        box.high[k] = box.low[k] + fil_rng_uniform(rng, 0, size);
    }
    return box;
}

static void count_visit(void *data, int item)
{
    ++((int *)data)[item];
}

static void check_near(const fil_bvh *tree, const fil_bvh_box *boxes, int count, fil_rng *rng)
{
    for (int ask = 0; ask < 50; ++ask) {
        fil_bvh_box box = random_box(rng, 0.5);
        int seen[MOST] = {0};
        fil_bvh_near(tree, &box, count_visit, seen);
        for (int i = 0; i < count; ++i)
            ck_assert_int_eq(seen[i], fil_bvh_box_overlap(&box, &boxes[i]));
    }
}

TEST(bvh_finds_all_boxes_once)
{
    fil_context *context = fil_context_create(NULL);
    fil_rng rng = fil_rng_make(5);
    for (int count = 0; count <= MOST; count = count < 10 ? count + 1 : 2 * count + 7) {
        fil_arena *arena = fil_arena_create(context);
        fil_bvh_box boxes[MOST];
        for (int i = 0; i < count; ++i)
            boxes[i] = random_box(&rng, 0.2);
        fil_bvh tree, moved;
        ck_assert(fil_bvh_create(arena, boxes, count, &tree));
        check_near(&tree, boxes, count, &rng);
        fil_bvh_box before[MOST];
        memcpy(before, boxes, sizeof before);
        for (int i = 0; i < count; ++i)
            boxes[i] = random_box(&rng, 0.2);
        ck_assert(fil_bvh_share(arena, &tree, &moved));
        fil_bvh_refit(&moved, boxes);
        check_near(&moved, boxes, count, &rng);
        check_near(&tree, before, count, &rng);
        fil_bvh_refit(&tree, boxes);
        check_near(&tree, boxes, count, &rng);
        fil_arena_destroy(arena);
    }
    fil_context_destroy(context);
}

TEST(bvh_box_of_all_is_tight)
{
    fil_bvh_box all = fil_bvh_box_empty(), one = {{1, 2, 3}, {4, 5, 6}}, none = fil_bvh_box_empty();
    fil_bvh_box_join(&all, &one);
    fil_bvh_box_join(&all, &none);
    ck_assert_mem_eq(&all, &one, sizeof all);
}

static fil_status build(fil_context *context, void *data)
{
    fil_arena *arena = fil_arena_create(context);
    fil_rng rng = fil_rng_make(1);
    fil_bvh_box boxes[20];
    for (int i = 0; i < 20; ++i)
        boxes[i] = random_box(&rng, 0.1);
    fil_status status = arena && fil_bvh_create(arena, boxes, 20, data) ? FIL_OK : FIL_NO_MEMORY;
    fil_arena_destroy(arena);
    return status;
}

TEST(bvh_survives_failing_allocation)
{
    fil_bvh tree;
    test_failing_allocation(build, &tree);
}
