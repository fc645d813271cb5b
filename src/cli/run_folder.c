// Which results a run may write to, and where it goes on.
#include "cli/run.h"

#include "base/hash.h"

#include <string.h>

fil_status fil_run_folder_open(fil_run *run)
{
    fil_status status = fil_cache_write_open(run->context, run->folder, &run->writer);
    if (status != FIL_OK)
        return status;
    if (run->writer->holds_results && !run->resume && !run->force)
        return fil_context_fail(run->context, FIL_BAD_INPUT,
                                "%s: holds results already: go on with --resume, replace them with --force, or name "
                                "another folder",
                                run->folder);
    return FIL_OK;
}

// Of all that decides what a frame looks like: the model and how time is cut. Not of the duration: a film may become
// longer.
static uint64_t fingerprint(const fil_run *run)
{
    struct {
        uint64_t model;
        double h;
        int steps, settle;
    } parts = {.model = fil_model_fingerprint(fil_simulation_model(run->simulation)),
               .settle = run->film->timing.settle != 0};
    parts.steps = fil_timing_steps(&run->film->timing, &parts.h);
    return fil_hash_bytes(0, &parts, sizeof parts);
}

static bool make_group(fil_arena *arena, const fil_run *run, int g, fil_cache_group *out)
{
    const fil_model *model = fil_simulation_model(run->simulation);
    const char *name = run->film->scene.groups[g].name;
    *out = (fil_cache_group){.name = name ? name : "",
                             .strand_count = fil_model_strand_count(model, g),
                             .vertex_total = fil_model_vertex_count(model, g)};
    fil_shape *shape = &out->shape;
    double **arrays[] = {&shape->radius, &shape->length, &shape->stiffness, &shape->curvature};
    shape->vertex_count = FIL_ARENA_ARRAY(arena, int, out->strand_count);
    for (int a = 0; a < 4; ++a) {
        *arrays[a] = FIL_ARENA_ARRAY(arena, double, out->vertex_total);
        if (!*arrays[a] || !shape->vertex_count)
            return false;
    }
    fil_model_shape(model, g, shape);
    return true;
}

// A new folder, or an old one without its results, with the first frame.
static fil_status start(fil_run *run)
{
    fil_arena *arena = fil_arena_create(run->context);
    int count = run->film->scene.group_count;
    fil_cache_group *groups = arena ? FIL_ARENA_ARRAY(arena, fil_cache_group, count) : NULL;
    bool good = groups != NULL;
    for (int g = 0; good && g < count; ++g)
        good = make_group(arena, run, g, &groups[g]);
    fil_status status = FIL_NO_MEMORY;
    if (good)
        status =
            fil_cache_write_start(run->writer, fingerprint(run), run->film->timing.fps, groups, count, run->film->text);
    fil_arena_destroy(arena);
    bool lost;
    if (status == FIL_OK)
        status = fil_run_stats_open(run->context, run->folder, -1, &run->stats, &lost);
    return status == FIL_OK ? fil_run_loop_first(run) : status;
}

static fil_status go_on(fil_run *run, const fil_cache_resume *found)
{
    fil_status status = fil_simulation_load(run->context, run->simulation, found->frame,
                                            fil_cache_write_resume_state(found), found->size);
    if (status != FIL_OK)
        return fil_context_fail(run->context, status,
                                "%s: its checkpoint is of another version of filum: begin again with --force",
                                run->folder);
    fil_state_save(fil_simulation_state(run->simulation), run->saved);
    run->first = found->frame + 1;
    run->checkpoint = found->frame;
    bool lost;
    status = fil_run_stats_open(run->context, run->folder, found->frame, &run->stats, &lost);
    if (status == FIL_OK && run->first < run->frames)
        fil_report_remark("%s: %d of %d frames are there: goes on", run->folder, run->first, run->frames);
    if (status == FIL_OK && lost)
        fil_report_remark("%s: rows of earlier frames are missing", run->stats.path);
    // The film may be longer now, or look otherwise.
    if (status == FIL_OK && run->first < run->frames)
        status = fil_cache_write_scene(run->writer, run->film->text);
    return status;
}

static fil_status resume(fil_run *run)
{
    if (run->writer->fingerprint != fingerprint(run))
        return fil_context_fail(
            run->context, FIL_BAD_INPUT,
            "%s: holds results of another scene, frame rate or step, or its strands.fil is damaged: "
            "begin again with --force, or name another folder",
            run->folder);
    fil_cache_resume found;
    fil_status status = fil_cache_write_resume(run->writer, run->vertex_total, &found);
    if (status != FIL_OK)
        return status;
    if (found.damage[0])
        fil_report_remark("%s", found.damage);
    if (found.frame < 0) {
        fil_report_remark("%s: no checkpoint can be used: it begins again", run->folder);
        status = start(run);
    } else {
        status = go_on(run, &found);
    }
    fil_cache_write_resume_free(run->writer, &found);
    return status;
}

fil_status fil_run_folder_begin(fil_run *run)
{
    return run->resume && run->writer->holds_results ? resume(run) : start(run);
}
