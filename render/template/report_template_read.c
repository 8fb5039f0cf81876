#include "report_template_read.h"

#include <string.h>

#include "report_template_lists.h"

struct reading {
    struct report_template_read *read;
    const struct template_file *file;
    struct report_template *template;
    struct report_template_lists lists;
    struct diag *diag;
};

/* ---- Formats ---- */

enum { DOCUMENT_SECTIONS, DOCUMENT_CHARTS, DOCUMENT_MEMBERS };

static const char *document_member(size_t member)
{
    return member == DOCUMENT_SECTIONS ? "sections" : "charts";
}

static enum status read_document(const struct reading *reading, uint32_t object,
                                 struct report_template_document *document)
{
    static const struct template_file_names names = {document_member, DOCUMENT_MEMBERS,
                                                     "part of a format"};
    uint32_t values[DOCUMENT_MEMBERS];
    enum status status =
        template_file_members(reading->file, object, &names, values, reading->diag);
    if (status == STATUS_OK)
        status = report_template_lists_sections(&reading->lists, values[DOCUMENT_SECTIONS],
                                                &document->sections, reading->diag);
    if (status == STATUS_OK)
        status = report_template_lists_charts(&reading->lists, values[DOCUMENT_CHARTS],
                                              &document->charts, reading->diag);
    return status;
}

static enum status read_pdf(const struct reading *reading, uint32_t object)
{
    return read_document(reading, object, &reading->template->pdf);
}

static enum status read_html(const struct reading *reading, uint32_t object)
{
    return read_document(reading, object, &reading->template->html);
}

static enum status read_markdown(const struct reading *reading, uint32_t object)
{
    return read_document(reading, object, &reading->template->markdown);
}

enum { WORKBOOK_SHEETS, WORKBOOK_CHARTS, WORKBOOK_MEMBERS };

static const char *workbook_member(size_t member)
{
    return member == WORKBOOK_SHEETS ? "sheets" : "charts";
}

static enum status read_workbook(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {workbook_member, WORKBOOK_MEMBERS,
                                                     "part of a workbook"};
    uint32_t values[WORKBOOK_MEMBERS];
    enum status status =
        template_file_members(reading->file, object, &names, values, reading->diag);
    if (status == STATUS_OK)
        status = report_template_lists_sheets(&reading->lists, values[WORKBOOK_SHEETS],
                                              &reading->template->sheets, reading->diag);
    if (status == STATUS_OK)
        status = report_template_lists_charts(&reading->lists, values[WORKBOOK_CHARTS],
                                              &reading->template->workbook_charts, reading->diag);
    return status;
}

static const char *pictures_member(size_t member)
{
    (void)member;
    return "charts";
}

static enum status read_pictures(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {pictures_member, 1, "part of the pictures"};
    uint32_t value;
    enum status status =
        template_file_members(reading->file, object, &names, &value, reading->diag);
    if (status == STATUS_OK)
        status = report_template_lists_charts(&reading->lists, value, &reading->template->pictures,
                                              reading->diag);
    return status;
}

/* ---- Page, organisation, logo ---- */

static const struct {
    const char *name;
    double width, height; /* points */
} pages[] = {
    {"A4", 210 / 25.4 * 72, 297 / 25.4 * 72}, /* ISO 216: 210 mm by 297 mm */
    {"Letter", 8.5 * 72, 11 * 72},            /* ANSI/ASME Y14.1: 8.5 by 11 inches */
};

static const char *page_name(size_t index)
{
    return pages[index].name;
}

static enum status read_page(const struct reading *reading, uint32_t node)
{
    static const struct template_file_names names = {page_name, sizeof pages / sizeof pages[0],
                                                     "size of paper"};
    size_t index = 0;
    enum status status = template_file_choose(reading->file, node, &names, &index, reading->diag);
    if (status == STATUS_OK) {
        reading->template->page_width = pages[index].width;
        reading->template->page_height = pages[index].height;
    }
    return status;
}

/* What fits beside a title in one line of a page's header. */
#define LONGEST_ORGANISATION 120

static enum status read_organisation(const struct reading *reading, uint32_t node)
{
    reading->template->organisation = NULL;
    if (json_read_is(&reading->file->document, node, JSON_READ_NULL))
        return STATUS_OK;
    return template_file_text(reading->file, node, LONGEST_ORGANISATION, &reading->template->arena,
                              &reading->template->organisation, reading->diag);
}

static enum status read_logo(const struct reading *reading, uint32_t node)
{
    reading->read->no_logo = json_read_is(&reading->file->document, node, JSON_READ_NULL);
    if (reading->read->no_logo)
        return STATUS_OK;
    enum status status = template_file_text(reading->file, node, 255, &reading->template->arena,
                                            &reading->read->logo, reading->diag);
    if (status == STATUS_OK && strchr(reading->read->logo, '/') != NULL)
        status = template_file_refuse(reading->file, node,
                                      "the name of a file beside this one, without a folder",
                                      reading->diag);
    return status;
}

/* ---- The file ---- */

typedef enum status read_member(const struct reading *reading, uint32_t node);

static const struct {
    const char *name;
    read_member *read;
} rows[] = {
    {"organisation", read_organisation},
    {"logo", read_logo},
    {"page", read_page},
    {"pdf", read_pdf},
    {"html", read_html},
    {"md", read_markdown},
    {"xlsx", read_workbook},
    {"pictures", read_pictures},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static const char *row_name(size_t row)
{
    return rows[row].name;
}

enum status report_template_read_file(struct report_template_read *read,
                                      const struct template_file *file,
                                      struct report_template *template, struct diag *diag)
{
    static const struct template_file_names names = {row_name, ROW_COUNT, "part of a report"};
    const struct reading reading = {read, file, template, {file, &template->arena}, diag};
    uint32_t values[ROW_COUNT];
    enum status status = template_file_members(file, 0, &names, values, diag);
    for (size_t i = 0; i < ROW_COUNT && read->complete && status == STATUS_OK; i++)
        if (values[i] == JSON_READ_NONE)
            status = json_read_refuse(&file->source, 0, diag, "the built-in template lacks \"%s\"",
                                      rows[i].name);
    for (size_t i = 0; i < ROW_COUNT && status == STATUS_OK; i++)
        if (values[i] != JSON_READ_NONE)
            status = rows[i].read(&reading, values[i]);
    return status;
}
