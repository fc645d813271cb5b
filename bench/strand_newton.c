// One Newton iteration of many strands, in parts: gradient and Hessian, factor, solve; per vertex, one thread.
//
//     strand_newton [--strands 1000] [--vertices 40] [--repeats 11]
//
// The strands are curly hair on its way down, a few steps after the start. Every part runs over all packs before the
// next begins, so each pack is fetched from memory anew: slower than inside a step, never faster. Exit 1 when `der`
// needs more than the bar.
#include "strand_groom.h"

#include "step/step_pack.h"

enum { MOST_REPEATS = 1001 };
static const double bar = 0.35;

typedef struct parts {
    double gradient, hessian, factor, solve;
} parts;

static fil_newton *start_packs(fil_state *state)
{
    const fil_strands *S = &state->model->groups[0];
    fil_step_job job = {.state = state, .h = 1e-3, .s = 1e-3, .share = 1};
    // Holds vectors, which want more than malloc's alignment.
    fil_newton *newtons = aligned_alloc(64, ((size_t)S->pack_count * sizeof *newtons + 63) / 64 * 64);
    if (!newtons)
        exit(3);
    for (int pack = 0; pack < S->pack_count; ++pack) {
        fil_newton_start(S, &state->scratch[0], pack, &newtons[pack]);
        fil_pack_predict(&job, &newtons[pack]);
        fil_pack_guess(&job, &newtons[pack]);
    }
    return newtons;
}

static parts measure(fil_newton *newtons, int packs)
{
    fil_v4 energy, change;
    fil_m4 all = {-1, -1, -1, -1};
    int negative[FIL_LANES];
    double t[5];
    t[0] = fil_timer_seconds();
    for (int i = 0; i < packs; ++i)
        fil_newton_evaluate(&newtons[i], false, false, &energy);
    t[1] = fil_timer_seconds();
    for (int i = 0; i < packs; ++i)
        fil_newton_evaluate(&newtons[i], false, true, &energy);
    t[2] = fil_timer_seconds();
    for (int i = 0; i < packs; ++i)
        fil_newton_factor(&newtons[i], fil_v4_all(0), negative);
    t[3] = fil_timer_seconds();
    for (int i = 0; i < packs; ++i)
        fil_newton_direction(&newtons[i], all, &change);
    t[4] = fil_timer_seconds();
    return (parts){t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3]};
}

static double median_of(const parts *runs, int count, size_t offset)
{
    double values[MOST_REPEATS];
    for (int i = 0; i < count; ++i)
        memcpy(&values[i], (const char *)&runs[i] + offset, sizeof(double));
    return bench_median(values, count);
}

static double report(fil_context *context, const bench_groom *made, const char *name, int repeats)
{
    fil_model *model;
    fil_state *state;
    bench_groom_state(context, made, name, NULL, &model, &state);
    for (int i = 0; i < 3; ++i)
        bench_need(context, fil_step(context, state, 1e-3, NULL));
    fil_newton *newtons = start_packs(state);
    const fil_strands *S = &model->groups[0];
    parts runs[MOST_REPEATS];
    for (int i = 0; i < repeats; ++i)
        runs[i] = measure(newtons, S->pack_count);
    double scale = 1e6 / (double)S->vertex_count;
    double gradient = scale * median_of(runs, repeats, offsetof(parts, gradient));
    double hessian = scale * median_of(runs, repeats, offsetof(parts, hessian));
    double factor = scale * median_of(runs, repeats, offsetof(parts, factor));
    double solve = scale * median_of(runs, repeats, offsetof(parts, solve));
    printf("%-34s %9.4f %9.4f %9.4f %9.4f %9.4f\n", name, gradient, hessian, factor, solve, hessian + factor + solve);
    free(newtons);
    fil_state_destroy(state);
    fil_model_destroy(model);
    return hessian + factor + solve;
}

int main(int argc, char **argv)
{
    int strands = 1000, vertices = 40, repeats = 11;
    for (int i = 1; i + 1 < argc; i += 2) {
        int value = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--strands") == 0)
            strands = value;
        else if (strcmp(argv[i], "--vertices") == 0)
            vertices = value;
        else if (strcmp(argv[i], "--repeats") == 0 && value <= MOST_REPEATS)
            repeats = value;
    }
    fil_context *context = bench_context(1);
    bench_groom made = bench_groom_make(strands, vertices);
    printf("%d strands × %d vertices; µs per vertex, one thread, median of %d\n", strands, vertices, repeats);
    printf("%-34s %9s %9s %9s %9s %9s\n", "model", "gradient", "+ Hessian", "factor", "solve", "in all");
    double der = report(context, &made, "der", repeats);
    static const char *const others[] = {"der:bend=isotropic",
                                         "der:hessian=gauss-newton",
                                         "der:hessian=gauss-newton+stretch",
                                         "der:hessian=filter",
                                         "lifted",
                                         "lifted:hessian=analytic",
                                         "lifted:hessian=filter"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        report(context, &made, others[i], repeats);
    printf("bar: der at most %.2f µs per vertex (Hessian, factor, solve): %s\n", bar, der <= bar ? "met" : "MISSED");
    bench_groom_free(&made);
    fil_context_destroy(context);
    return der <= bar ? 0 : 1;
}
