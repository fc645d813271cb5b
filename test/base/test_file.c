// Output files: whole or not at all, with a sentence when the machine says no.
#define _GNU_SOURCE // setresuid
#include "test.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *contents(const char *path)
{
    static char text[1000];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

// How many files lie in the test's folder.
static int file_count(void)
{
    int count = 0;
    DIR *folder = opendir(test_folder());
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

TEST(file_is_written_and_replaced)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.txt");
    test_ok(context, fil_file_write_text(context, path, "one", 3));
    ck_assert_str_eq(contents(path), "one");
    ck_assert_int_eq(chmod(path, 0640), 0);
    test_ok(context, fil_file_write_text(context, path, "second", 6));
    ck_assert_str_eq(contents(path), "second");
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0640);
    test_ok(context, fil_file_write_text(context, path, "", 0));
    ck_assert_str_eq(contents(path), "");
    ck_assert_int_eq(file_count(), 1);
    fil_context_destroy(context);
}

// Without waiting for the disk, and made durable afterwards.
TEST(file_can_be_made_durable_later)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.txt");
    test_ok(context, fil_file_write_bytes(context, path, "one", 3, false));
    ck_assert_str_eq(contents(path), "one");
    ck_assert_int_eq(file_count(), 1);
    test_ok(context, fil_file_sync(context, path));
    test_ok(context, fil_file_sync(context, test_folder()));
    ck_assert_int_eq(fil_file_sync(context, test_path("none")), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "none: cannot write: No such file or directory");
    fil_context_destroy(context);
}

TEST(file_is_read_whole)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.txt");
    test_ok(context, fil_file_write_text(context, path, "one\0two", 7));
    unsigned char *bytes;
    size_t size;
    test_ok(context, fil_file_read(context, path, "a text", &bytes, &size));
    ck_assert_uint_eq(size, 7);
    ck_assert_mem_eq(bytes, "one\0two", 8);
    fil_context_release(context, bytes);
    ck_assert_int_eq(fil_file_read(context, test_folder(), "a text", &bytes, &size), FIL_BAD_INPUT);
    ck_assert_ptr_null(bytes);
    ck_assert_ptr_nonnull(strstr(fil_context_error(context), "is a directory, not a text"));
    ck_assert_int_eq(fil_file_read(context, "/dev/null", "a text", &bytes, &size), FIL_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(fil_context_error(context), "is not a regular file"));
    ck_assert_int_eq(fil_file_read(context, test_path("none"), "a text", &bytes, &size), FIL_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(fil_context_error(context), "cannot open"));
    fil_context_destroy(context);
}

// The old file stays in place, untouched, until the new one is complete.
TEST(file_keeps_the_old_one_until_commit)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.txt");
    test_ok(context, fil_file_write_text(context, path, "old", 3));
    char temporary[FIL_PATH_MAX];
    test_ok(context, fil_file_temporary(context, path, temporary));
    ck_assert_int_eq(file_count(), 2);
    FILE *file = fopen(temporary, "wb");
    fputs("half", file);
    fclose(file);
    ck_assert_str_eq(contents(path), "old");
    fil_file_discard(temporary);
    ck_assert_str_eq(contents(path), "old");
    ck_assert_int_eq(file_count(), 1);
    test_ok(context, fil_file_temporary(context, path, temporary));
    test_ok(context, fil_file_commit(context, temporary, path));
    ck_assert_str_eq(contents(path), "");
    ck_assert_int_eq(file_count(), 1);
    fil_context_destroy(context);
}

TEST(file_needs_a_name_and_a_folder)
{
    fil_context *context = fil_context_create(NULL);
    test_fails(context, fil_file_write_text(context, "", "x", 1), FIL_BAD_INPUT, "the output file name is empty");
    const char *path = test_path("missing/a.txt");
    ck_assert_int_eq(fil_file_write_text(context, path, "x", 1), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "missing/a.txt: cannot write: No such file or directory");
    ck_assert_int_eq(fil_file_write_text(context, test_folder(), "x", 1), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "cannot write: Is a directory");
    char longest[6000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(fil_file_write_text(context, longest, "x", 1), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "the file name is too long");
    longest[FIL_PATH_MAX - 3] = '\0';
    ck_assert_int_eq(fil_file_write_text(context, longest, "x", 1), FIL_BAD_INPUT);
    test_contains(fil_context_error(context), "the file name is too long");
    ck_assert_int_eq(file_count(), 0);
    fil_context_destroy(context);
}

// The root user may do anything, so the test becomes somebody else.
TEST(file_respects_permissions)
{
    fil_context *context = fil_context_create(NULL);
    const char *folder = test_folder(), *path = test_path("a.txt");
    test_ok(context, fil_file_write_text(context, path, "old", 3));
    ck_assert_int_eq(chmod(folder, 0555), 0);
    bool root = getuid() == 0;
    if (root && setresuid(65534, 65534, 0) != 0)
        test_skip("cannot become another user");
    ck_assert_int_eq(fil_file_write_text(context, test_path("b.txt"), "x", 1), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "b.txt: cannot write: Permission denied");
    if (root)
        ck_assert_int_eq(setresuid(0, 0, 0), 0);

    // A file that is read-only is not replaced, although its folder would allow it.
    ck_assert_int_eq(chmod(folder, 0777), 0);
    ck_assert_int_eq(chmod(path, 0444), 0);
    if (root)
        ck_assert_int_eq(setresuid(65534, 65534, 0), 0);
    ck_assert_int_eq(fil_file_write_text(context, path, "new", 3), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "a.txt: cannot write: Permission denied");
    if (root)
        ck_assert_int_eq(setresuid(0, 0, 0), 0);
    ck_assert_str_eq(contents(path), "old");
    ck_assert_int_eq(file_count(), 1);
    fil_context_destroy(context);
}

// Devices are written to, never replaced, whoever runs this.
TEST(file_full_disk)
{
    struct stat info;
    if (stat("/dev/full", &info) != 0 || !S_ISCHR(info.st_mode))
        test_skip("no /dev/full");
    fil_context *context = fil_context_create(NULL);
    test_fails(context, fil_file_write_text(context, "/dev/full", "x", 1), FIL_IO_FAILED,
               "/dev/full: cannot write: No space left on device");
    test_ok(context, fil_file_write_text(context, "/dev/null", "x", 1));
    ck_assert(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
    ck_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    fil_context_destroy(context);
}

TEST(file_keeps_a_link_a_link)
{
    fil_context *context = fil_context_create(NULL);
    const char *target = test_path("target.txt"), *link = test_path("link.txt");
    test_ok(context, fil_file_write_text(context, target, "old", 3));
    ck_assert_int_eq(symlink("target.txt", link), 0);
    test_ok(context, fil_file_write_text(context, link, "new", 3));
    struct stat info;
    ck_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert_str_eq(contents(target), "new");
    ck_assert_int_eq(file_count(), 2);
    fil_context_destroy(context);
}

TEST(file_commit_of_nothing_fails)
{
    fil_context *context = fil_context_create(NULL);
    const char *path = test_path("a.txt");
    ck_assert_int_eq(fil_file_commit(context, test_path("a.txt.1.part"), path), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "a.txt: cannot write: No such file");
    ck_assert_int_eq(file_count(), 0);
    fil_context_destroy(context);
}
