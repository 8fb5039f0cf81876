#include "pdf_recorder.h"

#include <criterion/criterion.h>
#include <string.h>

#include "report_manuscript.h"

void pdf_recorder_init(struct pdf_recorder *recorder, const char *language)
{
    struct diag diag = {0};
    *recorder = (struct pdf_recorder){.fonts = NULL};
    cr_assert_eq(texts_load(language, NULL, &recorder->texts, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(report_template_load(NULL, &recorder->template, &diag), STATUS_OK, "%s",
                 diag.text);
    cr_assert_eq(
        canvas_cairo_create(language, recorder->template.theme.families, &recorder->fonts, &diag),
        STATUS_OK, "%s", diag.text);
    recorder->cache = measure_cache_create(canvas_cairo_canvas(recorder->fonts));
    recording_canvas_init(&recorder->canvas, measure_cache_canvas(recorder->cache));
    summary_sample_make(&recorder->summary, SUMMARY_SAMPLE_COMPLETE, 1);
    recorder->input = (struct report_input){.summary = &recorder->summary,
                                            .texts = &recorder->texts,
                                            .theme = &recorder->template.theme,
                                            .template = &recorder->template,
                                            .formats = REPORT_ALL};
}

void pdf_recorder_fini(struct pdf_recorder *recorder)
{
    pdf_document_fini(&recorder->document);
    recording_canvas_fini(&recorder->canvas);
    measure_cache_destroy(recorder->cache);
    canvas_cairo_destroy(recorder->fonts);
    summary_sample_fini(&recorder->summary);
    manuscript_fini(&recorder->manuscript);
    report_template_fini(&recorder->template);
    texts_fini(&recorder->texts);
}

void pdf_recorder_lay(struct pdf_recorder *recorder, const struct manuscript *manuscript)
{
    struct diag diag = {0};
    pdf_document_fini(&recorder->document);
    recorder->document = (struct pdf_document){.canvas = &recorder->canvas.canvas};
    cr_assert_eq(pdf_layout(manuscript, &recorder->input, &recorder->document, &diag), STATUS_OK,
                 "%s", diag.text);
}

void pdf_recorder_lay_sample(struct pdf_recorder *recorder, enum summary_sample_kind kind,
                             size_t count)
{
    struct diag diag = {0};
    struct manuscript manuscript = {0};
    pdf_document_fini(&recorder->document); /* it may show texts of the last sample */
    recorder->document = (struct pdf_document){0};
    summary_sample_fini(&recorder->summary);
    summary_sample_make(&recorder->summary, kind, count);
    if (recorder->label != NULL)
        summary_sample_group(&recorder->summary)->label = recorder->label;
    for (size_t i = 0; recorder->label != NULL && i < count; i++)
        summary_sample_candidate(&recorder->summary, i)->label = recorder->label;
    cr_assert_eq(report_manuscript(&recorder->input, &recorder->template.pdf, &manuscript, &diag),
                 STATUS_OK, "%s", diag.text);
    manuscript_fini(&recorder->manuscript);
    recorder->manuscript = manuscript;
    pdf_recorder_lay(recorder, &recorder->manuscript);
}

void pdf_recorder_draw(struct pdf_recorder *recorder, size_t number)
{
    struct diag diag = {0};
    struct canvas *measuring = recorder->canvas.measuring;
    const struct canvas_page sheet = {.width = recorder->template.page_width,
                                      .height = recorder->template.page_height,
                                      .background = recorder->template.theme.ink[THEME_PAGE]};
    struct pdf_page *page = recorder->document.first;
    while (page != NULL && page->number != number)
        page = page->next;
    cr_assert_not_null(page, "there is no page %zu", number);
    recording_canvas_fini(&recorder->canvas);
    recording_canvas_init(&recorder->canvas, measuring);
    cr_assert_eq(scene_draw(&page->scene, &sheet, &diag), STATUS_OK, "%s", diag.text);
}

size_t pdf_recorder_count(struct pdf_recorder *recorder, size_t first, size_t last,
                          const char *text)
{
    size_t count = 0;
    for (size_t number = first; number <= last; number++) {
        pdf_recorder_draw(recorder, number);
        for (size_t i = 0; i < recorder->canvas.count; i++) {
            const struct recording_item *item = &recorder->canvas.items[i];
            count += item->kind == RECORDING_TEXT && strcmp(item->text, text) == 0;
        }
    }
    return count;
}

size_t pdf_recorder_page_of(const struct pdf_recorder *recorder, const char *anchor)
{
    for (const struct pdf_page *page = recorder->document.first; page != NULL; page = page->next)
        for (const struct pdf_place *place = page->targets; place != NULL; place = place->next)
            if (strcmp(place->anchor, anchor) == 0)
                return page->number;
    return 0;
}
