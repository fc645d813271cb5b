// The context: version, error sentence, threads, memory hooks.
#include "failing_allocator.h"

#include "base/context.h"

#include <string.h>

TEST(context_version)
{
    ck_assert_str_eq(fil_version(), FIL_VERSION);
}

TEST(context_keeps_the_last_sentence)
{
    fil_context *context = fil_context_create(NULL);
    ck_assert_str_eq(fil_context_error(context), "");
    test_fails(context, fil_context_fail(context, FIL_BAD_INPUT, "mu[%d]: no", 3), FIL_BAD_INPUT, "mu[3]: no");
    test_fails(context, fil_context_no_memory(context, 12), FIL_NO_MEMORY, "out of memory (12 bytes were asked for)");
    fil_context_destroy(context);
    fil_context_destroy(NULL);
}

TEST(context_cuts_an_endless_sentence)
{
    fil_context *context = fil_context_create(NULL);
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)fil_context_fail(context, FIL_BAD_INPUT, "%s", text);
    ck_assert_uint_eq(strlen(fil_context_error(context)), sizeof context->error - 1);
    fil_context_destroy(context);
}

TEST(context_threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = 3;
    fil_context *context = fil_context_create(&def);
    ck_assert_int_eq(fil_context_threads(context), 3);
    fil_context_set_threads(context, 0);
    ck_assert_int_ge(fil_context_threads(context), 1);
    fil_context_set_threads(context, -5);
    ck_assert_int_ge(fil_context_threads(context), 1);
    fil_context_set_threads(context, 1000000);
    ck_assert_int_le(fil_context_threads(context), 1024);
    fil_context_destroy(context);
}

TEST(context_uses_the_hooks_of_the_host)
{
    failing_allocator memory = {.fail_at = -1};
    fil_context *context = failing_context(&memory);
    ck_assert_int_eq(memory.live, 1);
    void *some = fil_context_allocate(context, 0);
    ck_assert_ptr_nonnull(some);
    ck_assert_int_eq(memory.live, 2);
    fil_context_release(context, some);
    fil_context_release(context, NULL);
    fil_context_destroy(context);
    ck_assert_int_eq(memory.live, 0);
}

TEST(context_without_memory)
{
    failing_allocator memory = {.fail_at = 0};
    ck_assert_ptr_null(failing_context(&memory));
    memory = (failing_allocator){.fail_at = 1};
    fil_context *context = failing_context(&memory);
    ck_assert_ptr_null(fil_context_allocate(context, 100));
    ck_assert_str_eq(fil_context_error(context), "out of memory (100 bytes were asked for)");
    fil_context_destroy(context);
}
