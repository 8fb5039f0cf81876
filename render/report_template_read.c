#include "report_template_read.h"

#include <string.h>

#include "chart_table.h"
#include "sheet_table.h"

struct reading {
    struct report_template_read *read;
    const struct template_file *file;
    struct report_template *template;
    struct diag *diag;
};

/* ---- Lists of names ---- */

/* Which rows of a table, in which order. A table has a dozen rows. */
#define LONGEST_LIST 64
struct choice {
    size_t rows[LONGEST_LIST];
    size_t count;
};

static void choose_all(struct choice *choice, size_t count)
{
    choice->count = count < LONGEST_LIST ? count : LONGEST_LIST;
    for (size_t i = 0; i < choice->count; i++)
        choice->rows[i] = i;
}

static enum status add_name(const struct reading *reading, uint32_t node,
                            const struct template_file_names *names, struct choice *choice)
{
    size_t row = 0;
    enum status status = template_file_choose(reading->file, node, names, &row, reading->diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->rows[i] == row)
            return json_read_refuse(&reading->file->source, node, reading->diag,
                                    "the %s \"%s\" stands in this list a second time", names->what,
                                    names->name(row));
    if (choice->count == LONGEST_LIST)
        return diag_set(reading->diag, STATUS_BUG, "more %ss than expected", names->what);
    choice->rows[choice->count++] = row;
    return STATUS_OK;
}

static enum status read_names(const struct reading *reading, uint32_t array,
                              const struct template_file_names *names, bool may_be_empty,
                              struct choice *choice)
{
    const struct json_read_document *json = &reading->file->document;
    enum status status = template_file_expect(reading->file, array, JSON_READ_ARRAY,
                                              "a list of names", reading->diag);
    if (status != STATUS_OK)
        return status;
    if (json_read_count(json, array) == 0 && !may_be_empty)
        return json_read_refuse(&reading->file->source, array, reading->diag,
                                "expected at least one %s, found an empty list", names->what);
    choice->count = 0;
    for (uint32_t node = json_read_first(json, array);
         node != JSON_READ_NONE && status == STATUS_OK; node = json_read_next(json, array, node))
        status = add_name(reading, node, names, choice);
    return status;
}

/* ---- Charts ---- */

static const char *chart_name(size_t index)
{
    size_t count;
    return chart_table(&count)[index].name;
}

static enum status take_charts(struct arena *arena, const struct choice *choice,
                               struct report_template_charts *charts, struct diag *diag)
{
    size_t count;
    const struct chart_row *table = chart_table(&count);
    const struct chart_row **rows = arena_take_array(arena, choice->count + 1, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < choice->count; i++)
        rows[i] = &table[choice->rows[i]];
    *charts = (struct report_template_charts){rows, choice->count};
    return STATUS_OK;
}

static enum status read_charts(const struct reading *reading, uint32_t node,
                               struct report_template_charts *charts)
{
    struct template_file_names names = {.name = chart_name, .what = "chart"};
    struct choice choice = {.count = 0};
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    (void)chart_table(&names.count);
    enum status status = read_names(reading, node, &names, true, &choice);
    return status != STATUS_OK
               ? status
               : take_charts(&reading->template->arena, &choice, charts, reading->diag);
}

/* ---- Sheets ---- */

static const char *sheet_name(size_t index)
{
    size_t count;
    return sheet_table(&count)[index].title_id + strlen("sheet.");
}

static enum status take_sheets(struct arena *arena, const struct choice *choice,
                               struct report_template_sheets *sheets, struct diag *diag)
{
    size_t count;
    const struct sheet_row *table = sheet_table(&count);
    const struct sheet_row **rows = arena_take_array(arena, choice->count + 1, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < choice->count; i++)
        rows[i] = &table[choice->rows[i]];
    *sheets = (struct report_template_sheets){rows, choice->count};
    return STATUS_OK;
}

static enum status read_sheets(const struct reading *reading, uint32_t node)
{
    struct template_file_names names = {.name = sheet_name, .what = "sheet"};
    struct choice choice = {.count = 0};
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    (void)sheet_table(&names.count);
    enum status status = read_names(reading, node, &names, false, &choice);
    return status != STATUS_OK ? status
                               : take_sheets(&reading->template->arena, &choice,
                                             &reading->template->sheets, reading->diag);
}

/* ---- Formats ---- */

enum { DOCUMENT_CHARTS, DOCUMENT_MEMBERS };

static const char *document_member(size_t member)
{
    static const char *const names[DOCUMENT_MEMBERS] = {"charts"};
    return names[member];
}

static enum status read_document(const struct reading *reading, uint32_t object,
                                 struct report_template_document *document)
{
    static const struct template_file_names names = {document_member, DOCUMENT_MEMBERS,
                                                     "part of a format"};
    uint32_t values[DOCUMENT_MEMBERS];
    enum status status =
        template_file_members(reading->file, object, &names, values, reading->diag);
    return status != STATUS_OK ? status
                               : read_charts(reading, values[DOCUMENT_CHARTS], &document->charts);
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
        status = read_sheets(reading, values[WORKBOOK_SHEETS]);
    return status != STATUS_OK
               ? status
               : read_charts(reading, values[WORKBOOK_CHARTS], &reading->template->workbook_charts);
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
    return status != STATUS_OK ? status : read_charts(reading, value, &reading->template->pictures);
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

static void take_page(struct report_template *template, size_t index)
{
    template->page_width = pages[index].width;
    template->page_height = pages[index].height;
}

static enum status read_page(const struct reading *reading, uint32_t node)
{
    static const struct template_file_names names = {page_name, sizeof pages / sizeof pages[0],
                                                     "size of paper"};
    size_t index = 0;
    enum status status = template_file_choose(reading->file, node, &names, &index, reading->diag);
    if (status == STATUS_OK)
        take_page(reading->template, index);
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
    const struct reading reading = {read, file, template, diag};
    uint32_t values[ROW_COUNT];
    enum status status = template_file_members(file, 0, &names, values, diag);
    for (size_t i = 0; i < ROW_COUNT && status == STATUS_OK; i++)
        if (values[i] != JSON_READ_NONE)
            status = rows[i].read(&reading, values[i]);
    return status;
}

enum status report_template_read_all(struct report_template *template, struct diag *diag)
{
    struct choice choice = {.count = 0};
    struct report_template_charts all = {NULL, 0};
    size_t count;
    take_page(template, 0);
    (void)sheet_table(&count);
    choose_all(&choice, count);
    enum status status = take_sheets(&template->arena, &choice, &template->sheets, diag);
    (void)chart_table(&count);
    choose_all(&choice, count);
    if (status == STATUS_OK)
        status = take_charts(&template->arena, &choice, &all, diag);
    template->pdf.charts = template->html.charts = template->markdown.charts = all;
    template->workbook_charts = template->pictures = all;
    return status;
}
