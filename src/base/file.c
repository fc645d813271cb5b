// Write to a temporary beside the target, flush it to the disk, rename. A crash or a full disk leaves the earlier file.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

fil_status fil_file_temporary(fil_context *context, const char *path, char temporary[FIL_PATH_MAX])
{
    if (path[0] == '\0')
        return fil_context_fail(context, FIL_BAD_INPUT, "the output file name is empty");
    int length = snprintf(temporary, FIL_PATH_MAX, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || length >= FIL_PATH_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%.200s...: the file name is too long", path);
    // Opening it now tells about a missing directory or permission before any work is done.
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(errno));
    close(file);
    return FIL_OK;
}

void fil_file_discard(const char *temporary)
{
    unlink(temporary);
}

fil_status fil_file_commit(fil_context *context, const char *temporary, const char *path)
{
    int file = open(temporary, O_RDONLY);
    int failed = file < 0 || fsync(file) != 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (!failed && rename(temporary, path) != 0) {
        failed = 1;
        reason = errno;
    }
    if (!failed)
        return FIL_OK;
    fil_file_discard(temporary);
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(reason));
}

fil_status fil_file_write_text(fil_context *context, const char *path, const char *text, size_t length)
{
    char temporary[FIL_PATH_MAX];
    fil_status status = fil_file_temporary(context, path, temporary);
    if (status != FIL_OK)
        return status;
    FILE *file = fopen(temporary, "wb");
    int failed = !file || fwrite(text, 1, length, file) != length;
    int reason = errno;
    if (file && fclose(file) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed)
        return fil_file_commit(context, temporary, path);
    fil_file_discard(temporary);
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(reason));
}
