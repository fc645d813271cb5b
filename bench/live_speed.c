// Live strands: how near the distance solve of `tridiag` is to the memory, how many steps a second a crowd takes, and
// how that grows.
//
//     live_speed [--threads N]
//
//   1. 100,000 strands of 64 vertices, one thread: bytes that the solve reads and writes a second (positions twice,
//      lengths, weights), over what the STREAM triad reaches in the same run. Bar: 0.6.
//   2. 100,000 strands of 6 vertices on a sphere that they touch, whole steps, 2 threads: two rounds of 8 sweeps over
//      bends and a distance solve. Bar: 60 steps a second.
//   3. The same with 1,000 to 400,000 strands: time per strand. Bar: within 15 % of each other.
#include "bench.h"

#include "base/rng.h"
#include "strand/live.h"

// clang-format off: each needs the one before
#include "strand/live_kernel.h"
#include "strand/strand_tridiag_kernel.h"
// clang-format on

enum { LANES = FIL_LIVE_LANES, REPEATS = 9 };

// ---- the distance solve against the memory

// a = b + s c, GB/s.
static double triad(double *a, const double *b, const double *c, size_t count)
{
    double start = fil_timer_seconds();
    for (size_t i = 0; i < count; i += 4)
        fil_v4_store(a + i, fil_v4_load(b + i) + 3.0 * fil_v4_load(c + i));
    return 24e-9 * (double)count / (fil_timer_seconds() - start);
}

typedef struct solve_job {
    int packs, n;
    float *p, *length, *weight, *work;
} solve_job;

static double solve_all(const solve_job *job)
{
    const mask every = all(1) > all(0);
    double start = fil_timer_seconds();
    for (int pack = 0; pack < job->packs; ++pack) {
        size_t row = (size_t)pack * (size_t)job->n * LANES;
        fil_live_pack P = {.n = job->n,
                           .x = job->p + 3 * row,
                           .p = job->p + 3 * row,
                           .length = job->length + row,
                           .weight = job->weight + row,
                           .work = job->work};
        tridiag_solve(&P, every);
    }
    return 32e-9 * (double)job->packs * job->n * LANES / (fil_timer_seconds() - start);
}

static int compare_with_memory(void)
{
    enum { STRANDS = 100000, N = 64 };
    solve_job job = {.packs = STRANDS / LANES, .n = N};
    size_t rows = (size_t)job.packs * N * LANES, count = 3 * rows / 2;
    job.p = bench_allocate(3 * rows, sizeof(float));
    job.length = bench_allocate(rows, sizeof(float));
    job.weight = bench_allocate(rows, sizeof(float));
    job.work = bench_allocate((size_t)5 * N * LANES, sizeof(float));
    fil_rng rng = fil_rng_make(1);
    for (size_t i = 0; i < rows; ++i) {
        size_t vertex = i / LANES % N;
        job.length[i] = vertex + 1 < N ? 1 : 0;
        job.weight[i] = vertex > 0;
        for (size_t k = 0; k < 3; ++k)
            job.p[(i / LANES * 3 + k) * LANES + i % LANES] =
                (float)((k == 0 ? (double)vertex : 0) + fil_rng_uniform(&rng, -0.1, 0.1));
    }
    double *a = bench_allocate(count, sizeof(double)), *b = bench_allocate(count, sizeof(double));
    double *c = bench_allocate(count, sizeof(double)), of_triad[REPEATS], of_solve[REPEATS];
    for (int i = 0; i < REPEATS; ++i) {
        of_triad[i] = triad(a, b, c, count);
        of_solve[i] = solve_all(&job);
    }
    double memory = bench_median(of_triad, REPEATS), solve = bench_median(of_solve, REPEATS);
    printf("1. distance solve, 100,000 x 64, one thread: %.1f GB/s, STREAM triad %.1f GB/s: %.2f (bar 0.6)\n", solve,
           memory, solve / memory);
    free(a), free(b), free(c), free(job.p), free(job.length), free(job.weight), free(job.work);
    return solve >= 0.6 * memory ? 0 : 1;
}

// ---- crowds

// Fur on a sphere of 10 cm: strands of 6 vertices and 3 cm.
typedef struct fur {
    fil_context *context;
    fil_model *model;
    fil_state *state;
} fur;

static fur fur_make(int strands, int threads)
{
    enum { N = 6 };
    fur out = {.context = bench_context(threads)};
    double *x = bench_allocate((size_t)strands * 3 * N, sizeof(double));
    int *n = bench_allocate((size_t)strands, sizeof(int));
    for (int s = 0; s < strands; ++s) {
        double height = 1 - 2 * (s + 0.5) / strands, around = 2.399963 * s, flat = sqrt(1 - height * height);
        const double out_of[3] = {flat * cos(around), height, flat * sin(around)};
        n[s] = N;
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < 3; ++k)
                x[3 * (N * s + i) + k] = (0.1 + 0.006 * i) * out_of[k];
    }
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle ball = fil_obstacle_default();
    ball.shape = FIL_OBSTACLE_SPHERE;
    ball.size[0] = 0.1;
    group.model = "tridiag:form=pbd,rounds=2,bends=8";
    group.groom = (fil_groom){.strand_count = strands, .vertex_count = n, .position = x};
    scene.groups = &group;
    scene.group_count = 1;
    scene.contacts = &contacts;
    scene.obstacles = &ball;
    scene.obstacle_count = 1;
    bench_need(out.context, fil_model_create(out.context, &scene, &out.model));
    bench_need(out.context, fil_state_create(out.context, out.model, &out.state));
    free(x), free(n);
    return out;
}

static void fur_free(fur *f)
{
    fil_state_destroy(f->state);
    fil_model_destroy(f->model);
    fil_context_destroy(f->context);
}

static void run(fur *f, int steps)
{
    for (int k = 0; k < steps; ++k)
        bench_need(f->context, fil_step(f->context, f->state, 1.0 / 60, NULL));
}

// Seconds of a step, the least of all turns, of crowds that take turns: what else the machine does counts little. Each
// begins with steps that do not count, for the one before has emptied the caches.
static void time_steps(const int *strands, int count, int threads, double *seconds)
{
    enum { MOST = 8, TURNS = 45 };
    fur crowds[MOST];
    for (int c = 0; c < count; ++c) {
        crowds[c] = fur_make(strands[c], threads);
        seconds[c] = 1e9;
    }
    for (int turn = 0; turn < TURNS; ++turn)
        for (int c = 0; c < count; ++c) {
            int steps = 1 + 200000 / strands[c];
            run(&crowds[c], 1 + steps / 4);
            double start = fil_timer_seconds();
            run(&crowds[c], steps);
            seconds[c] = fmin(seconds[c], (fil_timer_seconds() - start) / steps);
        }
    for (int c = 0; c < count; ++c)
        fur_free(&crowds[c]);
}

int main(int count, char **words)
{
    enum { SIZES = 6, HUNDRED_THOUSAND = 4 };
    static const int sizes[SIZES] = {1000, 4000, 16000, 64000, 100000, 400000};
    int threads = count > 2 && strcmp(words[1], "--threads") == 0 ? atoi(words[2]) : 2, missed = compare_with_memory();
    double seconds[SIZES], least = 1e9, most = 0;
    time_steps(sizes, SIZES, threads, seconds);
    double rate = 1 / seconds[HUNDRED_THOUSAND];
    printf("2. 100,000 x 6, whole step, %d threads: %.2f ms, %.0f steps a second (bar 60)\n", threads, 1e3 / rate,
           rate);
    missed |= rate < 60;
    printf("3. strands    ns per strand and step\n");
    for (int i = 0; i < SIZES; ++i) {
        double each = 1e9 * seconds[i] / sizes[i];
        printf("   %7d    %.1f\n", sizes[i], each);
        least = each < least ? each : least;
        most = each > most ? each : most;
    }
    printf("   from the least to the most: %.0f %% (bar 15)\n", 100 * (most / least - 1));
    return missed || most > 1.15 * least;
}
