// OpenUSD as text: linear strands. Read is what filum writes and what looks like it: the arrays `points`,
// `curveVertexCounts` and `widths` (diameters: one, one per strand or one per vertex) of every `def BasisCurves`, and
// the metersPerUnit of the stage, 0.01 where it is missing as OpenUSD has it. Of time samples the first one is read.
// Transforms, references and cubic curves are not: flatten the stage first.
#include "io/curves_text.h"

#include <string.h>

// One BasisCurves.
typedef struct prim {
    double *points, *counts, *widths;
    int64_t point_numbers, strands, width_count;
    struct prim *next;
} prim;

typedef struct usda {
    const fil_curves_input *in;
    fil_curves_text text;
    fil_arena *arena;
    prim *first, *last;
    prim *inside; // the one that is being read, or NULL
    double unit;
} usda;

static fil_status bad_here(const usda *self, const char *what)
{
    char place[32];
    return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place), "%s", what);
}

// Spaces and comments.
static void skip(usda *self)
{
    for (;;) {
        fil_curves_text_spaces(&self->text);
        if (self->text.at >= self->text.end || *self->text.at != '#')
            return;
        fil_curves_text_next_line(&self->text);
    }
}

static bool take(usda *self, char c)
{
    skip(self);
    if (self->text.at >= self->text.end || *self->text.at != c)
        return false;
    ++self->text.at;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c == '.' ||
           (c >= '0' && c <= '9');
}

// A name, or a single other character; strings come without their quotes.
static void read_token(usda *self, char *out, size_t room)
{
    fil_curves_text *text = &self->text;
    size_t length = 0;
    out[0] = '\0';
    skip(self);
    if (text->at >= text->end)
        return;
    char first = *text->at;
    if (first == '"' || first == '\'') {
        for (++text->at; text->at < text->end && *text->at != first && *text->at != '\n'; ++text->at)
            if (length + 1 < room)
                out[length++] = *text->at;
        text->at += text->at < text->end && *text->at == first;
    } else if (!is_letter(first)) {
        out[length++] = first;
        ++text->at;
    } else {
        for (; text->at < text->end && is_letter(*text->at); ++text->at)
            if (length + 1 < room)
                out[length++] = *text->at;
    }
    out[length] = '\0';
}

// "[ ... ]" as plain numbers; brackets of `group` numbers (1: none) are checked.
static fil_status read_numbers(usda *self, int group, double **out, int64_t *count)
{
    if (!take(self, '['))
        return bad_here(self, "an array must follow: = [ ... ]");
    // Between two numbers there is a comma: commas bound them, and a file pays for each.
    int64_t most = 1;
    for (const char *c = self->text.at; c < self->text.end && *c != ']'; ++c)
        most += *c == ',';
    *out = FIL_ARENA_ARRAY(self->arena, double, most);
    if (!*out)
        return FIL_NO_MEMORY;
    *count = 0;
    while (!take(self, ']')) {
        if (group > 1 && !take(self, '('))
            return bad_here(self, "a point must begin with (");
        for (int k = 0; k < group; ++k) {
            if (k > 0 && !take(self, ','))
                return bad_here(self, "a point needs three numbers");
            skip(self);
            if (*count >= most || !fil_curves_text_real(&self->text, &(*out)[*count]))
                return bad_here(self, self->text.at >= self->text.end ? "the file is truncated within an array"
                                                                      : "a number is expected");
            ++*count;
        }
        if (group > 1 && !take(self, ')'))
            return bad_here(self, "a point must end with )");
        if (!take(self, ',')) {
            if (!take(self, ']'))
                return bad_here(self, "an array must go on with , or end with ]");
            return FIL_OK;
        }
    }
    return FIL_OK;
}

static fil_status read_unit(usda *self)
{
    skip(self);
    if (!take(self, '='))
        return bad_here(self, "metersPerUnit needs a number");
    skip(self);
    if (!fil_curves_text_real(&self->text, &self->unit) || !(self->unit > 0))
        return bad_here(self, "metersPerUnit needs a number > 0");
    return FIL_OK;
}

static fil_status read_type(usda *self)
{
    char word[32];
    if (!take(self, '='))
        return FIL_OK;
    read_token(self, word, sizeof word);
    return strcmp(word, "linear") == 0 ? FIL_OK : bad_here(self, "only linear curves are read");
}

static fil_status read_definition(usda *self)
{
    char word[32];
    read_token(self, word, sizeof word);
    self->inside = NULL;
    if (strcmp(word, "BasisCurves") != 0)
        return FIL_OK;
    self->inside = FIL_ARENA_ARRAY(self->arena, prim, 1);
    if (!self->inside)
        return FIL_NO_MEMORY;
    if (self->last)
        self->last->next = self->inside;
    else
        self->first = self->inside;
    self->last = self->inside;
    return FIL_OK;
}

// "= { time: [ ... ], ... }": the first sample counts, the others are passed over.
static fil_status read_samples(usda *self, int group, double **out, int64_t *count)
{
    double time;
    if (!take(self, '=') || !take(self, '{'))
        return bad_here(self, "time samples must follow: = { time: [ ... ], ... }");
    skip(self);
    if (!fil_curves_text_real(&self->text, &time))
        return bad_here(self, "a time is expected");
    if (!take(self, ':'))
        return bad_here(self, "a time must end with :");
    fil_status status = read_numbers(self, group, out, count);
    while (status == FIL_OK && self->text.at < self->text.end && *self->text.at != '}')
        self->text.line += *self->text.at++ == '\n';
    if (status == FIL_OK && !take(self, '}'))
        status = bad_here(self, "the file is truncated within time samples");
    return status;
}

typedef struct array {
    const char *name;
    int group; // numbers that belong together
    double **numbers;
    int64_t *count;
} array;

static fil_status read_array(usda *self, const array *array, bool samples)
{
    char what[64];
    snprintf(what, sizeof what, "a second `%s`", array->name);
    if (*array->numbers)
        return bad_here(self, what);
    if (samples)
        return read_samples(self, array->group, array->numbers, array->count);
    if (!take(self, '='))
        return bad_here(self, "an array must follow: = [ ... ]");
    return read_numbers(self, array->group, array->numbers, array->count);
}

static fil_status read_statement(usda *self, char *word)
{
    if (strcmp(word, "metersPerUnit") == 0)
        return read_unit(self);
    if (strcmp(word, "def") == 0)
        return read_definition(self);
    if (!self->inside)
        return FIL_OK;
    if (strcmp(word, "type") == 0)
        return read_type(self);
    const array arrays[] = {{"points", 3, &self->inside->points, &self->inside->point_numbers},
                            {"curveVertexCounts", 1, &self->inside->counts, &self->inside->strands},
                            {"widths", 1, &self->inside->widths, &self->inside->width_count}};
    char *dot = strchr(word, '.');
    bool samples = dot && strcmp(dot, ".timeSamples") == 0;
    if (samples)
        *dot = '\0';
    for (int i = 0; i < 3; ++i)
        if (strcmp(word, arrays[i].name) == 0)
            return read_array(self, &arrays[i], samples);
    return FIL_OK;
}

// Do the three arrays of a BasisCurves belong together?
static fil_status check_prim(const usda *self, const prim *prim)
{
    if (!prim->points || !prim->counts)
        return fil_curves_bad(self->in, "BasisCurves", "has no %s", prim->points ? "curveVertexCounts" : "points");
    int64_t points = prim->point_numbers / 3, sum = 0;
    for (int64_t s = 0; s < prim->strands; ++s) {
        double count = prim->counts[s];
        // Not a number, negative, or more than there are: all refused here.
        if (!(count >= 0 && count <= (double)(points - sum)) || count != (double)(int64_t)count || count > INT32_MAX)
            return fil_curves_bad(self->in, "curveVertexCounts", "entry %lld (%g) is wrong for %lld points",
                                  (long long)s, count, (long long)points);
        sum += (int64_t)count;
    }
    if (sum != points)
        return fil_curves_bad(self->in, "curveVertexCounts", "they add up to %lld, but there are %lld points",
                              (long long)sum, (long long)points);
    int64_t widths = prim->width_count;
    if (widths > 0 && widths != 1 && widths != prim->strands && widths != points)
        return fil_curves_bad(self->in, "widths", "%lld widths for %lld strands of %lld points", (long long)widths,
                              (long long)prim->strands, (long long)points);
    return FIL_OK;
}

static void add_prim(const prim *prim, fil_curves_raw *raw)
{
    int64_t points = prim->point_numbers / 3, widths = prim->width_count, i = 0;
    if (points > 0)
        memcpy(raw->position + 3 * raw->vertex_total, prim->points, sizeof(double) * 3 * (size_t)points);
    for (int64_t s = 0; s < prim->strands; ++s) {
        raw->vertex_count[raw->strand_count++] = (int)prim->counts[s];
        for (int k = 0; widths > 0 && k < (int)prim->counts[s]; ++k, ++i)
            raw->radius[raw->vertex_total + i] = 0.5 * prim->widths[widths == points ? i : widths == 1 ? 0 : s];
    }
    raw->vertex_total += points;
}

static fil_status assemble(usda *self, fil_curves_raw *raw)
{
    int64_t strands = 0, points = 0;
    bool widths = false;
    for (const prim *prim = self->first; prim; prim = prim->next) {
        fil_status status = check_prim(self, prim);
        if (status != FIL_OK)
            return status;
        strands += prim->strands;
        points += prim->point_numbers / 3;
        widths |= prim->width_count > 0;
    }
    fil_status status = fil_curves_raw_begin(self->in, raw, strands, points, widths);
    if (status != FIL_OK)
        return status;
    raw->strand_count = 0; // from here on: what has been added
    raw->vertex_total = 0;
    for (const prim *prim = self->first; prim; prim = prim->next)
        add_prim(prim, raw);
    return FIL_OK;
}

fil_status fil_curves_usda_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    usda self = {.in = in, .text = fil_curves_text_open(in), .arena = raw->arena, .unit = 0.01};
    if (in->size < 5 || memcmp(in->bytes, "#usda", 5) != 0)
        return fil_curves_bad(in, "line 1", "does not start with #usda");
    char word[32];
    for (skip(&self); self.text.at < self.text.end; skip(&self)) {
        read_token(&self, word, sizeof word);
        fil_status status = read_statement(&self, word);
        if (status != FIL_OK)
            return status;
    }
    if (!self.first)
        return fil_curves_bad(in, "stage", "holds no BasisCurves");
    raw->unit = self.unit;
    return assemble(&self, raw);
}

void fil_curves_usda_put_counts(const fil_curves_output *out, const int *counts, int count)
{
    fputc('[', out->file);
    for (int s = 0; s < count; ++s)
        fprintf(out->file, "%s%d", s > 0 ? ", " : "", counts[s]);
    fputc(']', out->file);
}

void fil_curves_usda_put_points(const fil_curves_output *out, const double *position, int64_t count)
{
    fputc('[', out->file);
    for (int64_t i = 0; i < count; ++i) {
        fputs(i > 0 ? ", " : "", out->file);
        for (int k = 0; k < 3; ++k) {
            fputs(k == 0 ? "(" : ", ", out->file);
            fil_curves_text_put(out, position[3 * i + k] / out->unit);
        }
        fputc(')', out->file);
    }
    fputc(']', out->file);
}

void fil_curves_usda_put_widths(const fil_curves_output *out, const double *radius, int64_t count)
{
    fputc('[', out->file);
    for (int64_t i = 0; i < count; ++i) {
        fputs(i > 0 ? ", " : "", out->file);
        fil_curves_text_put(out, 2 * radius[i] / out->unit);
    }
    fprintf(out->file, "] (\n        interpolation = \"vertex\"\n    )");
}

fil_status fil_curves_usda_write(const fil_curves_output *out, const fil_curves *curves)
{
    FILE *file = out->file;
    fprintf(file, "#usda 1.0\n(\n    defaultPrim = \"strands\"\n    metersPerUnit = ");
    fil_curves_text_put(out, out->unit);
    fprintf(file, "\n    upAxis = \"Y\"\n)\n\ndef BasisCurves \"strands\"\n{\n    uniform token type = \"linear\"\n"
                  "    uniform token wrap = \"nonperiodic\"\n    int[] curveVertexCounts = ");
    fil_curves_usda_put_counts(out, curves->vertex_count, curves->strand_count);
    fprintf(file, "\n    point3f[] points = ");
    fil_curves_usda_put_points(out, curves->position, curves->vertex_total);
    if (curves->radius) {
        fprintf(file, "\n    float[] widths = ");
        fil_curves_usda_put_widths(out, curves->radius, curves->vertex_total);
    }
    fprintf(file, "\n}\n");
    return FIL_OK;
}
