// Wavefront .obj: `v x y z` places and `l i j k ...` polylines. Indices count from 1, or from the latest place
// backwards when negative; what follows a slash is a texture coordinate and is not read. Faces and everything else are
// passed over.
//
// Some programs write a strand as segments, `l 1 2`, `l 2 3`, ...: such lines are one strand as long as each begins
// where the one before ended; `l 2 1`, `l 3 2`, ... is such a strand, too. The comment `# metres_per_unit U`, which
// filum writes, tells the unit.
#include "io/curves_text.h"

#include <string.h>

typedef struct obj {
    const fil_curves_input *in;
    fil_curves_text text;
    double *places; // [3 place_count]
    int64_t place_count, places_seen;
    int64_t index_count; // upper bound on the indices of all lines
    int64_t line_count;
    bool faces;
} obj;

// How much there is: one pass over the first letters of lines.
static void count_all(obj *self)
{
    fil_curves_text text = self->text;
    char word[8];
    while (text.at < text.end) {
        if (fil_curves_text_word(&text, word, sizeof word)) {
            self->place_count += strcmp(word, "v") == 0;
            self->faces |= strcmp(word, "f") == 0;
            if (strcmp(word, "l") == 0) {
                ++self->line_count;
                while (fil_curves_text_word(&text, word, sizeof word))
                    ++self->index_count;
            } else if (word[0] != '#') {
                // A continued line ends where its last part ends.
                while (fil_curves_text_word(&text, word, sizeof word))
                    ;
            }
        }
        fil_curves_text_next_line(&text);
    }
}

static fil_status read_place(obj *self)
{
    char place[32];
    if (self->places_seen >= self->place_count) // both passes see the same lines; this is a second lock on the door
        return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place), "`v` was not counted");
    double *x = self->places + 3 * self->places_seen++;
    for (int k = 0; k < 3; ++k)
        if (!fil_curves_text_real(&self->text, &x[k]))
            return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place), "`v` needs three numbers");
    return FIL_OK;
}

// One index of a line as a place from 0.
static fil_status read_index(obj *self, int64_t *index)
{
    char place[32];
    int64_t given;
    char rest[8];
    if (!fil_curves_text_whole(&self->text, &given))
        return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place), "`l` needs whole numbers");
    const char *end = self->text.at;
    bool bare = end >= self->text.end || *end == ' ' || *end == '\t' || *end == '\r' || *end == '\n' || *end == '\\';
    if (!bare && *end != '/')
        return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place), "`l` needs whole numbers");
    if (!bare)
        fil_curves_text_word(&self->text, rest, sizeof rest);
    *index = given > 0 ? given - 1 : self->places_seen + given;
    if (given == 0 || *index < 0 || *index >= self->place_count)
        return fil_curves_bad(self->in, fil_curves_text_place(&self->text, place),
                              "the index %lld is out of range (%lld vertices)", (long long)given,
                              (long long)self->place_count);
    return FIL_OK;
}

// A chain of segments that may go on with the next line.
typedef struct chain {
    bool open, backwards;
    int64_t start, end; // the places where it starts and ends
} chain;

static void append(obj *self, fil_curves_raw *raw, int64_t index)
{
    memcpy(raw->position + 3 * raw->vertex_total++, self->places + 3 * index, 3 * sizeof(double));
    ++raw->vertex_count[raw->strand_count - 1];
}

static void swap_last_two(fil_curves_raw *raw)
{
    double *x = raw->position + 3 * (raw->vertex_total - 2);
    for (int k = 0; k < 3; ++k) {
        double kept = x[k];
        x[k] = x[k + 3];
        x[k + 3] = kept;
    }
}

// A line of two indices: the next segment of the chain, or the start of a new one.
static void append_segment(obj *self, fil_curves_raw *raw, chain *chain, int64_t first, int64_t second)
{
    int length = chain->open ? raw->vertex_count[raw->strand_count - 1] : 0;
    // `l 2 1`, `l 3 2`: the second segment shows that the strand runs the other way.
    if (length == 2 && !chain->backwards && second == chain->start && first != chain->end) {
        swap_last_two(raw);
        chain->backwards = true;
        chain->end = second;
    }
    if (chain->open && (chain->backwards ? second : first) == chain->end) {
        chain->end = chain->backwards ? first : second;
        append(self, raw, chain->end);
        return;
    }
    ++raw->strand_count;
    append(self, raw, first);
    append(self, raw, second);
    *chain = (struct chain){.open = true, .start = first, .end = second};
}

static fil_status read_line(obj *self, fil_curves_raw *raw, chain *chain)
{
    int64_t count = 0, index, first = -1;
    for (; !fil_curves_text_line_ends(&self->text); ++count) {
        fil_status status = read_index(self, &index);
        if (status != FIL_OK)
            return status;
        // The first index waits: whether it begins a strand depends on how many there are.
        if (count == 0) {
            first = index;
        } else if (count == 1 && fil_curves_text_line_ends(&self->text)) {
            append_segment(self, raw, chain, first, index);
            return FIL_OK;
        } else {
            raw->strand_count += count == 1;
            if (count == 1)
                append(self, raw, first);
            append(self, raw, index);
        }
    }
    chain->open = false;
    if (count == 1) { // a strand of one place: dropped and counted later
        ++raw->strand_count;
        append(self, raw, first);
    }
    return FIL_OK;
}

static void read_comment(const obj *self, fil_curves_raw *raw)
{
    char word[32];
    double unit;
    fil_curves_text text = self->text; // a comment ends with its line: a backslash does not continue it
    const char *end = text.at < text.end ? memchr(text.at, '\n', (size_t)(text.end - text.at)) : NULL;
    text.end = end ? end : text.end;
    if (fil_curves_text_word(&text, word, sizeof word) && strcmp(word, "metres_per_unit") == 0 &&
        fil_curves_text_real(&text, &unit))
        raw->unit = unit;
}

static fil_status read_lines(obj *self, fil_curves_raw *raw)
{
    chain chain = {0};
    char word[8];
    fil_status status = FIL_OK;
    while (status == FIL_OK && self->text.at < self->text.end) {
        if (fil_curves_text_word(&self->text, word, sizeof word)) {
            bool comment = word[0] == '#';
            if (strcmp(word, "v") == 0)
                status = read_place(self);
            else if (strcmp(word, "l") == 0)
                status = read_line(self, raw, &chain);
            else if (comment)
                read_comment(self, raw);
            while (!comment && fil_curves_text_word(&self->text, word, sizeof word))
                ;
        }
        fil_curves_text_next_line(&self->text);
    }
    return status;
}

fil_status fil_curves_obj_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    obj self = {.in = in, .text = fil_curves_text_open(in)};
    count_all(&self);
    if (self.line_count == 0)
        return fil_curves_bad(in, "lines", "the file holds no strand (no `l` line%s)",
                              self.faces ? "; it holds faces: is it a mesh?" : "");
    self.places = FIL_ARENA_ARRAY(raw->arena, double, 3 * self.place_count);
    if (!self.places)
        return FIL_NO_MEMORY;
    fil_status status = fil_curves_raw_begin(in, raw, self.line_count, self.index_count, false);
    if (status != FIL_OK)
        return status;
    raw->strand_count = 0; // from here on: what has been read
    raw->vertex_total = 0;
    return read_lines(&self, raw);
}

fil_status fil_curves_obj_write(const fil_curves_output *out, const fil_curves *curves)
{
    fprintf(out->file, "# written by filum\n# metres_per_unit ");
    fil_curves_text_put(out, out->unit);
    fputc('\n', out->file);
    for (int64_t i = 0; i < curves->vertex_total; ++i) {
        fputc('v', out->file);
        for (int k = 0; k < 3; ++k) {
            fputc(' ', out->file);
            fil_curves_text_put(out, curves->position[3 * i + k] / out->unit);
        }
        fputc('\n', out->file);
    }
    // A strand of two vertices must not look like a segment of the strand before: they share no vertex.
    int64_t index = 1;
    for (int s = 0; s < curves->strand_count; ++s) {
        fputc('l', out->file);
        for (int i = 0; i < curves->vertex_count[s]; ++i)
            fprintf(out->file, " %lld", (long long)index++);
        fputc('\n', out->file);
    }
    return FIL_OK;
}
