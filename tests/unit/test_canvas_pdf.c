#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas_pdf.h"
#include "pdf_catalog.h"
#include "theme_default.h"

static const struct canvas_font body = {.size = 12};
static const struct canvas_font code = {.size = 10, .fixed = true};

/* Three glyphs that Cairo 1.16 counts subroutines of wrongly when it embeds them from the whole
 * font, and then embeds a megabyte of subroutines. */
#define CHINESE "IF每"

static void measure(struct canvas_pdf *pdf, const struct canvas_font *font, const char *text)
{
    struct canvas *canvas = canvas_pdf_canvas(pdf);
    (void)canvas->backend->measure(canvas, font, text, strlen(text));
}

static struct canvas_pdf *create(const char *language)
{
    struct diag diag = {0};
    struct canvas_pdf *pdf = NULL;
    struct canvas_pdf_properties properties = {.title = "Bericht ü 决策",
                                               .subject = "what",
                                               .author = "who",
                                               .creator = "rankledger 1",
                                               .language = language,
                                               .families = theme_default()->families,
                                               .created = 1700000000};
    cr_assert_eq(canvas_pdf_create(&properties, &pdf, &diag), STATUS_OK, "%s", diag.text);
    return pdf;
}

static void draw_page(struct canvas_pdf *pdf, const char *text, const struct canvas_page *page)
{
    struct diag diag = {0};
    struct canvas *canvas = canvas_pdf_canvas(pdf);
    const struct canvas_backend *backend = canvas->backend;
    backend->begin(canvas, page);
    backend->text(canvas, &(struct canvas_point){20, 40}, &body, 0, text);
    backend->text(canvas, &(struct canvas_point){20, 60}, &code, 0, "0123456789abcdef");
    backend->rectangle(canvas, &(struct canvas_box){20, 80, 50, 20},
                       &(struct canvas_paint){0xFF0000, CANVAS_NONE, CANVAS_NONE, 0, 0});
    canvas_pdf_destination(pdf, text[0] == 'o' ? "one" : "two", &(struct canvas_point){20, 30});
    canvas_pdf_link(pdf, "two", &(struct canvas_box){20, 30, 50, 12});
    cr_assert_eq(backend->end(canvas, &diag), STATUS_OK, "%s", diag.text);
}

static void finish(struct canvas_pdf *pdf, struct text_buffer *out)
{
    struct diag diag = {0};
    int first = canvas_pdf_outline(pdf, 0, "One", "one");
    canvas_pdf_outline(pdf, first, "二", "two");
    cr_assert_eq(canvas_pdf_finish(pdf, out, &diag), STATUS_OK, "%s", diag.text);
    canvas_pdf_destroy(pdf);
}

static void make(struct text_buffer *out, const char *language)
{
    struct canvas_pdf *pdf = create(language);
    measure(pdf, &body, "one 1.5 GiB fit");
    measure(pdf, &code, "0123456789abcdef");
    measure(pdf, &body, CHINESE);
    draw_page(pdf, "one 1.5 GiB fit",
              &(struct canvas_page){.width = 300, .height = 200, .background = 0xFFFFFF});
    draw_page(pdf, CHINESE,
              &(struct canvas_page){.width = 200, .height = 300, .background = 0xFFF000});
    finish(pdf, out);
}

static bool has(const struct text_buffer *document, const char *part)
{
    return memmem(document->text, document->length, part, strlen(part)) != NULL;
}

Test(canvas_pdf, gives_the_same_bytes_twice)
{
    struct text_buffer first = {0};
    struct text_buffer second = {0};
    make(&first, "zh");
    make(&second, "zh");
    cr_assert_eq(first.length, second.length);
    cr_assert_eq(memcmp(first.text, second.text, first.length), 0);
    text_buffer_fini(&first);
    text_buffer_fini(&second);
}

Test(canvas_pdf, embeds_no_more_than_it_draws)
{
    struct text_buffer document = {0};
    make(&document, "zh");
    /* 25 glyphs of at most 400 bytes, two fonts' tables, and the page's own objects */
    cr_assert_lt(document.length, 20000);
    text_buffer_fini(&document);
}

Test(canvas_pdf, says_language_sizes_labels_date_and_places)
{
    struct text_buffer document = {0};
    make(&document, "zh");
    cr_assert(has(&document, "/Lang (zh-CN)"));
    cr_assert(has(&document, "/DisplayDocTitle true"));
    cr_assert(has(&document, "/CreationDate (20231114221320Z)") ||
              has(&document, "/CreationDate (D:20231114221320Z)"));
    cr_assert(has(&document, "/MediaBox [ 0 0 300 200 ]"));
    cr_assert(has(&document, "/MediaBox [ 0 0 200 300 ]"));
    cr_assert(has(&document, "/Outlines"));
    cr_assert(has(&document, "/PageLabels"));
    cr_assert(has(&document, "/Subtype /Link"));
    FILE *file = getenv("CANVAS_PDF_OUT") != NULL ? fopen(getenv("CANVAS_PDF_OUT"), "wb") : NULL;
    if (file != NULL) {
        fwrite(document.text, 1, document.length, file);
        fclose(file);
    }
    text_buffer_fini(&document);
}

Test(canvas_pdf, measures_fixed_width_alike)
{
    struct canvas_pdf *pdf = create("en");
    struct canvas *canvas = canvas_pdf_canvas(pdf);
    double narrow = canvas->backend->measure(canvas, &code, "iiii", 4).width;
    double wide = canvas->backend->measure(canvas, &code, "WWWW", 4).width;
    cr_assert_gt(narrow, 0);
    cr_assert_float_eq(narrow, wide, 1e-6);
    cr_assert_lt(canvas->backend->measure(canvas, &body, "iiii", 4).width,
                 canvas->backend->measure(canvas, &body, "WWWW", 4).width);
    canvas_pdf_destroy(pdf);
}

Test(canvas_pdf, refuses_a_picture_that_is_none)
{
    struct diag diag = {0};
    struct canvas_pdf *pdf = create("en");
    struct canvas_pdf_picture picture = {(const unsigned char *)"PNG", 3};
    cr_assert_eq(canvas_pdf_set_picture(pdf, &picture, &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "picture") != NULL, "%s", diag.text);
    canvas_pdf_destroy(pdf);
}

Test(pdf_catalog, moves_the_table_by_what_it_adds)
{
    struct diag diag = {0};
    struct text_buffer document = {0};
    text_buffer_puts(&document, "%PDF\n1 0 obj\n<< /Type /Catalog\n>>\nendobj\n");
    size_t table = document.length;
    text_buffer_printf(&document, "xref\n0 1\ntrailer\nstartxref\n%zu\n%%%%EOF\n", table);
    cr_assert_eq(pdf_catalog_extend(&document, " /Lang (x)", &diag), STATUS_OK, "%s", diag.text);
    cr_assert(has(&document, "/Type /Catalog /Lang (x)\n>>"));
    cr_assert_eq(strtoul(strstr(document.text, "startxref\n") + 10, NULL, 10), table + 10);
    cr_assert_eq(strncmp(document.text + table + 10, "xref\n", 5), 0);
    text_buffer_fini(&document);
}

Test(pdf_catalog, refuses_other_forms)
{
    static const char *const forms[] = {"%PDF\n1 0 obj\n<< /Type /Catalog\n>>\nendobj\n2 0 "
                                        "obj\n<<>>\nendobj\nxref\nstartxref\n41\n",
                                        "%PDF\nstartxref\n4\n%%EOF\n",
                                        "%PDF\n/Type /Catalog endobj\n", ""};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct diag diag = {0};
        struct text_buffer document = {0};
        text_buffer_puts(&document, forms[i]);
        cr_assert_eq(pdf_catalog_extend(&document, "x", &diag), STATUS_ENVIRONMENT, "%zu", i);
        cr_assert(strstr(diag.text, "unknown form") != NULL);
        text_buffer_fini(&document);
    }
}
