// What one Gauss-Seidel sweep costs on 25,000 contacts, against the same sweep without local solves.
//
//     contact_sweep [--rods 2000] [--repeats 5]
//
// Sweeps 1 to 50 of a cold solve, every contact visited (no freezing), in nanoseconds per stored 3×3 block. The same
// sweeps without local solves (fil_sweep.copy_only) alternate with them, and a triad a = b + s c measures what the
// memory gives. Each sweep is timed alone and repeated: the minimum is what the code costs, the median what one sees
// on a busy machine.
//
// Bars, one thread, natural order, minimum: at most 9 ns per block, and at most 2 × the sweep without local solves.
// Both root+enum, the default, and mfb+enum, the paper's choice, are held against them; exit 1 when the default misses
// one.
#include "bench.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "contact/contact_sweep.h"

enum { SWEEPS = 50, MOST_REPEATS = 100, TRIAD_SIZE = 1 << 23 };
static const double nanoseconds_allowed = 9, ratio_allowed = 2;

typedef struct bench {
    fil_context *context;
    fil_contact_problem *problem;
    int64_t blocks;
    double *r;
    int repeats;
    double triad; // bytes per second
} bench;

typedef struct timing {
    double least, median; // seconds per sweep
} timing;

// All of a sweep's memory: values, columns, and what belongs to a contact (q, r twice, mu, row and diagonal).
static double sweep_bytes(const bench *bench)
{
    return 76.0 * (double)bench->blocks + (3 * 8 + 2 * 3 * 8 + 8 + 8 + 8) * (double)bench->problem->contact_count;
}

typedef struct triad_arrays {
    double *a, *b, *c;
} triad_arrays;

static void triad_range(void *data, int64_t begin, int64_t end)
{
    const triad_arrays *x = data;
    for (int64_t k = begin; k < end; ++k)
        x->a[k] = x->b[k] + 3 * x->c[k];
}

// Bytes per second, the best of several passes; writing counts twice, for the line is read first.
static double measure_triad(const fil_context *context)
{
    triad_arrays x = {.a = bench_allocate(TRIAD_SIZE, sizeof(double)),
                      .b = bench_allocate(TRIAD_SIZE, sizeof(double)),
                      .c = bench_allocate(TRIAD_SIZE, sizeof(double))};
    for (int k = 0; k < TRIAD_SIZE; ++k)
        x.a[k] = x.b[k] = x.c[k] = k;
    double least = INFINITY;
    for (int pass = 0; pass < 8; ++pass) {
        double start = fil_timer_seconds();
        fil_parallel_for(context, TRIAD_SIZE, 1 << 16, triad_range, &x);
        double seconds = fil_timer_seconds() - start;
        least = seconds < least ? seconds : least;
    }
    free(x.a);
    free(x.b);
    free(x.c);
    return 4.0 * 8 * TRIAD_SIZE / least;
}

// The sweeps of a cold start, one by one.
static void time_sweeps(const bench *bench, fil_sweep *sweep, double seconds[SWEEPS])
{
    memset(bench->r, 0, 3 * (size_t)bench->problem->contact_count * sizeof *bench->r);
    for (int k = 0; k < SWEEPS; ++k) {
        double start = fil_timer_seconds();
        fil_sweep_run(sweep, bench->r);
        seconds[k] = fil_timer_seconds() - start;
    }
}

// Minimum and median over the repeats of each sweep, averaged over the sweeps.
static timing summarise(double seconds[][SWEEPS], int count)
{
    timing result = {0};
    for (int k = 0; k < SWEEPS; ++k) {
        double same[MOST_REPEATS];
        for (int repeat = 0; repeat < count; ++repeat)
            same[repeat] = seconds[repeat][k];
        result.median += bench_median(same, count) / SWEEPS;
        result.least += same[0] / SWEEPS;
    }
    return result;
}

static void print_line(const bench *bench, const char *what, timing t, double base, const fil_local_counts *counts)
{
    double per_block = 1e9 / (double)bench->blocks, rate = sweep_bytes(bench) / t.least;
    printf("  %-28s %7.2f %7.2f %8.2f %8.1f %6.0f %%", what, t.least * per_block, t.median * per_block, t.least / base,
           1e-9 * rate, 100 * rate / bench->triad);
    if (counts && counts->calls > 0)
        printf("   fail-safe %.2g %%, failures %.2g %%", 100.0 * (double)counts->failsafe / (double)counts->calls,
               100.0 * (double)counts->failures / (double)counts->calls);
    printf("\n");
}

// One local solver in one order, alternating with the sweep without local solves. True when the bars are met.
static bool measure(const bench *bench, const char *local, bool coloured)
{
    fil_arena *arena = fil_arena_create(bench->context);
    fil_contact_task task = {.context = bench->context, .problem = bench->problem, .scratch = arena};
    fil_sweep full, bare;
    fil_status status = arena ? fil_local_parse(bench->context, arena, local, 1e-10, &task.local) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = fil_sweep_make(&task, coloured, &full);
    bench_need(bench->context, status);
    bare = full;
    bare.copy_only = true;
    static double full_seconds[MOST_REPEATS][SWEEPS], bare_seconds[MOST_REPEATS][SWEEPS];
    for (int k = 0; k < bench->repeats; ++k) {
        time_sweeps(bench, &bare, bare_seconds[k]);
        time_sweeps(bench, &full, full_seconds[k]);
    }
    timing with = summarise(full_seconds, bench->repeats), without = summarise(bare_seconds, bench->repeats);
    char name[64];
    snprintf(name, sizeof name, "%s, %s", local, coloured ? "coloured" : "natural");
    print_line(bench, "no local solves", without, without.least, NULL);
    print_line(bench, name, with, without.least, &full.counts);
    fil_arena_destroy(arena);
    return with.least * 1e9 / (double)bench->blocks <= nanoseconds_allowed &&
           with.least <= ratio_allowed * without.least;
}

static void print_head(bench *bench, int threads)
{
    fil_context_set_threads(bench->context, threads);
    bench->triad = measure_triad(bench->context);
    printf("\n%d thread%s; triad %.1f GB/s\n", threads, threads > 1 ? "s" : "", 1e-9 * bench->triad);
    printf("  %-28s %7s %7s %8s %8s %8s\n", "ns per block and sweep", "min", "median", "ratio", "GB/s", "of triad");
}

static bench make_bench(int rods, int repeats)
{
    bench result = {.context = bench_context(1), .repeats = repeats};
    fil_contact_family family = fil_contact_family_default();
    family.rods = rods;
    family.contacts_per_rod = 25;
    family.seed = 1;
    bench_need(result.context, fil_contact_family_generate(result.context, &family, &result.problem));
    bench_need(result.context, fil_contact_problem_form_dual(result.context, result.problem));
    int n = result.problem->contact_count;
    result.blocks = result.problem->W.start[n];
    result.r = bench_allocate(3 * (size_t)n, sizeof *result.r);
    printf("%d rods, %d contacts, %lld blocks (%.1f per row, %.0f MB)\n", rods, n, (long long)result.blocks,
           (double)result.blocks / n, 76e-6 * (double)result.blocks);
    return result;
}

int main(int argc, char **argv)
{
    int rods = 2000, repeats = 5;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--rods") == 0 && i + 1 < argc)
            rods = atoi(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && i + 1 < argc)
            repeats = atoi(argv[++i]);
        else
            repeats = 0;
    }
    if (rods < 2 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: contact_sweep [--rods 2000] [--repeats 5]\n");
        return 2;
    }
    bench bench = make_bench(rods, repeats);
    print_head(&bench, 1);
    bool paper_met = measure(&bench, "mfb+enum", false);
    bool met = measure(&bench, "root+enum", false);
    measure(&bench, "root+enum", true);
    print_head(&bench, 2);
    measure(&bench, "mfb+enum", true);
    measure(&bench, "root+enum", true);
    printf("\nbars (1 thread, natural order, minimum): at most %g ns per block and %g × no local solves\n"
           "  root+enum (default) %s, mfb+enum %s\n",
           nanoseconds_allowed, ratio_allowed, met ? "met" : "MISSED", paper_met ? "met" : "MISSED");
    free(bench.r);
    fil_contact_problem_destroy(bench.problem);
    fil_context_destroy(bench.context);
    return met ? 0 : 1;
}
