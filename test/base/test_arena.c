// Arenas: alignment, zeroing, rewinding, growth, and memory that runs out.
#include "failing_allocator.h"

#include "base/arena.h"

#include <stdint.h>
#include <string.h>

TEST(arena_memory_is_aligned_and_zero)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *bytes = fil_arena_allocate(arena, size, 1);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_uint_eq((uintptr_t)bytes % 64, 0);
        for (size_t i = 0; i < size; ++i)
            if (bytes[i] != 0)
                ck_abort_msg("byte %zu of %zu is not zero", i, size);
        memset(bytes, 0xff, size);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

// Small and large arrays in turn must not overlap.
TEST(arena_arrays_do_not_overlap)
{
    enum { COUNT = 300 };
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    int *arrays[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        int length = k % 10 == 0 ? 50000 + k : 100 + k;
        arrays[k] = FIL_ARENA_ARRAY(arena, int, length);
        for (int i = 0; i < length; ++i)
            arrays[k][i] = k;
    }
    int wrong = 0;
    for (int k = 0; k < COUNT; ++k)
        for (int i = 0; i < (k % 10 == 0 ? 50000 + k : 100 + k); ++i)
            wrong += arrays[k][i] != k;
    ck_assert_int_eq(wrong, 0);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(arena_rewind_zeroes_again_and_asks_for_nothing)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    fil_arena *arena = fil_arena_create(context);
    int *kept = FIL_ARENA_ARRAY(arena, int, 10);
    kept[9] = 42;
    long calls = 0;
    for (int round = 0; round < 20; ++round) {
        fil_arena_mark mark = fil_arena_mark_now(arena);
        for (int k = 0; k < 50; ++k) {
            int length = k % 7 == 0 ? 40000 : 300, wrong = 0;
            int *array = FIL_ARENA_ARRAY(arena, int, length);
            for (int i = 0; i < length; ++i)
                wrong += array[i] != 0;
            ck_assert_int_eq(wrong, 0);
            memset(array, 1, sizeof(int) * (size_t)length);
        }
        fil_arena_rewind(arena, mark);
        if (round == 0)
            calls = memory.calls;
        ck_assert_int_eq(memory.calls, calls);
    }
    ck_assert_int_eq(kept[9], 42);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
    ck_assert_int_eq(memory.live, 0);
}

TEST(arena_rewind_to_the_empty_arena)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    fil_arena *arena = fil_arena_create(context);
    fil_arena_mark mark = fil_arena_mark_now(arena);
    void *first = fil_arena_allocate(arena, 100, 8);
    fil_arena_rewind(arena, mark);
    ck_assert_ptr_eq(fil_arena_allocate(arena, 100, 8), first);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
    ck_assert_int_eq(memory.live, 0);
}

// A hundred thousand small pieces come from few blocks.
TEST(arena_takes_few_blocks)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    fil_arena *arena = fil_arena_create(context);
    for (int i = 0; i < 100000; ++i)
        if (!fil_arena_allocate(arena, 1, 640))
            ck_abort();
    ck_assert_msg(memory.calls < 80, "%ld blocks", memory.calls);
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

TEST(arena_refuses_absurd_sizes)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    ck_assert_ptr_null(fil_arena_allocate(arena, SIZE_MAX, 8));
    test_contains(fil_context_error(context), "out of memory");
    ck_assert_ptr_null(fil_arena_allocate(arena, (size_t)-1, 1));
    ck_assert_ptr_null(FIL_ARENA_ARRAY(arena, double, -3));
    ck_assert_ptr_nonnull(fil_arena_allocate(arena, 0, 8));
    fil_arena_destroy(arena);
    fil_arena_destroy(NULL);
    fil_context_destroy(context);
}

static fil_status use_arena(fil_context *context, void *data)
{
    (void)data;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_status status = FIL_OK;
    for (int i = 0; i < 20 && status == FIL_OK; ++i)
        if (!fil_arena_allocate(arena, 1, 50000))
            status = FIL_NO_MEMORY;
    fil_arena_destroy(arena);
    return status;
}

TEST(arena_survives_failing_allocation)
{
    ck_assert_int_gt(test_failing_allocation(use_arena, NULL), 5);
}

// Many blocks become one, and from then on the same work asks for nothing; all goes with the context.
TEST(arena_that_is_borrowed_again_asks_for_nothing)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    long calls = 0;
    for (int round = 0; round < 6; ++round) {
        if (round == 2)
            calls = memory.calls;
        fil_arena *arena = fil_arena_borrow(context), *other = fil_arena_borrow(context);
        ck_assert_ptr_ne(arena, other);
        for (int k = 0; k < 40; ++k) {
            const unsigned char *bytes = fil_arena_allocate(arena, 1, 100000);
            ck_assert_int_eq(bytes[99999], 0);
            memset(fil_arena_allocate(other, 1, 30000), 0xff, 30000);
        }
        fil_arena_give_back(other);
        fil_arena_give_back(arena);
    }
    ck_assert_int_eq(memory.calls, calls);
    fil_arena_give_back(NULL);
    fil_context_destroy(context);
    ck_assert_int_eq(memory.live, 0);
}

// Large memory is not kept.
TEST(arena_that_is_too_large_is_released)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    fil_arena *arena = fil_arena_borrow(context);
    long before = memory.live;
    ck_assert_ptr_nonnull(FIL_ARENA_RAW(arena, char, (size_t)2100 << 20));
    fil_arena_give_back(arena);
    ck_assert_int_lt(memory.live, before);
    fil_context_destroy(context);
    ck_assert_int_eq(memory.live, 0);
}

// Raw memory comes from the same blocks, is aligned alike and is the caller's to fill.
TEST(arena_raw_memory_is_not_cleared)
{
    fil_context *context = fil_context_create(NULL);
    fil_arena *arena = fil_arena_create(context);
    fil_arena_mark mark = fil_arena_mark_now(arena);
    double *first = FIL_ARENA_RAW(arena, double, 100);
    ck_assert_ptr_nonnull(first);
    ck_assert_int_eq((uintptr_t)first % 64, 0);
    for (int k = 0; k < 100; ++k)
        first[k] = 7;
    fil_arena_rewind(arena, mark);
    double *again = FIL_ARENA_RAW(arena, double, 100);
    if (again == first)
        ck_assert(again[99] == 7);
    fil_arena_rewind(arena, mark);
    double *clean = FIL_ARENA_ARRAY(arena, double, 100);
    for (int k = 0; k < 100; ++k)
        ck_assert(clean[k] == 0);
    ck_assert_ptr_null(FIL_ARENA_RAW(arena, double, SIZE_MAX / 4));
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}
