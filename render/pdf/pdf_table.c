#include <math.h>

#include "pdf_block.h"
#include "pdf_columns.h"

#define GAP 5.0
#define ROW_ROOM 2.2 /* above and below the lines of a row */
#define RULE 0.4
#define HEAD_RULE 0.9
#define HEAD_LINES 8 /* of a heading, which may name a candidate: more are cut */
#define FEW_LINES 4  /* a row with no more is not parted */
/* A table of so few rows, of no more than this part of a page, is not parted; of others the first
 * rows stand together. */
#define WHOLE_ROWS 12
#define WHOLE_PART 0.35
#define FIRST_ROWS 3

struct cell {
    struct text_lines lines;
    struct canvas_font font;
    enum manuscript_tone tone;
};

/* A row broken into lines, all of one height. */
struct row {
    struct cell cells[MANUSCRIPT_COLUMNS_MOST];
    size_t lines;
    double line;
};

struct table {
    struct pdf_flow *flow;
    const struct manuscript_table *source;
    struct pdf_columns columns;
    struct row head;
    double room; /* above and below the lines of a row */
};

/* ---- Rows ---- */

static void fill_cell(const struct table *table, struct row *row, size_t column, const char *text)
{
    struct cell *cell = &row->cells[column];
    double mark = pdf_flow_has_mark(cell->tone) ? PDF_COLUMNS_MARK : 0;
    /* a hundredth: a width that was measured must take its own text */
    struct text_lines_room room = {table->columns.width[column] - mark + 0.01,
                                   table->source->columns[column].code};
    cell->lines = pdf_document_lines(table->flow->document, &cell->font, text, room);
    row->lines = cell->lines.count > row->lines ? cell->lines.count : row->lines;
    row->line = fmax(row->line, pdf_flow_line(table->flow, &cell->font, &cell->lines));
}

static struct row fill_row(const struct table *table, const struct manuscript_row *source)
{
    struct row row = {.lines = 1};
    for (size_t i = 0; i < table->source->column_count; i++) {
        struct cell *cell = &row.cells[i];
        cell->tone = source->cells[i].tone;
        cell->font =
            pdf_columns_font(table->flow, &table->columns, &table->source->columns[i], cell->tone);
        fill_cell(table, &row, i, source->cells[i].text);
    }
    return row;
}

static struct row fill_head(const struct table *table)
{
    struct row row = {.lines = 0};
    for (size_t i = 0; i < table->source->column_count; i++) {
        row.cells[i].tone = MANUSCRIPT_QUIET;
        row.cells[i].font = pdf_columns_head_font(table->flow, &table->columns);
        const char *heading = table->source->columns[i].heading;
        struct cell *cell = &row.cells[i];
        struct text_lines_room room = {table->columns.width[i] + 0.01, false};
        cell->lines =
            pdf_document_lines_most(table->flow->document, &cell->font, heading, room, HEAD_LINES);
        row.lines = cell->lines.count > row.lines ? cell->lines.count : row.lines;
        row.line = fmax(row.line, 0.9 * pdf_flow_line(table->flow, &cell->font, &cell->lines));
    }
    return row;
}

static double height_of(const struct table *table, const struct row *row, size_t lines)
{
    return (double)lines * row->line + 2 * table->room;
}

/* ---- Drawing ---- */

static void draw_rule(const struct table *table, double y, enum theme_ink ink, double width)
{
    struct pdf_flow *flow = table->flow;
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, pdf_flow_ink(flow, ink), width, 0};
    scene_line(pdf_flow_scene(flow), (struct canvas_point){flow->left, y},
               (struct canvas_point){flow->left + flow->width, y}, &paint);
}

/* Lines [from, to) of a cell, those of a number set to the right. */
static void draw_cell(const struct table *table, const struct row *row, size_t column,
                      const size_t part[2], double top)
{
    struct pdf_flow *flow = table->flow;
    const struct cell *cell = &row->cells[column];
    double mark = pdf_flow_has_mark(cell->tone) ? PDF_COLUMNS_MARK : 0;
    double left = flow->left + table->columns.left[column];
    size_t end = part[1] < cell->lines.count ? part[1] : cell->lines.count;
    for (size_t i = part[0]; i < end; i++) {
        const struct text_fit_line *line = &cell->lines.lines[i];
        double spare = (row->line - line->extent.ascent - line->extent.descent) / 2;
        double x = left + mark;
        if (table->source->columns[column].number)
            x = left + table->columns.width[column] - line->extent.width;
        double y = top + (double)(i - part[0]) * row->line + spare + line->extent.ascent;
        scene_text(pdf_flow_scene(flow), (struct canvas_point){x, y}, &cell->font,
                   pdf_flow_tone(flow, cell->tone), line->text);
        if (i == 0 && mark > 0)
            pdf_flow_mark(flow, cell->tone,
                          (struct canvas_point){x - mark, y - 0.36 * cell->font.size - 3.1}, 6.2);
    }
}

static void draw_row(const struct table *table, const struct row *row, size_t from, size_t to,
                     double top)
{
    const size_t part[2] = {from, to};
    for (size_t i = 0; i < table->source->column_count; i++)
        draw_cell(table, row, i, part, top + table->room);
}

/* The headings, above a row of which so many lines must follow. */
static void put_head(const struct table *table, double gap, double follows)
{
    const struct row *head = &table->head;
    if (head->lines == 0)
        return;
    double height = height_of(table, head, head->lines);
    if (!pdf_flow_fits(table->flow, gap, height + follows))
        pdf_flow_break(table->flow);
    double top = pdf_flow_take(table->flow, gap, height);
    for (size_t i = 0; i < table->source->column_count; i++) {
        /* headings of one line stand at the foot, beside those of two */
        double missing = (double)(head->lines - head->cells[i].lines.count) * head->line;
        const size_t part[2] = {0, head->cells[i].lines.count};
        draw_cell(table, head, i, part, top + table->room + missing);
    }
    draw_rule(table, top + height - HEAD_RULE / 2, THEME_AXIS, HEAD_RULE);
}

/* How many of the row's lines from `done` on the page takes; 0: none. */
static size_t piece(const struct table *table, const struct row *row, size_t done)
{
    size_t left = row->lines - done;
    double room = table->flow->bottom - table->flow->y - 2 * table->room;
    size_t fit = room >= row->line ? (size_t)fmin(floor(room / row->line + 1e-6), 1e6) : 0;
    if (fit >= left)
        return left;
    return left <= FEW_LINES || fit < FEW_LINES ? 0 : fit;
}

static void put_row(const struct table *table, const struct row *row, bool first)
{
    for (size_t done = 0, count = 0; done < row->lines; done += count) {
        count = piece(table, row, done);
        if (count == 0) {
            pdf_flow_break(table->flow);
            put_head(table, 0, 0);
            count = piece(table, row, done);
        }
        count = count > 0 ? count : 1;
        double height = height_of(table, row, count);
        double gap = first && done == 0 && table->head.lines == 0 ? GAP : 0;
        double top = pdf_flow_take(table->flow, gap, height);
        draw_row(table, row, done, done + count, top);
        draw_rule(table, top + height, THEME_GRID, RULE);
    }
}

static double height_of_rows(const struct table *table, const struct row *rows, size_t count)
{
    double height = 0;
    for (size_t i = 0; i < count; i++)
        height += height_of(table, &rows[i], rows[i].lines);
    return height;
}

/* How much of the table stands on one page with its headings: all of it if that is little. */
static double height_together(const struct table *table, const struct row *rows, size_t count,
                              bool all)
{
    double most = WHOLE_PART * (table->flow->bottom - table->flow->top);
    double height = height_of_rows(table, rows, count);
    if (all && height <= most)
        return height;
    height = height_of_rows(table, rows, count < FIRST_ROWS ? count : FIRST_ROWS);
    if (height <= most || count == 0)
        return height;
    return height_of(table, &rows[0], rows[0].lines < FEW_LINES ? rows[0].lines : FEW_LINES);
}

static size_t count_shown(const struct pdf_flow *flow, const struct manuscript_table *table)
{
    return flow->rows_most > 0 && flow->rows_most < table->row_count ? flow->rows_most
                                                                     : table->row_count;
}

void pdf_block_table(struct pdf_flow *flow, const struct manuscript_block *block)
{
    struct table table = {.flow = flow, .source = block->table};
    struct row first[WHOLE_ROWS]; /* broken into lines before any is set */
    if (block->table == NULL || block->table->column_count == 0)
        return;
    table.room = ROW_ROOM * flow->density.gap;
    table.columns = pdf_columns_share(flow, block->table);
    table.head = fill_head(&table);
    size_t shown = count_shown(flow, block->table);
    size_t filled = 0;
    const struct manuscript_row *source = block->table->first;
    for (; filled < shown && filled < WHOLE_ROWS; source = source->next)
        first[filled++] = fill_row(&table, source);
    put_head(&table, GAP, height_together(&table, first, filled, filled == shown));
    for (size_t i = 0; i < filled; i++)
        put_row(&table, &first[i], i == 0);
    for (size_t i = filled; i < shown; i++, source = source->next) {
        struct row row = fill_row(&table, source);
        put_row(&table, &row, false);
    }
    if (shown < block->table->row_count)
        pdf_block_more(flow, block->table->row_count - shown);
}
