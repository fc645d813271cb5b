// Whole steps of strands in motion: Newton against quasi-Newton, and cost and memory against the number of strands.
//
//     strand_step [--scale]
//
// Curly hair of 40 vertices on a root that shakes sideways (2 cm, 2 Hz), steps of 1 ms, converged to a change of 1e-6
// m/s; after 100 steps the next ones are measured. Bars: 1000 strands, 2 threads, the faster method at most 40 ms per
// step; with --scale: 10 to 100,000 strands of 32 vertices, one thread, cost per strand within 20 % of each other, at
// most 4 kB per vertex. Exit 1 when a bar is missed or a step does not converge.
#include "strand_groom.h"

static const double step = 1e-3, step_bar_ms = 40, linear_bar = 1.2, memory_bar = 4096;

typedef struct bench_allocation {
    size_t bytes;
} bench_allocation;

static void *count_allocate(void *user, size_t size)
{
    ((bench_allocation *)user)->bytes += size;
    return malloc(size);
}

static void count_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static fil_context *counting_context(int threads, bench_allocation *allocation)
{
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    def.allocate = count_allocate;
    def.release = count_release;
    def.user = allocation;
    return fil_context_create(&def);
}

static void shake(fil_context *context, fil_state *state)
{
    fil_pose pose = fil_pose_default();
    pose.position[0] = 0.02 * sin(2 * 6.283185307 * fil_state_time(state));
    bench_need(context, fil_state_pose(context, state, 0, FIL_HOLD_ROOT, -1, &pose));
}

typedef struct run {
    double seconds; // median of a step
    double iterations, factorisations;
    int unconverged;
    double bytes;
} run;

static run measure(int threads, const bench_groom *made, const char *model_name, fil_method method, int warm, int steps)
{
    enum { MOST = 1000 };
    bench_allocation allocation = {0};
    fil_context *context = counting_context(threads, &allocation);
    fil_model *model;
    fil_state *state;
    fil_motion motion = fil_motion_default();
    motion.method = method;
    bench_groom_state(context, made, model_name, &motion, &model, &state);
    run result = {.bytes = (double)allocation.bytes};
    double seconds[MOST];
    for (int i = 0; i < warm + steps; ++i) {
        fil_step_stats stats;
        shake(context, state);
        double start = fil_timer_seconds();
        bench_need(context, fil_step(context, state, step, &stats));
        if (i < warm)
            continue;
        seconds[i - warm] = fil_timer_seconds() - start;
        result.iterations += (double)stats.iterations / stats.strands / steps;
        result.factorisations += (double)stats.factorisations / stats.strands / steps;
        result.unconverged += stats.unconverged + stats.failed;
    }
    result.seconds = bench_median(seconds, steps);
    fil_state_destroy(state);
    fil_model_destroy(model);
    fil_context_destroy(context);
    return result;
}

static bool compare_methods(const char *model_name)
{
    bench_groom made = bench_groom_make(1000, 40);
    double best = 1e30;
    int unconverged = 0;
    printf("%s, 1000 strands × 40 vertices, steps of 1 ms, change below 1e-6 m/s\n", model_name);
    printf("%-14s %8s %10s %11s %14s %12s\n", "method", "threads", "ms/step", "iterations", "factorisations",
           "unconverged");
    for (int threads = 1; threads <= 2; ++threads)
        for (int method = FIL_METHOD_NEWTON; method <= FIL_METHOD_QUASI; ++method) {
            run r = measure(threads, &made, model_name, (fil_method)method, 100, 50);
            printf("%-14s %8d %10.2f %11.2f %14.2f %12d\n", method == FIL_METHOD_NEWTON ? "newton" : "quasi", threads,
                   1e3 * r.seconds, r.iterations, r.factorisations, r.unconverged);
            unconverged += r.unconverged;
            if (threads == 2 && r.seconds < best)
                best = r.seconds;
        }
    bench_groom_free(&made);
    bool met = 1e3 * best <= step_bar_ms && unconverged == 0;
    printf("bar: at most %.0f ms on 2 threads, all converged: %s\n", step_bar_ms, met ? "met" : "MISSED");
    return met;
}

static bool scale(const char *model_name)
{
    double least = 1e30, most = 0, bytes = 0;
    printf("\n%s, strands of 32 vertices, one thread, newton\n%10s %16s %16s\n", model_name, "strands",
           "µs/strand/step", "bytes/vertex");
    for (int strands = 10; strands <= 100000; strands *= 10) {
        bench_groom made = bench_groom_make(strands, 32);
        // The same piece of motion for all: the first steps cost more.
        run r = measure(1, &made, model_name, FIL_METHOD_NEWTON, 5, 15);
        for (int again = 0; again < (strands >= 10000 ? 1 : 8); ++again) {
            run next = measure(1, &made, model_name, FIL_METHOD_NEWTON, 5, 15);
            r.seconds = next.seconds < r.seconds ? next.seconds : r.seconds;
        }
        double cost = 1e6 * r.seconds / strands;
        bytes = r.bytes / strands / 32;
        printf("%10d %16.2f %16.0f\n", strands, cost, bytes);
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
        bench_groom_free(&made);
    }
    bool met = most <= linear_bar * least && bytes <= memory_bar;
    printf("bar: linear within 20 %% (largest over least %.2f), at most %.0f bytes per vertex: %s\n", most / least,
           memory_bar, met ? "met" : "MISSED");
    return met;
}

int main(int argc, char **argv)
{
    bool met = compare_methods("der");
    if (argc > 1 && strcmp(argv[1], "--scale") == 0)
        met = scale("der") && met;
    return met ? 0 : 1;
}
