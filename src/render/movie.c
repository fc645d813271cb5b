// Films as files: pictures go to ffmpeg, which writes a temporary beside the target; at the end it gets its name.
//
// ffmpeg reads from a socket instead of a pipe, because a socket can be told to fail without a signal when the other
// end is gone: the signals of a host program are not ours to change. It runs in a process group of its own, so that
// Ctrl-C is the host's to handle. What it says goes to a file without a name; the last line is part of our sentence.
//
// Colours: sRGB pixels become BT.709 in the range of television, and the file says so; otherwise players guess, and
// reds shift.
#include "render/movie.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 48, MOST_SETTINGS = 20, LINE = 300 };

typedef struct format {
    const char *ending, *name; // as ffmpeg calls it
    bool even;                 // colours are stored for two by two pixels
    int magic_at;              // how files of this kind begin
    const char *magic;
    const char *settings[MOST_SETTINGS]; // ends with NULL
} format;

#define TAGS "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-color_range", "tv"
#define TO_YUV "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", TAGS
#define H264 "-c:v", "libx264", "-crf", "18", TO_YUV

static const format formats[] = {
    {".mp4", "mp4", true, 4, "ftyp", {H264, "-movflags", "+faststart"}},
    {".mov", "mov", true, 4, "ftyp", {H264, "-movflags", "+faststart"}},
    {".mkv", "matroska", true, 0, "\x1a\x45\xdf\xa3", {H264}},
    {".webm", "webm", true, 0, "\x1a\x45\xdf\xa3", {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", TO_YUV}},
    // One palette for the whole film, chosen by what changes.
    {".gif",
     "gif",
     false,
     0,
     "GIF8",
     {"-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a"}},
};

struct fil_movie {
    fil_context *context;
    const format *format;
    size_t frame_size;
    pid_t process;
    int pixels;   // our end of the socket
    FILE *spoken; // what ffmpeg says
    char path[FIL_PATH_MAX], temporary[FIL_PATH_MAX];
};

static const format *format_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcasecmp(path + length - ending, formats[i].ending) == 0)
            return &formats[i];
    }
    return NULL;
}

bool fil_movie_is_named(const char *path)
{
    return format_of(path) != NULL;
}

const char *fil_movie_endings(void)
{
    return ".mp4, .mov, .mkv, .webm or .gif";
}

static fil_status check(fil_context *context, const char *path, const format *format, int width, int height, double fps)
{
    if (!format)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: a film must end in %s", path, fil_movie_endings());
    if (width < 1 || height < 1)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: width and height must be at least 1 (got %d x %d)", path,
                                width, height);
    if (format->even && (width % 2 || height % 2))
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%s: a film of this kind must have an even width and height (got %d x %d): take %d x "
                                "%d",
                                path, width, height, width + width % 2, height + height % 2);
    if (!(fps >= 0.01 && fps <= 1000))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: a film must have 0.01 to 1000 pictures a second (got %g)",
                                path, fps);
    return FIL_OK;
}

// The words of the command; `numbers` holds those that are made here.
static void make_words(const fil_movie *movie, int width, int height, double fps, char numbers[3][FIL_PATH_MAX + 8],
                       char *words[MOST_ARGUMENTS])
{
    snprintf(numbers[0], sizeof numbers[0], "%dx%d", width, height);
    snprintf(numbers[1], sizeof numbers[1], "%.9g", fps);
    snprintf(numbers[2], sizeof numbers[2], "file:%s", movie->temporary); // a name with a colon is no protocol
    const char *in[] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-y",       "-f", "rawvideo", "-pix_fmt",
                        "rgb24",  "-s",           numbers[0],  "-r",    numbers[1], "-i", "pipe:0"};
    const char *out[] = {"-f", movie->format->name, numbers[2], NULL};
    int count = 0;
    for (size_t i = 0; i < sizeof in / sizeof *in; ++i)
        words[count++] = (char *)in[i];
    for (int i = 0; i < MOST_SETTINGS && movie->format->settings[i]; ++i)
        words[count++] = (char *)movie->format->settings[i];
    for (size_t i = 0; i < sizeof out / sizeof *out; ++i)
        words[count++] = (char *)out[i];
}

// Starts ffmpeg with `input` as its standard input; an errno.
static int start(fil_movie *movie, int input, char *words[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem)
        return problem;
    problem = posix_spawnattr_init(&attributes);
    if (!problem) {
        int said = fileno(movie->spoken);
        sigset_t usual;
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGTERM);
        posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF));
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        problem = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        if (!problem)
            problem = posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
        if (!problem)
            problem = posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
        if (!problem)
            problem = posix_spawnp(&movie->process, words[0], &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

static fil_status cannot_start(fil_context *context, const char *path, int problem)
{
    if (problem == ENOENT)
        return fil_context_fail(context, FIL_UNAVAILABLE,
                                "%s: a film needs ffmpeg, which is not installed (missing: apt install ffmpeg); single "
                                "pictures work without it: frame_%%04d.png",
                                path);
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot start ffmpeg: %s", path, strerror(problem));
}

static fil_status connect_and_start(fil_context *context, fil_movie *movie, int width, int height, double fps)
{
    char numbers[3][FIL_PATH_MAX + 8], *words[MOST_ARGUMENTS];
    int ends[2];
    make_words(movie, width, height, fps, numbers, words);
    movie->spoken = tmpfile();
    if (!movie->spoken || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return cannot_start(context, movie->path, errno == ENOENT ? EIO : errno);
    // A child started elsewhere must not keep the film open, nor ffmpeg itself our end of it.
    for (int i = 0; i < 2; ++i)
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fileno(movie->spoken), F_SETFD, FD_CLOEXEC);
    movie->pixels = ends[0];
    int problem = start(movie, ends[1], words);
    close(ends[1]);
    if (!problem)
        return FIL_OK;
    movie->process = 0;
    return cannot_start(context, movie->path, problem);
}

fil_status fil_movie_open(fil_context *context, const char *path, int width, int height, double fps, fil_movie **out)
{
    *out = NULL;
    const format *format = format_of(path);
    fil_status status = check(context, path, format, width, height, fps);
    if (status != FIL_OK)
        return status;
    fil_movie *movie = fil_context_allocate(context, sizeof *movie);
    if (!movie)
        return FIL_NO_MEMORY;
    *movie = (fil_movie){
        .context = context, .format = format, .frame_size = 3 * (size_t)width * (size_t)height, .pixels = -1};
    status = fil_file_temporary(context, path, movie->temporary);
    if (status == FIL_OK && strcmp(movie->temporary, path) == 0)
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: a film must go to a regular file", path);
    if (status == FIL_OK) {
        snprintf(movie->path, sizeof movie->path, "%s", path);
        status = connect_and_start(context, movie, width, height, fps);
    }
    if (status == FIL_OK)
        *out = movie;
    else
        fil_movie_discard(movie);
    return status;
}

// The last line that ffmpeg said, made fit to be shown.
static void last_line(FILE *spoken, char line[LINE])
{
    char next[LINE];
    line[0] = '\0';
    rewind(spoken);
    while (fgets(next, sizeof next, spoken)) {
        size_t length = strcspn(next, "\n\r");
        next[length] = '\0';
        if (length > 0)
            memcpy(line, next, length + 1);
    }
    for (char *at = line; *at; ++at)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = '?';
}

static void end_input(fil_movie *movie)
{
    if (movie->pixels >= 0)
        close(movie->pixels);
    movie->pixels = -1;
}

// Waits until ffmpeg has ended; its status as waitpid tells it.
static int wait_for(fil_movie *movie)
{
    int ended = 0;
    end_input(movie);
    while (movie->process > 0 && waitpid(movie->process, &ended, 0) < 0)
        if (errno != EINTR) {
            ended = -1; // the host took it from us: what is in the file tells
            break;
        }
    movie->process = 0;
    return ended;
}

// ffmpeg takes no more pictures, so it is about to end; if it is not within two seconds, it is made to.
static int wait_a_little(fil_movie *movie)
{
    int ended = 0;
    end_input(movie);
    for (int i = 0; i < 200 && movie->process > 0; ++i) {
        if (waitpid(movie->process, &ended, WNOHANG) != 0) {
            movie->process = 0;
            return ended;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (movie->process > 0)
        kill(-movie->process, SIGKILL);
    return wait_for(movie);
}

static fil_status told_failure(fil_context *context, fil_movie *movie, int ended)
{
    char line[LINE];
    last_line(movie->spoken, line);
    if (line[0])
        return fil_context_fail(context, FIL_IO_FAILED, "%s: ffmpeg failed: %s", movie->path, line);
    if (ended > 0 && WIFSIGNALED(ended))
        return fil_context_fail(context, FIL_IO_FAILED, "%s: ffmpeg was ended by signal %d", movie->path,
                                WTERMSIG(ended));
    return fil_context_fail(context, FIL_IO_FAILED, "%s: ffmpeg stopped early, with status %d", movie->path,
                            ended > 0 ? WEXITSTATUS(ended) : 0);
}

fil_status fil_movie_add(fil_context *context, fil_movie *movie, const unsigned char *pixels)
{
    for (size_t done = 0; done < movie->frame_size;) {
        ssize_t sent =
            movie->pixels < 0 ? -1 : send(movie->pixels, pixels + done, movie->frame_size - done, MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if (movie->pixels < 0 || errno != EINTR)
            return told_failure(context, movie, wait_a_little(movie));
    }
    return FIL_OK;
}

// Does the file begin as one of its kind does?
static bool begins_right(const fil_movie *movie)
{
    char bytes[8] = {0};
    FILE *file = fopen(movie->temporary, "rb");
    size_t got = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return got == sizeof bytes && memcmp(bytes + movie->format->magic_at, movie->format->magic, 4) == 0;
}

fil_status fil_movie_finish(fil_context *context, fil_movie *movie)
{
    int ended = wait_for(movie);
    fil_status status = FIL_OK;
    char line[LINE];
    last_line(movie->spoken, line);
    // It says nothing but errors, and ends well all the same when the disk is full at the very end.
    if (ended > 0 || line[0])
        status = told_failure(context, movie, ended);
    else if (!begins_right(movie))
        status = fil_context_fail(context, FIL_IO_FAILED, "%s: ffmpeg wrote something that is no %s file", movie->path,
                                  movie->format->ending);
    if (status == FIL_OK) {
        status = fil_file_commit(context, movie->temporary, movie->path);
        movie->temporary[0] = '\0';
    }
    fil_movie_discard(movie);
    return status;
}

void fil_movie_discard(fil_movie *movie)
{
    if (!movie)
        return;
    if (movie->process > 0)
        kill(-movie->process, SIGKILL); // its process group: a wrapper may have started others
    wait_for(movie);
    if (movie->spoken)
        fclose(movie->spoken);
    if (movie->temporary[0])
        fil_file_discard(movie->temporary);
    fil_context_release(movie->context, movie);
}
