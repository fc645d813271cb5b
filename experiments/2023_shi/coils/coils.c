// The coil tests of [Shi23]: a coil is deformed badly; does it come back in large time steps?
//
//     coils [--csv FILE] [--svg FILE] [--test NAME] [--method NAME] [--start NAME] [--seeds 4] [--frames 60]
//           [--iterations 3] [--cgs] [--bend 1] [--twist 1] [--mean-axes]
//
// A coil starts in one of three ways. `state`: the simulation starts with the deformed coil, at rest. `iterate`: the
// state is the coil without load, and only the first iterate of the first Newton solve is deformed, as the authors'
// code does for lifted. `direction` (only when asked for) is what it does for rods: the first Newton direction is
// computed at the deformed coil and then taken from the coil without load.
//
// The last options change the rods into those of the authors, see README.md: --cgs computes with the paper's numbers
// instead of SI units (Newton's method does not care, a filter that mixes lengths and angles does), --bend and --twist
// are factors on stiffnesses, --mean-axes is explained in mean_axes.h. --svg plots one test over time.
#include "coil.h"
#include "mean_axes.h"

#include "filum/filum.h"
#include "render/plot.h"
#include "step/step_pack.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEEDS = 64, MOST_FRAMES = 3000 };

typedef struct method {
    const char *name, *model;
    bool full; // Newton's method with line search until it has converged
} method;

static const method methods[] = {
    {"lifted analytic", "lifted:hessian=analytic", false},
    {"lifted filter", "lifted:hessian=filter", false},
    {"lifted adaptive", "lifted:hessian=adaptive", false},
    {"der none", "der:hessian=none", false},
    {"der gauss-newton", "der:hessian=gauss-newton", false},
    {"der filter", "der:hessian=filter", false},
    {"der gauss-newton+stretch", "der:hessian=gauss-newton+stretch", false},
    {"lifted newton", "lifted", true},
    {"der newton", "der", true},
};
enum { METHODS = sizeof methods / sizeof *methods };

typedef enum start { START_STATE, START_ITERATE, START_DIRECTION, STARTS } start;
static const char *const start_names[STARTS] = {"state", "iterate", "direction"};

typedef struct options {
    const char *csv, *svg, *test, *method, *start;
    int seeds, frames, iterations;
    bool cgs, mean_axes;
    double bend, twist; // factors on the stiffness
} options;

// How a run ended.
typedef struct outcome {
    int strands, recovered;
    double stretch, bend, distance; // the worst of all strands: | |e| / l - 1 |; rad; in radii of the coil
    double kinetic;                 // energy at the end, of all strands: J (erg with --cgs)
    int broken;                     // steps in which numbers were lost
    double iterations;              // per step, mean
    int most_iterations;            // of a step
    int unfinished;                 // steps that did not converge
    double frames[MOST_FRAMES];     // the largest stretch of the first strand, frame by frame
} outcome;

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "coils: %s\n", fil_context_error(context));
    exit(status == FIL_BAD_INPUT ? 2 : 3);
}

// One run: its coil, its scene, and how to step it.
typedef struct run {
    fil_context *context;
    const options *options;
    const coil_test *test;
    const method *method;
    start start;
    coil coil;
    double unit; // of length
    int strands;
    double rest[3 * COIL_MOST_VERTICES * MOST_SEEDS], deformed[3 * COIL_MOST_VERTICES * MOST_SEEDS];
    double target[3 * COIL_MOST_VERTICES]; // where the coil belongs
    double now[3 * COIL_MOST_VERTICES * MOST_SEEDS];
    fil_model *model;
    fil_state *state;
} run;

// Setting up ---------------------------------------------------------------------------------------------------------

static void shape_run(run *r)
{
    bool hanging = r->test->deed == COIL_STRAIGHTEN;
    r->coil = hanging ? coil_hanging() : coil_wisp();
    r->strands = r->test->deed == COIL_JITTER ? r->options->seeds : 1;
    size_t numbers = 3 * (size_t)r->coil.vertices;
    for (int strand = 0; strand < r->strands; ++strand) {
        double *deformed = r->deformed + numbers * (size_t)strand;
        coil_deform(&r->coil, r->test, (uint64_t)strand + 1, deformed);
        for (size_t k = 0; k < numbers; ++k) {
            r->rest[numbers * (size_t)strand + k] = r->unit * r->coil.rest[k];
            deformed[k] *= r->unit;
        }
    }
    memcpy(r->target, r->rest, numbers * sizeof *r->target);
}

// `position` is where the strands of the new state are.
static void open_state(run *r, int strands, const double *position, fil_model **model, fil_state **state)
{
    int vertex_count[MOST_SEEDS];
    unsigned char hold[COIL_MOST_VERTICES * MOST_SEEDS] = {0};
    for (int strand = 0; strand < strands; ++strand) {
        vertex_count[strand] = r->coil.vertices;
        memset(hold + (size_t)strand * (size_t)r->coil.vertices, 1, (size_t)r->coil.held);
    }
    bool cgs = r->options->cgs;
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    group.model = r->method->model;
    group.material = fil_material_default();
    group.material.young = cgs ? 3.9e9 : 3.9e8;
    group.material.poisson = 0.48;
    group.material.density = cgs ? 1.3 : 1300;
    group.material.radius = 0.1 * r->unit;
    group.material.bend_scale = r->options->bend;
    group.material.twist_scale = r->options->twist;
    group.root = FIL_END_CLAMPED;
    group.groom = (fil_groom){
        .strand_count = strands, .vertex_count = vertex_count, .position = position, .rest = r->rest, .hold = hold};
    scene.gravity[1] = r->test->deed == COIL_STRAIGHTEN ? -981 * r->unit : 0;
    scene.groups = &group;
    scene.group_count = 1;
    if (!r->method->full) {
        scene.motion.method = FIL_METHOD_FIXED;
        scene.motion.max_iterations = r->options->iterations;
    }
    need(r->context, fil_model_create(r->context, &scene, model));
    need(r->context, fil_state_create(r->context, *model, state));
}

// Under gravity a coil comes back to its equilibrium.
static void find_target(run *r)
{
    if (r->test->deed != COIL_STRAIGHTEN)
        return;
    fil_model *model;
    fil_state *state;
    open_state(r, 1, r->rest, &model, &state);
    need(r->context, fil_relax(r->context, state, 1000, NULL));
    fil_state_read(state, 0, &(fil_frame){.position = r->target});
    fil_state_destroy(state);
    fil_model_destroy(model);
}

// The first step of `iterate` and `direction` ------------------------------------------------------------------------

// The deformed coil as the iterate, and the frame that belongs to it.
static void deform_iterate(const run *r, const fil_step_job *job, fil_newton *newton)
{
    const fil_strands *S = newton->S;
    int dofs = S->type->dofs;
    ptrdiff_t row = S->pack_row[newton->pack] * FIL_LANES;
    for (int lane = 0; lane < FIL_LANES; ++lane) {
        const double *x = r->deformed + 3 * S->first_vertex[S->strand_of_slot[newton->pack * FIL_LANES + lane]];
        for (int i = r->coil.held; i < r->coil.vertices; ++i)
            for (int k = 0; k < 3; ++k)
                newton->q[((ptrdiff_t)i * dofs + k) * FIL_LANES + lane] = x[3 * (ptrdiff_t)i + k];
    }
    const fil_group_state *state = &job->state->groups[job->group];
    if (S->type->carry)
        S->type->carry(newton->vertices, state->q + row * dofs, state->frame + row * S->type->frame_count, newton->q,
                       newton->frame);
}

// One Newton iteration; true when no strand moved any more.
static bool iterate(const run *r, const fil_step_job *job, fil_newton *newton)
{
    const fil_m4 all = {-1, -1, -1, -1};
    int negative[FIL_LANES];
    fil_v4 change;
    fil_newton_evaluate(newton, false, true, &newton->energy);
    fil_newton_factor(newton, fil_v4_all(0), negative);
    fil_v4 slope = fil_newton_direction(newton, all, &change);
    if (r->method->full) {
        fil_newton_search found;
        fil_newton_line_search(newton, all, all, slope, false, &found);
    } else {
        fil_newton_try(newton, fil_v4_all(1), (fil_m4){0});
    }
    fil_newton_accept(newton);
    return fil_m4_all(change <= 1e-6 * job->s);
}

// Newton's direction at the deformed coil, taken from the coil at rest. Inertia does not see the deformation.
static void misplaced_direction(const fil_step_job *job, fil_newton *newton)
{
    const fil_m4 all = {-1, -1, -1, -1};
    int negative[FIL_LANES];
    fil_v4 change, ignored;
    double inertia = newton->a;
    fil_newton_evaluate(newton, false, true, &ignored);
    for (int j = 0; j < newton->size; ++j) { // the gradient of inertia is that at rest
        double *g = newton->gradient + (ptrdiff_t)j * FIL_LANES;
        ptrdiff_t at = (ptrdiff_t)j * FIL_LANES;
        fil_v4 moved = fil_v4_load(newton->q + at) - fil_v4_load(newton->q_tilde + at);
        fil_v4_store(g, fil_v4_load(g) -
                            inertia * fil_v4_load(newton->inertia + at) * moved * fil_v4_load(newton->is_free + at));
    }
    fil_newton_factor(newton, fil_v4_all(0), negative);
    fil_newton_direction(newton, all, &change);
    fil_pack_stand_still(job, newton);
    fil_newton_try(newton, fil_v4_all(1), (fil_m4){0});
    fil_newton_accept(newton);
}

static void first_step(run *r, double h, fil_step_stats *stats)
{
    const fil_strands *S = &r->model->groups[0];
    fil_step_job job = {
        .context = r->context, .state = r->state, .h = h, .s = h, .share = 1, .scheme = FIL_SCHEME_EULER};
    fil_step_control(&job, h, 0);
    *stats = (fil_step_stats){.strands = S->strand_count};
    for (int pack = 0; pack < S->pack_count; ++pack) {
        int count = 0, most = r->method->full ? r->model->motion.max_iterations : r->options->iterations;
        fil_newton newton;
        fil_newton_start(S, &r->state->scratch[0], pack, &newton);
        fil_pack_predict(&job, &newton);
        fil_pack_stand_still(&job, &newton);
        deform_iterate(r, &job, &newton);
        if (r->start == START_DIRECTION) {
            misplaced_direction(&job, &newton);
            ++count;
        }
        bool done = false;
        for (; count < most && !done; ++count)
            done = iterate(r, &job, &newton);
        int strands = S->strand_count - pack * FIL_LANES;
        stats->iterations += (int64_t)count * (strands < FIL_LANES ? strands : FIL_LANES);
        stats->unconverged += !done;
        stats->most_iterations = count > stats->most_iterations ? count : stats->most_iterations;
        stats->failed += !fil_m4_all(fil_pack_commit(&job, &newton));
    }
    r->state->head->time += h;
    r->state->head->h_before = h;
}

// Judging ------------------------------------------------------------------------------------------------------------

static double length_of(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// The largest | |e| / l - 1 |: what fil_state_measure calls stretch, for one strand.
static double stretch_of(const run *r, const double *x)
{
    double most = 0;
    for (int i = 0; i + 1 < r->coil.vertices; ++i) {
        const double *a = x + 3 * (size_t)i, *b = r->rest + 3 * (size_t)i;
        most = fmax(most, fabs(length_of(a, a + 3) / length_of(b, b + 3) - 1));
    }
    return most;
}

static double angle_at(const double *x)
{
    double dot = 0;
    for (int k = 0; k < 3; ++k)
        dot += (x[k] - x[k - 3]) * (x[k + 3] - x[k]);
    return acos(fmin(1, fmax(-1, dot / (length_of(x, x - 3) * length_of(x + 3, x)))));
}

// The largest error of an angle between successive edges.
static double bend_error(const run *r, const double *x)
{
    double most = 0;
    for (size_t i = 1; i + 1 < (size_t)r->coil.vertices; ++i)
        most = fmax(most, fabs(angle_at(x + 3 * i) - angle_at(r->target + 3 * i)));
    return most;
}

// The turn about the held edge that brings a hanging coil closest to where it belongs. A `lifted` strand that is held
// by one edge is free to turn about it: there is no twist in an edge. Wisps are held by a bent stem and cannot turn.
static double turn_to_target(const run *r, const double *x)
{
    double along = 0, across = 0;
    if (r->test->deed != COIL_STRAIGHTEN)
        return 0;
    for (size_t i = 0; i < 3 * (size_t)r->coil.vertices; i += 3) {
        double a[2] = {x[i] - x[0], x[i + 2] - x[2]}, b[2] = {r->target[i] - x[0], r->target[i + 2] - x[2]};
        along += a[0] * b[0] + a[1] * b[1];
        across += a[0] * b[1] - a[1] * b[0];
    }
    return atan2(across, along);
}

// Root mean square of the distances from where the vertices belong, in radii of the coil.
static double distance_from_target(const run *r, const double *x)
{
    double sum = 0, angle = turn_to_target(r, x), c = cos(angle), s = sin(angle);
    for (size_t i = 0; i < 3 * (size_t)r->coil.vertices; i += 3) {
        double a[2] = {x[i] - x[0], x[i + 2] - x[2]};
        double turned[3] = {x[0] + c * a[0] - s * a[1], x[i + 1], x[2] + s * a[0] + c * a[1]};
        double d = length_of(turned, r->target + i);
        sum += d * d;
    }
    return sqrt(sum / r->coil.vertices) / (r->coil.radius * r->unit);
}

static void judge(run *r, outcome *out)
{
    fil_measure measure;
    fil_state_measure(r->state, 0, &measure);
    out->kinetic = measure.kinetic;
    fil_state_read(r->state, 0, &(fil_frame){.position = r->now});
    for (int strand = 0; strand < r->strands; ++strand) {
        const double *x = r->now + 3 * (size_t)strand * (size_t)r->coil.vertices;
        double stretch = stretch_of(r, x), bend = bend_error(r, x), distance = distance_from_target(r, x);
        out->stretch = fmax(out->stretch, stretch);
        out->bend = fmax(out->bend, bend);
        out->distance = fmax(out->distance, distance);
        out->recovered += stretch < 0.01 && bend < 0.1 && distance < 1;
    }
}

// Running ------------------------------------------------------------------------------------------------------------

static void close_run(run *r)
{
    fil_state_destroy(r->state);
    fil_model_destroy(r->model);
}

static void play(run *r, outcome *out)
{
    const options *o = r->options;
    *out = (outcome){.strands = r->strands};
    const double h = 1.0 / 30;
    int64_t iterations = 0;
    for (int step = 0; step < o->frames; ++step) {
        fil_step_stats stats;
        if (step == 0 && r->start != START_STATE)
            first_step(r, h, &stats);
        else
            need(r->context, fil_step(r->context, r->state, h, &stats));
        iterations += stats.iterations;
        out->broken += stats.failed > 0;
        out->unfinished += stats.unconverged > 0;
        if (stats.most_iterations > out->most_iterations)
            out->most_iterations = stats.most_iterations;
        fil_state_read(r->state, 0, &(fil_frame){.position = r->now});
        out->frames[step] = stretch_of(r, r->now);
    }
    out->iterations = (double)iterations / ((double)o->frames * r->strands);
    judge(r, out);
}

static void run_once(fil_context *context, const options *o, const coil_test *test, const method *method, start start,
                     outcome *out)
{
    static run r; // large
    r = (run){.context = context, .options = o, .test = test, .method = method, .start = start};
    r.unit = o->cgs ? 1 : 0.01;
    shape_run(&r);
    find_target(&r);
    open_state(&r, r.strands, start == START_STATE ? r.deformed : r.rest, &r.model, &r.state);
    if (o->mean_axes && !mean_axes(&r.model->groups[0])) {
        fprintf(stderr, "coils: --mean-axes is for der with a Gauss-Newton Hessian\n");
        exit(2);
    }
    play(&r, out);
    close_run(&r);
}

// Showing ------------------------------------------------------------------------------------------------------------

// back: where it belongs. slow: its edges are fine, the rest is not. lost: edges are off by 1 % or more.
static const char *word_for(const outcome *out)
{
    if (out->recovered == out->strands)
        return "back";
    return out->stretch < 0.01 ? "slow" : "lost";
}

static void print_head(FILE *csv)
{
    printf("%-15s  %-24s  %-9s  %-4s %6s  %8s  %8s  %8s  %8s  %6s %4s %5s %6s\n", "test", "method", "start", "", "back",
           "stretch", "bend", "distance", "kinetic", "Newton", "most", "open", "broken");
    if (csv)
        fprintf(csv, "test,method,start,outcome,strands,recovered,stretch,bend_rad,distance_radii,kinetic,broken_steps,"
                     "iterations_per_step,most_iterations,open_steps\n");
}

static void print_row(FILE *csv, const coil_test *test, const method *method, start start, const outcome *out)
{
    printf("%-15s  %-24s  %-9s  %-4s %3d/%-2d  %8.1e  %8.1e  %8.1e  %8.1e  %6.1f %4d %5d %6d\n", test->name,
           method->name, start_names[start], word_for(out), out->recovered, out->strands, out->stretch, out->bend,
           out->distance, out->kinetic, out->iterations, out->most_iterations, out->unfinished, out->broken);
    if (csv)
        fprintf(csv, "%s,%s,%s,%s,%d,%d,%.6g,%.6g,%.6g,%.6g,%d,%.6g,%d,%d\n", test->name, method->name,
                start_names[start], word_for(out), out->strands, out->recovered, out->stretch, out->bend, out->distance,
                out->kinetic, out->broken, out->iterations, out->most_iterations, out->unfinished);
}

// The curves of all methods in one test, a panel for each start.
typedef struct picture {
    double frame[MOST_FRAMES], stretch[2][METHODS][MOST_FRAMES];
} picture;

static void remember(picture *p, int method, start start, int frames, const outcome *out)
{
    // What is off the picture follows its rim.
    for (int i = 0; i < frames; ++i) {
        p->frame[i] = i + 1;
        p->stretch[start][method][i] = fmin(fmax(out->frames[i], 1e-12), 1e4);
    }
}

static fil_status draw(fil_context *context, const options *o, const picture *p)
{
    fil_plot_series series[2][METHODS];
    fil_plot_panel panels[2];
    for (int s = 0; s < 2; ++s) {
        for (int m = 0; m < METHODS; ++m)
            series[s][m] = (fil_plot_series){.name = methods[m].name,
                                             .x = p->frame,
                                             .y = p->stretch[s][m],
                                             .count = o->frames,
                                             .form = FIL_PLOT_CURVE};
        panels[s] = (fil_plot_panel){
            .title = s == START_STATE ? "start: the deformed coil" : "start: only the first iterate is deformed",
            .x = {.label = "frame"},
            .y = {.label = "largest stretch of an edge", .log = true, .min = 1e-12, .max = 1e4},
            .series = series[s],
            .level = 0.01,
            .level_name = "1 %"};
    }
    fil_plot plot = {.title = o->test,
                     .subtitle =
                         "steps of 1/30 s with 3 Newton iterations; \"newton\": with line search, until converged",
                     .width = 1100,
                     .height = 460,
                     .panels = panels,
                     .panel_count = 2,
                     .series_count = METHODS};
    return fil_plot_write(context, &plot, o->svg);
}

// Options ------------------------------------------------------------------------------------------------------------

static bool wanted(const char *choice, const char *name)
{
    return !choice || strcmp(choice, name) == 0;
}

static void complain(const char *text, const char *word)
{
    fprintf(stderr, "coils: %s: %s\n", word, text);
    exit(2);
}

static void read_options(int argc, char **argv, options *o)
{
    *o = (options){.seeds = 4, .frames = 60, .iterations = 3, .bend = 1, .twist = 1};
    struct {
        const char *name;
        const char **text;
        int *whole, most;
        double *real;
        bool *flag;
    } known[] = {{"--csv", .text = &o->csv},
                 {"--svg", .text = &o->svg},
                 {"--test", .text = &o->test},
                 {"--method", .text = &o->method},
                 {"--start", .text = &o->start},
                 {"--seeds", .whole = &o->seeds, .most = MOST_SEEDS},
                 {"--frames", .whole = &o->frames, .most = MOST_FRAMES},
                 {"--iterations", .whole = &o->iterations, .most = 1000},
                 {"--bend", .real = &o->bend},
                 {"--twist", .real = &o->twist},
                 {"--cgs", .flag = &o->cgs},
                 {"--mean-axes", .flag = &o->mean_axes}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (int i = 1; i < argc; ++i) {
        int k = 0;
        while (k < KNOWN && strcmp(argv[i], known[k].name) != 0)
            ++k;
        if (k == KNOWN)
            complain("no such option", argv[i]);
        if (known[k].flag) {
            *known[k].flag = true;
            continue;
        }
        if (++i == argc)
            complain("needs a value", known[k].name);
        if (known[k].text)
            *known[k].text = argv[i];
        if (known[k].real && !((*known[k].real = strtod(argv[i], NULL)) > 0))
            complain("must be a number > 0", known[k].name);
        if (known[k].whole) {
            *known[k].whole = (int)strtol(argv[i], NULL, 10);
            if (*known[k].whole < 1 || *known[k].whole > known[k].most)
                complain("out of range", known[k].name);
        }
    }
    if (o->svg && (!o->test || o->method || o->start))
        complain("plots one --test with all methods and both starts", "--svg");
}

// All runs that the options ask for; returns how many.
static int run_all(fil_context *context, const options *o, FILE *csv, picture *p)
{
    static outcome out; // large
    int count = 0;
    // Another start than the two common ones must be named.
    int starts = o->start ? STARTS : START_DIRECTION;
    for (int t = 0; t < COIL_TESTS; ++t)
        for (int m = 0; m < METHODS; ++m)
            for (int s = 0; s < starts; ++s) {
                if (!wanted(o->test, coil_tests[t].name) || !wanted(o->method, methods[m].name) ||
                    !wanted(o->start, start_names[s]))
                    continue;
                run_once(context, o, &coil_tests[t], &methods[m], (start)s, &out);
                print_row(csv, &coil_tests[t], &methods[m], (start)s, &out);
                if (o->svg)
                    remember(p, m, (start)s, o->frames, &out);
                ++count;
            }
    return count;
}

int main(int argc, char **argv)
{
    static picture p; // large
    options o;
    read_options(argc, argv, &o);
    fil_context_def def = fil_context_def_default();
    def.threads = 1;
    fil_context *context = fil_context_create(&def);
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL;
    if (!context || (o.csv && !csv)) {
        fprintf(stderr, "coils: %s\n", context ? "cannot write the CSV file" : "no memory");
        return 3;
    }
    print_head(csv);
    if (run_all(context, &o, csv, &p) == 0)
        complain("no such test, method or start", o.test ? o.test : o.method ? o.method : o.start);
    if (csv && fclose(csv) != 0)
        return 3;
    if (o.svg)
        need(context, draw(context, &o, &p));
    fil_context_destroy(context);
    return 0;
}
