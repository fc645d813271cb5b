// Four bands side by side: against a dense solve, signs of pivots, small pivots, independent lanes.
#include "numeric/band.h"

#include "base/rng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 4, MOST = 70, MOST_BAND = 14, SIZE = LANES * MOST * (MOST_BAND + 1) };

// 10 and 11 are compiled apart; 70 unknowns are more than the ring of the latest columns holds.
static const int bandwidths[] = {0, 1, 3, 10, 11, 14}, sizes[] = {1, 2, 3, 7, 10, 11, 12, 23, MOST};
enum { BANDWIDTHS = sizeof bandwidths / sizeof *bandwidths, SIZES = sizeof sizes / sizeof *sizes };

typedef double square[MOST][MOST];

static double *at(double *A, int bandwidth, int row, int column, int lane)
{
    return &A[((size_t)column * (bandwidth + 1) + (row - column)) * LANES + lane];
}

// Diagonally dominant, of any scale; NaN below the last row, where nothing may be read.
static void random_lane(fil_rng *rng, int n, int bandwidth, int lane, double *A)
{
    double unit = pow(10, fil_rng_uniform(rng, -8, 8));
    for (int j = 0; j < n; ++j)
        for (int k = 0; k <= bandwidth; ++k)
            *at(A, bandwidth, j + k, j, lane) = j + k < n ? unit * fil_rng_uniform(rng, -1, 1) : NAN;
    for (int j = 0; j < n; ++j)
        *at(A, bandwidth, j, j, lane) = unit * (2 * bandwidth + fil_rng_uniform(rng, 0.5, 2));
}

static void to_dense(int n, int bandwidth, double *A, int lane, square dense)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            dense[i][j] = dense[j][i] = i - j <= bandwidth ? *at(A, bandwidth, i, j, lane) : 0;
}

// Gauss with pivoting.
static void dense_solve(int n, square A, double *x)
{
    for (int p = 0; p < n; ++p) {
        int best = p;
        for (int i = p; i < n; ++i)
            best = fabs(A[i][p]) > fabs(A[best][p]) ? i : best;
        for (int j = 0; j < n; ++j) {
            double swap = A[p][j];
            A[p][j] = A[best][j];
            A[best][j] = swap;
        }
        double swap = x[p];
        x[p] = x[best];
        x[best] = swap;
        for (int i = p + 1; i < n; ++i) {
            double factor = A[i][p] / A[p][p];
            for (int j = p; j < n; ++j)
                A[i][j] -= factor * A[p][j];
            x[i] -= factor * x[p];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

// The largest difference between the lanes of x and dense solves, relative to the largest number of the lane.
static double error_of(int n, int bandwidth, double *A, const double *b, const double *x)
{
    static square dense;
    double worst = 0;
    for (int lane = 0; lane < LANES; ++lane) {
        double expected[MOST], size = 0, error = 0;
        for (int i = 0; i < n; ++i)
            expected[i] = b[LANES * i + lane];
        to_dense(n, bandwidth, A, lane, dense);
        dense_solve(n, dense, expected);
        for (int i = 0; i < n; ++i) {
            size = fmax(size, fabs(expected[i]));
            double difference = fabs(expected[i] - x[LANES * i + lane]);
            error = !(difference <= error) ? difference : error;
        }
        worst = !(error / size <= worst) ? error / size : worst;
    }
    return worst;
}

static void random_vector(fil_rng *rng, int n, double *x)
{
    for (int i = 0; i < LANES * n; ++i)
        x[i] = fil_rng_uniform(rng, -1, 1);
}

TEST(band_solves_as_dense)
{
    fil_rng rng = fil_rng_make(51);
    for (int s = 0; s < SIZES; ++s)
        for (int w = 0; w < BANDWIDTHS; ++w)
            for (int trial = 0; trial < 5; ++trial) {
                int n = sizes[s], bandwidth = bandwidths[w], negative[4] = {-1, -1, -1, -1};
                static double A[SIZE], factor[SIZE], b[LANES * MOST], x[LANES * MOST];
                for (int lane = 0; lane < LANES; ++lane)
                    random_lane(&rng, n, bandwidth, lane, A);
                random_vector(&rng, n, b);
                memcpy(factor, A, sizeof A);
                memcpy(x, b, sizeof x);
                fil_band_factor(n, bandwidth, 1e-12, factor, negative);
                fil_band_solve(n, bandwidth, factor, x);
                double error = error_of(n, bandwidth, A, b, x);
                ck_assert_msg(error <= 1e-13, "n %d, bandwidth %d: error %g", n, bandwidth, error);
                for (int lane = 0; lane < LANES; ++lane)
                    ck_assert_int_eq(negative[lane], 0);
            }
}

// The band of the inverse, against unit vectors.
TEST(band_inverse_is_that_of_dense)
{
    fil_rng rng = fil_rng_make(58);
    for (int s = 0; s < SIZES; ++s)
        for (int w = 0; w < BANDWIDTHS; ++w) {
            int n = sizes[s], bandwidth = bandwidths[w], ignored[4];
            static double A[SIZE], factor[SIZE], Z[SIZE];
            static square dense;
            for (int lane = 0; lane < LANES; ++lane)
                random_lane(&rng, n, bandwidth, lane, A);
            memcpy(factor, A, sizeof A);
            fil_band_factor(n, bandwidth, 0, factor, ignored);
            fil_band_inverse(n, bandwidth, factor, Z);
            for (int lane = 0; lane < LANES; ++lane)
                for (int j = 0; j < n; ++j) {
                    double unit[MOST] = {0};
                    unit[j] = 1;
                    to_dense(n, bandwidth, A, lane, dense);
                    dense_solve(n, dense, unit);
                    for (int k = 0; k <= bandwidth && j + k < n; ++k)
                        ck_assert_msg(fabs(*at(Z, bandwidth, j + k, j, lane) - unit[j + k]) <= 1e-13 * unit[j],
                                      "n %d, bandwidth %d: (%d, %d)", n, bandwidth, j + k, j);
                }
        }
}

// Eight lanes of floats solve as two times four of doubles.
TEST(band_floats_solve_as_doubles)
{
    fil_rng rng = fil_rng_make(59);
    for (int s = 0; s < SIZES; ++s)
        for (int w = 0; w < BANDWIDTHS; ++w) {
            int n = sizes[s], bandwidth = bandwidths[w], ignored[4];
            static double A[SIZE], x[LANES * MOST];
            static float floats[2 * SIZE], y[2 * LANES * MOST];
            for (int lane = 0; lane < LANES; ++lane)
                random_lane(&rng, n, bandwidth, lane, A);
            random_vector(&rng, n, x);
            fil_band_factor(n, bandwidth, 0, A, ignored);
            for (int k = 0; k < 2 * LANES * n * (bandwidth + 1); ++k)
                floats[k] = (float)A[k / (2 * LANES) * LANES + k % LANES];
            for (int k = 0; k < 2 * LANES * n; ++k)
                y[k] = (float)((k / LANES % 2 ? -1 : 1) * x[k / (2 * LANES) * LANES + k % LANES]);
            fil_band_solve(n, bandwidth, A, x);
            fil_band_solve_float(n, bandwidth, floats, y);
            for (int lane = 0; lane < 2 * LANES; ++lane) {
                double size = 0;
                for (int i = 0; i < n; ++i)
                    size = fmax(size, fabs(x[LANES * i + lane % LANES]));
                for (int i = 0; i < n; ++i) {
                    double expected = (lane < LANES ? 1 : -1) * x[LANES * i + lane % LANES];
                    ck_assert_msg(fabs((double)y[2 * LANES * i + lane] - expected) <= 1e-6 * size, "n %d, bandwidth %d",
                                  n, bandwidth);
                }
            }
        }
}

// Nothing is written beyond the arrays, which lie at the end of their memory (AddressSanitizer watches).
TEST(band_stays_within_its_arrays)
{
    fil_rng rng = fil_rng_make(52);
    for (int s = 0; s < SIZES; ++s)
        for (int w = 0; w < BANDWIDTHS; ++w) {
            int n = sizes[s], bandwidth = bandwidths[w], negative[4];
            double *A = malloc(LANES * (size_t)n * (bandwidth + 1) * sizeof *A), *x = malloc(LANES * n * sizeof *x);
            double *y = malloc(LANES * n * sizeof *y);
            for (int lane = 0; lane < LANES; ++lane)
                random_lane(&rng, n, bandwidth, lane, A);
            random_vector(&rng, n, x);
            fil_band_multiply(n, bandwidth, A, x, y);
            fil_band_factor(n, bandwidth, 1e-12, A, negative);
            fil_band_solve(n, bandwidth, A, y);
            for (int i = 0; i < LANES * n; ++i)
                test_near(y[i], x[i], 1e-13);
            free(A);
            free(x);
            free(y);
        }
}

TEST(band_multiplies_as_dense)
{
    fil_rng rng = fil_rng_make(53);
    static square dense;
    for (int s = 0; s < SIZES; ++s)
        for (int w = 0; w < BANDWIDTHS; ++w) {
            int n = sizes[s], bandwidth = bandwidths[w];
            static double A[SIZE], x[LANES * MOST], y[LANES * MOST];
            for (int lane = 0; lane < LANES; ++lane)
                random_lane(&rng, n, bandwidth, lane, A);
            random_vector(&rng, n, x);
            fil_band_multiply(n, bandwidth, A, x, y);
            for (int lane = 0; lane < LANES; ++lane) {
                to_dense(n, bandwidth, A, lane, dense);
                for (int i = 0; i < n; ++i) {
                    double sum = 0;
                    for (int j = 0; j < n; ++j)
                        sum += dense[i][j] * x[LANES * j + lane];
                    ck_assert(fabs(y[LANES * i + lane] - sum) <= 1e-14 * dense[i][i]);
                }
            }
        }
}

// A = L D Lᵀ with known signs in D, so that (Sylvester) as many eigenvalues are negative.
TEST(band_counts_negative_pivots)
{
    fil_rng rng = fil_rng_make(54);
    for (int w = 0; w < BANDWIDTHS; ++w)
        for (int trial = 0; trial < 20; ++trial) {
            int n = 1 + fil_rng_below(&rng, MOST), bandwidth = bandwidths[w], negative[4], expected[4] = {0};
            static double A[SIZE], factor[SIZE], b[LANES * MOST], x[LANES * MOST];
            for (int lane = 0; lane < LANES; ++lane) {
                static square L, dense;
                memset(L, 0, sizeof L);
                memset(dense, 0, sizeof dense);
                for (int k = 0; k < n; ++k) {
                    double D = fil_rng_uniform(&rng, 0.5, 2);
                    if (fil_rng_below(&rng, 1 + lane) > 0) {
                        D = -D;
                        ++expected[lane];
                    }
                    for (int i = k; i < n && i <= k + bandwidth; ++i)
                        L[i][k] = i == k ? 1 : fil_rng_uniform(&rng, -0.2, 0.2);
                    for (int i = k; i < n; ++i)
                        for (int j = k; j <= i; ++j)
                            dense[i][j] += L[i][k] * D * L[j][k];
                }
                for (int j = 0; j < n; ++j)
                    for (int i = j; i <= j + bandwidth; ++i)
                        *at(A, bandwidth, i, j, lane) = i < n ? dense[i][j] : NAN;
            }
            random_vector(&rng, n, b);
            memcpy(factor, A, sizeof A);
            memcpy(x, b, sizeof x);
            fil_band_factor(n, bandwidth, 1e-12, factor, negative);
            fil_band_solve(n, bandwidth, factor, x);
            for (int lane = 0; lane < LANES; ++lane)
                ck_assert_int_eq(negative[lane], expected[lane]);
            double error = error_of(n, bandwidth, A, b, x);
            ck_assert_msg(error <= 1e-10, "n %d, bandwidth %d: error %g", n, bandwidth, error);
        }
}

// The same bits whatever the other lanes hold, and in whichever lane.
TEST(band_lanes_are_independent)
{
    fil_rng rng = fil_rng_make(55);
    for (int w = 0; w < BANDWIDTHS; ++w) {
        enum { N = 41 };
        int bandwidth = bandwidths[w], negative[2][4];
        static double A[2][SIZE], x[2][LANES * N], y[2][LANES * N];
        fil_rng same = fil_rng_make(56);
        random_lane(&same, N, bandwidth, 1, A[0]);
        for (int lane = 0; lane < LANES; ++lane)
            random_lane(&rng, N, bandwidth, lane, A[1]);
        for (int k = 0; k < LANES * N * (bandwidth + 1); k += LANES) {
            for (int lane = 0; lane < LANES; lane += 2)
                A[0][k + lane] = lane ? NAN : 0;
            A[1][k + 2] = A[0][k + 1];
            A[1][k] = -A[1][k];
        }
        random_vector(&rng, N, x[0]);
        random_vector(&rng, N, x[1]);
        for (int i = 0; i < N; ++i)
            x[1][LANES * i + 2] = x[0][LANES * i + 1];
        for (int s = 0; s < 2; ++s) {
            fil_band_multiply(N, bandwidth, A[s], x[s], y[s]);
            fil_band_factor(N, bandwidth, 1e-12, A[s], negative[s]);
            fil_band_solve(N, bandwidth, A[s], x[s]);
        }
        for (int i = 0; i < N; ++i) {
            ck_assert(memcmp(&x[0][LANES * i + 1], &x[1][LANES * i + 2], sizeof(double)) == 0);
            ck_assert(memcmp(&y[0][LANES * i + 1], &y[1][LANES * i + 2], sizeof(double)) == 0);
        }
        ck_assert(negative[0][1] == 0 && negative[1][2] == 0 && negative[1][0] == N);
        ck_assert_int_eq(negative[0][2], N); // NaN is not positive
    }
}

// {{4, 2}, {2, 1 + delta}}: the second pivot is delta. Zero matrices and zero diagonals stay finite.
TEST(band_replaces_small_pivots)
{
    for (int bandwidth = 1; bandwidth <= 10; bandwidth += 9) {
        double A[LANES * 2 * 11], small = 1e-6;
        int negative[4], second = LANES * (bandwidth + 1);
        const double delta[4] = {1e-9, -1e-9, 0.5, 0}, pivot[4] = {small, -small, 0.5, small};
        for (int lane = 0; lane < LANES; ++lane) {
            A[lane] = 4;
            A[LANES + lane] = 2;
            A[second + lane] = 1 + delta[lane];
        }
        fil_band_factor(2, bandwidth, small, A, negative);
        for (int lane = 0; lane < LANES; ++lane) {
            ck_assert(A[lane] == 0.25 && A[LANES + lane] == 0.5);
            ck_assert(fabs(A[second + lane] * pivot[lane] - 1) <= 1e-8);
            ck_assert_int_eq(negative[lane], lane % 2);
        }
        for (double relative = 0; relative <= 1e-6; relative += 1e-6) {
            double x[LANES * 2] = {0};
            memset(A, 0, sizeof A);
            A[LANES] = 1; // lane 0: zero diagonal, coupled
            fil_band_factor(2, bandwidth, relative, A, negative);
            fil_band_solve(2, bandwidth, A, x);
            for (int lane = 0; lane < LANES; ++lane) {
                ck_assert(isfinite(A[lane]) && isfinite(A[LANES + lane]) && isfinite(A[second + lane]));
                ck_assert(x[lane] == 0 && x[LANES + lane] == 0);
                ck_assert_int_eq(negative[lane], 2);
            }
        }
    }
}

TEST(band_of_nothing)
{
    int negative[4];
    fil_band_factor(0, 10, 1e-12, NULL, negative);
    fil_band_solve(0, 10, NULL, NULL);
    fil_band_multiply(0, 3, NULL, NULL, NULL);
    ck_assert_int_eq(negative[0], 0);
}
