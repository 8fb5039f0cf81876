#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "chart_recorder.h"
#include "theme_default.h"

/*
 * Every allocation of ours fails once (the linker sends them here; those inside Cairo, Pango and
 * GLib stay as they are, for GLib ends the process instead of returning an error).
 */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static atomic_long until_failure = -1; /* negative: never */

static bool fails(void)
{
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

static void fail_each(const char *chart, enum summary_sample_kind kind)
{
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, kind, 5, "en", false);
    struct chart_input input = {.summary = &recorder.summary,
                                .texts = &recorder.texts,
                                .theme = theme_default(),
                                .width = CHART_WIDTH};
    long n = 0;
    for (;; n++) {
        struct chart_image image = {.width = 7};
        struct diag diag = {0};
        cr_assert(n < 100000, "an end is reached");
        atomic_store(&until_failure, n);
        enum status status =
            chart_render(chart_recorder_row(chart), &input, CHART_BOTH_FORMS, &image, &diag);
        bool reached = atomic_load(&until_failure) < 0;
        atomic_store(&until_failure, -1);
        if (!reached) {
            cr_assert_eq(status, STATUS_OK);
            chart_image_fini(&image);
            break;
        }
        cr_assert_eq(status, STATUS_ENVIRONMENT, "allocation %ld", n);
        cr_assert_str_eq(diag.text, "out of memory");
        cr_assert_eq(image.width, 7, "the image is written on success only");
    }
    cr_assert(n > 20, "%ld allocations", n);
    chart_recorder_fini(&recorder);
}

Test(chart_failure, memory_chart_reports_each_allocation_that_fails)
{
    fail_each("memory", SUMMARY_SAMPLE_NAMES);
}

Test(chart_failure, throughput_chart_reports_each_allocation_that_fails)
{
    fail_each("throughput", SUMMARY_SAMPLE_MISSING);
}

/* ---- Every chart, without fonts ---- */

static struct canvas_extent measure(struct canvas *canvas, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    (void)canvas;
    (void)text;
    return (struct canvas_extent){0.5 * font->size * (double)length, font->size, 0};
}

static void begin(struct canvas *canvas, const struct canvas_page *page)
{
    (void)canvas;
    (void)page;
}

static void rectangle(struct canvas *canvas, const struct canvas_box *box,
                      const struct canvas_paint *paint)
{
    (void)canvas;
    (void)box;
    (void)paint;
}

static void polyline(struct canvas *canvas, const struct canvas_point *points, size_t count,
                     const struct canvas_paint *paint)
{
    (void)canvas;
    (void)points;
    (void)count;
    (void)paint;
}

static void put_text(struct canvas *canvas, const struct canvas_point *at,
                     const struct canvas_font *font, canvas_colour colour, const char *text)
{
    (void)canvas;
    (void)at;
    (void)font;
    (void)colour;
    (void)text;
}

static enum status end(struct canvas *canvas, struct diag *diag)
{
    (void)canvas;
    (void)diag;
    return STATUS_OK;
}

static void fail_each_drawn(struct chart_recorder *recorder, const struct chart_row *row)
{
    static const struct canvas_backend backend = {measure,  begin,    rectangle,
                                                  polyline, put_text, end};
    struct canvas canvas = {&backend};
    struct chart_input input = {.summary = &recorder->summary,
                                .texts = &recorder->texts,
                                .theme = theme_default(),
                                .width = CHART_WIDTH};
    for (long n = 0;; n++) {
        struct diag diag = {0};
        cr_assert(n < 100000, "an end is reached");
        atomic_store(&until_failure, n);
        enum status status = row->draw(&input, &canvas, &diag);
        bool reached = atomic_load(&until_failure) < 0;
        atomic_store(&until_failure, -1);
        if (!reached) {
            cr_assert_eq(status, STATUS_OK);
            return;
        }
        cr_assert_eq(status, STATUS_ENVIRONMENT, "%s, allocation %ld", row->name, n);
        cr_assert_str_eq(diag.text, "out of memory");
    }
}

Test(chart_failure, every_chart_reports_each_allocation_that_fails)
{
    size_t count;
    const struct chart_row *rows = chart_table(&count);
    struct chart_recorder recorder;
    chart_recorder_init(&recorder, SUMMARY_SAMPLE_MISSING, 5, "en", false);
    for (int kind = SUMMARY_SAMPLE_MISSING; kind < SUMMARY_SAMPLE_KIND_COUNT; kind++) {
        chart_recorder_change(&recorder, (enum summary_sample_kind)kind, 5);
        for (size_t i = 0; i < count; i++)
            fail_each_drawn(&recorder, &rows[i]);
    }
    chart_recorder_fini(&recorder);
}
