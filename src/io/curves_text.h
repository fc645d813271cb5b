// Words and numbers of text formats, without locale and without a zero at the end. See curves_text.c.
#ifndef FIL_IO_CURVES_TEXT_H
#define FIL_IO_CURVES_TEXT_H

#include "io/curves.h"

typedef struct fil_curves_text {
    const char *at, *end;
    int64_t line; // from 1
} fil_curves_text;

fil_curves_text fil_curves_text_open(const fil_curves_input *in);
// Blanks within a line; a backslash at the end of a line continues it.
void fil_curves_text_blanks(fil_curves_text *text);
void fil_curves_text_spaces(fil_curves_text *text);    // blanks and ends of lines
void fil_curves_text_next_line(fil_curves_text *text); // to the start of the line behind this one
bool fil_curves_text_line_ends(fil_curves_text *text); // after blanks: is nothing left on this line?

// The next characters up to a blank or an end of line, cut to room; false: there are none.
bool fil_curves_text_word(fil_curves_text *text, char *out, size_t room);
// A decimal number, "nan" or "inf"; false, and nothing is passed: there is none here. Rounding is within one unit of
// the last place of a double.
bool fil_curves_text_real(fil_curves_text *text, double *out);
bool fil_curves_text_whole(fil_curves_text *text, int64_t *out); // up to 18 digits

// "line 12", for sentences; valid until the next call with the same buffer.
const char *fil_curves_text_place(const fil_curves_text *text, char place[32]);

// A number that reads back as the same float, with a point whatever the locale.
void fil_curves_text_put(const fil_curves_output *out, double value);

#endif
