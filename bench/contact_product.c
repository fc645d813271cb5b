// What one product u = W r + q costs on strands, without W, in doubles and in floats.
//
//     contact_product [--strands 4000] [--repeats 20] [--threads 1]
//
// Wavy hair with 40 vertices and 25 contact sides per strand. Times are per contact, the minimum and the median of the
// repeats; GB/s count what a product must read and write once (factors, frames, weights, impulses and velocities). The
// products are compared with the general road of contact_operator.c, which is timed, too, and so is setting up.
//
// Exit 1 when doubles differ from the general road by more than 1e-11 or floats by more than 1e-6, in Euclidean norms:
// the blocks of hair are ill-conditioned, so that two factorisations in doubles differ by a few 1e-12.
#include "bench.h"

#include "base/arena.h"
#include "contact/contact_operator.h"

#include <math.h>

enum { MOST_REPEATS = 1000 };

typedef struct bench {
    fil_context *context;
    fil_arena *arena;
    fil_contact_problem *problem;
    fil_contact_operator general;
    fil_contact_strands *strands;
    double *r, *u, *expected;    // in the order of the problem
    double *blocked_r, *blocked; // blocked
    float *float_r, *float_q, *floats;
    double impulse, velocity;
    int repeats;
} bench;

static void run_general(bench *b)
{
    fil_contact_operator_apply(&b->general, b->r, b->expected);
}

static void run_doubles(bench *b)
{
    fil_contact_strands_product(b->strands, b->blocked_r, b->strands->q, b->blocked);
}

static void run_floats(bench *b)
{
    fil_contact_strands_product_float(b->strands, b->float_r, b->float_q, b->floats);
}

// Prints one line.
static void measure(bench *b, const char *what, void (*run)(bench *), double bytes)
{
    double seconds[MOST_REPEATS], contacts = b->problem->contact_count;
    for (int k = 0; k < b->repeats; ++k) {
        double start = fil_timer_seconds();
        run(b);
        seconds[k] = fil_timer_seconds() - start;
    }
    double median = bench_median(seconds, b->repeats);
    printf("  %-12s %8.4f %8.4f", what, 1e6 * seconds[0] / contacts, 1e6 * median / contacts);
    if (bytes > 0)
        printf(" %8.1f", 1e-9 * bytes / seconds[0]);
    printf("\n");
}

// What a product touches once, in numbers: factors, frames and weights; r, q and u; forces and points, out and in.
static double numbers_touched(const bench *b)
{
    const fil_contact_strands *S = b->strands;
    double contacts = b->problem->contact_count, sides = S->side_start[2 * S->packs];
    return (double)S->factor_start[S->busy_packs] + (9 + 9 + 3 * 2 + 6 * 2) * contacts + 2 * sides;
}

static double relative_difference(const double *a, const double *b, int64_t count)
{
    double difference = 0, size = 0;
    for (int64_t k = 0; k < count; ++k) {
        difference += (a[k] - b[k]) * (a[k] - b[k]);
        size += b[k] * b[k];
    }
    return sqrt(difference / size);
}

// Factors and diagonal, and floats besides.
static void measure_setup(bench *b)
{
    double contacts = b->problem->contact_count, start = fil_timer_seconds();
    bench_need(b->context, fil_contact_strands_make(b->context, b->arena, b->problem, &b->strands));
    double made = fil_timer_seconds();
    if (!b->strands) {
        fprintf(stderr, "these strands do not have the form of strands\n");
        exit(3);
    }
    bench_need(b->context, fil_contact_strands_diagonal(b->strands, b->arena));
    double diagonal = fil_timer_seconds();
    bench_need(b->context, fil_contact_strands_add_float(b->strands, b->arena, b->impulse, b->velocity));
    printf("setting up, us per contact: all %.3f, of which the diagonal %.3f; floats %.3f\n",
           1e6 * (made - start) / contacts, 1e6 * (diagonal - made) / contacts,
           1e6 * (fil_timer_seconds() - diagonal) / contacts);
}

static void fill(bench *b)
{
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)b->strands->blocks, count = 3 * (int64_t)b->problem->contact_count;
    for (int64_t k = 0; k < count; ++k)
        b->r[k] = b->impulse * sin((double)k);
    b->blocked_r = bench_allocate((size_t)size, sizeof *b->blocked_r);
    b->blocked = bench_allocate((size_t)size, sizeof *b->blocked);
    b->float_r = bench_allocate((size_t)size, sizeof *b->float_r);
    b->float_q = bench_allocate((size_t)size, sizeof *b->float_q);
    b->floats = bench_allocate((size_t)size, sizeof *b->floats);
    fil_contact_strands_block(b->strands, b->r, b->blocked_r);
    for (int64_t k = 0; k < size; ++k) {
        b->float_r[k] = (float)(b->blocked_r[k] / b->impulse);
        b->float_q[k] = (float)(b->strands->q[k] / b->velocity);
    }
}

static bool compare(bench *b)
{
    int64_t size = FIL_STRANDS_BLOCK * (int64_t)b->strands->blocks, count = 3 * (int64_t)b->problem->contact_count;
    fil_contact_strands_unblock(b->strands, b->blocked, b->u);
    double doubles = relative_difference(b->u, b->expected, count);
    for (int64_t k = 0; k < size; ++k)
        b->blocked[k] = b->velocity * (double)b->floats[k];
    fil_contact_strands_unblock(b->strands, b->blocked, b->u);
    double floats = relative_difference(b->u, b->expected, count);
    printf("differences from the general road: doubles %.2g, floats %.2g\n", doubles, floats);
    return doubles <= 1e-11 && floats <= 1e-6;
}

int main(int argc, char **argv)
{
    fil_contact_hair hair = fil_contact_hair_default();
    hair.strands = 4000;
    int threads = 1;
    bench b = {.repeats = 20, .impulse = 1e-7, .velocity = 0.1};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--strands") == 0 && i + 1 < argc)
            hair.strands = atoi(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && i + 1 < argc)
            b.repeats = atoi(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = atoi(argv[++i]);
        else
            b.repeats = 0;
    }
    if (hair.strands < 1 || threads < 1 || b.repeats < 1 || b.repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: contact_product [--strands 4000] [--repeats 20] [--threads 1]\n");
        return 2;
    }
    b.context = bench_context(threads);
    b.arena = fil_arena_create(b.context);
    bench_need(b.context, b.arena ? fil_contact_hair_generate(b.context, &hair, &b.problem) : FIL_NO_MEMORY);
    printf("%d strands, %d contacts, %d threads\n", hair.strands, b.problem->contact_count, threads);
    b.r = bench_allocate(3 * (size_t)b.problem->contact_count, sizeof *b.r);
    b.u = bench_allocate(3 * (size_t)b.problem->contact_count, sizeof *b.u);
    b.expected = bench_allocate(3 * (size_t)b.problem->contact_count, sizeof *b.expected);
    bench_need(b.context, fil_contact_operator_make(b.context, b.arena, b.problem, true, &b.general));
    measure_setup(&b);
    fill(&b);
    printf("  %-12s %8s %8s %8s\n", "us/contact", "min", "median", "GB/s");
    measure(&b, "general", run_general, 0);
    measure(&b, "doubles", run_doubles, 8 * numbers_touched(&b));
    measure(&b, "floats", run_floats, 4 * numbers_touched(&b));
    bool met = compare(&b);
    free(b.r);
    free(b.u);
    free(b.expected);
    free(b.blocked_r);
    free(b.blocked);
    free(b.float_r);
    free(b.float_q);
    free(b.floats);
    fil_arena_destroy(b.arena);
    fil_contact_problem_destroy(b.problem);
    fil_context_destroy(b.context);
    return met ? 0 : 1;
}
