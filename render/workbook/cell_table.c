#include <string.h>

#include "cell.h"
#include "workbook_private.h"

/* A light style, whose rows are striped and whose headings keep our own format. */
#define STYLE 1

/* The library takes its columns as pointers, to structures that it does not keep. */
struct table_columns {
    lxw_table_column items[CELL_MAX_COLUMNS];
    lxw_table_column *pointers[CELL_MAX_COLUMNS + 1];
};

static void add_table(struct sheet *sheet, const struct cell_table *table, const char *headings)
{
    struct table_columns columns = {0};
    for (size_t i = 0; i < table->column_count; i++) {
        enum cell_style style = table->numbers[i] ? CELL_HEADER_RIGHT : CELL_HEADER;
        columns.items[i].header = workbook_unconst(headings);
        columns.items[i].header_format = sheet->workbook->formats[style];
        columns.pointers[i] = &columns.items[i];
        headings += strlen(headings) + 1;
    }
    lxw_table_options options = {.name = workbook_unconst(table->name),
                                 .style_type = LXW_TABLE_STYLE_TYPE_LIGHT,
                                 .style_type_number = STYLE,
                                 .columns = columns.pointers};
    workbook_check(sheet->workbook,
                   worksheet_add_table(sheet->worksheet, table->first_row, 0, table->last_row,
                                       (lxw_col_t)(table->column_count - 1), &options));
}

void cell_table(struct sheet *sheet, const struct cell_table *table)
{
    if (!cell_is_writable(sheet) || table->column_count == 0 ||
        table->column_count > CELL_MAX_COLUMNS || table->last_row <= table->first_row)
        return;
    struct text_buffer headings = {0};
    if (cell_headings(&headings, cell_texts(sheet), table->headings, table->column_count))
        add_table(sheet, table, headings.text);
    cell_check_buffer(sheet, &headings);
    text_buffer_fini(&headings);
}
