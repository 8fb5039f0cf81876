#include <string.h>

#include "cell.h"
#include "text.h"
#include "workbook_private.h"

/* What stands on cells beside their content: notes, bars, colours by content. */

/* A note's box in pixels, and what of it a line and a column of letters take at 8 points. */
#define NOTE_WIDTH 300
#define NOTE_COLUMNS 42.0
#define NOTE_LINE 14
#define NOTE_MARGIN 12
#define NOTE_FONT "Tahoma"
/* Of a rule's ranges: the library copies them into a place of 2,080 bytes. */
#define MAX_RANGES ((size_t)1900)

void cell_note(struct sheet *sheet, uint32_t row, uint32_t column, const char *text)
{
    if (!cell_has_place(sheet, row, column))
        return;
    struct text_buffer safe = {0};
    cell_sanitise(&safe, cell_texts(sheet), text);
    if (safe.failed) {
        workbook_lack_memory(sheet->workbook);
    } else if (safe.length > 0) {
        unsigned lines = cell_lines(safe.text, NOTE_COLUMNS);
        lxw_comment_options options = {.font_name = workbook_unconst(NOTE_FONT),
                                       .font_size = CELL_FONT_SIZE,
                                       .color = 0xFFFFE1,
                                       .width = NOTE_WIDTH,
                                       .height = (uint16_t)(lines * NOTE_LINE + NOTE_MARGIN)};
        workbook_check(sheet->workbook,
                       worksheet_write_comment_opt(sheet->worksheet, row, (lxw_col_t)column,
                                                   safe.text, &options));
    }
    text_buffer_fini(&safe);
}

/* One rule for the ranges in `ranges`, the first of which begins at `first`. */
static void add_bars(struct sheet *sheet, const struct cell_bars *bars,
                     const struct cell_span *first, const struct text_buffer *ranges)
{
    lxw_conditional_format rule = {.type = LXW_CONDITIONAL_DATA_BAR,
                                   .min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
                                   .min_value = 0,
                                   .max_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
                                   .max_value = bars->largest,
                                   .bar_color = sheet->workbook->bars[bars->bar],
                                   .data_bar_2010 = LXW_TRUE,
                                   .bar_solid = LXW_TRUE,
                                   .bar_no_border = LXW_TRUE,
                                   .multi_range = ranges->text};
    if (ranges->failed)
        workbook_lack_memory(sheet->workbook);
    else
        workbook_check(sheet->workbook, worksheet_conditional_format_range(
                                            sheet->worksheet, first->first, (lxw_col_t)bars->column,
                                            first->last, (lxw_col_t)bars->column, &rule));
}

void cell_bars(struct sheet *sheet, const struct cell_bars *bars)
{
    struct text_buffer ranges = {0};
    size_t first = 0;
    if (!(bars->largest > 0))
        return;
    for (size_t i = 0; i < bars->span_count && cell_is_writable(sheet); i++) {
        text_buffer_puts(&ranges, i > first ? " " : "");
        cell_append_reference(&ranges, bars->spans[i].first, bars->column, false);
        text_buffer_puts(&ranges, ":");
        cell_append_reference(&ranges, bars->spans[i].last, bars->column, false);
        if (ranges.length < MAX_RANGES && i + 1 < bars->span_count)
            continue;
        add_bars(sheet, bars, &bars->spans[first], &ranges);
        text_buffer_clear(&ranges);
        first = i + 1;
    }
    cell_check_buffer(sheet, &ranges);
    text_buffer_fini(&ranges);
}

void cell_text_style(struct sheet *sheet, const struct cell_span *rows, uint32_t column,
                     const char *text, enum cell_style style)
{
    if (!cell_is_writable(sheet))
        return;
    struct text_buffer literal = {0};
    cell_append_literal(&literal, cell_texts(sheet), text);
    if (literal.failed) {
        workbook_lack_memory(sheet->workbook);
    } else {
        lxw_conditional_format rule = {.type = LXW_CONDITIONAL_TYPE_CELL,
                                       .criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO,
                                       .value_string = literal.text,
                                       .format = sheet->workbook->formats[style]};
        workbook_check(sheet->workbook, worksheet_conditional_format_range(
                                            sheet->worksheet, rows->first, (lxw_col_t)column,
                                            rows->last, (lxw_col_t)column, &rule));
    }
    text_buffer_fini(&literal);
}
