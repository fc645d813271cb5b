// The parallel loop: every item once, and the same ranges on any number of threads.
#include "test.h"

#include "base/parallel.h"

#include <stdlib.h>

typedef struct record {
    int64_t *begin_of, *end_of; // [count] the range that an item was in
    int *visits;                // [count]
} record;

static void note(void *data, int64_t begin, int64_t end)
{
    record *r = data;
    for (int64_t i = begin; i < end; ++i) {
        r->begin_of[i] = begin;
        r->end_of[i] = end;
        ++r->visits[i];
    }
}

static void check_ranges(int64_t count, int64_t grain, int threads)
{
    fil_context *context = fil_context_create(NULL);
    fil_context_set_threads(context, threads);
    size_t room = (size_t)count + 1;
    record r = {calloc(room, sizeof(int64_t)), calloc(room, sizeof(int64_t)), calloc(room, sizeof(int))};
    fil_parallel_for(context, count, grain, note, &r);
    int wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t begin = i / grain * grain, end = count - begin > grain ? begin + grain : count;
        wrong += r.visits[i] != 1 || r.begin_of[i] != begin || r.end_of[i] != end;
    }
    ck_assert_msg(wrong == 0 && r.visits[count] == 0, "count %lld, grain %lld, %d threads: %d items wrong",
                  (long long)count, (long long)grain, threads, wrong);
    free(r.begin_of);
    free(r.end_of);
    free(r.visits);
    fil_context_destroy(context);
}

TEST(parallel_ranges_are_the_same_on_any_number_of_threads)
{
    static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 100003};
    static const int64_t grains[] = {1, 2, 64, 1000, INT64_MAX};
    static const int threads[] = {1, 2, 4, 8};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g)
            for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t)
                check_ranges(counts[c], grains[g], threads[t]);
}

// Sums per range, added in order, give the same bits on any number of threads.
enum { SUM_COUNT = 100000, SUM_GRAIN = 512, SUM_RANGES = SUM_COUNT / SUM_GRAIN + 1 };

static void sum_range(void *data, int64_t begin, int64_t end)
{
    double *sums = data, sum = 0;
    for (int64_t i = begin; i < end; ++i)
        sum += 1.0 / (double)(i + 1);
    sums[begin / SUM_GRAIN] = sum;
}

TEST(parallel_sums_have_the_same_bits)
{
    double totals[4] = {0};
    fil_context *context = fil_context_create(NULL);
    for (int t = 0; t < 4; ++t) {
        double sums[SUM_RANGES] = {0};
        fil_context_set_threads(context, 1 << t);
        fil_parallel_for(context, SUM_COUNT, SUM_GRAIN, sum_range, sums);
        for (int i = 0; i < SUM_RANGES; ++i)
            totals[t] += sums[i];
        ck_assert_mem_eq(&totals[t], &totals[0], sizeof totals[0]);
    }
    fil_context_destroy(context);
}

TEST(parallel_does_nothing_for_nothing)
{
    fil_context *context = fil_context_create(NULL);
    fil_parallel_for(context, 0, 10, sum_range, NULL);
    fil_parallel_for(context, -7, 10, sum_range, NULL);
    fil_context_destroy(context);
}
