// filum audit: counts what went wrong in the frames of a results' folder.
#include "cli/audit.h"

#include "base/file.h"
#include "base/timer.h"
#include "cli/frames.h"

#include <math.h>
#include <string.h>

static bool choose_checks(const char *only, fil_audit_def *def)
{
    static const struct {
        const char *name;
        fil_audit_kind kind;
    } names[] = {{"crossings", FIL_AUDIT_CROSSING}, {"inside", FIL_AUDIT_INSIDE}, {"stretch", FIL_AUDIT_STRETCH}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!only || strcmp(only, names[i].name) == 0)
            def->checks |= 1u << names[i].kind;
    if (def->checks == 0)
        fil_report_error("--only: must be crossings, inside or stretch (got '%s')", only);
    return def->checks != 0;
}

static bool choose_frames(const fil_arguments *arguments, fil_audit_job *self)
{
    int count = fil_cache_frame_count(self->cache);
    const char *range = fil_arguments_text(arguments, "frames");
    if (count == 0) {
        fil_report_error("%s: holds no frame yet", self->folder);
        return false;
    }
    self->def.last = count - 1;
    return !range || fil_frames_range(range, count, &self->def.first, &self->def.last);
}

// The whole scene with its grooms: they say which vertices are pinned.
static fil_status load_film(fil_context *context, fil_audit_job *self)
{
    char name[FIL_PATH_MAX];
    const char *text = fil_cache_scene(self->cache);
    snprintf(name, sizeof name, "%.4000s/scene.json", self->folder);
    return fil_film_parse(context, name, self->folder, text, strlen(text), NULL, 0, &self->film);
}

static bool show_progress(void *user, double part, int frame)
{
    double spent = fil_timer_seconds() - *(const double *)user;
    int left = part > 0 ? (int)ceil(fmin(spent * (1 - part) / part, 1e8)) : 0;
    fil_report_progress(part, "frame %d, %d:%02d left", frame, left / 60, left % 60);
    return !fil_report_interrupted();
}

static fil_cli_exit show(const fil_audit_job *self, bool json)
{
    int64_t found = 0;
    for (int kind = 0; kind < FIL_AUDIT_KINDS; ++kind)
        found += self->report.found[kind];
    if (json && !fil_report_json(fil_audit_json(self)))
        return fil_report_no_memory();
    if (!json)
        fil_audit_print(self);
    if (self->report.stopped)
        fil_report_error("interrupted: %d of %d frames were checked", self->report.frames,
                         self->def.last - self->def.first + 1);
    return found > 0 || self->report.stopped ? FIL_EXIT_MISSED : FIL_EXIT_OK;
}

static fil_cli_exit audit(fil_context *context, const fil_arguments *arguments, fil_audit_job *self)
{
    double started = fil_timer_seconds();
    fil_status status = fil_cache_open(context, self->folder, &self->cache);
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    if (!choose_frames(arguments, self))
        return FIL_EXIT_BAD;
    self->def.progress = show_progress;
    self->def.user = &started;
    status = load_film(context, self);
    if (status == FIL_OK)
        status = fil_audit_create(context, self->cache, self->film, &self->audit);
    if (status == FIL_OK)
        status = fil_audit_run(context, self->audit, &self->def, &self->report);
    fil_report_progress_end();
    return status == FIL_OK ? show(self, fil_arguments_given(arguments, "json")) : fil_report_failure(context, status);
}

static fil_cli_exit audit_run(const fil_arguments *arguments)
{
    fil_audit_job self = {.folder = arguments->operands[0]};
    self.def.depth = fil_arguments_number(arguments, "depth");
    self.def.stretch = fil_arguments_number(arguments, "stretch");
    if (!choose_checks(fil_arguments_text(arguments, "only"), &self.def))
        return FIL_EXIT_BAD;
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    fil_context *context = fil_context_create(&def);
    if (!context)
        return fil_report_no_memory();
    fil_report_catch_interrupt();
    fil_cli_exit code = audit(context, arguments, &self);
    fil_audit_destroy(self.audit);
    fil_film_destroy(self.film);
    fil_cache_close(self.cache);
    fil_context_destroy(context);
    return code;
}

static const fil_option options[] = {
    {"frames", 0, FIL_OPTION_TEXT, "A-B", NULL, 0, 0, "which ones to check, A-: to the end; otherwise all"},
    {"only", 0, FIL_OPTION_TEXT, "crossings|inside|stretch", NULL, 0, 0, "one check alone; otherwise all"},
    {"depth", 0, FIL_OPTION_REAL, "METRES", "0.0001", 0, 1e6, "what is less deep inside a body does not count"},
    {"stretch", 0, FIL_OPTION_REAL, "PART", "0.05", 0, 1e6,
     "segments stretched or compressed by no more of their length do not count"},
    {"threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 1024, "0: all; results do not depend on it"},
};
static const fil_example examples[] = {
    {"filum audit out", "All frames that filum run wrote to the folder out"},
    {"filum audit out --frames 100-200 --only crossings", "Did strands pass through each other there?"},
    {"filum audit out --depth 0.001 --stretch 0.01 --json", "Other limits, for a script"},
};
const fil_command fil_command_audit = {
    .name = "audit",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .summary = "count what went wrong in the frames of a run",
    .text = "Looks at the saved frames alone and counts strands that passed through each other between two frames, "
            "free places of strands inside bodies, stretched segments, and places that are not finite numbers. "
            "Between two frames all vertices are taken to go straight: keep the places between them (`filum run "
            "--parts`) when the verdict matters. Ends with status 1 when anything was found.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = audit_run,
};
