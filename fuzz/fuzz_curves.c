// Any bytes whatsoever as a groom: the first byte chooses the format. The reader must refuse the rest or return strands
// that obey all rules.
//
//     make fuzz && build/fuzz/fuzz/fuzz_curves -max_total_time=60 fuzz/corpus/curves
#include "io/curves.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_curves(const fil_curves *curves)
{
    int64_t total = 0;
    const double *x = curves->position;
    for (int s = 0; s < curves->strand_count; ++s) {
        int count = curves->vertex_count[s];
        if (count < 2)
            abort();
        for (int i = 0; i < count; ++i, x += 3) {
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
                abort();
            if (i > 0 && x[0] == x[-3] && x[1] == x[-2] && x[2] == x[-1])
                abort();
        }
        total += count;
    }
    if (curves->strand_count < 1 || total != curves->vertex_total)
        abort();
    for (int64_t i = 0; curves->radius && i < total; ++i)
        if (!(curves->radius[i] >= 0 && isfinite(curves->radius[i])))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    fil_context *context = fil_context_create(NULL);
    fil_curves_input in = {context, "fuzz", data + 1, size - 1};
    fil_curves *curves, *coarse;
    fil_curves_info info;
    fil_status status = fil_curves_read_bytes(&in, &fil_curves_formats[data[0] % FIL_CURVES_FORMATS], 0, &curves, NULL);
    if (status == FIL_OK) {
        check_curves(curves);
        fil_curves_measure(curves, &info);
        if (fil_curves_resample(context, curves, info.length[1] / 4, &coarse) == FIL_OK)
            fil_curves_destroy(coarse);
    } else if (curves || status == FIL_IO_FAILED || !fil_context_error(context)[0]) {
        abort();
    }
    fil_curves_destroy(curves);
    fil_context_destroy(context);
    return 0;
}
