#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart_frontier.h"
#include "chart_recorder.h"
#include "theme.h"

/* The chart of throughput against memory: places, limits, front, names. Texts are measured by rule,
 * so that the places are the same on every machine. */

/* A hundredth of a pixel. */
#define EXACT 0.01

static struct chart_recorder recorder;

static void make(enum summary_sample_kind kind, size_t count)
{
    chart_recorder_init(&recorder, kind, count, "en", false);
}

static void draw(void)
{
    chart_recorder_draw(&recorder, "frontier");
}

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_frontier, .fini = tear_down);

static bool says(const char *text)
{
    return recording_canvas_says(&recorder.canvas, text);
}

static double x_of(double gib)
{
    const struct recording_item *left = chart_recorder_text(&recorder, "10");
    const struct recording_item *right = chart_recorder_text(&recorder, "20");
    double from = left->box.x + left->box.width / 2;
    double to = right->box.x + right->box.width / 2;
    return from + (to - from) * (gib - 10) / 10;
}

static double y_of(double rate)
{
    const struct recording_item *low = chart_recorder_text(&recorder, "400,000");
    const struct recording_item *high = chart_recorder_text(&recorder, "440,000");
    double from = low->box.y + low->box.height / 2;
    double to = high->box.y + high->box.height / 2;
    return from + (to - from) * (rate - 400000) / 40000;
}

/* The number of filled polygons of a strategy's colour around a place. */
static size_t signs_at(const char *strategy, double x, double y)
{
    canvas_colour colour = theme_series_of(theme_default(), strategy)->colour;
    size_t count = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        count += item->kind == RECORDING_POLYLINE && item->paint.fill == colour &&
                 fabs(item->box.x + item->box.width / 2 - x) < EXACT &&
                 fabs(item->box.y + item->box.height / 2 - y) < 3; /* a triangle's middle */
    }
    return count;
}

static const struct recording_item *region(void)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE &&
            item->paint.fill == theme_default()->area[THEME_FEASIBLE].fill)
            return item;
    }
    return NULL;
}

static bool has_line(double x0, double y0, double x1, double y1, canvas_colour colour)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->points == 2 && item->paint.stroke == colour &&
            fabs(item->box.x - fmin(x0, x1)) < EXACT && fabs(item->box.y - fmin(y0, y1)) < 0.5 &&
            fabs(item->box.width - fabs(x1 - x0)) < EXACT &&
            fabs(item->box.height - fabs(y1 - y0)) < 0.5)
            return true;
    }
    return false;
}

/* The numbers of the vertical axis are centred on their ticks to a fraction of a pixel only, which
 * shifts all by the same amount: places are compared by differences. */
static double shift(void)
{
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->box.height == 0 && item->box.width > 300 &&
            item->paint.stroke == theme_default()->ink[THEME_LIMIT])
            return item->box.y - y_of(400000);
    }
    return NAN;
}

Test(chart_frontier, each_candidate_stands_at_its_memory_and_throughput)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    draw();
    for (size_t i = 0; i < 4; i++) {
        const struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, i);
        cr_assert_eq(signs_at(candidate->strategy, x_of(candidate->peak_memory_mb / 1024),
                              y_of(candidate->throughput) + shift()),
                     1, "%s", candidate->strategy);
    }
}

Test(chart_frontier, the_region_ends_at_both_limits)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    draw();
    const struct recording_item *ground = region();
    cr_assert_not_null(ground);
    cr_assert(fabs(ground->box.x + ground->box.width - x_of(24)) < EXACT);
    cr_assert(fabs(ground->box.y + ground->box.height - y_of(400000) - shift()) < EXACT);
    chart_recorder_text(&recorder, "within both limits");
    chart_recorder_text(&recorder, "limit 24 GiB");
    cr_assert(says("minimum"));
    cr_assert(says("400,000"));
}

Test(chart_frontier, a_region_without_one_limit_reaches_the_end)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    recorder.summary.policy.min_throughput = NAN;
    summary_sample_judge(&recorder.summary);
    draw();
    chart_recorder_text(&recorder, "within the memory limit");
    cr_assert(!says("minimum"));
    recorder.summary.policy.memory_limit_mb = NAN;
    summary_sample_judge(&recorder.summary);
    draw();
    cr_assert_null(region());
}

Test(chart_frontier, the_front_is_a_stair_through_its_points)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    draw();
    canvas_colour ink = theme_default()->ink[THEME_QUIET];
    const struct summary_candidate *zero1 = summary_sample_candidate(&recorder.summary, 1);
    const struct summary_candidate *ddp = summary_sample_candidate(&recorder.summary, 0);
    cr_assert(zero1->on_front && ddp->on_front);
    double x0 = x_of(zero1->peak_memory_mb / 1024);
    double x1 = x_of(ddp->peak_memory_mb / 1024);
    double y0 = y_of(zero1->throughput) + shift();
    double y1 = y_of(ddp->throughput) + shift();
    cr_assert(has_line(x0, y0, x1, y0, ink), "as much memory as the next needs gains nothing");
    cr_assert(has_line(x1, y0, x1, y1, ink));
    chart_recorder_text(&recorder, "Pareto front");
}

Test(chart_frontier, what_another_beats_in_both_is_not_on_the_front)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    struct summary_candidate *zero2 = summary_sample_candidate(&recorder.summary, 2);
    zero2->throughput = 405000;
    zero2->peak_memory_mb = 9000;
    zero2->throughput_lower = zero2->throughput_upper = NAN;
    summary_sample_judge(&recorder.summary);
    cr_assert(!zero2->on_front);
    draw();
    double x = x_of(9000.0 / 1024);
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        cr_assert(item->kind != RECORDING_POLYLINE || item->points != 2 ||
                  item->paint.stroke != theme_default()->ink[THEME_QUIET] ||
                  fabs(item->box.x - x) > EXACT || item->box.width > EXACT);
    }
}

Test(chart_frontier, the_selected_one_has_a_ring_and_the_not_eligible_are_hollow)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    draw();
    const struct summary_candidate *ddp = summary_sample_candidate(&recorder.summary, 0);
    const struct summary_candidate *zero3 = summary_sample_candidate(&recorder.summary, 3);
    size_t rings = 0;
    size_t hollow = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind != RECORDING_POLYLINE || item->points < 4)
            continue;
        double x = item->box.x + item->box.width / 2;
        rings += item->paint.fill == CANVAS_NONE && fabs(x - x_of(ddp->peak_memory_mb / 1024)) < 1;
        hollow += item->paint.fill == theme_default()->ink[THEME_PAGE] &&
                  fabs(x - x_of(zero3->peak_memory_mb / 1024)) < EXACT;
    }
    cr_assert_eq(rings, 1);
    cr_assert_eq(hollow, 1);
    chart_recorder_text(&recorder, "selected");
    chart_recorder_text(&recorder, "not eligible");
}

Test(chart_frontier, an_interval_spans_its_ends)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    draw();
    const struct summary_candidate *zero1 = summary_sample_candidate(&recorder.summary, 1);
    double x = x_of(zero1->peak_memory_mb / 1024);
    cr_assert(has_line(x, y_of(zero1->throughput_lower) + shift(), x,
                       y_of(zero1->throughput_upper) + shift(),
                       theme_series_of(theme_default(), "zero1")->colour));
    chart_recorder_text(&recorder, "95 % interval, over rounds");
    chart_recorder_text(&recorder, "95 % interval, within the run");
}

Test(chart_frontier, says_who_is_not_in_it_and_why)
{
    make(SUMMARY_SAMPLE_COMPLETE, 5);
    summary_sample_candidate(&recorder.summary, 1)->peak_memory_mb = NAN;
    summary_sample_candidate(&recorder.summary, 2)->throughput = NAN;
    summary_sample_candidate(&recorder.summary, 3)->throughput_unit = "samples/s";
    draw();
    chart_recorder_text(&recorder, "Not in the chart:");
    chart_recorder_text(&recorder, "zero1: peak memory not measured");
    chart_recorder_text(&recorder, "zero2: throughput not measured");
    chart_recorder_text(&recorder, "zero3: throughput measured in another unit (samples/s)");
    cr_assert(says("fsdp_full_shard: failed: out of memory: rank 3"));
}

Test(chart_frontier, a_minimum_in_another_unit_is_not_drawn)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    recorder.summary.policy.throughput_unit = "samples/s";
    draw();
    cr_assert(says("has another unit than the measurements"));
    chart_recorder_text(&recorder, "within the memory limit");
}

Test(chart_frontier, many_candidates_have_numbers_and_a_key)
{
    make(SUMMARY_SAMPLE_COMPLETE, 40);
    draw();
    size_t named = 0;
    size_t numbered = 0;
    char number[8];
    while (snprintf(number, sizeof number, "%zu", numbered + 1) > 0 &&
           recording_canvas_find(&recorder.canvas, number) != NULL)
        numbered++;
    for (size_t i = 0; i < 40; i++) {
        const struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, i);
        named += candidate->failure.reason == NULL &&
                 recording_canvas_find(&recorder.canvas, candidate->label) != NULL;
    }
    cr_assert(numbered > 10, "%zu", numbered);
    /* beside its point or in the key; a long one may be cut or broken there */
    cr_assert(named > 25, "%zu", named);
}

Test(chart_frontier, points_at_one_place_share_their_number)
{
    make(SUMMARY_SAMPLE_EXTREME, 40);
    draw();
    cr_assert(says("\xE2\x80\x93"), "a range of numbers");
}

Test(chart_frontier, has_content_if_anything_was_measured)
{
    make(SUMMARY_SAMPLE_FAILED, 3);
    const struct chart_row *row = chart_recorder_row("frontier");
    struct chart_input input = {.summary = &recorder.summary};
    cr_assert(!chart_has_content(row, &input));
    draw();
    chart_recorder_text(&recorder, "Not in the chart:");
    struct summary_candidate *first = summary_sample_candidate(&recorder.summary, 0);
    first->failure.reason = NULL;
    first->throughput = 1;
    first->peak_memory_mb = 1;
    cr_assert(chart_has_content(row, &input));
}
