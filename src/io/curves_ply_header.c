// The header of a .ply file: lines of words up to `end_header`.
#include "io/curves_ply_header.h"

#include <string.h>

int fil_ply_size(fil_ply_type type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static fil_ply_type type_of(const char *word)
{
    static const struct {
        const char *name;
        fil_ply_type type;
    } names[] = {
        {"char", FIL_PLY_I8},   {"int8", FIL_PLY_I8},     {"uchar", FIL_PLY_U8},   {"uint8", FIL_PLY_U8},
        {"short", FIL_PLY_I16}, {"int16", FIL_PLY_I16},   {"ushort", FIL_PLY_U16}, {"uint16", FIL_PLY_U16},
        {"int", FIL_PLY_I32},   {"int32", FIL_PLY_I32},   {"uint", FIL_PLY_U32},   {"uint32", FIL_PLY_U32},
        {"float", FIL_PLY_F32}, {"float32", FIL_PLY_F32}, {"double", FIL_PLY_F64}, {"float64", FIL_PLY_F64},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i].name, word) == 0)
            return names[i].type;
    return FIL_PLY_NONE;
}

static fil_status read_layout(const fil_curves_input *in, fil_curves_text *text, fil_ply_header *out)
{
    static const char *const names[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};
    char word[32], place[32];
    fil_curves_text_word(text, word, sizeof word);
    for (int i = FIL_PLY_ASCII; i <= FIL_PLY_BIG; ++i)
        if (strcmp(names[i], word) == 0)
            out->layout = (fil_ply_layout)i;
    if (out->layout == FIL_PLY_UNKNOWN)
        return fil_curves_bad(in, fil_curves_text_place(text, place), "unknown format '%s'", word);
    return FIL_OK;
}

static fil_status read_element(const fil_curves_input *in, fil_curves_text *text, fil_ply_header *out)
{
    char place[32];
    fil_curves_text_place(text, place);
    if (out->element_count == FIL_PLY_ELEMENTS)
        return fil_curves_bad(in, place, "more than %d elements", FIL_PLY_ELEMENTS);
    fil_ply_element *element = &out->element[out->element_count++];
    if (!fil_curves_text_word(text, element->name, sizeof element->name) ||
        !fil_curves_text_whole(text, &element->count) || element->count < 0)
        return fil_curves_bad(in, place, "`element` needs a name and a number");
    return FIL_OK;
}

static fil_status read_property(const fil_curves_input *in, fil_curves_text *text, fil_ply_header *out)
{
    char place[32], word[32];
    fil_curves_text_place(text, place);
    if (out->element_count == 0)
        return fil_curves_bad(in, place, "`property` before any `element`");
    fil_ply_element *element = &out->element[out->element_count - 1];
    if (element->property_count == FIL_PLY_PROPERTIES)
        return fil_curves_bad(in, place, "more than %d properties", FIL_PLY_PROPERTIES);
    fil_ply_property *property = &element->property[element->property_count++];
    bool good = fil_curves_text_word(text, word, sizeof word);
    if (good && strcmp(word, "list") == 0) {
        good = fil_curves_text_word(text, word, sizeof word);
        property->count_type = type_of(word);
        good = good && property->count_type != FIL_PLY_NONE && property->count_type < FIL_PLY_F32 &&
               fil_curves_text_word(text, word, sizeof word);
    }
    property->type = type_of(word);
    if (!good || property->type == FIL_PLY_NONE || !fil_curves_text_word(text, property->name, sizeof property->name))
        return fil_curves_bad(in, place, "`property` needs a type and a name");
    return FIL_OK;
}

static void read_comment(fil_curves_text *text, fil_ply_header *out)
{
    char word[32];
    fil_curves_text_word(text, word, sizeof word);
    if (strcmp(word, "points_per_strand") == 0 && !fil_curves_text_whole(text, &out->points_per_strand))
        out->points_per_strand = 0;
    if (strcmp(word, "metres_per_unit") == 0 && !fil_curves_text_real(text, &out->unit))
        out->unit = 0;
}

fil_status fil_ply_header_read(const fil_curves_input *in, fil_curves_text *text, fil_ply_header *out)
{
    char word[32], place[32];
    if (!fil_curves_text_word(text, word, sizeof word) || strcmp(word, "ply") != 0)
        return fil_curves_bad(in, "line 1", "does not start with ply");
    for (;;) {
        fil_curves_text_next_line(text);
        if (text->at >= text->end)
            return fil_curves_bad(in, "header", "the file is truncated: no end_header");
        fil_status status = FIL_OK;
        bool any = fil_curves_text_word(text, word, sizeof word);
        if (!any || strcmp(word, "obj_info") == 0)
            continue;
        if (strcmp(word, "end_header") == 0)
            break;
        if (strcmp(word, "comment") == 0)
            read_comment(text, out);
        else if (strcmp(word, "format") == 0)
            status = read_layout(in, text, out);
        else if (strcmp(word, "element") == 0)
            status = read_element(in, text, out);
        else if (strcmp(word, "property") == 0)
            status = read_property(in, text, out);
        else
            status = fil_curves_bad(in, fil_curves_text_place(text, place), "unknown keyword '%s'", word);
        if (status != FIL_OK)
            return status;
    }
    fil_curves_text_next_line(text);
    if (out->layout == FIL_PLY_UNKNOWN)
        return fil_curves_bad(in, "header", "no `format` line");
    return FIL_OK;
}
