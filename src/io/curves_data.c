// The .data of USC's hair collection: the number of strands, then per strand the number of its vertices and three
// floats for each of them. All numbers have four bytes. Strands of one vertex stand for bald places there.
#include "io/curves.h"

// One strand's count and where the next strand lies; false: the file ends before.
static bool next_strand(const fil_curves_input *in, uint64_t *at, int *count)
{
    if (in->size - *at < 4)
        return false;
    uint64_t claimed = fil_curves_u32(in->bytes + *at);
    *at += 4;
    if (claimed > (in->size - *at) / 12 || claimed > INT32_MAX)
        return false;
    *count = (int)claimed;
    *at += 12 * claimed;
    return true;
}

fil_status fil_curves_data_read(const fil_curves_input *in, fil_curves_raw *raw)
{
    if (in->size < 4)
        return fil_curves_bad(in, "header", "the file is truncated (%zu of 4 bytes)", in->size);
    uint64_t strands = fil_curves_u32(in->bytes), at = 4;
    if (strands > (in->size - 4) / 4)
        return fil_curves_bad(in, "header", "%llu strands do not fit a file of %zu bytes", (unsigned long long)strands,
                              in->size);
    int64_t vertices = 0;
    int count = 0;
    for (uint64_t s = 0; s < strands; ++s, vertices += count)
        if (!next_strand(in, &at, &count)) {
            char place[32];
            snprintf(place, sizeof place, "strand %llu", (unsigned long long)s);
            return fil_curves_bad(in, place, "the file is truncated: its vertices lie beyond the end");
        }
    if (at != in->size)
        return fil_curves_bad(in, "end", "%llu bytes are left behind the last strand",
                              (unsigned long long)(in->size - at));
    fil_status status = fil_curves_raw_begin(in, raw, (int64_t)strands, vertices, false);
    if (status != FIL_OK)
        return status;
    double *to = raw->position;
    at = 4;
    for (uint64_t s = 0; s < strands; ++s) {
        uint64_t from = at + 4;
        next_strand(in, &at, &raw->vertex_count[s]);
        for (; from < at; from += 4)
            *to++ = fil_curves_f32(in->bytes + from);
    }
    return FIL_OK;
}

fil_status fil_curves_data_write(const fil_curves_output *out, const fil_curves *curves)
{
    const double *x = curves->position;
    fil_curves_put_u32(out, (uint32_t)curves->strand_count);
    for (int s = 0; s < curves->strand_count; ++s) {
        fil_curves_put_u32(out, (uint32_t)curves->vertex_count[s]);
        for (int i = 0; i < curves->vertex_count[s]; ++i, x += 3)
            fil_curves_put_place(out, x);
    }
    return FIL_OK;
}
