#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart_recorder.h"
#include "layout_check.h"
#include "theme.h"

/*
 * Every chart can be read over the whole matrix of candidates, data, languages and widths of pages,
 * with the fonts of this machine: see layout_check.h.
 */

static const char *const languages[] = {"en", "zh"};

/* Of picture files, and of pages of paper. */
static const double widths[] = {CHART_WIDTH, 760};

static void check(struct chart_recorder *recorder, const char *where)
{
    struct layout_check faults = layout_check_page(&recorder->canvas);
    cr_expect_eq(faults.faults, 0, "%s: %s (%zu faults)", where, faults.first, faults.faults);
}

/* Names that are no stranger than "zero3, micro-batch 16" are never cut. */
static void check_whole(struct chart_recorder *recorder, enum summary_sample_kind kind,
                        size_t count, const char *where)
{
    const char *text = layout_check_cut(&recorder->canvas);
    if ((kind == SUMMARY_SAMPLE_MISSING || kind == SUMMARY_SAMPLE_EXTREME) && count <= 5)
        cr_expect_null(text, "%s: \"%s\" is cut", where, text);
}

static void check_charts(struct chart_recorder *recorder, enum summary_sample_kind kind,
                         size_t count, const char *language)
{
    size_t rows;
    const struct chart_row *charts = chart_table(&rows);
    for (size_t i = 0; i < 2 * rows; i++) {
        char where[128];
        const char *chart = charts[i / 2].name;
        recorder->width = widths[i % 2];
        snprintf(where, sizeof where, "%s, %s, %zu, %s, %g wide", chart,
                 summary_sample_kind_names[kind], count, language, recorder->width);
        chart_recorder_draw(recorder, chart);
        check(recorder, where);
        check_whole(recorder, kind, count, where);
    }
}

static void check_matrix(size_t count)
{
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        struct chart_recorder recorder;
        chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 0, languages[i], true);
        for (int kind = 0; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++) {
            chart_recorder_change(&recorder, (enum summary_sample_kind)kind, count);
            check_charts(&recorder, (enum summary_sample_kind)kind, count, languages[i]);
        }
        chart_recorder_fini(&recorder);
    }
}

Test(chart_geometry, holds_for_1_candidate)
{
    check_matrix(1);
}

Test(chart_geometry, holds_for_2_candidates)
{
    check_matrix(2);
}

Test(chart_geometry, holds_for_5_candidates)
{
    check_matrix(5);
}

Test(chart_geometry, holds_for_12_candidates)
{
    check_matrix(12);
}

Test(chart_geometry, holds_for_40_candidates)
{
    check_matrix(40);
}

static void check_all(struct chart_recorder *recorder, const char *where)
{
    size_t rows;
    const struct chart_row *charts = chart_table(&rows);
    for (size_t c = 0; c < rows; c++) {
        chart_recorder_draw(recorder, charts[c].name);
        check(recorder, where);
    }
}

Test(chart_geometry, holds_wherever_the_limits_lie)
{
    static const double factors[] = {1e-12, 1e-3, 0.1, 0.3, 0.6, 0.8, 0.95,
                                     1,     1.05, 2,   3.9, 4.1, 1e6};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        struct chart_recorder recorder;
        char where[64];
        snprintf(where, sizeof where, "limits times %g", factors[i]);
        chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 12, "en", true);
        recorder.summary.policy.memory_limit_mb = 16000 * factors[i];
        recorder.summary.policy.min_throughput = 450000 * factors[i];
        recorder.summary.policy.max_communication_ratio = 0.2 * factors[i];
        summary_sample_judge(&recorder.summary);
        check_all(&recorder, where);
        chart_recorder_fini(&recorder);
    }
}

Test(chart_geometry, holds_for_every_page_of_a_chart_that_needs_several)
{
    static const char *const shown[] = {"1 to 7", "8 to 14", "15 to 19"};
    struct chart_recorder recorder;
    size_t rows;
    const struct chart_row *charts = chart_table(&rows);
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_NAMES, 19, "en", true);
    recorder.width = 760;
    for (size_t i = 0; i < 3 * rows; i++) {
        char where[64];
        if (!charts[i / 3].has_rows)
            continue;
        recorder.first_row = 7 * (i % 3);
        recorder.row_count = 7;
        snprintf(where, sizeof where, "%s, candidates %s", charts[i / 3].name, shown[i % 3]);
        chart_recorder_draw(&recorder, charts[i / 3].name);
        check(&recorder, where);
        cr_expect(recording_canvas_says(&recorder.canvas, shown[i % 3]), "%s", where);
    }
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_in_the_colours_of_a_dark_page)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 0, "en", true);
    recorder.theme = &theme_default_template()->dark;
    for (int kind = 0; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++) {
        chart_recorder_change(&recorder, (enum summary_sample_kind)kind, 7);
        check_all(&recorder, summary_sample_kind_names[kind]);
    }
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_without_limits)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 5, "en", true);
    recorder.summary.policy.memory_limit_mb = NAN;
    recorder.summary.policy.min_throughput = NAN;
    recorder.summary.policy.max_communication_ratio = NAN;
    summary_sample_judge(&recorder.summary);
    check_all(&recorder, "no limits");
    chart_recorder_draw(&recorder, "throughput");
    cr_assert(!recording_canvas_says(&recorder.canvas, "minimum"));
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_for_long_names_of_model_device_and_group)
{
    struct chart_recorder recorder;
    struct summary_group group_pair[2];
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_NAMES, 5, "zh", true);
    const char *name = recorder.summary.groups[0].candidates[0].label; /* 120 characters */
    struct summary_group *group = summary_sample_group(&recorder.summary);
    group->model = group->device = group->label = group->evidence_level = name;
    group->times_count = false;
    group_pair[0] = group_pair[1] = *group;
    recorder.summary.groups = group_pair;
    recorder.summary.group_count = 2;
    check_all(&recorder, "long names everywhere");
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_when_nothing_is_known_of_the_group)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_MISSING, 5, "en", true);
    struct summary_group *group = summary_sample_group(&recorder.summary);
    group->model = group->device = group->label = group->dtype = group->evidence_level = NULL;
    group->world_size = group->global_batch = NAN;
    for (size_t i = 0; i < 5; i++) {
        struct summary_candidate *candidate = summary_sample_candidate(&recorder.summary, i);
        candidate->label = candidate->strategy = candidate->memory_kind = NULL;
        candidate->throughput_unit = NULL;
        candidate->gate_count = 0;
    }
    check_all(&recorder, "nothing known");
    cr_assert(recording_canvas_says(&recorder.canvas, "not stated"));
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_for_no_candidate_at_all)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 0, "en", true);
    check_all(&recorder, "no candidate");
    cr_assert(recording_canvas_says(&recorder.canvas, "There is no candidate to show."));
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, shows_the_best_ranked_of_very_many_and_says_so)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 1000, "en", true);
    summary_sample_candidate(&recorder.summary, 999)->label = "the best of all";
    for (size_t i = 0; i < 1000; i++)
        summary_sample_candidate(&recorder.summary, i)->rank = 1000 - (double)i;
    size_t rows;
    const struct chart_row *charts = chart_table(&rows);
    for (size_t c = 0; c < rows; c++) {
        chart_recorder_draw(&recorder, charts[c].name);
        if (charts[c].has_rows) {
            cr_assert(recording_canvas_says(&recorder.canvas, "60 of 1,000 candidates are shown"));
            cr_assert_not_null(recording_canvas_find(&recorder.canvas, "the best of all"));
        }
        /* what an image of twice as many pixels can hold (Cairo: 32,767) */
        cr_assert(recorder.canvas.page.height < 8000, "%s: %g", charts[c].name,
                  recorder.canvas.page.height);
        check(&recorder, "1000 candidates");
    }
    chart_recorder_fini(&recorder);
}
