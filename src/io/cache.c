// Reading the results' folder: the public calls. docs/io/cache.md describes the files.
#include "io/cache.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

struct fil_cache {
    fil_context *context;
    fil_arena *arena;
    char folder[FIL_PATH_MAX];
    uint64_t fingerprint;
    int64_t vertex_total;
    double fps;
    fil_cache_group *groups;
    int group_count, frame_count;
    unsigned char *scene;
};

// How many frames there are without a gap.
static int count_frames(const char *folder)
{
    char path[FIL_PATH_MAX];
    int count = 0;
    for (; count < INT_MAX; ++count) {
        fil_cache_folder_frame(folder, count, path);
        if (access(path, F_OK) != 0)
            break;
    }
    return count;
}

static fil_status load(fil_context *context, const char *folder, fil_cache *cache)
{
    char path[FIL_PATH_MAX];
    size_t size;
    fil_cache_head head;
    fil_cache_folder_path(folder, FIL_CACHE_STRANDS_NAME, path);
    if (access(path, F_OK) != 0)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: is not a folder with results of filum run (it has no %s)",
                                folder, FIL_CACHE_STRANDS_NAME);
    fil_status status = fil_cache_strands_read(context, path, cache->arena, &head, &cache->groups);
    if (status != FIL_OK)
        return status;
    cache->fingerprint = head.fingerprint;
    cache->vertex_total = head.vertex_total;
    cache->fps = head.time;
    if (!(cache->fps > 0 && cache->fps <= 1e9))
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: must have from 0 to 1e9 frames per second (got %g)", path,
                                cache->fps);
    cache->group_count = (int)head.number;
    memcpy(cache->folder, folder, strlen(folder) + 1);
    cache->frame_count = count_frames(folder);
    fil_cache_folder_path(folder, FIL_CACHE_SCENE_NAME, path);
    return fil_file_read(context, path, "a scene", &cache->scene, &size);
}

fil_status fil_cache_open(fil_context *context, const char *folder, fil_cache **out)
{
    *out = NULL;
    fil_status status = fil_cache_folder_check(context, folder);
    if (status != FIL_OK)
        return status;
    fil_arena *arena = fil_arena_create(context);
    fil_cache *cache = arena ? FIL_ARENA_ARRAY(arena, fil_cache, 1) : NULL;
    status = FIL_NO_MEMORY;
    if (cache) {
        *cache = (fil_cache){.context = context, .arena = arena};
        status = load(context, folder, cache);
    }
    if (status == FIL_OK)
        *out = cache;
    else
        fil_arena_destroy(arena);
    return status;
}

void fil_cache_close(fil_cache *cache)
{
    if (!cache)
        return;
    fil_context_release(cache->context, cache->scene);
    fil_arena_destroy(cache->arena);
}

int fil_cache_frame_count(const fil_cache *cache)
{
    return cache->frame_count;
}

double fil_cache_fps(const fil_cache *cache)
{
    return cache->fps;
}

int fil_cache_group_count(const fil_cache *cache)
{
    return cache->group_count;
}

const fil_cache_group *fil_cache_group_at(const fil_cache *cache, int group)
{
    FIL_ASSERT(group >= 0 && group < cache->group_count);
    return &cache->groups[group];
}

int64_t fil_cache_vertex_total(const fil_cache *cache)
{
    return cache->vertex_total;
}

const char *fil_cache_scene(const fil_cache *cache)
{
    return (const char *)cache->scene;
}

// A bfloat16 is the upper half of a float.
static void unpack_stretch(const unsigned char *bytes, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; ++i) {
        uint16_t half;
        memcpy(&half, bytes + 2 * i, sizeof half);
        uint32_t whole = (uint32_t)half << 16;
        memcpy(&out[i], &whole, sizeof whole);
    }
}

fil_status fil_cache_read_frame(fil_context *context, const char *path, uint64_t fingerprint, int frame,
                                int64_t vertex_total, double *time, float *position, float *stretch)
{
    fil_cache_head head;
    unsigned char *bytes;
    size_t size;
    fil_status status = fil_cache_file_read(context, path, FIL_CACHE_FRAME, &head, &bytes, &size);
    if (status != FIL_OK)
        return status;
    size_t place_bytes = 3 * sizeof(float) * (size_t)vertex_total;
    if (head.fingerprint != fingerprint)
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: belongs to another run", path);
    else if (head.number != (uint32_t)frame)
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: is frame %u, not %d", path, head.number, frame);
    else if (head.vertex_total != vertex_total || size != FIL_CACHE_HEAD + FIL_CACHE_VERTEX * (size_t)vertex_total)
        status = fil_context_fail(context, FIL_BAD_INPUT, "%s: has %u vertices in %zu bytes, not %lld", path,
                                  head.vertex_total, size, (long long)vertex_total);
    if (status == FIL_OK && time)
        *time = head.time;
    if (status == FIL_OK && position)
        memcpy(position, bytes + FIL_CACHE_HEAD, place_bytes);
    if (status == FIL_OK && stretch)
        unpack_stretch(bytes + FIL_CACHE_HEAD + place_bytes, vertex_total, stretch);
    fil_context_release(context, bytes);
    return status;
}

fil_status fil_cache_read(fil_context *context, fil_cache *cache, int frame, double *time, float *position,
                          float *stretch)
{
    if (frame < 0 || frame >= cache->frame_count)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: frame %d: there are %d", cache->folder, frame,
                                cache->frame_count);
    char path[FIL_PATH_MAX];
    fil_cache_folder_frame(cache->folder, frame, path);
    return fil_cache_read_frame(context, path, cache->fingerprint, frame, cache->vertex_total, time, position, stretch);
}

fil_status fil_cache_read_between(fil_context *context, fil_cache *cache, int frame, int k, float *position,
                                  bool *there)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_between(cache->folder, frame, k, path);
    *there = access(path, F_OK) == 0;
    return *there ? fil_cache_read_frame(context, path, cache->fingerprint, frame, cache->vertex_total, NULL, position,
                                         NULL)
                  : FIL_OK;
}
