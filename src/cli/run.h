// filum run: a scene becomes frames on disk. See run.c for the command, run_folder.c for the folder it writes to,
// run_loop.c for the work, run_stats.c for stats.csv, run_dump.c for contact problems.
#ifndef FIL_CLI_RUN_H
#define FIL_CLI_RUN_H

#include "base/arena.h"
#include "cli/report.h"
#include "io/cache.h"

extern const fil_command fil_command_run;

// What happened since the frame before: one row of stats.csv.
typedef struct fil_run_row {
    int frame, steps;
    double time; // s, of the film
    fil_measure sums;
    fil_step_stats step; // of all steps: fil_run_stats_add
    double seconds_measure, seconds_write, seconds;
} fil_run_row;

// run_stats.c: stats.csv. A row is there whole or not at all.
typedef struct fil_run_stats {
    int file;
    char path[FIL_PATH_MAX];
    off_t length;
} fil_run_stats;
// Opens it for the rows behind `frame`, which are cut off; -1: a new file. *lost (may be NULL): rows before are
// missing.
fil_status fil_run_stats_open(fil_context *context, const char *folder, int frame, fil_run_stats *out, bool *lost);
fil_status fil_run_stats_put(fil_context *context, fil_run_stats *stats, const fil_run_row *row);
fil_status fil_run_stats_sync(fil_context *context, fil_run_stats *stats);
void fil_run_stats_close(fil_run_stats *stats);
// Sums; of what a step has at its end (contacts, residuals), the most.
void fil_run_stats_add(fil_step_stats *sum, const fil_step_stats *step);
#define FIL_RUN_TROUBLE "trouble" // the column with words

// run_dump.c: the contact problems of a run as files, DIR/step_000123_1.hdf5.
typedef struct fil_run_dump {
    const char *folder; // NULL: none
    int every;          // steps
    int64_t step;       // the one at work, from 1
    int count;          // problems of it so far
    fil_context *context;
    fil_status status; // of the first file that could not be written
} fil_run_dump;
// Makes the folder and looks at the steps of `state` from now on.
fil_status fil_run_dump_open(fil_context *context, fil_run_dump *dump, fil_state *state);
// Before a step: its number. After it: whether its files were written.
void fil_run_dump_begin(fil_run_dump *dump, int64_t step);
fil_status fil_run_dump_end(fil_context *context, const fil_run_dump *dump);
void fil_run_dump_close(fil_run_dump *dump);

// A run in the making.
typedef struct fil_run {
    const char *folder;
    bool resume, force, json, parts;
    int most_frames; // asked for; 0: all
    fil_context *context;
    fil_arena *arena;
    fil_film *film;
    fil_simulation *simulation;
    fil_cache_writer *writer;
    fil_run_stats stats;
    int frames; // how many there shall be, the one at 0 s counted
    int first;  // frames that were there already

    int strand_count; // of all groups, as are the next
    int64_t vertex_total;
    double *position, *stretch;
    unsigned char *saved; // the state at the last complete frame
    size_t saved_size;
    int checkpoint;                         // the frame of the last one; -1: none
    double checkpoint_end, checkpoint_cost; // when it was written, and how long that took, s

    double seconds, seconds_write; // altogether; of them for frames, rows and checkpoints
    int64_t unconverged, failed;   // summed over steps
    int64_t steps, rough_steps;    // done; of them with strands that did not converge
    fil_step_stats all;            // of all steps
    fil_run_dump dump;
    int between; // --parts: how many places on the way to the next frame are kept
    fil_status between_status;
} fil_run;

// run_folder.c: makes the folder ready for run->first and all that follow. FIL_BAD_INPUT: it holds something else.
fil_status fil_run_folder_open(fil_run *run);
fil_status fil_run_folder_begin(fil_run *run);

// run_loop.c: makes frames until all are there or the user has had enough.
fil_status fil_run_loop_first(fil_run *run); // the one at 0 s
fil_status fil_run_loop(fil_run *run);
// Buffers for frames and states.
fil_status fil_run_loop_make_room(fil_run *run);

#endif
