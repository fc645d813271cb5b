// The results' folder: what is written is read again, and no damage goes unnoticed.
#include "test.h"

#include "failing_allocator.h"
#include "io/cache.h"

#include <errno.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Two groups: strands of 2 and 3 vertices, and one of 2.
enum { GROUPS = 2, VERTICES = 7, STATE = 100 };
static int counts_a[] = {2, 3}, counts_b[] = {2};
static double numbers[] = {1e-5, 2e-5, 0.25, 0.125, 0.5};
static const fil_cache_group groups[GROUPS] = {
    {"curls", 2, 5, {counts_a, numbers, numbers, numbers, numbers}},
    {"fringe of hair", 1, 2, {counts_b, numbers, numbers, numbers, numbers}},
};
static const uint64_t fingerprint = 0x123456789abcdef0u;
static const char scene[] = "{\"groups\": []}";

static void fill_frame(int frame, double *position, double *stretch)
{
    for (int i = 0; i < 3 * VERTICES; ++i)
        position[i] = 0.1 * i + frame;
    for (int i = 0; i < VERTICES; ++i)
        stretch[i] = 1e-3 * (i - 3) * (frame + 1);
}

static fil_status put_frame(fil_cache_writer *writer, int frame)
{
    double position[3 * VERTICES], stretch[VERTICES];
    fill_frame(frame, position, stretch);
    return fil_cache_write_frame(writer, frame, 0.04 * frame, position, stretch);
}

static fil_status put_checkpoint(fil_cache_writer *writer, int frame)
{
    unsigned char state[STATE];
    memset(state, frame, sizeof state);
    return fil_cache_write_checkpoint(writer, frame, 0.04 * frame, state, sizeof state);
}

// A folder with some frames; every second one, from the third on, has a checkpoint: those of 2 and 4 remain of five.
static fil_status make(fil_context *context, const char *folder, int frames, fil_cache_writer **writer)
{
    fil_status status = fil_cache_write_open(context, folder, writer);
    if (status == FIL_OK)
        status = fil_cache_write_start(*writer, fingerprint, 25, groups, GROUPS, scene);
    for (int i = 0; status == FIL_OK && i < frames; ++i) {
        status = put_frame(*writer, i);
        if (status == FIL_OK && i > 0 && i % 2 == 0)
            status = put_checkpoint(*writer, i);
    }
    return status;
}

static const char *results(void)
{
    return test_path("out");
}

static const char *frame_path(int frame)
{
    static char path[FIL_PATH_MAX];
    fil_cache_folder_frame(results(), frame, path);
    return path;
}

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void damage(const char *path)
{
    unsigned char bytes[4096];
    size_t size = load(path, bytes, sizeof bytes);
    bytes[size / 2] ^= 4;
    store(path, bytes, size);
}

TEST(cache_gives_back_what_was_written)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *writer;
    test_ok(context, make(context, results(), 3, &writer));
    fil_cache_write_close(writer);
    fil_cache *cache;
    test_ok(context, fil_cache_open(context, results(), &cache));
    ck_assert_int_eq(fil_cache_frame_count(cache), 3);
    ck_assert_int_eq(fil_cache_group_count(cache), GROUPS);
    ck_assert_int_eq(fil_cache_vertex_total(cache), VERTICES);
    ck_assert_str_eq(fil_cache_scene(cache), scene);
    for (int g = 0; g < GROUPS; ++g) {
        const fil_cache_group *group = fil_cache_group_at(cache, g);
        ck_assert_str_eq(group->name, groups[g].name);
        ck_assert_int_eq(group->strand_count, groups[g].strand_count);
        ck_assert_int_eq(group->vertex_total, groups[g].vertex_total);
        for (int i = 0; i < group->strand_count; ++i)
            ck_assert_int_eq(group->shape.vertex_count[i], groups[g].shape.vertex_count[i]);
        for (int i = 0; i < group->vertex_total; ++i) {
            ck_assert(group->shape.radius[i] == (double)(float)numbers[i]);
            ck_assert(group->shape.curvature[i] == (double)(float)numbers[i]);
        }
    }
    for (int frame = 0; frame < 3; ++frame) {
        double time, position[3 * VERTICES], stretch[VERTICES];
        float x[3 * VERTICES], s[VERTICES];
        fill_frame(frame, position, stretch);
        test_ok(context, fil_cache_read(context, cache, frame, &time, x, s));
        ck_assert(time == 0.04 * frame);
        for (int i = 0; i < 3 * VERTICES; ++i)
            ck_assert(x[i] == (float)position[i]);
        for (int i = 0; i < VERTICES; ++i)
            ck_assert_msg(fabs((double)s[i] - stretch[i]) <= fabs(stretch[i]) / 256, "%g is far from %g", (double)s[i],
                          stretch[i]);
        test_ok(context, fil_cache_read(context, cache, frame, NULL, NULL, NULL));
        struct stat info;
        ck_assert_int_eq(stat(frame_path(frame), &info), 0);
        ck_assert_int_eq(info.st_size, 40 + 14 * VERTICES);
    }
    ck_assert_int_eq(fil_cache_read(context, cache, 3, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "out: frame 3: there are 3");
    fil_cache_close(cache);
    fil_context_destroy(context);
}

// Rounded to the nearest of the numbers with 8 bits, ties to the even one; finite stays finite.
TEST(cache_rounds_to_nearest)
{
    static const struct {
        double given;
        float stored;
    } cases[VERTICES] = {{1 + 1.0 / 256, 1},
                         {1 + 3.0 / 256, 1 + 1.0f / 64},
                         {1 + 1.01 / 256, 1 + 1.0f / 128},
                         {-1 - 1.0 / 256, -1},
                         {0, 0},
                         {1e300, 0x1.fep127f},
                         {-FLT_MAX, -0x1.fep127f}};
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *writer;
    test_ok(context, make(context, results(), 0, &writer));
    double position[3 * VERTICES] = {1e300, -1e300, 1e-50}, stretch[VERTICES];
    for (int i = 0; i < VERTICES; ++i)
        stretch[i] = cases[i].given;
    test_ok(context, fil_cache_write_frame(writer, 0, 0, position, stretch));
    float x[3 * VERTICES], s[VERTICES];
    test_ok(context, fil_cache_read_frame(context, frame_path(0), fingerprint, 0, VERTICES, NULL, x, s));
    ck_assert(x[0] == FLT_MAX && x[1] == -FLT_MAX && x[2] == 0);
    for (int i = 0; i < VERTICES; ++i)
        ck_assert_msg(s[i] == cases[i].stored, "%a became %a", cases[i].given, (double)s[i]);
    fil_cache_write_close(writer);
    fil_context_destroy(context);
}

// Every bit of every byte, and every length, of each kind of file.
TEST(cache_notices_damage)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *writer;
    test_ok(context, make(context, results(), 3, &writer));
    char strands[FIL_PATH_MAX], checkpoint[FIL_PATH_MAX];
    fil_cache_folder_path(results(), "strands.fil", strands);
    fil_cache_folder_path(results(), "checkpoint.fil", checkpoint);
    struct {
        const char *path;
        fil_cache_kind kind;
    } files[] = {{frame_path(1), FIL_CACHE_FRAME}, {strands, FIL_CACHE_STRANDS}, {checkpoint, FIL_CACHE_CHECKPOINT}};
    for (int f = 0; f < 3; ++f) {
        unsigned char good[4096], *read;
        fil_cache_head head;
        size_t size = load(files[f].path, good, sizeof good), length;
        for (size_t i = 0; i < 2 * size; ++i) {
            unsigned char bad[4096];
            memcpy(bad, good, size);
            bad[i % size] ^= (unsigned char)(1 << (i < size ? i % 8 : 7 - i % 8));
            store(files[f].path, bad, size);
            ck_assert_int_eq(fil_cache_file_read(context, files[f].path, files[f].kind, &head, &read, &length),
                             FIL_BAD_INPUT);
            test_contains(fil_context_error(context), files[f].path);
        }
        for (size_t cut = 0; cut < size; ++cut) {
            store(files[f].path, good, cut);
            ck_assert_int_eq(fil_cache_file_read(context, files[f].path, files[f].kind, &head, &read, &length),
                             FIL_BAD_INPUT);
            ck_assert_ptr_null(read);
        }
        good[size] = 0;
        store(files[f].path, good, size + 1);
        ck_assert_int_eq(fil_cache_file_read(context, files[f].path, files[f].kind, &head, &read, &length),
                         FIL_BAD_INPUT);
        test_contains(fil_context_error(context), "is damaged or cut short");
        store(files[f].path, good, size);
    }
    fil_cache_write_close(writer);
    fil_context_destroy(context);
}

TEST(cache_refuses_what_is_foreign)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache *cache;
    ck_assert_int_eq(fil_cache_open(context, results(), &cache), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "out: is not a folder with results of filum run (it has no strands.fil)");
    ck_assert_ptr_null(cache);
    ck_assert_int_eq(fil_cache_open(context, "", &cache), FIL_BAD_INPUT);
    fil_cache_writer *writer;
    test_ok(context, make(context, results(), 3, &writer));
    fil_cache_write_close(writer);
    test_ok(context, fil_cache_open(context, results(), &cache));
    unsigned char bytes[4096];
    char strands[FIL_PATH_MAX];
    fil_cache_folder_path(results(), "strands.fil", strands);
    // Another frame, a frame of another run, no frame at all, none.
    size_t size = load(frame_path(1), bytes, sizeof bytes);
    store(frame_path(2), bytes, size);
    ck_assert_int_eq(fil_cache_read(context, cache, 2, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000002.fil: is frame 1, not 2");
    fil_cache_head head = {.fingerprint = 1, .number = 2, .vertex_total = VERTICES};
    test_ok(context, fil_cache_file_write(context, frame_path(2), FIL_CACHE_FRAME, &head, bytes, size, false));
    ck_assert_int_eq(fil_cache_read(context, cache, 2, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000002.fil: belongs to another run");
    head.fingerprint = fingerprint;
    test_ok(context, fil_cache_file_write(context, frame_path(2), FIL_CACHE_FRAME, &head, bytes, size - 2, false));
    ck_assert_int_eq(fil_cache_read(context, cache, 2, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000002.fil: has 7 vertices in 136 bytes, not 7");
    store(frame_path(2), bytes, load(strands, bytes, sizeof bytes));
    ck_assert_int_eq(fil_cache_read(context, cache, 2, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000002.fil: is not a frame that filum wrote");
    ck_assert_int_eq(unlink(frame_path(2)), 0);
    ck_assert_int_eq(fil_cache_read(context, cache, 2, NULL, NULL, NULL), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "000002.fil: cannot open");
    fil_cache_close(cache);
    fil_context_destroy(context);
}

// A checksum that fits does not make sizes true.
TEST(cache_trusts_no_size)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("strands.fil");
    test_ok(context, fil_cache_strands_write(context, path, fingerprint, 25, groups, GROUPS));
    unsigned char good[4096], bad[4096];
    size_t size = load(path, good, sizeof good);
    fil_arena *arena = fil_arena_create(context);
    fil_cache_group *read;
    fil_cache_head head;
    static const uint32_t wild[] = {0, 1, 0xff, 0xffff, 0x7fffffff, 0x80000000u, 0xffffffffu};
    int refused = 0;
    // The heads of both groups, the counts of strands.
    for (size_t at = FIL_CACHE_HEAD; at < FIL_CACHE_HEAD + 32; at += 4)
        for (size_t k = 0; k < sizeof wild / sizeof *wild; ++k) {
            memcpy(bad, good, size);
            memcpy(&head, bad, sizeof head);
            memcpy(bad + at, &wild[k], 4);
            if (memcmp(bad, good, size) == 0)
                continue;
            test_ok(context, fil_cache_file_write(context, path, FIL_CACHE_STRANDS, &head, bad, size, false));
            fil_status status = fil_cache_strands_read(context, path, arena, &head, &read);
            ck_assert(status == FIL_BAD_INPUT || at - FIL_CACHE_HEAD == 16 || at - FIL_CACHE_HEAD == 20);
            refused += status == FIL_BAD_INPUT;
        }
    ck_assert_int_gt(refused, 30);
    test_contains(fil_context_error(context), "strands.fil: its sizes do not fit together");
    for (int k = 0; k < 2; ++k) {
        memcpy(&head, good, sizeof head);
        *(k ? &head.number : &head.vertex_total) += 1;
        test_ok(context, fil_cache_file_write(context, path, FIL_CACHE_STRANDS, &head, good, size, false));
        ck_assert_int_eq(fil_cache_strands_read(context, path, arena, &head, &read), FIL_BAD_INPUT);
        memcpy(&head, good, sizeof head);
    }
    fil_arena_destroy(arena);
    fil_context_destroy(context);
}

static int resume_frame(fil_context *context, const char **said)
{
    static char damage_text[FIL_PATH_MAX + 256];
    fil_cache_writer *writer;
    fil_cache_resume resume;
    test_ok(context, fil_cache_write_open(context, results(), &writer));
    ck_assert(writer->holds_results);
    test_ok(context, fil_cache_write_resume(writer, VERTICES, &resume));
    int frame = resume.frame;
    if (frame >= 0) {
        ck_assert_uint_eq(resume.size, STATE);
        const unsigned char *state = fil_cache_write_resume_state(&resume);
        ck_assert_int_eq(state[0], frame);
        ck_assert_int_eq(state[STATE - 1], frame);
    }
    memcpy(damage_text, resume.damage, sizeof damage_text);
    *said = damage_text;
    fil_cache_write_resume_free(writer, &resume);
    fil_cache_write_close(writer);
    return frame;
}

static void start_again(fil_context *context)
{
    fil_cache_writer *writer;
    test_ok(context, make(context, results(), 6, &writer));
    fil_cache_write_close(writer);
}

TEST(cache_goes_on_from_the_last_good_checkpoint)
{
    fil_context *context = fil_context_create(NULL);
    const char *said;
    char checkpoint[FIL_PATH_MAX], earlier[FIL_PATH_MAX], part[FIL_PATH_MAX];
    fil_cache_folder_path(results(), "checkpoint.fil", checkpoint);
    fil_cache_folder_path(results(), "checkpoint_earlier.fil", earlier);

    // All is well; a frame behind the checkpoint goes, and so does what a killed writer left.
    start_again(context);
    fil_cache_folder_path(results(), "frames/000004.fil.77.part", part);
    store(part, "half", 4);
    ck_assert_int_eq(access(frame_path(5), F_OK), 0);
    ck_assert_int_eq(resume_frame(context, &said), 4);
    ck_assert_str_eq(said, "");
    ck_assert_int_ne(access(frame_path(5), F_OK), 0);
    ck_assert_int_ne(access(part, F_OK), 0);

    // The last checkpoint is damaged, then missing: the one before.
    start_again(context);
    damage(checkpoint);
    ck_assert_int_eq(resume_frame(context, &said), 2);
    test_contains(said, "checkpoint.fil: is damaged or cut short");
    ck_assert_int_ne(access(frame_path(3), F_OK), 0);
    start_again(context);
    unlink(checkpoint);
    ck_assert_int_eq(resume_frame(context, &said), 2);

    // A frame before the last checkpoint is damaged: the one before it, or from the start.
    start_again(context);
    damage(frame_path(3));
    ck_assert_int_eq(resume_frame(context, &said), 2);
    test_contains(said, "000003.fil: is damaged or cut short");
    start_again(context);
    unlink(frame_path(1));
    ck_assert_int_eq(resume_frame(context, &said), -1);
    test_contains(said, "000001.fil: cannot open");
    ck_assert_int_ne(access(frame_path(0), F_OK), 0);

    // Both checkpoints are damaged.
    start_again(context);
    damage(checkpoint);
    damage(earlier);
    ck_assert_int_eq(resume_frame(context, &said), -1);
    test_contains(said, "checkpoint.fil: is damaged");
    fil_context_destroy(context);
}

TEST(cache_has_one_writer)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *first, *second;
    test_ok(context, make(context, results(), 1, &first));
    ck_assert_int_eq(fil_cache_write_open(context, results(), &second), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "out: another run is writing into this folder");
    fil_cache_write_close(first);
    test_ok(context, fil_cache_write_open(context, results(), &second));
    ck_assert(second->holds_results && second->fingerprint == fingerprint);
    fil_cache_write_close(second);
    fil_context_destroy(context);
}

TEST(cache_leaves_other_files_alone)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *writer;
    char mine[FIL_PATH_MAX];
    ck_assert_int_eq(mkdir(results(), 0777), 0);
    fil_cache_folder_path(results(), "scene.json", mine);
    store(mine, "mine", 4);
    ck_assert_int_eq(fil_cache_write_open(context, results(), &writer), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "out: the folder holds files that are not results of filum");
    unlink(mine);

    // Nothing was begun: the empty folder stays as it was; one that we made goes.
    test_ok(context, fil_cache_write_open(context, results(), &writer));
    fil_cache_write_close(writer);
    ck_assert_int_eq(rmdir(results()), 0);
    test_ok(context, fil_cache_write_open(context, results(), &writer));
    fil_cache_write_close(writer);
    ck_assert_int_ne(access(results(), F_OK), 0);

    // A new start removes results and nothing else.
    start_again(context);
    static const char *const foreign[] = {"notes.txt", "frames/000001.png", "frames/12.fil", "frames/a.fil",
                                          "strands.fil.part"};
    for (int i = 0; i < 5; ++i) {
        fil_cache_folder_path(results(), foreign[i], mine);
        store(mine, "mine", 4);
    }
    test_ok(context, make(context, results(), 1, &writer));
    fil_cache_write_close(writer);
    ck_assert_int_ne(access(frame_path(1), F_OK), 0);
    for (int i = 0; i < 5; ++i) {
        fil_cache_folder_path(results(), foreign[i], mine);
        ck_assert_msg(access(mine, F_OK) == 0, "%s is gone", mine);
    }
    ck_assert_int_eq(fil_cache_write_open(context, mine, &writer), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "Not a directory");
    ck_assert_int_eq(fil_cache_write_open(context, test_path("no/such"), &writer), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "no/such: cannot make the folder");
    fil_context_destroy(context);
}

static fil_status write_and_read(fil_context *context, void *data)
{
    (void)data;
    fil_cache_writer *writer;
    fil_cache_resume resume;
    fil_cache *cache = NULL;
    float x[3 * VERTICES];
    fil_status status = make(context, results(), 5, &writer);
    fil_cache_write_close(writer);
    if (status == FIL_OK)
        status = fil_cache_open(context, results(), &cache);
    if (status == FIL_OK)
        status = fil_cache_read(context, cache, 4, NULL, x, NULL);
    fil_cache_close(cache);
    if (status == FIL_OK)
        status = fil_cache_write_open(context, results(), &writer);
    if (status != FIL_OK)
        return status;
    status = fil_cache_write_resume(writer, VERTICES, &resume);
    ck_assert(status != FIL_OK || resume.frame == 4);
    fil_cache_write_resume_free(writer, &resume);
    fil_cache_write_close(writer);
    return status;
}

TEST(cache_survives_failing_allocation)
{
    test_failing_allocation(write_and_read, NULL);
}

// Places between frames are read again, and go with their frame.
TEST(cache_keeps_places_between_frames)
{
    fil_context *context = fil_context_create(NULL);
    fil_cache_writer *writer;
    const char *folder = test_path("out");
    double position[3 * VERTICES], stretch[VERTICES];
    test_ok(context, make(context, folder, 5, &writer));
    for (int frame = 1; frame < 5; ++frame)
        for (int k = 1; k <= frame; ++k) {
            fill_frame(10 * frame + k, position, stretch);
            test_ok(context, fil_cache_write_between(writer, frame, k, 0.04 * frame - 0.01, position, stretch));
        }
    fil_cache_write_close(writer);
    fil_cache *cache;
    float read[3 * VERTICES];
    bool there;
    test_ok(context, fil_cache_open(context, folder, &cache));
    ck_assert_int_eq(fil_cache_frame_count(cache), 5);
    for (int frame = 0; frame < 5; ++frame)
        for (int k = 1; k <= frame + 1; ++k) {
            fill_frame(10 * frame + k, position, stretch);
            test_ok(context, fil_cache_read_between(context, cache, frame, k, read, &there));
            ck_assert_int_eq(there, k <= frame);
            if (there)
                ck_assert_float_eq(read[5], (float)position[5]);
        }
    fil_cache_close(cache);
    fil_cache_folder_trim(folder, 3);
    test_ok(context, fil_cache_open(context, folder, &cache));
    test_ok(context, fil_cache_read_between(context, cache, 2, 2, read, &there));
    ck_assert(there);
    test_ok(context, fil_cache_read_between(context, cache, 3, 1, read, &there));
    ck_assert(!there);
    fil_cache_close(cache);
    fil_context_destroy(context);
}
