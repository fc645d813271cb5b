// What forming W = H A⁻¹ Hᵀ costs for strands, part by part, in microseconds per contact.
//
//     contact_assembly [--strands 4000] [--repeats 5]
//
// Strands of 40 vertices and 4 unknowns each, half-bandwidth 10, about 25 sides on a strand; every contact joins a
// strand and one of its next neighbours. The parts alternate and are repeated: the minimum is what the code costs, the
// median what one sees on a busy machine. The plain way, three whole solves for each side, is the reference for both
// time and numbers.
//
// Bars: solves and gather at most 2.5 µs on one thread; W within 1e-12 of the plain way. Exit 1 when one is missed.
#include "bench.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "contact/contact_coupling.h"
#include "contact/contact_pattern.h"

#include <math.h>

enum { VERTICES = 40, DOFS = 4 * VERTICES, BAND = 10, SIDE_DOFS = 7, SHARES = 16, MOST_REPEATS = 100 };
static const double microseconds_allowed = 2.5, error_allowed = 1e-12;

// stiffness × (Σ_k factor[k] v[dof + 4 k])² / 2
static void add_spring(double *A, int dof, int count, const double *factor, double stiffness)
{
    for (int a = 0; a < count; ++a)
        for (int b = a; b < count; ++b)
            A[(dof + 4 * a) * (BAND + 1) + 4 * (b - a)] += stiffness * factor[a] * factor[b];
}

// Masses, springs along the strand, bending, twist; stiffer than masses by what a step of milliseconds brings.
static void fill_strand(fil_rng *rng, double *A)
{
    static const double stretch[] = {1, -1}, bend[] = {1, -2, 1};
    for (int d = 0; d < DOFS; ++d)
        A[d * (BAND + 1)] = fil_rng_uniform(rng, 0.5, 1.5);
    for (int d = 0; d + 4 < DOFS; ++d)
        add_spring(A, d, 2, stretch, d % 4 == 2 ? 1000 : 10);
    for (int d = 0; d + 8 < DOFS; ++d)
        add_spring(A, d, 3, bend, d % 4 == 3 ? 0 : 100);
}

// A point on a random edge seen along three axes: weights on two vertices, nothing on the angle between.
static void fill_side(fil_rng *rng, const double frame[9], double sign, int *first, double *h)
{
    double weight = fil_rng_uniform(rng, 0, 1);
    *first = 4 * fil_rng_below(rng, VERTICES - 1);
    memset(h, 0, 3 * SIDE_DOFS * sizeof *h);
    for (int k = 0; k < 9; ++k) {
        h[k] = sign * (1 - weight) * frame[k];
        h[12 + k] = sign * weight * frame[k];
    }
}

static fil_contact_problem *make_problem(fil_context *context, int strands)
{
    fil_rng rng = fil_rng_make(1);
    int n = 25 * strands / 2, neighbours = 5;
    int64_t values = (int64_t)DOFS * (BAND + 1);
    fil_contact_problem *problem;
    bench_need(context, fil_contact_problem_create_primal(context, n, strands, DOFS * strands, values * strands,
                                                          2 * (int64_t)n, 6 * (int64_t)n * SIDE_DOFS, &problem));
    for (int k = 0; k < strands; ++k) {
        problem->A.dof_start[k + 1] = DOFS * (k + 1);
        problem->A.bandwidth[k] = BAND;
        problem->A.value_start[k + 1] = values * (k + 1);
        fill_strand(&rng, problem->A.value + values * k);
    }
    fil_contact_jacobian *H = &problem->H;
    for (int i = 0, s = 0; i < n; ++i) {
        double frame[9];
        for (int k = 0; k < 9; ++k)
            frame[k] = fil_rng_normal(&rng);
        int strand = (int)((int64_t)i * strands / n), other = strand + 1 + fil_rng_below(&rng, neighbours);
        for (int k = 0; k < 2; ++k, ++s) {
            H->body[s] = (k == 0 ? strand : other) % strands;
            H->dof_count[s] = SIDE_DOFS;
            H->value_start[s + 1] = 3 * SIDE_DOFS * ((int64_t)s + 1);
            fill_side(&rng, frame, k == 0 ? 1 : -1, &H->first_dof[s], H->value + H->value_start[s]);
        }
        H->side_start[i + 1] = s;
    }
    for (int k = 0; k < DOFS * strands; ++k)
        problem->b[k] = fil_rng_normal(&rng);
    bench_need(context, fil_contact_problem_check(context, problem));
    return problem;
}

typedef struct parts {
    double factor, symbolic, solves, total; // seconds
} parts;

typedef struct gather_job {
    const fil_contact_problem *problem;
    const fil_contact_operator *op;
    const int *by_dof;
    double *work[SHARES], *block[SHARES];
} gather_job;

static void gather_shares(void *data, int64_t begin, int64_t end)
{
    const gather_job *job = data;
    const int *start = job->op->body_start;
    int64_t bodies = job->problem->A.body_count;
    for (int64_t k = begin; k < end; ++k)
        for (int body = (int)(bodies * k / SHARES); body < bodies * (k + 1) / SHARES; ++body) {
            int count = start[body + 1] - start[body];
            fil_coupling coupling =
                fil_coupling_make(job->problem, &job->op->system, body, job->by_dof + start[body], count, job->work[k]);
            for (int t = 0; t < count; ++t)
                fil_coupling_column(&coupling, t, job->block[k]);
        }
}

// Solves and gather of all bodies, the blocks thrown away.
static double time_solves(fil_context *context, fil_arena *arena, const fil_contact_problem *problem,
                          const fil_contact_operator *op)
{
    gather_job job = {.problem = problem, .op = op};
    int *by_dof;
    bench_need(context, fil_coupling_sort(arena, problem, op->body_start, op->body_side, &by_dof));
    job.by_dof = by_dof;
    int64_t size = 0, sides = 0;
    for (int body = 0; body < problem->A.body_count; ++body) {
        int count = op->body_start[body + 1] - op->body_start[body];
        int64_t needed = fil_coupling_size(problem, body, by_dof + op->body_start[body], count);
        size = needed > size ? needed : size;
        sides = count > sides ? count : sides;
    }
    for (int k = 0; k < SHARES; ++k) {
        job.work[k] = FIL_ARENA_ARRAY(arena, double, size);
        job.block[k] = FIL_ARENA_ARRAY(arena, double, 12 * sides);
        bench_need(context, job.work[k] && job.block[k] ? FIL_OK : FIL_NO_MEMORY);
    }
    double start = fil_timer_seconds();
    fil_parallel_for(context, SHARES, 1, gather_shares, &job);
    return fil_timer_seconds() - start;
}

static parts measure_once(fil_context *context, int strands)
{
    parts result;
    fil_contact_problem *problem = make_problem(context, strands);
    int n = problem->contact_count;
    fil_arena *arena = fil_arena_create(context);
    bench_need(context, arena ? FIL_OK : FIL_NO_MEMORY);
    fil_contact_operator op;
    double start = fil_timer_seconds();
    bench_need(context, fil_contact_operator_make(context, arena, problem, true, &op));
    result.factor = fil_timer_seconds() - start;
    result.solves = time_solves(context, arena, problem, &op);
    fil_pattern pattern;
    start = fil_timer_seconds();
    int64_t *row_start = FIL_ARENA_ARRAY(arena, int64_t, (int64_t)n + 1);
    bench_need(context, row_start ? FIL_OK : FIL_NO_MEMORY);
    bench_need(context, fil_pattern_make(context, arena, problem, &op, row_start, &pattern));
    int *column = FIL_ARENA_ARRAY(arena, int, row_start[n]);
    bench_need(context, column ? FIL_OK : FIL_NO_MEMORY);
    fil_pattern_columns(context, &pattern, row_start, column);
    result.symbolic = fil_timer_seconds() - start;
    fil_arena_destroy(arena);
    start = fil_timer_seconds();
    bench_need(context, fil_contact_problem_form_dual(context, problem));
    result.total = fil_timer_seconds() - start;
    fil_contact_problem_destroy(problem);
    return result;
}

// Minimum and median of each part. Returns the minimum of solves and gather, in microseconds per contact.
static double measure(fil_context *context, int strands, int contacts, int repeats)
{
    static const char *const name[] = {"factor, sides of bodies", "solves and gather", "symbolic",
                                       "scatter, q (the rest)", "total"};
    static double seconds[5][MOST_REPEATS];
    for (int k = 0; k < repeats; ++k) {
        parts part = measure_once(context, strands);
        seconds[0][k] = part.factor;
        seconds[1][k] = part.solves;
        seconds[2][k] = part.symbolic;
        seconds[3][k] = part.total - part.factor - part.solves - part.symbolic;
        seconds[4][k] = part.total;
    }
    for (int p = 0; p < 5; ++p) {
        double median = bench_median(seconds[p], repeats);
        printf("  %-28s %8.3f %8.3f\n", name[p], 1e6 * seconds[p][0] / contacts, 1e6 * median / contacts);
    }
    return 1e6 * seconds[1][0] / contacts;
}

// The largest error of the row of contact i: whole solves for each row of each side, dot products with all sides.
static void check_row(const fil_contact_problem *problem, const fil_contact_operator *op, int i, double *row,
                      double *worst)
{
    const fil_contact_jacobian *H = &problem->H;
    const fil_block_matrix *W = &problem->W;
    for (int k = 0; k < 3; ++k) {
        for (int s = H->side_start[i]; s < H->side_start[i + 1]; ++s) {
            int body = H->body[s];
            double x[DOFS] = {0};
            for (int d = 0; d < H->dof_count[s]; ++d)
                x[H->first_dof[s] + d] = H->value[H->value_start[s] + 3 * d + k];
            fil_system_forward(&op->system, body, 0, x);
            fil_system_backward(&op->system, body, x);
            for (int m = op->body_start[body]; m < op->body_start[body + 1]; ++m) {
                int t = op->body_side[m];
                for (int d = 0; d < H->dof_count[t]; ++d)
                    for (int a = 0; a < 3; ++a)
                        row[3 * op->side_contact[t] + a] +=
                            H->value[H->value_start[t] + 3 * d + a] * x[H->first_dof[t] + d];
            }
        }
        for (int64_t b = W->start[i]; b < W->start[i + 1]; ++b)
            for (int a = 0; a < 3; ++a) {
                double *plain = row + 3 * (int64_t)W->column[b] + a;
                worst[0] = fmax(worst[0], fabs(*plain));
                worst[1] = fmax(worst[1], fabs(*plain - W->value[9 * b + k + 3 * a]));
                *plain = 0;
            }
    }
}

// Time of the plain way, and the largest difference from it relative to the largest number of W.
static double compare_with_plain(fil_context *context, int strands)
{
    fil_contact_problem *problem = make_problem(context, strands);
    int n = problem->contact_count;
    bench_need(context, fil_contact_problem_form_dual(context, problem));
    fil_arena *arena = fil_arena_create(context);
    double *row = bench_allocate(3 * (size_t)n, sizeof *row), worst[2] = {0};
    fil_contact_operator op;
    bench_need(context, arena ? FIL_OK : FIL_NO_MEMORY);
    bench_need(context, fil_contact_operator_make(context, arena, problem, true, &op));
    double start = fil_timer_seconds();
    for (int i = 0; i < n; ++i)
        check_row(problem, &op, i, row, worst);
    printf("\n%d blocks per row; the plain way takes %.3f and differs by %.2g\n", (int)(problem->W.start[n] / n),
           1e6 * (fil_timer_seconds() - start) / n, worst[1] / worst[0]);
    free(row);
    fil_arena_destroy(arena);
    fil_contact_problem_destroy(problem);
    return worst[1] / worst[0];
}

int main(int argc, char **argv)
{
    int strands = 4000, repeats = 5;
    bench_options(argc, argv, &strands, &repeats);
    if (strands < 10 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: contact_assembly [--strands 4000] [--repeats 5]\n");
        return 2;
    }
    fil_context *context = bench_context(1);
    int contacts = 25 * strands / 2;
    double microseconds = 0;
    printf("%d strands, %d contacts, µs per contact\n", strands, contacts);
    for (int threads = 2; threads >= 1; --threads) {
        fil_context_set_threads(context, threads);
        printf("\n%d thread%s\n  %-28s %8s %8s\n", threads, threads > 1 ? "s" : "", "", "min", "median");
        microseconds = measure(context, strands, contacts, repeats);
    }
    double error = compare_with_plain(context, strands);
    bool met = microseconds <= microseconds_allowed && error <= error_allowed;
    printf("bars (1 thread): solves and gather at most %g µs, difference at most %g: %s\n", microseconds_allowed,
           error_allowed, met ? "met" : "MISSED");
    fil_context_destroy(context);
    return met ? 0 : 1;
}
