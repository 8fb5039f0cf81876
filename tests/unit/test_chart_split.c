#include <criterion/criterion.h>
#include <math.h>

#include "chart_recorder.h"
#include "theme.h"

/* What the chart of a step's parts shows, with texts measured by rule. */

/* A hundredth of a pixel. */
#define EXACT 0.01

static struct chart_recorder recorder;

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_split, .fini = tear_down);

/* One candidate whose step has parts of these lengths, ms. */
static struct summary_candidate *make(void)
{
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 1, "en", false);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 0);
    candidate->timing = (struct summary_timing){.available = true,
                                                .rank = 3,
                                                .step_ms = 100,
                                                .forward_ms = 20,
                                                .backward_ms = 48,
                                                .optimizer_ms = 5,
                                                .exposed_ms = 25,
                                                .other_ms = 2,
                                                .in_flight_ms = 60};
    return candidate;
}

/* The only bar of an area with this height, without the legend's swatch; NULL: none. */
static const struct recording_item *bar_of(enum theme_area area, double height)
{
    const struct canvas_paint *paint = &theme_default()->area[area];
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE && item->box.height == height &&
            item->paint.fill == paint->fill && item->paint.hatch == paint->hatch &&
            item->paint.stroke == paint->stroke)
            return item;
    }
    return NULL;
}

static double middle_of(const char *text)
{
    const struct recording_item *item = chart_recorder_text(&recorder, text);
    return item->box.x + item->box.width / 2;
}

static double place_of(double ms)
{
    return middle_of("0") + (middle_of("100") - middle_of("0")) * ms / 100;
}

static void assert_bar(enum theme_area area, double height, double from_ms, double to_ms)
{
    const struct recording_item *bar = bar_of(area, height);
    cr_assert_not_null(bar, "area %d", (int)area);
    cr_assert(fabs(bar->box.x - place_of(from_ms)) < EXACT, "area %d", (int)area);
    cr_assert(fabs(bar->box.x + bar->box.width - place_of(to_ms)) < EXACT, "area %d", (int)area);
}

Test(chart_split, parts_are_stacked_from_zero_to_the_step)
{
    make();
    chart_recorder_draw(&recorder, "step_split");
    assert_bar(THEME_FORWARD, 22, 0, 20);
    assert_bar(THEME_BACKWARD, 22, 20, 68);
    assert_bar(THEME_UPDATE, 22, 68, 73);
    assert_bar(THEME_COMMUNICATION, 22, 73, 98);
    assert_bar(THEME_OTHER_TIME, 22, 98, 100);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "100.00 ms (rank 3)"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "exposed 25.00 ms (25.0 %)"));
}

Test(chart_split, hidden_communication_stands_beside_the_step_from_zero)
{
    struct summary_candidate *candidate = make();
    chart_recorder_draw(&recorder, "step_split");
    assert_bar(THEME_HIDDEN, 9, 0, 35); /* 60 in flight less 25 exposed */
    cr_assert(bar_of(THEME_HIDDEN, 9)->box.y >= bar_of(THEME_FORWARD, 22)->box.y + 22 + 2);
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "hidden 35.00 ms of 60.00 ms in flight"));
    cr_assert(recording_canvas_says(&recorder.canvas, "not part of the step"));
    candidate->timing.in_flight_ms = NAN;
    chart_recorder_draw(&recorder, "step_split");
    cr_assert_null(bar_of(THEME_HIDDEN, 9));
    cr_assert_not(recording_canvas_says(&recorder.canvas, "in flight"));
}

Test(chart_split, a_run_without_parts_says_so)
{
    struct summary_candidate *candidate = make();
    candidate->timing.available = false;
    candidate->step_time_ms = 100;
    chart_recorder_draw(&recorder, "step_split");
    assert_bar(THEME_NOT_ATTRIBUTED, 22, 0, 100);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "median step, parts not recorded"));
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "The parts of a step were not recorded in any of these runs."));
    candidate->step_time_ms = NAN;
    chart_recorder_draw(&recorder, "step_split");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "not measured"));
    cr_assert_null(bar_of(THEME_NOT_ATTRIBUTED, 22));
}

Test(chart_split, times_that_do_not_count_are_hatched_over_and_said)
{
    make();
    summary_sample_group(&recorder.summary)->times_count = false;
    chart_recorder_draw(&recorder, "step_split");
    size_t hatched = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct canvas_paint *paint = &recorder.canvas.items[i].paint;
        hatched += recorder.canvas.items[i].kind == RECORDING_RECTANGLE &&
                   paint->fill == CANVAS_NONE && paint->hatch == theme_default()->ink[THEME_PAGE];
    }
    cr_assert_eq(hatched, 5, "one a part");
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "Times at this evidence level do not count: no decision rests on them."));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "times that do not count"));
}

Test(chart_split, a_failed_run_says_why_and_has_no_bar)
{
    make()->failure.reason = "killed";
    chart_recorder_draw(&recorder, "step_split");
    cr_assert_null(bar_of(THEME_FORWARD, 22));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "failed: killed"));
}

Test(chart_split, has_content_where_one_run_recorded_the_parts)
{
    struct summary_candidate *candidate = make();
    struct chart_input input = {.summary = &recorder.summary,
                                .texts = &recorder.texts,
                                .theme = theme_default(),
                                .width = CHART_WIDTH};
    const struct chart_row *row = chart_recorder_row("step_split");
    cr_assert(chart_has_content(row, &input));
    candidate->timing.available = false;
    cr_assert_not(chart_has_content(row, &input));
}
