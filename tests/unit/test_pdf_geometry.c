#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "layout_check.h"
#include "pdf_recorder.h"

/*
 * Every page can be read over the whole matrix of candidates, data, languages and paper, with the
 * fonts of this machine: see layout_check.h; nothing stands in the margins but what charts shade.
 */

/* A chart's stripes reach 8 of its pixels into the margins, a column of numbers a hundredth. */
#define STRIPES 6.0

static const struct paper {
    const char *name;
    double width, height;
} papers[] = {{"A4", 595.2756, 841.8898}, {"Letter", 612, 792}};

static void check_margins(const struct recording_canvas *canvas, const char *where)
{
    for (size_t i = 0; i < canvas->count; i++) {
        const struct recording_item *item = &canvas->items[i];
        cr_expect(item->box.x >= 40 - STRIPES &&
                      item->box.x + item->box.width <= canvas->page.width - 40 + STRIPES &&
                      item->box.y >= 20 &&
                      item->box.y + item->box.height <= canvas->page.height - 20,
                  "%s: \"%s\" at %g,%g %gx%g stands in the margin", where,
                  item->text != NULL ? item->text : "a shape", item->box.x, item->box.y,
                  item->box.width, item->box.height);
    }
}

static void check_pages(struct pdf_recorder *recorder, const char *where)
{
    for (size_t number = 1; number <= recorder->document.page_count; number++) {
        char page[160];
        snprintf(page, sizeof page, "%s, page %zu", where, number);
        pdf_recorder_draw(recorder, number);
        struct layout_check faults = layout_check_page(&recorder->canvas);
        cr_expect_eq(faults.faults, 0, "%s: %s (%zu faults)", page, faults.first, faults.faults);
        check_margins(&recorder->canvas, page);
    }
}

/* The decision has the first page, and no other page. */
static void check_decision(const struct pdf_recorder *recorder, const char *where)
{
    cr_expect_eq(pdf_recorder_page_of(recorder, "decision"), 1, "%s", where);
    cr_expect_eq(pdf_recorder_page_of(recorder, "candidates"), 2, "%s: not one page", where);
}

static void check_kind(struct pdf_recorder *recorder, enum summary_sample_kind kind, size_t count)
{
    struct report_template_charts charts = recorder->template.pdf.charts;
    /* the charts of many candidates have tests of their own; here each stands on paper once */
    if (count >= 12 && kind != SUMMARY_SAMPLE_NAMES)
        recorder->template.pdf.charts.count = 0;
    for (size_t p = 0; p < sizeof papers / sizeof papers[0]; p++) {
        char where[128];
        snprintf(where, sizeof where, "%s, %zu, %s, %s", summary_sample_kind_names[kind], count,
                 recorder->texts.language, papers[p].name);
        recorder->template.page_width = papers[p].width;
        recorder->template.page_height = papers[p].height;
        pdf_recorder_lay_sample(recorder, kind, count);
        check_pages(recorder, where);
        check_decision(recorder, where);
    }
    recorder->template.pdf.charts = charts;
}

/* A sanitizer sees in a third of the matrix what it sees in all of it. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 3
#else
#define STEP 1
#endif

static void check_matrix(const char *language)
{
    static const size_t counts[] = {1, 2, 5, 12, 40};
    struct pdf_recorder recorder;
    pdf_recorder_init(&recorder, language);
    for (size_t i = 0; i < SUMMARY_SAMPLE_KIND_COUNT * 5; i += STEP)
        check_kind(&recorder, (enum summary_sample_kind)(i / 5), counts[i % 5]);
    pdf_recorder_fini(&recorder);
}

Test(pdf_geometry, holds_in_english)
{
    check_matrix("en");
}

Test(pdf_geometry, holds_in_chinese)
{
    check_matrix("zh");
}

Test(pdf_geometry, holds_for_names_of_thousands_of_characters)
{
    static char name[6001];
    struct pdf_recorder recorder;
    pdf_recorder_init(&recorder, "en");
    memset(name, 'x', sizeof name - 1);
    for (size_t i = 0; i < sizeof name - 8; i += 97)
        memcpy(name + i, " strategy", 9);
    recorder.label = name;
    pdf_recorder_lay_sample(&recorder, SUMMARY_SAMPLE_COMPLETE, 2);
    check_pages(&recorder, "endless names");
    cr_assert_eq(pdf_recorder_page_of(&recorder, "decision"), 1);
    pdf_recorder_fini(&recorder);
}
