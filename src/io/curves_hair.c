// Cem Yuksel's .hair: a header of 128 bytes, then arrays of which a bit each tells whether they are there.
//
//     0  "HAIR"            16  segments of a strand where there is no array     28  colour (not read)
//     4  strands           20  thickness where there is no array                40  88 bytes of text (not read)
//     8  points            24  transparency (not read)
//    12  bits: 1 segments (16 bits each), 2 points, 4 thickness, 8 transparency, 16 colours; the arrays in this order
//
// Thickness is a diameter. A default thickness of 0 or of 1, which the format's own library leaves there when nobody
// sets it, says nothing.
#include "io/curves.h"

#include <string.h>

enum { HEADER = 128, HAS_SEGMENTS = 1, HAS_POINTS = 2, HAS_THICKNESS = 4 };

// Sets the vertex counts; they must add up to the points.
static fil_status read_counts(const fil_curves_input *in, fil_curves_raw *raw, const unsigned char *segments,
                              int64_t each)
{
    int64_t sum = 0;
    for (int s = 0; s < raw->strand_count; ++s) {
        int64_t count = (segments ? segments[2 * (size_t)s] | segments[2 * (size_t)s + 1] << 8 : each) + 1;
        sum += count;
        if (sum > raw->vertex_total)
            break;
        raw->vertex_count[s] = (int)count;
    }
    if (sum != raw->vertex_total)
        return fil_curves_bad(in, "segments", "they need %s points than the %lld of the header",
                              sum > raw->vertex_total ? "more" : "fewer", (long long)raw->vertex_total);
    return FIL_OK;
}

fil_status fil_curves_hair_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    if (in->size < 4 || memcmp(in->bytes, "HAIR", 4) != 0)
        return fil_curves_bad(in, "header", "does not start with HAIR");
    if (in->size < HEADER)
        return fil_curves_bad(in, "header", "the file is truncated (%zu of %d bytes)", in->size, HEADER);
    uint64_t strands = fil_curves_u32(in->bytes + 4), points = fil_curves_u32(in->bytes + 8);
    uint32_t bits = fil_curves_u32(in->bytes + 12), each = fil_curves_u32(in->bytes + 16);
    double thickness = fil_curves_f32(in->bytes + 20);
    if (!(bits & HAS_POINTS))
        return fil_curves_bad(in, "header", "the file holds no points");
    bool has_segments = bits & HAS_SEGMENTS, has_thickness = bits & HAS_THICKNESS;
    // 32-bit numbers: the sum cannot overflow.
    uint64_t need = HEADER + (has_segments ? 2 * strands : 0) + 12 * points + (has_thickness ? 4 * points : 0);
    if (need > in->size)
        return fil_curves_bad(in, "header", "%llu strands and %llu points need %llu bytes, the file has %zu",
                              (unsigned long long)strands, (unsigned long long)points, (unsigned long long)need,
                              in->size);
    if (!has_segments && strands > points)
        return fil_curves_bad(in, "header", "%llu strands of %llu points", (unsigned long long)strands,
                              (unsigned long long)points);
    bool said = thickness > 0 && thickness != 1;
    fil_status status = fil_curves_raw_begin(in, raw, (int64_t)strands, (int64_t)points, has_thickness || said);
    if (status != FIL_OK)
        return status;
    const unsigned char *at = in->bytes + HEADER;
    status = read_counts(in, raw, has_segments ? at : NULL, each);
    if (status != FIL_OK)
        return status;
    at += has_segments ? 2 * strands : 0;
    for (uint64_t i = 0; i < 3 * points; ++i)
        raw->position[i] = fil_curves_f32(at + 4 * i);
    at += 12 * points;
    for (uint64_t i = 0; raw->radius && i < points; ++i)
        raw->radius[i] = 0.5 * (has_thickness ? fil_curves_f32(at + 4 * i) : thickness);
    return FIL_OK;
}

fil_status fil_curves_hair_write(const fil_curves_output *out, const fil_curves *curves)
{
    if (curves->vertex_total > UINT32_MAX)
        return fil_context_fail(out->context, FIL_BAD_INPUT, "%s: too many vertices for .hair", out->name);
    for (int s = 0; s < curves->strand_count; ++s)
        if (curves->vertex_count[s] - 1 > UINT16_MAX)
            return fil_context_fail(out->context, FIL_BAD_INPUT,
                                    "%s: strand %d has %d vertices, .hair knows at most 65536", out->name, s,
                                    curves->vertex_count[s]);
    static const char info[88] = "written by filum";
    fwrite("HAIR", 1, 4, out->file);
    fil_curves_put_u32(out, (uint32_t)curves->strand_count);
    fil_curves_put_u32(out, (uint32_t)curves->vertex_total);
    fil_curves_put_u32(out, HAS_SEGMENTS | HAS_POINTS | (curves->radius ? HAS_THICKNESS : 0));
    fil_curves_put_u32(out, 0); // default segments, thickness, transparency
    fil_curves_put_f32(out, 0);
    fil_curves_put_f32(out, 0);
    for (int k = 0; k < 3; ++k)
        fil_curves_put_f32(out, 1); // colour
    fwrite(info, 1, sizeof info, out->file);
    for (int s = 0; s < curves->strand_count; ++s) {
        int segments = curves->vertex_count[s] - 1;
        unsigned char bytes[2] = {(unsigned char)segments, (unsigned char)(segments >> 8)};
        fwrite(bytes, 1, 2, out->file);
    }
    for (int64_t i = 0; i < curves->vertex_total; ++i)
        fil_curves_put_place(out, curves->position + 3 * i);
    for (int64_t i = 0; curves->radius && i < curves->vertex_total; ++i)
        fil_curves_put_f32(out, 2 * curves->radius[i] / out->unit);
    return FIL_OK;
}
