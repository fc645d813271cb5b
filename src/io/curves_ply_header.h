// The header of a .ply file. See curves_ply_header.c.
#ifndef FIL_IO_CURVES_PLY_HEADER_H
#define FIL_IO_CURVES_PLY_HEADER_H

#include "io/curves_text.h"

enum { FIL_PLY_ELEMENTS = 16, FIL_PLY_PROPERTIES = 32 };

typedef enum fil_ply_type {
    FIL_PLY_NONE,
    FIL_PLY_I8,
    FIL_PLY_U8,
    FIL_PLY_I16,
    FIL_PLY_U16,
    FIL_PLY_I32,
    FIL_PLY_U32,
    FIL_PLY_F32,
    FIL_PLY_F64,
} fil_ply_type;

typedef enum fil_ply_layout { FIL_PLY_UNKNOWN, FIL_PLY_ASCII, FIL_PLY_LITTLE, FIL_PLY_BIG } fil_ply_layout;

typedef struct fil_ply_property {
    char name[24];
    fil_ply_type type, count_type; // count_type: of a list; FIL_PLY_NONE: a single number
} fil_ply_property;

typedef struct fil_ply_element {
    char name[24];
    int64_t count;
    fil_ply_property property[FIL_PLY_PROPERTIES];
    int property_count;
} fil_ply_element;

typedef struct fil_ply_header {
    fil_ply_layout layout;
    fil_ply_element element[FIL_PLY_ELEMENTS];
    int element_count;
    int64_t points_per_strand; // of a comment; 0: none
    double unit;               // of a comment, m; 0: none
} fil_ply_header;

int fil_ply_size(fil_ply_type type); // bytes
// Leaves the text at the first byte of the data.
fil_status fil_ply_header_read(const fil_curves_input *in, fil_curves_text *text, fil_ply_header *out);

#endif
