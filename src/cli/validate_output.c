// What filum validate shows: tables, JSON and the master curves.
#include "cli/validate.h"

#include "base/file.h"
#include "cli/files.h"
#include "render/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Tables

static void put_number(char *out, size_t room, double value)
{
    if (isfinite(value))
        snprintf(out, room, "%.6g", value);
    else
        snprintf(out, room, "-");
}

static void put_error(char *out, size_t room, const fil_validate_row *row)
{
    if (!isfinite(row->error) || row->bar == FIL_BAR_AT_LEAST)
        snprintf(out, room, "-");
    else if (row->bar == FIL_BAR_RELATIVE)
        snprintf(out, room, "%+.3f %%", 100 * row->error);
    else
        snprintf(out, room, "%+.1e", row->error);
}

static void put_bound(char *out, size_t room, const fil_validate_row *row)
{
    if (row->bar == FIL_BAR_RELATIVE)
        snprintf(out, room, "%g %%", 100 * row->bound);
    else
        snprintf(out, room, "%s%g", row->bar == FIL_BAR_AT_LEAST ? ">= " : "", row->bound);
}

static int widest_quantity(const fil_validate_sheet *sheet)
{
    int width = 0;
    for (int i = 0; i < sheet->count; ++i) {
        int length = (int)strlen(sheet->rows[i].quantity);
        width = length > width ? length : width;
    }
    return width;
}

// Every reason once, under the verdict it explains.
static void print_reasons(const fil_validate_sheet *sheet)
{
    for (int i = 0; i < sheet->count; ++i) {
        const fil_validate_row *row = &sheet->rows[i].row;
        bool told = *row->reason == '\0';
        for (int k = 0; k < i && !told; ++k)
            told = strcmp(sheet->rows[k].row.reason, row->reason) == 0;
        if (!told)
            printf("  %s: %s\n", fil_validate_verdict_name(row->verdict), row->reason);
    }
}

void fil_validate_print(const fil_validate_sheet *sheet)
{
    const char *name = "";
    int width = widest_quantity(sheet);
    printf("%s%-*s  %10s  %11s  %10s  %8s  verdict%s\n", fil_report_bold(), width + 2, sheet->model, "theory",
           "measured", "error", "bound", fil_report_plain());
    for (int i = 0; i < sheet->count; ++i) {
        const fil_validate_row *row = &sheet->rows[i].row;
        char theory[32], measured[32], error[32], bound[32];
        put_number(theory, sizeof theory, row->theory);
        put_number(measured, sizeof measured, row->measured);
        put_error(error, sizeof error, row);
        put_bound(bound, sizeof bound, row);
        if (strcmp(name, row->name) != 0)
            printf("%s\n", row->name);
        name = row->name;
        const char *colour = row->verdict == FIL_VERDICT_PASS   ? fil_report_good()
                             : row->verdict == FIL_VERDICT_MISS ? fil_report_bad()
                                                                : "";
        printf("  %-*s  %10s  %11s  %10s  %8s  %s%s%s\n", width, sheet->rows[i].quantity, theory, measured, error,
               bound, colour, fil_validate_verdict_name(row->verdict), fil_report_plain());
    }
    print_reasons(sheet);
    printf("\n");
}

void fil_validate_print_sum(const int counts[FIL_VERDICT_COUNT])
{
    printf("%d pass, %d miss, %d by design", counts[FIL_VERDICT_PASS], counts[FIL_VERDICT_MISS],
           counts[FIL_VERDICT_BY_DESIGN]);
    if (counts[FIL_VERDICT_COARSE] > 0)
        printf(", %d coarse", counts[FIL_VERDICT_COARSE]);
    printf("\n");
}

// JSON

static json_t *row_json(const fil_validate_kept *kept)
{
    static const char *const bars[] = {"relative", "absolute", "at least"};
    const fil_validate_row *row = &kept->row;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:s}", "case", row->name, "quantity", kept->quantity,
                     "theory", fil_report_json_real(row->theory), "measured", fil_report_json_real(row->measured),
                     "error", fil_report_json_real(row->error), "bound", fil_report_json_real(row->bound), "bar",
                     bars[row->bar], "verdict", fil_validate_verdict_name(row->verdict), "reason", row->reason);
}

static json_t *sheet_json(const fil_validate_sheet *sheet)
{
    json_t *rows = json_array();
    for (int i = 0; rows && i < sheet->count; ++i)
        if (json_array_append_new(rows, row_json(&sheet->rows[i])) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    return json_pack("{s:o, s:o}", "model", fil_report_json_text(sheet->model), "rows", rows);
}

json_t *fil_validate_json(const fil_validate_sheet *sheets, int count, const int counts[FIL_VERDICT_COUNT])
{
    json_t *models = json_array();
    for (int i = 0; models && i < count; ++i)
        if (json_array_append_new(models, sheet_json(&sheets[i])) != 0) {
            json_decref(models);
            models = NULL;
        }
    return json_pack("{s:o, s:i, s:i, s:i, s:i}", "models", models, "pass", counts[FIL_VERDICT_PASS], "miss",
                     counts[FIL_VERDICT_MISS], "by_design", counts[FIL_VERDICT_BY_DESIGN], "coarse",
                     counts[FIL_VERDICT_COARSE]);
}

// Pictures

// One curve as a panel: theory as a line, then the rows of every model as points. Points lie in x and y.
static void fill_panel(fil_validate_curve curve, const fil_validate_sheet *sheets, int count, fil_plot_series *series,
                       double *x, double *y)
{
    series[0] = (fil_plot_series){.name = "theory", .form = FIL_PLOT_CURVE};
    series[0].count = fil_validate_theory(curve, &series[0].x, &series[0].y);
    for (int i = 0; i < count; ++i) {
        series[i + 1] = (fil_plot_series){.name = sheets[i].model, .x = x, .y = y, .form = FIL_PLOT_POINTS};
        for (int k = 0; k < sheets[i].count; ++k)
            if (sheets[i].rows[k].row.curve == curve) {
                *x++ = sheets[i].rows[k].row.x;
                *y++ = sheets[i].rows[k].row.measured;
                ++series[i + 1].count;
            }
    }
}

static fil_status write_cantilever(fil_context *context, const char *path, fil_plot_series *series, int count)
{
    fil_plot_panel panel = {
        .x = {.label = "Γ = ρ g A L³ / (E I)", .log = true}, .y = {.label = "H / W", .log = true}, .series = series};
    fil_plot plot = {.title = "A heavy cantilever",
                     .subtitle = "tip drop H over reach W, clamped horizontally, 50 segments graded to the clamp",
                     .width = 900,
                     .height = 600,
                     .panels = &panel,
                     .panel_count = 1,
                     .series_count = count};
    return fil_plot_write(context, &plot, path);
}

static fil_status write_bend_twist(fil_context *context, const char *path, fil_plot_series *soft, fil_plot_series *hard,
                                   int count)
{
    fil_plot_panel panels[2] = {{.title = "C/B = 2/3 (Poisson's ratio 0.5)", .series = soft},
                                {.title = "C/B = 1 (Poisson's ratio 0)", .series = hard}};
    for (int i = 0; i < 2; ++i) {
        panels[i].x = (fil_plot_axis){.label = "κ L", .min = 0, .max = 32};
        panels[i].y = (fil_plot_axis){.label = "critical Γ", .min = 0, .max = 180};
    }
    fil_plot plot = {.title = "A hanging curl leaves its plane",
                     .subtitle = "planar below the curve, three-dimensional above; 150 segments",
                     .width = 1100,
                     .height = 560,
                     .panels = panels,
                     .panel_count = 2,
                     .series_count = count};
    return fil_plot_write(context, &plot, path);
}

static void name_picture(const char *folder, int index, char path[FIL_PATH_MAX])
{
    static const char *const names[] = {"cantilever.svg", "bend-twist.svg"};
    snprintf(path, FIL_PATH_MAX, "%s/%s", folder, names[index]);
}

fil_cli_exit fil_validate_check_svg(fil_context *context, const char *folder)
{
    char path[FIL_PATH_MAX];
    struct stat found;
    if (strlen(folder) > FIL_PATH_MAX - 64) {
        fil_report_error("--svg: the name of the folder is too long");
        return FIL_EXIT_BAD;
    }
    if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode)) {
        fil_report_error("--svg: %s is not a folder", folder);
        return FIL_EXIT_BAD;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fil_report_error("--svg: cannot make the folder %s: %s", folder, strerror(errno));
        return FIL_EXIT_MACHINE;
    }
    fil_cli_exit code = FIL_EXIT_OK;
    for (int i = 0; i < 2 && code == FIL_EXIT_OK; ++i) {
        name_picture(folder, i, path);
        code = fil_files_check_output(context, path);
    }
    return code;
}

fil_cli_exit fil_validate_write_svg(fil_context *context, const char *folder, const fil_validate_sheet *sheets,
                                    int count)
{
    size_t room = 1, width = (size_t)count + 1;
    for (int i = 0; i < count; ++i)
        room += (size_t)sheets[i].count;
    fil_plot_series *series = calloc(FIL_CURVE_COUNT * width, sizeof *series);
    double *x = calloc(2 * FIL_CURVE_COUNT * room, sizeof *x);
    if (!series || !x) {
        free(series);
        free(x);
        return fil_report_no_memory();
    }
    for (int curve = 0; curve < FIL_CURVE_COUNT; ++curve) {
        double *at = x + 2 * room * (size_t)curve;
        fill_panel((fil_validate_curve)curve, sheets, count, series + width * (size_t)curve, at, at + room);
    }
    char path[FIL_PATH_MAX];
    name_picture(folder, 0, path);
    fil_status status = write_cantilever(context, path, series + width * FIL_CURVE_CANTILEVER, count + 1);
    name_picture(folder, 1, path);
    if (status == FIL_OK)
        status = write_bend_twist(context, path, series + width * FIL_CURVE_BENDTWIST_SOFT,
                                  series + width * FIL_CURVE_BENDTWIST_HARD, count + 1);
    free(series);
    free(x);
    return status == FIL_OK ? FIL_EXIT_OK : fil_report_failure(context, status);
}
