// Films through ffmpeg: real ones where it is installed, and ffmpegs that fail in all the ways they can.
#include "render/movie.h"

#include "failing_allocator.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 32, HEIGHT = 16, FRAMES = 5 };

static fil_context *make_context(void)
{
    fil_context_def def = fil_context_def_default();
    return fil_context_create(&def);
}

// An ffmpeg of our own is found first; bash and its tools behind it.
static void pretend(const char *script)
{
    char path[8192];
    FILE *file = fopen(test_path("ffmpeg"), "w");
    fprintf(file, "#!/usr/bin/env bash\n%s\n", script);
    fclose(file);
    chmod(test_path("ffmpeg"), 0755);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", test_folder());
    setenv("PATH", path, 1);
}

static fil_status write_film(fil_context *context, const char *path, int frames)
{
    unsigned char pixels[WIDTH * HEIGHT * 3];
    fil_movie *movie;
    fil_status status = fil_movie_open(context, path, WIDTH, HEIGHT, 25, &movie);
    for (int f = 0; f < frames && status == FIL_OK; ++f) {
        memset(pixels, 40 * f, sizeof pixels);
        status = fil_movie_add(context, movie, pixels);
        if (status != FIL_OK) {
            fil_movie_discard(movie);
            return status;
        }
    }
    return status == FIL_OK ? fil_movie_finish(context, movie) : status;
}

// Nothing but the pretended ffmpeg is in the folder.
static void nothing_left(void)
{
    DIR *folder = opendir(test_folder());
    for (struct dirent *entry; (entry = readdir(folder));)
        ck_assert_msg(entry->d_name[0] == '.' || strcmp(entry->d_name, "ffmpeg") == 0, "%s is left", entry->d_name);
    closedir(folder);
}

static void fails(const char *script, const char *sentence)
{
    fil_context *context = make_context();
    pretend(script);
    // Many frames: more than a socket holds, so that it is noticed when nobody reads.
    ck_assert_int_eq(write_film(context, test_path("a.mp4"), 400), FIL_IO_FAILED);
    test_contains(fil_context_error(context), sentence);
    nothing_left();
    fil_context_destroy(context);
}

TEST(movie_is_written_by_ffmpeg)
{
    if (system("ffmpeg -version >/dev/null 2>&1") != 0)
        test_skip("ffmpeg is not installed");
    static const char *const names[] = {"a.mp4", "a.mov", "a.mkv", "a.WEBM", "a.gif"};
    fil_context *context = make_context();
    for (int i = 0; i < 5; ++i) {
        char command[8192], count[32] = "";
        const char *path = test_path(names[i]);
        test_ok(context, write_film(context, path, FRAMES));
        snprintf(command, sizeof command,
                 "ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 '%s'",
                 path);
        FILE *probe = popen(command, "r");
        ck_assert(fgets(count, sizeof count, probe) != NULL);
        pclose(probe);
        ck_assert_str_eq(count, "32,16,5\n");
    }
    fil_context_destroy(context);
}

TEST(movie_replaces_an_old_film_only_when_it_is_whole)
{
    fil_context *context = make_context();
    char path[4096];
    snprintf(path, sizeof path, "%s", test_path("old.gif"));
    FILE *file = fopen(path, "w");
    fputs("old", file);
    fclose(file);
    pretend("cat >/dev/null; echo broken >&2; exit 1");
    ck_assert_int_eq(write_film(context, path, 2), FIL_IO_FAILED);
    char text[16] = "";
    file = fopen(path, "r");
    ck_assert_uint_eq(fread(text, 1, sizeof text, file), 3);
    fclose(file);
    pretend("cat >/dev/null; for last; do :; done; echo GIF89a.new >\"${last#file:}\"");
    test_ok(context, write_film(context, path, 2));
    file = fopen(path, "r");
    ck_assert(fgets(text, sizeof text, file) != NULL);
    fclose(file);
    ck_assert_str_eq(text, "GIF89a.new\n");
    fil_context_destroy(context);
}

TEST(movie_tells_that_there_is_no_ffmpeg)
{
    fil_context *context = make_context();
    setenv("PATH", test_folder(), 1);
    ck_assert_int_eq(write_film(context, test_path("a.mp4"), 1), FIL_UNAVAILABLE);
    test_contains(fil_context_error(context),
                  "a.mp4: a film needs ffmpeg, which is not installed (missing: apt install "
                  "ffmpeg)");
    test_contains(fil_context_error(context), "frame_%04d.png");
    nothing_left();
    fil_context_destroy(context);
}

TEST(movie_tells_what_ffmpeg_said_last)
{
    fails("cat >/dev/null; echo first >&2; echo disk full >&2; exit 1", "a.mp4: ffmpeg failed: disk full");
    fails("cat >/dev/null; echo disk full at the end >&2; exit 0", "a.mp4: ffmpeg failed: disk full at the end");
}

TEST(movie_survives_an_ffmpeg_that_ends_at_once)
{
    fails("exit 3", "a.mp4: ffmpeg stopped early, with status 3");
}

TEST(movie_survives_an_ffmpeg_that_hangs_up)
{
    fails("head -c 1000 >/dev/null; echo no more >&2; exit 0", "a.mp4: ffmpeg failed: no more");
}

TEST(movie_survives_an_ffmpeg_that_hangs_up_and_stays)
{
    fails("exec <&-; exec sleep 100", "a.mp4: ffmpeg was ended by signal 9");
}

TEST(movie_survives_an_ffmpeg_that_is_killed)
{
    fails("head -c 1000 >/dev/null; kill -9 $$", "a.mp4: ffmpeg was ended by signal 9");
}

TEST(movie_does_not_show_garbage)
{
    fails("cat >/dev/null; printf '\\033[31mred\\377\\n' >&2; exit 1", "a.mp4: ffmpeg failed: ?[31mred?");
}

TEST(movie_notices_a_file_that_is_none)
{
    fails("cat >/dev/null; for last; do :; done; echo garbage garbage >\"${last#file:}\"",
          "a.mp4: ffmpeg wrote something that is no .mp4 file");
    fails("cat >/dev/null", "a.mp4: ffmpeg wrote something that is no .mp4 file");
    fails("cat >/dev/null; for last; do :; done; rm \"${last#file:}\"", "a.mp4: ffmpeg wrote something");
}

TEST(movie_can_be_given_up)
{
    fil_context *context = make_context();
    fil_movie *movie;
    pretend("exec sleep 100");
    test_ok(context, fil_movie_open(context, test_path("a.mp4"), WIDTH, HEIGHT, 25, &movie));
    fil_movie_discard(movie);
    fil_movie_discard(NULL);
    nothing_left();
    fil_context_destroy(context);
}

TEST(movie_refuses_what_it_cannot_write)
{
    fil_context *context = make_context();
    fil_movie *movie;
    test_fails(context, fil_movie_open(context, "a.avi", 32, 16, 25, &movie), FIL_BAD_INPUT,
               "a.avi: a film must end in .mp4, .mov, .mkv, .webm or .gif");
    test_fails(context, fil_movie_open(context, "a.mp4", 33, 17, 25, &movie), FIL_BAD_INPUT,
               "a.mp4: a film of this kind must have an even width and height (got 33 x 17): take 34 x 18");
    test_fails(context, fil_movie_open(context, "a.mp4", 0, 16, 25, &movie), FIL_BAD_INPUT,
               "a.mp4: width and height must be at least 1 (got 0 x 16)");
    test_fails(context, fil_movie_open(context, "a.mp4", 32, 16, NAN, &movie), FIL_BAD_INPUT,
               "a.mp4: a film must have 0.01 to 1000 pictures a second (got nan)");
    ck_assert_int_eq(fil_movie_open(context, test_path("none/a.mp4"), 32, 16, 25, &movie), FIL_IO_FAILED);
    test_contains(fil_context_error(context), "cannot write");
    ck_assert(!fil_movie_is_named(".mp4"));
    ck_assert(!fil_movie_is_named("a.png"));
    ck_assert_ptr_null(movie);
    fil_context_destroy(context);
}

static fil_status open_work(fil_context *context, void *path)
{
    fil_movie *movie;
    fil_status status = fil_movie_open(context, path, WIDTH, HEIGHT, 25, &movie);
    fil_movie_discard(movie);
    return status;
}

TEST(movie_survives_failing_allocation)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", test_path("a.mp4"));
    pretend("cat >/dev/null");
    test_failing_allocation(open_work, path);
    nothing_left();
}
