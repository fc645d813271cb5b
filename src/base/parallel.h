// The one parallel primitive. See parallel.c.
#ifndef FIL_BASE_PARALLEL_H
#define FIL_BASE_PARALLEL_H

#include "base/context.h"

// Calls body(data, begin, end) for consecutive ranges of [0, count), each of `grain` items except the last.
// The ranges depend on count and grain alone, never on the thread count: whatever a range computes is the same on any
// machine. Ranges run in any order and at the same time, so each may write only what belongs to it.
typedef void fil_parallel_body(void *data, int64_t begin, int64_t end);
void fil_parallel_for(const fil_context *context, int64_t count, int64_t grain, fil_parallel_body *body, void *data);

#endif
