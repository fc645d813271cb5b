// What the programs of bench/ share: clocks, medians, memory.
#ifndef FIL_BENCH_BENCH_H
#define FIL_BENCH_BENCH_H

#include "base/timer.h"
#include "filum/filum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median; sorts the values, so that values[0] is the minimum afterwards.
static inline double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

// Ends the program when the library could not do its work: a benchmark has nothing to rescue.
static inline void bench_need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "%s\n", fil_context_error(context));
    exit(status == FIL_BAD_INPUT ? 2 : 3);
}

// Zeros, written: pages that nobody has written are all one page of zeros, which is read from the cache.
static inline void *bench_allocate(size_t count, size_t size)
{
    const size_t page = 4096, bytes = (count * size / page + 1) * page;
    void *memory = aligned_alloc(page, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu × %zu bytes\n", count, size);
        exit(3);
    }
    memset(memory, 0, bytes);
    return memory;
}

static inline fil_context *bench_context(int threads)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    fil_context *context = fil_context_create(&def);
    if (!context) {
        fprintf(stderr, "no memory\n");
        exit(3);
    }
    return context;
}

// A line of /proc/self/status in bytes, for example "VmHWM:".
static inline double bench_status_bytes(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double value = NAN;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = 1024 * atof(line + strlen(name));
    if (file)
        fclose(file);
    return value;
}

// --strands N --repeats N; repeats become 0 when there is anything else.
static inline void bench_options(int argc, char **argv, int *strands, int *repeats)
{
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--strands") == 0 && i + 1 < argc)
            *strands = atoi(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && i + 1 < argc)
            *repeats = atoi(argv[++i]);
        else
            *repeats = 0;
    }
}

#endif
