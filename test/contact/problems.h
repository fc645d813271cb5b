// Random problems for the tests of src/contact: rigid bodies of six dofs in random contact, reproducible from a seed.
//
// Masses differ by up to 100, contacts join two bodies or one and the world, friction coefficients are uniform in
// [0, mu]. The free velocity q lies in the range of H, so that a solution exists. 3 contacts / dofs tells how much the
// contacts over-constrain the bodies: 1, 2 or 3.
#ifndef FIL_TEST_CONTACT_PROBLEMS_H
#define FIL_TEST_CONTACT_PROBLEMS_H

#include "base/rng.h"
#include "filum/filum.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void problems_unit(fil_rng *rng, double x[3])
{
    double size;
    do {
        for (int k = 0; k < 3; ++k)
            x[k] = fil_rng_normal(rng);
        size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    } while (size < 0.1);
    for (int k = 0; k < 3; ++k)
        x[k] /= size;
}

static void problems_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// normal, two tangents
static void problems_frame(fil_rng *rng, double frame[3][3])
{
    double other[3];
    problems_unit(rng, frame[0]);
    do {
        problems_unit(rng, other);
        problems_cross(frame[0], other, frame[1]);
    } while (frame[1][0] * frame[1][0] + frame[1][1] * frame[1][1] + frame[1][2] * frame[1][2] < 0.1);
    double size = sqrt(frame[1][0] * frame[1][0] + frame[1][1] * frame[1][1] + frame[1][2] * frame[1][2]);
    for (int k = 0; k < 3; ++k)
        frame[1][k] /= size;
    problems_cross(frame[0], frame[1], frame[2]);
}

// One body: mass times identity, and an inertia that couples the rotations. Dense, lower columns.
static void problems_body(fil_rng *rng, double mass, double *value)
{
    double arm[3];
    problems_unit(rng, arm);
    for (int j = 0; j < 6; ++j)
        for (int k = 0; j + k < 6; ++k) {
            double turning = j >= 3 ? 0.3 * mass * arm[j - 3] * arm[j + k - 3] : 0;
            value[6 * j + k] = (k == 0 ? (j < 3 ? mass : 0.1 * mass) : 0) + turning;
        }
}

// The rows of one side: velocity of the body's point along each axis of the frame, times sign.
static void problems_side(fil_rng *rng, double frame[3][3], double sign, double *value)
{
    double arm[3];
    problems_unit(rng, arm);
    for (int row = 0; row < 3; ++row) {
        double turning[3];
        problems_cross(arm, frame[row], turning);
        for (int d = 0; d < 3; ++d) {
            value[3 * d + row] = sign * frame[row][d];
            value[3 * (d + 3) + row] = sign * turning[d];
        }
    }
}

// b = A v of random free velocities.
static void problems_load(fil_rng *rng, fil_contact_problem *problem)
{
    for (int body = 0; body < problem->A.body_count; ++body) {
        const double *A = problem->A.value + problem->A.value_start[body];
        double v[6], *b = problem->b + 6 * body;
        for (int k = 0; k < 6; ++k)
            v[k] = fil_rng_normal(rng);
        memset(b, 0, 6 * sizeof *b);
        for (int j = 0; j < 6; ++j)
            for (int k = 0; j + k < 6; ++k) {
                b[j + k] += A[6 * j + k] * v[j];
                if (k > 0)
                    b[j] += A[6 * j + k] * v[j + k];
            }
    }
}

// In the primal view.
__attribute__((unused)) static fil_contact_problem *problem_of_bodies(fil_context *context, int contacts, int ratio,
                                                                      double mu, uint64_t seed)
{
    fil_rng rng = fil_rng_make(seed);
    int bodies = contacts / (2 * ratio) > 0 ? contacts / (2 * ratio) : 1, sides = 0;
    bool *two = malloc((size_t)contacts * sizeof *two + 1);
    ck_assert_ptr_nonnull(two);
    for (int i = 0; i < contacts; ++i) {
        two[i] = bodies > 1 && fil_rng_below(&rng, 5) > 0;
        sides += two[i] ? 2 : 1;
    }
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_primal(context, contacts, bodies, 6 * bodies, 36 * (int64_t)bodies,
                                                       sides, 18 * (int64_t)sides, &problem));
    fil_body_matrix *A = &problem->A;
    for (int body = 0; body < bodies; ++body) {
        A->dof_start[body + 1] = 6 * (body + 1);
        A->bandwidth[body] = 5;
        A->value_start[body + 1] = 36 * ((int64_t)body + 1);
        problems_body(&rng, pow(10, fil_rng_uniform(&rng, 0, 2)), A->value + 36 * (int64_t)body);
    }
    fil_contact_jacobian *H = &problem->H;
    for (int i = 0, side = 0; i < contacts; ++i) {
        double frame[3][3];
        problems_frame(&rng, frame);
        int first = fil_rng_below(&rng, bodies), step = bodies > 1 ? 1 + fil_rng_below(&rng, bodies - 1) : 0;
        for (int k = 0; k < (two[i] ? 2 : 1); ++k, ++side) {
            H->body[side] = (first + k * step) % bodies;
            H->first_dof[side] = 0;
            H->dof_count[side] = 6;
            H->value_start[side + 1] = 18 * ((int64_t)side + 1);
            problems_side(&rng, frame, k == 0 ? 1 : -1, H->value + 18 * (int64_t)side);
        }
        H->side_start[i + 1] = side;
        problem->mu[i] = fil_rng_uniform(&rng, 0, mu);
    }
    free(two);
    problems_load(&rng, problem);
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

// The same in the dual view as well.
__attribute__((unused)) static fil_contact_problem *problem_dual(fil_context *context, int contacts, int ratio,
                                                                 double mu, uint64_t seed)
{
    fil_contact_problem *problem = problem_of_bodies(context, contacts, ratio, mu, seed);
    test_ok(context, fil_contact_problem_form_dual(context, problem));
    return problem;
}

// One contact with a diagonal W and the given free velocity.
__attribute__((unused)) static fil_contact_problem *problem_single(fil_context *context, double w, const double q[3],
                                                                   double mu)
{
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_dual(context, 1, 1, &problem));
    problem->W.start[1] = 1;
    for (int k = 0; k < 3; ++k) {
        problem->W.value[4 * k] = w;
        problem->q[k] = q[k];
    }
    problem->mu[0] = mu;
    return problem;
}

__attribute__((unused)) static double *impulse_of(const fil_contact_problem *problem)
{
    double *r = calloc(3 * (size_t)problem->contact_count + 1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    return r;
}

__attribute__((unused)) static bool impulse_finite(const fil_contact_problem *problem, const double *r)
{
    for (int k = 0; k < 3 * problem->contact_count; ++k)
        if (!isfinite(r[k]))
            return false;
    return true;
}

// W of the problem as a dense matrix of 3n × 3n, by columns, whatever its storage.
__attribute__((unused)) static double *problem_dense(const fil_contact_problem *problem)
{
    const fil_block_matrix *W = &problem->W;
    size_t size = 3 * (size_t)W->rows;
    double *dense = calloc(size * size + 1, sizeof *dense);
    ck_assert_ptr_nonnull(dense);
    for (int i = 0; i < W->rows; ++i)
        for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) {
                    size_t row = 3 * (size_t)i + (size_t)a, column = 3 * (size_t)W->column[k] + (size_t)b;
                    dense[row + size * column] = W->value[9 * k + a + 3 * b];
                    if (W->half && W->column[k] != i)
                        dense[column + size * row] = W->value[9 * k + a + 3 * b];
                }
    return dense;
}

#endif
