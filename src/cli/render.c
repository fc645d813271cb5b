// filum render: pictures and films of a results' folder, a scene or a groom.
#include "cli/render.h"

#include "base/timer.h"
#include "cli/files.h"
#include "cli/frames.h"
#include "cli/groom.h"
#include "cli/pictures.h"
#include "cli/scene.h"
#include "render/shoot.h"
#include "scene/colour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the command line asks for; what it does not say comes from the scene.
typedef struct job {
    const fil_arguments *arguments;
    const char *in;
    fil_frames frames;
    fil_pictures pictures;
    fil_film film;   // of the frames, with the options in it
    fil_look *looks; // of the film
    fil_shoot *shoot;
    fil_shoot_colour colour;
    bool one_colour; // for all strands
    double colour_value[3];
    int first, last, every, drawn; // frames
    double fps, started;
    unsigned char *pixels;
} job;

// Options

// "960x720"
static bool parse_size(const char *text, fil_shot *out)
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

// A name of a colour, or what to colour by.
static bool parse_colour(const char *text, job *self)
{
    for (int by = FIL_SHOOT_BY_STRAND; text && by < FIL_SHOOT_COLOURS; ++by)
        if (strcmp(fil_shoot_colour_name((fil_shoot_colour)by), text) == 0)
            self->colour = (fil_shoot_colour)by;
    if (!text || self->colour != FIL_SHOOT_BY_LOOK)
        return true;
    self->one_colour = fil_colour_find(text, self->colour_value);
    char names[512];
    fil_colour_list(names, sizeof names);
    if (!self->one_colour)
        fil_report_error("--colour: must be strand, strain, speed or force, or one of %s (got '%s')", names, text);
    return self->one_colour;
}

static bool parse_ground(const char *text, fil_shot *out)
{
    if (text && strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
        fil_report_error("--ground: must be on or off (got '%s')", text);
        return false;
    }
    if (text)
        out->ground = strcmp(text, "on") == 0;
    return true;
}

// Options that mean nothing for this input or this output are refused, not ignored.
static bool check_options(const job *self)
{
    const struct {
        const char *option;
        bool fits;
        const char *why;
    } rules[] = {
        {"unit", self->frames.kind == FIL_FRAMES_GROOM, "is for grooms alone: scenes say their own"},
        {"set", self->frames.kind == FIL_FRAMES_SCENE, "is for scenes alone: the frames of a folder are as they are"},
        {"frame", self->pictures.kind == FIL_PICTURES_STILL, "is for a single picture (FILE.png)"},
        {"frames", self->pictures.kind != FIL_PICTURES_STILL, "is for films and numbered pictures (frame_%04d.png)"},
        {"every", self->pictures.kind != FIL_PICTURES_STILL, "is for films and numbered pictures (frame_%04d.png)"},
        {"fps", self->pictures.kind == FIL_PICTURES_FILM, "is for films"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        if (fil_arguments_given(self->arguments, rules[i].option) && !rules[i].fits) {
            fil_report_error("--%s: %s", rules[i].option, rules[i].why);
            return false;
        }
    if (self->frames.kind == FIL_FRAMES_GROOM && self->pictures.kind == FIL_PICTURES_FILM) {
        fil_report_error("%s: a groom does not move: draw it as FILE.png, or take a scene", self->in);
        return false;
    }
    if (self->frames.kind == FIL_FRAMES_GROOM && self->colour >= FIL_SHOOT_BY_STRAIN) {
        fil_report_error("--colour: a groom has no %s: take strand or a colour, or a scene",
                         fil_shoot_colour_name(self->colour));
        return false;
    }
    if (self->frames.count < 2 && self->colour == FIL_SHOOT_BY_SPEED) {
        fil_report_error("--colour: speed needs two frames, and %s has one", self->in);
        return false;
    }
    return true;
}

// Which frames are drawn, and how fast they follow each other.
static bool choose_frames(job *self)
{
    const fil_arguments *arguments = self->arguments;
    int most = self->frames.count - 1;
    self->first = 0;
    self->last = most;
    self->every = 1;
    if (self->pictures.kind == FIL_PICTURES_STILL) {
        int64_t frame = self->frames.kind == FIL_FRAMES_FOLDER ? most : 0;
        if (fil_arguments_given(arguments, "frame"))
            frame = fil_arguments_whole(arguments, "frame");
        if (frame > most) {
            fil_report_error("--frame: must be 0 to %d (got %lld)", most, (long long)frame);
            return false;
        }
        self->first = self->last = (int)frame;
    }
    if (fil_arguments_given(arguments, "frames") &&
        !fil_frames_range(fil_arguments_text(arguments, "frames"), self->frames.count, &self->first, &self->last))
        return false;
    if (fil_arguments_given(arguments, "every"))
        self->every = (int)fil_arguments_whole(arguments, "every");
    self->fps = self->frames.film->timing.fps / self->every;
    if (fil_arguments_given(arguments, "fps"))
        self->fps = fil_arguments_number(arguments, "fps");
    return true;
}

// The film with the options in it.
static bool set_film(job *self)
{
    const fil_arguments *arguments = self->arguments;
    int groups = self->frames.film->scene.group_count;
    self->film = *self->frames.film;
    self->looks = calloc((size_t)groups, sizeof *self->looks);
    if (!self->looks) {
        fil_report_no_memory();
        return false;
    }
    self->film.looks = self->looks;
    for (int g = 0; g < groups; ++g) {
        fil_look *look = &self->looks[g];
        *look = self->frames.film->looks[g];
        if (fil_arguments_given(arguments, "hairs"))
            look->hairs = (int)fil_arguments_whole(arguments, "hairs");
        if (fil_arguments_given(arguments, "spread"))
            look->spread = fil_arguments_number(arguments, "spread");
        if (fil_arguments_given(arguments, "thickness"))
            look->thickness = fil_arguments_number(arguments, "thickness");
        if (self->one_colour)
            memcpy(look->colour, self->colour_value, sizeof look->colour);
    }
    fil_shot *shot = &self->film.shot;
    if (fil_arguments_given(arguments, "samples"))
        shot->samples = (int)fil_arguments_whole(arguments, "samples");
    const char *size = fil_arguments_text(arguments, "size");
    return (!size || parse_size(size, shot)) && parse_ground(fil_arguments_text(arguments, "ground"), shot);
}

// Work

static int frame_total(const job *self)
{
    return (self->last - self->first) / self->every + 1;
}

static bool show_progress(void *user, double fraction)
{
    // The frames are what a shoot hands to its callbacks; the job begins around them.
    const job *self = (const job *)((const char *)user - offsetof(job, frames));
    double part = (self->drawn + fraction) / frame_total(self), spent = fil_timer_seconds() - self->started;
    int left = part > 0 && part < 1 ? (int)ceil(fmin(spent * (1 - part) / part, 1e8)) : 0;
    if (frame_total(self) == 1)
        fil_report_progress(part, "drawing");
    else
        fil_report_progress(part, "drawing frame %d of %d, %d:%02d left", self->drawn + 1, frame_total(self), left / 60,
                            left % 60);
    return !fil_report_interrupted();
}

static fil_status shoot(fil_context *context, job *self)
{
    fil_shoot_def def = {.film = &self->film,
                         .groups = self->frames.groups,
                         .colour = self->colour,
                         .first = self->first,
                         .last = self->last,
                         .every = self->every,
                         .frame_count = self->frames.count,
                         .read = fil_frames_read,
                         .progress = show_progress,
                         .user = &self->frames};
    const fil_shot *shot = &self->film.shot;
    fil_status status = fil_pictures_open(context, &self->pictures, self->first, shot->width, shot->height, self->fps);
    if (status == FIL_OK)
        status = fil_shoot_create(context, &def, &self->shoot);
    self->started = fil_timer_seconds();
    for (int f = self->first; f <= self->last && status == FIL_OK; f += self->every, ++self->drawn) {
        status = fil_shoot_draw(context, self->shoot, f, self->pixels);
        if (fil_report_interrupted())
            return status;
        if (status == FIL_OK)
            status = fil_pictures_add(context, &self->pictures, f, self->pixels);
    }
    return status == FIL_OK ? fil_pictures_finish(context, &self->pictures) : status;
}

static fil_cli_exit tell_interrupted(const job *self)
{
    if (self->pictures.kind == FIL_PICTURES_NUMBERED)
        fil_report_error("interrupted: %d of %d pictures were written", self->pictures.count, frame_total(self));
    else
        fil_report_error("interrupted: %s was not written", self->pictures.path);
    return FIL_EXIT_MISSED;
}

static fil_cli_exit tell(const job *self)
{
    const fil_pictures *pictures = &self->pictures;
    int64_t strands = 0, hairs = fil_shoot_hair_count(self->shoot);
    for (int g = 0; g < self->film.scene.group_count; ++g)
        strands += self->frames.groups[g].strand_count;
    if (fil_arguments_given(self->arguments, "json")) {
        json_t *object =
            json_pack("{s:o, s:i, s:i, s:i, s:o, s:I, s:I}", "out", fil_report_json_text(pictures->path), "width",
                      pictures->width, "height", pictures->height, "frames", pictures->count, "fps",
                      pictures->kind == FIL_PICTURES_FILM ? fil_report_json_real(self->fps) : json_null(), "strands",
                      (json_int_t)strands, "hairs", (json_int_t)hairs);
        return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
    }
    char frames[64] = "";
    if (pictures->kind == FIL_PICTURES_FILM)
        snprintf(frames, sizeof frames, "%d frame%s at %g a second, ", pictures->count, pictures->count == 1 ? "" : "s",
                 self->fps);
    else if (pictures->kind == FIL_PICTURES_NUMBERED)
        snprintf(frames, sizeof frames, "%d picture%s, ", pictures->count, pictures->count == 1 ? "" : "s");
    printf("%s: %d × %d, %s%lld strands drawn as %lld hairs\n", pictures->path, pictures->width, pictures->height,
           frames, (long long)strands, (long long)hairs);
    return FIL_EXIT_OK;
}

static fil_cli_exit render(fil_context *context, job *self)
{
    if (!check_options(self) || !choose_frames(self) || !set_film(self))
        return FIL_EXIT_BAD;
    self->pixels = malloc((size_t)self->film.shot.width * (size_t)self->film.shot.height * 3);
    if (!self->pixels)
        return fil_report_no_memory();
    fil_status status = shoot(context, self);
    fil_report_progress_end();
    fil_pictures_discard(&self->pictures);
    fil_cli_exit code = fil_report_interrupted() ? tell_interrupted(self)
                        : status != FIL_OK       ? fil_report_failure(context, status)
                                                 : tell(self);
    return code;
}

static fil_cli_exit render_run(const fil_arguments *arguments)
{
    job self = {.arguments = arguments, .in = arguments->operands[0]};
    const char *out = fil_arguments_text(arguments, "out");
    double unit;
    if (!out) {
        fil_report_error("render: --out FILE is missing (FILE.png, frame_%%04d.png or FILE.mp4)");
        return FIL_EXIT_BAD;
    }
    if (fil_files_same(self.in, out)) {
        fil_report_error("%s: is the input and would be overwritten", out);
        return FIL_EXIT_BAD;
    }
    if (!fil_pictures_parse(out, &self.pictures) || !parse_colour(fil_arguments_text(arguments, "colour"), &self) ||
        !fil_groom_unit("unit", fil_arguments_text(arguments, "unit"), &unit))
        return FIL_EXIT_BAD;
    fil_context_def def = fil_context_def_default();
    def.threads = (int)fil_arguments_whole(arguments, "threads");
    fil_context *context = fil_context_create(&def);
    if (!context)
        return fil_report_no_memory();
    fil_report_catch_interrupt(); // so that no file is left half written
    fil_status status = fil_frames_open(context, arguments, self.in, unit, &self.frames);
    fil_cli_exit code = status == FIL_OK ? render(context, &self) : fil_report_failure(context, status);
    fil_shoot_destroy(self.shoot);
    if (status == FIL_OK)
        fil_frames_close(&self.frames);
    free(self.looks);
    free(self.pixels);
    fil_context_destroy(context);
    return code;
}

static const fil_option options[] = {
    {"out", 'o', FIL_OPTION_TEXT, "FILE", NULL, 0, 0, "FILE.png, frame_%04d.png or a film: .mp4 .mov .mkv .webm .gif"},
    {"frame", 0, FIL_OPTION_WHOLE, "N", NULL, 0, 1e9,
     "which one to draw as FILE.png; otherwise the last of a folder, the first of a scene"},
    {"frames", 0, FIL_OPTION_TEXT, "A-B", NULL, 0, 0,
     "which ones to draw in a film, A alone: only that one; otherwise all"},
    {"every", 0, FIL_OPTION_WHOLE, "N", NULL, 1, 1e9, "draw every Nth of them; the film keeps its speed"},
    {"fps", 0, FIL_OPTION_REAL, "N", NULL, 0.01, 1000, "frames a second of the film; otherwise what the scene says"},
    {"size", 0, FIL_OPTION_TEXT, "WxH", NULL, 0, 0, "pixels; otherwise what the scene says; of a groom 960x720"},
    {"samples", 0, FIL_OPTION_WHOLE, "N", NULL, 1, 4096, "rays per pixel: more is smoother; of a groom 16"},
    {"colour", 0, FIL_OPTION_TEXT, "NAME", NULL, 0, 0,
     "of all strands: brown, auburn, blue ...; or by strand, strain, speed or force"},
    {"hairs", 0, FIL_OPTION_WHOLE, "N", NULL, 1, 10000,
     "hairs drawn for each strand, scattered around it; of a groom 1"},
    {"spread", 0, FIL_OPTION_POSITIVE, "METRES", NULL, 0, 0, "how far they scatter; of a groom 0.004"},
    {"thickness", 0, FIL_OPTION_POSITIVE, "METRES", NULL, 0, 0,
     "radius of a hair; otherwise what the scene or the groom says, or 40 µm"},
    {"ground", 0, FIL_OPTION_TEXT, "on|off", NULL, 0, 0, "a floor that catches shadows; of a groom on"},
    FIL_SCENE_SET_OPTION,
    {"unit", 'u', FIL_OPTION_TEXT, "U", NULL, 0, 0, "what one unit of the groom is: m, cm, mm, in or metres"},
    {"threads", 't', FIL_OPTION_WHOLE, "N", "0", 0, 1024, "0: all"},
};
static const fil_example examples[] = {
    {"filum render out -o film.mp4", "A film of what filum run wrote to the folder out"},
    {"filum render scene.json -o film.mp4", "The same without a folder: simulated on the way"},
    {"filum render out -o strain.png --frame 30 --colour strain", "One frame, coloured by strain, with a legend"},
    {"filum render scalp:style=curly -o curls.png --hairs 40 --colour auburn", "A groom from a generator"},
};
const fil_command fil_command_render = {
    .name = "render",
    .operands = "DIR|SCENE|GROOM",
    .least = 1,
    .most = 1,
    .summary = "draw pictures and films",
    .text =
        "DIR is a folder that filum run wrote. SCENE (.json) is simulated on the way; its frames are kept in memory. "
        "GROOM "
        "is a file (.hair, .tfx, .data, .obj, .ply, .usda) or a generator with its settings (filum info groom).\n\n"
        "Unless the scene has a camera, one is placed so that all frames that are drawn fill the picture. Films need "
        "ffmpeg.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = render_run,
};
