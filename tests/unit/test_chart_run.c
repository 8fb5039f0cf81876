#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "chart_recorder.h"
#include "chart_steps_facts.h"
#include "chart_trace.h"
#include "theme_default.h"

/* The charts of a run: memory by phase, step times, losses. Texts are measured by rule. */

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

TestSuite(chart_run, .fini = tear_down);

static struct summary_candidate *candidate(size_t index)
{
    return summary_sample_candidate(&recorder.summary, index);
}

static bool says(const char *words)
{
    return recording_canvas_says(&recorder.canvas, words);
}

/* The lines of a colour, in the order in which they were drawn. */
static size_t lines(canvas_colour colour, const struct recording_item **found, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder.canvas.count && count < most; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_POLYLINE && item->paint.fill == CANVAS_NONE &&
            item->paint.stroke == colour)
            found[count++] = item;
    }
    return count;
}

/* ---- Facts of step times ---- */

static void set_times(struct summary_numbers *ranks, size_t count)
{
    candidate(0)->step_times = (struct summary_samples){ranks, count};
    candidate(0)->round_steps.count = 0;
    candidate(0)->warmup = NAN;
}

Test(chart_run, facts_of_step_times_are_of_the_slowest_rank_of_each_step)
{
    static const double first[] = {10, 11, 12, NAN};
    static const double second[] = {10.5, 30, 12.5, 14, 15};
    struct summary_numbers ranks[] = {{first, 4}, {second, 5}, {NULL, 0}};
    struct chart_steps_facts facts;
    struct arena arena = {0};
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    set_times(ranks, 3);
    cr_assert(chart_steps_facts_any(candidate(0)));
    cr_assert(chart_steps_facts_of(candidate(0), &arena, &facts));
    cr_assert_eq(facts.ranks, 2);
    cr_assert_eq(facts.steps, 5);
    cr_assert_eq(facts.median, 14); /* of 10.5, 30, 12.5, 14, 15 */
    cr_assert_eq(facts.largest, 30);
    cr_assert_eq(facts.largest_step, 1);
    cr_assert_eq(facts.largest_rank, 1);
    cr_assert_eq(facts.slowest, 1);
    cr_assert_eq(facts.slowest_median, 14);
    cr_assert_eq(facts.fastest_median, 11);
    cr_assert(facts.straggles);
    cr_assert(isnan(facts.drift), "five steps have no drift");
    cr_assert_eq(facts.low[3], 14);
    cr_assert_eq(facts.high[0], 10.5);
    arena_fini(&arena);
}

Test(chart_run, drift_compares_the_last_quarter_with_the_first)
{
    double times[16];
    struct summary_numbers rank = {times, 16};
    struct chart_steps_facts facts;
    struct arena arena = {0};
    for (size_t i = 0; i < 16; i++)
        times[i] = i < 4 ? 10 : i < 12 ? 50 : 11;
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    set_times(&rank, 1);
    cr_assert(chart_steps_facts_of(candidate(0), &arena, &facts));
    cr_assert_float_eq(facts.drift, 0.1, 1e-12);
    cr_assert_not(facts.straggles);
    arena_fini(&arena);
}

/* ---- The chart of step times ---- */

Test(chart_run, a_straggling_rank_is_named_and_drawn_strong)
{
    make(SUMMARY_SAMPLE_NAMES, 3);
    chart_recorder_draw(&recorder, "step_times");
    cr_assert(says("rank 1 is the slowest of 4"));
    cr_assert(says("12 ranks, medians within"));
    const struct recording_item *found[8];
    canvas_colour colour = theme_series_of(theme_default(), "zero2")->colour;
    cr_assert_eq(lines(colour, found, 8), 1);
    cr_assert_eq(found[0]->points, 24);
    cr_assert_float_eq(found[0]->paint.width, 1.8, EXACT);
}

Test(chart_run, a_run_that_failed_ends_in_a_cross_and_warm_up_is_grey)
{
    make(SUMMARY_SAMPLE_COMPLETE, 5);
    chart_recorder_draw(&recorder, "step_times");
    cr_assert(says("failed: out of memory"));
    cr_assert(says("the run failed here"));
    cr_assert(says("warm-up: its times are not kept"));
    const struct recording_item *found[8];
    /* a cross is two lines; the legend has one, too */
    cr_assert_eq(lines(theme_default()->ink[THEME_BAD], found, 8), 4);
}

Test(chart_run, drift_is_explained_where_a_run_is_long_enough_for_one)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    chart_recorder_draw(&recorder, "step_times");
    cr_assert(says("Drift: the median of the last quarter"));
    for (size_t i = 0; i < 2; i++)
        for (size_t rank = 0; rank < 4; rank++)
            ((struct summary_numbers *)(uintptr_t)candidate(i)->step_times.ranks)[rank].count = 11;
    chart_recorder_draw(&recorder, "step_times");
    cr_assert_not(says("rift"));
}

Test(chart_run, runs_without_step_times_say_so)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    candidate(0)->step_times.rank_count = 0;
    chart_recorder_draw(&recorder, "step_times");
    cr_assert_not_null(chart_recorder_text(&recorder, "Step times were not recorded."));
    candidate(1)->step_times.rank_count = 0;
    chart_recorder_draw(&recorder, "step_times");
    cr_assert_not_null(
        chart_recorder_text(&recorder, "Step times were not recorded in any of these runs."));
}

Test(chart_run, very_different_times_are_on_a_logarithmic_axis_and_it_says_so)
{
    make(SUMMARY_SAMPLE_EXTREME, 5);
    chart_recorder_draw(&recorder, "step_times");
    cr_assert(says("logarithmic"));
    chart_recorder_change(&recorder, SUMMARY_SAMPLE_COMPLETE, 5);
    chart_recorder_draw(&recorder, "step_times");
    cr_assert_not(says("logarithmic"));
}

/* ---- Memory by phase ---- */

/* The right end of the bar in the row of a text. */
static double bar_end(const struct recording_item *row)
{
    double end = NAN;
    double middle = row->box.y + row->box.height / 2;
    for (size_t i = 0; i < recorder.canvas.count; i++) {
        const struct recording_item *item = &recorder.canvas.items[i];
        if (item->kind == RECORDING_RECTANGLE && item->box.height == 12 &&
            fabs(item->box.y + 6 - middle) < 2)
            end = fmax(end, item->box.x + item->box.width); /* fmax leaves a NAN out */
    }
    return end;
}

static double tick(const char *label)
{
    const struct recording_item *item = chart_recorder_text(&recorder, label);
    return item->box.x + item->box.width / 2;
}

Test(chart_run, bars_of_phases_end_at_their_peaks_and_the_peak_of_training_is_bold)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    chart_recorder_draw(&recorder, "lifecycle");
    double scale = (tick("20") - tick("0")) / 20;
    for (size_t i = 0; i < candidate(0)->phase_count; i++) {
        static const char *const names[] = {"start",           "forward",
                                            "backward",        "optimizer step",
                                            "checkpoint save", "checkpoint restore"};
        double end = tick("0") + scale * candidate(0)->phases[i].peak_mb / 1024;
        /* a part that is narrower than three quarters of a pixel is drawn that wide */
        cr_assert_float_eq(bar_end(chart_recorder_text(&recorder, names[i])), end, 0.75, "%s",
                           names[i]);
    }
    cr_assert(chart_recorder_text(&recorder, "13.76 GiB")->font.bold);
    cr_assert_not(chart_recorder_text(&recorder, "11.18 GiB")->font.bold);
    cr_assert(says("peak of training 13.76 GiB (backward); resident 11.18 GiB"));
    cr_assert_not(says("checkpoints need more"));
}

Test(chart_run, phases_that_were_not_recorded_and_phases_that_failed_are_marked)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    candidate(1)->phase_count = 3;
    candidate(1)->failure.reason = "out of memory";
    candidate(1)->failure.phase = "optimizer";
    chart_recorder_draw(&recorder, "lifecycle");
    cr_assert_not_null(chart_recorder_text(&recorder, "not measured"));
    cr_assert_not_null(chart_recorder_text(&recorder, "the run failed in this phase"));
    candidate(1)->phase_count = 0;
    chart_recorder_draw(&recorder, "lifecycle");
    cr_assert_not_null(chart_recorder_text(&recorder, "Memory by phase was not recorded."));
    cr_assert_not(says("the run failed in this phase"));
}

Test(chart_run, a_phase_of_another_producer_has_its_row_before_the_checkpoints)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    struct summary_phase *phases = (struct summary_phase *)(uintptr_t)candidate(1)->phases;
    phases[1].name = "evaluation";
    phases[5].peak_mb = 50000;
    chart_recorder_draw(&recorder, "lifecycle");
    cr_assert_gt(chart_recorder_text(&recorder, "evaluation")->box.y,
                 chart_recorder_text(&recorder, "optimizer step")->box.y);
    cr_assert_lt(chart_recorder_text(&recorder, "evaluation")->box.y,
                 chart_recorder_text(&recorder, "checkpoint save")->box.y);
    cr_assert(says("checkpoints need more: 48.83 GiB (checkpoint restore)"));
}

/* ---- Losses ---- */

static double *losses_of(size_t index)
{
    return (double *)(uintptr_t)candidate(index)->losses.items;
}

Test(chart_run, losses_that_lie_on_each_other_share_a_line_and_say_how_closely)
{
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    for (size_t i = 0; i < 26; i++) {
        losses_of(1)[i] = losses_of(0)[i];
        losses_of(2)[i] = losses_of(0)[i] + (i == 11 ? 1e-5 : 0);
    }
    chart_recorder_draw(&recorder, "losses");
    cr_assert_not_null(chart_recorder_text(&recorder, "ddp; zero1; zero2"));
    cr_assert_not_null(chart_recorder_text(&recorder, "coincide within 1e-05"));
    cr_assert_not_null(
        chart_recorder_text(&recorder, "Largest difference from ddp: 1e-05, of zero2 at step 11"));
    losses_of(2)[11] = losses_of(0)[11];
    chart_recorder_draw(&recorder, "losses");
    cr_assert_not_null(chart_recorder_text(&recorder, "equal to the last digit"));
    cr_assert_not_null(
        chart_recorder_text(&recorder, "All runs have the same losses, to the last digit"));
}

Test(chart_run, losses_that_part_have_lines_and_labels_of_their_own)
{
    make(SUMMARY_SAMPLE_COMPLETE, 2);
    losses_of(1)[20] += 0.5;
    chart_recorder_draw(&recorder, "losses");
    cr_assert_not_null(chart_recorder_text(&recorder, "ddp"));
    cr_assert_not_null(chart_recorder_text(&recorder, "zero1"));
    cr_assert(says("the others are compared"));
    cr_assert(says("differs from ddp by up to 0.5"));
    const struct recording_item *found[4];
    /* its line and the sample before its name; a leader is thinner */
    size_t count = lines(theme_series_of(theme_default(), "zero1")->colour, found, 4);
    cr_assert_geq(count, 2);
    cr_assert_eq(found[0]->points, 26);
}

Test(chart_run, losses_that_are_no_numbers_rise_or_were_never_reached_are_said)
{
    make(SUMMARY_SAMPLE_COMPLETE, 5);
    losses_of(1)[7] = NAN;
    losses_of(2)[25] = 100;
    candidate(3)->losses.count = 0;
    candidate(4)->losses.count = 0;
    chart_recorder_draw(&recorder, "losses");
    cr_assert_not_null(chart_recorder_text(&recorder, "no number at step 7"));
    cr_assert_not_null(chart_recorder_text(&recorder, "ends above its first loss"));
    cr_assert_not_null(chart_recorder_text(&recorder, "No losses recorded: zero3"));
    cr_assert(says("fsdp_full_shard: failed before its first loss: out of memory"));
    cr_assert(says("warm-up: 2 steps"));
}

Test(chart_run, losses_of_another_global_batch_are_not_compared)
{
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    for (size_t i = 0; i < 26; i++)
        losses_of(1)[i] = losses_of(0)[i];
    losses_of(2)[20] = losses_of(0)[20] + 0.5;
    candidate(0)->global_batch = candidate(2)->global_batch = 64;
    candidate(1)->global_batch = 128;
    chart_recorder_draw(&recorder, "losses");
    cr_assert(says("other batch: not compared"));
    cr_assert(says("Largest difference from ddp"));
    cr_assert_not_null(chart_recorder_text(&recorder, "zero1"));
    candidate(2)->global_batch = 256;
    chart_recorder_draw(&recorder, "losses");
    cr_assert(says("Losses of different global batches are not compared"));
    cr_assert_not(says("differs from"));
}

Test(chart_run, a_missing_baseline_is_replaced_by_one_that_is_named)
{
    make(SUMMARY_SAMPLE_COMPLETE, 3);
    summary_sample_group(&recorder.summary)->decision.baseline = "fsdp_full_shard";
    losses_of(2)[20] = losses_of(0)[20] + 0.5;
    chart_recorder_draw(&recorder, "losses");
    cr_assert(says("Largest difference from ddp"));
}

Test(chart_run, one_run_has_no_difference)
{
    make(SUMMARY_SAMPLE_COMPLETE, 1);
    chart_recorder_draw(&recorder, "losses");
    cr_assert_not_null(
        chart_recorder_text(&recorder, "One run only: there is nothing to compare it with"));
    cr_assert_not(says("differs"));
    cr_assert_not(says("compared with this one"));
}

/* ---- Traces ---- */

static struct chart_panel panel(double largest)
{
    struct chart_axis_range x = {0, 10000, {1, ""}, CHART_AXIS_ZERO, false};
    struct chart_axis_range y = {0, largest, {1, ""}, CHART_AXIS_ZERO, false};
    return (struct chart_panel){{0, 0, 100, 100}, chart_axis_of(&x, 5), chart_axis_of(&y, 5)};
}

static void draw_trace(const struct chart_trace *trace, const struct chart_panel *place)
{
    struct chart_frame frame = {.scene = {.canvas = &recorder.canvas.canvas}};
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, 0x123456, 1, 0};
    struct canvas_page page = {100, 100, NULL, NULL, 0xFFFFFF, 0};
    struct diag diag = {0};
    chart_trace_line(&frame, place, trace, &paint);
    cr_assert_eq(scene_draw(&frame.scene, &page, &diag), STATUS_OK);
    scene_fini(&frame.scene);
}

Test(chart_run, a_long_trace_keeps_its_extremes_in_two_points_a_pixel)
{
    static double values[10000];
    for (size_t i = 0; i < 10000; i++)
        values[i] = i == 6543 ? 40 : 10 + (double)(i % 7);
    struct chart_trace trace = {values, 10000, 0};
    struct chart_panel place = panel(40);
    make(SUMMARY_SAMPLE_COMPLETE, 0);
    draw_trace(&trace, &place);
    const struct recording_item *found[4];
    cr_assert_eq(lines(0x123456, found, 4), 1);
    cr_assert_leq(found[0]->points, 200);
    cr_assert_float_eq(found[0]->box.y, 0, EXACT); /* the spike reaches the top */
    cr_assert_float_eq(found[0]->box.height, 75, EXACT);
}

Test(chart_run, a_trace_breaks_where_there_is_no_number)
{
    static const double values[] = {1, 2, NAN, 3, INFINITY, 2, 1, NAN};
    struct chart_trace trace = {values, 8, 0};
    struct chart_panel place = panel(4);
    make(SUMMARY_SAMPLE_COMPLETE, 0);
    draw_trace(&trace, &place);
    const struct recording_item *found[4];
    cr_assert_eq(lines(0x123456, found, 4), 2); /* the lone 3 is a dot */
    cr_assert_eq(recorder.canvas.count, 3);
    cr_assert_eq(chart_trace_last(&trace), 6);
}
