#include <string.h>

#include "cell.h"
#include "workbook_private.h"

/* A light style, whose rows are striped and whose headings keep our own format. */
#define STYLE 1

void cell_link(struct sheet *sheet, uint32_t row, uint32_t column, const char *file)
{
    char url[256] = "external:";
    size_t stem = strlen(url);
    if (!cell_is_writable(sheet) || row >= CELL_MAX_ROWS || column >= CELL_MAX_COLUMNS)
        return;
    if (sheet->link_count == CELL_MAX_LINKS || strlen(file) >= sizeof url - stem) {
        cell_text(sheet, row, column, file, CELL_TEXT);
        return;
    }
    memcpy(url + stem, file, strlen(file) + 1);
    sheet->link_count++;
    workbook_check(sheet->workbook,
                   worksheet_write_url_opt(sheet->worksheet, row, (lxw_col_t)column, url,
                                           sheet->workbook->formats[CELL_LINK], file, NULL));
}

void cell_table(struct sheet *sheet, const struct cell_table *table)
{
    lxw_table_column columns[CELL_MAX_COLUMNS] = {{0}};
    lxw_table_column *pointers[CELL_MAX_COLUMNS + 1] = {NULL};
    size_t count = table->column_count;
    if (!cell_is_writable(sheet) || count == 0 || count > CELL_MAX_COLUMNS || table->last_row == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        enum cell_style style = table->numbers[i] ? CELL_HEADER_RIGHT : CELL_HEADER;
        columns[i].header = workbook_unconst(table->headings[i]);
        columns[i].header_format = sheet->workbook->formats[style];
        pointers[i] = &columns[i];
    }
    lxw_table_options options = {.name = workbook_unconst(table->name),
                                 .style_type = LXW_TABLE_STYLE_TYPE_LIGHT,
                                 .style_type_number = STYLE,
                                 .columns = pointers};
    workbook_check(sheet->workbook, worksheet_add_table(sheet->worksheet, 0, 0, table->last_row,
                                                        (lxw_col_t)(count - 1), &options));
}
