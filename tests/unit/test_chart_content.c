#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart_bars.h"
#include "theme.h"

/* What the charts say and where their bars end. Texts are measured by rule, so that the places are
 * the same on every machine. */

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

TestSuite(chart_content, .fini = tear_down);

/* ---- Titles ---- */

/* The text in the head of the page, or NULL; it is the only one. */
static const char *title_of(const char *chart)
{
    const char *title = NULL;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind != RECORDING_TEXT || item->box.y >= recorder.canvas.page.head)
            continue;
        cr_assert_null(title, "%s: %s", chart, item->text);
        cr_assert_leq(item->box.y + item->box.height, recorder.canvas.page.head, "%s", chart);
        title = item->text;
    }
    return title;
}

Test(chart_content, a_chart_below_a_heading_has_no_title)
{
    size_t count;
    const struct chart_row *charts = chart_table(&count);
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    for (size_t i = 0; i < count; i++) {
        char title[128];
        recorder.below_heading = false;
        chart_recorder_draw(&recorder, charts[i].name);
        cr_assert_not_null(title_of(charts[i].name), "%s", charts[i].name);
        snprintf(title, sizeof title, "%s", title_of(charts[i].name));
        size_t items = recorder.canvas.count;
        recorder.below_heading = true;
        chart_recorder_draw(&recorder, charts[i].name);
        cr_assert_null(title_of(charts[i].name), "%s", charts[i].name);
        cr_assert_null(recording_canvas_find(&recorder.canvas, title), "%s", title);
        cr_assert_eq(recorder.canvas.count, items - 1, "the rest stays: %s", charts[i].name);
    }
}

/* ---- Bars ---- */

Test(chart_content, memory_bars_start_at_zero_and_end_at_the_measured_peak)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    chart_recorder_draw(&recorder, "memory");
    const struct recording_item *first[8];
    const struct recording_item *last[8];
    cr_assert_eq(chart_bars_of(&recorder, THEME_PARAMETERS, first, 8), 4);
    cr_assert_eq(chart_bars_of(&recorder, THEME_WORKSPACE, last, 8), 4);
    for (size_t i = 0; i < 4; i++) {
        double peak = summary_sample_candidate(&recorder.summary, i)->peak_memory_mb / 1024;
        cr_assert(fabs(first[i]->box.x - chart_bars_place(&recorder, 0, "20", 20)) < EXACT);
        cr_assert(fabs(last[i]->box.x + last[i]->box.width -
                       chart_bars_place(&recorder, peak, "20", 20)) < EXACT,
                  "bar %zu", i);
    }
}

Test(chart_content, parts_of_a_memory_bar_are_as_long_as_their_amounts)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    chart_recorder_draw(&recorder, "memory");
    static const enum theme_area areas[] = {THEME_PARAMETERS, THEME_GRADIENTS, THEME_OPTIMIZER};
    const struct summary_ledger *ledger = &summary_sample_candidate(&recorder.summary, 0)->ledger;
    const double amounts[] = {ledger->parameters_mb, ledger->gradients_mb,
                              ledger->optimizer_state_mb};
    double end = chart_bars_place(&recorder, 0, "20", 20);
    for (size_t i = 0; i < 3; i++) {
        const struct recording_item *found[8];
        cr_assert_eq(chart_bars_of(&recorder, areas[i], found, 8), 4);
        cr_assert(fabs(found[0]->box.x - end) < EXACT, "part %zu follows the one before", i);
        end = found[0]->box.x + found[0]->box.width;
        cr_assert(
            fabs(found[0]->box.width - (chart_bars_place(&recorder, amounts[i] / 1024, "20", 20) -
                                        chart_bars_place(&recorder, 0, "20", 20))) < EXACT);
    }
}

Test(chart_content, limit_lines_stand_at_the_limits)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    chart_recorder_draw(&recorder, "memory");
    cr_assert(fabs(chart_bars_limit(&recorder, 0) - chart_bars_place(&recorder, 24, "20", 20)) <
              EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "limit 24 GiB"));
    chart_recorder_draw(&recorder, "throughput");
    cr_assert(fabs(chart_bars_limit(&recorder, 0) -
                   chart_bars_place(&recorder, 400000, "200,000", 200000)) < EXACT);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "minimum 400,000 tokens/s"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "max. 25 %"));
}

Test(chart_content, a_limit_far_beyond_the_values_is_named_and_not_drawn)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    recorder.summary.policy.memory_limit_mb = 1024.0 * 1024;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert(isnan(chart_bars_limit(&recorder, 0)));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "limit 1 TiB, beyond this axis"));
}

Test(chart_content, throughput_bars_start_at_zero_and_end_at_the_value)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    chart_recorder_draw(&recorder, "throughput");
    const struct recording_item *best[4];
    const struct recording_item *eligible[4];
    const struct recording_item *rest[4];
    cr_assert_eq(chart_bars_of(&recorder, THEME_SELECTED, best, 4), 1);
    cr_assert_eq(chart_bars_of(&recorder, THEME_ELIGIBLE, eligible, 4), 2);
    cr_assert_eq(chart_bars_of(&recorder, THEME_NOT_ELIGIBLE, rest, 4), 1);
    double zero = chart_bars_place(&recorder, 0, "200,000", 200000);
    cr_assert(fabs(best[0]->box.x - zero) < EXACT);
    cr_assert(fabs(rest[0]->box.x - zero) < EXACT);
    cr_assert(fabs(best[0]->box.x + best[0]->box.width -
                   chart_bars_place(&recorder, 456000, "200,000", 200000)) < EXACT);
    cr_assert(fabs(rest[0]->box.x + rest[0]->box.width -
                   chart_bars_place(&recorder, 371250, "200,000", 200000)) < EXACT);
}

static size_t count_bars(void)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        bool outline = item->paint.fill == CANVAS_NONE && item->paint.hatch == CANVAS_NONE;
        count += item->kind == RECORDING_RECTANGLE && item->box.height == 22 && !outline;
    }
    return count;
}

Test(chart_content, failed_runs_have_no_bar_and_say_why)
{
    make(SUMMARY_SAMPLE_FAILED, 3);
    static const char *const charts[] = {"memory", "throughput"};
    for (size_t i = 0; i < 2; i++) {
        chart_recorder_draw(&recorder, charts[i]);
        cr_assert_eq(count_bars(), 0, "%s", charts[i]);
        cr_assert_not_null(recording_canvas_find(&recorder.canvas, "failed: CUDA out of memory"));
        cr_assert_not_null(recording_canvas_find(&recorder.canvas, "run failed"));
    }
}

Test(chart_content, a_failed_run_with_a_ledger_shows_it_as_an_outline)
{
    make(SUMMARY_SAMPLE_FAILED, 1);
    chart_recorder_draw(&recorder, "memory");
    const struct recording_item *outline[2];
    cr_assert_eq(chart_bars_of(&recorder, THEME_BEYOND, outline, 2), 1);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "ledger only: 11.22 GiB"));
}

Test(chart_content, a_failed_run_never_passes_the_memory_gate)
{
    make(SUMMARY_SAMPLE_FAILED, 2);
    summary_sample_candidate(&recorder.summary, 1)->peak_memory_mb = 1024;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "reached 1.00 GiB"));
    cr_assert_not(recording_canvas_says(&recorder.canvas, "headroom"));
}

Test(chart_content, what_is_not_measured_says_so_and_has_no_bar)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 0);
    candidate->peak_memory_mb = candidate->throughput = NAN;
    candidate->ledger.available = false;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    cr_assert_eq(count_bars(), 0);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "not measured"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "fails the memory gate"));
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_eq(count_bars(), 0);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "not measured"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "fails the throughput gate"));
}

Test(chart_content, a_ledger_above_the_peak_is_outlined_beyond_the_bar)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    summary_sample_candidate(&recorder.summary, 0)->peak_memory_mb = 2048;
    summary_sample_candidate(&recorder.summary, 0)->phase_count = 0;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    const struct recording_item *outline[2];
    cr_assert_eq(chart_bars_of(&recorder, THEME_BEYOND, outline, 2), 1);
    cr_assert(fabs(outline[0]->box.x - chart_bars_place(&recorder, 2, "20", 20)) < EXACT);
    /* 1430.511 + 1430.511 + 8583.069 + 50 - 2048 MiB */
    cr_assert_not_null(recording_canvas_find(
        &recorder.canvas, "The ledger's parts exceed the measured peak by 9.22 GiB."));
}

Test(chart_content, verdicts_stand_beside_the_values)
{
    make(SUMMARY_SAMPLE_COMPLETE, 4);
    recorder.summary.policy.memory_limit_mb = 14100; /* ddp has 14,094.1 MiB, the most */
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    /* 14,100 - 14,094.091 MiB */
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "tight: headroom 5.91 MiB (0.04 %)"));
    recorder.summary.policy.memory_limit_mb = 14094;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "memory");
    /* 0.091 MiB, the limit is 13.76 GiB */
    cr_assert(recording_canvas_says(&recorder.canvas, "over the limit by 93.18 KiB (<"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "failed gates: memory"));
}

Test(chart_content, evidence_below_multi_gpu_is_said_on_the_chart)
{
    static const struct {
        const char *level;
        bool said;
    } rows[] = {{"multi_gpu", false},
                {"multi_node_gpu", false},
                {"real_multi_gpu_smoke", true},
                {"published_report", true},
                {"predicted", true},
                {"nobody_knows", true},
                {NULL, true}};
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        summary_sample_group(&recorder.summary)->evidence_level = rows[i].level;
        chart_recorder_draw(&recorder, "memory");
        cr_assert_eq(recording_canvas_says(&recorder.canvas, "below multi_gpu"), rows[i].said, "%s",
                     rows[i].level != NULL ? rows[i].level : "none");
    }
}

Test(chart_content, times_that_do_not_count_are_hatched_and_said)
{
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    summary_sample_group(&recorder.summary)->times_count = false;
    chart_recorder_draw(&recorder, "throughput");
    const struct recording_item *found[8];
    cr_assert_eq(chart_bars_of(&recorder, THEME_NOT_COUNTED, found, 8), 3);
    cr_assert_eq(chart_bars_of(&recorder, THEME_SELECTED, found, 8), 0);
    cr_assert(recording_canvas_says(&recorder.canvas, "do not count"));
}

Test(chart_content, another_unit_has_no_bar_on_this_axis)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, 1);
    candidate->throughput_unit = "samples/s";
    candidate->throughput = 1780;
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_eq(count_bars(), 1);
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "1,780 samples/s"));
    cr_assert(recording_canvas_says(&recorder.canvas, "Measured in another unit"));
}

Test(chart_content, a_minimum_in_another_unit_is_said_and_not_drawn)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    recorder.summary.policy.throughput_unit = "samples/s";
    recorder.summary.policy.max_communication_ratio = NAN;
    chart_recorder_draw(&recorder, "throughput");
    cr_assert(isnan(chart_bars_limit(&recorder, 0)));
    cr_assert(recording_canvas_says(&recorder.canvas, "has another unit"));
}

Test(chart_content, the_selected_candidate_is_marked_only_where_the_decision_took_it)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "selected"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "Selected: ddp, 456,000 tokens/s"));
    summary_sample_group(&recorder.summary)->decision.decision = "tune";
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_null(recording_canvas_find(&recorder.canvas, "selected"));
    cr_assert(recording_canvas_says(&recorder.canvas, "best eligible"));
    cr_assert_not_null(
        recording_canvas_find(&recorder.canvas, "Best eligible: ddp, 456,000 tokens/s"));
}

Test(chart_content, rows_stand_by_strategy_then_by_name_with_numbers_by_value)
{
    static const char *const names[] = {"zero1, micro-batch 16", "zero3", "ddp",
                                        "zero1, micro-batch 2", "odd"};
    static const char *const strategies[] = {"zero1", "zero3", "ddp", "zero1", "something else"};
    static const int order[] = {2, 3, 0, 1, 4};
    make(SUMMARY_SAMPLE_COMPLETE, 5);
    for (size_t i = 0; i < 5; i++) {
        summary_sample_candidate(&recorder.summary, i)->label = names[i];
        summary_sample_candidate(&recorder.summary, i)->strategy = strategies[i];
    }
    chart_recorder_draw(&recorder, "memory");
    for (size_t i = 1; i < 5; i++) {
        const struct recording_item *above =
            recording_canvas_find(&recorder.canvas, names[order[i - 1]]);
        const struct recording_item *below =
            recording_canvas_find(&recorder.canvas, names[order[i]]);
        cr_assert(above != NULL && below != NULL && above->box.y < below->box.y, "%s over %s",
                  names[order[i - 1]], names[order[i]]);
    }
}

Test(chart_content, the_source_is_named_on_every_chart)
{
    static const char *const parts[] = {
        "Evidence level: multi_gpu", "gpt2_750m", "bf16", "ranks: 4", "NVIDIA A10G",
        "evidence files: 3"};
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    static const char *const charts[] = {"memory", "throughput"};
    for (size_t c = 0; c < 2; c++) {
        chart_recorder_draw(&recorder, charts[c]);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            cr_assert(recording_canvas_says(&recorder.canvas, parts[i]), "%s: %s", charts[c],
                      parts[i]);
    }
}

Test(chart_content, a_throughput_of_many_times_the_minimum_is_said_as_a_multiple)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    recorder.summary.policy.min_throughput = 100;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "4,560 times the minimum"));
    recorder.summary.policy.min_throughput = 456000;
    summary_sample_judge(&recorder.summary);
    chart_recorder_draw(&recorder, "throughput");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "exactly the minimum"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "1.7 % below the minimum"));
}

Test(chart_content, kinds_of_memory_that_differ_are_named_beside_each_value)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    chart_recorder_draw(&recorder, "memory");
    cr_assert(recording_canvas_says(&recorder.canvas, "Peak reserved memory"));
    summary_sample_candidate(&recorder.summary, 1)->memory_kind = "device";
    chart_recorder_draw(&recorder, "memory");
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "reserved"));
    cr_assert_not_null(recording_canvas_find(&recorder.canvas, "device"));
}
