// Line plots as SVG: panels in rows, with one legend or one for each. See plot.c.
#ifndef FIL_RENDER_PLOT_H
#define FIL_RENDER_PLOT_H

#include "base/context.h"

// How a series is drawn.
typedef enum fil_plot_form {
    FIL_PLOT_LINE,   // with a dot at its end
    FIL_PLOT_STEPS,  // y keeps its value until the next x
    FIL_PLOT_CURVE,  // a line without the dot
    FIL_PLOT_POINTS, // a ring around each point
    FIL_PLOT_AREA,   // filled down to zero; series that are stacked have the sums up to them as their values
} fil_plot_form;

// Points that a logarithmic axis cannot show (not positive) and points that are not finite are left out.
typedef struct fil_plot_series {
    const char *name;
    const double *x, *y;
    int64_t count;
    fil_plot_form form;
} fil_plot_series;

typedef struct fil_plot_axis {
    const char *label;
    bool log;
    double min, max; // min < max: this range; otherwise from the data
} fil_plot_axis;

typedef struct fil_plot_panel {
    const char *title;
    fil_plot_axis x, y;
    const fil_plot_series *series; // the same names in the same order in all panels: they share the legend; or
    int series_count;              // > 0: a panel with names of its own, and a legend of its own above it
    double level;                  // a dashed horizontal line, drawn when `level_name` is not NULL
    const char *level_name;
} fil_plot_panel;

typedef struct fil_plot {
    const char *title, *subtitle; // the subtitle may be NULL
    int width, height;            // pixels, of the whole picture
    const fil_plot_panel *panels;
    int panel_count, series_count; // series of each panel that has no count of its own
    int columns;                   // panels in a row; 0: all of them
} fil_plot;

// A long text in the making; failed: memory ran out and the rest was dropped. Freed by fil_plot_text_free.
typedef struct fil_plot_text {
    fil_context *context;
    char *text;
    size_t length, room;
    bool failed;
} fil_plot_text;

fil_status fil_plot_draw(fil_context *context, const fil_plot *plot, fil_plot_text *out);
void fil_plot_text_free(fil_plot_text *text);
// Draws into a file that appears whole or not at all.
fil_status fil_plot_write(fil_context *context, const fil_plot *plot, const char *path);

#endif
