// How long a picture of 100,000 hairs takes, and how it looks.
//
//     picture_hair [--strands 1000] [--copies 100] [--samples 4] [--width 960] [--height 720] [--threads 0]
//                  [--repeats 1] [--folder out]
//
// Grooms on a head: straight, wavy and curly. Writes one PNG for each into the folder. Exit 1 when one of them takes
// longer than the bar (5 s on two cores).
// needs: embree3 png
#include "bench.h"

#include "base/rng.h"
#include "render/picture.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

enum { VERTICES = 25, RINGS = 48, SECTORS = 96 };
static const double bar = 5, head = 0.09;

typedef struct style {
    const char *name;
    double length, curl, turns; // m, radius of the curls in m, number of curls
    float tint[3];
} style;

static const style styles[] = {
    {"straight", 0.30, 0.0, 0.0, {0.34f, 0.17f, 0.075f}},
    {"wavy", 0.28, 0.008, 3.0, {0.62f, 0.40f, 0.20f}},
    {"curly", 0.20, 0.011, 4.0, {0.12f, 0.055f, 0.03f}},
};
enum { STYLES = sizeof styles / sizeof *styles };

typedef struct options {
    int strands, copies, samples, width, height, threads, repeats;
    const char *folder;
} options;

static void make_head(fil_picture_mesh *mesh)
{
    double *position = bench_allocate((RINGS + 1) * SECTORS * 3, sizeof *position);
    int *triangle = bench_allocate(RINGS * SECTORS * 6, sizeof *triangle), count = 0;
    for (int i = 0; i <= RINGS; ++i)
        for (int j = 0; j < SECTORS; ++j) {
            double a = M_PI * i / RINGS, b = 2 * M_PI * j / SECTORS, *p = position + (i * SECTORS + j) * 3;
            p[0] = head * sin(a) * cos(b), p[1] = head * cos(a), p[2] = head * sin(a) * sin(b);
        }
    for (int i = 0; i < RINGS; ++i)
        for (int j = 0; j < SECTORS; ++j) {
            int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            int corners[6] = {a, b, a + SECTORS, b, b + SECTORS, a + SECTORS};
            for (int k = 0; k < 6; ++k)
                triangle[count++] = corners[k];
        }
    *mesh = (fil_picture_mesh){.vertex_count = (RINGS + 1) * SECTORS,
                               .triangle_count = count / 3,
                               .position = position,
                               .triangle = triangle,
                               .colour = {0.52f, 0.34f, 0.26f}};
}

// One strand: it leaves the scalp, bends over, glides along the head and falls.
static void grow(const style *style, double *at, const double root[3], fil_rng *rng)
{
    int vertices = style->turns > 0 ? 2 * VERTICES : VERTICES;
    double step = style->length * fil_rng_uniform(rng, 0.85, 1.05) / (vertices - 1),
           phase = fil_rng_uniform(rng, 0, 6.28);
    double p[3], way[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = root[k] * head;
        way[k] = root[k] + fil_rng_uniform(rng, -0.1, 0.1);
    }
    for (int i = 0; i < vertices; ++i) {
        double t = (double)i / (vertices - 1), angle = phase + 2 * M_PI * style->turns * t;
        double grown = style->curl * (t < 0.2 ? t / 0.2 : 1);
        at[3 * i] = p[0] + grown * cos(angle);
        at[3 * i + 1] = p[1];
        at[3 * i + 2] = p[2] + grown * sin(angle);
        double length = 0;
        way[1] -= step * 26;
        for (int k = 0; k < 3; ++k)
            length += way[k] * way[k];
        double radius = 0;
        for (int k = 0; k < 3; ++k) {
            way[k] /= sqrt(length);
            p[k] += step * way[k];
            radius += p[k] * p[k];
        }
        radius = sqrt(radius);
        double least = head * 1.06 + style->curl;
        for (int k = 0; k < 3 && radius < least && i > 2; ++k)
            p[k] *= least / radius;
    }
}

static void make_groom(const style *style, int strands, fil_picture_hair *hair)
{
    int vertices = style->turns > 0 ? 2 * VERTICES : VERTICES;
    double *position = bench_allocate((size_t)strands * (size_t)vertices * 3, sizeof *position);
    int *count = bench_allocate((size_t)strands, sizeof *count);
    fil_rng rng = fil_rng_make(7);
    for (int s = 0; s < strands; ++s) {
        // Spread evenly over the scalp, a spiral from the top down; the face stays free.
        double root[3], turn = 2.399963 * s + fil_rng_uniform(&rng, -0.3, 0.3);
        root[1] = 1 - 1.25 * (s + 0.5) / strands;
        double across = sqrt(1 - root[1] * root[1]);
        root[0] = across * cos(turn);
        root[2] = across * sin(turn);
        if (root[2] > 0.55 && root[1] < 0.62)
            root[2] = -root[2];
        count[s] = vertices;
        grow(style, position + (size_t)s * (size_t)vertices * 3, root, &rng);
    }
    *hair = (fil_picture_hair){.strand_count = strands,
                               .vertex_count = count,
                               .position = position,
                               .thickness = 4e-5,
                               .tint = {style->tint[0], style->tint[1], style->tint[2]},
                               .spread = 0.008};
}

static double draw(fil_context *context, const options *options, const style *style)
{
    fil_picture_hair hair;
    fil_picture_mesh mesh;
    make_groom(style, options->strands, &hair);
    make_head(&mesh);
    hair.copies = options->copies;
    fil_picture picture = fil_picture_default();
    picture.width = options->width;
    picture.height = options->height;
    picture.samples = options->samples;
    picture.hairs = &hair;
    picture.hair_count = 1;
    picture.meshes = &mesh;
    picture.mesh_count = 1;
    fil_picture_frame(&picture);
    unsigned char *pixels = bench_allocate((size_t)options->width * (size_t)options->height, 3);
    double seconds[64];
    for (int i = 0; i < options->repeats; ++i) {
        double start = fil_timer_seconds();
        bench_need(context, fil_picture_render(context, &picture, pixels));
        seconds[i] = fil_timer_seconds() - start;
    }
    char path[512];
    snprintf(path, sizeof path, "%s/picture_%s.png", options->folder, style->name);
    bench_need(context, fil_picture_write_png(context, path, options->width, options->height, pixels));
    free(pixels);
    free((void *)hair.position);
    free((void *)hair.vertex_count);
    free((void *)mesh.position);
    free((void *)mesh.triangle);
    double median = bench_median(seconds, options->repeats);
    printf("%-9s %7d hairs %4d x %-4d %2d samples %2d threads %7.2f s  %s\n", style->name,
           options->strands * options->copies, options->width, options->height, options->samples,
           fil_context_threads(context), median, path);
    return median;
}

int main(int count, char **words)
{
    options options = {1000, 100, 4, 960, 720, 0, 1, "out"};
    struct {
        const char *name;
        int *value;
    } known[] = {{"--strands", &options.strands}, {"--copies", &options.copies}, {"--samples", &options.samples},
                 {"--width", &options.width},     {"--height", &options.height}, {"--threads", &options.threads},
                 {"--repeats", &options.repeats}};
    for (int i = 1; i < count; i += 2) {
        int *value = NULL;
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
            if (strcmp(words[i], known[k].name) == 0)
                value = known[k].value;
        bool folder = strcmp(words[i], "--folder") == 0;
        if (i + 1 == count || (!value && !folder)) {
            fprintf(stderr, "picture_hair: what is %s?\n", words[i]);
            return 2;
        }
        if (folder)
            options.folder = words[i + 1];
        else
            *value = atoi(words[i + 1]);
    }
    if (options.strands < 1 || options.width < 1 || options.height < 1 || options.repeats < 1 || options.repeats > 64) {
        fprintf(stderr, "picture_hair: numbers must be positive, repeats at most 64\n");
        return 2;
    }
    if (mkdir(options.folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: %s\n", options.folder, strerror(errno));
        return 3;
    }
    fil_context *context = bench_context(options.threads);
    double slowest = 0;
    for (int k = 0; k < STYLES; ++k)
        slowest = fmax(slowest, draw(context, &options, &styles[k]));
    fil_context_destroy(context);
    printf("slowest %.2f s, bar %.0f s\n", slowest, bar);
    return slowest > bar;
}
