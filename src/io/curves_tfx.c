// TressFX 4 .tfx: a header of 160 bytes, then places as four floats each; the fourth is the inverse mass, 0 where a
// vertex is held. All strands have the same number of vertices.
//
//     0  version, a float: 4.0     8  vertices per strand     16  offsets of texture coordinates, thickness, colour
//     4  strands                  12  offset of the places        (not read), and 32 reserved words
#include "io/curves.h"

enum { HEADER = 160, PLACE = 16 };

fil_status fil_curves_tfx_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    if (in->size < HEADER)
        return fil_curves_bad(in, "header", "the file is truncated (%zu of %d bytes)", in->size, HEADER);
    double version = fil_curves_f32(in->bytes);
    if (!(version >= 4 && version < 5))
        return fil_curves_bad(in, "header", "must be of version 4 (got %g)", version);
    uint64_t strands = fil_curves_u32(in->bytes + 4), each = fil_curves_u32(in->bytes + 8);
    uint64_t offset = fil_curves_u32(in->bytes + 12);
    if (offset < HEADER || offset > in->size)
        return fil_curves_bad(in, "header", "the places lie outside the file (offset %llu)",
                              (unsigned long long)offset);
    // 32-bit numbers: the product cannot overflow.
    uint64_t room = (in->size - offset) / PLACE;
    if (strands * each > room)
        return fil_curves_bad(in, "header", "%llu strands of %llu vertices, the file has room for %llu vertices",
                              (unsigned long long)strands, (unsigned long long)each, (unsigned long long)room);
    // Strands without vertices would cost memory that the file does not pay for.
    if (each < 2)
        return fil_curves_bad(in, "header", "strands of %llu vertices", (unsigned long long)each);
    fil_status status = fil_curves_raw_begin(in, raw, (int64_t)strands, (int64_t)(strands * each), false);
    if (status != FIL_OK)
        return status;
    for (uint64_t s = 0; s < strands; ++s)
        raw->vertex_count[s] = (int)each;
    for (uint64_t i = 0; i < strands * each; ++i)
        for (int k = 0; k < 3; ++k)
            raw->position[3 * i + (uint64_t)k] = fil_curves_f32(in->bytes + offset + PLACE * i + 4 * (uint64_t)k);
    return FIL_OK;
}

fil_status fil_curves_tfx_write(const fil_curves_output *out, const fil_curves *curves)
{
    int each = curves->strand_count > 0 ? curves->vertex_count[0] : 0;
    for (int s = 0; s < curves->strand_count; ++s)
        if (curves->vertex_count[s] != each)
            return fil_context_fail(out->context, FIL_BAD_INPUT,
                                    "%s: in .tfx all strands have the same number of vertices (strand 0 has %d, strand "
                                    "%d has %d)",
                                    out->name, each, s, curves->vertex_count[s]);
    fil_curves_put_f32(out, 4);
    fil_curves_put_u32(out, (uint32_t)curves->strand_count);
    fil_curves_put_u32(out, (uint32_t)each);
    fil_curves_put_u32(out, HEADER);
    for (int k = 16; k < HEADER; k += 4)
        fil_curves_put_u32(out, 0);
    // The first two vertices are held, as the exporters of TressFX write it.
    for (int64_t i = 0; i < curves->vertex_total; ++i) {
        fil_curves_put_place(out, curves->position + 3 * i);
        fil_curves_put_f32(out, i % each < 2 ? 0 : 1);
    }
    return FIL_OK;
}
