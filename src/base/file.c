// Write to a temporary beside the target, flush it to the disk, rename. A crash or a full disk leaves the earlier file.
// A link stays a link: the file that it points to is replaced. A device or a pipe (/dev/stdout, /dev/null) cannot be
// replaced and is written to directly; its "temporary" is itself.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(FIL_PATH_MAX >= PATH_MAX, "realpath must fit");

static fil_status cannot_write(fil_context *context, const char *path, int reason)
{
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(reason));
}

// The file behind links; the path itself when there is no such file yet.
static const char *resolve(const char *path, char resolved[FIL_PATH_MAX])
{
    return realpath(path, resolved) ? resolved : path;
}

fil_status fil_file_temporary(fil_context *context, const char *path, char temporary[FIL_PATH_MAX])
{
    if (path[0] == '\0')
        return fil_context_fail(context, FIL_BAD_INPUT, "the output file name is empty");
    if (strlen(path) >= FIL_PATH_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.200s...: the file name is too long", path);
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return cannot_write(context, path, EISDIR);
    // The rename would replace a file that may not be written.
    if (exists && access(path, W_OK) != 0)
        return cannot_write(context, path, errno);
    if (exists && !S_ISREG(info.st_mode)) {
        memcpy(temporary, path, strlen(path) + 1);
        return FIL_OK;
    }
    char resolved[FIL_PATH_MAX];
    int length = snprintf(temporary, FIL_PATH_MAX, "%s.%ld.part", resolve(path, resolved), (long)getpid());
    if (length < 0 || length >= FIL_PATH_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.200s...: the file name is too long", path);
    // Opening it now tells about a missing directory or permission before any work is done.
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        return cannot_write(context, path, errno);
    if (exists)
        (void)!fchmod(file, info.st_mode & 0777);
    close(file);
    return FIL_OK;
}

void fil_file_discard(const char *temporary)
{
    struct stat info;
    if (lstat(temporary, &info) == 0 && S_ISREG(info.st_mode))
        unlink(temporary);
}

static int sync_file(const char *path)
{
    int file = open(path, O_RDONLY);
    int reason = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    return reason;
}

fil_status fil_file_sync(fil_context *context, const char *path)
{
    int reason = sync_file(path);
    return reason ? cannot_write(context, path, reason) : FIL_OK;
}

static fil_status commit(fil_context *context, const char *temporary, const char *path, bool durable)
{
    if (strcmp(temporary, path) == 0)
        return FIL_OK;
    int reason = durable ? sync_file(temporary) : 0;
    char resolved[FIL_PATH_MAX];
    if (!reason && rename(temporary, resolve(path, resolved)) != 0)
        reason = errno;
    if (!reason)
        return FIL_OK;
    fil_file_discard(temporary);
    return cannot_write(context, path, reason);
}

fil_status fil_file_commit(fil_context *context, const char *temporary, const char *path)
{
    return commit(context, temporary, path, true);
}

fil_status fil_file_write_bytes(fil_context *context, const char *path, const void *bytes, size_t size, bool durable)
{
    char temporary[FIL_PATH_MAX];
    fil_status status = fil_file_temporary(context, path, temporary);
    if (status != FIL_OK)
        return status;
    FILE *file = fopen(temporary, "wb");
    int reason = !file || fwrite(bytes, 1, size, file) != size ? errno : 0;
    if (file && fclose(file) != 0 && !reason)
        reason = errno;
    if (!reason)
        return commit(context, temporary, path, durable);
    fil_file_discard(temporary);
    return cannot_write(context, path, reason);
}

fil_status fil_file_write_text(fil_context *context, const char *path, const char *text, size_t length)
{
    return fil_file_write_bytes(context, path, text, length, true);
}

fil_status fil_file_open(fil_context *context, const char *path, const char *kind, int *descriptor, uint64_t *size)
{
    // Without O_NONBLOCK a named pipe would keep us waiting for a writer.
    *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (*descriptor < 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: cannot open: %s", path, strerror(errno));
    struct stat info;
    fil_status status = FIL_OK;
    if (fstat(*descriptor, &info) != 0)
        status = fil_context_fail(context, FIL_IO_FAILED, "%s: cannot read: %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: is a directory, not %s", path, kind);
    else if (!S_ISREG(info.st_mode))
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: is not a regular file", path);
    if (status == FIL_OK)
        *size = (uint64_t)info.st_size;
    else
        close(*descriptor);
    return status;
}

static fil_status read_all(fil_context *context, const char *path, int descriptor, unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < (1u << 30) ? size - done : 1u << 30;
        ssize_t got = read(descriptor, bytes + done, piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot read: %s", path,
                                    got < 0 ? strerror(errno) : "the file became shorter meanwhile");
        done += (size_t)got;
    }
    return FIL_OK;
}

fil_status fil_file_read(fil_context *context, const char *path, const char *kind, unsigned char **bytes, size_t *size)
{
    *bytes = NULL;
    int descriptor;
    uint64_t length;
    fil_status status = fil_file_open(context, path, kind, &descriptor, &length);
    if (status != FIL_OK)
        return status;
    *size = (size_t)length;
    *bytes = fil_context_allocate(context, *size + 1);
    status = *bytes ? read_all(context, path, descriptor, *bytes, *size) : FIL_NO_MEMORY;
    close(descriptor);
    if (status == FIL_OK) {
        (*bytes)[*size] = '\0';
    } else if (*bytes) {
        fil_context_release(context, *bytes);
        *bytes = NULL;
    }
    return status;
}
