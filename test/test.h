// What every test program shares. A test is one function; it is registered by being written:
//
//     #include "test.h"
//     TEST(arena_is_aligned) { ... ck_assert_...; }
//     TEST_LONG(arena_survives_an_hour) { ... }       // runs in `make test-long` only
//
// test.c holds main: each test runs in a process of its own, so a crash or a hang is one failed test and the others go
// on. Output, read by scripts/run_tests: one line per test, "ok NAME", "FAIL NAME: why" or "skip NAME: why".
//
//     test_NAME [WORD]      runs the tests whose name contains WORD
//     CK_FORK=no test_NAME  all in one process, for a debugger
#ifndef FIL_TEST_H
#define FIL_TEST_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct test_case {
    TTest check;
    bool is_long;
    struct test_case *next;
} test_case;
void test_register(test_case *test);

#define TEST_DEFINE(name, long_)                                                                                       \
    static void name(int);                                                                                             \
    __attribute__((constructor)) static void name##_register(void)                                                     \
    {                                                                                                                  \
        static test_case test = {.check = {#name, name, __FILE__, __LINE__}, .is_long = (long_)};                      \
        test_register(&test);                                                                                          \
    }                                                                                                                  \
    static void name(int test_unused_ __attribute__((unused)))
#define TEST(name) TEST_DEFINE(name, false)
#define TEST_LONG(name) TEST_DEFINE(name, true)

// Ends the test; it counts as skipped, not as passed.
void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

// True in `make test-long`: a test may look at more cases then.
bool test_long(void);

// The full name of a file or folder of the shared data (environment FILUM_DATA; ../shared/data beside the source tree
// when unset). Skips the test when it is not there.
const char *test_data(const char *name);

// A file of the source tree.
const char *test_source(const char *name);

// A fresh empty folder, removed with all it holds when the test ends well.
const char *test_folder(void);

// A file of that folder; the text is valid until the fourth call after this one.
const char *test_path(const char *name);

// |a - b| <= tolerance * max(1, |a|, |b|)
#define test_near(a, b, tolerance)                                                                                     \
    do {                                                                                                               \
        double near_a = (a), near_b = (b), near_t = (tolerance);                                                       \
        double near_scale = fmax(1.0, fmax(fabs(near_a), fabs(near_b)));                                               \
        ck_assert_msg(fabs(near_a - near_b) <= near_t * near_scale, "%s = %.17g, %s = %.17g, differ by %.3g", #a,      \
                      near_a, #b, near_b, fabs(near_a - near_b));                                                      \
    } while (0)

// The call succeeds; a failure shows the sentence in the context.
#define test_ok(context, call)                                                                                         \
    do {                                                                                                               \
        int ok_status = (int)(call);                                                                                   \
        ck_assert_msg(ok_status == 0, "%s: status %d: %s", #call, ok_status, fil_context_error(context));              \
    } while (0)

// The call fails with this status and exactly this sentence.
#define test_fails(context, call, status, sentence)                                                                    \
    do {                                                                                                               \
        ck_assert_int_eq((call), (status));                                                                            \
        ck_assert_str_eq(fil_context_error(context), (sentence));                                                      \
    } while (0)

// The text contains the part.
#define test_contains(text, part)                                                                                      \
    ck_assert_msg(strstr((text), (part)) != NULL, "'%s' does not contain '%s'", (text), (part))

#endif
