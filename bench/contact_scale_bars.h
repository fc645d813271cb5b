// For contact_scale: what has to hold at the scale of hair. Every bar is a ratio of two measurements of the same run, a
// limit of memory, or a count; times alone mean little on a machine that does other things, too.
#ifndef FIL_BENCH_CONTACT_SCALE_BARS_H
#define FIL_BENCH_CONTACT_SCALE_BARS_H

#include "contact_scale_solve.h"

#include "base/rng.h"

enum { SCALE_BARS = 6, SCALE_LARGEST = 150000 /* strands */, SCALE_SIDES = 25, SCALE_BUNDLES = 100 };
static const double scale_contacts_per_strand = 12.92; // 25 sides; 6.5 % of the contacts are with the body: one side

// A problem of about so many contacts.
static inline fil_contact_hair scale_hair(double contacts, fil_contact_hair_shape shape)
{
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = (int)fmax(1, round(contacts / scale_contacts_per_strand));
    hair.vertices = 40;
    hair.contacts_per_strand = SCALE_SIDES;
    hair.shape = shape;
    return hair;
}

// The end of a line that tells what was measured.
static inline bool scale_verdict(bool met)
{
    printf("  %s\n", met ? "met" : "MISSED");
    fflush(stdout);
    return met;
}

static inline scale_answer scale_measure(const scale_job *job)
{
    scale_tell("%d strands, %s, %g ms, to %g, %s, %s, threads %d", job->hair.strands,
               fil_contact_hair_shape_name(job->hair.shape), 1e3 * job->hair.step, job->tolerance,
               job->from ? "warm" : "cold", job->method.name, job->threads);
    scale_answer answer = scale_run(job);
    scale_wipe();
    return answer;
}

// Seconds per contact and iteration, from solves that end after `less` and after `more` of them: what comes before and
// behind them is the same. NaN when a solve failed.
static inline double scale_unit(const scale_job *job, int less, int more)
{
    scale_job shorter = *job, longer = *job;
    shorter.max_iterations = less;
    longer.max_iterations = more;
    scale_answer a = scale_measure(&shorter), b = scale_measure(&longer);
    return (b.solve - a.solve) / ((double)b.contacts * (double)(b.iterations - a.iterations));
}

// 1. To 1e-6, cold: five times faster than plain Gauss-Seidel.
static inline bool scale_bar_accurate(int threads, double limit)
{
    static const double sizes[] = {1e4, 5e4}, steps[] = {2e-3, 4e-3}, most = 0.2;
    static const fil_contact_hair_shape shapes[] = {FIL_HAIR_WAVY, FIL_HAIR_STRAIGHT};
    bool met = true;
    printf("1. auto / plain Gauss-Seidel to 1e-6, cold, %d threads: at most %g\n", threads, most);
    for (int k = 0; k < 8; ++k) {
        scale_job job = {.hair = scale_hair(sizes[k / 4], shapes[k / 2 % 2]),
                         .method = scale_auto,
                         .tolerance = 1e-6,
                         .limit = limit,
                         .threads = threads};
        job.hair.step = steps[k % 2];
        scale_answer ours = scale_measure(&job);
        job.method = scale_plain;
        scale_answer theirs = scale_measure(&job);
        double ratio = scale_seconds(&ours) / scale_seconds(&theirs);
        // A yardstick that did not arrive would have taken longer: the ratio is smaller than this one.
        const char *sign = !scale_solved(&ours) ? "no ratio, " : scale_solved(&theirs) ? "" : "< ";
        printf("   %d contacts, %-8s %g ms: auto %s %.3g s, plain %s %.3g s (%.1e): %s%.3f", ours.contacts,
               fil_contact_hair_shape_name(job.hair.shape), 1e3 * job.hair.step, ours.outcome, scale_seconds(&ours),
               theirs.outcome, scale_seconds(&theirs), theirs.residual, sign, ratio);
        met = scale_verdict(scale_solved(&ours) && ratio <= most) && met;
    }
    return met;
}

// 2. A warm step to 1e-4, everything included, for the price of twelve sweeps. A simulation solves step after step in
// one context, which keeps memory for the next: the fourth solve counts.
static inline bool scale_bar_step(int threads, double limit)
{
    static const fil_contact_hair_shape shapes[] = {FIL_HAIR_WAVY, FIL_HAIR_STRAIGHT};
    enum { REPEATS = 5 };
    const double most = 12;
    bool met = true;
    printf("2. auto to 1e-4, warm, 2 ms, median of %d / one plain sweep, %d threads: at most %g\n", REPEATS, threads,
           most);
    for (int k = 0; k < 2; ++k) {
        scale_job job = {.hair = scale_hair(0, shapes[k]),
                         .method = scale_auto,
                         .tolerance = 1e-4,
                         .limit = limit,
                         .threads = threads};
        job.hair.strands = 2000;
        scale_job warm = scale_warm(&job), sweep = warm;
        warm.before = 3;
        sweep.method = scale_plain;
        sweep.tolerance = 1e-12; // never reached: the sweeps are counted
        double ours[REPEATS], theirs[REPEATS];
        bool solved = true;
        int contacts = warm.from->contacts;
        for (int n = 0; n < REPEATS; ++n) {
            scale_answer answer = scale_measure(&warm);
            ours[n] = scale_seconds(&answer);
            theirs[n] = contacts * scale_unit(&sweep, 10, 20);
            solved = solved && scale_solved(&answer) && theirs[n] > 0;
        }
        double time = bench_median(ours, REPEATS), unit = bench_median(theirs, REPEATS);
        printf("   %d contacts, %-8s auto %s %.3g s, a sweep %.3g s: %.2f", contacts,
               fil_contact_hair_shape_name(shapes[k]), solved ? "solved" : "not solved", time, unit, time / unit);
        met = scale_verdict(solved && time / unit <= most) && met;
        scale_forget(&warm);
    }
    return met;
}

// 3. An iteration of apg costs nearly the same for each contact, however many there are.
static inline bool scale_bar_linear(int threads, double limit)
{
    enum { REPEATS = 3 };
    const double most = 2.5;
    scale_job few = {.hair = scale_hair(5e4, FIL_HAIR_WAVY),
                     .method = {"apg", "apg", NULL},
                     .tolerance = 1e-4, // apg then stays in floats
                     .limit = limit,
                     .threads = threads};
    scale_job many = few;
    many.hair.strands = SCALE_LARGEST;
    double small[REPEATS], large[REPEATS];
    bool measured = true;
    for (int n = 0; n < REPEATS; ++n) {
        small[n] = 1e9 * scale_unit(&few, 20, 60);
        large[n] = 1e9 * scale_unit(&many, 20, 60);
        measured = measured && small[n] > 0 && large[n] > 0;
    }
    // The fastest of each: what else the machine does can only add, and should neither miss nor meet the bar.
    qsort(small, REPEATS, sizeof *small, bench_compare);
    qsort(large, REPEATS, sizeof *large, bench_compare);
    double low = small[0], high = large[0];
    printf("3. apg in floats, ns per contact and iteration, %d threads, %d and %d strands: at most %g times as much\n",
           threads, few.hair.strands, many.hair.strands, most);
    printf("   %.1f and %.1f: %.2f", low, high, high / low);
    return scale_verdict(measured && high / low <= most);
}

// 4. 150,000 strands within 8 GiB.
static inline bool scale_bar_large(int threads, double limit)
{
    const double most = 8.0 * 1024 * 1024 * 1024;
    bool met = true;
    printf("4. auto on %d strands, wavy, 2 ms, %d threads: solved with at most 8 GiB\n", SCALE_LARGEST, threads);
    for (int k = 0; k < 3; ++k) {
        scale_job job = {.hair = scale_hair(0, FIL_HAIR_WAVY),
                         .method = scale_auto,
                         .tolerance = k < 2 ? 1e-4 : 1e-6,
                         .limit = fmax(limit, 3600),
                         .threads = threads};
        job.hair.strands = SCALE_LARGEST;
        bool warm = k == 1;
        if (warm)
            job = scale_warm(&job);
        scale_answer answer = scale_measure(&job);
        printf("   %d contacts, %s to %g: %s after %lld iterations (%.1e), setup %.1f s, solve %.1f s, %.2f GiB",
               answer.contacts, warm ? "warm" : "cold", job.tolerance, answer.outcome, (long long)answer.iterations,
               answer.residual, answer.setup, answer.solve, 8 * answer.peak / most);
        met = scale_verdict(scale_solved(&answer) && answer.peak <= most) && met;
        if (warm)
            scale_forget(&job);
    }
    return met;
}

// 5. Two threads are worth it.
static inline bool scale_bar_threads(int threads, double limit)
{
    enum { REPEATS = 3 };
    const double tolerances[] = {1e-4, 1e-6}, least = 1.6;
    bool met = true;
    printf("5. auto, 50000 contacts, wavy, 2 ms, cold, median of %d, 1 thread / %d threads: at least %g\n", REPEATS,
           threads, least);
    for (int t = 0; t < 2; ++t) {
        double seconds[2][REPEATS];
        bool solved = true;
        for (int n = 0; n < REPEATS; ++n)
            for (int k = 0; k < 2; ++k) {
                scale_job job = {.hair = scale_hair(5e4, FIL_HAIR_WAVY),
                                 .method = scale_auto,
                                 .tolerance = tolerances[t],
                                 .limit = limit,
                                 .threads = k == 0 ? 1 : threads};
                scale_answer answer = scale_measure(&job);
                seconds[k][n] = scale_seconds(&answer);
                solved = solved && scale_solved(&answer);
            }
        double one = bench_median(seconds[0], REPEATS), more = bench_median(seconds[1], REPEATS);
        printf("   to %g: %s, %.3g s / %.3g s: %.2f", tolerances[t], solved ? "solved" : "not solved", one, more,
               one / more);
        met = scale_verdict(solved && one / more >= least) && met;
    }
    return met;
}

// 6. Bundles with any friction: a solution or an honest word. Rest obeys all limits, so each has a solution.
static inline bool scale_bar_honest(int threads, double limit)
{
    static const char *const names[] = {"solved", "stalled", "limit"};
    int counts[3] = {0}, honest = 0;
    for (int seed = 1; seed <= SCALE_BUNDLES; ++seed) {
        fil_rng rng = fil_rng_make((uint64_t)seed);
        bool parallel = seed % 2 == 0;
        scale_job job = {.hair = scale_hair(0, parallel ? FIL_HAIR_PARALLEL : FIL_HAIR_STRAIGHT),
                         .method = scale_auto,
                         .tolerance = 1e-6,
                         .limit = limit,
                         .threads = threads};
        job.hair.strands = 390;
        job.hair.contacts_per_strand = parallel ? 40 : SCALE_SIDES;
        job.hair.mu = fil_rng_uniform(&rng, 0.1, 1);
        job.hair.seed = (uint64_t)seed;
        scale_answer answer = scale_measure(&job);
        for (int k = 0; k < 3; ++k)
            if (strcmp(answer.outcome, names[k]) == 0) {
                ++counts[k];
                ++honest;
            }
        if (!scale_solved(&answer))
            printf("   seed %d, %s, mu %.2f, %d contacts: %s by %s, %.1e after %.1f s\n", seed,
                   fil_contact_hair_shape_name(job.hair.shape), job.hair.mu, answer.contacts, answer.outcome,
                   answer.finished_by, answer.residual, scale_seconds(&answer));
    }
    printf("6. auto on %d bundles of 390 strands to 1e-6: %d solved, %d stalled, %d out of time, %d wrong (at most 0)",
           SCALE_BUNDLES, counts[0], counts[1], counts[2], SCALE_BUNDLES - honest);
    return scale_verdict(honest == SCALE_BUNDLES);
}

static inline bool scale_bar(int number, int threads, double limit)
{
    static bool (*const bars[SCALE_BARS])(int threads, double limit) = {
        scale_bar_accurate, scale_bar_step, scale_bar_linear, scale_bar_large, scale_bar_threads, scale_bar_honest,
    };
    return bars[number - 1](threads, limit);
}

#endif
