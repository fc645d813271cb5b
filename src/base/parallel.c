// OpenMP stays in this file. Short loops run on the calling thread: starting a team costs microseconds.
#include "base/parallel.h"

void fil_parallel_for(const fil_context *context, int64_t count, int64_t grain, fil_parallel_body *body, void *data)
{
    FIL_ASSERT(grain > 0);
    if (count <= 0)
        return;
    int64_t ranges = count / grain + (count % grain != 0);
    int64_t threads = fil_context_threads(context);
    if (threads > ranges)
        threads = ranges;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
    for (int64_t range = 0; range < ranges; ++range) {
        int64_t begin = range * grain;
        body(data, begin, count - begin > grain ? begin + grain : count);
    }
}
