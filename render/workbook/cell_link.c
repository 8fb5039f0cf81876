#include <string.h>

#include "cell.h"
#include "workbook_private.h"

/* Bytes of a text with a link: the library copies it into a place of 2,080 bytes. */
#define MAX_LINK_TEXT ((size_t)1024)

void cell_link(struct sheet *sheet, uint32_t row, uint32_t column, const char *file)
{
    char url[256] = "external:";
    size_t stem = strlen(url);
    if (!cell_has_place(sheet, row, column))
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

void cell_append_sheet(struct text_buffer *out, const char *sheet)
{
    text_buffer_puts(out, "'");
    for (const char *c = sheet; *c != '\0'; c++)
        text_buffer_append(out, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    text_buffer_puts(out, "'!");
}

void cell_append_reference(struct text_buffer *out, uint32_t row, uint32_t column, bool fixed)
{
    char letters[8];
    size_t at = sizeof letters;
    letters[--at] = '\0';
    for (uint32_t left = column + 1; left > 0; left = (left - 1) / 26)
        letters[--at] = (char)('A' + (left - 1) % 26);
    const char *sign = fixed ? "$" : "";
    text_buffer_printf(out, "%s%s%s%u", sign, letters + at, sign, (unsigned)row + 1);
}

/* The url of a target in the workbook's own form. */
static void append_target(struct text_buffer *out, const struct cell_target *target)
{
    text_buffer_puts(out, "internal:");
    cell_append_sheet(out, target->sheet);
    cell_append_reference(out, target->row, target->column, false);
}

void cell_link_inside(struct sheet *sheet, uint32_t row, uint32_t column, const char *text,
                      const struct cell_target *target, enum cell_style style)
{
    if (!cell_has_place(sheet, row, column))
        return;
    struct text_buffer url = {0};
    struct text_buffer safe = {0};
    append_target(&url, target);
    cell_sanitise(&safe, cell_texts(sheet), text);
    /* The library cuts the target of a link at a "#". */
    bool plain = sheet->link_count == CELL_MAX_LINKS || safe.length == 0 ||
                 safe.length > MAX_LINK_TEXT || strchr(target->sheet, '#') != NULL;
    if (url.failed || safe.failed) {
        workbook_lack_memory(sheet->workbook);
    } else if (plain) {
        cell_text(sheet, row, column, text, style == CELL_LINK_STRONG ? CELL_STRONG : CELL_WRAP);
    } else {
        sheet->link_count++;
        workbook_check(sheet->workbook,
                       worksheet_write_url_opt(sheet->worksheet, row, (lxw_col_t)column, url.text,
                                               sheet->workbook->formats[style], safe.text, NULL));
    }
    text_buffer_fini(&url);
    text_buffer_fini(&safe);
}

void cell_name(struct sheet *sheet, const char *name, uint32_t row, uint32_t column)
{
    if (!cell_has_place(sheet, row, column))
        return;
    struct text_buffer formula = {0};
    text_buffer_puts(&formula, "=");
    cell_append_sheet(&formula, sheet->worksheet->name);
    cell_append_reference(&formula, row, column, true);
    if (formula.failed)
        workbook_lack_memory(sheet->workbook);
    else
        workbook_check(sheet->workbook,
                       workbook_define_name(sheet->workbook->book, name, formula.text));
    text_buffer_fini(&formula);
}
