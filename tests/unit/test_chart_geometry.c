#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart_recorder.h"
#include "theme.h"

/*
 * Over the whole matrix of candidates, data and languages, with the fonts of this machine: no text
 * leaves the page, overlaps another, or is crossed by a line.
 */

static const size_t counts[] = {1, 2, 5, 12, 40};
static const char *const languages[] = {"en", "zh"};

/* A hundredth of a pixel: sums of measured heights carry rounding errors. */
#define EXACT 0.01

static double right_of(const struct canvas_box *box)
{
    return box->x + box->width;
}

static double bottom_of(const struct canvas_box *box)
{
    return box->y + box->height;
}

static bool overlap(const struct canvas_box *a, const struct canvas_box *b)
{
    return a->x < right_of(b) - EXACT && b->x < right_of(a) - EXACT &&
           a->y < bottom_of(b) - EXACT && b->y < bottom_of(a) - EXACT;
}

static void check_texts_apart(const struct recording_canvas *canvas, const char *where)
{
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *a = &canvas->items[i];
        for (size_t j = i + 1; a->kind == RECORDING_TEXT && j < canvas->count; j++) {
            const struct recording_item *b = &canvas->items[j];
            cr_assert(b->kind != RECORDING_TEXT || !overlap(&a->box, &b->box),
                      "%s: \"%s\" overlaps \"%s\"", where, a->text, b->text);
        }
    }
}

static void check_inside_page(const struct recording_canvas *canvas, const char *where)
{
    struct canvas_box page = {0, 0, canvas->page.width, canvas->page.height};
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *item = &canvas->items[i];
        cr_assert(item->box.x >= 0 && item->box.y >= 0 &&
                      right_of(&item->box) <= right_of(&page) + EXACT &&
                      bottom_of(&item->box) <= bottom_of(&page) + EXACT,
                  "%s: item %zu (%s) at %g,%g %gx%g leaves the page", where, i,
                  item->text != NULL ? item->text : "a shape", item->box.x, item->box.y,
                  item->box.width, item->box.height);
    }
}

/* Lines may only run through a text where a later ground has covered them. */
static bool is_covered(const struct recording_canvas *canvas, size_t line, size_t text)
{
    for (size_t i = line + 1; i < text; i++) {
        const struct recording_item *item = &canvas->items[i];
        if (item->kind == RECORDING_RECTANGLE && item->paint.fill != CANVAS_NONE &&
            overlap(&item->box, &canvas->items[text].box) &&
            item->box.x <= canvas->items[text].box.x + EXACT &&
            right_of(&item->box) >= right_of(&canvas->items[text].box) - EXACT)
            return true;
    }
    return false;
}

static void check_lines_clear(const struct recording_canvas *canvas, const char *where)
{
    for (size_t t = 0; t < canvas->count; t++) {
        const struct recording_item *text = &canvas->items[t];
        for (size_t l = 0; text->kind == RECORDING_TEXT && l < canvas->count; l++) {
            const struct recording_item *line = &canvas->items[l];
            if (line->kind != RECORDING_POLYLINE || line->points != 2)
                continue;
            /* a straight line has no thickness in its box: half a pixel each side */
            double thick = line->box.width == 0 ? 0.5 : 0;
            double high = line->box.height == 0 ? 0.5 : 0;
            struct canvas_box box = {line->box.x - thick, line->box.y - high,
                                     line->box.width + 2 * thick, line->box.height + 2 * high};
            cr_assert(!overlap(&box, &text->box) || (l < t && is_covered(canvas, l, t)),
                      "%s: a line at %g,%g %gx%g crosses \"%s\"", where, line->box.x, line->box.y,
                      line->box.width, line->box.height, text->text);
        }
    }
}

static void check(struct chart_recorder *recorder, const char *where)
{
    check_inside_page(&recorder->canvas, where);
    check_texts_apart(&recorder->canvas, where);
    check_lines_clear(&recorder->canvas, where);
}

static void check_matrix(const char *language, size_t count)
{
    for (int kind = 0; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++) {
        size_t rows;
        const struct chart_row *charts = chart_table(&rows);
        for (size_t c = 0; c < rows; c++) {
            char where[128];
            struct chart_recorder recorder;
            snprintf(where, sizeof where, "%s, %s, %zu, %s", charts[c].name,
                     summary_sample_kind_names[kind], count, language);
            chart_recorder_init(&recorder, (enum summary_sample_kind)kind, count, language, true);
            chart_recorder_draw(&recorder, charts[c].name);
            check(&recorder, where);
            chart_recorder_fini(&recorder);
        }
    }
}

Test(chart_geometry, holds_for_1_candidate)
{
    check_matrix(languages[0], counts[0]);
    check_matrix(languages[1], counts[0]);
}

Test(chart_geometry, holds_for_2_candidates)
{
    check_matrix(languages[0], counts[1]);
    check_matrix(languages[1], counts[1]);
}

Test(chart_geometry, holds_for_5_candidates)
{
    check_matrix(languages[0], counts[2]);
    check_matrix(languages[1], counts[2]);
}

Test(chart_geometry, holds_for_12_candidates)
{
    check_matrix(languages[0], counts[3]);
    check_matrix(languages[1], counts[3]);
}

Test(chart_geometry, holds_for_40_candidates)
{
    check_matrix(languages[0], counts[4]);
    check_matrix(languages[1], counts[4]);
}

static void check_both(struct chart_recorder *recorder, const char *where)
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
        check_both(&recorder, where);
        chart_recorder_fini(&recorder);
    }
}

Test(chart_geometry, holds_without_limits)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 5, "en", true);
    recorder.summary.policy.memory_limit_mb = NAN;
    recorder.summary.policy.min_throughput = NAN;
    recorder.summary.policy.max_communication_ratio = NAN;
    summary_sample_judge(&recorder.summary);
    check_both(&recorder, "no limits");
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
    check_both(&recorder, "long names everywhere");
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
    check_both(&recorder, "nothing known");
    cr_assert(recording_canvas_says(&recorder.canvas, "not stated"));
    chart_recorder_fini(&recorder);
}

Test(chart_geometry, holds_for_no_candidate_at_all)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 0, "en", true);
    check_both(&recorder, "no candidate");
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
