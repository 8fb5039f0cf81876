#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "chart_margins.h"
#include "chart_margins_axis.h"
#include "chart_recorder.h"
#include "theme.h"

/* The chart of decision margins: its words, and where its regions and marks lie. Texts are measured
 * by rule, so that the places are the same on every machine. */

/* A hundredth of a pixel. */
#define EXACT 0.01
#define STRIP 24.0

static struct chart_recorder recorder;
/* What a test says of the limits; the sample's own is replaced. */
static struct summary_change changes[4];
static struct summary_sensitivity rows[2];

static void make(const char *language)
{
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 5, language, false);
    memset(changes, 0, sizeof changes);
    changes[0] = (struct summary_change){"down", "below", NULL, "tune", 15593, NULL, NAN};
    changes[1] =
        (struct summary_change){"up", "at_least", "zero2", "accept", 16661, "zero2, b 8", NAN};
    rows[0] = (struct summary_sensitivity){"memory_limit_mb", "MiB", 16384, changes, 2};
    rows[1] = (struct summary_sensitivity){"min_gain", "ratio", 0, NULL, 0};
    struct summary_decision *decision = &summary_sample_group(&recorder.summary)->decision;
    decision->sensitivity = rows;
    decision->sensitivity_count = 2;
    summary_sample_candidate(&recorder.summary, 0)->peak_memory_mb = 15593;
}

static void draw(void)
{
    chart_recorder_draw(&recorder, "margins");
}

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_margins, .fini = tear_down);

/* The n-th region of a ground, or NULL. */
static const struct recording_item *region(enum theme_area area, size_t n)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE && item->box.height == STRIP &&
            item->paint.fill == theme_default()->area[area].fill && n-- == 0)
            return item;
    }
    return NULL;
}

static double middle_of(const char *text)
{
    const struct recording_item *item = chart_recorder_text(&recorder, text);
    return item->box.x + item->box.width / 2;
}

/* Where a value lies by two numbers below the strip. */
static double place(double value, const char *first, double from, const char *second, double to)
{
    double left = middle_of(first);
    return left + (middle_of(second) - left) * (value - from) / (to - from);
}

static double place_of(double value)
{
    return place(value, "15,000", 15000, "16,000", 16000);
}

static const struct recording_item *line_of(size_t points, canvas_colour stroke, canvas_colour fill)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->points == points && item->box.height > 8 &&
            item->paint.stroke == stroke && item->paint.fill == fill)
            return item;
    }
    return NULL;
}

static bool says(const char *text)
{
    return recording_canvas_find(&recorder.canvas, text) != NULL;
}

Test(chart_margins, regions_end_where_the_answer_changes)
{
    make("en");
    draw();
    const struct recording_item *below = region(THEME_NOT_ELIGIBLE, 0);
    const struct recording_item *now = region(THEME_SELECTED, 0);
    const struct recording_item *above = region(THEME_ELIGIBLE, 0);
    cr_assert_not_null(below);
    cr_assert_not_null(now);
    cr_assert_not_null(above);
    cr_assert(fabs(now->box.x - place_of(15593)) < EXACT);
    cr_assert(fabs(now->box.x + now->box.width - place_of(16661)) < EXACT);
    cr_assert(fabs(below->box.x + below->box.width - now->box.x) < EXACT);
    cr_assert(fabs(above->box.x - now->box.x - now->box.width) < EXACT);
}

Test(chart_margins, the_present_limit_and_the_measured_value_stand_on_the_axis)
{
    make("en");
    draw();
    const struct recording_item *limit = line_of(2, theme_default()->ink[THEME_LIMIT], CANVAS_NONE);
    cr_assert_not_null(limit);
    cr_assert(limit->box.height > STRIP, "the sign beside the words came first");
    cr_assert(fabs(limit->box.x - place_of(16384)) < EXACT);
    const struct recording_item *mark = line_of(3, CANVAS_NONE, theme_default()->ink[THEME_TEXT]);
    cr_assert_not_null(mark);
    cr_assert(fabs(mark->box.x + mark->box.width / 2 - place_of(15593)) < EXACT);
}

Test(chart_margins, says_where_what_then_and_how_far)
{
    make("en");
    draw();
    cr_assert(says("below 15,593"));
    cr_assert(says("tune"));
    cr_assert(says("\xE2\x88\x92"
                   "791 (\xE2\x88\x92"
                   "4.8 %)"));
    cr_assert(says("16,661 or more"));
    cr_assert(says("accept zero2, b 8"), "the candidate is told apart from others of its strategy");
    cr_assert(says("+277 (+1.7 %)"));
    cr_assert(says("now 16,384"));
    cr_assert(says("15,593 measured by ddp"));
    cr_assert(says("memory limit (MiB)"));
    cr_assert(says("No value of these, moved alone, changes the answer: required gain."));
}

Test(chart_margins, says_the_same_in_chinese)
{
    make("zh");
    draw();
    cr_assert(says("\xE4\xBD\x8E\xE4\xBA\x8E 15,593"));             /* below */
    cr_assert(says("16,661 \xE6\x88\x96\xE6\x9B\xB4\xE9\xAB\x98")); /* or more */
    cr_assert(says("\xE8\xB0\x83\xE6\x95\xB4"));                    /* tune */
}

Test(chart_margins, a_direction_without_a_change_belongs_to_the_present_answer)
{
    make("en");
    rows[0].change_count = 1;
    draw();
    const struct recording_item *now = region(THEME_SELECTED, 0);
    cr_assert(says("no value changes it"));
    cr_assert_null(region(THEME_ELIGIBLE, 0));
    cr_assert(fabs(now->box.x - place(15593, "15,500", 15500, "16,500", 16500)) < EXACT);
    cr_assert(now->box.x + now->box.width > place(16384, "15,500", 15500, "16,500", 16500) + 10);
}

Test(chart_margins, any_value_fills_the_strip_and_needs_no_axis)
{
    make("en");
    changes[2] = (struct summary_change){"down", "any", NULL, "reject", NAN, NULL, NAN};
    rows[0] = (struct summary_sensitivity){"max_communication_ratio", "ratio", NAN, &changes[2], 1};
    draw();
    const struct recording_item *all = region(THEME_NOT_ELIGIBLE, 0);
    cr_assert(says("once set, however loose"));
    cr_assert(says("now: no limit"));
    cr_assert_not_null(all);
    cr_assert(all->box.width > 200);
    cr_assert_null(region(THEME_SELECTED, 0));
    cr_assert(!recording_canvas_says(&recorder.canvas, "0 %"));
}

/* At a tighter limit the one that is accepted may fail, too. */
Test(chart_margins, an_acceptance_under_any_limit_does_not_fill_the_strip)
{
    make("en");
    changes[2] = (struct summary_change){"down", "any", NULL, "reject", NAN, NULL, NAN};
    rows[0] = (struct summary_sensitivity){"max_communication_ratio", "ratio", NAN, &changes[2], 1};
    draw();
    const struct canvas_box all = region(THEME_NOT_ELIGIBLE, 0)->box;
    changes[2].decision = "accept";
    draw();
    const struct recording_item *part = region(THEME_ELIGIBLE, 0);
    cr_assert_float_eq(part->box.width, all.width / 2, 1e-6);
    cr_assert_float_eq(part->box.x, all.x + all.width / 2, 1e-6, "where limits are loose");
    changes[2].direction = "up";
    draw();
    cr_assert_float_eq(region(THEME_ELIGIBLE, 0)->box.x, all.x, 1e-6);
}

Test(chart_margins, shares_are_moved_by_percentage_points)
{
    make("en");
    changes[2] = (struct summary_change){"down", "below", NULL, "tune", 0.081, NULL, NAN};
    rows[0] =
        (struct summary_sensitivity){"max_communication_ratio", "ratio", 0.25, &changes[2], 1};
    draw();
    cr_assert(says("below 8.1 %"));
    cr_assert(says("\xE2\x88\x92"
                   "16.9 percentage points"));
    cr_assert(says("maximum exposed communication"), "no unit: the numbers are percentages");
}

Test(chart_margins, a_throughput_in_another_unit_is_no_mark)
{
    make("en");
    changes[2] = (struct summary_change){"up", "above", NULL, "tune", 12, NULL, NAN};
    rows[0] = (struct summary_sensitivity){"min_throughput", "samples/s", 10, &changes[2], 1};
    draw();
    cr_assert(!recording_canvas_says(&recorder.canvas, "measured by"));
    cr_assert_null(line_of(3, CANVAS_NONE, theme_default()->ink[THEME_TEXT]));
}

Test(chart_margins, says_so_when_nothing_is_known_and_is_left_out_when_nothing_moves)
{
    make("en");
    const struct chart_row *row = chart_recorder_row("margins");
    struct chart_input input = {.summary = &recorder.summary};
    cr_assert(chart_has_content(row, &input));
    rows[0].change_count = 0;
    cr_assert(!chart_has_content(row, &input));
    summary_sample_group(&recorder.summary)->decision.sensitivity_count = 0;
    draw();
    cr_assert(says("This summary does not say how far its limits may move."));
}

static void check_inside(void)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        cr_assert(item->box.x >= 0 && item->box.x + item->box.width <= recorder.canvas.page.width);
        cr_assert(item->box.width >= 0 && item->box.height >= 0 && isfinite(item->box.y));
    }
}

Test(chart_margins, huge_and_tiny_values_stay_on_the_page)
{
    static const double values[][3] = {{1e-9, 1, 1e15},     {0, 0, 0},       {0, 0, 1},
                                       {1e300, 1e308, NAN}, {-1, -0.5, 1e9}, {1e-320, 1e-310, 1}};
    make("en");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        changes[0].value = values[i][0];
        rows[0].current = values[i][1];
        changes[1].value = values[i][2];
        rows[0].change_count = isnan(values[i][2]) ? 1 : 2;
        summary_sample_candidate(&recorder.summary, 0)->peak_memory_mb = values[i][0];
        draw();
        check_inside();
    }
}

Test(chart_margins, does_not_speak_of_rows_that_it_does_not_have)
{
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 100, "en", false);
    draw();
    cr_assert(!recording_canvas_says(&recorder.canvas, "of 100 candidates"));
}

Test(chart_margins, axes_are_logarithmic_only_where_values_are_far_apart)
{
    const struct chart_margins_bounds bounds = {0, INFINITY};
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 1, "en", false);
    struct chart_axis_range near =
        chart_margins_axis_range((const double[]){100, 1199, NAN}, 3, bounds);
    struct chart_axis_range far =
        chart_margins_axis_range((const double[]){100, 1201, NAN}, 3, bounds);
    struct chart_axis_range zero = chart_margins_axis_range((const double[]){0, 1201}, 2, bounds);
    cr_assert_eq(near.scale, CHART_AXIS_RANGE);
    cr_assert_eq(far.scale, CHART_AXIS_LOG10);
    cr_assert_eq(zero.scale, CHART_AXIS_RANGE);
    cr_assert(near.smallest < 100 && near.smallest >= 0 && near.largest > 1199);
    cr_assert(far.smallest < 100 && far.largest > 1201);
    cr_assert(zero.smallest < 0, "a region of no width has a place all the same");
}

/* Between 16,661 and 16,800 zero2 is accepted; what comes then is not known. */
Test(chart_margins, ends_an_acceptance_where_another_candidate_may_change_it)
{
    make("en");
    draw();
    const struct recording_item *whole = region(THEME_ELIGIBLE, 0);
    cr_assert_not_null(whole);
    double width = whole->box.width;
    changes[1].beyond = 16800;
    draw();
    const struct recording_item *part = region(THEME_ELIGIBLE, 0);
    cr_assert_not_null(part);
    cr_assert_gt(part->box.width, 1);
    cr_assert_lt(part->box.width, width - 1);
}
