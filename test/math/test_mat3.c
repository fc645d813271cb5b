// 3×3 matrices: products, adjugate, inverse and the careful solve, regular and singular.
#include "math/mat3.h"

#include "base/rng.h"
#include "test.h"

#include <string.h>

static void random_matrix(fil_rng *rng, double M[9])
{
    for (int k = 0; k < 9; ++k)
        M[k] = fil_rng_normal(rng);
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k) {
        double size = fabs(a[k] - b[k]);
        most = size <= most ? most : size;
    }
    return most;
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

TEST(mat3_products)
{
    const double M[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, x[3] = {1, -1, 2};
    double y[3], z[3] = {1, 1, 1}, t[3] = {1, 1, 1}, MM[9];
    fil_mat3_multiply_vector(M, x, y);
    ck_assert(y[0] == 11 && y[1] == 13 && y[2] == 17);
    fil_mat3_add_vector(M, x, z);
    ck_assert(z[0] == 12 && z[1] == 14 && z[2] == 18);
    fil_mat3_add_transposed_vector(M, x, t);
    ck_assert(t[0] == 1 + 5 && t[1] == 1 + 11 && t[2] == 1 + 19);
    fil_mat3_multiply(M, M, MM);
    ck_assert(MM[0] == 1 + 8 + 21 && MM[1] == 2 + 10 + 24 && MM[8] == 7 * 3 + 8 * 6 + 10 * 10);
    ck_assert(fil_vec3_dot(x, x) == 6 && fil_vec3_norm(x) == sqrt(6));
}

TEST(mat3_adjugate_and_determinant)
{
    const double M[9] = {2, 0, 1, -1, 3, 0, 0, 1, 4};
    double N[9], product[9];
    double det = fil_mat3_adjugate(M, N);
    test_near(det, 23, 1e-15);
    fil_mat3_multiply(M, N, product);
    for (int k = 0; k < 9; ++k)
        test_near(product[k], det * identity[k], 1e-14);
    // Rank two: M adj(M) = 0, and adj(M) is not.
    const double S[9] = {1, 2, 3, 4, 5, 6, 5, 7, 9};
    test_near(fil_mat3_adjugate(S, N), 0, 1e-14);
    fil_mat3_multiply(S, N, product);
    double zero[9] = {0};
    ck_assert(largest_difference(product, zero, 9) <= 1e-13 && largest_difference(N, zero, 9) > 1);
}

TEST(mat3_inverts)
{
    fil_rng rng = fil_rng_make(31);
    long wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        double M[9], inverse[9], left[9], right[9], N[9];
        random_matrix(&rng, M);
        double scale = pow(10, fil_rng_uniform(&rng, -20, 20));
        if (fabs(fil_mat3_adjugate(M, N)) < 1e-2)
            continue;
        for (int k = 0; k < 9; ++k)
            M[k] *= scale;
        memcpy(inverse, M, sizeof M);
        wrong += !fil_mat3_invert(inverse, 1e-14);
        fil_mat3_multiply(M, inverse, right);
        fil_mat3_multiply(inverse, M, left);
        wrong +=
            !(largest_difference(right, identity, 9) <= 1e-10) || !(largest_difference(left, identity, 9) <= 1e-10);
    }
    ck_assert_int_eq(wrong, 0);
    // Zero pivots on the diagonal need row exchanges.
    double P[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, T[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    ck_assert(fil_mat3_invert(P, 1e-14));
    ck_assert(largest_difference(P, T, 9) == 0);
}

TEST(mat3_does_not_invert_the_singular)
{
    static const double singular[][9] = {
        {0},
        {1, 2, 3, 2, 4, 6, 1, 0, 1},
        {1, 1, 1, 1, 1, 1, 1, 1, 1},
        {1, 0, 0, 0, 1, 0, 0, 0, 0},
        {1, 0, 0, 0, 1, 0, 0, 0, 1e-20},
        {NAN, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 0, 0, 0, NAN, 0, 0, 0, 1},
    };
    for (size_t n = 0; n < sizeof singular / sizeof *singular; ++n) {
        double M[9];
        memcpy(M, singular[n], sizeof M);
        ck_assert_msg(!fil_mat3_invert(M, 1e-14), "case %zu", n);
    }
}

TEST(mat3_solves_regular_systems)
{
    fil_rng rng = fil_rng_make(32);
    long wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        double M[9], N[9], x[3], y[3], back[3];
        random_matrix(&rng, M);
        if (fabs(fil_mat3_adjugate(M, N)) < 1e-2)
            continue;
        for (int k = 0; k < 3; ++k)
            y[k] = fil_rng_normal(&rng);
        wrong += fil_mat3_solve_pivoted(M, y, 1e-14, x) != 3;
        fil_mat3_multiply_vector(M, x, back);
        wrong += !(largest_difference(back, y, 3) <= 1e-12);
    }
    ck_assert_int_eq(wrong, 0);
}

// Of rank k: the pivots are counted, and a right-hand side in the range is met.
TEST(mat3_solves_singular_systems_in_their_range)
{
    fil_rng rng = fil_rng_make(33);
    long wrong_rank = 0, wrong = 0;
    for (int n = 0; n < 20000; ++n) {
        int rank = n % 3;
        double M[9] = {0}, x[3], y[3], back[3], known[3];
        for (int k = 0; k < rank; ++k) {
            double g[3], h[3];
            for (int i = 0; i < 3; ++i) {
                g[i] = fil_rng_normal(&rng);
                h[i] = fil_rng_normal(&rng);
            }
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    M[i + 3 * j] += g[i] * h[j];
        }
        for (int i = 0; i < 3; ++i)
            known[i] = fil_rng_normal(&rng);
        fil_mat3_multiply_vector(M, known, y);
        int found = fil_mat3_solve_pivoted(M, y, 1e-9, x);
        wrong_rank += found > rank;
        fil_mat3_multiply_vector(M, x, back);
        wrong += !(largest_difference(back, y, 3) <= 1e-7);
    }
    ck_assert_int_eq(wrong_rank, 0);
    ck_assert_int_eq(wrong, 0);
}
