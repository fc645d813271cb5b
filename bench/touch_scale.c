// How detection and one solver sweep grow with the number of contacts.
//
//     touch_scale [--contacts 1024000] [--calls 5] [--out FOLDER]
//
// Detection: a cube full of strands of 20 edges of 5 mm that go their own ways, about 3.3 contacts each at any size:
// the cube grows with them. Measured are fil_touch_strands_pairs and fil_touch_strands_find as a step calls them, in
// memory that was used before. Strands are numbered along the cube, as grooms number them along the skin, or at
// random: then what is near in space is far in memory.
// Sweep: one Gauss-Seidel sweep over a problem of wavy hair (contact_scale.c) with W at hand, no freezing.
//
// Sizes are 1000 contacts, then four times as many, up to --contacts. One thread, CPU time; a row is the median of at
// least --calls calls. Exponents are those of time = c contacts^p: of a row against the row before, and of all rows by
// least squares. The smallest sizes fit into the caches, which makes p larger than what the largest sizes show.
// FOLDER/touch_scale.svg shows ns per contact.
//
// Bar: p at most 1.1 for each. Exit 1 when it is missed.
#define _DEFAULT_SOURCE // wait4, MAP_ANONYMOUS
#include "contact_scale_bars.h"
#include "strand_touch.h"

#include "base/file.h"
#include "base/rng.h"
#include "collide/touch_strands.h"
#include "contact/contact_sweep.h"
#include "math/mat3.h"
#include "render/plot.h"

#include <time.h>

enum { EDGES = 20, MOST_ROWS = 16, MOST_CALLS = 99 };
static const double exponent_allowed = 1.1;
static const double edge = 0.005, radius = 5e-5, margin = 2.5e-4; // m; the margin of a step of 1 ms
static const double strands_per_volume = 1e6, contacts_per_strand = 3.3;

// One line of the plot.
typedef struct curve {
    const char *name;
    int count;
    double contacts[MOST_ROWS], seconds[MOST_ROWS], nanoseconds[MOST_ROWS];
} curve;

typedef struct bench {
    fil_context *context;
    double most; // contacts
    int calls;
    const char *out;
} bench;

// ---- strands in a cube

// A random walk from the root that turns by about 0.2 rad at a vertex, and back where the next edge would leave the
// cube. All of it moves one way, each vertex a little its own.
static void grow(bench_strands *made, int strand, const double root[3], double size, fil_rng *rng)
{
    double x[3], along[3], way[3];
    memcpy(x, root, sizeof x);
    for (int k = 0; k < 3; ++k) {
        along[k] = fil_rng_normal(rng);
        way[k] = 1e-4 * fil_rng_normal(rng);
    }
    for (int i = 0; i <= EDGES; ++i) {
        int64_t v = (int64_t)strand * (EDGES + 1) + i;
        double *x0 = made->x0 + 3 * v, *x1 = made->x1 + 3 * v;
        fil_vec3_normalise(along);
        for (int k = 0; k < 3; ++k) {
            x0[k] = x[k];
            x1[k] = x[k] + way[k] + 2e-5 * fil_rng_normal(rng);
            if (fabs(x[k] + edge * along[k] - 0.5 * size) > 0.5 * size)
                along[k] = -along[k];
            x[k] += edge * along[k];
            along[k] += 0.12 * fil_rng_normal(rng);
        }
        made->arc[v] = edge * i;
    }
}

static void shuffle(int *values, int count, fil_rng *rng)
{
    for (int i = count - 1; i > 0; --i) {
        int j = fil_rng_below(rng, i + 1), kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}

// One strand begins in each of side³ cells of the cube.
static bench_strands make_strands(int side, bool at_random)
{
    int strands = side * side * side, *cell = bench_allocate((size_t)strands, sizeof *cell);
    bench_strands made = bench_strands_make(strands, EDGES + 1, radius);
    double size = cbrt(strands / strands_per_volume);
    fil_rng rng = fil_rng_make(1);
    for (int s = 0; s < strands; ++s)
        cell[s] = s;
    if (at_random)
        shuffle(cell, strands, &rng);
    for (int s = 0; s < strands; ++s) {
        double root[3] = {cell[s] / (side * side), cell[s] / side % side, cell[s] % side};
        for (int k = 0; k < 3; ++k)
            root[k] = size * (root[k] + fil_rng_uniform(&rng, 0, 1)) / side;
        grow(&made, s, root, size, &rng);
    }
    free(cell);
    return made;
}

// ---- measuring

// Of this thread alone: other programs that want the same core do not count.
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// More where calls are short.
static int call_count(const bench *b, double contacts)
{
    return (int)fmin(MOST_CALLS, fmax(b->calls, 2e5 / contacts));
}

static void add_row(curve *curve, double contacts, double seconds)
{
    int n = curve->count++;
    curve->contacts[n] = contacts;
    curve->seconds[n] = seconds;
    curve->nanoseconds[n] = 1e9 * seconds / contacts;
    printf("%10.0f %11.3f %11.1f %11.2f", contacts, 1e3 * seconds, curve->nanoseconds[n],
           curve->nanoseconds[n] / curve->nanoseconds[0]);
    if (n > 0)
        printf(" %11.3f", log(seconds / curve->seconds[n - 1]) / log(contacts / curve->contacts[n - 1]));
    printf("\n");
    fflush(stdout);
}

// Returns how many contacts there are.
static int detect(const bench *b, fil_arena *arena, const fil_touch_strands *strands)
{
    fil_arena_mark mark = fil_arena_mark_now(arena);
    fil_touch_pairs pairs;
    fil_touch_list list;
    bench_need(b->context, fil_touch_strands_pairs(b->context, arena, strands, NULL, margin, &pairs));
    bench_need(b->context, fil_touch_strands_find(b->context, arena, strands, &pairs, margin, &list));
    fil_arena_rewind(arena, mark);
    return list.count;
}

static void measure_detection(const bench *b, int side, bool at_random, curve *curve)
{
    bench_strands made = make_strands(side, at_random);
    fil_arena *arena = fil_arena_create(b->context);
    bench_need(b->context, arena ? FIL_OK : FIL_NO_MEMORY);
    double seconds[MOST_CALLS];
    int contacts = detect(b, arena, &made.all), calls = call_count(b, contacts);
    for (int i = 0; i < calls; ++i) {
        double start = cpu_seconds();
        detect(b, arena, &made.all);
        seconds[i] = cpu_seconds() - start;
    }
    add_row(curve, contacts, bench_median(seconds, calls));
    fil_arena_destroy(arena);
    bench_strands_free(&made);
}

static void measure_sweep(const bench *b, double size, curve *curve)
{
    const fil_contact_hair hair = scale_hair(size, FIL_HAIR_WAVY);
    fil_contact_problem *problem = NULL;
    bench_need(b->context, fil_contact_hair_generate(b->context, &hair, &problem));
    bench_need(b->context, fil_contact_problem_form_dual(b->context, problem));
    fil_arena *arena = fil_arena_create(b->context);
    fil_contact_task task = {.context = b->context, .problem = problem, .scratch = arena};
    fil_sweep sweep;
    fil_status status =
        arena ? fil_local_parse(b->context, arena, fil_contact_def_default().local, 1e-10, &task.local) : FIL_NO_MEMORY;
    if (status == FIL_OK)
        status = fil_sweep_make(&task, false, &sweep);
    bench_need(b->context, status);
    int calls = call_count(b, size);
    double seconds[MOST_CALLS], *r = bench_allocate(3 * (size_t)problem->contact_count, sizeof *r);
    fil_sweep_run(&sweep, r); // from zero: easier than the others
    for (int i = 0; i < calls; ++i) {
        double start = cpu_seconds();
        fil_sweep_run(&sweep, r);
        seconds[i] = cpu_seconds() - start;
    }
    add_row(curve, problem->contact_count, bench_median(seconds, calls));
    free(r);
    fil_arena_destroy(arena);
    fil_contact_problem_destroy(problem);
}

static void print_head(const char *what)
{
    printf("%s\n%10s %11s %11s %11s %11s\n", what, "contacts", "ms", "ns/contact", "to smallest", "exponent");
}

// The slope of a line through the logarithms, by least squares. True when the bar is met.
static bool judge(const curve *curve)
{
    double n = curve->count, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < curve->count; ++i) {
        double u = log(curve->contacts[i]), v = log(curve->seconds[i]);
        x += u, y += v, xx += u * u, xy += u * v;
    }
    double exponent = (n * xy - x * y) / (n * xx - x * x);
    bool met = exponent <= exponent_allowed;
    printf("exponent of all rows %.3f, bar: at most %g: %s\n\n", exponent, exponent_allowed, met ? "met" : "MISSED");
    return met;
}

static void write_svg(const bench *b, const curve *curves, int count)
{
    char path[FIL_PATH_MAX];
    fil_plot_series series[3];
    for (int i = 0; i < count; ++i)
        series[i] = (fil_plot_series){.name = curves[i].name,
                                      .x = curves[i].contacts,
                                      .y = curves[i].nanoseconds,
                                      .count = curves[i].count,
                                      .form = FIL_PLOT_LINE};
    fil_plot_panel panel = {.title = "ns per contact",
                            .x = {.label = "contacts", .log = true, .min = 800, .max = 1.25 * b->most},
                            .y = {.label = "ns per contact", .log = true},
                            .series = series};
    fil_plot plot = {.title = "Detection and one sweep against contacts",
                     .subtitle = "one thread; level is linear",
                     .width = 640,
                     .height = 420,
                     .panels = &panel,
                     .panel_count = 1,
                     .series_count = count};
    snprintf(path, sizeof path, "%s/touch_scale.svg", b->out);
    bench_need(b->context, fil_plot_write(b->context, &plot, path));
}

static bool measure_all(const bench *b)
{
    curve curves[3] = {
        {.name = "detection, strands in order"}, {.name = "detection, strands at random"}, {.name = "sweep"}};
    bool met = true;
    for (int c = 0; c < 3; ++c) {
        print_head(curves[c].name);
        for (double size = 1000; size < 1.01 * b->most && curves[c].count < MOST_ROWS; size *= 4) {
            if (c < 2)
                measure_detection(b, (int)round(cbrt(size / contacts_per_strand)), c == 1, &curves[c]);
            else
                measure_sweep(b, size, &curves[c]);
        }
        met = judge(&curves[c]) && met;
    }
    if (b->out)
        write_svg(b, curves, 3);
    return met;
}

int main(int argc, char **argv)
{
    bench b = {.most = 1.024e6, .calls = 5};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--contacts") == 0 && i + 1 < argc)
            b.most = atof(argv[++i]);
        else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
            b.calls = atoi(argv[++i]);
        else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            b.out = argv[++i];
        else
            b.calls = 0;
    }
    if (b.calls < 1 || b.calls > MOST_CALLS || !(b.most >= 4000 && b.most <= 1e8)) {
        fprintf(stderr, "usage: touch_scale [--contacts 1024000] [--calls 1..%d] [--out FOLDER]\n", MOST_CALLS);
        return 2;
    }
    b.context = bench_context(1);
    bool met = measure_all(&b);
    fil_context_destroy(b.context);
    return met ? 0 : 1;
}
