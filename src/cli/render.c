// filum render: a picture of a groom.
#include "cli/render.h"

#include "cli/files.h"
#include "cli/groom.h"
#include "render/picture.h"
#include "scene/colour.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
    const char *in, *out;
    double unit, thickness, spread;
    int width, height, samples, copies;
    float tint[3];
    bool json;
} job;

// "960x720"
static bool parse_size(const char *text, job *out)
{
    char *end;
    long width = strtol(text, &end, 10), height = 0;
    if (*end == 'x' && end != text)
        height = strtol(end + 1, &end, 10);
    if (*end || width < 16 || width > 16384 || height < 16 || height > 16384) {
        fil_report_error("--size: must be WIDTHxHEIGHT, each from 16 to 16384 (got '%s')", text);
        return false;
    }
    out->width = (int)width;
    out->height = (int)height;
    return true;
}

static bool parse_colour(const char *text, job *out)
{
    double tint[3];
    if (!fil_colour_find(text, tint)) {
        char names[200];
        fil_colour_list(names, sizeof names);
        fil_report_error("--colour: must be one of %s (got '%s')", names, text);
        return false;
    }
    for (int k = 0; k < 3; ++k)
        out->tint[k] = (float)tint[k];
    return true;
}

static bool show_progress(void *user, double fraction)
{
    (void)user;
    fil_report_progress(fraction, "drawing");
    return !fil_report_interrupted();
}

static fil_status draw(fil_context *context, const job *self, const fil_curves *curves, unsigned char *pixels)
{
    fil_picture_hair hair = {.strand_count = curves->strand_count,
                             .vertex_count = curves->vertex_count,
                             .position = curves->position,
                             .radius = curves->radius,
                             .thickness = self->thickness,
                             .copies = self->copies,
                             .spread = self->spread};
    memcpy(hair.tint, self->tint, sizeof hair.tint);
    if (self->thickness > 0)
        hair.radius = NULL;
    else
        hair.thickness = 4e-5;
    fil_picture picture = fil_picture_default();
    picture.width = self->width;
    picture.height = self->height;
    picture.samples = self->samples;
    picture.hairs = &hair;
    picture.hair_count = 1;
    picture.ground = true;
    picture.progress = show_progress;
    fil_picture_frame(&picture);
    return fil_picture_render(context, &picture, pixels);
}

static fil_cli_exit render(fil_context *context, const job *self)
{
    fil_curves *curves;
    fil_curves_report report;
    unsigned char *pixels = malloc((size_t)self->width * (size_t)self->height * 3);
    if (!pixels)
        return fil_report_no_memory();
    fil_status status = fil_groom_load(context, self->in, self->unit, &curves, &report);
    fil_report_catch_interrupt(); // so that no file is left half written
    if (status == FIL_OK)
        status = draw(context, self, curves, pixels);
    fil_report_progress_end();
    bool stopped = fil_report_interrupted();
    if (status == FIL_OK && !stopped)
        status = fil_picture_write_png(context, self->out, self->width, self->height, pixels);
    fil_cli_exit code = FIL_EXIT_OK;
    if (stopped) {
        fil_report_error("interrupted: %s was not written", self->out);
        code = FIL_EXIT_MISSED;
    } else if (status != FIL_OK) {
        code = fil_report_failure(context, status);
    } else if (self->json) {
        json_t *object = json_pack("{s:o, s:i, s:i, s:i, s:I}", "out", fil_report_json_text(self->out), "width",
                                   self->width, "height", self->height, "strands", curves->strand_count, "hairs",
                                   (json_int_t)curves->strand_count * self->copies);
        code = fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
    } else {
        printf("%s: %d × %d, %d strands drawn as %lld hairs\n", self->out, self->width, self->height,
               curves->strand_count, (long long)curves->strand_count * self->copies);
    }
    fil_curves_destroy(curves);
    free(pixels);
    return code;
}

static fil_cli_exit render_run(const fil_arguments *arguments)
{
    job self = {.in = arguments->operands[0],
                .out = fil_arguments_text(arguments, "out"),
                .samples = (int)fil_arguments_whole(arguments, "samples"),
                .copies = (int)fil_arguments_whole(arguments, "hairs"),
                .spread = fil_arguments_number(arguments, "spread"),
                .json = fil_arguments_given(arguments, "json")};
    if (fil_arguments_given(arguments, "thickness"))
        self.thickness = fil_arguments_number(arguments, "thickness");
    if (!self.out) {
        fil_report_error("render: --out FILE.png is missing");
        return FIL_EXIT_BAD;
    }
    if (!fil_groom_unit("unit", fil_arguments_text(arguments, "unit"), &self.unit) ||
        !parse_size(fil_arguments_text(arguments, "size"), &self) ||
        !parse_colour(fil_arguments_text(arguments, "colour"), &self))
        return FIL_EXIT_BAD;
    if (fil_files_same(self.in, self.out)) {
        fil_report_error("%s: is the input and would be overwritten", self.out);
        return FIL_EXIT_BAD;
    }
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    fil_context *context = fil_context_create(&def);
    if (!context)
        return fil_report_no_memory();
    // A folder that does not exist is found before the work.
    fil_cli_exit code = fil_files_check_output(context, self.out);
    if (code == FIL_EXIT_OK)
        code = render(context, &self);
    fil_context_destroy(context);
    return code;
}

static const fil_option options[] = {
    {"out", 'o', FIL_OPTION_TEXT, "FILE.png", NULL, 0, 0, "where the picture goes"},
    {"size", 0, FIL_OPTION_TEXT, "WxH", "960x720", 0, 0, "pixels"},
    {"samples", 0, FIL_OPTION_WHOLE, "N", "16", 1, 4096, "rays per pixel: more is smoother"},
    {"hairs", 0, FIL_OPTION_WHOLE, "N", "1", 1, 10000, "hairs drawn for each strand, scattered around it"},
    {"spread", 0, FIL_OPTION_POSITIVE, "METRES", "0.004", 0, 0, "how far they scatter"},
    {"thickness", 0, FIL_OPTION_POSITIVE, "METRES", NULL, 0, 0,
     "radius of a hair; otherwise what the groom says, or 40 µm"},
    {"colour", 0, FIL_OPTION_TEXT, "NAME", "brown", 0, 0,
     "black, brown, auburn, blond, grey, or a plain one: red, blue ..."},
    {"unit", 'u', FIL_OPTION_TEXT, "U", NULL, 0, 0, "what one unit of the groom is: m, cm, mm, in or metres"},
    {"threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 1024, "0: all"},
};
static const fil_example examples[] = {
    {"filum render hair.data -o hair.png --hairs 10", "A groom from a file, ten hairs for each of its strands"},
    {"filum render scalp:style=curly -o curls.png --hairs 40 --colour auburn", "One from a generator"},
};
const fil_command fil_command_render = {
    .name = "render",
    .operands = "GROOM",
    .least = 1,
    .most = 1,
    .summary = "draw a groom",
    .text =
        "GROOM is a file (.hair, .tfx, .data, .obj, .ply, .usda) or a generator with its settings (filum info groom). "
        "The camera frames it by itself.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = render_run,
};
