// Factor and solve the bands of many strands: fil_band, four strands side by side, against LAPACK's dpbsv, one by one.
//
//     band_lapack [--strands 1000] [--repeats 21]
//
// 40 vertices with 4 unknowns each, half-bandwidth 10, positive definite, one right-hand side, one thread. Both get the
// same numbers, each in its own layout, prepared outside the clock; runs alternate, medians count; answers are
// compared. The peer is whichever LAPACK the linker finds, with the half that it solves faster, the lower one.
//
// Exit 1 when a bar is missed: fil_band at least 3 × faster, answers equal to 1e-10.

// needs: lapack

#include "bench.h"

#include "base/rng.h"
#include "numeric/band.h"

#include <math.h>

enum { VERTICES = 40, N = 4 * VERTICES, BANDWIDTH = 10, WIDTH = BANDWIDTH + 1, LANES = 4, MOST_REPEATS = 1001 };
static const double ratio_allowed = 3, difference_allowed = 1e-10;

// Solves A x = b for a positive definite band; Fortran, so that all is by reference and a text has a hidden length.
void dpbsv_(const char *half, const int *n, const int *bandwidth, const int *columns, double *A, const int *stride,
            double *b, const int *b_stride, int *info, size_t half_length);

// Matrices and right-hand sides in one layout: as given, and the place where they are worked on.
typedef struct layout {
    size_t matrix_size, vector_size;
    double *matrix, *vector, *work, *x;
} layout;

static layout make_layout(int strands)
{
    size_t n = (size_t)strands;
    layout a = {.matrix_size = n * N * WIDTH * sizeof(double), .vector_size = n * N * sizeof(double)};
    a.matrix = bench_allocate(1, a.matrix_size);
    a.work = bench_allocate(1, a.matrix_size);
    a.vector = bench_allocate(1, a.vector_size);
    a.x = bench_allocate(1, a.vector_size);
    return a;
}

static void free_layout(layout *a)
{
    free(a->matrix);
    free(a->vector);
    free(a->work);
    free(a->x);
}

// LAPACK's lower band is one lane of ours: entry k of column j of a strand at WIDTH j + k.
static void fill(int strands, layout *packs, layout *single)
{
    fil_rng rng = fil_rng_make(1);
    for (size_t s = 0; s < (size_t)strands; ++s)
        for (size_t j = 0; j < N; ++j) {
            size_t pack = s / LANES, lane = s % LANES;
            for (size_t k = 0; k < WIDTH; ++k) {
                double value = k == 0 ? WIDTH : fil_rng_uniform(&rng, -0.5, 0.5);
                single->matrix[(s * N + j) * WIDTH + k] = value;
                packs->matrix[((pack * N + j) * WIDTH + k) * LANES + lane] = value;
            }
            double value = fil_rng_uniform(&rng, -1, 1);
            single->vector[s * N + j] = value;
            packs->vector[(pack * N + j) * LANES + lane] = value;
        }
}

static void restore(layout *a)
{
    memcpy(a->work, a->matrix, a->matrix_size);
    memcpy(a->x, a->vector, a->vector_size);
}

// Seconds for all strands; factor's share goes to *factor.
static double run_packs(int strands, layout *a, double *factor)
{
    double begin = fil_timer_seconds(), factored = 0;
    for (int pack = 0; pack < strands / LANES; ++pack) {
        double *A = a->work + (size_t)pack * N * WIDTH * LANES, start = fil_timer_seconds();
        int negative[LANES];
        fil_band_factor(N, BANDWIDTH, 1e-12, A, negative);
        factored += fil_timer_seconds() - start;
        fil_band_solve(N, BANDWIDTH, A, a->x + (size_t)pack * N * LANES);
    }
    *factor = factored;
    return fil_timer_seconds() - begin;
}

static double run_lapack(int strands, layout *a)
{
    const int n = N, bandwidth = BANDWIDTH, one = 1, stride = WIDTH;
    double begin = fil_timer_seconds();
    for (int s = 0; s < strands; ++s) {
        int info;
        dpbsv_("L", &n, &bandwidth, &one, a->work + (size_t)s * N * WIDTH, &stride, a->x + (size_t)s * N, &n, &info, 1);
        if (info != 0) {
            fprintf(stderr, "dpbsv: info %d\n", info);
            exit(3);
        }
    }
    return fil_timer_seconds() - begin;
}

// Relative to the largest number of all.
static double difference(int strands, const layout *packs, const layout *single)
{
    double worst = 0, size = 0;
    for (size_t s = 0; s < (size_t)strands; ++s)
        for (size_t j = 0; j < N; ++j) {
            double a = packs->x[(s / LANES * N + j) * LANES + s % LANES], b = single->x[s * N + j];
            size = fabs(b) > size ? fabs(b) : size;
            worst = !(fabs(a - b) <= worst) ? fabs(a - b) : worst;
        }
    return worst / size;
}

int main(int argc, char **argv)
{
    int strands = 1000, repeats = 21;
    bench_options(argc, argv, &strands, &repeats);
    if (strands < LANES || strands % LANES != 0 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: band_lapack [--strands 1000, a multiple of 4] [--repeats 21]\n");
        return 2;
    }
    layout packs = make_layout(strands), single = make_layout(strands);
    fill(strands, &packs, &single);
    static double ours[MOST_REPEATS], factor[MOST_REPEATS], theirs[MOST_REPEATS];
    for (int k = 0; k < repeats; ++k) {
        restore(&packs);
        ours[k] = run_packs(strands, &packs, &factor[k]);
        restore(&single);
        theirs[k] = run_lapack(strands, &single);
    }
    double scale = 1e6 / strands, band = scale * bench_median(ours, repeats);
    double lapack = scale * bench_median(theirs, repeats), ratio = lapack / band;
    double error = difference(strands, &packs, &single);
    bool met = ratio >= ratio_allowed && error <= difference_allowed;
    printf("%d strands, %d unknowns, half-bandwidth %d; µs per strand, median of %d (least)\n", strands, N, BANDWIDTH,
           repeats);
    printf("  fil_band      %7.3f (%.3f), of that factor %.3f\n", band, scale * ours[0],
           scale * bench_median(factor, repeats));
    printf("  LAPACK dpbsv  %7.3f (%.3f)\n", lapack, scale * theirs[0]);
    printf("  ratio         %7.2f; answers differ by %.1e\n", ratio, error);
    printf("bar: at least %g × faster, answers equal to %g: %s\n", ratio_allowed, difference_allowed,
           met ? "met" : "MISSED");
    free_layout(&packs);
    free_layout(&single);
    return met ? 0 : 1;
}
