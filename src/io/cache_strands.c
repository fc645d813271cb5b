// strands.fil: what a reader of frames needs to know about the strands, without the scene and without the library.
//
// Behind the head, for each group: length of the name, strands, vertices; the name, filled up to a multiple of four;
// then the arrays of fil_shape, numbers as floats. A reader trusts the checksum to tell accidents, and no number: sizes
// are compared with what is left of the file before they are used.
#include "io/cache.h"

#include <limits.h>
#include <string.h>

enum { FLOAT_ARRAYS = 4, GROUP_HEAD = 16 }; // radius, length, stiffness, curvature

static size_t padded(size_t length)
{
    return (length + 3) / 4 * 4;
}

static size_t group_size(const fil_cache_group *group)
{
    return GROUP_HEAD + padded(strlen(group->name)) + sizeof(uint32_t) * (size_t)group->strand_count +
           sizeof(float) * FLOAT_ARRAYS * (size_t)group->vertex_total;
}

static unsigned char *put(unsigned char *at, const void *value, size_t size)
{
    memcpy(at, value, size);
    return at + size;
}

static unsigned char *put_group(unsigned char *at, const fil_cache_group *group)
{
    const fil_shape *shape = &group->shape;
    const double *arrays[FLOAT_ARRAYS] = {shape->radius, shape->length, shape->stiffness, shape->curvature};
    uint32_t sizes[2] = {(uint32_t)strlen(group->name), (uint32_t)group->strand_count};
    uint64_t vertices = (uint64_t)group->vertex_total;
    at = put(at, sizes, sizeof sizes);
    at = put(at, &vertices, sizeof vertices);
    memcpy(at, group->name, sizes[0]);
    at += padded(sizes[0]);
    at = put(at, shape->vertex_count, sizeof(uint32_t) * (size_t)group->strand_count);
    for (int a = 0; a < FLOAT_ARRAYS; ++a)
        for (int64_t i = 0; i < group->vertex_total; ++i) {
            float value = (float)arrays[a][i];
            at = put(at, &value, sizeof value);
        }
    return at;
}

fil_status fil_cache_strands_write(fil_context *context, const char *path, uint64_t fingerprint, double fps,
                                   const fil_cache_group *groups, int group_count)
{
    size_t size = FIL_CACHE_HEAD;
    int64_t vertex_total = 0;
    for (int g = 0; g < group_count; ++g) {
        size += group_size(&groups[g]);
        vertex_total += groups[g].vertex_total;
    }
    if (vertex_total > UINT32_MAX)
        return fil_context_fail(context, FIL_BAD_INPUT, "%s: more than %u vertices", path, UINT32_MAX);
    unsigned char *bytes = fil_context_allocate(context, size);
    if (!bytes)
        return FIL_NO_MEMORY;
    memset(bytes, 0, size);
    unsigned char *at = bytes + FIL_CACHE_HEAD;
    for (int g = 0; g < group_count; ++g)
        at = put_group(at, &groups[g]);
    fil_cache_head head = {.fingerprint = fingerprint,
                           .number = (uint32_t)group_count,
                           .vertex_total = (uint32_t)vertex_total,
                           .time = fps};
    fil_status status = fil_cache_file_write(context, path, FIL_CACHE_STRANDS, &head, bytes, size, true);
    fil_context_release(context, bytes);
    return status;
}

// What is left to read.
typedef struct cursor {
    const unsigned char *at;
    size_t left;
} cursor;

static bool get(cursor *self, void *out, size_t size)
{
    if (size > self->left)
        return false;
    memcpy(out, self->at, size);
    self->at += size;
    self->left -= size;
    return true;
}

// The arrays of a group, and room for them. FIL_BAD_INPUT without a sentence: the sizes do not fit.
static fil_status get_shape(cursor *self, fil_arena *arena, fil_cache_group *group)
{
    fil_shape *shape = &group->shape;
    double **arrays[FLOAT_ARRAYS] = {&shape->radius, &shape->length, &shape->stiffness, &shape->curvature};
    shape->vertex_count = FIL_ARENA_ARRAY(arena, int, group->strand_count);
    if (!shape->vertex_count)
        return FIL_NO_MEMORY;
    if (!get(self, shape->vertex_count, sizeof(uint32_t) * (size_t)group->strand_count))
        return FIL_BAD_INPUT;
    int64_t counted = 0;
    for (int i = 0; i < group->strand_count; ++i) {
        if (shape->vertex_count[i] < 2)
            return FIL_BAD_INPUT;
        counted += shape->vertex_count[i];
    }
    if (counted != group->vertex_total || self->left / sizeof(float) / FLOAT_ARRAYS < (uint64_t)counted)
        return FIL_BAD_INPUT;
    for (int a = 0; a < FLOAT_ARRAYS; ++a) {
        *arrays[a] = FIL_ARENA_ARRAY(arena, double, counted);
        if (!*arrays[a])
            return FIL_NO_MEMORY;
        for (int64_t i = 0; i < counted; ++i) {
            float value = 0;
            get(self, &value, sizeof value);
            (*arrays[a])[i] = (double)value;
        }
    }
    return FIL_OK;
}

static fil_status get_group(cursor *self, fil_arena *arena, fil_cache_group *group)
{
    uint32_t sizes[2];
    uint64_t vertices;
    if (!get(self, sizes, sizeof sizes) || !get(self, &vertices, sizeof vertices))
        return FIL_BAD_INPUT;
    if (padded(sizes[0]) > self->left || sizes[1] > self->left / sizeof(uint32_t) || sizes[1] > INT_MAX ||
        vertices > self->left)
        return FIL_BAD_INPUT;
    char *name = FIL_ARENA_ARRAY(arena, char, padded(sizes[0]) + 1);
    if (!name)
        return FIL_NO_MEMORY;
    get(self, name, padded(sizes[0]));
    *group = (fil_cache_group){.name = name, .strand_count = (int)sizes[1], .vertex_total = (int64_t)vertices};
    return get_shape(self, arena, group);
}

fil_status fil_cache_strands_read(fil_context *context, const char *path, fil_arena *arena, fil_cache_head *head,
                                  fil_cache_group **groups)
{
    unsigned char *bytes;
    size_t size;
    fil_status status = fil_cache_file_read(context, path, FIL_CACHE_STRANDS, head, &bytes, &size);
    if (status != FIL_OK)
        return status;
    cursor self = {bytes + FIL_CACHE_HEAD, size - FIL_CACHE_HEAD};
    int64_t vertex_total = 0;
    if (head->number > self.left / GROUP_HEAD)
        status = FIL_BAD_INPUT;
    *groups = status == FIL_OK ? FIL_ARENA_ARRAY(arena, fil_cache_group, head->number) : NULL;
    if (status == FIL_OK && !*groups)
        status = FIL_NO_MEMORY;
    for (uint32_t g = 0; status == FIL_OK && g < head->number; ++g) {
        status = get_group(&self, arena, &(*groups)[g]);
        vertex_total += (*groups)[g].vertex_total;
    }
    if (status == FIL_OK && (self.left != 0 || vertex_total != head->vertex_total))
        status = FIL_BAD_INPUT;
    if (status == FIL_BAD_INPUT)
        fil_context_note(context, "%s: its sizes do not fit together", path);
    fil_context_release(context, bytes);
    return status;
}
