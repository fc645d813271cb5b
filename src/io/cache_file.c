// One file of the results' folder: a head of 40 bytes, then what it carries. The checksum covers all but itself, so a
// file that was cut, mixed up or hit by a fault of the disk is never taken for good.
#include "io/cache.h"

#include "base/hash.h"

#include <string.h>

_Static_assert(sizeof(fil_cache_head) == FIL_CACHE_HEAD, "heads are written as they lie in memory");

static const struct {
    char magic[9];
    const char *name;
} kinds[] = {
    [FIL_CACHE_FRAME] = {"filumfr1", "a frame"},
    [FIL_CACHE_STRANDS] = {"filumgr1", "the strands of a run"},
    [FIL_CACHE_CHECKPOINT] = {"filumck1", "a checkpoint"},
};

static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t hash = fil_hash_bytes(0, bytes, offsetof(fil_cache_head, checksum));
    return fil_hash_bytes(hash, bytes + FIL_CACHE_HEAD, size - FIL_CACHE_HEAD);
}

fil_status fil_cache_file_write(fil_context *context, const char *path, fil_cache_kind kind, fil_cache_head *head,
                                unsigned char *bytes, size_t size, bool durable)
{
    memcpy(head->magic, kinds[kind].magic, sizeof head->magic);
    memcpy(bytes, head, FIL_CACHE_HEAD);
    head->checksum = checksum(bytes, size);
    memcpy(bytes, head, FIL_CACHE_HEAD);
    return fil_file_write_bytes(context, path, bytes, size, durable);
}

static fil_status check(fil_context *context, const char *path, fil_cache_kind kind, const unsigned char *bytes,
                        size_t size, fil_cache_head *head)
{
    memset(head, 0, sizeof *head);
    memcpy(head, bytes, size < sizeof *head ? size : sizeof *head);
    size_t known = size < sizeof head->magic ? size : sizeof head->magic;
    if (memcmp(head->magic, kinds[kind].magic, known) != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: is not %s that filum wrote", path, kinds[kind].name);
    if (size < FIL_CACHE_HEAD || head->checksum != checksum(bytes, size))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: is damaged or cut short: its checksum does not match",
                                path);
    return FIL_OK;
}

fil_status fil_cache_file_read(fil_context *context, const char *path, fil_cache_kind kind, fil_cache_head *head,
                               unsigned char **bytes, size_t *size)
{
    fil_status status = fil_file_read(context, path, kinds[kind].name, bytes, size);
    if (status != FIL_OK)
        return status;
    status = check(context, path, kind, *bytes, *size, head);
    if (status != FIL_OK) {
        fil_context_release(context, *bytes);
        *bytes = NULL;
    }
    return status;
}
