// Time, iterations and memory of the contact solvers against the number of contacts, cold and warm.
//
//     contact_scale [--sizes 1000,4000] [--shapes wavy] [--steps 2] [--solvers auto,apg,admm,gs,plain,anderson]
//                   [--tolerances 1e-3,1e-4,1e-6] [--threads 2] [--repeats 1] [--limit 120] [--out FOLDER]
//     contact_scale --bars [1,2,3,4,5,6] [--threads 2] [--limit 120]
//
// Sizes are contacts, about; steps are milliseconds; the limit is in seconds, for one solve. Strands have 40 vertices
// and 25 contact sides, so 12.92 contacts each. Cold: the first step of a sequence from zero. Warm: the second one from
// what the solution of the first says, which `auto` found to the same tolerance. `plain` is Gauss-Seidel as it was
// published, the yardstick; other names are those of `filum info contact`, with settings behind a colon.
//
// Times include everything, the assembly of W, too; of several repeats the median is taken. Memory is the peak of the
// process that makes the problem and solves it. A solver that ran into the limit or failed is not tried on more
// contacts. FOLDER/contact_scale.csv has the rows, FOLDER/contact_scale.svg time and memory for each contact; both are
// written anew after each size, shape and step.
//
// The bars, and what is compared with what, are in contact_scale_bars.h. Exit 1 when one is missed.
#define _DEFAULT_SOURCE // wait4, MAP_ANONYMOUS
#include "contact_scale_bars.h"
#include "contact_scale_solve.h"

#include "base/file.h"
#include "render/plot.h"

#include <sys/stat.h>

enum { MOST_ITEMS = 16 };
static const char all_bars[] = "1,2,3,4,5,6";

typedef struct list {
    int count;
    double at[MOST_ITEMS];
} list;

typedef struct row {
    double size; // asked for
    fil_contact_hair hair;
    const scale_method *method;
    double tolerance;
    bool warm;
    int kept;
    scale_answer answer;
} row;

typedef struct bench {
    list sizes, shapes, steps, tolerances, bars;
    int method_count;
    scale_method methods[MOST_ITEMS];
    int threads, repeats;
    double limit;
    const char *out;
    row *rows;
    int done, planned;
} bench;

// Measuring

static int compare_answers(const void *a, const void *b)
{
    double x = scale_seconds(a), y = scale_seconds(b);
    return (x > y) - (x < y);
}

static scale_answer median_of(const scale_job *job, int repeats)
{
    scale_answer *answers = bench_allocate((size_t)repeats, sizeof *answers);
    for (int k = 0; k < repeats; ++k)
        answers[k] = scale_run(job);
    qsort(answers, (size_t)repeats, sizeof *answers, compare_answers);
    scale_answer median = answers[repeats / 2];
    free(answers);
    return median;
}

// Whether the solver gave up on fewer contacts.
static bool is_hopeless(const bench *b, const row *next)
{
    for (int k = 0; k < b->done; ++k) {
        const row *row = &b->rows[k];
        bool stopped = strcmp(row->answer.outcome, "limit") == 0 || strcmp(row->answer.outcome, "failed") == 0;
        if (stopped && row->size < next->size && row->method == next->method && row->hair.shape == next->hair.shape &&
            row->hair.step == next->hair.step && row->warm == next->warm && row->tolerance == next->tolerance)
            return true;
    }
    return false;
}

static double per_contact_and_iteration(const scale_answer *answer)
{
    double done = (double)answer->contacts * (double)answer->iterations;
    return done > 0 ? 1e9 * answer->solve / done : NAN;
}

static int widest_name(const bench *b)
{
    size_t width = strlen("solver");
    for (int m = 0; m < b->method_count; ++m)
        width = strlen(b->methods[m].name) > width ? strlen(b->methods[m].name) : width;
    return (int)width;
}

static void print_head(const bench *b)
{
    printf("threads: %d; natural residual; setup and solve in seconds, ns per contact and iteration, peak in MB\n",
           b->threads);
    printf("%8s %-8s %4s %-4s %6s %-*s %-11s %10s %9s %9s %9s %8s %8s\n", "contacts", "shape", "ms", "from", "to",
           widest_name(b), "solver", "outcome", "iterations", "residual", "setup", "solve", "ns", "MB");
}

static void print_row(const bench *b, const row *row)
{
    const scale_answer *a = &row->answer;
    scale_wipe();
    printf("%8d %-8s %4g %-4s %6.0e %-*s %-11s %10lld %9.1e %9.3g %9.3g %8.1f %8.0f\n", a->contacts,
           fil_contact_hair_shape_name(row->hair.shape), 1e3 * row->hair.step, row->warm ? "warm" : "cold",
           row->tolerance, widest_name(b), row->method->name, a->outcome, (long long)a->iterations, a->residual,
           a->setup, a->solve, per_contact_and_iteration(a), 1e-6 * a->peak);
    fflush(stdout);
}

// All solvers on one problem to one tolerance, from where `job` says.
static void measure_methods(bench *b, double size, scale_job *job)
{
    for (int m = 0; m < b->method_count; ++m) {
        row next = {.size = size,
                    .hair = job->hair,
                    .method = &b->methods[m],
                    .tolerance = job->tolerance,
                    .warm = job->from != NULL,
                    .kept = job->from ? job->from->kept : 0};
        if (is_hopeless(b, &next)) {
            --b->planned;
            continue;
        }
        scale_tell("%d of %d: %g contacts, %s, %g ms, %s, to %g, %s", b->done + 1, b->planned, size,
                   fil_contact_hair_shape_name(job->hair.shape), 1e3 * job->hair.step, next.warm ? "warm" : "cold",
                   job->tolerance, next.method->name);
        job->method = *next.method;
        next.answer = median_of(job, b->repeats);
        print_row(b, &next);
        b->rows[b->done++] = next;
    }
}

static void measure_problem(bench *b, double size, const fil_contact_hair *hair)
{
    scale_job job = {.hair = *hair, .limit = b->limit, .threads = b->threads};
    for (int t = 0; t < b->tolerances.count; ++t) {
        job.tolerance = b->tolerances.at[t];
        measure_methods(b, size, &job);
        scale_job warm = scale_warm(&job);
        if (warm.from->contacts > 0) {
            measure_methods(b, size, &warm);
        } else {
            b->planned -= b->method_count;
            scale_tell("auto did not end on the step before: nothing to start from");
        }
        scale_forget(&warm);
    }
}

// Files

static void write_csv(fil_context *context, const bench *b, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bench_need(context, file ? FIL_OK : fil_context_no_memory(context, 0));
    fprintf(file, "size,contacts,strands,shape,step_ms,start,kept,tolerance,solver,threads,outcome,finished_by,"
                  "iterations,residual,setup_seconds,solve_seconds,ns_per_contact_iteration,peak_bytes,switches\n");
    for (int k = 0; k < b->done; ++k) {
        const row *row = &b->rows[k];
        const scale_answer *a = &row->answer;
        fprintf(file, "%g,%d,%d,%s,%g,%s,%d,%g,\"%s\",%d,%s,%s,%lld,%.3e,%.6g,%.6g,%.4g,%.0f,%ld\n", row->size,
                a->contacts, row->hair.strands, fil_contact_hair_shape_name(row->hair.shape), 1e3 * row->hair.step,
                row->warm ? "warm" : "cold", row->kept, row->tolerance, row->method->name, b->threads, a->outcome,
                a->finished_by, (long long)a->iterations, a->residual, a->setup, a->solve, per_contact_and_iteration(a),
                a->peak, a->switches);
    }
    bench_need(context, fclose(file) == 0 ? FIL_OK : fil_context_no_memory(context, length));
    bench_need(context, fil_file_write_text(context, path, text, length));
    free(text);
}

// What a panel shows: microseconds per contact to a tolerance; or, without one, kilobytes per contact to the worst.
typedef struct view {
    fil_contact_hair_shape shape;
    double step;
    bool warm;
    double tolerance; // 0: memory
    char title[64];
} view;

static bool is_in_view(const view *view, const scale_method *method, const row *row)
{
    if (row->method != method || row->hair.shape != view->shape || row->hair.step != view->step ||
        row->warm != view->warm)
        return false;
    return view->tolerance > 0 ? row->tolerance == view->tolerance && scale_solved(&row->answer)
                               : row->answer.contacts > 0;
}

// The points of one solver; x and y have room for all sizes.
static fil_plot_series series_of(const bench *b, const view *view, const scale_method *method, double *x, double *y)
{
    fil_plot_series series = {.name = method->name, .x = x, .y = y, .form = FIL_PLOT_LINE};
    for (int k = 0; k < b->done; ++k) {
        const scale_answer *answer = &b->rows[k].answer;
        if (!is_in_view(view, method, &b->rows[k]))
            continue;
        double contacts = answer->contacts;
        double value = (view->tolerance > 0 ? 1e6 * scale_seconds(answer) : 1e-3 * answer->peak) / contacts;
        // Rows of one size follow each other.
        if (series.count > 0 && x[series.count - 1] == contacts) {
            y[series.count - 1] = fmax(y[series.count - 1], value);
            continue;
        }
        x[series.count] = contacts;
        y[series.count++] = value;
    }
    return series;
}

// Rows of panels: a shape, a step, cold or warm. Columns: the tolerances, then memory.
static view view_of(const bench *b, int panel)
{
    int columns = b->tolerances.count + 1, line = panel / columns, column = panel % columns;
    view view = {.warm = line % 2 == 1,
                 .step = 1e-3 * b->steps.at[line / 2 % b->steps.count],
                 .shape = (fil_contact_hair_shape)b->shapes.at[line / 2 / b->steps.count],
                 .tolerance = column < b->tolerances.count ? b->tolerances.at[column] : 0};
    int length = snprintf(view.title, sizeof view.title, "%s, %g ms, %s", fil_contact_hair_shape_name(view.shape),
                          1e3 * view.step, view.warm ? "warm" : "cold");
    if (view.tolerance > 0)
        snprintf(view.title + length, sizeof view.title - (size_t)length, ", to %g", view.tolerance);
    return view;
}

static void write_svg(fil_context *context, const bench *b, const char *path)
{
    int columns = b->tolerances.count + 1, lines = 2 * b->shapes.count * b->steps.count;
    int methods = b->method_count, count = lines * columns;
    size_t series_count = (size_t)count * (size_t)methods;
    double(*points)[2][MOST_ITEMS] = bench_allocate(series_count, sizeof *points);
    fil_plot_series *series = bench_allocate(series_count, sizeof *series);
    fil_plot_panel *panels = bench_allocate((size_t)count, sizeof *panels);
    view *views = bench_allocate((size_t)count, sizeof *views);
    double least = INFINITY, most = 0;
    for (int n = 0; n < b->sizes.count; ++n) {
        least = fmin(least, 0.9 * b->sizes.at[n]);
        most = fmax(most, 1.1 * b->sizes.at[n]);
    }
    for (int p = 0; p < count; ++p) {
        views[p] = view_of(b, p);
        for (int m = 0; m < methods; ++m) {
            int s = p * methods + m;
            series[s] = series_of(b, &views[p], &b->methods[m], points[s][0], points[s][1]);
        }
        panels[p] =
            (fil_plot_panel){.title = views[p].title,
                             .x = {.label = "contacts", .log = true, .min = least, .max = most},
                             .y = {.label = views[p].tolerance > 0 ? "µs per contact" : "kB per contact", .log = true},
                             .series = series + p * methods};
    }
    char subtitle[64];
    snprintf(subtitle, sizeof subtitle, "threads: %d; setup included; times of solved problems only", b->threads);
    fil_plot plot = {.title = "Contact solvers on strands",
                     .subtitle = subtitle,
                     .width = 340 * columns,
                     .height = 120 + 280 * lines,
                     .panels = panels,
                     .panel_count = count,
                     .series_count = methods,
                     .columns = columns};
    bench_need(context, fil_plot_write(context, &plot, path));
    free(points);
    free(series);
    free(panels);
    free(views);
}

static void write_files(fil_context *context, const bench *b)
{
    char path[FIL_PATH_MAX];
    if (!b->out)
        return;
    snprintf(path, sizeof path, "%s/contact_scale.csv", b->out);
    write_csv(context, b, path);
    snprintf(path, sizeof path, "%s/contact_scale.svg", b->out);
    write_svg(context, b, path);
}

static void measure_all(fil_context *context, bench *b)
{
    b->planned = 2 * b->sizes.count * b->shapes.count * b->steps.count * b->tolerances.count * b->method_count;
    b->rows = bench_allocate((size_t)b->planned, sizeof *b->rows);
    print_head(b);
    for (int n = 0; n < b->sizes.count; ++n)
        for (int s = 0; s < b->shapes.count; ++s)
            for (int h = 0; h < b->steps.count; ++h) {
                fil_contact_hair hair = scale_hair(b->sizes.at[n], (fil_contact_hair_shape)b->shapes.at[s]);
                hair.step = 1e-3 * b->steps.at[h];
                measure_problem(b, b->sizes.at[n], &hair);
                write_files(context, b);
            }
    free(b->rows);
}

// Options

// Numbers in (0, most], separated by commas.
static bool parse_numbers(const char *text, double most, list *out)
{
    out->count = 0;
    for (char *end = (char *)text; *text; text = end + (*end == ',')) {
        double value = strtod(text, &end);
        if (end == text || (*end && *end != ',') || !(value > 0 && value <= most) || out->count == MOST_ITEMS)
            return false;
        out->at[out->count++] = value;
    }
    return out->count > 0;
}

static bool parse_bars(const char *text, list *out)
{
    bool whole = parse_numbers(text, SCALE_BARS, out);
    for (int k = 0; whole && k < out->count; ++k)
        whole = out->at[k] == floor(out->at[k]);
    return whole;
}

static bool parse_shapes(char *text, list *out)
{
    out->count = 0;
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        int shape = 0;
        while (shape < FIL_HAIR_SHAPES && strcmp(name, fil_contact_hair_shape_name((fil_contact_hair_shape)shape)) != 0)
            ++shape;
        if (shape == FIL_HAIR_SHAPES || out->count == MOST_ITEMS)
            return false;
        out->at[out->count++] = shape;
    }
    return out->count > 0;
}

// Names, separated by commas; "key=value" behind a comma still belongs to the name before it.
static bool parse_methods(char *text, bench *b)
{
    b->method_count = 0;
    for (char *name = text; name;) {
        char *comma = strchr(name, ',');
        while (comma && comma[1 + strcspn(comma + 1, ",:=")] == '=')
            comma = strchr(comma + 1, ',');
        if (comma)
            *comma = '\0';
        if (b->method_count == MOST_ITEMS || !*name)
            return false;
        bool plain = strcmp(name, scale_plain.name) == 0;
        b->methods[b->method_count++] = plain ? scale_plain : (scale_method){name, name, NULL};
        name = comma ? comma + 1 : NULL;
    }
    return b->method_count > 0;
}

static bool parse_option(bench *b, const char *name, char *value)
{
    list number;
    if (strcmp(name, "--sizes") == 0)
        return parse_numbers(value, 1e8, &b->sizes);
    if (strcmp(name, "--shapes") == 0)
        return parse_shapes(value, &b->shapes);
    if (strcmp(name, "--steps") == 0)
        return parse_numbers(value, 1e3, &b->steps);
    if (strcmp(name, "--solvers") == 0)
        return parse_methods(value, b);
    if (strcmp(name, "--tolerances") == 0)
        return parse_numbers(value, 1, &b->tolerances);
    if (strcmp(name, "--out") == 0) {
        b->out = value;
        return true;
    }
    if (!parse_numbers(value, 1e5, &number) || number.count > 1)
        return false;
    if (strcmp(name, "--threads") == 0)
        b->threads = (int)number.at[0];
    else if (strcmp(name, "--repeats") == 0)
        b->repeats = (int)number.at[0];
    else if (strcmp(name, "--limit") == 0)
        b->limit = number.at[0];
    else
        return false;
    return b->threads > 0 && b->repeats > 0;
}

static bool parse(bench *b, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const char *name = argv[i];
        char *value = i + 1 < argc && argv[i + 1][0] != '-' ? argv[++i] : NULL;
        if (strcmp(name, "--bars") == 0 ? !parse_bars(value ? value : all_bars, &b->bars)
                                        : !value || !parse_option(b, name, value))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static bench b = {.sizes = {2, {1000, 4000}},
                      .shapes = {1, {FIL_HAIR_WAVY}},
                      .steps = {1, {2}},
                      .tolerances = {3, {1e-3, 1e-4, 1e-6}},
                      .threads = 2,
                      .repeats = 1,
                      .limit = 120};
    static char methods[] = "auto,apg,admm,gs,plain,anderson";
    parse_methods(methods, &b);
    if (!parse(&b, argc, argv)) {
        fprintf(stderr, "usage: contact_scale [--sizes 1000,4000] [--shapes wavy,straight] [--steps 2,4] "
                        "[--solvers auto,apg] [--tolerances 1e-3,1e-4,1e-6]\n                     [--threads 2] "
                        "[--repeats 1] [--limit 120] [--out FOLDER] [--bars [1,2]]\n");
        return 2;
    }
    if (b.bars.count > 0) {
        bool met = true;
        for (int k = 0; k < b.bars.count; ++k)
            met = scale_bar((int)b.bars.at[k], b.threads, b.limit) && met;
        return met ? 0 : 1;
    }
    // Hours of work deserve a look at where they will go.
    if (b.out && mkdir(b.out, 0777) != 0 && (errno != EEXIST || access(b.out, W_OK) != 0)) {
        perror(b.out);
        return 3;
    }
    fil_context *context = bench_context(1);
    measure_all(context, &b);
    fil_context_destroy(context);
    return 0;
}
