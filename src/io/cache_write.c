// Writing the results' folder: frames, checkpoints, and where to go on after an interruption.
//
// Frames are renamed into place but not forced to the disk: a program that is killed leaves them whole, and after a
// power cut the checksum tells. A checkpoint first forces all frames since the one before to the disk, then itself: a
// checkpoint vouches for the frames before it. The checkpoint before the last is kept: when the last one or a frame
// before it turns out to be damaged, a run goes on from there.
#include "io/cache.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fil_status look(fil_cache_writer *writer)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_path(writer->folder, FIL_CACHE_STRANDS_NAME, path);
    writer->holds_results = access(path, F_OK) == 0;
    if (!writer->holds_results)
        return FIL_OK;
    fil_cache_head head;
    unsigned char *bytes;
    size_t size;
    // A damaged file belongs to no run: its results can be replaced, but not gone on with.
    fil_status status = fil_cache_file_read(writer->context, path, FIL_CACHE_STRANDS, &head, &bytes, &size);
    if (status == FIL_OK) {
        writer->fingerprint = head.fingerprint;
        fil_context_release(writer->context, bytes);
    }
    return status == FIL_BAD_INPUT ? FIL_OK : status;
}

fil_status fil_cache_write_open(fil_context *context, const char *folder, fil_cache_writer **out)
{
    *out = NULL;
    fil_status status = fil_cache_folder_check(context, folder);
    if (status != FIL_OK)
        return status;
    fil_cache_writer *writer = fil_context_allocate(context, sizeof *writer);
    if (!writer)
        return FIL_NO_MEMORY;
    *writer = (fil_cache_writer){.context = context, .lock = -1};
    memcpy(writer->folder, folder, strlen(folder) + 1);
    status = fil_cache_folder_lock(context, folder, &writer->lock, &writer->made);
    if (status != FIL_OK) {
        fil_context_release(context, writer);
        return status;
    }
    status = look(writer);
    if (status == FIL_OK)
        *out = writer;
    else
        fil_cache_write_close(writer);
    return status;
}

void fil_cache_write_close(fil_cache_writer *writer)
{
    if (!writer)
        return;
    if (!writer->holds_results)
        fil_cache_folder_abandon(writer->folder, writer->made);
    close(writer->lock);
    if (writer->bytes)
        fil_context_release(writer->context, writer->bytes);
    fil_context_release(writer->context, writer);
}

fil_status fil_cache_write_scene(fil_cache_writer *writer, const char *scene)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_path(writer->folder, FIL_CACHE_SCENE_NAME, path);
    return fil_file_write_text(writer->context, path, scene, strlen(scene));
}

// Room for a frame of so many vertices.
static fil_status make_room(fil_cache_writer *writer, int64_t vertex_total)
{
    if (writer->bytes)
        fil_context_release(writer->context, writer->bytes);
    writer->vertex_total = vertex_total;
    writer->bytes = fil_context_allocate(writer->context, FIL_CACHE_HEAD + FIL_CACHE_VERTEX * (size_t)vertex_total);
    return writer->bytes ? FIL_OK : FIL_NO_MEMORY;
}

fil_status fil_cache_write_start(fil_cache_writer *writer, uint64_t fingerprint, double fps,
                                 const fil_cache_group *groups, int group_count, const char *scene)
{
    int64_t vertex_total = 0;
    for (int g = 0; g < group_count; ++g)
        vertex_total += groups[g].vertex_total;
    fil_status status = make_room(writer, vertex_total);
    if (status != FIL_OK)
        return status;
    char path[FIL_PATH_MAX];
    fil_cache_folder_clear(writer->folder);
    writer->first_unsynced = 0;
    fil_cache_folder_path(writer->folder, FIL_CACHE_FRAMES_NAME, path);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fil_context_fail(writer->context, FIL_IO_FAILED, "%s: cannot make the folder: %s", path,
                                strerror(errno));
    // strands.fil comes last: where it is, the rest is.
    status = fil_cache_write_scene(writer, scene);
    if (status != FIL_OK)
        return status;
    fil_cache_folder_path(writer->folder, FIL_CACHE_STRANDS_NAME, path);
    status = fil_cache_strands_write(writer->context, path, fingerprint, fps, groups, group_count);
    writer->fingerprint = fingerprint;
    writer->holds_results = status == FIL_OK;
    return status;
}

// The nearest float; finite stays finite.
static float narrow(double value)
{
    if (value > (double)FLT_MAX)
        return FLT_MAX;
    return value < (double)-FLT_MAX ? -FLT_MAX : (float)value;
}

// The upper half of the float, rounded to nearest, ties to even; finite stays finite.
static uint16_t to_bfloat16(float value)
{
    enum { LARGEST = 0x7f7f };
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t size = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;
    if (size > 0x7f800000u)
        return (uint16_t)(sign | 0x7fc0u); // not a number stays so
    uint32_t rounded = (size + 0x7fffu + ((size >> 16) & 1u)) >> 16;
    return (uint16_t)(sign | (rounded > LARGEST && size < 0x7f800000u ? (uint32_t)LARGEST : rounded));
}

static fil_status write_places(fil_cache_writer *writer, const char *path, int frame, double time,
                               const double *position, const double *stretch)
{
    size_t count = (size_t)writer->vertex_total;
    unsigned char *at = writer->bytes + FIL_CACHE_HEAD;
    for (size_t i = 0; i < 3 * count; ++i, at += sizeof(float)) {
        float value = narrow(position[i]);
        memcpy(at, &value, sizeof value);
    }
    for (size_t i = 0; i < count; ++i, at += sizeof(uint16_t)) {
        uint16_t value = to_bfloat16(narrow(stretch[i]));
        memcpy(at, &value, sizeof value);
    }
    fil_cache_head head = {
        .fingerprint = writer->fingerprint, .number = (uint32_t)frame, .vertex_total = (uint32_t)count, .time = time};
    return fil_cache_file_write(writer->context, path, FIL_CACHE_FRAME, &head, writer->bytes,
                                FIL_CACHE_HEAD + FIL_CACHE_VERTEX * count, false);
}

fil_status fil_cache_write_frame(fil_cache_writer *writer, int frame, double time, const double *position,
                                 const double *stretch)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_frame(writer->folder, frame, path);
    return write_places(writer, path, frame, time, position, stretch);
}

fil_status fil_cache_write_between(fil_cache_writer *writer, int frame, int k, double time, const double *position,
                                   const double *stretch)
{
    char path[FIL_PATH_MAX];
    fil_cache_folder_between(writer->folder, frame, k, path);
    return write_places(writer, path, frame, time, position, stretch);
}

static fil_status sync_frames(fil_cache_writer *writer, int last)
{
    char path[FIL_PATH_MAX];
    for (; writer->first_unsynced <= last; ++writer->first_unsynced) {
        fil_cache_folder_frame(writer->folder, writer->first_unsynced, path);
        fil_status status = fil_file_sync(writer->context, path);
        for (int k = 1; status == FIL_OK; ++k) {
            fil_cache_folder_between(writer->folder, writer->first_unsynced, k, path);
            if (access(path, F_OK) != 0)
                break;
            status = fil_file_sync(writer->context, path);
        }
        if (status != FIL_OK)
            return status;
    }
    fil_cache_folder_path(writer->folder, FIL_CACHE_FRAMES_NAME, path);
    return fil_file_sync(writer->context, path);
}

fil_status fil_cache_write_checkpoint(fil_cache_writer *writer, int frame, double time, const void *bytes, size_t size)
{
    fil_status status = sync_frames(writer, frame);
    if (status != FIL_OK)
        return status;
    unsigned char *file = fil_context_allocate(writer->context, FIL_CACHE_HEAD + size);
    if (!file)
        return FIL_NO_MEMORY;
    memcpy(file + FIL_CACHE_HEAD, bytes, size);
    fil_cache_head head = {.fingerprint = writer->fingerprint,
                           .number = (uint32_t)frame,
                           .vertex_total = (uint32_t)writer->vertex_total,
                           .time = time};
    char path[FIL_PATH_MAX], earlier[FIL_PATH_MAX];
    fil_cache_folder_path(writer->folder, FIL_CACHE_CHECKPOINT_NAME, path);
    fil_cache_folder_path(writer->folder, FIL_CACHE_EARLIER_NAME, earlier);
    rename(path, earlier); // fails when this is the first one
    status =
        fil_cache_file_write(writer->context, path, FIL_CACHE_CHECKPOINT, &head, file, FIL_CACHE_HEAD + size, true);
    if (status == FIL_OK)
        status = fil_file_sync(writer->context, writer->folder);
    fil_context_release(writer->context, file);
    return status;
}

// Keeps the first sentence: what follows from it is of less interest.
static void note_damage(fil_cache_writer *writer, fil_cache_resume *out)
{
    if (out->damage[0] == '\0')
        snprintf(out->damage, sizeof out->damage, "%s", fil_context_error(writer->context));
}

// How many frames from the first on are whole, as far as `most`.
static fil_status count_whole(fil_cache_writer *writer, int most, fil_cache_resume *out, int *count)
{
    char path[FIL_PATH_MAX];
    fil_status status = FIL_OK;
    for (*count = 0; *count < most; ++*count) {
        fil_cache_folder_frame(writer->folder, *count, path);
        status = fil_cache_read_frame(writer->context, path, writer->fingerprint, *count, writer->vertex_total, NULL,
                                      NULL, NULL);
        if (status != FIL_OK)
            break;
    }
    if (status == FIL_OK)
        return FIL_OK;
    note_damage(writer, out);
    return status == FIL_NO_MEMORY ? status : FIL_OK;
}

// The checkpoint of that name into `out`, unless it is damaged or of another run.
static fil_status try_checkpoint(fil_cache_writer *writer, const char *name, fil_cache_resume *out)
{
    char path[FIL_PATH_MAX];
    fil_cache_head head;
    fil_cache_folder_path(writer->folder, name, path);
    if (access(path, F_OK) != 0)
        return FIL_OK;
    fil_status status =
        fil_cache_file_read(writer->context, path, FIL_CACHE_CHECKPOINT, &head, &out->bytes, &out->size);
    if (status == FIL_OK && (head.fingerprint != writer->fingerprint || head.number >= INT_MAX)) {
        status = fil_context_fail(writer->context, FIL_BAD_INPUT, "%s: belongs to another run", path);
        fil_cache_write_resume_free(writer, out);
    }
    if (status == FIL_OK) {
        out->frame = (int)head.number;
        out->size -= FIL_CACHE_HEAD;
        return FIL_OK;
    }
    note_damage(writer, out);
    return status == FIL_NO_MEMORY ? status : FIL_OK;
}

fil_status fil_cache_write_resume(fil_cache_writer *writer, int64_t vertex_total, fil_cache_resume *out)
{
    static const char *const names[] = {FIL_CACHE_CHECKPOINT_NAME, FIL_CACHE_EARLIER_NAME};
    *out = (fil_cache_resume){.frame = -1};
    fil_status status = make_room(writer, vertex_total);
    for (int i = 0; status == FIL_OK && !out->bytes && i < 2; ++i) {
        int whole = 0;
        status = try_checkpoint(writer, names[i], out);
        if (status == FIL_OK && out->bytes)
            status = count_whole(writer, out->frame + 1, out, &whole);
        if (whole <= out->frame)
            fil_cache_write_resume_free(writer, out);
    }
    if (status != FIL_OK) {
        fil_cache_write_resume_free(writer, out);
        return status;
    }
    fil_cache_folder_trim(writer->folder, out->frame + 1);
    writer->first_unsynced = out->frame + 1;
    return FIL_OK;
}

const void *fil_cache_write_resume_state(const fil_cache_resume *resume)
{
    return resume->bytes + FIL_CACHE_HEAD;
}

void fil_cache_write_resume_free(fil_cache_writer *writer, fil_cache_resume *resume)
{
    if (resume->bytes)
        fil_context_release(writer->context, resume->bytes);
    resume->bytes = NULL;
    resume->frame = -1;
}
