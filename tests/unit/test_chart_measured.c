#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "chart_bars.h"
#include "theme_default.h"

/* What the charts of memory and throughput show of measured parts, samples and intervals. Texts are
 * measured by rule, so that the places are the same on every machine. */

/* A hundredth of a pixel. */
#define EXACT 0.01

static struct chart_recorder recorder;

static void make(enum summary_sample_kind kind, size_t count)
{
    chart_recorder_init(&recorder, kind, count, "en", false);
}

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_measured, .fini = tear_down);

Test(chart_measured, the_categories_measured_at_the_peak_are_told_apart)
{
    static const struct summary_amount amounts[] = {
        {"activations", NULL, 1024},         {"parameters", NULL, 2048},
        {"gradients", NULL, 1024},           {"optimizer_state", NULL, 4096},
        {"gathered_parameters", NULL, 512},  {"gradients_unsharded", NULL, 256},
        {"communication_buffers", NULL, 768}};
    static const struct summary_phase phases[] = {{"forward", 9000, {amounts, 1}},
                                                  {"backward", 10240, {amounts, 7}},
                                                  {"checkpoint_save", 20480, {amounts, 1}}};
    static const enum theme_area areas[] = {
        THEME_PARAMETERS,      THEME_GRADIENTS, THEME_OPTIMIZER,   THEME_GATHERED,
        THEME_GRADIENTS_WHOLE, THEME_BUFFERS,   THEME_ACTIVATIONS, THEME_NOT_ATTRIBUTED};
    static const double ends[] = {2, 3, 7, 7.5, 7.75, 8.5, 9.5, 10}; /* GiB */
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 0);
    candidate->phases = phases;
    candidate->phase_count = 3;
    candidate->peak_memory_mb = 10240;
    chart_recorder_draw(&recorder, "memory");
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
        const struct recording_item *found[2];
        cr_assert_eq(chart_bars_of(&recorder, areas[i], found, 2), 1, "area %zu", i);
        cr_assert(fabs(found[0]->box.x + found[0]->box.width -
                       chart_bars_place(&recorder, ends[i], "20", 20)) < EXACT,
                  "area %zu", i);
    }
    cr_assert(recording_canvas_says(&recorder.canvas, "parts: measured at the peak"));
}

/* Where the bracket below the first bar ends; NAN: there is none. */
static double bracket_end(void)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        /* the legend's is 22 pixels wide */
        if (item->kind == RECORDING_POLYLINE && item->points == 4 && item->box.height == 5 &&
            fabs(item->box.width - 22) > 1)
            return item->box.x + item->box.width;
    }
    return NAN;
}

Test(chart_measured, a_bracket_spans_what_stays_between_steps)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    chart_recorder_draw(&recorder, "memory");
    /* 1430.511 + 1430.511 + 8583.069 MiB */
    cr_assert(fabs(bracket_end() - chart_bars_place(&recorder, 11444.091 / 1024, "20", 20)) <
              EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "resident 11.18 GiB"));
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "resident: what stays between steps"));
    summary_sample_candidate(&recorder.summary, 0)->failure.reason = "killed";
    chart_recorder_draw(&recorder, "memory");
    cr_assert(isnan(bracket_end()), "a failed run has nothing that stays");
}

Test(chart_measured, headroom_is_said_as_an_amount_and_a_share_of_the_limit)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    summary_sample_candidate(&recorder.summary, 0)->peak_memory_mb = 6144;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "headroom 18.00 GiB (75.0 %)"));
    recorder.summary.policy.memory_limit_mb = 4096;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "over the limit by 2.00 GiB (50.0 %)"));
    recorder.summary.policy.memory_limit_mb = 0;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "over the limit by 6.00 GiB"));
}

/* ---- Samples and intervals of the throughput ---- */

/* Dots of few samples are octagons; the legend's is left out. */
static size_t dots(const struct recording_item **found, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->points == 8 &&
            fabs(item->box.width - 3.8) < EXACT && count < capacity)
            found[count++] = item;
    }
    return count;
}

static double middle_of(const struct recording_item *item)
{
    return item->box.x + item->box.width / 2;
}

/* One candidate at 400,000 tokens/s and 10 ms a step with three steps on two ranks. */
static struct summary_candidate *make_sampled(void)
{
    static const double first[] = {10, 9, 12.5};
    static const double second[] = {8, 10, 10};
    static const struct summary_numbers ranks[] = {{first, 3}, {second, 3}};
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 0);
    candidate->throughput = 400000;
    candidate->step_time_ms = 10;
    candidate->step_times = (struct summary_samples){ranks, 2};
    candidate->throughput_lower = 350000;
    candidate->throughput_upper = 420000;
    candidate->interval_unit = "round";
    recorder.summary.policy.min_throughput = NAN;
    summary_sample_judge(&recorder.summary);
    return candidate;
}

Test(chart_measured, every_step_is_a_dot_at_its_throughput)
{
    make_sampled();
    chart_recorder_draw(&recorder, "throughput");
    const struct recording_item *found[8];
    static const double expected[] = {400000, 400000, 320000}; /* slowest 10, 10, 12.5 ms */
    cr_assert_eq(dots(found, 8), 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert(fabs(middle_of(found[i]) -
                       chart_bars_place(&recorder, expected[i], "100,000", 100000)) < EXACT,
                  "dot %zu", i);
    cr_assert(found[0]->box.y != found[1]->box.y, "equal steps do not hide each other");
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "a measured step (spread vertically, so that all are seen)"));
}

/* The horizontal line of a whisker or range below the page's head: ends as x; NAN: none. */
static struct canvas_box spread_line(bool dashed)
{
    for (size_t i = recorder.canvas.count; i-- > 0;) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->points == 2 && item->box.height == 0 &&
            fabs(item->paint.width - 1.6) < EXACT && (item->paint.dash > 0) == dashed)
            return item->box;
    }
    return (struct canvas_box){NAN, NAN, NAN, NAN};
}

Test(chart_measured, a_whisker_spans_the_interval_and_says_what_it_rests_on)
{
    struct summary_candidate *candidate = make_sampled();
    chart_recorder_draw(&recorder, "throughput");
    struct canvas_box line = spread_line(false);
    cr_assert(fabs(line.x - chart_bars_place(&recorder, 350000, "100,000", 100000)) < EXACT);
    cr_assert(fabs(line.x + line.width - chart_bars_place(&recorder, 420000, "100,000", 100000)) <
              EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "95 %: 350,000 to 420,000"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "95 % interval, over rounds"));
    candidate->interval_unit = "within_run";
    chart_recorder_draw(&recorder, "throughput");
    cr_assert(fabs(spread_line(true).x - chart_bars_place(&recorder, 350000, "100,000", 100000)) <
              EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "95 % interval, within the run"));
    cr_assert_null(recording_canvas_find(&recorder.canvas, "95 % interval, over rounds"));
}

Test(chart_measured, without_an_interval_the_range_of_the_samples_is_called_that)
{
    struct summary_candidate *candidate = make_sampled();
    candidate->interval_unit = NULL;
    candidate->throughput_lower = candidate->throughput_upper = NAN;
    chart_recorder_draw(&recorder, "throughput");
    struct canvas_box line = spread_line(false);
    cr_assert(fabs(line.x - chart_bars_place(&recorder, 320000, "100,000", 100000)) < EXACT);
    cr_assert(fabs(line.x + line.width - chart_bars_place(&recorder, 400000, "100,000", 100000)) <
              EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "range: 320,000 to 400,000"));
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "range of the samples (no interval)"));
    candidate->step_times = (struct summary_samples){0};
    chart_recorder_draw(&recorder, "throughput");
    cr_assert(isnan(spread_line(false).x), "nothing was sampled");
    cr_assert_not(recording_canvas_says(&recorder.canvas, "range"));
}

Test(chart_measured, a_step_of_many_times_the_throughput_does_not_shorten_the_bars)
{
    static const double times[] = {10, 10, 0.001};
    static const struct summary_numbers ranks[] = {{times, 3}};
    struct summary_candidate *candidate = make_sampled();
    candidate->step_times = (struct summary_samples){ranks, 1};
    chart_recorder_draw(&recorder, "throughput");
    const struct recording_item *found[8];
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "400,000"));
    cr_assert_eq(dots(found, 8), 2);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "Steps beyond this axis: 1"));
}

Test(chart_measured, pages_of_one_chart_share_its_scale_and_say_which_rows_they_show)
{
    static const char *const charts[] = {"memory", "throughput"};
    make(SUMMARY_SAMPLE_COMPLETE, 12);
    struct diag diag = {0};
    for (size_t c = 0; c < 2; c++) {
        struct chart_input input = {.summary = &recorder.summary,
                                    .texts = &recorder.texts,
                                    .theme = theme_default(),
                                    .width = CHART_WIDTH_LEAST};
        const struct chart_row *row = chart_recorder_row(charts[c]);
        cr_assert_eq(chart_rows(row, &input), 12);
        double places[2];
        for (size_t page = 0; page < 2; page++) {
            input.first_row = 6 * page;
            input.row_count = 6;
            recording_canvas_fini(&recorder.canvas);
            recording_canvas_init(&recorder.canvas, NULL);
            cr_assert_eq(row->draw(&input, &recorder.canvas.canvas, &diag), STATUS_OK);
            places[page] = chart_bars_limit(&recorder, 0);
            cr_assert(recording_canvas_says(&recorder.canvas, page == 0
                                                                  ? "Candidates 1 to 6 of 12"
                                                                  : "Candidates 7 to 12 of 12"));
            cr_assert_eq(recording_canvas_find(&recorder.canvas, "ddp") != NULL, page == 0);
        }
        cr_assert(fabs(places[0] - places[1]) < EXACT, "%s", charts[c]);
    }
}
