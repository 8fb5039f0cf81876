#include "pdf_columns.h"

#include <math.h>
#include <string.h>

/* A word longer than this may be broken; so may a code, of which a digest of 64 characters then has
 * two lines. Points. */
#define WORD_MOST 110.0
#define CODE_LEAST 125.0
#define HEAD_MOST 60.0
/* The sizes that are tried; 0.82 of 8 points is 6.5. */
static const double sizes[] = {1, 0.9, 0.82};

/* What a column needs: to show everything on one line, and at the least. */
struct need {
    double natural, least;
};

struct canvas_font pdf_columns_font(const struct pdf_flow *flow, const struct pdf_columns *columns,
                                    const struct manuscript_column *column,
                                    enum manuscript_tone tone)
{
    bool strong = tone == MANUSCRIPT_STRONG || pdf_flow_has_mark(tone);
    struct canvas_font font = pdf_flow_font(flow, column->code ? PDF_FONT_TABLE_CODE
                                                  : strong     ? PDF_FONT_TABLE_STRONG
                                                               : PDF_FONT_TABLE);
    font.size *= columns->size;
    return font;
}

struct canvas_font pdf_columns_head_font(const struct pdf_flow *flow,
                                         const struct pdf_columns *columns)
{
    struct canvas_font font = pdf_flow_font(flow, PDF_FONT_SMALL_STRONG);
    font.size *= columns->size;
    return font;
}

static double width_of(const struct pdf_flow *flow, const struct canvas_font *font,
                       const char *text, size_t length)
{
    struct canvas *canvas = flow->document->canvas;
    return canvas->backend->measure(canvas, font, text, length).width;
}

/* Bytes up to the next place where text_lines may break: a blank, a separator of names, a character
 * that is not ASCII, which may be Chinese. */
static size_t word_length(const char *word)
{
    size_t length = 0;
    while (word[length] > ' ' && strchr("-/_|+=,;:", word[length]) == NULL)
        length++;
    return word[length] > ' ' ? length + 1 : length;
}

/* The widest of the words that are not broken. */
static double widest_word(const struct pdf_flow *flow, const struct canvas_font *font,
                          const char *text)
{
    const char *longest = "";
    size_t length = 0;
    for (const char *word = text; word[0] != '\0';) {
        size_t next = word_length(word);
        if (next > length) {
            longest = word;
            length = next;
        }
        word += next > 0 ? next : 1;
    }
    return width_of(flow, font, longest, length);
}

static void widen(struct need *need, double natural, double least)
{
    need->natural = fmax(need->natural, natural);
    need->least = fmax(need->least, fmin(least, natural));
}

static void need_of_cell(const struct pdf_flow *flow, const struct manuscript_column *column,
                         const struct manuscript_text *cell, struct need *need)
{
    const struct pdf_columns usual = {.size = 1};
    if (cell->text == NULL || cell->text[0] == '\0')
        return;
    const char *text = pdf_document_clean(flow->document, cell->text);
    struct canvas_font font = pdf_columns_font(flow, &usual, column, cell->tone);
    double mark = pdf_flow_has_mark(cell->tone) ? PDF_COLUMNS_MARK : 0;
    double natural = width_of(flow, &font, text, strlen(text)) + mark;
    if (natural <= need->least)
        return;
    double word = column->number ? natural : widest_word(flow, &font, text) + mark;
    /* a code is broken into as few lines as it can be, all of one length */
    double code = natural / ceil(natural / CODE_LEAST) + 0.5;
    widen(need, natural, column->code ? code : fmin(word, WORD_MOST));
}

static void need_of_head(const struct pdf_flow *flow, const struct manuscript_column *column,
                         struct need *need)
{
    const struct pdf_columns usual = {.size = 1};
    struct canvas_font font = pdf_columns_head_font(flow, &usual);
    if (column->heading == NULL)
        return;
    /* broken at blanks only, in two lines */
    double word = 0;
    for (const char *rest = column->heading; rest[0] != '\0'; rest += strspn(rest, " ")) {
        size_t length = strcspn(rest, " ");
        word = fmax(word, width_of(flow, &font, rest, length));
        rest += length;
    }
    double whole = width_of(flow, &font, column->heading, strlen(column->heading));
    widen(need, fmax(word, whole * 0.55), fmin(word, HEAD_MOST));
}

/* ---- Sharing ---- */

/* How wide the columns are if none is wider than `most` unless it must be. */
static double share(const struct need *needs, size_t count, double most, double *widths)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        widths[i] = fmax(needs[i].least, fmin(needs[i].natural, most));
        sum += widths[i];
    }
    return sum;
}

/* The widest columns give way until the sum is `room`; false if it cannot be. */
static bool give_way(const struct need *needs, size_t count, double room, double *widths)
{
    double low = 0;
    double high = room;
    if (share(needs, count, 0, widths) > room)
        return false;
    for (size_t i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (share(needs, count, middle, widths) <= room)
            low = middle;
        else
            high = middle;
    }
    return share(needs, count, low, widths) <= room;
}

/* Room that is left goes to the last column if it is text, else to all alike. */
static void spread(const struct manuscript_table *table, double spare, double *widths)
{
    size_t count = table->column_count;
    if (!table->columns[count - 1].number) {
        widths[count - 1] += spare;
        return;
    }
    for (size_t i = 0; i < count; i++)
        widths[i] += spare / (double)count;
}

/* Too wide even with broken words: by what each needs at the least. */
static void squeeze(const struct need *needs, size_t count, double room, double *widths)
{
    double sum = share(needs, count, 0, widths);
    for (size_t i = 0; i < count; i++)
        widths[i] *= room / sum;
}

struct pdf_columns pdf_columns_share(struct pdf_flow *flow, const struct manuscript_table *table)
{
    struct pdf_columns columns = {.size = 1};
    struct need needs[MANUSCRIPT_COLUMNS_MOST] = {{0, 0}};
    size_t count = table->column_count;
    double room = flow->width - (double)(count - 1) * PDF_COLUMNS_GUTTER;
    for (size_t i = 0; i < count; i++)
        need_of_head(flow, &table->columns[i], &needs[i]);
    for (const struct manuscript_row *row = table->first; row != NULL; row = row->next)
        for (size_t i = 0; i < count; i++)
            need_of_cell(flow, &table->columns[i], &row->cells[i], &needs[i]);
    bool fits = false;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] && !fits; s++) {
        columns.size = sizes[s];
        fits = give_way(needs, count, room / sizes[s], columns.width);
    }
    if (!fits)
        squeeze(needs, count, room / columns.size, columns.width);
    double used = 0;
    for (size_t i = 0; i < count; i++) {
        columns.width[i] *= columns.size;
        used += columns.width[i];
    }
    if (used < room)
        spread(table, room - used, columns.width);
    for (size_t i = 1; i < count; i++)
        columns.left[i] = columns.left[i - 1] + columns.width[i - 1] + PDF_COLUMNS_GUTTER;
    return columns;
}
