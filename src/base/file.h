// Output files that appear whole or not at all. See file.c.
#ifndef FIL_BASE_FILE_H
#define FIL_BASE_FILE_H

#include "base/context.h"

enum { FIL_PATH_MAX = 4096 };

// The name to write to while a file is in the making; it lies beside `path` so that the rename cannot fail half-way.
fil_status fil_file_temporary(fil_context *context, const char *path, char temporary[FIL_PATH_MAX]);
// Flushes the finished temporary to disk and gives it its name; removes it on failure.
fil_status fil_file_commit(fil_context *context, const char *temporary, const char *path);
void fil_file_discard(const char *temporary);
// Opens a regular file for reading; `kind` ("a groom") is what it should have been, for the sentence of a failure. The
// caller closes the descriptor.
fil_status fil_file_open(fil_context *context, const char *path, const char *kind, int *descriptor, uint64_t *size);
// The whole of it, and a zero behind it. The caller releases *bytes (fil_context_release); NULL after a failure.
fil_status fil_file_read(fil_context *context, const char *path, const char *kind, unsigned char **bytes, size_t *size);
// A whole file in one call. Not durable: the disk writes it when it likes. It still appears whole or not at all when
// the program is killed, but not when the machine loses its power: for files that say themselves whether they are
// whole.
fil_status fil_file_write_bytes(fil_context *context, const char *path, const void *bytes, size_t size, bool durable);
// Makes such a file (or a folder) durable.
fil_status fil_file_sync(fil_context *context, const char *path);
// A whole text, durable.
fil_status fil_file_write_text(fil_context *context, const char *path, const char *text, size_t length);

#endif
