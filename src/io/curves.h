// Grooms in files: what curves.c and the formats in curves_*.c share.
#ifndef FIL_IO_CURVES_H
#define FIL_IO_CURVES_H

#include <stdio.h>

#include "base/arena.h"

// A file in memory. `name` stands at the head of every sentence.
typedef struct fil_curves_input {
    fil_context *context;
    const char *name;
    const unsigned char *bytes;
    size_t size;
} fil_curves_input;

// What a format makes of a file: strands as they are there, in units of the file, not repaired yet.
typedef struct fil_curves_raw {
    fil_arena *arena; // scratch: everything here lives in it
    int strand_count;
    int64_t vertex_total;
    int *vertex_count; // [strands] any number, zero too
    double *position;  // [3 vertices]
    double *radius;    // [vertices], or NULL
    double unit;       // metres, or 0: the file does not say
} fil_curves_raw;

// Where a writer puts a file. Failures of the stream are found at its end.
typedef struct fil_curves_output {
    fil_context *context;
    const char *name;
    FILE *file;
    double unit;
} fil_curves_output;

typedef struct fil_curves_format {
    const char *name;  // also the ending, without the dot
    const char *magic; // the first bytes of every such file, or NULL
    fil_status (*read)(const fil_curves_input *in, fil_curves_raw *raw);
    fil_status (*write)(const fil_curves_output *out, const fil_curves *curves);
} fil_curves_format;

enum { FIL_CURVES_FORMATS = 6 };
extern const fil_curves_format fil_curves_formats[FIL_CURVES_FORMATS];

// Is it a groom by its name?
fil_status fil_curves_check_ending(fil_context *context, const char *path);

// A file in memory, in a format that is known; fil_curves_read and the fuzzer come in here.
fil_status fil_curves_read_bytes(const fil_curves_input *in, const fil_curves_format *format, double unit,
                                 fil_curves **out, fil_curves_report *report);

// A file that `put` writes, whole or not at all. A failure of `put` is the failure of the whole.
typedef fil_status fil_curves_put(const fil_curves_output *out, const void *what);
fil_status fil_curves_write_file(fil_context *context, const char *path, double unit, fil_curves_put *put,
                                 const void *what);

// ---- for the formats

// Places farther out than this are as bad as infinite: squares of them must stay finite.
#define FIL_CURVES_FARTHEST 1e30

fil_status fil_curves_check_unit(fil_context *context, double unit); // metres; 0 is fine, too

// The sentence "FILE: place: what is wrong".
#define fil_curves_bad(in, place, ...) (fil_curves_note((in)->context, (in)->name, (place), __VA_ARGS__), FIL_BAD_INPUT)
void fil_curves_note(fil_context *context, const char *name, const char *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Arrays of `raw` for numbers that the format has compared with the file size.
fil_status fil_curves_raw_begin(const fil_curves_input *in, fil_curves_raw *raw, int64_t strands, int64_t vertices,
                                bool with_radius);

uint32_t fil_curves_u32(const unsigned char *bytes); // little-endian
float fil_curves_f32(const unsigned char *bytes);
void fil_curves_put_u32(const fil_curves_output *out, uint32_t value);
void fil_curves_put_f32(const fil_curves_output *out, double value);
// The three coordinates of a vertex in units of the file.
void fil_curves_put_place(const fil_curves_output *out, const double *position);

fil_status fil_curves_hair_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_hair_write(const fil_curves_output *out, const fil_curves *curves);
fil_status fil_curves_tfx_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_tfx_write(const fil_curves_output *out, const fil_curves *curves);
fil_status fil_curves_data_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_data_write(const fil_curves_output *out, const fil_curves *curves);
fil_status fil_curves_obj_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_obj_write(const fil_curves_output *out, const fil_curves *curves);
fil_status fil_curves_ply_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_ply_write(const fil_curves_output *out, const fil_curves *curves);
fil_status fil_curves_usda_read(const fil_curves_input *in, fil_curves_raw *raw);
fil_status fil_curves_usda_write(const fil_curves_output *out, const fil_curves *curves);
// Parts of an OpenUSD text, for stills and films: the arrays of a BasisCurves, behind the `=`.
void fil_curves_usda_put_counts(const fil_curves_output *out, const int *counts, int count);
void fil_curves_usda_put_points(const fil_curves_output *out, const double *position, int64_t count);
void fil_curves_usda_put_widths(const fil_curves_output *out, const double *radius, int64_t count);

double fil_curves_distance(const double *a, const double *b); // of two places
double fil_curves_length(const double *position, int count);  // of a polyline

#endif
