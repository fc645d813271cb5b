// How far bows slid down a slope [Jia20, figures 4-5 and 4-6], from the frames of `run`.
//
//     slide OUT [--csv FILE] [--svg FILE]
//
// OUT/SCENE-MU-MS are folders of `filum run`, MS the step in milliseconds. The bow is the first strand; its way is that
// of its middle. --csv: how far they came, and how far a block would. --svg: ways over time with steps of 1 ms.
#include "filum/filum.h"
#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENES = 2, MUS = 5, STEPS = 2, FRAMES = 501, MARKS = 6, THIN = 10, DRAWN = FRAMES / THIN + 1 };
static const char *const scenes[SCENES] = {"strand", "tube"}, *const mus[MUS] = {"0.1", "0.2", "0.3", "0.38", "0.6"};
static const char *const titles[SCENES] = {"on a strand", "on a tube"};
static const int milliseconds[STEPS] = {1, 4};
static const double gravity = 9.81, slope = 20 * 3.14159265358979323846 / 180;

typedef struct ride {
    double time[FRAMES], way[FRAMES];
    int count;
} ride;

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "slide: %s: %s\n", which, what);
    exit(2);
}

static void need(fil_context *context, fil_status status)
{
    if (status == FIL_OK)
        return;
    fprintf(stderr, "slide: %s\n", fil_context_error(context));
    exit(status == FIL_BAD_INPUT ? 2 : 3);
}

// A block slides with this acceleration, or rests.
static double block_way(double mu, double t)
{
    return fmax(0.5 * gravity * (sin(slope) - mu * cos(slope)) * t * t, 0);
}

static void read_ride(fil_context *context, const char *folder, ride *out)
{
    fil_cache *cache;
    need(context, fil_cache_open(context, folder, &cache));
    int64_t total = fil_cache_vertex_total(cache);
    int middle = fil_cache_group_at(cache, 0)->shape.vertex_count[0] / 2; // of an even number
    float *x = malloc(3 * (size_t)total * sizeof *x);
    if (!x)
        complain("no memory", folder);
    out->count = fil_cache_frame_count(cache);
    if (out->count > FRAMES)
        complain("too many frames", folder);
    for (int frame = 0; frame < out->count; ++frame) {
        need(context, fil_cache_read(context, cache, frame, &out->time[frame], x, NULL));
        const float *b = x + (ptrdiff_t)3 * middle, *a = b - 3;
        out->way[frame] = 0.5 * ((a[0] + b[0]) * cos(slope) - (a[1] + b[1]) * sin(slope));
    }
    for (int frame = out->count; frame-- > 0;)
        out->way[frame] -= out->way[0];
    free(x);
    fil_cache_close(cache);
}

static fil_status draw(fil_context *context, const char *path, ride rides[SCENES][MUS])
{
    static double mark_time[MUS * MARKS], mark_way[MUS * MARKS];
    static double time[SCENES][MUS][DRAWN], way[SCENES][MUS][DRAWN];
    fil_plot_series series[SCENES][MUS + 1];
    fil_plot_panel panels[SCENES];
    for (int i = 0; i < MUS * MARKS; ++i) {
        mark_time[i] = 0.1 * (i % MARKS);
        mark_way[i] = block_way(atof(mus[i / MARKS]), mark_time[i]);
    }
    for (int s = 0; s < SCENES; ++s) {
        for (int m = 0; m < MUS; ++m) {
            const ride *ride = &rides[s][m];
            int count = (ride->count - 1) / THIN + 1;
            for (int i = 0; i < count; ++i)
                time[s][m][i] = ride->time[THIN * i], way[s][m][i] = ride->way[THIN * i];
            series[s][m] = (fil_plot_series){.name = mus[m], .x = time[s][m], .y = way[s][m], .count = count};
        }
        series[s][MUS] = (fil_plot_series){
            .name = "a block", .x = mark_time, .y = mark_way, .count = MUS * MARKS, .form = FIL_PLOT_POINTS};
        panels[s] = (fil_plot_panel){
            .title = titles[s], .x = {.label = "time, s"}, .y = {.label = "way, m"}, .series = series[s]};
    }
    fil_plot plot = {.title = "A bow on a slope of 20 degrees, by friction",
                     .subtitle = "It rests above the tangent, 0.364",
                     .width = 900,
                     .height = 420,
                     .panels = panels,
                     .panel_count = SCENES,
                     .series_count = MUS + 1};
    return fil_plot_write(context, &plot, path);
}

static void write_csv(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        complain("cannot be written", path);
}

int main(int argc, char **argv)
{
    static ride rides[STEPS][SCENES][MUS];
    char table[4096] = "scene,step_ms,mu,way_m,block_m\n", folder[4096];
    const char *csv = NULL, *svg = NULL;
    if (argc < 2)
        complain("must be given", "OUT");
    for (int i = 2; i < argc; i += 2) {
        if (strcmp(argv[i], "--csv") != 0 && strcmp(argv[i], "--svg") != 0)
            complain("no such option", argv[i]);
        if (i + 1 == argc)
            complain("needs a value", argv[i]);
        *(argv[i][2] == 'c' ? &csv : &svg) = argv[i + 1];
    }
    fil_context_def def = fil_context_def_default();
    fil_context *context = fil_context_create(&def);
    if (!context)
        complain("no memory", "start");
    for (int h = 0; h < STEPS; ++h)
        for (int s = 0; s < SCENES; ++s)
            for (int m = 0; m < MUS; ++m) {
                ride *ride = &rides[h][s][m];
                snprintf(folder, sizeof folder, "%s/%s-%s-%d", argv[1], scenes[s], mus[m], milliseconds[h]);
                read_ride(context, folder, ride);
                int last = ride->count - 1;
                size_t used = strlen(table);
                snprintf(table + used, sizeof table - used, "%s,%d,%s,%.9g,%.9g\n", scenes[s], milliseconds[h], mus[m],
                         ride->way[last], block_way(atof(mus[m]), ride->time[last]));
            }
    fputs(table, stdout);
    if (csv)
        write_csv(csv, table);
    if (svg)
        need(context, draw(context, svg, rides[0]));
    fil_context_destroy(context);
    return 0;
}
