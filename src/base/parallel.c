// OpenMP stays in this file. Short loops run on the calling thread: starting a team costs microseconds.
#include "base/parallel.h"

void fil_parallel_for(const fil_context *context, int64_t count, int64_t grain, fil_parallel_body *body, void *data)
{
    FIL_ASSERT(grain > 0);
    int64_t ranges = (count + grain - 1) / grain;
    int threads = fil_context_threads(context);
    if (ranges <= 1 || threads <= 1) {
        for (int64_t begin = 0; begin < count; begin += grain)
            body(data, begin, begin + grain < count ? begin + grain : count);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t range = 0; range < ranges; ++range) {
        int64_t begin = range * grain;
        body(data, begin, begin + grain < count ? begin + grain : count);
    }
}
