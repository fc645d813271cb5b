// filum run: a scene becomes frames on disk.
#include "cli/run.h"

#include "cli/scene.h"
#include "render/movie.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The film, the folder, the simulation, in this order: what is cheap to refuse is refused first.
static fil_status prepare(fil_run *run)
{
    fil_status status = fil_run_folder_open(run);
    if (status == FIL_OK)
        status = fil_simulation_create(run->context, run->film, &run->simulation);
    if (status == FIL_OK)
        status = fil_run_loop_make_room(run);
    if (status == FIL_OK)
        status = fil_run_dump_open(run->context, &run->dump, fil_simulation_state(run->simulation));
    if (status != FIL_OK)
        return status;
    run->frames = fil_timing_frames(&run->film->timing) + 1;
    if (run->most_frames > 0 && run->most_frames < run->frames)
        run->frames = run->most_frames;
    return fil_report_interrupted() ? FIL_OK : fil_run_folder_begin(run);
}

static int frames_done(const fil_run *run)
{
    return run->stats.file >= 0 ? fil_simulation_frame(run->simulation) + 1 : 0;
}

static json_t *result_json(const fil_run *run)
{
    return json_pack("{s:o, s:i, s:i, s:i, s:b, s:i, s:I, s:I, s:I, s:I, s:i, s:o, s:i, s:i, s:f, s:f}", "folder",
                     fil_report_json_text(run->folder), "frames", frames_done(run), "frames_asked", run->frames,
                     "frames_before", run->first, "interrupted", (int)(frames_done(run) < run->frames), "strands",
                     run->strand_count, "vertices", (json_int_t)run->vertex_total, "steps", (json_int_t)run->steps,
                     "unconverged", (json_int_t)run->unconverged, "failed", (json_int_t)run->failed, "contacts",
                     run->all.contacts, "contact_residual", fil_report_json_real(run->all.contact_residual),
                     "crossings", run->all.crossings, "rough_parts", run->all.rough_parts, "seconds", run->seconds,
                     "seconds_write", run->seconds_write);
}

static void tell_trouble(const fil_run *run)
{
    if (run->rough_steps > 0)
        fil_report_remark("strands did not converge in %lld of %lld steps; unconverged and failed in %s tell where",
                          (long long)run->rough_steps, (long long)run->steps, run->stats.path);
    if (run->all.rough_parts > 0)
        fil_report_remark("%d parts of steps were in trouble and could not be halved any more; rough_parts and trouble "
                          "in %s tell where",
                          run->all.rough_parts, run->stats.path);
    if (run->all.crossings > 0)
        fil_report_remark("edges passed through each other %d times; crossings in %s tells where", run->all.crossings,
                          run->stats.path);
}

static fil_cli_exit tell(const fil_run *run)
{
    int done = frames_done(run);
    bool interrupted = done < run->frames;
    tell_trouble(run);
    if (run->json && !fil_report_json(result_json(run)))
        return fil_report_no_memory();
    if (interrupted && done == 0)
        fil_report_error("interrupted before it began");
    else if (interrupted)
        fil_report_error("interrupted after %d of %d frames: `filum run --resume -o %s` goes on", done, run->frames,
                         run->folder);
    else if (!run->json && run->first >= run->frames)
        printf("%s: all frames are there already (%d)\n", run->folder, run->frames);
    else if (!run->json)
        printf("%s: %d frames in %.3g s, of them %.2g s for writing\n", run->folder, done, run->seconds,
               run->seconds_write);
    return interrupted ? FIL_EXIT_MISSED : FIL_EXIT_OK;
}

static fil_cli_exit fail(const fil_run *run, fil_status status)
{
    fil_cli_exit code = fil_report_failure(run->context, status);
    // Frames that were finished before the machine failed are good.
    if (run->stats.file >= 0 && access(run->folder, F_OK) == 0)
        fil_report_remark("the finished frames are whole: `filum run --resume -o %s` goes on", run->folder);
    return code;
}

static fil_cli_exit work(fil_run *run)
{
    run->arena = fil_arena_create(run->context);
    fil_status status = run->arena ? prepare(run) : FIL_NO_MEMORY;
    if (status == FIL_OK && !fil_report_interrupted())
        status = fil_run_loop(run);
    fil_cli_exit code = status == FIL_OK ? tell(run) : fail(run, status);
    fil_run_stats_close(&run->stats);
    fil_cache_write_close(run->writer);
    fil_simulation_destroy(run->simulation);
    fil_run_dump_close(&run->dump);
    fil_arena_destroy(run->arena);
    return code;
}

static bool check_words(const fil_run *run, const fil_arguments *arguments)
{
    if (!run->folder)
        fil_report_error("run: --out DIR is missing");
    else if (fil_movie_is_named(run->folder))
        fil_report_error("--out: must be a folder, for frames: `filum render` makes films of them (got '%s')",
                         run->folder);
    else if (run->resume && run->force)
        fil_report_error("run: --resume goes on with what is there, --force removes it: name one of them");
    else if (arguments->operand_count == 0 && !run->resume)
        fil_report_error("run: SCENE is missing (only --resume can do without)");
    else if (fil_arguments_given(arguments, "every") && !run->dump.folder)
        fil_report_error("run: --every is for --dump-problems DIR, which is missing");
    else
        return true;
    return false;
}

static fil_cli_exit run_run(const fil_arguments *arguments)
{
    fil_run run = {.folder = fil_arguments_text(arguments, "out"),
                   .resume = fil_arguments_given(arguments, "resume"),
                   .force = fil_arguments_given(arguments, "force"),
                   .json = fil_arguments_given(arguments, "json"),
                   .parts = fil_arguments_given(arguments, "parts"),
                   .most_frames = (int)fil_arguments_whole(arguments, "frames"),
                   .stats.file = -1,
                   .dump = {.folder = fil_arguments_text(arguments, "dump-problems"),
                            .every = (int)fil_arguments_whole(arguments, "every")}};
    if (!check_words(&run, arguments))
        return FIL_EXIT_BAD;
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    run.context = fil_context_create(&def);
    if (!run.context)
        return fil_report_no_memory();
    fil_report_catch_interrupt();
    char own_scene[FIL_PATH_MAX];
    fil_cache_folder_path(run.folder, FIL_CACHE_SCENE_NAME, own_scene);
    const char *scene = arguments->operand_count > 0 ? arguments->operands[0] : own_scene;
    fil_status status = fil_scene_load(arguments, run.context, scene, &run.film);
    fil_cli_exit code = status == FIL_OK ? work(&run) : fil_report_failure(run.context, status);
    fil_film_destroy(run.film);
    fil_context_destroy(run.context);
    return code;
}

static const fil_option options[] = {
    {"out", 'o', FIL_OPTION_TEXT, "DIR", NULL, 0, 0, "the results' folder: made when it is not there"},
    FIL_SCENE_SET_OPTION,
    {"frames", 0, FIL_OPTION_WHOLE, "N", NULL, 1, 1e9, "stop when there are so many, the one at 0 s counted"},
    {"resume", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "go on where an earlier run of the scene ended, bit for bit"},
    {"force", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0, "remove the results that are in DIR, and nothing else, first"},
    {"parts", 0, FIL_OPTION_FLAG, NULL, NULL, 0, 0,
     "also keep where strands are between frames, after each step and each part of one: `filum audit` then knows their "
     "ways"},
    {"dump-problems", 0, FIL_OPTION_TEXT, "DIR", NULL, 0, 0,
     "write the contact problems of the steps as files for `filum contact`: DIR/step_000123_1.hdf5 ..."},
    {"every", 0, FIL_OPTION_WHOLE, "N", "1", 1, 1e9, "with --dump-problems: those of each N-th step"},
    {"threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 1024, "0: all; results do not depend on it"},
};
static const fil_example examples[] = {
    {"filum run scenes/01_one_strand.json -o out", "Frames, statistics and checkpoints in the folder out"},
    {"filum run --resume -o out", "After Ctrl-C, a crash or a full disk"},
    {"filum run head.json -o out --resume --set time.duration=10", "A longer film, without doing its start again"},
    {"filum run head.json -o draft --set time.step=0.004 --frames 30", "A quick look at the first 30 frames"},
};
const fil_command fil_command_run = {
    .name = "run",
    .operands = "[SCENE]",
    .least = 0,
    .most = 1,
    .summary = "simulate a scene: frames, statistics and checkpoints into a folder",
    .text =
        "DIR gets one file per frame, stats.csv with one row per frame, a copy of the scene with all overrides, and "
        "checkpoints. Ctrl-C stops after the step at hand; --resume goes on from there, and also when the program was "
        "killed or the disk was full: the frames are the same as without the interruption. --resume needs no SCENE: it "
        "takes the copy in DIR. Results that are there already are not touched without --resume or --force.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = run_run,
};
