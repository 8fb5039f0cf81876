#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "chart_recorder.h"
#include "chart_scale.h"
#include "theme.h"

/* The chart of the ledger over the world size: where its lines and signs lie, and which are named
 * together. Texts are measured by rule, so that the places are the same on every machine. */

/* A hundredth of a pixel. */
#define EXACT 0.01

static struct chart_recorder recorder;

static void make(size_t count)
{
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, count, "en", false);
}

static void draw(void)
{
    chart_recorder_draw(&recorder, "ledger_scale");
}

static void tear_down(void)
{
    chart_recorder_fini(&recorder);
}

TestSuite(chart_scale, .fini = tear_down);

static double middle_x(const char *text)
{
    const struct recording_item *item = chart_recorder_text(&recorder, text);
    return item->box.x + item->box.width / 2;
}

/* The height of a number of the vertical axis is that of its grid line. */
static double height_of(const char *tick)
{
    const struct recording_item *item = chart_recorder_text(&recorder, tick);
    double middle = item->box.y + item->box.height / 2;
    double best = NAN;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *line = &recorder.canvas.items[i];
        if (line->kind == RECORDING_POLYLINE && line->box.height == 0 &&
            line->paint.stroke == theme_default()->ink[THEME_GRID] &&
            !(fabs(line->box.y - middle) >= fabs(best - middle)))
            best = line->box.y;
    }
    return best;
}

/* Both axes are logarithmic. */
static double x_of(double ranks)
{
    return middle_x("1") + (middle_x("1,024") - middle_x("1")) * log2(ranks) / 10;
}

static double y_of(double gib)
{
    return height_of("10") + (height_of("0.1") - height_of("10")) * (1 - log10(gib)) / 2;
}

static const struct recording_item *line_of(const char *strategy)
{
    canvas_colour colour = theme_series_of(theme_default(), strategy)->colour;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->points == 11 && item->paint.stroke == colour)
            return item;
    }
    return NULL;
}

/* The n-th sign of a strategy: a filled polygon. */
static const struct recording_item *sign_of(const char *strategy, size_t n)
{
    canvas_colour colour = theme_series_of(theme_default(), strategy)->colour;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->paint.fill == colour && n-- == 0)
            return item;
    }
    return NULL;
}

Test(chart_scale, lines_run_from_one_rank_to_1024)
{
    make(5);
    draw();
    const struct summary_scale *scale = &summary_sample_candidate(&recorder.summary, 1)->scale;
    const struct recording_item *line = line_of("zero1");
    cr_assert_not_null(line);
    cr_assert(fabs(line->box.x - x_of(1)) < EXACT);
    cr_assert(fabs(line->box.x + line->box.width - x_of(1024)) < EXACT);
    cr_assert(fabs(line->box.y - y_of(scale->items[0].resident_mb / 1024)) < EXACT);
    cr_assert(fabs(line->box.y + line->box.height - y_of(scale->items[10].resident_mb / 1024)) <
              EXACT);
}

Test(chart_scale, ddp_is_level)
{
    make(5);
    draw();
    cr_assert_not_null(line_of("ddp"));
    cr_assert_eq(line_of("ddp")->box.height, 0);
    cr_assert(line_of("zero3")->box.height > 100);
}

Test(chart_scale, the_measured_state_stands_at_the_world_size_of_its_run)
{
    make(5);
    draw();
    const struct summary_ledger *ledger = &summary_sample_candidate(&recorder.summary, 1)->ledger;
    const struct recording_item *sign = sign_of("zero1", 0);
    cr_assert_not_null(sign);
    cr_assert(fabs(sign->box.x + sign->box.width / 2 - x_of(4)) < EXACT);
    /* the sample's phases have the ledger's state exactly */
    cr_assert(fabs(sign->box.y + sign->box.height / 2 - y_of(ledger->resident_mb / 1024)) < EXACT);
}

Test(chart_scale, what_was_not_measured_has_no_sign_and_that_is_said)
{
    make(2);
    for (size_t i = 0; i < 2; i++)
        summary_sample_candidate(&recorder.summary, i)->phase_count = 0;
    draw();
    cr_assert_null(sign_of("zero1", 0));
    cr_assert_null(sign_of("ddp", 0));
    cr_assert(recording_canvas_says(&recorder.canvas, "None of these runs measured them."));
}

Test(chart_scale, equal_lines_are_named_together_and_both_are_seen)
{
    make(5);
    draw();
    chart_recorder_text(&recorder, "zero3, fsdp_full_shard");
    chart_recorder_text(&recorder, "ddp");
    chart_recorder_text(&recorder, "11.18 GiB"); /* of ddp, at its end */
    cr_assert_eq(line_of("zero3")->box.y, line_of("fsdp_full_shard")->box.y);
    cr_assert(line_of("fsdp_full_shard")->paint.dash > 0);
}

Test(chart_scale, candidates_of_one_strategy_share_their_line)
{
    make(12);
    draw();
    size_t lines = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++)
        lines += recorder.canvas.items[i].kind == RECORDING_POLYLINE &&
                 recorder.canvas.items[i].points == 11;
    cr_assert_eq(lines, 5);
    cr_assert_null(recording_canvas_find(&recorder.canvas, "zero1, micro-batch 2"));
}

Test(chart_scale, a_strategy_with_two_ledgers_has_two_named_lines)
{
    make(7);
    struct summary_candidate *other = summary_sample_candidate(&recorder.summary, 6); /* zero1 */
    static struct summary_scale_point points[11];
    memcpy(points, other->scale.items, sizeof points);
    for (size_t i = 0; i < 11; i++)
        points[i].resident_mb *= 2;
    other->scale.items = points;
    draw();
    chart_recorder_text(&recorder, "zero1, micro-batch 2");
    chart_recorder_text(&recorder, "zero1");
}

Test(chart_scale, the_limit_is_a_line_or_named)
{
    make(5);
    draw();
    const struct recording_item *label = chart_recorder_text(&recorder, "limit 24 GiB");
    cr_assert(label->box.x > x_of(1024));
    size_t limits = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->box.height == 0 &&
            item->paint.stroke == theme_default()->ink[THEME_LIMIT] && item->box.width > 100 &&
            fabs(item->box.y - y_of(24)) < EXACT)
            limits++;
    }
    cr_assert_eq(limits, 1);
    recorder.summary.policy.memory_limit_mb = 1e12;
    draw();
    cr_assert(recording_canvas_says(&recorder.canvas, "beyond"));
}

Test(chart_scale, candidates_without_a_ledger_are_named)
{
    make(5);
    summary_sample_candidate(&recorder.summary, 3)->scale.count = 0;
    draw();
    chart_recorder_text(&recorder, "No line, for want of what the formula needs: zero3.");
    chart_recorder_text(&recorder, "fsdp_full_shard");
}

Test(chart_scale, a_strategy_with_the_line_of_another_candidate_lacks_none)
{
    make(12);
    summary_sample_candidate(&recorder.summary, 6)->scale.count = 0; /* zero1, micro-batch 2 */
    draw();
    cr_assert(!recording_canvas_says(&recorder.canvas, "No line"));
}

Test(chart_scale, more_candidates_than_are_shown_are_counted)
{
    make(75);
    draw();
    cr_assert(recording_canvas_says(&recorder.canvas, "60 of 75 candidates are shown"));
}

Test(chart_scale, has_content_if_any_ledger_is_known)
{
    make(2);
    const struct chart_row *row = chart_recorder_row("ledger_scale");
    struct chart_input input = {.summary = &recorder.summary};
    cr_assert(chart_has_content(row, &input));
    summary_sample_candidate(&recorder.summary, 0)->scale.count = 0;
    cr_assert(chart_has_content(row, &input));
    summary_sample_candidate(&recorder.summary, 1)->scale.count = 0;
    cr_assert(!chart_has_content(row, &input));
    draw();
    chart_recorder_text(&recorder,
                        "No line, for want of what the formula needs: ddp \xC2\xB7 zero1.");
}
