// What the readers of Wavefront .obj files share: curves_obj.c reads lines, mesh.c reads faces. See obj.c.
#ifndef FIL_IO_OBJ_H
#define FIL_IO_OBJ_H

#include "io/curves_text.h"

typedef struct fil_obj {
    const fil_curves_input *in;
    fil_curves_text text;
    bool within, comment;             // a keyword has been read and its line is not over; the line is a comment
    double *places;                   // [3 place_count]
    int64_t place_count, places_seen; // of the whole file; up to this line
} fil_obj;

enum { FIL_OBJ_WORD = 8 };

// How much there is; indices and triangles may be fewer, as comments behind them are counted, too.
typedef struct fil_obj_counts {
    int64_t places, lines, line_indices, faces, triangles;
} fil_obj_counts;
fil_obj_counts fil_obj_count(const fil_curves_input *in);

fil_obj fil_obj_open(const fil_curves_input *in);
// Passes what is left of this line; the first word of the next line that has one. False: the file ends.
bool fil_obj_keyword(fil_obj *obj, char word[FIL_OBJ_WORD]);
bool fil_obj_line_ends(fil_obj *obj); // but for a comment
// Behind `v`: the next of `places`.
fil_status fil_obj_place(fil_obj *obj);
// Behind `l` or `f`: a place from 0.
fil_status fil_obj_index(fil_obj *obj, const char *keyword, int64_t *index);

#endif
