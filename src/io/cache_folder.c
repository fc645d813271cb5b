// The results' folder as a folder: names, the lock, what in it is ours.
//
// A folder is ours when it has our lock file or a strands.fil of ours. Nothing is written into any other folder that is
// not empty, and nothing is ever removed whose name is not one of ours.
#include "io/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 64, FOLDER_MAX = FIL_PATH_MAX - NAME_ROOM - 2 }; // room for a name, the slash and the end

static const char *const result_names[] = {FIL_CACHE_SCENE_NAME, FIL_CACHE_STRANDS_NAME, FIL_CACHE_STATS_NAME,
                                           FIL_CACHE_CHECKPOINT_NAME, FIL_CACHE_EARLIER_NAME};
enum { RESULT_NAMES = sizeof result_names / sizeof *result_names };

fil_status fil_cache_folder_check(fil_context *context, const char *folder)
{
    if (folder[0] == '\0')
        return fil_context_fail(context, FIL_BAD_INPUT, "the name of the results' folder is empty");
    if (strlen(folder) > FOLDER_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.200s...: the name of the folder is too long", folder);
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return fil_context_fail(context, FIL_UNAVAILABLE,
                                "%s: results are stored in little-endian order, which this machine does not have",
                                folder);
    return FIL_OK;
}

void fil_cache_folder_path(const char *folder, const char *name, char out[FIL_PATH_MAX])
{
    snprintf(out, FIL_PATH_MAX, "%.*s/%s", FOLDER_MAX, folder, name);
}

void fil_cache_folder_frame(const char *folder, int frame, char out[FIL_PATH_MAX])
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, FIL_CACHE_FRAMES_NAME "/%06d.fil", frame);
    fil_cache_folder_path(folder, name, out);
}

void fil_cache_folder_between(const char *folder, int frame, int k, char out[FIL_PATH_MAX])
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, FIL_CACHE_FRAMES_NAME "/%06d-%d.fil", frame, k);
    fil_cache_folder_path(folder, name, out);
}

static bool exists(const char *folder, const char *name)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_path(folder, name, path);
    return access(path, F_OK) == 0;
}

static bool is_empty(DIR *directory)
{
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    return true;
}

static bool has_our_strands(const char *folder)
{
    char path[FIL_PATH_MAX], magic[8] = {0};
    fil_cache_folder_path(folder, FIL_CACHE_STRANDS_NAME, path);
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool ours = file >= 0 && read(file, magic, sizeof magic) == sizeof magic && memcmp(magic, "filum", 5) == 0;
    if (file >= 0)
        close(file);
    return ours;
}

// Is it there, empty or ours? Makes it when it is not there.
static fil_status enter(fil_context *context, const char *folder, bool *made)
{
    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot make the folder: %s", folder, strerror(errno));
    DIR *directory = opendir(folder);
    if (!directory)
        return fil_context_fail(context, errno == ENOTDIR ? FIL_BAD_INPUT : FIL_IO_FAILED,
                                "%s: cannot use it as the results' folder: %s", folder, strerror(errno));
    bool good = is_empty(directory) || exists(folder, FIL_CACHE_LOCK_NAME) || has_our_strands(folder);
    closedir(directory);
    if (!good)
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%s: the folder holds files that are not results of filum: name another one, or a new "
                                "one inside it",
                                folder);
    return FIL_OK;
}

fil_status fil_cache_folder_lock(fil_context *context, const char *folder, int *lock, bool *made)
{
    fil_status status = enter(context, folder, made);
    if (status != FIL_OK)
        return status;
    char path[FIL_PATH_MAX];
    struct stat info;
    fil_cache_folder_path(folder, FIL_CACHE_LOCK_NAME, path);
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(errno));
    // A lock file without a name was abandoned between our opening and our locking it. Where locks do not exist we go
    // without.
    bool busy = flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (busy || fstat(*lock, &info) != 0 || info.st_nlink == 0) {
        close(*lock);
        return fil_context_fail(context, FIL_BAD_INPUT,
                                "%s: another run is writing into this folder: wait for it, or name another folder",
                                folder);
    }
    return FIL_OK;
}

// The rest of the name behind a start; NULL: it begins otherwise.
static const char *behind(const char *name, const char *start)
{
    size_t length = strlen(start);
    return strncmp(name, start, length) == 0 ? name + length : NULL;
}

// "": the file itself; ".123.part": one that a writer was making.
static bool is_unfinished(const char *rest)
{
    char *end;
    return rest[0] == '.' && strtol(rest + 1, &end, 10) > 0 && strcmp(end, ".part") == 0;
}

static bool is_unfinished_result(const char *name)
{
    for (int i = 0; i < RESULT_NAMES; ++i) {
        const char *rest = behind(name, result_names[i]);
        if (rest && is_unfinished(rest))
            return true;
    }
    return false;
}

// "000012.fil" is frame 12, "000012-1.fil" is on the way to it, and "000012.fil.99.part" a part of it; -1: none of
// them.
static long frame_of(const char *name, bool *unfinished)
{
    char *end;
    long frame = name[0] >= '0' && name[0] <= '9' ? strtol(name, &end, 10) : -1;
    bool long_enough = frame >= 0 && end - name >= 6;
    if (long_enough && end[0] == '-' && end[1] >= '1' && end[1] <= '9')
        strtol(end + 1, &end, 10);
    const char *rest = long_enough ? behind(end, ".fil") : NULL;
    *unfinished = rest && is_unfinished(rest);
    return rest && (rest[0] == '\0' || *unfinished) ? frame : -1;
}

// Calls `remove_it` for the names of a folder; removes those for which it is true.
static void sweep(const char *folder, const char *sub, bool (*remove_it)(const char *name, int first), int first)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_path(folder, sub, path);
    DIR *directory = opendir(path);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (remove_it(entry->d_name, first))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

static bool frame_is_behind(const char *name, int first)
{
    bool unfinished;
    long frame = frame_of(name, &unfinished);
    return frame >= 0 && (unfinished || frame >= first);
}

static bool result_is_unfinished(const char *name, int first)
{
    (void)first;
    return is_unfinished_result(name);
}

void fil_cache_folder_trim(const char *folder, int first)
{
    sweep(folder, FIL_CACHE_FRAMES_NAME, frame_is_behind, first);
    sweep(folder, ".", result_is_unfinished, 0);
}

void fil_cache_folder_clear(const char *folder)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_trim(folder, 0);
    for (int i = 0; i < RESULT_NAMES; ++i) {
        fil_cache_folder_path(folder, result_names[i], path);
        unlink(path);
    }
}

void fil_cache_folder_abandon(const char *folder, bool made)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_clear(folder);
    fil_cache_folder_path(folder, FIL_CACHE_FRAMES_NAME, path);
    rmdir(path);
    fil_cache_folder_path(folder, FIL_CACHE_LOCK_NAME, path);
    unlink(path);
    if (made)
        rmdir(folder);
}
