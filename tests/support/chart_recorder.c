#include "chart_recorder.h"
#include "changes_sample.h"
#include "theme.h"

#include <criterion/criterion.h>
#include <string.h>

void chart_recorder_init(struct chart_recorder *recorder, enum summary_sample_kind kind,
                         size_t count, const char *language, bool real)
{
    struct diag diag = {0};
    *recorder =
        (struct chart_recorder){.fonts = NULL, .theme = theme_default(), .width = CHART_WIDTH};
    summary_sample_make(&recorder->summary, kind, count);
    cr_assert_eq(texts_load(language, NULL, &recorder->texts, &diag), STATUS_OK, "%s", diag.text);
    if (real) {
        cr_assert_eq(
            canvas_cairo_create(language, theme_default()->families, &recorder->fonts, &diag),
            STATUS_OK, "%s", diag.text);
        recorder->cache = measure_cache_create(canvas_cairo_canvas(recorder->fonts));
    }
    recording_canvas_init(&recorder->canvas, real ? measure_cache_canvas(recorder->cache) : NULL);
}

void chart_recorder_change(struct chart_recorder *recorder, enum summary_sample_kind kind,
                           size_t count)
{
    summary_sample_fini(&recorder->summary);
    summary_sample_make(&recorder->summary, kind, count);
}

const struct chart_row *chart_recorder_row(const char *name)
{
    size_t count = 0;
    const struct chart_row *rows = chart_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    cr_assert_fail("no chart is called %s", name);
    return NULL;
}

void chart_recorder_draw(struct chart_recorder *recorder, const char *chart)
{
    struct diag diag = {0};
    struct chart_input input = {.summary = &recorder->summary,
                                .texts = &recorder->texts,
                                .theme = recorder->theme,
                                .width = recorder->width,
                                .first_row = recorder->first_row,
                                .row_count = recorder->row_count,
                                .below_heading = recorder->below_heading};
    struct canvas *measuring = recorder->canvas.measuring;
    if (strcmp(chart, "changes") == 0) /* a chart of a comparison, which no other is */
        changes_sample_add(&recorder->summary);
    recording_canvas_fini(&recorder->canvas);
    recording_canvas_init(&recorder->canvas, measuring);
    cr_assert_eq(chart_recorder_row(chart)->draw(&input, &recorder->canvas.canvas, &diag),
                 STATUS_OK, "%s", diag.text);
    cr_assert_eq(recorder->canvas.pages, 1);
    recorder->summary.changes = NULL;
}

const struct recording_item *chart_recorder_text(const struct chart_recorder *recorder,
                                                 const char *text)
{
    const struct recording_item *item = recording_canvas_find(&recorder->canvas, text);
    cr_assert_not_null(item, "no text \"%s\"", text);
    return item;
}

void chart_recorder_fini(struct chart_recorder *recorder)
{
    recording_canvas_fini(&recorder->canvas);
    measure_cache_destroy(recorder->cache);
    canvas_cairo_destroy(recorder->fonts);
    texts_fini(&recorder->texts);
    summary_sample_fini(&recorder->summary);
}
