// OpenUSD as text: one BasisCurves of linear strands. Read is what filum writes and what looks like it: arrays
// `points`, `curveVertexCounts` and `widths` (diameters: one, one per strand or one per vertex) of the one `def
// BasisCurves`, and the metersPerUnit of the stage, 0.01 where it is missing as OpenUSD has it. Transforms, time
// samples, references and cubic curves are not: flatten the stage first.
#include "io/curves_text.h"

#include <string.h>

typedef struct usda {
    const fil_curves_input *in;
    fil_curves_text text;
    fil_arena *arena;
    double *points, *counts, *widths;
    int64_t point_numbers, strands, width_count;
    double unit;
    bool inside; // within a BasisCurves
    bool found;
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

// "= [ ... ]" as plain numbers; brackets of `group` numbers (1: none) are checked.
static fil_status read_numbers(usda *self, int group, double **out, int64_t *count)
{
    if (!take(self, '=') || !take(self, '['))
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
    self->inside = strcmp(word, "BasisCurves") == 0;
    if (self->inside && self->found)
        return bad_here(self, "a second BasisCurves: only one is read");
    self->found |= self->inside;
    return FIL_OK;
}

static fil_status read_statement(usda *self, const char *word)
{
    if (strcmp(word, "metersPerUnit") == 0)
        return read_unit(self);
    if (strcmp(word, "def") == 0)
        return read_definition(self);
    if (!self->inside)
        return FIL_OK;
    if (strcmp(word, "type") == 0)
        return read_type(self);
    if (strcmp(word, "points") == 0)
        return self->points ? bad_here(self, "a second `points`")
                            : read_numbers(self, 3, &self->points, &self->point_numbers);
    if (strcmp(word, "curveVertexCounts") == 0)
        return self->counts ? bad_here(self, "a second `curveVertexCounts`")
                            : read_numbers(self, 1, &self->counts, &self->strands);
    if (strcmp(word, "widths") == 0)
        return self->widths ? bad_here(self, "a second `widths`")
                            : read_numbers(self, 1, &self->widths, &self->width_count);
    return FIL_OK;
}

// Strands from the three arrays.
static fil_status assemble(usda *self, fil_curves_raw *raw)
{
    int64_t points = self->point_numbers / 3, sum = 0;
    bool widths = self->width_count > 0;
    fil_status status = fil_curves_raw_begin(self->in, raw, self->strands, points, widths);
    if (status != FIL_OK)
        return status;
    for (int64_t s = 0; s < self->strands; ++s) {
        double count = self->counts[s];
        // Not a number, negative, or more than there are: all refused here.
        if (!(count >= 0 && count <= (double)(points - sum)) || count != (double)(int64_t)count || count > INT32_MAX)
            return fil_curves_bad(self->in, "curveVertexCounts", "entry %lld (%g) is wrong for %lld points",
                                  (long long)s, count, (long long)points);
        raw->vertex_count[s] = (int)count;
        sum += (int64_t)count;
    }
    if (sum != points)
        return fil_curves_bad(self->in, "curveVertexCounts", "they add up to %lld, but there are %lld points",
                              (long long)sum, (long long)points);
    if (widths && self->width_count != 1 && self->width_count != self->strands && self->width_count != points)
        return fil_curves_bad(self->in, "widths", "%lld widths for %lld strands of %lld points",
                              (long long)self->width_count, (long long)self->strands, (long long)points);
    if (points > 0)
        memcpy(raw->position, self->points, sizeof(double) * 3 * (size_t)points);
    for (int64_t s = 0, i = 0; widths && s < self->strands; ++s)
        for (int k = 0; k < raw->vertex_count[s]; ++k, ++i)
            raw->radius[i] = 0.5 * self->widths[self->width_count == points ? i : self->width_count == 1 ? 0 : s];
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
    if (!self.found)
        return fil_curves_bad(in, "stage", "holds no BasisCurves");
    if (!self.points || !self.counts)
        return fil_curves_bad(in, "BasisCurves", "has no %s", self.points ? "curveVertexCounts" : "points");
    raw->unit = self.unit;
    return assemble(&self, raw);
}

fil_status fil_curves_usda_write(const fil_curves_output *out, const fil_curves *curves)
{
    FILE *file = out->file;
    fprintf(file, "#usda 1.0\n(\n    defaultPrim = \"strands\"\n    metersPerUnit = ");
    fil_curves_text_put(out, out->unit);
    fprintf(file, "\n    upAxis = \"Y\"\n)\n\ndef BasisCurves \"strands\"\n{\n    uniform token type = \"linear\"\n"
                  "    uniform token wrap = \"nonperiodic\"\n    int[] curveVertexCounts = [");
    for (int s = 0; s < curves->strand_count; ++s)
        fprintf(file, "%s%d", s > 0 ? ", " : "", curves->vertex_count[s]);
    fprintf(file, "]\n    point3f[] points = [");
    for (int64_t i = 0; i < curves->vertex_total; ++i) {
        fputs(i > 0 ? ", " : "", file);
        for (int k = 0; k < 3; ++k) {
            fputs(k == 0 ? "(" : ", ", file);
            fil_curves_text_put(out, curves->position[3 * i + k] / out->unit);
        }
        fputc(')', file);
    }
    fprintf(file, "]\n");
    if (curves->radius) {
        fprintf(file, "    float[] widths = [");
        for (int64_t i = 0; i < curves->vertex_total; ++i) {
            fputs(i > 0 ? ", " : "", file);
            fil_curves_text_put(out, 2 * curves->radius[i] / out->unit);
        }
        fprintf(file, "] (\n        interpolation = \"vertex\"\n    )\n");
    }
    fprintf(file, "}\n");
    return FIL_OK;
}
