// Three ways to carry a ball of hair through its busiest moment [Jia20, Table 4-1].
//
//     hair_ball SCENE [--strands N] [--moment S] [--steps N] [--iterations N] [--threads N] [--csv FILE]
//
// `adonis` takes the scene to the moment. From that state every trial, a method with rules for when it may stop, makes
// the same number of steps. All of it happens in one run: times may be compared.
#include "base/timer.h"
#include "filum/filum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A method, rules for when it may stop, and what makes them of the scene. `--iterations` fills in a set that ends with
// "=".
enum { SETS = 5 };
typedef struct trial {
    const char *rules, *method;
    const char *sets[SETS];
} trial;

#define IMPULSE "contact.method=impulse", "contact.halvings=0"
#define LINEAR "contact.method=linear"
#define GAUSS_SEIDEL "contact.tolerance=1e-3", "contact.solver=gs", "contact.halvings=0"
static const trial trials[] = {
    {"1e-6", "adonis", {NULL}},
    {"1e-6", "linear", {LINEAR}},
    {"1e-6", "impulse", {IMPULSE, "contact.max_iterations="}},
    {"1e-3", "adonis", {"contact.tolerance=1e-3"}},
    {"1e-3", "linear", {LINEAR, "contact.tolerance=1e-3"}},
    {"1e-3", "impulse", {IMPULSE, "contact.tolerance=1e-3", "contact.max_iterations="}},
    {"paper", "adonis", {GAUSS_SEIDEL}},
    {"paper", "linear", {LINEAR, GAUSS_SEIDEL}},
    {"paper", "impulse", {IMPULSE, "contact.tolerance=1e-14", "contact.still=1e-8", "contact.max_iterations=50"}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

typedef struct options {
    const char *scene, *csv;
    double moment;
    int strands, steps, iterations, threads;
} options;

// A scene that was compiled, and where its strands are.
typedef struct ball {
    fil_film *film;
    fil_model *model;
    fil_state *state;
    double h;
} ball;

// Sums over the steps of a trial, or the worst of them.
typedef struct outcome {
    double seconds, phase[FIL_PHASES], contacts, closed, linearisations, iterations, residual;
    int retries, missed, crossings; // missed: steps with parts in trouble that could not be halved any more
    unsigned trouble;
} outcome;

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "hair_ball: %s: %s\n", which, what);
    exit(2);
}

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "hair_ball: %s\n", fil_context_error(context));
    exit(status == FIL_BAD_INPUT ? 2 : 3);
}

static void open_ball(fil_context *context, const options *options, const trial *trial, ball *out)
{
    char strands[64], filled[64];
    const char *sets[SETS + 1];
    int count = 0;
    if (options->strands > 0) {
        snprintf(strands, sizeof strands, "groups.0.groom.strands=%d", options->strands);
        sets[count++] = strands;
    }
    for (int i = 0; i < SETS && trial->sets[i]; ++i) {
        const char *set = trial->sets[i];
        if (set[strlen(set) - 1] == '=') {
            snprintf(filled, sizeof filled, "%s%d", set, options->iterations);
            set = filled;
        }
        sets[count++] = set;
    }
    need(context, fil_film_read(context, options->scene, sets, count, &out->film));
    need(context, fil_model_create(context, &out->film->scene, &out->model));
    need(context, fil_state_create(context, out->model, &out->state));
    fil_timing_steps(&out->film->timing, &out->h);
}

static void close_ball(ball *ball)
{
    fil_state_destroy(ball->state);
    fil_model_destroy(ball->model);
    fil_film_destroy(ball->film);
}

static void copy_state(fil_context *context, const ball *from, ball *to)
{
    size_t size = fil_state_size(from->state);
    void *bytes = malloc(size);
    if (!bytes)
        complain("no memory", "the state");
    fil_state_save(from->state, bytes);
    if (fil_state_load(context, to->state, bytes, size) != FIL_OK)
        complain(fil_context_error(context), "the state");
    free(bytes);
}

static void add_step(const fil_step_stats *stats, int steps, outcome *out)
{
    for (int i = 0; i < FIL_PHASES; ++i)
        out->phase[i] += stats->seconds[i] / steps;
    out->contacts += (double)stats->contacts / steps;
    out->closed += (double)stats->closed / steps;
    out->linearisations += (double)stats->linearisations / steps;
    out->iterations += (double)stats->contact_iterations / steps;
    out->residual = fmax(out->residual, stats->contact_residual);
    out->retries += stats->retries;
    out->missed += stats->rough_parts > 0;
    out->trouble |= stats->trouble;
    out->crossings += stats->crossings;
}

static void run_trial(fil_context *context, const options *options, const ball *start, const trial *trial, outcome *out)
{
    ball ball;
    fil_step_stats stats;
    open_ball(context, options, trial, &ball);
    // A first step that does not count asks for the memory.
    copy_state(context, start, &ball);
    need(context, fil_step(context, ball.state, ball.h, &stats));
    copy_state(context, start, &ball);
    *out = (outcome){0};
    for (int i = 0; i < options->steps; ++i) {
        double begin = fil_timer_seconds();
        need(context, fil_step(context, ball.state, ball.h, &stats));
        out->seconds += (fil_timer_seconds() - begin) / options->steps;
        add_step(&stats, options->steps, out);
    }
    close_ball(&ball);
}

// "contact+strand"; "-": none.
static void name_trouble(unsigned trouble, char out[64])
{
    int length = snprintf(out, 64, "%s", trouble ? "" : "-");
    for (int i = 0; i < FIL_TROUBLES; ++i)
        if (trouble & 1u << i)
            length += snprintf(out + length, 64 - (size_t)length, "%s%s", length > 0 ? "+" : "", fil_trouble_name(i));
}

static void show(const trial *trial, const outcome *out, double unit)
{
    char trouble[64];
    name_trouble(out->trouble, trouble);
    printf("%-5s  %-7s %8.3f %7.2f ", trial->rules, trial->method, 1e3 * out->seconds, out->seconds / unit);
    for (int i = 0; i < FIL_PHASES; ++i)
        printf(" %7.3f", out->phase[i] / unit);
    printf(" %8.0f %6.0f %5.1f %9.1f %9.2e %7d %6d %9d  %s\n", out->contacts, out->closed, out->linearisations,
           out->iterations, out->residual, out->retries, out->missed, out->crossings, trouble);
    fflush(stdout);
}

static void show_head(const ball *start, const options *options)
{
    printf("%d strands, from %g s on, %d steps of %g s, %d threads; times and phases: adonis at 1e-6 is 1\n",
           fil_model_strand_count(start->model, 0), fil_state_time(start->state), options->steps, start->h,
           options->threads);
    printf("%-5s  %-7s %8s %7s ", "rules", "method", "ms/step", "time");
    for (int i = 0; i < FIL_PHASES; ++i)
        printf(" %7s", fil_phase_name(i));
    printf(" %8s %6s %5s %9s %9s %7s %6s %9s  %s\n", "contacts", "closed", "lin.", "iterat.", "residual", "retries",
           "missed", "crossings", "trouble");
}

static void write_csv(const char *path, const outcome *outcomes)
{
    FILE *file = fopen(path, "w");
    if (!file)
        complain("cannot be written", path);
    fprintf(file, "rules,method,seconds");
    for (int i = 0; i < FIL_PHASES; ++i)
        fprintf(file, ",seconds_%s", fil_phase_name(i));
    fprintf(file, ",contacts,closed,linearisations,iterations,residual,retries,missed,crossings,trouble\n");
    for (int t = 0; t < TRIALS; ++t) {
        const outcome *out = &outcomes[t];
        char trouble[64];
        name_trouble(out->trouble, trouble);
        fprintf(file, "%s,%s,%.6g", trials[t].rules, trials[t].method, out->seconds);
        for (int i = 0; i < FIL_PHASES; ++i)
            fprintf(file, ",%.6g", out->phase[i]);
        fprintf(file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%d,%s\n", out->contacts, out->closed, out->linearisations,
                out->iterations, out->residual, out->retries, out->missed, out->crossings, trouble);
    }
    if (fclose(file) != 0)
        complain("cannot be written", path);
}

static double read_number(const char *name, const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high)) {
        fprintf(stderr, "hair_ball: %s: must be a number from %g to %g (got '%s')\n", name, low, high, text);
        exit(2);
    }
    return value;
}

static options read_options(int argc, char **argv)
{
    options out = {.moment = 1.08, .steps = 20, .iterations = 1000, .threads = 2};
    struct {
        const char *name;
        int *value;
        double high;
    } numbers[] = {{"--strands", &out.strands, 1e6},
                   {"--steps", &out.steps, 1e6},
                   {"--iterations", &out.iterations, 1e5},
                   {"--threads", &out.threads, 1000}};
    if (argc < 2)
        complain("must be given", "SCENE");
    out.scene = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc)
            complain("needs a value", argv[i]);
        bool known = strcmp(argv[i], "--csv") == 0 || strcmp(argv[i], "--moment") == 0;
        if (strcmp(argv[i], "--csv") == 0)
            out.csv = argv[i + 1];
        if (strcmp(argv[i], "--moment") == 0)
            out.moment = read_number(argv[i], argv[i + 1], 0, 1e3);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
            if (strcmp(argv[i], numbers[k].name) == 0) {
                *numbers[k].value = (int)read_number(argv[i], argv[i + 1], 1, numbers[k].high);
                known = true;
            }
        if (!known)
            complain("no such option", argv[i]);
    }
    return out;
}

int main(int argc, char **argv)
{
    static outcome outcomes[TRIALS];
    options options = read_options(argc, argv);
    fil_context_def def = fil_context_def_default();
    def.threads = options.threads;
    fil_context *context = fil_context_create(&def);
    if (!context)
        complain("no memory", "start");
    ball start;
    open_ball(context, &options, &(trial){.method = "adonis"}, &start);
    for (int i = 0; i < (int)lround(options.moment / start.h); ++i)
        need(context, fil_step(context, start.state, start.h, NULL));
    show_head(&start, &options);
    for (int t = 0; t < TRIALS; ++t) {
        run_trial(context, &options, &start, &trials[t], &outcomes[t]);
        show(&trials[t], &outcomes[t], outcomes[0].seconds);
    }
    if (options.csv)
        write_csv(options.csv, outcomes);
    close_ball(&start);
    fil_context_destroy(context);
    return 0;
}
