// The nearest positive semi-definite matrix, against a plain scalar Jacobi; lanes that need nothing keep their bits.
#include "math/semidefinite.h"

#include "base/rng.h"
#include "test.h"

#include <string.h>

enum { MOST = FIL_SEMIDEFINITE_MAX };
typedef double square[MOST][MOST];

static double largest(int n, square A)
{
    double result = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            result = fmax(result, fabs(A[i][j]));
    return result;
}

// A becomes diagonal, columns of V its eigenvectors. Slow and plain: J A Jᵀ with the whole matrix.
static void scalar_jacobi(int n, square A, square V)
{
    double negligible = 1e-18 * largest(n, A);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            V[i][j] = i == j;
    for (int sweep = 0; sweep < 50; ++sweep)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                if (!(fabs(A[p][q]) > negligible))
                    continue;
                double angle = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]), c = cos(angle), s = sin(angle);
                for (int k = 0; k < n; ++k) {
                    double x = A[k][p], y = A[k][q], v = V[k][p], w = V[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                    V[k][p] = c * v - s * w;
                    V[k][q] = s * v + c * w;
                }
                for (int k = 0; k < n; ++k) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                }
            }
}

static double least_eigenvalue(int n, square A)
{
    square B, V;
    memcpy(B, A, sizeof B);
    scalar_jacobi(n, B, V);
    double least = INFINITY;
    for (int k = 0; k < n; ++k)
        least = fmin(least, B[k][k]);
    return least;
}

// What the library ought to give; returns the norm of the negative part.
static double reference(int n, square A, square result)
{
    square D, V;
    memcpy(D, A, sizeof D);
    memcpy(result, A, sizeof D);
    scalar_jacobi(n, D, V);
    double norm = 0;
    for (int k = 0; k < n; ++k) {
        if (D[k][k] >= 0)
            continue;
        norm = hypot(norm, D[k][k]);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                result[i][j] -= D[k][k] * V[i][k] * V[j][k];
    }
    return norm;
}

// Σ of `rank` random w vᵢ vᵢᵀ, with weights from `low` to `high`.
static void random_sum(fil_rng *rng, int n, int rank, double low, double high, square A)
{
    memset(A, 0, sizeof(square));
    for (int r = 0; r < rank; ++r) {
        double v[MOST], weight = fil_rng_uniform(rng, low, high);
        for (int i = 0; i < n; ++i)
            v[i] = fil_rng_normal(rng);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                A[i][j] += weight * (v[i] * v[j]);
    }
}

static void set_lane(int n, int lane, square A, fil_v4 *pack)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            pack[n * i + j][lane] = A[i][j];
}

static void get_lane(int n, int lane, const fil_v4 *pack, square A)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            A[i][j] = pack[n * i + j][lane];
}

static bool same_bits(int n, square A, square B)
{
    bool same = true;
    for (int i = 0; i < n; ++i)
        same &= memcmp(A[i], B[i], (size_t)n * sizeof(double)) == 0;
    return same;
}

static double difference(int n, square A, square B)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            sum = hypot(sum, A[i][j] - B[i][j]);
    return sum;
}

TEST(semidefinite_clamps_random_matrices)
{
    fil_rng rng = fil_rng_make(41);
    long negative = 0, far = 0, wrong_norm = 0, asymmetric = 0;
    for (int n = 1; n <= MOST; ++n)
        for (int trial = 0; trial < 200; ++trial) {
            square A[4], expected, result;
            fil_v4 pack[MOST * MOST];
            double unit = exp(fil_rng_uniform(&rng, -200, 200));
            for (int lane = 0; lane < 4; ++lane) {
                random_sum(&rng, n, n, -unit, unit, A[lane]);
                set_lane(n, lane, A[lane], pack);
            }
            fil_semidefinite_clamp(n, pack);
            for (int lane = 0; lane < 4; ++lane) {
                double size = largest(n, A[lane]), norm = reference(n, A[lane], expected);
                get_lane(n, lane, pack, result);
                negative += !(least_eigenvalue(n, result) >= -1e-12 * size);
                far += !(difference(n, result, expected) <= 1e-12 * size);
                wrong_norm += !(fabs(difference(n, result, A[lane]) - norm) <= 1e-12 * size);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < i; ++j)
                        asymmetric += result[i][j] != result[j][i];
            }
        }
    ck_assert_int_eq(negative, 0);
    ck_assert_int_eq(far, 0);
    ck_assert_int_eq(wrong_norm, 0);
    ck_assert_int_eq(asymmetric, 0);
}

// Also singular ones, whose zero eigenvalues come out negative by rounding, and beside a lane that needs the work.
TEST(semidefinite_keeps_the_bits_of_semidefinite_lanes)
{
    fil_rng rng = fil_rng_make(42);
    long changed = 0;
    for (int n = 1; n <= MOST; ++n)
        for (int trial = 0; trial < 1000; ++trial) {
            square A[4], result;
            fil_v4 pack[MOST * MOST];
            for (int lane = 0; lane < 4; ++lane) {
                random_sum(&rng, n, lane * n / 3, 0, 1, A[lane]);
                if (lane == trial % 8)
                    A[lane][n - 1][n - 1] = -1;
                set_lane(n, lane, A[lane], pack);
            }
            fil_semidefinite_clamp(n, pack);
            for (int lane = 0; lane < 4; ++lane) {
                get_lane(n, lane, pack, result);
                changed += lane != trial % 8 && !same_bits(n, A[lane], result);
            }
        }
    ck_assert_int_eq(changed, 0);
}

TEST(semidefinite_lanes_are_independent)
{
    fil_rng rng = fil_rng_make(43);
    long different = 0;
    for (int trial = 0; trial < 500; ++trial) {
        int n = 1 + trial % MOST;
        square A, other, alone, beside;
        fil_v4 pack[MOST * MOST] = {0};
        random_sum(&rng, n, 1 + n / 2, -1, 1, A);
        if (trial % 5 == 0)
            A[0][n - 1] = A[n - 1][0] = -0.0;
        set_lane(n, trial % 4, A, pack);
        fil_semidefinite_clamp(n, pack);
        get_lane(n, trial % 4, pack, alone);
        for (int lane = 0; lane < 4; ++lane) {
            random_sum(&rng, n, n, lane < 2 ? -1e6 : NAN, 1e6, other);
            set_lane(n, lane, other, pack);
        }
        set_lane(n, (trial + 1) % 4, A, pack);
        fil_semidefinite_clamp(n, pack);
        get_lane(n, (trial + 1) % 4, pack, beside);
        different += !same_bits(n, alone, beside);
    }
    ck_assert_int_eq(different, 0);
}

// Diagonals from 1e-12 to 1e6, coupled as strongly as possible.
TEST(semidefinite_wild_scales)
{
    fil_rng rng = fil_rng_make(44);
    long negative = 0, far = 0;
    for (int trial = 0; trial < 500; ++trial) {
        int n = 2 + trial % (MOST - 1);
        square A, expected, result;
        double d[MOST];
        fil_v4 pack[MOST * MOST];
        random_sum(&rng, n, n, -0.3, 1, A);
        for (int i = 0; i < n; ++i)
            d[i] = pow(10, fil_rng_uniform(&rng, -6, 3));
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                A[i][j] *= d[i] * d[j];
        for (int lane = 0; lane < 4; ++lane)
            set_lane(n, lane, A, pack);
        fil_semidefinite_clamp(n, pack);
        get_lane(n, trial % 4, pack, result);
        reference(n, A, expected);
        negative += !(least_eigenvalue(n, result) >= -1e-12 * largest(n, A));
        far += !(difference(n, result, expected) <= 1e-12 * largest(n, A));
    }
    ck_assert_int_eq(negative, 0);
    ck_assert_int_eq(far, 0);
}

TEST(semidefinite_edges)
{
    // Huge, tiny, zero diagonal; the eigenvalues of {{0, a}, {a, 0}} are ±a.
    fil_v4 A[4] = {{0, 0, 0, 0}, {1e100, -1e-300, 0, -3}, {1e100, -1e-300, 0, -3}, {0, 0, 0, 0}};
    fil_semidefinite_clamp(2, A);
    const double half[] = {0.5e100, -0.5e-300, 0, -1.5};
    for (int lane = 0; lane < 4; ++lane) {
        ck_assert(fabs(A[1][lane] - half[lane]) <= 1e-12 * fabs(half[lane]) && A[1][lane] == A[2][lane]);
        ck_assert(fabs(A[0][lane] - fabs(half[lane])) <= 1e-12 * fabs(half[lane]));
    }
    fil_v4 one = {-1, 2, -0.0, NAN};
    fil_semidefinite_clamp(1, &one);
    ck_assert(one[0] == 0 && one[1] == 2 && one[2] == 0 && signbit(one[2]) && isnan(one[3]));
    // NaN and infinity: it returns, and the other lanes are right.
    fil_v4 strange[9] = {0};
    for (int i = 0; i < 3; ++i)
        strange[4 * i] = (fil_v4){-1, NAN, INFINITY, 1};
    strange[1] = strange[3] = (fil_v4){0, 1, 1, NAN};
    fil_semidefinite_clamp(3, strange);
    for (int k = 0; k < 9; ++k)
        ck_assert(strange[k][0] == 0);
    ck_assert(isnan(strange[0][1]) && isinf(strange[0][2]) && strange[0][3] == 1);
}
