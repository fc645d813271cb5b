// How long a step of many short strands takes, and what of it [Han13, section 4].
//
//     crowd [--strands N] [--steps N] [--threads N] [--device cpu|opencl|opencl-strand] [--csv FILE]
//
// Strands of 6 vertices stand on a ball that turns to and fro; a step is 1/60 s. The paper's step: gravity, then two
// rounds of 8 sweeps over the bends, one tridiagonal solve and the ball. Without --strands: 100,000 (the mushroom) and
// 200,000 (the castle); without --threads: 1 and 2; without --device: all, and a device of OpenCL decides itself about
// threads. opencl-strand: the numbers of a strand lie together, as in the paper.
//
// What a part takes is a difference of whole steps (fil_step) that have it and that do not:
//
//     bends        the paper's step - without bends
//     the ball     the paper's step - without the ball
//     distances    (12 rounds - 2 rounds) / 10, both without bends and ball: one solve
//     the rest     2 rounds without bends and ball - 2 solves: gravity, poses of the roots, the new state
//
// All variants take their steps in turn, so that a busy moment of the machine meets all of them; medians are told.
#include "base/timer.h"
#include "filum/filum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 6, WARM = 30, MOST_STEPS = 10000 };
static const double h = 1.0 / 60;

typedef enum variant { PAPER, NO_BENDS, NO_BALL, TWO_ROUNDS, TWELVE_ROUNDS, DEFAULTS, VARIANTS } variant;

static const struct {
    const char *name, *model;
    bool ball;
} variants[VARIANTS] = {
    [PAPER] = {"the paper's step", "tridiag:form=pbd,rounds=2,bends=8", true},
    [NO_BENDS] = {"without bends", "tridiag:form=pbd,rounds=2,bends=0", true},
    [NO_BALL] = {"without the ball", "tridiag:form=pbd,rounds=2,bends=8", false},
    [TWO_ROUNDS] = {"2 rounds of distances alone", "tridiag:form=pbd,rounds=2,bends=0", false},
    [TWELVE_ROUNDS] = {"12 rounds of distances alone", "tridiag:form=pbd,rounds=12,bends=0", false},
    [DEFAULTS] = {"tridiag as it is by default", "tridiag", true},
};

typedef enum device { CPU, OPENCL, OPENCL_STRAND, DEVICES } device;
static const struct {
    const char *name, *settings;
} devices[DEVICES] = {
    {"cpu", "device=cpu"}, {"opencl", "device=opencl"}, {"opencl-strand", "device=opencl,layout=strand"}};

typedef struct options {
    int strands, steps, threads; // strands, threads: 0: as the head says
    int device;                  // DEVICES: all
    const char *csv;
} options;

typedef struct result {
    double seconds[VARIANTS], stretch; // medians of a step; largest of an edge, at the end of the paper's step
    int failed;
} result;

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "crowd: %s\n", fil_context_error(context));
    exit(3);
}

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "crowd: %s: %s\n", which, what);
    exit(2);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- the scene

typedef struct crowd {
    fil_model *model[VARIANTS];
    fil_state *state[VARIANTS];
} crowd;

// False: there is no such device here.
static bool make_crowd(fil_context *context, int strands, device device, crowd *out)
{
    static const double radius = 0.15, time[] = {0, 0.5, 1, 1.5, 2};
    static const double turn[] = {0, 0, 0, 0, 0, 1, 0, 0,  0, 0, -1, 0, 0, 0, 0,
                                  0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0,  0, 0, 0, 0};
    char text[160];
    fil_curves *curves;
    snprintf(text, sizeof text, "hairball:strands=%d,length=0.05,segment=0.01,variation=0,sphere=%g", strands, radius);
    need(context, fil_curves_generate(context, text, &curves));
    if (curves->vertex_total != (int64_t)VERTICES * strands)
        complain("must have 6 vertices", "a strand");
    fil_path path = {.track = {.key_count = 5, .time = time, .value = turn}};
    fil_contacts contacts = fil_contacts_default();
    fil_obstacle ball = fil_obstacle_default();
    ball.shape = FIL_OBSTACLE_SPHERE;
    ball.size[0] = radius;
    ball.path = path;
    for (int v = 0; v < VARIANTS; ++v) {
        fil_group group = fil_group_default();
        fil_scene scene = fil_scene_default();
        char model[160];
        snprintf(model, sizeof model, "%s%s%s", variants[v].model, strchr(variants[v].model, ':') ? "," : ":",
                 devices[device].settings);
        group.model = model;
        group.root_path = path;
        group.groom = (fil_groom){
            .strand_count = curves->strand_count, .vertex_count = curves->vertex_count, .position = curves->position};
        scene.groups = &group;
        scene.group_count = 1;
        scene.contacts = variants[v].ball ? &contacts : NULL;
        scene.obstacles = &ball;
        scene.obstacle_count = variants[v].ball ? 1 : 0;
        need(context, fil_model_create(context, &scene, &out->model[v]));
        fil_status status = fil_state_create(context, out->model[v], &out->state[v]);
        if (status == FIL_UNAVAILABLE) {
            fil_model_destroy(out->model[v]);
            fil_curves_destroy(curves);
            return false;
        }
        need(context, status);
    }
    fil_curves_destroy(curves);
    return true;
}

// False, after a word: there is no such device here.
static bool measure(int strands, int threads, device device, int steps, result *out)
{
    static double seconds[VARIANTS][MOST_STEPS];
    fil_context_def def = fil_context_def_default();
    def.threads = threads;
    fil_context *context = fil_context_create(&def);
    if (!context)
        complain("no memory", "start");
    crowd made;
    *out = (result){0};
    if (!make_crowd(context, strands, device, &made)) {
        printf("%s: left out: %s\n\n", devices[device].name, fil_context_error(context));
        fil_context_destroy(context);
        return false;
    }
    for (int i = 0; i < WARM + steps; ++i)
        for (int v = 0; v < VARIANTS; ++v) {
            fil_step_stats stats;
            double start = fil_timer_seconds();
            need(context, fil_step(context, made.state[v], h, &stats));
            seconds[v][i < WARM ? 0 : i - WARM] = fil_timer_seconds() - start;
            out->failed += stats.failed;
        }
    fil_measure sum;
    fil_state_measure(made.state[PAPER], 0, &sum);
    out->stretch = sum.stretch;
    for (int v = 0; v < VARIANTS; ++v) {
        qsort(seconds[v], (size_t)steps, sizeof(double), compare);
        out->seconds[v] = seconds[v][steps / 2];
        fil_state_destroy(made.state[v]);
        fil_model_destroy(made.model[v]);
    }
    fil_context_destroy(context);
    return true;
}

// ---- results

enum { BENDS, BALL, SOLVE, REST, PARTS };

static void divide(const result *r, double parts[PARTS])
{
    parts[BENDS] = r->seconds[PAPER] - r->seconds[NO_BENDS];
    parts[BALL] = r->seconds[PAPER] - r->seconds[NO_BALL];
    parts[SOLVE] = (r->seconds[TWELVE_ROUNDS] - r->seconds[TWO_ROUNDS]) / 10;
    parts[REST] = r->seconds[TWO_ROUNDS] - 2 * parts[SOLVE];
}

static void tell(int strands, int threads, device device, const result *r, FILE *csv)
{
    static const char *const names[PARTS] = {"bends, 2 x 8 sweeps", "the ball, 2 times", "one distance solve",
                                             "the rest"};
    double parts[PARTS], whole = r->seconds[PAPER];
    divide(r, parts);
    printf("%d strands of %d vertices, %s, %d thread%s: %.1f steps per second\n", strands, VERTICES,
           devices[device].name, threads, threads > 1 ? "s" : "", 1 / whole);
    for (int v = 0; v < VARIANTS; ++v)
        printf("  %-30s %8.2f ms\n", variants[v].name, 1e3 * r->seconds[v]);
    for (int part = 0; part < PARTS; ++part)
        printf("    %-28s %8.2f ms %5.1f %%\n", names[part], 1e3 * parts[part], 100 * parts[part] / whole);
    printf("  stretch %.2g %%, %d strands failed\n\n", 100 * r->stretch, r->failed);
    if (csv)
        fprintf(csv, "%s,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4g,%d\n", devices[device].name, strands, threads,
                1e3 * whole, 1e3 * parts[BENDS], 1e3 * parts[BALL], 1e3 * parts[SOLVE], 1e3 * parts[REST],
                1e3 * r->seconds[DEFAULTS], 100 * r->stretch, r->failed);
}

static int whole_number(const char *text, const char *option, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > most)
        complain("must be a whole number that is not too large", option);
    return (int)value;
}

static int which_device(const char *name)
{
    int i = 0;
    while (i < DEVICES && strcmp(devices[i].name, name) != 0)
        ++i;
    if (i == DEVICES)
        complain("must be cpu, opencl or opencl-strand", "--device");
    return i;
}

static options read_options(int argc, char **argv)
{
    options out = {.steps = 60, .device = DEVICES};
    for (int i = 1; i < argc; i += 2) {
        static const char *const known[] = {"--strands", "--steps", "--threads", "--device", "--csv"};
        int which = 0;
        while (which < 5 && strcmp(argv[i], known[which]) != 0)
            ++which;
        if (which == 5)
            complain("no such option", argv[i]);
        if (i + 1 == argc)
            complain("needs a value", argv[i]);
        if (which == 0)
            out.strands = whole_number(argv[i + 1], argv[i], 10000000);
        else if (which == 1)
            out.steps = whole_number(argv[i + 1], argv[i], MOST_STEPS);
        else if (which == 2)
            out.threads = whole_number(argv[i + 1], argv[i], 1024);
        else if (which == 3)
            out.device = which_device(argv[i + 1]);
        else
            out.csv = argv[i + 1];
    }
    return out;
}

int main(int argc, char **argv)
{
    options options = read_options(argc, argv);
    FILE *csv = options.csv ? fopen(options.csv, "w") : NULL;
    if (options.csv && !csv)
        complain("cannot be written", options.csv);
    if (csv)
        fprintf(
            csv,
            "device,strands,threads,step_ms,bends_ms,ball_ms,solve_ms,rest_ms,defaults_ms,stretch_percent,failed\n");
    for (int device = 0; device < DEVICES; ++device)
        for (int strands = 100000; strands <= 200000; strands += 100000)
            for (int threads = 1; threads <= 2; ++threads) {
                int used = options.threads > 0 ? options.threads : threads;
                int count = options.strands > 0 ? options.strands : strands;
                bool again = (options.threads > 0 && threads > 1) || (options.strands > 0 && strands > 100000);
                bool other = options.device != DEVICES && options.device != device;
                bool alone = device != CPU && threads == 1 && options.threads == 0; // it does not heed them
                result r;
                if (!again && !other && !alone && measure(count, used, device, options.steps, &r))
                    tell(count, used, device, &r, csv);
            }
    if (csv && fclose(csv) != 0)
        complain("cannot be written", options.csv);
    return 0;
}
