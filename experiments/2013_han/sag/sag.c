// How far a horizontal strand sags at its tip: does that depend on the step and on the number of rounds?
//
//     sag [--out FOLDER]
//
// 16 vertices, 15 cm, clamped, in steps of 1 to 8 ms for 2 s, with the three forms of bends and 1 to 1000 rounds. Three
// strands of one material, as thick as makes beams sag by 0.2, 2 and 20 % of their length. FOLDER gets sag.csv and
// sag.svg.
#include "filum/filum.h"
#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 3, VERTICES = 16, FORMS = 3, STEPS = 4, ROUNDS = 13 };
static const double edge = 0.01, duration = 2, gravity = 9.81, density = 1300, young = 1e9;
static const double thickness[STRANDS] = {3.1e-3, 1e-3, 3.1e-4}; // radii, m
static const char *const forms[FORMS] = {"direct", "xpbd", "pbd"};
static const double steps[STEPS] = {1e-3, 2e-3, 4e-3, 8e-3};
static const int rounds[ROUNDS] = {1, 2, 5, 10, 20, 40, 60, 80, 100, 200, 400, 700, 1000};

typedef struct table {
    double sag[FORMS][STEPS][ROUNDS][STRANDS]; // of the length
} table;

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "sag: %s\n", fil_context_error(context));
    exit(3);
}

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "sag: %s: %s\n", which, what);
    exit(2);
}

// A clamp bends as well: half an edge of it.
static double free_length(void)
{
    return edge * (VERTICES - 1.5);
}

// A beam: weight × L⁴ / (8 E I), over L; true for little.
static double beam_sag(int strand)
{
    double length = free_length(), a = thickness[strand];
    return density * gravity * length * length * length / (2 * young * a * a);
}

static void measure(fil_context *context, const char *form, double h, int count, double *sag)
{
    static const int vertices[STRANDS] = {VERTICES, VERTICES, VERTICES};
    double x[3 * STRANDS * VERTICES] = {0}, radius[STRANDS * VERTICES];
    for (int i = 0; i < STRANDS * VERTICES; ++i) {
        x[3 * i] = edge * (i % VERTICES);
        x[3 * i + 2] = i / VERTICES;
        radius[i] = thickness[i / VERTICES];
    }
    char model_text[64];
    snprintf(model_text, sizeof model_text, "pbd:form=%s,rounds=%d", form, count);
    fil_scene scene = fil_scene_default();
    fil_group group = fil_group_default();
    group.model = model_text;
    group.groom = (fil_groom){.strand_count = STRANDS, .vertex_count = vertices, .position = x, .radius = radius};
    group.material.young = young;
    group.material.density = density;
    group.material.damping = 10;
    scene.gravity[1] = -gravity;
    scene.groups = &group;
    scene.group_count = 1;
    fil_model *model;
    fil_state *state;
    need(context, fil_model_create(context, &scene, &model));
    need(context, fil_state_create(context, model, &state));
    for (int i = 0; i < (int)lround(duration / h); ++i)
        need(context, fil_step(context, state, h, NULL));
    fil_state_read(state, 0, &(fil_frame){.position = x});
    for (int s = 0; s < STRANDS; ++s)
        sag[s] = -x[3 * (VERTICES * s + VERTICES - 1) + 1] / free_length();
    fil_state_destroy(state);
    fil_model_destroy(model);
}

// What all would come to: direct solves, many of them, in the shortest step.
static double converged(const table *all, int strand)
{
    return all->sag[0][0][ROUNDS - 1][strand];
}

// From how many rounds on all are within 5 % of that; 0: of none that were tried.
static int enough(const table *all, int form, int step, int strand)
{
    int least = 0;
    for (int r = ROUNDS - 1; r >= 0; --r) {
        if (!(fabs(all->sag[form][step][r][strand] / converged(all, strand) - 1) <= 0.05))
            break;
        least = rounds[r];
    }
    return least;
}

static void tell(const table *all)
{
    printf("beam theory: %.2f, %.2f, %.1f %%; converged: %.3f, %.3f, %.2f %%\n\n", 100 * beam_sag(0), 100 * beam_sag(1),
           100 * beam_sag(2), 100 * converged(all, 0), 100 * converged(all, 1), 100 * converged(all, 2));
    printf("rounds for 5 %%\n%-8s %8s %10s %10s %10s\n", "form", "step ms", "stiff", "medium", "soft");
    for (int f = 0; f < FORMS; ++f)
        for (int h = 0; h < STEPS; ++h) {
            printf("%-8s %8g", forms[f], 1e3 * steps[h]);
            for (int s = 0; s < STRANDS; ++s) {
                int count = enough(all, f, h, s);
                char text[16];
                snprintf(text, sizeof text, count > 0 ? "%d" : "> %d", count > 0 ? count : rounds[ROUNDS - 1]);
                printf(" %10s", text);
            }
            printf("\n");
        }
    printf("\nsag over the converged one, 20 and 100 rounds\n%-8s %8s %21s %21s %21s\n", "form", "step ms", "stiff",
           "medium", "soft");
    for (int f = 0; f < FORMS; ++f)
        for (int h = 0; h < STEPS; ++h) {
            printf("%-8s %8g", forms[f], 1e3 * steps[h]);
            for (int s = 0; s < STRANDS; ++s)
                printf(" %10.3f %10.3f", all->sag[f][h][4][s] / converged(all, s),
                       all->sag[f][h][8][s] / converged(all, s));
            printf("\n");
        }
}

static void write_table(const char *folder, const table *all)
{
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/sag.csv", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        complain("cannot be written", path);
    fprintf(file, "form,step_ms,rounds,strand,beam,converged,sag\n");
    for (int f = 0; f < FORMS; ++f)
        for (int h = 0; h < STEPS; ++h)
            for (int r = 0; r < ROUNDS; ++r)
                for (int s = 0; s < STRANDS; ++s)
                    fprintf(file, "%s,%g,%d,%d,%.9g,%.9g,%.9g\n", forms[f], 1e3 * steps[h], rounds[r], s, beam_sag(s),
                            converged(all, s), all->sag[f][h][r][s]);
    if (fclose(file) != 0)
        complain("cannot be written", path);
}

// Sag over the converged one against rounds, a panel for each form, of the strand of 2 %.
static void draw(fil_context *context, const char *folder, const table *all)
{
    static const char *const names[STEPS] = {"1 ms", "2 ms", "4 ms", "8 ms"};
    double x[ROUNDS], y[FORMS][STEPS][ROUNDS];
    char path[4096];
    fil_plot_series series[FORMS][STEPS];
    fil_plot_panel panels[FORMS];
    for (int r = 0; r < ROUNDS; ++r)
        x[r] = rounds[r];
    for (int f = 0; f < FORMS; ++f) {
        for (int h = 0; h < STEPS; ++h) {
            for (int r = 0; r < ROUNDS; ++r)
                y[f][h][r] = all->sag[f][h][r][1] / converged(all, 1);
            series[f][h] = (fil_plot_series){.name = names[h], .x = x, .y = y[f][h], .count = ROUNDS};
        }
        panels[f] = (fil_plot_panel){.title = forms[f],
                                     .x = {.label = "rounds", .log = true, .min = 1, .max = 1000},
                                     .y = {.label = "sag / converged", .log = true, .min = 0.01, .max = 100},
                                     .series = series[f],
                                     .level = 1,
                                     .level_name = "converged"};
    }
    fil_plot plot = {.title = "How far a horizontal strand sags",
                     .subtitle = "16 vertices, a beam that sags by 2 %",
                     .width = 1080,
                     .height = 420,
                     .panels = panels,
                     .panel_count = FORMS,
                     .series_count = STEPS};
    snprintf(path, sizeof path, "%.4000s/sag.svg", folder);
    need(context, fil_plot_write(context, &plot, path));
}

int main(int argc, char **argv)
{
    static table all;
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
    for (int f = 0; f < FORMS; ++f)
        for (int h = 0; h < STEPS; ++h)
            for (int r = 0; r < ROUNDS; ++r)
                measure(context, forms[f], steps[h], rounds[r], all.sag[f][h][r]);
    tell(&all);
    if (folder) {
        write_table(folder, &all);
        draw(context, folder, &all);
    }
    fil_context_destroy(context);
    return 0;
}
