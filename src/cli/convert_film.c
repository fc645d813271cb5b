// filum convert DIR: the frames of a results' folder for other programs. OUT decides: a name with %04d is one groom for
// each frame, .usda is the whole film with time samples, and any groom is the one frame that --frame names.
#include "cli/convert_film.h"

#include "cli/files.h"
#include "io/cache_curves.h"
#include "io/curves.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool fil_convert_film_is_one(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_usda(const char *path)
{
    size_t length = strlen(path);
    return length >= 5 && strcasecmp(path + length - 5, ".usda") == 0;
}

static fil_status write_frame(fil_context *context, fil_cache *cache, int frame, const char *path, double unit)
{
    fil_curves *curves;
    fil_status status = fil_cache_curves_read(context, cache, frame, &curves);
    if (status == FIL_OK)
        status = fil_curves_write(context, path, curves, unit);
    fil_curves_destroy(curves);
    return status;
}

static fil_status write_frames(fil_context *context, fil_cache *cache, const fil_files_pattern *pattern, double unit)
{
    int count = fil_cache_frame_count(cache);
    fil_status status = FIL_OK;
    for (int f = 0; status == FIL_OK && f < count && !fil_report_interrupted(); ++f) {
        char path[FIL_PATH_MAX];
        fil_files_pattern_name(pattern, f, path);
        status = write_frame(context, cache, f, path, unit);
        fil_report_progress((f + 1.0) / count, "%s", path);
    }
    return status;
}

static bool progress(void *user, double fraction)
{
    fil_report_progress(fraction, "%s", (const char *)user);
    return !fil_report_interrupted();
}

static fil_cli_exit show(const fil_convert_film *self, const fil_cache *cache, int frames)
{
    long long vertices = (long long)fil_cache_vertex_total(cache);
    int strands = 0;
    for (int g = 0; g < fil_cache_group_count(cache); ++g)
        strands += fil_cache_group_at(cache, g)->strand_count;
    if (!self->json) {
        printf("%s: %d frame%s of %d strands, %lld vertices\n", self->out, frames, frames == 1 ? "" : "s", strands,
               vertices);
        return FIL_EXIT_OK;
    }
    json_t *object = json_pack("{s:o, s:o, s:f, s:i, s:f, s:i, s:I}", "file", fil_report_json_text(self->in), "out",
                               fil_report_json_text(self->out), "out_unit", self->to_unit, "frames", frames, "fps",
                               fil_cache_fps(cache), "strands", strands, "vertices", (json_int_t)vertices);
    return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
}

// What OUT and --frame ask for must fit together.
static bool check(const fil_convert_film *self, const fil_cache *cache, bool one_each)
{
    int count = fil_cache_frame_count(cache);
    char first[FIL_PATH_MAX];
    if (count == 0)
        fil_report_error("%s: holds no frame yet", self->in);
    else if (self->frame >= count)
        fil_report_error("--frame: %s has the frames 0 to %d (got %d)", self->in, count - 1, self->frame);
    else if (one_each && self->frame >= 0)
        fil_report_error("--frame: %s asks for all frames: leave one of the two out", self->out);
    else if (strchr(self->out, '%') && !one_each)
        fil_report_error("%s: the number of a frame is written %%d or %%04d, once", self->out);
    else if (!one_each && self->frame < 0 && !is_usda(self->out))
        fil_report_error("%s: holds one frame: choose it with --frame, or write %%04d into the name for all of them",
                         self->out);
    else if (strlen(self->out) + 32 > sizeof first)
        fil_report_error("%.100s...: the file name is too long", self->out);
    else
        return true;
    return false;
}

static fil_cli_exit convert(fil_context *context, const fil_convert_film *self, fil_cache *cache)
{
    fil_files_pattern pattern = {0};
    bool one_each = fil_files_pattern_read(self->out, &pattern);
    fil_status status = fil_curves_check_ending(context, self->out);
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    if (!check(self, cache, one_each))
        return FIL_EXIT_BAD;
    char first[FIL_PATH_MAX];
    if (one_each)
        fil_files_pattern_name(&pattern, 0, first);
    fil_cli_exit code = fil_files_check_output(context, one_each ? first : self->out);
    if (code != FIL_EXIT_OK)
        return code;
    if (one_each)
        status = write_frames(context, cache, &pattern, self->to_unit);
    else if (self->frame >= 0)
        status = write_frame(context, cache, self->frame, self->out, self->to_unit);
    else
        status = fil_cache_usda_write(context, cache, self->out, self->to_unit, progress, (void *)self->out);
    fil_report_progress_end();
    if (fil_report_interrupted())
        return FIL_EXIT_MISSED;
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    return show(self, cache, self->frame >= 0 ? 1 : fil_cache_frame_count(cache));
}

fil_cli_exit fil_convert_film_run(fil_context *context, const fil_convert_film *self)
{
    fil_cache *cache;
    fil_status status = fil_cache_open(context, self->in, &cache);
    if (status != FIL_OK)
        return fil_report_failure(context, status);
    fil_cli_exit code = convert(context, self, cache);
    fil_cache_close(cache);
    return code;
}
