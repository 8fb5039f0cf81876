#include <math.h>
#include <string.h>

#include "cell.h"
#include "text.h"
#include "workbook_private.h"

/* UTF-16 units: of a text in a formula, of an input's title and of its messages (Excel's limits).
 */
#define MAX_LITERAL ((size_t)255)
#define MAX_TITLE ((size_t)32)
#define MAX_MESSAGE ((size_t)255)

/* The formula with its "=", in the workbook's own buffer; NULL after a fault. */
static const char *with_sign(struct sheet *sheet, const char *formula)
{
    struct text_buffer *buffer = &sheet->workbook->buffer;
    text_buffer_clear(buffer);
    text_buffer_puts(buffer, "=");
    text_buffer_puts(buffer, formula);
    if (buffer->failed)
        workbook_lack_memory(sheet->workbook);
    return buffer->failed ? NULL : buffer->text;
}

void cell_formula_number(struct sheet *sheet, uint32_t row, uint32_t column, const char *formula,
                         double value, enum cell_style style)
{
    if (isnan(value)) {
        cell_formula_text(sheet, row, column, formula, "", style);
        return;
    }
    style = cell_number_style(value, style);
    const char *text = cell_has_place(sheet, row, column) ? with_sign(sheet, formula) : NULL;
    if (text != NULL)
        workbook_check(sheet->workbook,
                       worksheet_write_formula_num(sheet->worksheet, row, (lxw_col_t)column, text,
                                                   sheet->workbook->formats[style], value));
}

void cell_formula_text(struct sheet *sheet, uint32_t row, uint32_t column, const char *formula,
                       const char *value, enum cell_style style)
{
    struct text_buffer safe = {0};
    const char *text = cell_has_place(sheet, row, column) ? with_sign(sheet, formula) : NULL;
    if (text == NULL)
        return;
    text_buffer_puts(&safe, "");
    cell_sanitise(&safe, cell_texts(sheet), value);
    if (safe.failed)
        workbook_lack_memory(sheet->workbook);
    else
        workbook_check(sheet->workbook,
                       worksheet_write_formula_str(sheet->worksheet, row, (lxw_col_t)column, text,
                                                   sheet->workbook->formats[style], safe.text));
    text_buffer_fini(&safe);
}

void cell_append_literal(struct text_buffer *out, const struct texts *texts, const char *text)
{
    struct text_buffer safe = {0};
    text_buffer_puts(&safe, "");
    cell_sanitise(&safe, texts, text);
    size_t length = safe.failed ? 0 : text_utf16_prefix(safe.text, safe.length, MAX_LITERAL);
    text_buffer_puts(out, "\"");
    for (size_t i = 0; i < length; i++)
        text_buffer_append(out, safe.text[i] == '"' ? "\"\"" : safe.text + i,
                           safe.text[i] == '"' ? 2 : 1);
    text_buffer_puts(out, "\"");
    out->failed |= safe.failed;
    text_buffer_fini(&safe);
}

/* A prefix that a spreadsheet takes, and its NUL. */
static void append_cut(struct text_buffer *out, const char *text, size_t units)
{
    text_buffer_append(out, text, text_utf16_prefix(text, strlen(text), units));
    text_buffer_append(out, "", 1);
}

void cell_input(struct sheet *sheet, uint32_t row, uint32_t column, double value,
                const struct cell_input *input, enum cell_style style)
{
    if (!cell_has_place(sheet, row, column))
        return;
    struct text_buffer texts = {0};
    append_cut(&texts, input->title, MAX_TITLE);
    size_t message = texts.length;
    append_cut(&texts, input->message, MAX_MESSAGE);
    size_t refusal = texts.length;
    append_cut(&texts, input->refusal, MAX_MESSAGE);
    if (texts.failed) {
        workbook_lack_memory(sheet->workbook);
    } else {
        lxw_data_validation rule = {.validate = LXW_VALIDATION_TYPE_DECIMAL,
                                    .criteria = LXW_VALIDATION_CRITERIA_BETWEEN,
                                    .ignore_blank = LXW_VALIDATION_ON,
                                    .minimum_number = input->smallest,
                                    .maximum_number = input->largest,
                                    .input_title = texts.text,
                                    .input_message = texts.text + message,
                                    .error_title = texts.text,
                                    .error_message = texts.text + refusal};
        workbook_check(sheet->workbook, worksheet_data_validation_cell(sheet->worksheet, row,
                                                                       (lxw_col_t)column, &rule));
        cell_number(sheet, row, column, value, style);
    }
    text_buffer_fini(&texts);
}
