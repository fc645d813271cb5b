// Memory that runs out at a chosen moment, and the loop that tries every moment (the way SQLite is tested):
//
//     static fil_status work(fil_context *context, void *data) { ... create, use, destroy ... }
//     TEST(x_survives_failing_allocation) { test_failing_allocation(work, NULL); }
//
// `work` runs with the first allocation failing, then the second, ... until it succeeds. Each failure must be reported
// as FIL_NO_MEMORY with a sentence, and nothing may leak, neither on failure nor on success.
#ifndef FIL_TEST_FAILING_ALLOCATOR_H
#define FIL_TEST_FAILING_ALLOCATOR_H

#include "filum/filum.h"
#include "test.h"

#include <stdlib.h>

typedef struct failing_allocator {
    long calls;   // allocations asked for so far
    long fail_at; // the call (from 0) that fails, and every one after it when `stays_empty`; < 0: none
    bool stays_empty;
    long live; // given out and not yet released
} failing_allocator;

static void *failing_allocate(void *user, size_t size)
{
    failing_allocator *self = user;
    long call;
#pragma omp atomic capture
    call = self->calls++;
    if (self->fail_at >= 0 && (call == self->fail_at || (self->stays_empty && call > self->fail_at)))
        return NULL;
    void *memory = malloc(size);
    if (memory) {
#pragma omp atomic
        ++self->live;
    }
    return memory;
}

static void failing_release(void *user, void *memory)
{
    failing_allocator *self = user;
#pragma omp atomic
    --self->live;
    free(memory);
}

// A context that takes its memory from the allocator; NULL when its own allocation is the one that fails.
__attribute__((unused)) static fil_context *failing_context(failing_allocator *self)
{
    fil_context_def def = fil_context_def_default();
    def.allocate = failing_allocate;
    def.release = failing_release;
    def.user = self;
    return fil_context_create(&def);
}

typedef fil_status test_work(fil_context *context, void *data);

// Returns how many allocations the work makes.
__attribute__((unused)) static long test_failing_allocation(test_work *work, void *data)
{
    enum { MOST = 100000 };
    for (int stays_empty = 0; stays_empty < 2; ++stays_empty)
        for (long k = 0;; ++k) {
            ck_assert_msg(k < MOST, "still failing after %d allocations", MOST);
            failing_allocator allocator = {.fail_at = k, .stays_empty = stays_empty};
            fil_context *context = failing_context(&allocator);
            if (!context) {
                ck_assert_int_eq(k, 0);
                ck_assert_int_eq(allocator.live, 0);
                continue;
            }
            fil_status status = work(context, data);
            bool failed = allocator.calls > k;
            if (failed) {
                ck_assert_msg(status == FIL_NO_MEMORY, "allocation %ld failed, but the status is %d (%s)", k, status,
                              fil_context_error(context));
                ck_assert_msg(fil_context_error(context)[0] != '\0', "allocation %ld: no sentence", k);
            } else {
                ck_assert_msg(status == FIL_OK, "enough memory, but the status is %d (%s)", status,
                              fil_context_error(context));
            }
            fil_context_destroy(context);
            ck_assert_msg(allocator.live == 0, "allocation %ld failed: %ld leaked", k, allocator.live);
            if (!failed) {
                if (stays_empty)
                    return allocator.calls;
                break;
            }
        }
    return 0;
}

#endif
