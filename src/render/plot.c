// A small SVG writer for the plots of this project: linear or logarithmic axes with round ticks, grid, step lines,
// stacked areas, a legend above the panels that wraps, and a horizontal level (a tolerance, say).
//
// Colours are those of Okabe and Ito, which people with any kind of colour blindness can tell apart; dashes repeat
// them. Widths of texts are estimated: 0.56 of the size per character, a little more than sans-serif fonts need on
// average.
#include "render/plot.h"

#include "base/file.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FONT = 13, TITLE_FONT = 17, MARGIN = 16, LEGEND_LINE = 20, SWATCH = 30, MOST_TICKS = 64 };

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
static const char *const dashes[] = {"", "7 3", "2 3"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

typedef struct range {
    double min, max; // of log10 when `log`
    bool log;
} range;

typedef struct ticks {
    int count;
    double at[MOST_TICKS]; // values, ascending
    bool labelled[MOST_TICKS];
    bool powers; // labels are powers of ten
} ticks;

// Where a panel lies on the paper, and what it shows.
typedef struct frame {
    double left, top, width, height;
    range x, y;
} frame;

// Text

__attribute__((format(printf, 2, 3))) static void put(fil_plot_text *out, const char *format, ...)
{
    if (out->failed)
        return;
    va_list arguments;
    for (int attempt = 0; attempt < 2; ++attempt) {
        va_start(arguments, format);
        int length = vsnprintf(out->text ? out->text + out->length : NULL, out->room - out->length, format, arguments);
        va_end(arguments);
        if (length < 0) {
            out->failed = true;
            return;
        }
        if (out->length + (size_t)length < out->room) {
            out->length += (size_t)length;
            return;
        }
        // Too long for what is left: double the room and print again.
        size_t room = 2 * out->room + (size_t)length + 4096;
        char *text = fil_context_allocate(out->context, room);
        if (!text) {
            out->failed = true;
            return;
        }
        if (out->text)
            memcpy(text, out->text, out->length);
        fil_context_release(out->context, out->text);
        out->text = text;
        out->room = room;
    }
}

// Text between tags: the characters that mean something to XML are written as entities, control characters left out.
static void put_escaped(fil_plot_text *out, const char *text)
{
    for (; *text; ++text) {
        if (*text == '&')
            put(out, "&amp;");
        else if (*text == '<')
            put(out, "&lt;");
        else if (*text == '>')
            put(out, "&gt;");
        else if ((unsigned char)*text >= ' ')
            put(out, "%c", *text);
    }
}

static void put_text(fil_plot_text *out, double x, double y, const char *attributes, const char *text)
{
    put(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    put_escaped(out, text);
    put(out, "</text>\n");
}

static double text_width(const char *text, double size)
{
    int characters = 0;
    for (; *text; ++text)
        characters += ((unsigned char)*text & 0xc0) != 0x80; // continuation bytes of UTF-8 take no room
    return 0.66 * size * characters;
}

void fil_plot_text_free(fil_plot_text *text)
{
    fil_context_release(text->context, text->text);
    text->text = NULL;
}

// Axes

// The value on the axis; NaN when the axis cannot show it.
static double on_axis(const range *range, double value)
{
    if (range->log)
        value = value > 0 ? log10(value) : NAN;
    return isfinite(value) ? value : NAN;
}

static range fit(const fil_plot_axis *axis, const fil_plot_series *series, int count, bool is_x, double level)
{
    range range = {.min = INFINITY, .max = -INFINITY, .log = axis->log};
    if (axis->min < axis->max) {
        range.min = on_axis(&range, axis->min);
        range.max = on_axis(&range, axis->max);
        return range;
    }
    for (int s = 0; s < count; ++s)
        for (int64_t i = 0; i < series[s].count; ++i) {
            double x = on_axis(&range, is_x ? series[s].x[i] : series[s].y[i]);
            if (x < range.min)
                range.min = x;
            if (x > range.max)
                range.max = x;
            if (!is_x && !range.log && series[s].form == FIL_PLOT_AREA && range.min > 0)
                range.min = 0;
        }
    level = on_axis(&range, level);
    if (level < range.min)
        range.min = level;
    if (level > range.max)
        range.max = level;
    if (!(range.min <= range.max)) { // no data
        range.min = 0;
        range.max = 1;
    }
    // A little air, and never an empty range.
    double air = range.max > range.min ? 0.03 * (range.max - range.min) : range.log ? 0.5 : 0.5 + fabs(range.min);
    bool from_zero = !range.log && range.min >= 0 && range.min < 0.3 * range.max;
    range.min = from_zero ? 0 : range.min - air;
    range.max += level >= range.max ? 3 * air : air; // the name of a level stands above it
    return range;
}

static void add_tick(ticks *ticks, const range *range, double value, bool labelled)
{
    double at = on_axis(range, value), slack = 1e-9 * (range->max - range->min);
    if (ticks->count < MOST_TICKS && at >= range->min - slack && at <= range->max + slack) {
        ticks->at[ticks->count] = value;
        ticks->labelled[ticks->count++] = labelled;
    }
}

static ticks log_ticks(const range *range, int wanted)
{
    ticks ticks = {0};
    int low = (int)floor(range->min), high = (int)ceil(range->max);
    int decades = (int)floor(range->max) - (int)ceil(range->min) + 1;
    int every = decades > wanted ? (decades + wanted - 1) / wanted : 1;
    // Numbers that are short in plain notation are shown that way.
    ticks.powers = range->min < -4.5 || range->max > 5.5;
    for (int decade = low; decade <= high; ++decade) {
        bool labelled = ((decade % every) + every) % every == 0;
        add_tick(&ticks, range, pow(10, decade), labelled);
        // Between two decades where there is room; labelled where decades are too few.
        for (int digit = 2; digit < 10 && decades <= 5; ++digit)
            add_tick(&ticks, range, digit * pow(10, decade), decades <= 1 && (digit == 2 || digit == 5));
    }
    return ticks;
}

static ticks linear_ticks(const range *range, int wanted)
{
    ticks ticks = {0};
    double rough = (range->max - range->min) / wanted, power = pow(10, floor(log10(rough)));
    double step = rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10;
    step *= power;
    double first = ceil(range->min / step - 1e-9);
    for (int k = 0; k < MOST_TICKS; ++k) {
        double value = (first + k) * step;
        if (value > range->max + 1e-9 * step)
            break;
        add_tick(&ticks, range, fabs(value) < 1e-9 * step ? 0 : value, true);
    }
    return ticks;
}

static ticks make_ticks(const range *range, int wanted)
{
    return range->log ? log_ticks(range, wanted) : linear_ticks(range, wanted);
}

static void put_tick_label(fil_plot_text *out, const ticks *ticks, double value, double x, double y, const char *anchor)
{
    put(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    if (!ticks->powers || value == 1)
        put(out, "%.6g", value);
    else
        put(out, "10<tspan dy=\"-5\" font-size=\"10\">%d</tspan>", (int)lround(log10(value)));
    put(out, "</text>\n");
}

// Panels

static double to_x(const frame *frame, double value)
{
    double at = on_axis(&frame->x, value);
    return frame->left + frame->width * (at - frame->x.min) / (frame->x.max - frame->x.min);
}

static double to_y(const frame *frame, double value)
{
    double at = on_axis(&frame->y, value);
    return frame->top + frame->height * (1 - (at - frame->y.min) / (frame->y.max - frame->y.min));
}

static void draw_grid(fil_plot_text *out, const frame *frame, const ticks *x_ticks, const ticks *y_ticks)
{
    for (int i = 0; i < x_ticks->count; ++i) {
        double x = to_x(frame, x_ticks->at[i]);
        put(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"%s\"/>\n", x, frame->top, frame->height,
            x_ticks->labelled[i] ? "#d8d8d8" : "#f0f0f0");
        if (x_ticks->labelled[i])
            put_tick_label(out, x_ticks, x_ticks->at[i], x, frame->top + frame->height + 18, "middle");
    }
    for (int i = 0; i < y_ticks->count; ++i) {
        double y = to_y(frame, y_ticks->at[i]);
        put(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\"/>\n", frame->left, y, frame->width,
            y_ticks->labelled[i] ? "#d8d8d8" : "#f0f0f0");
        if (y_ticks->labelled[i])
            put_tick_label(out, y_ticks, y_ticks->at[i], frame->left - 7, y + 4.5, "end");
    }
}

static void put_style(fil_plot_text *out, int series, double width)
{
    const char *dash = dashes[series / COLOURS % DASHES];
    put(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linejoin=\"round\"", colours[series % COLOURS],
        width);
    if (*dash)
        put(out, " stroke-dasharray=\"%s\"", dash);
    put(out, "/>\n");
}

// Points closer than half a pixel to the last one drawn add nothing but length to the file.
static void draw_series(fil_plot_text *out, const frame *frame, const fil_plot_series *series, int index, int panel,
                        double width)
{
    double last_x = NAN, last_y = NAN;
    bool open = false;
    for (int64_t i = 0; i < series->count; ++i) {
        double x = to_x(frame, series->x[i]), y = to_y(frame, series->y[i]);
        if (!isfinite(x) || !isfinite(y))
            continue;
        bool near = fabs(x - last_x) < 0.5 && fabs(y - last_y) < 0.5;
        if (near && i + 1 < series->count)
            continue;
        if (!open)
            put(out, "<path clip-path=\"url(#panel%d)\" d=\"M%.1f %.1f", panel, x, y);
        else if (series->form == FIL_PLOT_STEPS)
            put(out, "H%.1fV%.1f", x, y);
        else
            put(out, "L%.1f %.1f", x, y);
        open = true;
        last_x = x;
        last_y = y;
    }
    if (!open)
        return;
    put(out, "\"");
    put_style(out, index, width);
    // The end of a line is what one looks for.
    if (series->form == FIL_PLOT_LINE)
        put(out, "<circle clip-path=\"url(#panel%d)\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", panel, last_x,
            last_y, colours[index % COLOURS]);
}

static void put_ring(fil_plot_text *out, double x, double y, int series)
{
    put(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y,
        4.5 + 2 * (series % 2), colours[series % COLOURS]);
}

// Rings of two sizes, so that points that coincide show both.
static void draw_points(fil_plot_text *out, const frame *frame, const fil_plot_series *series, int index, int panel)
{
    put(out, "<g clip-path=\"url(#panel%d)\">\n", panel);
    for (int64_t i = 0; i < series->count; ++i) {
        double x = to_x(frame, series->x[i]), y = to_y(frame, series->y[i]);
        if (isfinite(x) && isfinite(y))
            put_ring(out, x, y, index);
    }
    put(out, "</g>\n");
}

// From the last to the first: what is stacked below covers what is above it.
static void draw_areas(fil_plot_text *out, const frame *frame, const fil_plot_series *series, int count, int panel)
{
    for (int s = count - 1; s >= 0; --s) {
        double bottom = to_y(frame, 0), last_x = NAN;
        for (int64_t i = 0; series[s].form == FIL_PLOT_AREA && i < series[s].count; ++i) {
            double x = to_x(frame, series[s].x[i]), y = to_y(frame, series[s].y[i]);
            if (!isfinite(x) || !isfinite(y))
                continue;
            if (isnan(last_x))
                put(out, "<path clip-path=\"url(#panel%d)\" d=\"M%.1f %.1f", panel, x, bottom);
            put(out, "L%.1f %.1f", x, y);
            last_x = x;
        }
        if (!isnan(last_x))
            put(out, "V%.1fZ\" fill=\"%s\"/>\n", bottom, colours[s % COLOURS]);
    }
}

static void draw_all_series(fil_plot_text *out, const frame *frame, const fil_plot_series *series, int count, int panel)
{
    draw_areas(out, frame, series, count, panel);
    for (int s = 0; s < count; ++s) {
        // Steps often coincide: what is drawn first is wider and shows on both sides of what covers it.
        int covering = count - 1 - s < 5 ? count - 1 - s : 5;
        if (series[s].form == FIL_PLOT_POINTS)
            draw_points(out, frame, &series[s], s, panel);
        else if (series[s].form != FIL_PLOT_AREA)
            draw_series(out, frame, &series[s], s, panel, series[s].form == FIL_PLOT_STEPS ? 2 + 1.5 * covering : 2);
    }
}

static void draw_panel(fil_plot_text *out, const fil_plot *plot, int index, frame *frame)
{
    const fil_plot_panel *panel = &plot->panels[index];
    int count = panel->series_count > 0 ? panel->series_count : plot->series_count;
    frame->x = fit(&panel->x, panel->series, count, true, NAN);
    frame->y = fit(&panel->y, panel->series, count, false, panel->level_name ? panel->level : NAN);
    ticks x_ticks = make_ticks(&frame->x, (int)(frame->width / 70)),
          y_ticks = make_ticks(&frame->y, (int)(frame->height / 32));
    put(out, "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
        index, frame->left, frame->top - 4, frame->width + 4, frame->height + 8);
    draw_grid(out, frame, &x_ticks, &y_ticks);
    put(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#808080\"/>\n",
        frame->left, frame->top, frame->width, frame->height);
    if (panel->level_name) {
        double y = to_y(frame, panel->level);
        put(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#505050\" stroke-dasharray=\"5 4\"/>\n", frame->left, y,
            frame->width);
        put_text(out, frame->left + 6, y - 5, "fill=\"#505050\"", panel->level_name);
    }
    draw_all_series(out, frame, panel->series, count, index);

    double middle = frame->left + frame->width / 2, bottom = frame->top + frame->height;
    put_text(out, middle, bottom + 40, "text-anchor=\"middle\"", panel->x.label);
    char turned[96];
    double x = frame->left - 46, y = frame->top + frame->height / 2;
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    put_text(out, x, y, turned, panel->y.label);
}

static void draw_swatch(fil_plot_text *out, fil_plot_form form, int series, double x, double y)
{
    if (form == FIL_PLOT_POINTS) {
        put_ring(out, x + SWATCH - 8, y, series);
    } else if (form == FIL_PLOT_AREA) {
        put(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"12\" fill=\"%s\"/>\n", x + SWATCH - 16, y - 6, 16,
            colours[series % COLOURS]);
    } else {
        put(out, "<path d=\"M%.1f %.1fh%d\"", x, y, SWATCH);
        put_style(out, series, 2.5);
    }
}

// Names in rows that fit between left and right; returns the height. Without `out`: measures only.
static double draw_legend(fil_plot_text *out, const fil_plot_series *series, int count, double left, double right,
                          double top)
{
    double x = left, y = top;
    for (int s = 0; s < count; ++s) {
        double width = SWATCH + 8 + text_width(series[s].name, FONT) + 18;
        if (x + width > right && x > left) {
            x = left;
            y += LEGEND_LINE;
        }
        if (out) {
            draw_swatch(out, series[s].form, s, x, y + 10);
            put_text(out, x + SWATCH + 8, y + 14.5, "", series[s].name);
        }
        x += width;
    }
    return y - top + (count > 0 ? LEGEND_LINE : 0);
}

// All panels, in rows, below `top`.
static void draw_panels(fil_plot_text *out, const fil_plot *plot, double top)
{
    const double left = 66, bottom = 54, right = 18, title = 16;
    int columns = plot->columns > 0 ? plot->columns : plot->panel_count;
    int rows = (plot->panel_count + columns - 1) / columns;
    double width = (double)plot->width / columns, height = (plot->height - top) / rows, legend = 0;
    bool titled = false;
    // Panels of all rows are equally high: room for the highest legend.
    for (int i = 0; i < plot->panel_count; ++i) {
        const fil_plot_panel *panel = &plot->panels[i];
        titled |= panel->title != NULL;
        legend = fmax(legend, draw_legend(NULL, panel->series, panel->series_count, left, width, 0));
    }
    for (int i = 0; i < plot->panel_count; ++i) {
        const fil_plot_panel *panel = &plot->panels[i];
        int row = i / columns;
        double x = (i - row * columns) * width, y = top + row * height;
        // A title stands above the legend.
        double head = legend + (titled ? title : 0) + (legend > 0 ? 10 : 0);
        frame frame = {
            .left = x + left, .top = y + head, .width = width - left - right, .height = height - head - bottom};
        draw_panel(out, plot, i, &frame);
        draw_legend(out, panel->series, panel->series_count, x + left, x + width, y + head - legend - 4);
        if (panel->title)
            put_text(out, frame.left + frame.width / 2, y + head - legend - 9, "text-anchor=\"middle\"", panel->title);
    }
}

static void draw(fil_plot_text *out, const fil_plot *plot)
{
    put(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"%d\" fill=\"#202020\">\n",
        plot->width, plot->height, plot->width, plot->height, FONT);
    put(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", plot->width, plot->height);
    double y = MARGIN + TITLE_FONT - 3;
    char style[64];
    snprintf(style, sizeof style, "font-size=\"%d\" font-weight=\"bold\"", TITLE_FONT);
    put_text(out, MARGIN, y, style, plot->title);
    if (plot->subtitle) {
        y += 20;
        put_text(out, MARGIN, y, "fill=\"#505050\"", plot->subtitle);
    }
    y += 12;
    y += draw_legend(out, plot->panels[0].series, plot->series_count, MARGIN, plot->width - MARGIN, y) + 14;
    draw_panels(out, plot, y);
    put(out, "</svg>\n");
}

fil_status fil_plot_draw(fil_context *context, const fil_plot *plot, fil_plot_text *out)
{
    FIL_ASSERT(plot->panel_count > 0 && plot->width > 0 && plot->height > 0);
    *out = (fil_plot_text){.context = context};
    // Numbers have a decimal point, whatever language the host program has chosen.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t chosen = plain ? uselocale(plain) : (locale_t)0;
    draw(out, plot);
    if (plain) {
        uselocale(chosen);
        freelocale(plain);
    }
    if (!out->failed)
        return FIL_OK;
    fil_plot_text_free(out);
    return FIL_NO_MEMORY;
}

fil_status fil_plot_write(fil_context *context, const fil_plot *plot, const char *path)
{
    fil_plot_text text;
    fil_status status = fil_plot_draw(context, plot, &text);
    if (status != FIL_OK)
        return status;
    status = fil_file_write_text(context, path, text.text, text.length);
    fil_plot_text_free(&text);
    return status;
}
