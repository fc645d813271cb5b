// The results' folder, for those who write it: `filum run`. Readers have fil_cache_* of filum.h. docs/io/cache.md
// describes the files byte by byte.
//
//     cache.c          reading
//     cache_file.c     one file: head, checksum
//     cache_strands.c  strands.fil
//     cache_folder.c   names, what is ours, the lock
//     cache_write.c    frames and checkpoints, and where to go on
#ifndef FIL_IO_CACHE_H
#define FIL_IO_CACHE_H

#include "base/arena.h"
#include "base/file.h"

// What a file of the folder may be; each has its own first eight bytes.
typedef enum fil_cache_kind { FIL_CACHE_FRAME, FIL_CACHE_STRANDS, FIL_CACHE_CHECKPOINT } fil_cache_kind;

// The first 40 bytes of every file.
typedef struct fil_cache_head {
    char magic[8];
    uint64_t fingerprint; // of the run that it belongs to
    uint32_t number;      // which frame; in strands.fil: how many groups
    uint32_t vertex_total;
    double time; // s; in strands.fil: frames per second
    uint64_t checksum;
} fil_cache_head;
enum { FIL_CACHE_HEAD = 40, FIL_CACHE_VERTEX = 14 }; // bytes of a head; of a vertex in a frame

// cache_file.c: `bytes` is the whole file; its first FIL_CACHE_HEAD are made from the head. `magic` and `checksum` of
// the head are filled in.
fil_status fil_cache_file_write(fil_context *context, const char *path, fil_cache_kind kind, fil_cache_head *head,
                                unsigned char *bytes, size_t size, bool durable);
// The whole file, after all checks that do not need to know the run. The caller releases *bytes.
fil_status fil_cache_file_read(fil_context *context, const char *path, fil_cache_kind kind, fil_cache_head *head,
                               unsigned char **bytes, size_t *size);

// cache_strands.c
fil_status fil_cache_strands_write(fil_context *context, const char *path, uint64_t fingerprint, double fps,
                                   const fil_cache_group *groups, int group_count);
// The groups live in the arena.
fil_status fil_cache_strands_read(fil_context *context, const char *path, fil_arena *arena, fil_cache_head *head,
                                  fil_cache_group **groups);

// cache_folder.c: names of files; `name` is one of those below.
#define FIL_CACHE_SCENE_NAME "scene.json"
#define FIL_CACHE_STRANDS_NAME "strands.fil"
#define FIL_CACHE_STATS_NAME "stats.csv"
#define FIL_CACHE_CHECKPOINT_NAME "checkpoint.fil"
#define FIL_CACHE_EARLIER_NAME "checkpoint_earlier.fil" // the one before it
#define FIL_CACHE_LOCK_NAME "filum.lock"
#define FIL_CACHE_FRAMES_NAME "frames"
// FIL_BAD_INPUT: the name is too long, or this machine is not little-endian.
fil_status fil_cache_folder_check(fil_context *context, const char *folder);
void fil_cache_folder_path(const char *folder, const char *name, char out[FIL_PATH_MAX]);
void fil_cache_folder_frame(const char *folder, int frame, char out[FIL_PATH_MAX]);
// The k-th place on the way from the frame before.
void fil_cache_folder_between(const char *folder, int frame, int k, char out[FIL_PATH_MAX]);
// Makes the folder when there is none and locks it. FIL_BAD_INPUT: it holds something else, or another run is at work.
fil_status fil_cache_folder_lock(fil_context *context, const char *folder, int *lock, bool *made);
// Removes the frames from `first` on, and what writers that were killed left behind.
void fil_cache_folder_trim(const char *folder, int first);
// Removes all results.
void fil_cache_folder_clear(const char *folder);
// Removes the lock, too, and the folder when `made` and nothing is left in it.
void fil_cache_folder_abandon(const char *folder, bool made);

// cache_write.c: a folder in the making; at most one writer holds it.
typedef struct fil_cache_writer {
    fil_context *context;
    char folder[FIL_PATH_MAX];
    int lock;
    bool made, holds_results; // the folder is new; it has a strands.fil
    uint64_t fingerprint;     // of the results in it
    int64_t vertex_total;
    unsigned char *bytes; // of a frame
    int first_unsynced;   // frames before it are known to be on the disk
} fil_cache_writer;

fil_status fil_cache_write_open(fil_context *context, const char *folder, fil_cache_writer **out);
void fil_cache_write_close(fil_cache_writer *writer); // NULL is fine
// Removes what is there and begins anew. `scene` is the text of the film.
fil_status fil_cache_write_start(fil_cache_writer *writer, uint64_t fingerprint, double fps,
                                 const fil_cache_group *groups, int group_count, const char *scene);
fil_status fil_cache_write_scene(fil_cache_writer *writer, const char *scene);
// Positions and stretches of all groups one after another. Numbers too large for a float become the largest float.
fil_status fil_cache_write_frame(fil_cache_writer *writer, int frame, double time, const double *position,
                                 const double *stretch);
// The same of the k-th place on the way from the frame before, from 1 on.
fil_status fil_cache_write_between(fil_cache_writer *writer, int frame, int k, double time, const double *position,
                                   const double *stretch);
// Bytes of fil_state_save at a frame. After it, all frames up to this one are on the disk for good.
fil_status fil_cache_write_checkpoint(fil_cache_writer *writer, int frame, double time, const void *bytes, size_t size);

// Where a run can go on.
typedef struct fil_cache_resume {
    int frame;                       // of the checkpoint; -1: from the start
    unsigned char *bytes;            // the file of the checkpoint; NULL when from the start
    size_t size;                     // of the state in it
    char damage[FIL_PATH_MAX + 256]; // the sentence on the first file that is of no use, or ""
} fil_cache_resume;
// The last checkpoint that is whole and has whole frames before it; what lies behind it is removed. The results must be
// there.
fil_status fil_cache_write_resume(fil_cache_writer *writer, int64_t vertex_total, fil_cache_resume *out);
const void *fil_cache_write_resume_state(const fil_cache_resume *resume); // as fil_state_save made it
void fil_cache_write_resume_free(fil_cache_writer *writer, fil_cache_resume *resume);

// cache.c: one frame, checked against what it should be; position and stretch may be NULL.
fil_status fil_cache_read_frame(fil_context *context, const char *path, uint64_t fingerprint, int frame,
                                int64_t vertex_total, double *time, float *position, float *stretch);

#endif
