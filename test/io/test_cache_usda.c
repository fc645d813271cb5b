// Films for other programs: time samples in OpenUSD, and single frames as grooms.
#include "test.h"

#include "failing_allocator.h"
#include "io/cache.h"
#include "io/cache_curves.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Three groups, of which two would have the same name as prims.
enum { GROUPS = 3, VERTICES = 9, FRAMES = 3 };
static int counts_a[] = {2, 3}, counts_b[] = {2};
static double numbers[] = {0.25, 0.25, 0.25, 0.125, 0.5};
static const fil_cache_group groups[GROUPS] = {
    {"4 curls", 2, 5, {counts_a, numbers, numbers, numbers, numbers}},
    {"fringe.a", 1, 2, {counts_b, numbers, numbers, numbers, numbers}},
    {"fringe a", 1, 2, {counts_b, numbers, numbers, numbers, numbers}},
};

static double place(int frame, int i)
{
    return 0.5 * i + 64 * frame;
}

static const char *folder(void)
{
    return test_path("results");
}

static void make_film(fil_context *context)
{
    fil_cache_writer *writer;
    test_ok(context, fil_cache_write_open(context, folder(), &writer));
    test_ok(context, fil_cache_write_start(writer, 1, 25, groups, GROUPS, "{}"));
    for (int f = 0; f < FRAMES; ++f) {
        double position[3 * VERTICES], stretch[VERTICES] = {0};
        for (int i = 0; i < 3 * VERTICES; ++i)
            position[i] = place(f, i);
        test_ok(context, fil_cache_write_frame(writer, f, f / 25.0, position, stretch));
    }
    fil_cache_write_close(writer);
}

static fil_cache *open_film(fil_context *context)
{
    fil_cache *cache;
    make_film(context);
    test_ok(context, fil_cache_open(context, folder(), &cache));
    return cache;
}

static const char *text_of(const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

TEST(cache_usda_holds_every_frame)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache *cache = open_film(context);
    ck_assert(fil_cache_fps(cache) == 25);
    test_ok(context, fil_cache_usda_write(context, cache, test_path("film.usda"), 0.5, NULL, NULL));
    const char *text = text_of(test_path("film.usda"));
    test_contains(text, "timeCodesPerSecond = 25\n");
    test_contains(text, "endTimeCode = 2\n");
    test_contains(text, "metersPerUnit = 0.5\n");
    test_contains(text, "def BasisCurves \"_4_curls\"\n");
    test_contains(text, "def BasisCurves \"fringe_a\"\n");
    test_contains(text, "def BasisCurves \"fringe_a_2\"\n");
    test_contains(text, "curveVertexCounts = [2, 3]\n");
    test_contains(text, "widths = [1, 1, 1, 0.5, 2] (");
    // The last group of the last frame, and the box around it.
    test_contains(text, "2: [(277, 278, 279), (280, 281, 282)],\n    }\n");
    test_contains(text, "2: [(276.5, 277.5, 278.5), (280.5, 281.5, 282.5)],\n");
    fil_cache_close(cache);
    fil_context_destroy(context);
}

TEST(cache_usda_is_read_as_its_first_frame)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache *cache = open_film(context);
    test_ok(context, fil_cache_usda_write(context, cache, test_path("film.usda"), 0, NULL, NULL));
    fil_curves *curves;
    test_ok(context, fil_curves_read(context, test_path("film.usda"), 0, &curves, NULL));
    ck_assert_int_eq(curves->strand_count, 4);
    ck_assert_int_eq(curves->vertex_total, VERTICES);
    for (int i = 0; i < 3 * VERTICES; ++i)
        test_near(curves->position[i], place(0, i), 1e-12);
    test_near(curves->radius[4], 0.5, 1e-12);
    test_near(curves->radius[5], 0.25, 1e-12);
    fil_curves_destroy(curves);
    fil_cache_close(cache);
    fil_context_destroy(context);
}

TEST(cache_curves_are_the_frame)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache *cache = open_film(context);
    fil_curves *curves;
    test_ok(context, fil_cache_curves_read(context, cache, 2, &curves));
    ck_assert_int_eq(curves->strand_count, 4);
    ck_assert_int_eq(curves->vertex_count[1], 3);
    for (int i = 0; i < 3 * VERTICES; ++i)
        ck_assert(curves->position[i] == place(2, i));
    ck_assert(curves->radius[4] == 0.5);
    fil_curves_destroy(curves);
    ck_assert_int_eq(fil_cache_curves_read(context, cache, 3, &curves), FIL_BAD_INPUT);
    ck_assert(curves == NULL);
    fil_cache_close(cache);
    fil_context_destroy(context);
}

static bool stop_at_half(void *user, double fraction)
{
    ++*(int *)user;
    return fraction < 0.5;
}

TEST(cache_usda_appears_whole_or_not_at_all)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache *cache = open_film(context);
    int calls = 0;
    const char *path = test_path("film.usda");
    ck_assert_int_eq(fil_cache_usda_write(context, cache, path, 0, stop_at_half, &calls), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "film.usda: stopped");
    ck_assert_int_eq(calls, 5);
    ck_assert_int_ne(access(path, F_OK), 0);
    // A damaged frame.
    char frame[FIL_PATH_MAX];
    fil_cache_folder_frame(folder(), 1, frame);
    ck_assert_int_eq(truncate(frame, 50), 0);
    ck_assert_int_eq(fil_cache_usda_write(context, cache, path, 0, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000001.fil");
    ck_assert_int_ne(access(path, F_OK), 0);
    test_fails(context, fil_cache_usda_write(context, cache, path, -1, NULL, NULL), FIL_BAD_INPUT,
               "unit: must be from 1e-9 to 1e9 metres (got -1)");
    fil_cache_close(cache);
    fil_context_destroy(context);
}

static fil_status convert(fil_context *context, void *data)
{
    fil_cache *cache;
    fil_curves *curves = NULL;
    fil_status status = fil_cache_open(context, data, &cache);
    if (status == FIL_OK)
        status = fil_cache_usda_write(context, cache, test_path("again.usda"), 0, NULL, NULL);
    if (status == FIL_OK)
        status = fil_cache_curves_read(context, cache, 0, &curves);
    fil_curves_destroy(curves);
    fil_cache_close(cache);
    return status;
}

TEST(cache_usda_survives_failing_allocation)
{
    fil_context *context = fil_context_create(NULL);
    make_film(context);
    char path[512];
    snprintf(path, sizeof path, "%s", folder());
    test_failing_allocation(convert, path);
    fil_context_destroy(context);
}
