// Plots: well-formed text, escaped names, points that an axis cannot show, empty data, memory that runs out.
#include "render/plot.h"

#include "failing_allocator.h"

#include <stdio.h>
#include <string.h>

static const double x[] = {0, 1, 10, 100, 1e3}, y[] = {1, 0.1, NAN, 1e-5, -1};

static fil_plot make_plot(fil_plot_panel panels[2], const fil_plot_series *series, int count)
{
    for (int k = 0; k < 2; ++k)
        panels[k] =
            (fil_plot_panel){.x = {.label = "x", .log = k == 0}, .y = {.label = "y", .log = true}, .series = series};
    return (fil_plot){.title = "a < b & c > d",
                      .subtitle = "sub",
                      .width = 900,
                      .height = 600,
                      .panels = panels,
                      .panel_count = 2,
                      .series_count = count};
}

TEST(plot_escapes_and_is_whole)
{
    fil_context *context = fil_context_create(NULL);
    fil_plot_series series[] = {{"one <&>", x, y, 5, FIL_PLOT_LINE}, {"two", x, y, 5, FIL_PLOT_STEPS}};
    fil_plot_panel panels[2];
    fil_plot plot = make_plot(panels, series, 2);
    panels[0].level = 1e-3;
    panels[0].level_name = "tolerance";
    fil_plot_text text;
    test_ok(context, fil_plot_draw(context, &plot, &text));
    test_contains(text.text, "a &lt; b &amp; c &gt; d");
    test_contains(text.text, "one &lt;&amp;&gt;");
    test_contains(text.text, "tolerance");
    ck_assert(strstr(text.text, "nan") == NULL && strstr(text.text, "inf") == NULL);
    ck_assert_str_eq(text.text + text.length - 7, "</svg>\n");
    ck_assert_uint_eq(strlen(text.text), text.length);
    fil_plot_text_free(&text);
    fil_context_destroy(context);
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); ++text)
        ++count;
    return count;
}

// Each point that the axes can show, and one in the legend, is a ring; a curve has no dot at its end.
TEST(plot_shows_points_and_curves)
{
    fil_context *context = fil_context_create(NULL);
    fil_plot_series series[] = {{"theory", x, y, 5, FIL_PLOT_CURVE}, {"measured", x, y, 5, FIL_PLOT_POINTS}};
    fil_plot_panel panels[2];
    fil_plot plot = make_plot(panels, series, 2);
    plot.panel_count = 1;
    fil_plot_text text;
    test_ok(context, fil_plot_draw(context, &plot, &text));
    ck_assert_int_eq(occurrences(text.text, "<circle"), 3); // x = 1 and x = 100
    fil_plot_text_free(&text);
    fil_context_destroy(context);
}

// Three panels in two rows, each with names of its own; what is stacked begins at zero.
TEST(plot_panels_have_their_own_series)
{
    fil_context *context = fil_context_create(NULL);
    static const double lower[] = {5, 6, 7, 6, 5}, upper[] = {8, 9, 9, 9, 8};
    fil_plot_series first[] = {{"a", x, y, 5, FIL_PLOT_CURVE}}, second[] = {{"b", x, y, 5, FIL_PLOT_CURVE}};
    fil_plot_series stacked[] = {{"c", x, lower, 5, FIL_PLOT_AREA}, {"d", x, upper, 5, FIL_PLOT_AREA}};
    fil_plot_panel panels[3] = {
        {.title = "A", .x = {.label = "x"}, .y = {.label = "y"}, .series = first, .series_count = 1},
        {.title = "B", .x = {.label = "x"}, .y = {.label = "y"}, .series = second, .series_count = 1},
        {.title = "C", .x = {.label = "x"}, .y = {.label = "y"}, .series = stacked, .series_count = 2}};
    fil_plot plot = {.title = "t", .width = 900, .height = 600, .panels = panels, .panel_count = 3, .columns = 2};
    fil_plot_text text;
    test_ok(context, fil_plot_draw(context, &plot, &text));
    static const char *const names[] = {">A<", ">B<", ">C<", ">a<", ">b<", ">c<", ">d<"};
    for (int i = 0; i < 7; ++i)
        ck_assert_msg(occurrences(text.text, names[i]) == 1, "%s", names[i]);
    ck_assert_int_eq(occurrences(text.text, "Z\" fill="), 2);
    // The third panel begins a second row, below the middle of the paper, and its axis at zero.
    const char *third = strstr(text.text, "id=\"panel2\"");
    double left, top;
    ck_assert(third && sscanf(strstr(third, "x=\""), "x=\"%lf\" y=\"%lf\"", &left, &top) == 2);
    ck_assert(left < 450 && top > 300);
    test_contains(third, "text-anchor=\"end\">0</text>");
    fil_plot_text_free(&text);
    fil_context_destroy(context);
}

TEST(plot_without_data_is_a_plot)
{
    fil_context *context = fil_context_create(NULL);
    const double same_x[] = {5, 5}, same_y[] = {2, 2};
    fil_plot_series series[] = {{"none", NULL, NULL, 0, FIL_PLOT_LINE}, {"point", same_x, same_y, 2, FIL_PLOT_LINE}};
    fil_plot_panel panels[2];
    for (int first = 0; first < 2; ++first) {
        fil_plot plot = make_plot(panels, series + first, 1);
        fil_plot_text text;
        test_ok(context, fil_plot_draw(context, &plot, &text));
        ck_assert(strstr(text.text, "nan") == NULL);
        fil_plot_text_free(&text);
    }
    fil_context_destroy(context);
}

TEST(plot_thins_points_that_nobody_sees)
{
    fil_context *context = fil_context_create(NULL);
    enum { MANY = 200000 };
    double *many = calloc(MANY, sizeof *many);
    for (int i = 0; i < MANY; ++i)
        many[i] = 1 + i;
    fil_plot_series series = {"many", many, many, MANY, FIL_PLOT_LINE};
    fil_plot_panel panels[2];
    fil_plot plot = make_plot(panels, &series, 1);
    fil_plot_text text;
    test_ok(context, fil_plot_draw(context, &plot, &text));
    ck_assert_uint_lt(text.length, 60000);
    fil_plot_text_free(&text);
    free(many);
    fil_context_destroy(context);
}

TEST(plot_writes_whole_files)
{
    fil_context *context = fil_context_create(NULL);
    fil_plot_series series = {"one", x, y, 5, FIL_PLOT_LINE};
    fil_plot_panel panels[2];
    fil_plot plot = make_plot(panels, &series, 1);
    test_ok(context, fil_plot_write(context, &plot, test_path("plot.svg")));
    ck_assert_int_eq(fil_plot_write(context, &plot, test_path("missing/plot.svg")), FIL_IO_FAILED);
    fil_context_destroy(context);
}

static fil_status draw(fil_context *context, void *data)
{
    fil_plot_text text;
    fil_status status = fil_plot_draw(context, data, &text);
    if (status == FIL_OK)
        fil_plot_text_free(&text);
    return status;
}

TEST(plot_survives_failing_allocation)
{
    fil_plot_series series[] = {{"one", x, y, 5, FIL_PLOT_LINE}, {"two", x, y, 5, FIL_PLOT_STEPS}};
    fil_plot_panel panels[2];
    fil_plot plot = make_plot(panels, series, 2);
    test_failing_allocation(draw, &plot);
}
