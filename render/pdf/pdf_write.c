#include "pdf_write.h"

#include <math.h>

#include "canvas_pdf.h"
#include "pdf_furniture.h"
#include "pdf_layout.h"
#include "report_template.h"
#include "report_view.h"
#include "texts.h"

#define LEVELS 4

static enum status draw_page(const struct report_input *input, struct canvas_pdf *pdf,
                             const struct pdf_page *page, struct diag *diag)
{
    const struct report_template *template = input->template;
    const struct canvas_page sheet = {.width = template->page_width,
                                      .height = template->page_height,
                                      .background = input->theme->ink[THEME_PAGE]};
    struct canvas_box logo = pdf_furniture_logo(input);
    enum status status = scene_begin(&page->scene, &sheet, diag);
    if (status != STATUS_OK)
        return status;
    if (logo.width > 0)
        canvas_pdf_show_picture(pdf, &logo);
    for (const struct pdf_place *place = page->targets; place != NULL; place = place->next)
        canvas_pdf_destination(pdf, place->anchor,
                               &(struct canvas_point){place->box.x, place->box.y});
    for (const struct pdf_place *place = page->links; place != NULL; place = place->next)
        canvas_pdf_link(pdf, place->anchor, &place->box);
    return scene_end(&page->scene, diag);
}

static void add_outline(struct canvas_pdf *pdf, const struct pdf_document *document)
{
    int parents[LEVELS] = {0}; /* the last entry of each level; 0: the top */
    for (const struct pdf_entry *entry = document->entries; entry != NULL; entry = entry->next) {
        unsigned level = entry->level < LEVELS ? entry->level : LEVELS - 1;
        parents[level] = canvas_pdf_outline(pdf, parents[level - 1], entry->text, entry->anchor);
        for (unsigned below = level + 1; below < LEVELS; below++)
            parents[below] = parents[level];
    }
}

static enum status draw(const struct manuscript *manuscript, const struct report_input *input,
                        struct canvas_pdf *pdf, struct diag *diag)
{
    struct pdf_document document = {.canvas = canvas_pdf_canvas(pdf)};
    enum status status = pdf_layout(manuscript, input, &document, diag);
    for (const struct pdf_page *page = document.first; page != NULL; page = page->next)
        scene_measure(&page->scene);
    for (const struct pdf_page *page = document.first; page != NULL && status == STATUS_OK;
         page = page->next)
        status = draw_page(input, pdf, page, diag);
    if (status == STATUS_OK)
        add_outline(pdf, &document);
    pdf_document_fini(&document);
    return status;
}

enum status pdf_write(const struct manuscript *manuscript, const struct report_input *input,
                      struct text_buffer *out, bool *glyphs_missing, struct diag *diag)
{
    const struct report_template *template = input->template;
    const struct canvas_pdf_properties properties = {
        .title = report_view_name(input->texts, input->summary),
        .subject = report_view_subject(input->texts, input->summary),
        .author = template->organisation != NULL ? template->organisation : "rankledger",
        .creator = "rankledger " RANKLEDGER_VERSION,
        .language = input->texts->language,
        .families = input->theme->families,
        .created = input->created};
    struct canvas_pdf *pdf = NULL;
    enum status status = manuscript_check(manuscript, diag);
    if (status == STATUS_OK)
        status = canvas_pdf_create(&properties, &pdf, diag);
    if (status == STATUS_OK && template->logo.png != NULL) {
        struct canvas_pdf_picture picture = {template->logo.png, template->logo.size};
        status = canvas_pdf_set_picture(pdf, &picture, diag);
    }
    if (status == STATUS_OK)
        status = draw(manuscript, input, pdf, diag);
    if (status == STATUS_OK)
        status = canvas_pdf_finish(pdf, out, diag);
    if (status == STATUS_OK)
        *glyphs_missing |= canvas_pdf_glyphs_missing(pdf);
    canvas_pdf_destroy(pdf);
    return status;
}
