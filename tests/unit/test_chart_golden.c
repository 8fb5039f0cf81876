#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart_recorder.h"
#include "picture_grey.h"
#include "text_buffer.h"
#include "theme_default.h"

/*
 * Charts as they were when somebody looked at them and found them good: layouts, measured by rule
 * and so the same on every machine, and pictures in grey with a tolerance. A test that fails
 * leaves the new one in the folder that it ran in: compare, look at the picture (bench_charts
 * --write), and copy it to tests/charts if it is better. Of the whole matrix of candidates, data
 * and languages only digests are kept: they tell what changed when something common did.
 */

static struct chart_recorder recorder;

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    struct text_buffer buffer = {0};
    char chunk[4096];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_buffer_append(&buffer, chunk, got);
    fclose(file);
    text_buffer_append(&buffer, "", 0);
    return buffer.text;
}

static void keep(const char *name, const struct text_buffer *out)
{
    FILE *file = fopen(name, "wb");
    cr_assert_not_null(file);
    fwrite(out->text, 1, out->length, file);
    fclose(file);
}

/* ---- Layouts ---- */

static void compare_layout(const char *chart, enum summary_sample_kind kind, size_t count,
                           const char *language)
{
    char name[128];
    char path[512];
    struct text_buffer out = {0};
    chart_recorder_init(&recorder, kind, count, language, false);
    chart_recorder_draw(&recorder, chart);
    recording_canvas_print(&recorder.canvas, &out);
    snprintf(name, sizeof name, "%s-%s-%s.txt", chart, summary_sample_kind_names[kind], language);
    snprintf(path, sizeof path, "%s/charts/%s", TESTS_SOURCE_DIR, name);
    char *expected = read_whole(path);
    bool same = expected != NULL && strcmp(expected, out.text) == 0;
    if (!same)
        keep(name, &out);
    cr_expect(same, "the layout differs from %s", path);
    free(expected);
    text_buffer_fini(&out);
    chart_recorder_fini(&recorder);
}

Test(chart_golden, layouts)
{
    compare_layout("memory", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_layout("memory", SUMMARY_SAMPLE_MISSING, 5, "zh");
    compare_layout("throughput", SUMMARY_SAMPLE_COMPLETE, 5, "zh");
    compare_layout("throughput", SUMMARY_SAMPLE_NAMES, 5, "en");
    compare_layout("lifecycle", SUMMARY_SAMPLE_COMPLETE, 2, "zh");
    compare_layout("lifecycle", SUMMARY_SAMPLE_EXTREME, 2, "en");
    compare_layout("frontier", SUMMARY_SAMPLE_COMPLETE, 12, "en");
    compare_layout("step_split", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_layout("communication", SUMMARY_SAMPLE_COMPLETE, 2, "en");
    compare_layout("step_times", SUMMARY_SAMPLE_NAMES, 3, "en");
    compare_layout("losses", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_layout("losses", SUMMARY_SAMPLE_EXTREME, 5, "zh");
    compare_layout("ledger_scale", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_layout("margins", SUMMARY_SAMPLE_COMPLETE, 5, "zh");
}

/* ---- The whole matrix ---- */

/* FNV-1a, 32 bits: for telling whether a layout changed, not against malice. */
static unsigned digest_of(const struct text_buffer *layout)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < layout->length; i++)
        hash = (hash ^ (unsigned char)layout->text[i]) * 16777619U;
    return (unsigned)hash;
}

/* A line a chart, kind and language: the digests of its layouts with 1, 2, 5, 12, 40 candidates. */
static void add_digests(struct text_buffer *out, const struct chart_row *chart)
{
    static const size_t counts[] = {1, 2, 5, 12, 40};
    for (int kind = 0; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++) {
        text_buffer_printf(out, "%s %s %s", chart->name, summary_sample_kind_names[kind],
                           recorder.texts.language);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            struct text_buffer layout = {0};
            chart_recorder_change(&recorder, (enum summary_sample_kind)kind, counts[i]);
            chart_recorder_draw(&recorder, chart->name);
            recording_canvas_print(&recorder.canvas, &layout);
            text_buffer_printf(out, " %08x", digest_of(&layout));
            text_buffer_fini(&layout);
        }
        text_buffer_puts(out, "\n");
    }
}

/* Which line differs first; NULL: none. */
static const char *first_difference(const char *expected, const char *got)
{
    static char line[128];
    while (*got != '\0') {
        size_t length = strcspn(got, "\n");
        if (strncmp(expected, got, length + 1) != 0) {
            snprintf(line, sizeof line, "%.*s", (int)(length < 120 ? length : 120), got);
            return line;
        }
        got += length + 1;
        expected += length + 1;
    }
    return *expected != '\0' ? "a line too few" : NULL;
}

Test(chart_golden, layouts_over_the_whole_matrix)
{
    static const char *const languages[] = {"en", "zh"};
    struct text_buffer out = {0};
    size_t rows;
    const struct chart_row *charts = chart_table(&rows);
    for (size_t i = 0; i < 2 * rows; i++) {
        chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 0, languages[i % 2], false);
        add_digests(&out, &charts[i / 2]);
        chart_recorder_fini(&recorder);
    }
    char *expected = read_whole(TESTS_SOURCE_DIR "/charts/layouts.txt");
    const char *difference = first_difference(expected != NULL ? expected : "", out.text);
    if (difference != NULL)
        keep("layouts.txt", &out);
    cr_expect_null(difference,
                   "layouts differ from tests/charts/layouts.txt, first: %s; if that was meant: cp "
                   "build/dev/tests/layouts.txt tests/charts/",
                   difference);
    free(expected);
    text_buffer_fini(&out);
}

/* ---- Pictures ---- */

/* A dash of a line or an edge at another part of a pixel moves the mean of an area of 16 x 16
 * pixels by a few levels of 255; the least that a reader would miss, a bar, a line of text or a
 * line of the limit, moves those that it crosses by 30 and more. */
#define CELL_MOST 24
#define MEAN_MOST 0.5

static void compare_picture(const char *chart, enum summary_sample_kind kind, size_t count,
                            const char *language)
{
    char name[128];
    char path[512];
    struct picture_grey new = {0};
    struct picture_grey old = {0};
    chart_recorder_init(&recorder, kind, count, language, false);
    picture_grey_draw(&new, &recorder, chart);
    snprintf(name, sizeof name, "%s-%s-%s.pgm", chart, summary_sample_kind_names[kind], language);
    snprintf(path, sizeof path, "%s/charts/%s", TESTS_SOURCE_DIR, name);
    bool read = picture_grey_read(&old, path);
    bool fonts = read && fabs(old.probe - new.probe) < 0.01;
    struct picture_grey_difference difference = picture_grey_compare(&old, &new);
    bool same = read && difference.same_size && difference.largest <= CELL_MOST &&
                difference.mean <= MEAN_MOST;
    if (!same && (fonts || !read))
        picture_grey_write(&new, name);
    chart_recorder_fini(&recorder);
    if (read && !fonts)
        cr_skip_test("the golden pictures were drawn with other fonts (fonts-noto-cjk)");
    cr_expect(same,
              "the picture differs from %s: at most by %g (at column %zu, row %zu), in the "
              "mean by %g",
              path, difference.largest, difference.column, difference.row, difference.mean);
    picture_grey_fini(&new);
    picture_grey_fini(&old);
}

Test(chart_golden, pictures)
{
    compare_picture("memory", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_picture("lifecycle", SUMMARY_SAMPLE_COMPLETE, 2, "zh");
    compare_picture("throughput", SUMMARY_SAMPLE_COMPLETE, 5, "en");
    compare_picture("frontier", SUMMARY_SAMPLE_COMPLETE, 5, "zh");
    compare_picture("step_split", SUMMARY_SAMPLE_COMPLETE, 5, "zh");
    compare_picture("communication", SUMMARY_SAMPLE_COMPLETE, 2, "en");
    compare_picture("step_times", SUMMARY_SAMPLE_NAMES, 3, "en");
    compare_picture("losses", SUMMARY_SAMPLE_EXTREME, 5, "en");
    compare_picture("ledger_scale", SUMMARY_SAMPLE_COMPLETE, 5, "zh");
    compare_picture("margins", SUMMARY_SAMPLE_COMPLETE, 5, "en");
}

/* ---- That the comparison finds what it is for ---- */

Test(chart_golden, a_picture_whose_bars_lack_a_part_is_found)
{
    struct picture_grey all = {0};
    struct picture_grey less = {0};
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_COMPLETE, 2, "en", false);
    recorder.width = 1400; /* one line of keys with any font */
    picture_grey_draw(&all, &recorder, "lifecycle");
    const struct summary_phase *phase = &recorder.summary.groups[0].candidates[1].phases[2];
    struct summary_amount *amounts = (struct summary_amount *)(uintptr_t)phase->by_category.items;
    amounts[3].mb = 0; /* the activations of the backward pass */
    picture_grey_draw(&less, &recorder, "lifecycle");
    struct picture_grey_difference difference = picture_grey_compare(&all, &less);
    cr_assert(difference.same_size);
    cr_assert_gt(difference.largest, CELL_MOST);
    difference = picture_grey_compare(&all, &all);
    cr_assert_eq(difference.largest, 0);
    picture_grey_fini(&all);
    picture_grey_fini(&less);
    chart_recorder_fini(&recorder);
}
