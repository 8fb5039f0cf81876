#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "chart_recorder.h"
#include "theme.h"

/* What the communication chart shows, with texts measured by rule. */

/* A hundredth of a pixel. */
#define EXACT 0.01
#define MIB(bytes) ((bytes) / 1048576.0)

static struct chart_recorder recorder;

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_communication, .fini = tear_down);

static const struct summary_collective equal[] = {
    {"reduce_scatter", "gradient_reduction", 5, 5, 60, 60, NAN, NAN, 6},
    {"all_reduce", "scalar", 1, 1, MIB(8), MIB(8), NAN, NAN, 0.001}};
static const struct summary_collective unequal[] = {
    {"reduce_scatter", "gradient_reduction", 5, 6, 100, MIB(104857600 - 4096), NAN, NAN, 6}};
static const struct summary_link near[] = {{"reduce_scatter", 16, 10}};
static const struct summary_link far[] = {{"reduce_scatter", 16, 90}};

static struct summary_candidate *make(const struct summary_collective *rows, size_t count)
{
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 1, "en", false);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 0);
    candidate->collectives = rows;
    candidate->collective_count = count;
    candidate->links = near;
    candidate->link_count = 1;
    return candidate;
}

static void draw(void)
{
    chart_recorder_draw(&recorder, "communication");
}

/* The only bar of an area; the legend's swatch is a square. */
static const struct recording_item *bar_of(enum theme_area area)
{
    const struct canvas_paint *paint = &theme_default()->area[area];
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE && item->box.height == 12 &&
            fabs(item->box.width - 12) > EXACT && item->paint.fill == paint->fill &&
            item->paint.hatch == paint->hatch && item->paint.stroke == paint->stroke)
            return item;
    }
    return NULL;
}

/* The strokes across bars, in the order in which they were drawn; not the legend's. */
static double mark_x(size_t which)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->box.width == 0 && item->box.height == 18 &&
            item->paint.stroke == theme_default()->ink[THEME_TEXT] && which-- == 0)
            return item->box.x;
    }
    return NAN;
}

/* The n-th text of that label: each panel has its own zero. */
static double middle_of(const char *text, size_t which)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_TEXT && strcmp(item->text, text) == 0 && which-- == 0)
            return item->box.x + item->box.width / 2;
    }
    cr_assert_fail("no text %s", text);
    return NAN;
}

static double end_of(const struct recording_item *bar)
{
    cr_assert_not_null(bar);
    return bar->box.x + bar->box.width;
}

Test(chart_communication, a_bar_ends_at_the_counted_bytes_and_the_mark_at_the_formula)
{
    make(unequal, 1);
    draw();
    double zero = middle_of("0", 0);
    double pixel = (middle_of("100", 0) - zero) / 100; /* of a MiB */
    cr_assert(fabs(bar_of(THEME_COMMUNICATION)->box.x - zero) < EXACT);
    cr_assert(fabs(end_of(bar_of(THEME_COMMUNICATION)) - (zero + 100 * pixel)) < EXACT);
    cr_assert(fabs(mark_x(0) - (zero + (100 - MIB(4096)) * pixel)) < EXACT);
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "reduce-scatter, gradient reduction"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "100.00 MiB, calls: 5"));
    cr_assert(recording_canvas_says(&recorder.canvas, "4,096 B more than"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "calls by formula: 6"));
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "Counted bytes equal the formula in 0 of 1 collectives"));
}

Test(chart_communication, agreement_to_the_byte_is_said)
{
    make(equal, 2);
    draw();
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "equal to the byte"));
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas,
        "Counted bytes equal the formula, to the byte, in each of 2 collectives"));
}

Test(chart_communication, a_scalar_is_said_in_words_and_has_no_bar)
{
    make(equal, 2);
    draw();
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "all-reduce, scalar (gradient norm): 8 B, equal to the byte"));
    size_t marks = 0;
    while (!isnan(mark_x(marks)))
        marks++;
    cr_assert_eq(marks, 2, "formula and calibration of the one bar");
}

Test(chart_communication, bandwidth_stands_beside_that_of_the_collective_alone)
{
    struct summary_candidate *candidate = make(equal, 2);
    draw();
    double zero = middle_of("0", 1);
    double pixel = (middle_of("10", 1) - zero) / 10; /* of a GB/s */
    cr_assert(fabs(bar_of(THEME_BANDWIDTH)->box.x - zero) < EXACT);
    cr_assert(fabs(end_of(bar_of(THEME_BANDWIDTH)) - (zero + 6 * pixel)) < EXACT);
    cr_assert(fabs(mark_x(1) - (zero + 10 * pixel)) < EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "6 GB/s"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "alone 10 (16 MiB)"));
    candidate->links = far; /* over four times as much would squeeze the bars */
    draw();
    cr_assert(isnan(mark_x(1)));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "alone 90 (16 MiB)"));
}

Test(chart_communication, without_bandwidths_there_is_one_panel)
{
    static const struct summary_collective rows[] = {
        {"all_gather", "parameter_gather", NAN, NAN, 60, NAN, NAN, NAN, NAN}};
    make(rows, 1);
    draw();
    cr_assert_null(bar_of(THEME_BANDWIDTH));
    cr_assert_not(recording_canvas_says(&recorder.canvas, "bandwidth"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "no formula to compare"));
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "No counted bytes can be compared with a formula"));
}

Test(chart_communication, a_run_that_did_not_count_shows_the_formula_as_an_outline)
{
    struct summary_candidate *candidate = make(NULL, 0);
    candidate->formula_payload_mb = 90;
    draw();
    cr_assert_not_null(bar_of(THEME_BEYOND));
    cr_assert_null(bar_of(THEME_COMMUNICATION));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "formula 90.00 MiB"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas,
                                             "Collectives were not counted in any of these runs."));
    struct chart_input input = {.summary = &recorder.summary,
                                .texts = &recorder.texts,
                                .theme = theme_default(),
                                .width = CHART_WIDTH};
    cr_assert_not(chart_has_content(chart_recorder_row("communication"), &input));
}

Test(chart_communication, times_that_do_not_count_are_hatched_and_bytes_are_not)
{
    make(equal, 2);
    summary_sample_group(&recorder.summary)->times_count = false;
    draw();
    cr_assert_null(bar_of(THEME_BANDWIDTH));
    cr_assert_not_null(bar_of(THEME_NOT_COUNTED));
    cr_assert_not_null(bar_of(THEME_COMMUNICATION));
    cr_assert(recording_canvas_says(&recorder.canvas, "do not count"));
}

Test(chart_communication, a_failed_run_says_why)
{
    make(equal, 2)->failure.reason = "killed";
    draw();
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "failed: killed"));
}
