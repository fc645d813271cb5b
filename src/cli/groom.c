// filum convert: a groom in another format, unit or fineness. filum info FILE: what a groom holds.
#include "cli/groom.h"

#include "base/settings.h"
#include "cli/convert_film.h"
#include "cli/files.h"
#include "filum/extend.h"
#include "scene/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "cm" or a number of metres. NULL: 0, the library's choice. False after telling what is wrong.
bool fil_groom_unit(const char *option, const char *text, double *out)
{
    *out = 0;
    if (!text)
        return true;
    if (fil_unit_find(text, out))
        return true;
    char *end;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && fil_unit_is_good(*out))
        return true;
    fil_report_error("--%s: must be m, cm, mm, in or a number of metres from 1e-9 to 1e9 (got '%s')", option, text);
    return false;
}

// "0.01 m (cm)"
static void describe_unit(double unit, char *out, size_t room)
{
    const char *name = fil_unit_name(unit);
    if (name)
        snprintf(out, room, "%s", name);
    else
        snprintf(out, room, "%.9g m", unit);
}

// What was repaired, on stderr: nobody should miss it.
static void remark_defects(const char *path, const fil_curves_report *report)
{
    if (report->strands_dropped || report->vertices_doubled || report->vertices_not_finite)
        fil_report_remark("%s: dropped %d strands, %lld repeated and %lld not finite vertices", path,
                          report->strands_dropped, (long long)report->vertices_doubled,
                          (long long)report->vertices_not_finite);
}

static json_t *three_json(const double *values)
{
    json_t *list = json_array();
    for (int k = 0; list && k < 3; ++k)
        if (json_array_append_new(list, fil_report_json_real(values[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *info_json(const char *path, const fil_curves *curves, const fil_curves_report *report)
{
    fil_curves_info info;
    fil_curves_measure(curves, &info);
    return json_pack("{s:o, s:s, s:i, s:I, s:f, s:b, s:b, s:o, s:o, s:[ii], s:o, s:o, s:i, s:I, s:i, s:I, s:I}", "file",
                     fil_report_json_text(path), "format", report->format, "strands", curves->strand_count, "vertices",
                     (json_int_t)curves->vertex_total, "unit", report->unit, "unit_guessed", (int)report->unit_guessed,
                     "radius", (int)(curves->radius != NULL), "length", three_json(info.length), "segment",
                     three_json(info.segment), "vertices_per_strand", info.vertices[0], info.vertices[1], "low",
                     three_json(info.low), "high", three_json(info.high), "strands_in_file", report->strands_in_file,
                     "vertices_in_file", (json_int_t)report->vertices_in_file, "strands_dropped",
                     report->strands_dropped, "vertices_doubled", (json_int_t)report->vertices_doubled,
                     "vertices_not_finite", (json_int_t)report->vertices_not_finite);
}

static void print_info(const char *path, const fil_curves *curves, const fil_curves_report *report)
{
    fil_curves_info info;
    char unit[48];
    fil_curves_measure(curves, &info);
    describe_unit(report->unit, unit, sizeof unit);
    printf("%s%s%s: %s, %d strands, %lld vertices (%d to %d each)\n", fil_report_bold(), path, fil_report_plain(),
           report->format, curves->strand_count, (long long)curves->vertex_total, info.vertices[0], info.vertices[1]);
    printf("  unit      %s%s\n", unit, report->unit_guessed ? " (guessed from the median length: see --unit)" : "");
    printf("  lengths   %.4g to %.4g m, mean %.4g m\n", info.length[0], info.length[2], info.length[1]);
    printf("  segments  %.4g to %.4g m, mean %.4g m\n", info.segment[0], info.segment[2], info.segment[1]);
    printf("  box       (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", info.low[0], info.low[1], info.low[2],
           info.high[0], info.high[1], info.high[2]);
    if (curves->radius) {
        double least = HUGE_VAL, most = 0;
        for (int64_t i = 0; i < curves->vertex_total; ++i) {
            least = fmin(least, curves->radius[i]);
            most = fmax(most, curves->radius[i]);
        }
        printf("  radii     %.4g to %.4g m\n", least, most);
    }
    printf("  dropped   %d strands, %lld repeated vertices, %lld not finite\n", report->strands_dropped,
           (long long)report->vertices_doubled, (long long)report->vertices_not_finite);
}

// Does the word name a generator ("scalp:strands=100") rather than a file?
static bool is_generator(const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":"), word);
    return access(word, F_OK) != 0 && fil_groom_type_find(name) != NULL;
}

fil_status fil_groom_load(fil_context *context, const char *word, double unit, fil_curves **out,
                          fil_curves_report *report)
{
    if (!is_generator(word))
        return fil_curves_read(context, word, unit, out, report);
    fil_status status = fil_curves_generate(context, word, out);
    *report = (fil_curves_report){.unit = 1};
    snprintf(report->format, sizeof report->format, "generator");
    if (status == FIL_OK) {
        report->strands_in_file = (*out)->strand_count;
        report->vertices_in_file = (*out)->vertex_total;
    }
    return status;
}

fil_cli_exit fil_groom_info(const char *path, const char *unit_text, bool json)
{
    double unit;
    if (!fil_groom_unit("unit", unit_text, &unit))
        return FIL_EXIT_BAD;
    fil_context *context = fil_context_create(NULL);
    if (!context)
        return fil_report_no_memory();
    fil_curves *curves;
    fil_curves_report report;
    fil_status status = fil_groom_load(context, path, unit, &curves, &report);
    fil_cli_exit code = FIL_EXIT_OK;
    if (status != FIL_OK)
        code = fil_report_failure(context, status);
    else if (json)
        code = fil_report_json(info_json(path, curves, &report)) ? FIL_EXIT_OK : fil_report_no_memory();
    else
        print_info(path, curves, &report);
    fil_curves_destroy(curves);
    fil_context_destroy(context);
    return code;
}

typedef struct conversion {
    const char *in, *out;
    double unit, to_unit, segment; // segment 0: as they are
    bool json;
} conversion;

static fil_cli_exit show(const conversion *self, const fil_curves *curves, const fil_curves_report *report)
{
    char unit[48];
    if (self->json) {
        json_t *object = info_json(self->in, curves, report);
        if (!object || json_object_set_new(object, "out", fil_report_json_text(self->out)) != 0 ||
            json_object_set_new(object, "out_unit", json_real(self->to_unit)) != 0) {
            json_decref(object);
            return fil_report_no_memory();
        }
        return fil_report_json(object) ? FIL_EXIT_OK : fil_report_no_memory();
    }
    describe_unit(self->to_unit, unit, sizeof unit);
    printf("%s: %d strands, %lld vertices, in %s\n", self->out, curves->strand_count, (long long)curves->vertex_total,
           unit);
    return FIL_EXIT_OK;
}

static fil_cli_exit convert(fil_context *context, const conversion *self)
{
    fil_curves *curves, *finer = NULL;
    fil_curves_report report;
    fil_status status = fil_groom_load(context, self->in, self->unit, &curves, &report);
    if (status == FIL_OK && self->segment > 0)
        status = fil_curves_resample(context, curves, self->segment, &finer);
    const fil_curves *result = finer ? finer : curves;
    bool stop = fil_report_interrupted();
    if (status == FIL_OK && !stop)
        status = fil_curves_write(context, self->out, result, self->to_unit);
    fil_cli_exit code = FIL_EXIT_OK;
    if (status != FIL_OK) {
        code = fil_report_failure(context, status);
    } else if (stop) {
        code = FIL_EXIT_MISSED;
    } else {
        char unit[48];
        describe_unit(report.unit, unit, sizeof unit);
        if (report.unit_guessed)
            fil_report_remark("%s: taken to be in %s, by its median length (--unit tells)", self->in, unit);
        remark_defects(self->in, &report);
        code = show(self, result, &report);
    }
    fil_curves_destroy(finer);
    fil_curves_destroy(curves);
    return code;
}

static fil_cli_exit convert_groom(fil_context *context, const conversion *self)
{
    if (fil_files_same(self->in, self->out)) {
        fil_report_error("%s: is the input and would be overwritten", self->out);
        return FIL_EXIT_BAD;
    }
    fil_cli_exit code = fil_files_check_output(context, self->out);
    return code == FIL_EXIT_OK ? convert(context, self) : code;
}

static fil_cli_exit convert_film(fil_context *context, const fil_arguments *arguments, const conversion *self)
{
    static const char *const grooms_only[] = {"unit", "resample"};
    for (int i = 0; i < 2; ++i)
        if (fil_arguments_given(arguments, grooms_only[i])) {
            fil_report_error("--%s: belongs to a groom, and %s is a folder", grooms_only[i], self->in);
            return FIL_EXIT_BAD;
        }
    const fil_convert_film film = {
        .in = self->in,
        .out = self->out,
        .to_unit = self->to_unit,
        .frame = fil_arguments_given(arguments, "frame") ? (int)fil_arguments_whole(arguments, "frame") : -1,
        .json = self->json,
    };
    return fil_convert_film_run(context, &film);
}

static fil_cli_exit convert_run(const fil_arguments *arguments)
{
    conversion self = {
        .in = arguments->operands[0], .out = arguments->operands[1], .json = fil_arguments_given(arguments, "json")};
    if (!fil_groom_unit("unit", fil_arguments_text(arguments, "unit"), &self.unit) ||
        !fil_groom_unit("to-unit", fil_arguments_text(arguments, "to-unit"), &self.to_unit))
        return FIL_EXIT_BAD;
    if (fil_arguments_given(arguments, "resample"))
        self.segment = fil_arguments_number(arguments, "resample");
    bool film = fil_convert_film_is_one(self.in);
    if (fil_arguments_given(arguments, "frame") && !film) {
        fil_report_error("--frame: belongs to a folder of filum run, and %s is none", self.in);
        return FIL_EXIT_BAD;
    }
    fil_context *context = fil_context_create(NULL);
    if (!context)
        return fil_report_no_memory();
    fil_report_catch_interrupt(); // so that no file is left half written
    fil_cli_exit code = film ? convert_film(context, arguments, &self) : convert_groom(context, &self);
    fil_context_destroy(context);
    return code;
}

static const fil_option options[] = {
    {"unit", 'u', FIL_OPTION_TEXT, "U", NULL, 0, 0,
     "what one unit of IN is: m, cm, mm, in or a number of metres; otherwise what IN says, or a guess"},
    {"to-unit", 0, FIL_OPTION_TEXT, "U", "m", 0, 0, "what one unit of OUT shall be"},
    {"resample", 0, FIL_OPTION_POSITIVE, "METRES", NULL, 0, 0,
     "segments of nearly equal length, as close to this as whole numbers allow"},
    {"frame", 0, FIL_OPTION_WHOLE, "N", NULL, 0, 2147483647, "only this frame of a film, from 0 on"},
};
static const fil_example examples[] = {
    {"filum convert hair.data hair.usda", "A groom of the USC collection as OpenUSD, in metres"},
    {"filum convert hair.obj hair.hair --unit cm --to-unit cm", "Another format, the same numbers"},
    {"filum convert fine.ply coarse.ply --resample 0.005", "Segments of 5 mm"},
    {"filum convert scalp:strands=5000,style=curly head.usda", "A groom from a generator (filum info groom)"},
    {"filum convert results film.usda", "All frames of filum run as one OpenUSD file"},
    {"filum convert results 'frame_%04d.ply'", "A file for each of them"},
};
const fil_command fil_command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .least = 2,
    .most = 2,
    .summary = "turn a groom or a film into another format, unit or fineness",
    .text = "Reads and writes .hair (Cem Yuksel), .tfx (TressFX 4), .data (USC), .obj (polylines), .ply and .usda "
            "(BasisCurves), by the endings of IN and OUT. IN may also be a generator with its settings (filum info "
            "groom). Places that repeat the one before or are not finite are "
            "dropped, and so are strands with fewer than two places; how many is told.\n\n"
            "IN may be the folder of a film, too (filum run). Then OUT is a .usda file with time samples, or a groom: "
            "for each frame when its name holds %04d, or for the one that --frame names.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = convert_run,
};
