// The main of every test program: one check case per test, each in a process of its own. What a child wants its parent
// to know (that it skipped, and why) goes through shared memory.
#define _GNU_SOURCE // MAP_ANONYMOUS, nftw
#include "test.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, REASON_SIZE = 256, MOST_TESTS = 1024 };

static test_case *tests;
static char (*reasons)[REASON_SIZE]; // shared with the children: why test i was skipped, or empty
static int running;                  // index of the test at work, known in its own process
static char folder[PATH_SIZE];

void test_register(test_case *test)
{
    test_case **end = &tests;
    while (*end)
        end = &(*end)->next;
    *end = test;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    if (folder[0] && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fprintf(stderr, "%s: could not be removed\n", folder);
    folder[0] = '\0';
}

void test_skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reasons[running], REASON_SIZE, format, arguments);
    va_end(arguments);
    remove_folder();
    _exit(0);
}

bool test_long(void)
{
    const char *value = getenv("FILUM_LONG");
    return value && value[0] && strcmp(value, "0") != 0;
}

static const char *join(const char *left, const char *right)
{
    static char paths[4][PATH_SIZE];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    ck_assert_int_lt(snprintf(path, PATH_SIZE, "%s/%s", left, right), PATH_SIZE);
    return path;
}

const char *test_data(const char *name)
{
    const char *base = getenv("FILUM_DATA");
    if (!base || !base[0])
        base = FIL_TEST_SOURCE_DIR "/../shared/data";
    const char *path = join(base, name);
    if (access(path, R_OK) != 0)
        test_skip("no %s in FILUM_DATA (%s)", name, base);
    return path;
}

const char *test_source(const char *name)
{
    return join(FIL_TEST_SOURCE_DIR, name);
}

const char *test_folder(void)
{
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        ck_assert_int_lt(snprintf(folder, sizeof folder, "%s/filum-test-XXXXXX", base && base[0] ? base : "/tmp"),
                         PATH_SIZE / 2);
        ck_assert_ptr_nonnull(mkdtemp(folder));
    }
    return folder;
}

const char *test_path(const char *name)
{
    return join(test_folder(), name);
}

// One runner per test keeps the order of the file, and lets the child inherit its own index.
static int run(const test_case *test, int index)
{
// Sanitizers slow numerics down by a factor of ten.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
    enum { SECONDS = 1200, SECONDS_LONG = 3600 };
#else
    enum { SECONDS = 120, SECONDS_LONG = 3600 };
#endif
    const char *name = test->check.name;
    if (test->is_long && !test_long()) {
        printf("skip %s: long (make test-long runs it)\n", name);
        return 0;
    }
    running = index;
    TCase *one = tcase_create(name);
    tcase_set_timeout(one, test_long() ? SECONDS_LONG : SECONDS);
    tcase_add_checked_fixture(one, NULL, remove_folder);
    tcase_add_test(one, &test->check);
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, one);
    SRunner *runner = srunner_create(suite);
    fflush(stdout);
    srunner_run_all(runner, CK_SILENT);

    int failed = srunner_ntests_failed(runner);
    TestResult **failures = srunner_failures(runner);
    for (int i = 0; i < failed; ++i)
        printf("FAIL %s: %s:%d: %s\n", name, tr_lfile(failures[i]), tr_lno(failures[i]), tr_msg(failures[i]));
    if (!failed && reasons[index][0])
        printf("skip %s: %s\n", name, reasons[index]);
    else if (!failed)
        printf("ok %s\n", name);
    free(failures);
    srunner_free(runner);
    return failed;
}

int main(int argc, char **argv)
{
    reasons = mmap(NULL, (size_t)MOST_TESTS * REASON_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reasons == MAP_FAILED)
        return 3;
    int index = 0, failed = 0;
    for (const test_case *test = tests; test && index < MOST_TESTS; test = test->next, ++index)
        if (argc < 2 || strstr(test->check.name, argv[1]))
            failed += run(test, index);
    return failed ? 1 : 0;
}
