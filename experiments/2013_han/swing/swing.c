// A strand that swings: how much it stretches, and how high it comes [Han13, section 4, figures 3 and 4, table 1].
//
//     swing [--out FOLDER]
//
// 51 vertices, 1 m, the root pinned, released from horizontal, for 2 s: the live models in steps of 1 to 8 ms, and
// `der`, almost without stiffness against bending: by BDF2 in steps of 0.1 and 0.2 ms for what a strand really does, by
// backward Euler in the steps of the live models. FOLDER gets swing.csv (one row for each run), and of the live models
// with 4 ms and the first `der` stretch.csv, trajectory.csv, stretch.svg and trajectory.svg.
#include "filum/filum.h"
#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 51, SAMPLES = 500, SHOWN = 5 };
static const double length = 1, duration = 2, gravity = 9.81, sample = 0.004;
// 4 ms is the paper's step, or nearly; what is near it shows how much of a number is luck.
static const double live_steps[] = {0.001, 0.002, 0.004, 0.00404, 0.00408, 0.00412, 0.008}, figure_step = 0.004;
static const double fine_steps[] = {0.0001, 0.0002};
enum { LIVE_STEPS = sizeof live_steps / sizeof *live_steps, FINE_STEPS = sizeof fine_steps / sizeof *fine_steps };

typedef struct method {
    const char *name, *model;
    bool equal_masses; // of all vertices that move; otherwise the last one has half of it
    bool shown;        // in the figures
    bool fine;         // in fine steps, by BDF2
    double bend;       // der: factor on the stiffness against bending
} method;

static const method methods[] = {
    {"tridiag", "tridiag:rounds=2,bends=0", .equal_masses = true, .shown = true},
    {"dftl", "dftl:bends=0", .equal_masses = true, .shown = true},
    {"pbd 2", "pbd:rounds=2,bends=0,equal_masses=true", .equal_masses = true, .shown = true},
    {"pbd 5", "pbd:rounds=5,bends=0,equal_masses=true", .equal_masses = true, .shown = true},
    {"pbd 40", "pbd:rounds=40,bends=0,equal_masses=true", .equal_masses = true, .shown = true},
    {"der", "der", .shown = true, .fine = true, .bend = 1e-4},
    {"der stiffer", "der", .fine = true, .bend = 1e-3},
    {"der euler", "der", .bend = 1e-4},
    {"tridiag rod", "tridiag:rounds=2,bends=0,equal_masses=false", .bend = 1},
    {"pbd 40 rod", "pbd:rounds=40,bends=0", .bend = 1},
    {"dftl whole", "dftl:bends=0,correction=1", .equal_masses = true},
    {"tridiag 1", "tridiag:rounds=1,bends=0", .equal_masses = true},
};
enum { METHODS = sizeof methods / sizeof *methods, FIGURES = 6 };

// What is measured, and for the figures every 4 ms.
typedef struct result {
    int method;
    double step;
    double stretch, edge;  // largest: of the whole length, of an edge
    double turn, regained; // when the centre of mass is highest on the left side; how much of its fall it has regained
    double lost_turn, lost_end; // energy lost by then and in the end, in units of the fall of the centre of mass
    int failed, unconverged;
    int count;
    double time[SAMPLES + 1], stretches[SAMPLES + 1], height[SAMPLES + 1];
    double x[SHOWN][SAMPLES + 1], y[SHOWN][SAMPLES + 1]; // of every tenth vertex
} result;

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "swing: %s\n", fil_context_error(context));
    exit(3);
}

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "swing: %s: %s\n", which, what);
    exit(2);
}

// ---- a run

typedef struct strand {
    double x[3 * VERTICES], v[3 * VERTICES];
} strand;

// What a strand is like at one moment.
typedef struct moment {
    double time, stretch, edge; // of the whole length, signed; the largest size of one edge
    double centre[2], energy;   // of all that moves, for each kg
} moment;

static moment look(const fil_state *state, bool equal_masses, strand *at)
{
    moment out = {.time = fil_state_time(state)};
    double sum = 0, masses = 0;
    fil_state_read(state, 0, &(fil_frame){.position = at->x, .velocity = at->v});
    for (int i = 1; i < VERTICES; ++i) {
        const double *x = at->x + 3 * (ptrdiff_t)i, *v = at->v + 3 * (ptrdiff_t)i;
        double mass = i + 1 < VERTICES || equal_masses ? 1 : 0.5;
        double edge = hypot(hypot(x[0] - x[-3], x[1] - x[-2]), x[2] - x[-1]);
        sum += edge;
        out.edge = fmax(out.edge, fabs(edge * (VERTICES - 1) / length - 1));
        masses += mass;
        for (int k = 0; k < 2; ++k)
            out.centre[k] += mass * x[k];
        out.energy += mass * (0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + gravity * x[1]);
    }
    out.stretch = sum / length - 1;
    out.centre[0] /= masses;
    out.centre[1] /= masses;
    out.energy /= masses;
    return out;
}

// How far below the root the centre of mass is of a strand that hangs.
static double depth_of(bool equal_masses)
{
    double sum = 0, masses = 0;
    for (int i = 1; i < VERTICES; ++i) {
        double mass = i + 1 < VERTICES || equal_masses ? 1 : 0.5;
        sum += mass * length * i / (VERTICES - 1);
        masses += mass;
    }
    return sum / masses;
}

static void keep(result *out, const moment *now, const strand *at)
{
    int k = out->count++;
    if (k > SAMPLES)
        complain("too many samples", methods[out->method].name);
    out->time[k] = now->time;
    out->stretches[k] = 100 * now->stretch;
    out->height[k] = now->centre[1];
    for (int s = 0; s < SHOWN; ++s) {
        ptrdiff_t vertex = (ptrdiff_t)(VERTICES - 1) * (s + 1) / SHOWN;
        out->x[s][k] = at->x[3 * vertex];
        out->y[s][k] = at->x[3 * vertex + 1];
    }
}

static void make_state(fil_context *context, const method *method, fil_model **model, fil_state **state)
{
    static const int vertices = VERTICES;
    double x[3 * VERTICES] = {0};
    for (int i = 0; i < VERTICES; ++i)
        x[3 * i] = length * i / (VERTICES - 1);
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    group.model = method->model;
    group.root = FIL_END_PINNED;
    group.groom = (fil_groom){.strand_count = 1, .vertex_count = &vertices, .position = x};
    // Live models read masses alone, if anything. der: hardly longer under many times its weight; with a factor of 1e-4
    // it bends under its own weight within (EI / weight of a metre)^(1/3) = 6 mm, less than an edge.
    group.material.radius = 1e-4;
    group.material.density = 1000;
    group.material.young = 1e10;
    group.material.bend_scale = group.material.twist_scale = method->bend;
    scene.gravity[1] = -gravity;
    scene.motion.scheme = method->fine ? FIL_SCHEME_BDF2 : FIL_SCHEME_EULER;
    scene.motion.tolerance = 1e-8;
    scene.groups = &group;
    scene.group_count = 1;
    need(context, fil_model_create(context, &scene, model));
    need(context, fil_state_create(context, *model, state));
}

static void swing(fil_context *context, int method_index, double h, result *out)
{
    const method *method = &methods[method_index];
    const int count = (int)lround(duration / h), every = h < sample ? (int)lround(sample / h) : 1;
    const double depth = depth_of(method->equal_masses);
    fil_model *model;
    fil_state *state;
    strand at;
    *out = (result){.method = method_index, .step = h, .regained = -1};
    make_state(context, method, &model, &state);
    moment now = look(state, method->equal_masses, &at);
    keep(out, &now, &at);
    int side = 0; // 1: the centre of mass is on the left, 2: it has come back
    for (int i = 1; i <= count; ++i) {
        fil_step_stats stats;
        need(context, fil_step(context, state, h, &stats));
        now = look(state, method->equal_masses, &at);
        out->failed += stats.failed;
        out->unconverged += stats.unconverged;
        out->stretch = fmax(out->stretch, fabs(now.stretch));
        out->edge = fmax(out->edge, now.edge);
        side += side == 0 && now.centre[0] < 0;
        side += side == 1 && now.centre[0] > 0;
        if (side == 1 && 1 + now.centre[1] / depth > out->regained) {
            out->regained = 1 + now.centre[1] / depth;
            out->turn = now.time;
            out->lost_turn = -now.energy / (gravity * depth);
        }
        if (i % every == 0)
            keep(out, &now, &at);
    }
    out->lost_end = -now.energy / (gravity * depth);
    fil_state_destroy(state);
    fil_model_destroy(model);
}

// ---- results

static const char *const figure_steps = "live models in steps of 4 ms, der in steps of 0.1 ms";

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        complain("cannot be written", path);
    return file;
}

static void close_it(FILE *file, const char *name)
{
    if (fclose(file) != 0)
        complain("cannot be written", name);
}

static void write_summary(const char *folder, const result *all, int count)
{
    FILE *file = open_in(folder, "swing.csv");
    fprintf(file, "model,step_ms,stretch_percent,edge_percent,turn_s,regained,lost_at_turn,lost_at_end,failed,"
                  "unconverged\n");
    for (int i = 0; i < count; ++i)
        fprintf(file, "%s,%g,%.5g,%.5g,%.4f,%.4f,%.4f,%.4f,%d,%d\n", methods[all[i].method].name, 1e3 * all[i].step,
                100 * all[i].stretch, 100 * all[i].edge, all[i].turn, all[i].regained, all[i].lost_turn,
                all[i].lost_end, all[i].failed, all[i].unconverged);
    close_it(file, "swing.csv");
}

static void write_curves(const char *folder, const result *const figures[FIGURES])
{
    FILE *file = open_in(folder, "stretch.csv");
    fprintf(file, "time_s");
    for (int f = 0; f < FIGURES; ++f)
        fprintf(file, ",%s", methods[figures[f]->method].name);
    for (int k = 0; k < figures[0]->count; ++k) {
        fprintf(file, "\n%.3f", figures[0]->time[k]);
        for (int f = 0; f < FIGURES; ++f)
            fprintf(file, ",%.5g", figures[f]->stretches[k]);
    }
    fprintf(file, "\n");
    close_it(file, "stretch.csv");
    file = open_in(folder, "trajectory.csv");
    fprintf(file, "model,time_s,vertex,x_m,y_m\n");
    for (int f = 0; f < FIGURES; ++f)
        for (int k = 0; k < figures[f]->count; ++k)
            for (int s = 0; s < SHOWN; ++s)
                fprintf(file, "%s,%.3f,%d,%.5f,%.5f\n", methods[figures[f]->method].name, figures[f]->time[k],
                        (VERTICES - 1) * (s + 1) / SHOWN, figures[f]->x[s][k], figures[f]->y[s][k]);
    close_it(file, "trajectory.csv");
}

static void draw_stretch(fil_context *context, const char *folder, const result *const figures[FIGURES])
{
    static double sizes[FIGURES][SAMPLES + 1];
    char path[4096];
    fil_plot_series series[2][FIGURES];
    for (int f = 0; f < FIGURES; ++f) {
        for (int k = 0; k < figures[f]->count; ++k)
            sizes[f][k] = fabs(figures[f]->stretches[k]);
        series[0][f] = (fil_plot_series){.name = methods[figures[f]->method].name,
                                         .x = figures[f]->time,
                                         .y = sizes[f],
                                         .count = figures[f]->count,
                                         .form = FIL_PLOT_CURVE};
        series[1][f] = series[0][f];
        series[1][f].y = figures[f]->height;
    }
    fil_plot_panel panels[] = {{.title = "how much longer it is",
                                .x = {.label = "time (s)", .min = 0, .max = duration},
                                .y = {.label = "stretch (%)", .log = true, .min = 1e-5, .max = 100},
                                .series = series[0]},
                               {.title = "how high it swings",
                                .x = {.label = "time (s)", .min = 0, .max = duration},
                                .y = {.label = "height of the centre of mass (m)"},
                                .series = series[1]}};
    fil_plot plot = {.title = "A strand that swings",
                     .subtitle = figure_steps,
                     .width = 1000,
                     .height = 440,
                     .panels = panels,
                     .panel_count = 2,
                     .series_count = FIGURES};
    snprintf(path, sizeof path, "%s/stretch.svg", folder);
    need(context, fil_plot_write(context, &plot, path));
}

// The way there and a part of the way back; every other sample is enough.
static void draw_trajectories(fil_context *context, const char *folder, const result *const figures[FIGURES])
{
    static const char *const names[SHOWN] = {"vertex 10", "20", "30", "40", "50, the tip"};
    static double x[FIGURES][SHOWN][SAMPLES + 1], y[FIGURES][SHOWN][SAMPLES + 1];
    const double until = 1.2;
    char path[4096];
    fil_plot_series series[FIGURES][SHOWN];
    fil_plot_panel panels[FIGURES];
    for (int f = 0; f < FIGURES; ++f) {
        int count = 0;
        for (int k = 0; k < figures[f]->count && figures[f]->time[k] <= until + 1e-9; k += 2, ++count)
            for (int s = 0; s < SHOWN; ++s) {
                x[f][s][count] = figures[f]->x[s][k];
                y[f][s][count] = figures[f]->y[s][k];
            }
        for (int s = 0; s < SHOWN; ++s)
            series[f][s] = (fil_plot_series){.name = names[s], .x = x[f][s], .y = y[f][s], .count = count};
        panels[f] = (fil_plot_panel){.title = methods[figures[f]->method].name,
                                     .x = {.label = "x (m)", .min = -1.2, .max = 1.2},
                                     .y = {.label = "y (m)", .min = -1.4, .max = 0.4},
                                     .series = series[f]};
    }
    fil_plot plot = {.title = "Trajectories of a strand that swings, 1.2 s",
                     .subtitle = figure_steps,
                     .width = 1080,
                     .height = 652,
                     .panels = panels,
                     .panel_count = FIGURES,
                     .series_count = SHOWN,
                     .columns = 3};
    snprintf(path, sizeof path, "%s/trajectory.svg", folder);
    need(context, fil_plot_write(context, &plot, path));
}

int main(int argc, char **argv)
{
    static result all[METHODS * LIVE_STEPS];
    const result *figures[FIGURES];
    const char *folder = NULL;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--out") != 0)
            complain("no such option", argv[i]);
        if (i + 1 == argc)
            complain("needs a value", argv[i]);
        folder = argv[i + 1];
    }
    fil_context_def def = fil_context_def_default();
    def.threads = 1;
    fil_context *context = fil_context_create(&def);
    if (!context)
        complain("no memory", "start");
    int count = 0, figure = 0;
    printf("%-12s %8s %12s %12s %8s %9s %9s %9s\n", "model", "step ms", "stretch %", "edge %", "turn s", "regained",
           "lost then", "lost 2 s");
    for (int m = 0; m < METHODS; ++m)
        for (int s = 0; s < (methods[m].fine ? FINE_STEPS : LIVE_STEPS); ++s) {
            result *r = &all[count++];
            double h = methods[m].fine ? fine_steps[s] : live_steps[s];
            swing(context, m, h, r);
            printf("%-12s %8g %12.4g %12.4g %8.3f %9.3f %9.3f %9.3f\n", methods[m].name, 1e3 * r->step,
                   100 * r->stretch, 100 * r->edge, r->turn, r->regained, r->lost_turn, r->lost_end);
            if (methods[m].shown && h == (methods[m].fine ? fine_steps[0] : figure_step))
                figures[figure++] = r;
        }
    if (folder) {
        write_summary(folder, all, count);
        write_curves(folder, figures);
        draw_stretch(context, folder, figures);
        draw_trajectories(context, folder, figures);
    }
    fil_context_destroy(context);
    return 0;
}
