#include "report_template_lists.h"

#include <string.h>

#include "chart_table.h"
#include "section_table.h"
#include "sheet_table.h"

/* Which rows of a table, in which order. A table has a dozen rows. */
#define LONGEST_LIST 64
struct choice {
    size_t rows[LONGEST_LIST];
    size_t count;
};

static enum status add_name(const struct template_file *file, uint32_t node,
                            const struct template_file_names *names, struct choice *choice,
                            struct diag *diag)
{
    size_t row = 0;
    enum status status = template_file_choose(file, node, names, &row, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->rows[i] == row)
            return json_read_refuse(&file->source, node, diag,
                                    "the %s \"%s\" stands in this list a second time", names->what,
                                    names->name(row));
    if (choice->count == LONGEST_LIST)
        return diag_set(diag, STATUS_BUG, "more %ss than expected", names->what);
    choice->rows[choice->count++] = row;
    return STATUS_OK;
}

static enum status read_names(const struct template_file *file, uint32_t array,
                              const struct template_file_names *names, struct choice *choice,
                              struct diag *diag)
{
    const struct json_read_document *json = &file->document;
    enum status status =
        template_file_expect(file, array, JSON_READ_ARRAY, "a list of names", diag);
    choice->count = 0;
    for (uint32_t node = status == STATUS_OK ? json_read_first(json, array) : JSON_READ_NONE;
         node != JSON_READ_NONE && status == STATUS_OK; node = json_read_next(json, array, node))
        status = add_name(file, node, names, choice, diag);
    return status;
}

static enum status refuse_empty(const struct template_file *file, uint32_t array,
                                const struct template_file_names *names, struct diag *diag)
{
    return json_read_refuse(&file->source, array, diag,
                            "expected at least one %s, found an empty list", names->what);
}

/* ---- Charts ---- */

static const char *chart_name(size_t index)
{
    size_t count;
    return chart_table(&count)[index].name;
}

enum status report_template_lists_charts(const struct report_template_lists *lists, uint32_t node,
                                         struct report_template_charts *charts, struct diag *diag)
{
    struct template_file_names names = {.name = chart_name, .what = "chart"};
    struct choice choice = {.count = 0};
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    const struct chart_row *table = chart_table(&names.count);
    enum status status = read_names(lists->file, node, &names, &choice, diag);
    if (status != STATUS_OK)
        return status;
    const struct chart_row **rows = arena_take_array(lists->arena, choice.count + 1, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < choice.count; i++)
        rows[i] = &table[choice.rows[i]];
    *charts = (struct report_template_charts){rows, choice.count};
    return STATUS_OK;
}

/* ---- Sections ---- */

static const char *section_name(size_t index)
{
    size_t count;
    return section_table(&count)[index].name;
}

enum status report_template_lists_sections(const struct report_template_lists *lists, uint32_t node,
                                           struct report_template_sections *sections,
                                           struct diag *diag)
{
    struct template_file_names names = {.name = section_name, .what = "section"};
    struct choice choice = {.count = 0};
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    const struct section_row *table = section_table(&names.count);
    enum status status = read_names(lists->file, node, &names, &choice, diag);
    if (status == STATUS_OK && choice.count == 0)
        status = refuse_empty(lists->file, node, &names, diag);
    if (status != STATUS_OK)
        return status;
    const struct section_row **rows = arena_take_array(lists->arena, choice.count, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < choice.count; i++)
        rows[i] = &table[choice.rows[i]];
    *sections = (struct report_template_sections){rows, choice.count};
    return STATUS_OK;
}

/* ---- Sheets ---- */

static const char *sheet_name(size_t index)
{
    size_t count;
    return sheet_table(&count)[index].title_id + strlen("sheet.");
}

enum status report_template_lists_sheets(const struct report_template_lists *lists, uint32_t node,
                                         struct report_template_sheets *sheets, struct diag *diag)
{
    struct template_file_names names = {.name = sheet_name, .what = "sheet"};
    struct choice choice = {.count = 0};
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    const struct sheet_row *table = sheet_table(&names.count);
    enum status status = read_names(lists->file, node, &names, &choice, diag);
    if (status == STATUS_OK && choice.count == 0)
        status = refuse_empty(lists->file, node, &names, diag);
    if (status != STATUS_OK)
        return status;
    const struct sheet_row **rows = arena_take_array(lists->arena, choice.count, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < choice.count; i++)
        rows[i] = &table[choice.rows[i]];
    *sheets = (struct report_template_sheets){rows, choice.count};
    return STATUS_OK;
}
