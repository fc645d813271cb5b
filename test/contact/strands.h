// Contact problems of strands for the tests of src/contact: random ones with bands of any bandwidth, and hair.
#ifndef FIL_TEST_CONTACT_STRANDS_H
#define FIL_TEST_CONTACT_STRANDS_H

#include "problems.h"

typedef struct strands_def {
    int strands, contacts;
    int least, most; // vertices
    int dofs;        // per vertex, 3 or 4; 0: both occur
    int bandwidth;   // 0: that of rods, 10 with 4 dofs and 11 with 3
    uint64_t seed;
} strands_def;

// A chain of masses with springs over the whole band: symmetric, diagonally dominant, of some stiffness.
static void strands_matrix(fil_rng *rng, int dofs, int bandwidth, double *value)
{
    int width = bandwidth + 1;
    for (int j = 0; j < dofs; ++j)
        value[(int64_t)j * width] += fil_rng_uniform(rng, 0.5, 2);
    for (int j = 0; j < dofs; ++j)
        for (int k = 1; k <= bandwidth && j + k < dofs; ++k) {
            double spring = fil_rng_uniform(rng, -1, 1) * 4 / k;
            value[(int64_t)j * width + k] = spring;
            value[(int64_t)j * width] += fabs(spring);
            value[(int64_t)(j + k) * width] += fabs(spring);
        }
}

// F [ a I | 0 | b I ], times sign
static void strands_side(double frame[3][3], double sign, int stride, double b, double *value)
{
    memset(value, 0, 3 * (size_t)(stride + 3) * sizeof *value);
    for (int d = 0; d < 3; ++d)
        for (int row = 0; row < 3; ++row) {
            value[3 * d + row] += sign * (1 - b) * frame[row][d];
            value[3 * (d + stride) + row] += sign * b * frame[row][d];
        }
}

// Most contacts join neighbours, a tenth has one side, a tenth both on one strand, a few are at a vertex.
static void strands_contact(fil_rng *rng, fil_contact_problem *problem, const int *stride, int i)
{
    fil_contact_jacobian *H = &problem->H;
    int bodies = problem->A.body_count, side = H->side_start[i], kind = fil_rng_below(rng, 10);
    int body = fil_rng_below(rng, bodies), sides = kind == 0 ? 1 : 2;
    double frame[3][3];
    problems_frame(rng, frame);
    for (int k = 0; k < sides; ++k, ++side) {
        int dofs = problem->A.dof_start[body + 1] - problem->A.dof_start[body];
        bool vertex = fil_rng_below(rng, 20) == 0;
        H->body[side] = body;
        H->first_dof[side] = stride[body] * fil_rng_below(rng, dofs / stride[body] - 1);
        H->dof_count[side] = vertex ? 3 : stride[body] + 3;
        H->value_start[side + 1] = H->value_start[side] + 3 * (int64_t)H->dof_count[side];
        strands_side(frame, k == 0 ? 1 : -1, vertex ? 0 : stride[body], vertex ? 0 : fil_rng_uniform(rng, 0, 1),
                     H->value + H->value_start[side]);
        body = kind == 1 ? body : (body + 1) % bodies;
    }
    H->side_start[i + 1] = side;
    problem->mu[i] = fil_rng_uniform(rng, 0, 0.6);
    for (int k = 0; k < 3; ++k)
        problem->w[3 * i + k] = 0.1 * fil_rng_normal(rng);
}

__attribute__((unused)) static fil_contact_problem *problem_of_strands(fil_context *context, const strands_def *def)
{
    fil_rng rng = fil_rng_make(def->seed);
    int *stride = calloc((size_t)def->strands, sizeof *stride),
        *vertices = calloc((size_t)def->strands, sizeof *stride);
    int dofs = 0;
    int64_t values = 0;
    for (int s = 0; s < def->strands; ++s) {
        stride[s] = def->dofs ? def->dofs : 3 + fil_rng_below(&rng, 2);
        vertices[s] = def->least + fil_rng_below(&rng, def->most - def->least + 1);
        dofs += stride[s] * vertices[s];
        values += (int64_t)stride[s] * vertices[s] * (1 + (def->bandwidth ? def->bandwidth : 14 - stride[s]));
    }
    fil_contact_problem *problem;
    test_ok(context, fil_contact_problem_create_primal(context, def->contacts, def->strands, dofs, values,
                                                       2 * def->contacts, 42 * (int64_t)def->contacts, &problem));
    fil_body_matrix *A = &problem->A;
    for (int s = 0; s < def->strands; ++s) {
        int own = stride[s] * vertices[s];
        A->bandwidth[s] = def->bandwidth ? def->bandwidth : 14 - stride[s];
        A->bandwidth[s] = A->bandwidth[s] < own ? A->bandwidth[s] : own - 1;
        A->dof_start[s + 1] = A->dof_start[s] + own;
        A->value_start[s + 1] = A->value_start[s] + (int64_t)own * (A->bandwidth[s] + 1);
        strands_matrix(&rng, own, A->bandwidth[s], A->value + A->value_start[s]);
    }
    for (int k = 0; k < dofs; ++k)
        problem->b[k] = fil_rng_normal(&rng);
    for (int i = 0; i < def->contacts; ++i)
        strands_contact(&rng, problem, stride, i);
    free(stride);
    free(vertices);
    test_ok(context, fil_contact_problem_check(context, problem));
    return problem;
}

// Hair with 40 vertices and about 13 contacts for each strand, some of them with the body below.
__attribute__((unused)) static fil_contact_problem *problem_of_hair(fil_context *context, int strands,
                                                                    fil_contact_hair_shape shape, double mu, int index)
{
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = strands;
    hair.shape = shape;
    hair.mu = mu;
    hair.index = index;
    fil_contact_problem *problem;
    test_ok(context, fil_contact_hair_generate(context, &hair, &problem));
    return problem;
}

__attribute__((unused)) static fil_contact_def solver_def(const char *solver, double tolerance)
{
    fil_contact_def def = fil_contact_def_default();
    def.solver = solver;
    def.tolerance = tolerance;
    return def;
}

// The same impulses, bit by bit, with 1, 2, 4 and 8 threads.
__attribute__((unused)) static void check_same_bits(fil_context *context, fil_contact_problem *problem,
                                                    const fil_contact_def *def, fil_outcome outcome)
{
    double *r[2] = {impulse_of(problem), impulse_of(problem)};
    for (int threads = 1; threads <= 8; threads *= 2) {
        fil_context_set_threads(context, threads);
        fil_solve_stats stats;
        test_ok(context, fil_contact_solve(context, problem, def, r[threads > 1], NULL, NULL, &stats));
        ck_assert(stats.outcome == outcome && stats.iterations > 10);
        if (threads > 1)
            ck_assert_msg(memcmp(r[0], r[1], 3 * (size_t)problem->contact_count * sizeof *r[0]) == 0, "%d threads",
                          threads);
    }
    free(r[0]);
    free(r[1]);
}

#endif
