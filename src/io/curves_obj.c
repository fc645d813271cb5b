// Wavefront .obj: `v x y z` places and `l i j k ...` polylines. Faces and everything else are passed over.
//
// Some programs write a strand as segments, `l 1 2`, `l 2 3`, ...: such lines are one strand as long as each begins
// where the one before ended; `l 2 1`, `l 3 2`, ... is such a strand, too. The comment `# metres_per_unit U`, which
// filum writes, tells the unit.
#include "io/obj.h"

#include <string.h>

// A chain of segments that may go on with the next line.
typedef struct chain {
    bool open, backwards;
    int64_t start, end; // the places where it starts and ends
} chain;

static void append(fil_obj *self, fil_curves_raw *raw, int64_t index)
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
static void append_segment(fil_obj *self, fil_curves_raw *raw, chain *chain, int64_t first, int64_t second)
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

static fil_status read_line(fil_obj *self, fil_curves_raw *raw, chain *chain)
{
    int64_t count = 0, index, first = -1;
    for (; !fil_obj_line_ends(self); ++count) {
        fil_status status = fil_obj_index(self, "l", &index);
        if (status != FIL_OK)
            return status;
        // The first index waits: whether it begins a strand depends on how many there are.
        if (count == 0) {
            first = index;
        } else if (count == 1 && fil_obj_line_ends(self)) {
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

static void read_comment(const fil_obj *self, fil_curves_raw *raw)
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

static fil_status read_lines(fil_obj *self, fil_curves_raw *raw)
{
    chain chain = {0};
    char word[FIL_OBJ_WORD];
    fil_status status = FIL_OK;
    while (status == FIL_OK && fil_obj_keyword(self, word)) {
        if (strcmp(word, "v") == 0)
            status = fil_obj_place(self);
        else if (strcmp(word, "l") == 0)
            status = read_line(self, raw, &chain);
        else if (self->comment)
            read_comment(self, raw);
    }
    return status;
}

fil_status fil_curves_obj_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    fil_obj_counts counts = fil_obj_count(in);
    if (counts.lines == 0)
        return fil_curves_bad(in, "lines", "the file holds no strand (no `l` line%s)",
                              counts.faces > 0 ? "; it holds faces: is it a mesh?" : "");
    fil_obj self = fil_obj_open(in);
    self.place_count = counts.places;
    self.places = FIL_ARENA_ARRAY(raw->arena, double, 3 * counts.places);
    if (!self.places)
        return FIL_NO_MEMORY;
    fil_status status = fil_curves_raw_begin(in, raw, counts.lines, counts.line_indices, false);
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
