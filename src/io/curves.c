// Grooms in files: the public calls. docs/io/grooms.md describes the formats.
//
// A file is read into memory and handed to the one format that its first bytes or its ending name. The format returns
// strands as they are there; what all grooms have in common is done here: repair, the guess of the unit, metres.
//
// Repair: real grooms hold repeated places and numbers that are not finite, and a rod cannot have a segment without
// length. Such places are dropped and counted. Every size that a file claims is compared with its length before
// memory is asked for: what a file can make us allocate is a small multiple of its length.
#include "io/curves.h"

#include "base/file.h"
#include "base/settings.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const fil_curves_format fil_curves_formats[FIL_CURVES_FORMATS] = {
    {"hair", "HAIR", fil_curves_hair_read, fil_curves_hair_write},
    {"tfx", NULL, fil_curves_tfx_read, fil_curves_tfx_write},
    {"data", NULL, fil_curves_data_read, fil_curves_data_write},
    {"obj", NULL, fil_curves_obj_read, fil_curves_obj_write},
    {"ply", "ply", fil_curves_ply_read, fil_curves_ply_write},
    {"usda", "#usda", fil_curves_usda_read, fil_curves_usda_write},
};

// Strands smaller than its inverse have no shape that squares could tell.
static const double farthest = FIL_CURVES_FARTHEST;
// Neighbours nearer than this share of the strand's extent are one place; and so are those that differ in the last few
// bits of large coordinates: scaling would make them equal.
static const double doubled_share = 1e-9, doubled_bits = 1e-15;
// A median strand longer than this is not told in metres; then it is centimetres.
static const double longest_in_metres = 3;

static bool good_unit(double unit)
{
    return unit >= 1e-9 && unit <= 1e9;
}

fil_status fil_curves_check_unit(fil_context *context, double unit)
{
    if (unit == 0 || good_unit(unit))
        return FIL_OK;
    return fil_context_fail(context, FIL_BAD_INPUT, "unit: must be from 1e-9 to 1e9 metres (got %g)", unit);
}

fil_status fil_curves_create(fil_context *context, int strand_count, int64_t vertex_total, bool with_radius,
                             fil_curves **out)
{
    FIL_ASSERT(strand_count >= 0 && vertex_total >= 0 && vertex_total <= INT64_MAX / 64);
    *out = NULL;
    fil_arena *arena = fil_arena_create(context);
    if (!arena)
        return FIL_NO_MEMORY;
    fil_curves *curves = FIL_ARENA_ARRAY(arena, fil_curves, 1);
    if (curves) {
        *curves = (fil_curves){.strand_count = strand_count, .vertex_total = vertex_total, .arena = arena};
        curves->vertex_count = FIL_ARENA_ARRAY(arena, int, strand_count);
        curves->position = FIL_ARENA_ARRAY(arena, double, 3 * vertex_total);
        curves->radius = with_radius ? FIL_ARENA_ARRAY(arena, double, vertex_total) : NULL;
    }
    if (!curves || !curves->vertex_count || !curves->position || (with_radius && !curves->radius)) {
        fil_arena_destroy(arena);
        return FIL_NO_MEMORY;
    }
    *out = curves;
    return FIL_OK;
}

void fil_curves_destroy(fil_curves *curves)
{
    if (curves)
        fil_arena_destroy(curves->arena);
}

// ---- what the formats share

void fil_curves_note(fil_context *context, const char *name, const char *place, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    // Words of the file may stand in the sentence, which is shown on terminals.
    for (char *c = what; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    fil_context_note(context, "%s: %s: %s", name, place, what);
}

fil_status fil_curves_raw_begin(const fil_curves_input *in, fil_curves_raw *raw, int64_t strands, int64_t vertices,
                                bool with_radius)
{
    if (strands > INT_MAX)
        return fil_curves_bad(in, "header", "more than %d strands", INT_MAX);
    raw->strand_count = (int)strands;
    raw->vertex_total = vertices;
    raw->vertex_count = FIL_ARENA_ARRAY(raw->arena, int, strands);
    raw->position = FIL_ARENA_ARRAY(raw->arena, double, 3 * vertices);
    raw->radius = with_radius ? FIL_ARENA_ARRAY(raw->arena, double, vertices) : NULL;
    return raw->vertex_count && raw->position && (raw->radius || !with_radius) ? FIL_OK : FIL_NO_MEMORY;
}

uint32_t fil_curves_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

float fil_curves_f32(const unsigned char *bytes)
{
    uint32_t bits = fil_curves_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void fil_curves_put_u32(const fil_curves_output *out, uint32_t value)
{
    unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                              (unsigned char)(value >> 24)};
    fwrite(bytes, 1, sizeof bytes, out->file);
}

void fil_curves_put_f32(const fil_curves_output *out, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    fil_curves_put_u32(out, bits);
}

void fil_curves_put_place(const fil_curves_output *out, const double *position)
{
    for (int k = 0; k < 3; ++k)
        fil_curves_put_f32(out, position[k] / out->unit);
}

// ---- repair

static bool is_place(const double *x)
{
    // Comparisons with NaN are false.
    return fabs(x[0]) <= farthest && fabs(x[1]) <= farthest && fabs(x[2]) <= farthest;
}

// How near two places of a strand must be to count as one.
static double doubled_distance(const double *position, int count)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double extent = 0, largest = 0; // the longest side of the box around the places; the largest coordinate
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3 && is_place(position + 3 * (int64_t)i); ++k) {
            low[k] = fmin(low[k], position[3 * (int64_t)i + k]);
            high[k] = fmax(high[k], position[3 * (int64_t)i + k]);
        }
    for (int k = 0; k < 3 && low[0] <= high[0]; ++k) {
        extent = fmax(extent, high[k] - low[k]);
        largest = fmax(largest, fmax(fabs(low[k]), fabs(high[k])));
    }
    return extent > 1 / farthest ? fmax(extent * doubled_share, largest * doubled_bits) : extent;
}

static bool same_place(const double *a, const double *b, double near)
{
    return fabs(a[0] - b[0]) <= near && fabs(a[1] - b[1]) <= near && fabs(a[2] - b[2]) <= near;
}

// Moves the good places of one strand to `to`, which lies at or before them; how many there are.
static int repair_strand(fil_curves_raw *raw, int64_t from, int count, int64_t to, fil_curves_report *report)
{
    double near = doubled_distance(raw->position + 3 * from, count), last_radius = 0;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const double *x = raw->position + 3 * (from + i);
        double *previous = raw->position + 3 * (to + kept - 1);
        if (!is_place(x)) {
            ++report->vertices_not_finite;
            continue;
        }
        if (kept > 0 && same_place(x, previous, near)) {
            ++report->vertices_doubled;
            continue;
        }
        // A radius that is no number is that of the place before: it says nothing about the shape.
        double radius = raw->radius ? raw->radius[from + i] : 0;
        if (raw->radius)
            raw->radius[to + kept] = last_radius = radius >= 0 && radius <= farthest ? radius : last_radius;
        memmove(raw->position + 3 * (to + kept), x, 3 * sizeof *x);
        ++kept;
    }
    return kept;
}

static void repair(fil_curves_raw *raw, fil_curves_report *report)
{
    int64_t from = 0, to = 0;
    int strands = 0;
    for (int s = 0; s < raw->strand_count; ++s) {
        int count = raw->vertex_count[s], kept = repair_strand(raw, from, count, to, report);
        from += count;
        if (kept < 2) {
            ++report->strands_dropped;
            continue;
        }
        raw->vertex_count[strands++] = kept;
        to += kept;
    }
    raw->strand_count = strands;
    raw->vertex_total = to;
}

// ---- units

double fil_curves_distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

double fil_curves_length(const double *position, int count)
{
    double length = 0;
    for (int i = 1; i < count; ++i)
        length += fil_curves_distance(position + 3 * (int64_t)i, position + 3 * (int64_t)(i - 1));
    return length;
}

static int compare_lengths(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static fil_status guess_unit(const fil_curves_raw *raw, double *unit)
{
    double *lengths = FIL_ARENA_ARRAY(raw->arena, double, raw->strand_count);
    if (!lengths)
        return FIL_NO_MEMORY;
    const double *position = raw->position;
    for (int s = 0; s < raw->strand_count; ++s) {
        lengths[s] = fil_curves_length(position, raw->vertex_count[s]);
        position += 3 * (int64_t)raw->vertex_count[s];
    }
    qsort(lengths, (size_t)raw->strand_count, sizeof *lengths, compare_lengths);
    *unit = lengths[raw->strand_count / 2] > longest_in_metres ? 0.01 : 1;
    return FIL_OK;
}

// Copies strands, in metres.
static fil_status finish(const fil_curves_input *in, const fil_curves_raw *raw, double unit, fil_curves **out)
{
    fil_status status = fil_curves_create(in->context, raw->strand_count, raw->vertex_total, raw->radius, out);
    if (status != FIL_OK)
        return status;
    memcpy((*out)->vertex_count, raw->vertex_count, sizeof(int) * (size_t)raw->strand_count);
    for (int64_t i = 0; i < 3 * raw->vertex_total; ++i)
        (*out)->position[i] = raw->position[i] * unit;
    for (int64_t i = 0; raw->radius && i < raw->vertex_total; ++i)
        (*out)->radius[i] = raw->radius[i] * unit;
    return FIL_OK;
}

static fil_status make_curves(const fil_curves_input *in, fil_curves_raw *raw, double unit, fil_curves **out,
                              fil_curves_report *report)
{
    report->strands_in_file = raw->strand_count;
    report->vertices_in_file = raw->vertex_total;
    repair(raw, report);
    if (raw->strand_count == 0)
        return fil_context_fail(in->context, FIL_BAD_INPUT, "%s: holds no usable strand (of %d)", in->name,
                                report->strands_in_file);
    report->unit = unit > 0 ? unit : raw->unit;
    fil_status status = FIL_OK;
    if (report->unit <= 0) {
        report->unit_guessed = true;
        status = guess_unit(raw, &report->unit);
    }
    return status == FIL_OK ? finish(in, raw, report->unit, out) : status;
}

fil_status fil_curves_read_bytes(const fil_curves_input *in, const fil_curves_format *format, double unit,
                                 fil_curves **out, fil_curves_report *report)
{
    fil_curves_report own;
    report = report ? report : &own;
    *report = (fil_curves_report){0};
    snprintf(report->format, sizeof report->format, "%s", format->name);
    *out = NULL;
    fil_status status = fil_curves_check_unit(in->context, unit);
    if (status != FIL_OK)
        return status;
    if (in->size == 0)
        return fil_context_fail(in->context, FIL_BAD_INPUT, "%s: the file is empty", in->name);
    fil_curves_raw raw = {.arena = fil_arena_create(in->context)};
    if (!raw.arena)
        return FIL_NO_MEMORY;
    status = format->read(in, &raw);
    if (status == FIL_OK && raw.unit != 0 && !good_unit(raw.unit))
        status = fil_curves_bad(in, "unit", "must be from 1e-9 to 1e9 metres (got %g)", raw.unit);
    if (status == FIL_OK)
        status = make_curves(in, &raw, unit, out, report);
    fil_arena_destroy(raw.arena);
    return status;
}

// ---- files

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot ? dot + 1 : "";
}

static const fil_curves_format *format_of_ending(const char *path)
{
    for (int i = 0; i < FIL_CURVES_FORMATS; ++i)
        if (strcasecmp(fil_curves_formats[i].name, ending_of(path)) == 0)
            return &fil_curves_formats[i];
    return NULL;
}

fil_status fil_curves_check_ending(fil_context *context, const char *path)
{
    if (format_of_ending(path))
        return FIL_OK;
    const char *names[FIL_CURVES_FORMATS];
    for (int i = 0; i < FIL_CURVES_FORMATS; ++i)
        names[i] = fil_curves_formats[i].name;
    const char *ending = ending_of(path), *nearest = fil_settings_nearest(ending, names, FIL_CURVES_FORMATS);
    return fil_context_fail(context, FIL_BAD_INPUT,
                            "%s: is no groom by its name: must end in .hair, .tfx, .data, .obj, .ply or .usda%s%s%s",
                            path, nearest ? ": did you mean '." : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// The first bytes know better than the name.
static const fil_curves_format *format_of(const fil_curves_input *in)
{
    for (int i = 0; i < FIL_CURVES_FORMATS; ++i) {
        const char *magic = fil_curves_formats[i].magic;
        if (magic && in->size >= strlen(magic) && memcmp(in->bytes, magic, strlen(magic)) == 0)
            return &fil_curves_formats[i];
    }
    return format_of_ending(in->name);
}

fil_status fil_curves_read(fil_context *context, const char *path, double unit, fil_curves **out,
                           fil_curves_report *report)
{
    *out = NULL;
    if (report)
        *report = (fil_curves_report){0};
    unsigned char *bytes;
    fil_curves_input in = {.context = context, .name = path};
    fil_status status = fil_file_read(context, path, "a groom", &bytes, &in.size);
    in.bytes = bytes;
    if (status == FIL_OK) {
        const fil_curves_format *format = format_of(&in);
        status =
            format ? fil_curves_read_bytes(&in, format, unit, out, report) : fil_curves_check_ending(context, path);
    }
    if (bytes)
        fil_context_release(context, bytes);
    return status;
}

// All formats but text hold 32-bit floats; all places must fit them.
static fil_status check_places(fil_context *context, const char *path, const fil_curves *curves, double unit)
{
    for (int64_t i = 0; i < 3 * curves->vertex_total; ++i)
        if (!(fabs(curves->position[i] / unit) <= 1e38))
            return fil_context_fail(context, FIL_BAD_INPUT, "%s: vertex %lld does not fit a 32-bit float (%g)", path,
                                    (long long)(i / 3), curves->position[i] / unit);
    return FIL_OK;
}

fil_status fil_curves_write_file(fil_context *context, const char *path, double unit, fil_curves_put *put,
                                 const void *what)
{
    char temporary[FIL_PATH_MAX];
    fil_status status = fil_file_temporary(context, path, temporary);
    if (status != FIL_OK)
        return status;
    FILE *file = fopen(temporary, "wb");
    int reason = file ? 0 : errno;
    if (file) {
        fil_curves_output out = {.context = context, .name = path, .file = file, .unit = unit};
        status = put(&out, what);
        if (ferror(file))
            reason = errno ? errno : EIO;
        if (fclose(file) != 0 && !reason)
            reason = errno;
    }
    if (status == FIL_OK && reason)
        status = fil_context_fail(context, FIL_IO_FAILED, "%s: cannot write: %s", path, strerror(reason));
    if (status == FIL_OK)
        return fil_file_commit(context, temporary, path);
    fil_file_discard(temporary);
    return status;
}

typedef struct groom_file {
    const fil_curves_format *format;
    const fil_curves *curves;
} groom_file;

static fil_status put_groom(const fil_curves_output *out, const void *what)
{
    const groom_file *self = what;
    return self->format->write(out, self->curves);
}

fil_status fil_curves_write(fil_context *context, const char *path, const fil_curves *curves, double unit)
{
    fil_status status = fil_curves_check_unit(context, unit);
    if (status == FIL_OK)
        status = fil_curves_check_ending(context, path);
    if (status != FIL_OK)
        return status;
    const groom_file groom = {format_of_ending(path), curves};
    unit = unit > 0 ? unit : 1;
    status = check_places(context, path, curves, unit);
    return status == FIL_OK ? fil_curves_write_file(context, path, unit, put_groom, &groom) : status;
}

// ---- measuring and resampling

void fil_curves_measure(const fil_curves *curves, fil_curves_info *out)
{
    *out = (fil_curves_info){0};
    const double *x = curves->position;
    double total = 0;
    int64_t segments = curves->vertex_total - curves->strand_count;
    for (int64_t i = 0; i < curves->vertex_total; ++i)
        for (int k = 0; k < 3; ++k) {
            out->low[k] = i == 0 ? x[k] : fmin(out->low[k], x[3 * i + k]);
            out->high[k] = i == 0 ? x[k] : fmax(out->high[k], x[3 * i + k]);
        }
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s];
        double length = 0;
        for (int i = 1; i < count; ++i) {
            double segment = fil_curves_distance(x + 3 * (int64_t)i, x + 3 * (int64_t)(i - 1));
            bool first = s == 0 && i == 1;
            out->segment[0] = first ? segment : fmin(out->segment[0], segment);
            out->segment[2] = fmax(out->segment[2], segment);
            length += segment;
        }
        out->length[0] = s == 0 ? length : fmin(out->length[0], length);
        out->length[2] = fmax(out->length[2], length);
        out->vertices[0] = s == 0 || count < out->vertices[0] ? count : out->vertices[0];
        out->vertices[1] = count > out->vertices[1] ? count : out->vertices[1];
        total += length;
        x += 3 * (int64_t)count;
    }
    if (curves->strand_count > 0)
        out->length[1] = total / curves->strand_count;
    if (segments > 0)
        out->segment[1] = total / (double)segments;
}

// Places at equal distances along the polyline; both ends stay where they are.
static void resample_strand(const double *x, const double *radius, int count, double length, double *to,
                            double *to_radius, int to_count)
{
    int at = 0; // the segment behind vertex `at`
    double passed = 0, segment = fil_curves_distance(x, x + 3);
    for (int i = 0; i < to_count; ++i) {
        double wanted = length * i / (to_count - 1);
        while (at < count - 2 && passed + segment < wanted) {
            passed += segment;
            ++at;
            segment = fil_curves_distance(x + 3 * (int64_t)at, x + 3 * (int64_t)(at + 1));
        }
        double t = segment > 0 ? fmin(fmax((wanted - passed) / segment, 0), 1) : 0;
        t = i == to_count - 1 ? 1 : t;
        at = i == to_count - 1 ? count - 2 : at;
        for (int k = 0; k < 3; ++k)
            to[3 * (int64_t)i + k] = (1 - t) * x[3 * (int64_t)at + k] + t * x[3 * (int64_t)(at + 1) + k];
        if (to_radius)
            to_radius[i] = (1 - t) * radius[at] + t * radius[at + 1];
    }
}

static double vertices_for(double length, double segment)
{
    return fmax(1, floor(length / segment + 0.5)) + 1;
}

fil_status fil_curves_resample(fil_context *context, const fil_curves *curves, double segment, fil_curves **out)
{
    *out = NULL;
    if (!(segment > 0 && segment <= farthest))
        return fil_context_fail(context, FIL_BAD_INPUT, "segment: must be a finite number > 0 (got %g)", segment);
    double total = 0;
    const double *x = curves->position;
    for (int s = 0; s < curves->strand_count; ++s) {
        total += vertices_for(fil_curves_length(x, curves->vertex_count[s]), segment);
        x += 3 * (int64_t)curves->vertex_count[s];
    }
    if (!(total <= INT_MAX))
        return fil_context_fail(context, FIL_BAD_INPUT, "segment: %g m would make %.3g vertices: too many", segment,
                                total);
    fil_status status = fil_curves_create(context, curves->strand_count, (int64_t)total, curves->radius, out);
    if (status != FIL_OK)
        return status;
    int64_t from = 0, to = 0;
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s];
        x = curves->position + 3 * from;
        double length = fil_curves_length(x, count);
        int made = (int)vertices_for(length, segment);
        resample_strand(x, curves->radius ? curves->radius + from : NULL, count, length, (*out)->position + 3 * to,
                        curves->radius ? (*out)->radius + to : NULL, made);
        (*out)->vertex_count[s] = made;
        from += count;
        to += made;
    }
    return FIL_OK;
}
