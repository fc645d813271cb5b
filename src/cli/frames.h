// Frames to draw, wherever they come from: a results' folder, a scene that is simulated on the way, a groom. See
// frames.c.
#ifndef FIL_CLI_FRAMES_H
#define FIL_CLI_FRAMES_H

#include "base/arena.h"
#include "cli/report.h"

typedef enum fil_frames_kind { FIL_FRAMES_FOLDER, FIL_FRAMES_SCENE, FIL_FRAMES_GROOM } fil_frames_kind;

typedef struct fil_frames {
    fil_frames_kind kind;
    fil_film *film;                // of a groom: one look and no motion
    const fil_cache_group *groups; // [film->scene.group_count]
    int count;                     // frames
    int64_t vertex_total;
    fil_arena *arena;
    // Where they come from
    fil_cache *cache;
    fil_curves *curves;
    fil_simulation *simulation;
    // Frames that were simulated, kept for the next time they are asked for.
    float **kept; // [count] 4 numbers a vertex: all positions, then all stretches
    double *time; // [count]
    int done;
    double *position, *stretch; // of the state
} fil_frames;

// What `word` means: a folder, a scene by its ending, otherwise a groom.
fil_frames_kind fil_frames_kind_of(const char *word);
// `unit`: of a groom. A scene is changed by the --set of the command line.
fil_status fil_frames_open(fil_context *context, const fil_arguments *arguments, const char *word, double unit,
                           fil_frames *out);
void fil_frames_close(fil_frames *frames);
// One frame, as fil_cache_read has it; `user` is the fil_frames. A scene is simulated up to it.
fil_status fil_frames_read(fil_context *context, void *user, int frame, double *time, float *position, float *stretch);

// The value of --frames, "10-20", "10-" or "10", of `count` frames; false after telling what is wrong.
bool fil_frames_range(const char *text, int count, int *first, int *last);

#endif
