// A film as OpenUSD text: one BasisCurves for each group, with time samples of its points.
//
// Time codes are the numbers of frames; timeCodesPerSecond makes seconds of them. The text holds all frames of a group
// before the next group begins, so that each frame is read once for each group; there is never more than one of them in
// memory. Counts and widths do not change with time. The box around the strands of a frame is its extent.
#include "io/cache_curves.h"
#include "io/curves_text.h"

#include <math.h>
#include <string.h>

enum { NAME = 64 };

typedef struct film {
    fil_cache *cache;
    fil_arena *arena;
    int frames;
    char (*names)[NAME]; // [groups] of prims
    float *frame;        // [3 vertices] of all groups
    double *position;    // [3 vertices] the same as wider numbers
    double (*extent)[6]; // [frames] of one group
    fil_cache_usda_progress *progress;
    void *user;
} film;

// A prim's name has letters, digits and underlines and does not begin with a digit.
static void plain_name(const char *name, char out[NAME])
{
    size_t length = 0;
    if (*name == '\0' || (*name >= '0' && *name <= '9'))
        out[length++] = '_';
    for (; *name && length + 12 < NAME; ++name) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
        out[length++] = (char)(plain ? *name : '_');
    }
    out[length] = '\0';
}

static bool is_taken(const film *self, int group, const char *name)
{
    for (int g = 0; g < group; ++g)
        if (strcmp(self->names[g], name) == 0)
            return true;
    return false;
}

// Every group has a name of its own.
static void name_groups(film *self)
{
    for (int g = 0; g < fil_cache_group_count(self->cache); ++g) {
        char plain[NAME];
        plain_name(fil_cache_group_at(self->cache, g)->name, plain);
        memcpy(self->names[g], plain, NAME);
        for (int k = 2; is_taken(self, g, self->names[g]); ++k)
            snprintf(self->names[g], NAME, "%.50s_%d", plain, k);
    }
}

static void put_head(const fil_curves_output *out, const film *self)
{
    fprintf(out->file, "#usda 1.0\n(\n    defaultPrim = \"film\"\n    startTimeCode = 0\n    endTimeCode = %d\n",
            self->frames - 1);
    fprintf(out->file, "    timeCodesPerSecond = ");
    fil_curves_text_put(out, fil_cache_fps(self->cache));
    fprintf(out->file, "\n    framesPerSecond = ");
    fil_curves_text_put(out, fil_cache_fps(self->cache));
    fprintf(out->file, "\n    metersPerUnit = ");
    fil_curves_text_put(out, out->unit);
    fprintf(out->file, "\n    upAxis = \"Y\"\n)\n\ndef Xform \"film\"\n{\n");
}

// The box around all strands, with their thickness.
static void measure(const double *position, const double *radius, int64_t count, double extent[6])
{
    for (int k = 0; k < 3; ++k) {
        extent[k] = HUGE_VAL;
        extent[3 + k] = -HUGE_VAL;
        for (int64_t i = 0; i < count; ++i) {
            extent[k] = fmin(extent[k], position[3 * i + k] - radius[i]);
            extent[3 + k] = fmax(extent[3 + k], position[3 * i + k] + radius[i]);
        }
    }
}

// `points.timeSamples`, frame by frame; notes the extents.
static fil_status put_samples(const fil_curves_output *out, const film *self, int group, int64_t first)
{
    const fil_cache_group *strands = fil_cache_group_at(self->cache, group);
    int64_t count = strands->vertex_total;
    int groups = fil_cache_group_count(self->cache);
    fprintf(out->file, "    point3f[] points.timeSamples = {\n");
    for (int f = 0; f < self->frames; ++f) {
        fil_status status = fil_cache_read(out->context, self->cache, f, NULL, self->frame, NULL);
        if (status != FIL_OK)
            return status;
        for (int64_t i = 0; i < 3 * count; ++i)
            self->position[i] = (double)self->frame[3 * first + i];
        measure(self->position, strands->shape.radius, count, self->extent[f]);
        fprintf(out->file, "        %d: ", f);
        fil_curves_usda_put_points(out, self->position, count);
        fprintf(out->file, ",\n");
        double done = (group + (f + 1.0) / self->frames) / groups;
        if (self->progress && !self->progress(self->user, done))
            return fil_context_fail(out->context, FIL_IO_FAILED, "%s: stopped", out->name);
    }
    fprintf(out->file, "    }\n");
    return FIL_OK;
}

static fil_status put_group(const fil_curves_output *out, const film *self, int group, int64_t first)
{
    const fil_cache_group *strands = fil_cache_group_at(self->cache, group);
    fprintf(out->file, "def BasisCurves \"%s\"\n{\n    uniform token type = \"linear\"\n", self->names[group]);
    fprintf(out->file, "    uniform token wrap = \"nonperiodic\"\n    int[] curveVertexCounts = ");
    fil_curves_usda_put_counts(out, strands->shape.vertex_count, strands->strand_count);
    fprintf(out->file, "\n    float[] widths = ");
    fil_curves_usda_put_widths(out, strands->shape.radius, strands->vertex_total);
    fprintf(out->file, "\n");
    fil_status status = put_samples(out, self, group, first);
    if (status != FIL_OK)
        return status;
    fprintf(out->file, "    float3[] extent.timeSamples = {\n");
    for (int f = 0; f < self->frames; ++f) {
        fprintf(out->file, "        %d: ", f);
        fil_curves_usda_put_points(out, self->extent[f], 2);
        fprintf(out->file, ",\n");
    }
    fprintf(out->file, "    }\n}\n");
    return FIL_OK;
}

static fil_status put_film(const fil_curves_output *out, const void *what)
{
    const film *self = what;
    put_head(out, self);
    int64_t first = 0;
    fil_status status = FIL_OK;
    for (int g = 0; status == FIL_OK && g < fil_cache_group_count(self->cache); ++g) {
        status = put_group(out, self, g, first);
        first += fil_cache_group_at(self->cache, g)->vertex_total;
    }
    fprintf(out->file, "}\n");
    return status;
}

static bool make_room(film *self)
{
    int64_t numbers = 3 * fil_cache_vertex_total(self->cache);
    self->names = fil_arena_allocate(self->arena, (size_t)fil_cache_group_count(self->cache), sizeof *self->names);
    self->frame = FIL_ARENA_ARRAY(self->arena, float, numbers);
    self->position = FIL_ARENA_ARRAY(self->arena, double, numbers);
    self->extent = fil_arena_allocate(self->arena, (size_t)self->frames, sizeof *self->extent);
    return self->names && self->frame && self->position && self->extent;
}

fil_status fil_cache_usda_write(fil_context *context, fil_cache *cache, const char *path, double unit,
                                fil_cache_usda_progress *progress, void *user)
{
    fil_status status = fil_curves_check_unit(context, unit);
    if (status != FIL_OK)
        return status;
    film self = {.cache = cache, .frames = fil_cache_frame_count(cache), .progress = progress, .user = user};
    self.arena = fil_arena_create(context);
    if (!self.arena)
        return FIL_NO_MEMORY;
    status = FIL_NO_MEMORY;
    if (make_room(&self)) {
        name_groups(&self);
        status = fil_curves_write_file(context, path, unit > 0 ? unit : 1, put_film, &self);
    }
    fil_arena_destroy(self.arena);
    return status;
}
