// filum plot: what a run did, from its stats.csv. One .svg file for each chart, and all of them in overview.svg.
#include "cli/plot_film.h"

#include "base/file.h"
#include "cli/plot_table.h"
#include "cli/report.h"
#include "render/plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SERIES = 12, CHARTS = 8 };

// A panel with room for what it shows.
typedef struct chart {
    const char *name, *title;
    char label[64];
    fil_plot_series series[MOST_SERIES];
    fil_plot_panel panel;
} chart;

typedef struct film {
    fil_context *context;
    fil_arena *arena;
    const char *folder, *to;
    fil_plot_table table;
    const double *time;
    double tolerance, contact_tolerance;
    chart charts[CHARTS];
    int chart_count;
    fil_status status; // why a chart could not be filled
} film;

// Numbers that are short: 0.0000082 J are 8.2 µJ. The factor, and the sign of the unit.
static double choose_prefix(const chart *chart, int count, const char **sign)
{
    static const char *const signs[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
    double largest = 0;
    for (int s = 0; s < count; ++s)
        for (int64_t i = 0; i < chart->series[s].count; ++i)
            if (isfinite(chart->series[s].y[i]))
                largest = fmax(largest, fabs(chart->series[s].y[i]));
    int power = largest > 0 ? (int)floor(log10(largest) / 3) : 0;
    power = power < -4 ? -4 : power > 3 ? 3 : power;
    *sign = signs[power + 4];
    return pow(1000, -power);
}

static double *copy(film *self, const double *values)
{
    double *out = FIL_ARENA_ARRAY(self->arena, double, self->table.row_count);
    if (out)
        memcpy(out, values, sizeof *out * (size_t)self->table.row_count);
    return out;
}

// One more series: a copy of a column. NULL: there is none of that name, or no memory.
static double *add_series(film *self, chart *chart, const char *column, const char *name, fil_plot_form form)
{
    const double *values = fil_plot_table_column(self->context, &self->table, column);
    double *y = values ? copy(self, values) : NULL;
    self->status = y ? FIL_OK : values ? FIL_NO_MEMORY : FIL_BAD_INPUT;
    if (y)
        chart->series[chart->panel.series_count++] =
            (fil_plot_series){name, self->time, y, self->table.row_count, form};
    return y;
}

// Values in the unit that makes them short; the label names it.
static void scale(chart *chart, const char *what, const char *unit)
{
    const char *sign;
    double factor = choose_prefix(chart, chart->panel.series_count, &sign);
    for (int s = 0; s < chart->panel.series_count; ++s)
        for (int64_t i = 0; i < chart->series[s].count; ++i)
            ((double *)chart->series[s].y)[i] *= factor;
    snprintf(chart->label, sizeof chart->label, "%s (%s%s)", what, sign, unit);
}

static bool fill_energy(film *self, chart *chart)
{
    double *kinetic = add_series(self, chart, "kinetic", "kinetic", FIL_PLOT_CURVE);
    double *elastic = kinetic ? add_series(self, chart, "elastic", "elastic", FIL_PLOT_CURVE) : NULL;
    double *gravity = elastic ? add_series(self, chart, "gravity", "gravity, from the start", FIL_PLOT_CURVE) : NULL;
    double *total = gravity ? add_series(self, chart, "kinetic", "total", FIL_PLOT_CURVE) : NULL;
    if (!total)
        return false;
    double start = gravity[0];
    for (int64_t i = 0; i < self->table.row_count; ++i) {
        gravity[i] -= start;
        total[i] = kinetic[i] + elastic[i] + gravity[i];
    }
    scale(chart, "energy", "J");
    return true;
}

static bool fill_momentum(film *self, chart *chart)
{
    bool good = add_series(self, chart, "momentum_x", "x", FIL_PLOT_CURVE) &&
                add_series(self, chart, "momentum_y", "y", FIL_PLOT_CURVE) &&
                add_series(self, chart, "momentum_z", "z", FIL_PLOT_CURVE);
    if (good)
        scale(chart, "momentum", "N s");
    return good;
}

static bool fill_strain(film *self, chart *chart)
{
    double *stretch = add_series(self, chart, "stretch", "largest stretch", FIL_PLOT_CURVE);
    scale(chart, "stretch", "m/m");
    return stretch;
}

static bool fill_residual(film *self, chart *chart)
{
    snprintf(chart->label, sizeof chart->label, "change of velocity (m/s)");
    chart->panel.y.log = true;
    chart->panel.level = self->tolerance;
    chart->panel.level_name = self->tolerance > 0 ? "tolerance" : NULL;
    return add_series(self, chart, "residual", "worst last change", FIL_PLOT_CURVE);
}

static bool fill_iterations(film *self, chart *chart)
{
    snprintf(chart->label, sizeof chart->label, "per frame");
    chart->panel.y.log = true;
    return add_series(self, chart, "iterations", "iterations, all", FIL_PLOT_CURVE) &&
           add_series(self, chart, "most_iterations", "most of one strand", FIL_PLOT_CURVE) &&
           add_series(self, chart, "unconverged", "unconverged", FIL_PLOT_POINTS);
}

// The columns seconds_PHASE, stacked.
static bool fill_time(film *self, chart *chart)
{
    static const char start[] = "seconds_";
    double *below = NULL;
    for (int k = 0; k < self->table.column_count && chart->panel.series_count < MOST_SERIES; ++k) {
        const char *name = self->table.names[k];
        if (strncmp(name, start, strlen(start)) != 0)
            continue;
        double *y = add_series(self, chart, name, name + strlen(start), FIL_PLOT_AREA);
        if (!y)
            return false;
        for (int64_t i = 0; below && i < self->table.row_count; ++i)
            y[i] += below[i];
        below = y;
    }
    if (!below)
        self->status =
            fil_context_fail(self->context, FIL_BAD_INPUT, "%s: has no column 'seconds_...'", self->table.path);
    scale(chart, "time per frame", "s");
    return below;
}

static bool fill_contacts(film *self, chart *chart)
{
    snprintf(chart->label, sizeof chart->label, "most in a step");
    return add_series(self, chart, "contacts", "contacts", FIL_PLOT_CURVE) &&
           add_series(self, chart, "closed", "with an impulse", FIL_PLOT_CURVE);
}

static bool fill_contact_residual(film *self, chart *chart)
{
    snprintf(chart->label, sizeof chart->label, "natural residual");
    chart->panel.y.log = true;
    chart->panel.level = self->contact_tolerance;
    chart->panel.level_name = self->contact_tolerance > 0 ? "tolerance" : NULL;
    return add_series(self, chart, "contact_residual", "worst of a step", FIL_PLOT_CURVE);
}

static const struct {
    const char *name, *title;
    bool (*fill)(film *self, chart *chart);
} kinds[CHARTS] = {
    {"energy", "Energy", fill_energy},
    {"momentum", "Momentum", fill_momentum},
    {"strain", "Strain", fill_strain},
    {"residual", "Residual of the steps", fill_residual},
    {"iterations", "Iterations", fill_iterations},
    {"time", "Where the time goes", fill_time},
    {"contacts", "Contacts", fill_contacts},
    {"contact_residual", "Residual of the contacts", fill_contact_residual},
};
enum { WITHOUT_CONTACTS = CHARTS - 2 };

// Whether anything touched at all. Folders of older versions have no such column.
static bool has_contacts(const fil_plot_table *table)
{
    for (int k = 0; k < table->column_count; ++k)
        if (strcmp(table->names[k], "contacts") == 0)
            for (int64_t i = 0; i < table->row_count; ++i)
                if (table->columns[k][i] > 0)
                    return true;
    return false;
}

static fil_status fill(film *self)
{
    self->time = fil_plot_table_column(self->context, &self->table, "time");
    if (!self->time)
        return FIL_BAD_INPUT;
    self->chart_count = has_contacts(&self->table) ? CHARTS : WITHOUT_CONTACTS;
    for (int i = 0; i < self->chart_count; ++i) {
        chart *chart = &self->charts[i];
        chart->name = kinds[i].name;
        chart->title = kinds[i].title;
        if (!kinds[i].fill(self, chart))
            return self->status;
        chart->panel.x.label = "time (s)";
        chart->panel.y.label = chart->label;
        chart->panel.series = chart->series;
    }
    return FIL_OK;
}

static double tolerance_of(const json_t *scene, const char *key, double otherwise)
{
    json_t *given = json_object_get(json_object_get(scene, key), "tolerance");
    return json_is_number(given) ? json_number_value(given) : otherwise;
}

// The tolerances of the steps, from the copy of the scene; 0: not known.
static void read_tolerances(film *self)
{
    char path[FIL_PATH_MAX];
    snprintf(path, sizeof path, "%s/scene.json", self->folder);
    json_t *scene = json_load_file(path, 0, NULL);
    if (!scene)
        return;
    self->tolerance = tolerance_of(scene, "motion", fil_motion_default().tolerance);
    self->contact_tolerance = tolerance_of(scene, "contact", fil_contacts_default().tolerance);
    json_decref(scene);
}

static fil_status write_one(film *self, const fil_plot *plot, const char *name, json_t *files)
{
    char path[FIL_PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/%s.svg", self->to, name);
    fil_status status = fil_plot_write(self->context, plot, path);
    if (status == FIL_OK && json_array_append_new(files, fil_report_json_text(path)) != 0)
        status = FIL_NO_MEMORY;
    return status;
}

static fil_status write_all(film *self, json_t *files)
{
    char subtitle[256];
    snprintf(subtitle, sizeof subtitle, "%.150s, %lld frames", self->folder, (long long)self->table.row_count);
    fil_plot_panel panels[CHARTS];
    fil_status status = FIL_OK;
    for (int i = 0; status == FIL_OK && i < self->chart_count; ++i) {
        const chart *chart = &self->charts[i];
        fil_plot plot = {chart->title, subtitle, 800, 500, &chart->panel, .panel_count = 1};
        status = write_one(self, &plot, chart->name, files);
        panels[i] = chart->panel;
        panels[i].title = chart->title;
    }
    int columns = self->chart_count / 2; // two rows
    fil_plot overview = {"What the run did", subtitle, 500 * columns, 1000, panels, .panel_count = self->chart_count,
                         .columns = columns};
    return status == FIL_OK ? write_one(self, &overview, "overview", files) : status;
}

static fil_status make_folder(fil_context *context, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return FIL_OK;
    return fil_context_fail(context, FIL_IO_FAILED, "%s: cannot make the folder: %s", path, strerror(errno));
}

static fil_cli_exit plot(film *self, bool json)
{
    char path[FIL_PATH_MAX];
    snprintf(path, sizeof path, "%s/stats.csv", self->folder);
    json_t *files = json_array();
    if (!files)
        return fil_report_no_memory();
    fil_status status = fil_plot_table_read(self->context, self->arena, path, &self->table);
    read_tolerances(self);
    if (status == FIL_OK)
        status = fill(self);
    if (status == FIL_OK)
        status = make_folder(self->context, self->to);
    if (status == FIL_OK)
        status = write_all(self, files);
    fil_cli_exit code = FIL_EXIT_OK;
    if (status != FIL_OK)
        code = fil_report_failure(self->context, status);
    else if (json)
        code = fil_report_json(json_pack("{s:o, s:O}", "folder", fil_report_json_text(self->to), "files", files))
                   ? FIL_EXIT_OK
                   : fil_report_no_memory();
    else
        printf("%s: %zu plots; all of them in overview.svg\n", self->to, json_array_size(files));
    json_decref(files);
    return code;
}

static fil_cli_exit plot_run(const fil_arguments *arguments)
{
    film self = {.folder = arguments->operands[0], .to = fil_arguments_text(arguments, "out")};
    char to[FIL_PATH_MAX];
    if (strlen(self.folder) + 32 > sizeof to || (self.to && strlen(self.to) + 32 > sizeof to)) {
        fil_report_error("%.100s...: the file name is too long", self.folder);
        return FIL_EXIT_BAD;
    }
    snprintf(to, sizeof to, "%s/plots", self.folder);
    self.to = self.to ? self.to : to;
    self.context = fil_context_create(NULL);
    self.arena = self.context ? fil_arena_create(self.context) : NULL;
    fil_cli_exit code = self.arena ? plot(&self, fil_arguments_given(arguments, "json")) : fil_report_no_memory();
    fil_arena_destroy(self.arena);
    if (self.context)
        fil_context_destroy(self.context);
    return code;
}

static const fil_option options[] = {
    {"out", 'o', FIL_OPTION_TEXT, "FOLDER", NULL, 0, 0, "where the plots go; otherwise DIR/plots"},
};
static const fil_example examples[] = {
    {"filum plot results", "results/plots/overview.svg and one file for each plot"},
};
const fil_command fil_command_plot = {
    .name = "plot",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .summary = "draw energy, momentum, strain, residual and time of a run",
    .text =
        "DIR is a folder of filum run. The plots are SVG files, made from its stats.csv: energy, momentum, strain, "
        "residual, iterations, time, contacts and contact_residual where anything touched, and overview with all of "
        "them.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .example_count = sizeof examples / sizeof *examples,
    .run = plot_run,
};
