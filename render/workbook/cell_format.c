#include <math.h>

#include "theme.h"
#include "workbook_private.h"

/*
 * Verdana at 8 points: its digits are 7 pixels wide, as the library takes for granted when it
 * places pictures, and where it is missing DejaVu Sans of the same widths stands in for it. With
 * the usual default font a machine without Microsoft's fonts draws pictures a third too wide.
 */
#define FONT "Verdana"

enum {
    FORMAT_BOLD = 1,
    FORMAT_WRAP = 2,
    FORMAT_RIGHT = 4,
    FORMAT_MONO = 8,
    FORMAT_LINE = 16,
    FORMAT_UNDERLINE = 32,
    FORMAT_BOX = 64
};

struct format_row {
    const char *number;
    unsigned flags;
    double size;         /* points; 0: the default */
    uint32_t ink, fill;  /* 0xRRGGBB without a theme; ink 0 is black, fill 0 is none */
    enum theme_ink role; /* whose ink a theme has for it; THEME_PAGE: none */
    bool accent;         /* what the theme gives the selected strategy instead */
};

static const struct format_row format_rows[CELL_STYLE_COUNT] = {
    [CELL_TEXT] = {.flags = 0},
    [CELL_WRAP] = {.flags = FORMAT_WRAP},
    [CELL_CODE] = {.flags = FORMAT_WRAP | FORMAT_MONO},
    [CELL_MUTED] = {.flags = FORMAT_WRAP, .ink = 0x5F6368, .role = THEME_QUIET},
    [CELL_MUTED_RIGHT] = {.flags = FORMAT_RIGHT, .ink = 0x5F6368, .role = THEME_QUIET},
    [CELL_TITLE_ACCEPT] =
        {.flags = FORMAT_BOLD, .size = 15, .ink = 0x0B5A3C, .fill = 0xDDF2E6, .role = THEME_GOOD},
    [CELL_TITLE_TUNE] = {.flags = FORMAT_BOLD,
                         .size = 15,
                         .ink = 0x6B4900,
                         .fill = 0xFFF1CC,
                         .role = THEME_WARNING},
    [CELL_TITLE_REJECT] =
        {.flags = FORMAT_BOLD, .size = 15, .ink = 0x8A1C12, .fill = 0xFBE0DD, .role = THEME_BAD},
    [CELL_REASON] = {.flags = FORMAT_WRAP, .size = 10},
    [CELL_HEADING] = {.flags = FORMAT_BOLD | FORMAT_LINE,
                      .size = 10,
                      .ink = 0x1F3A5F,
                      .role = THEME_TEXT,
                      .accent = true},
    [CELL_HEADER] = {.flags = FORMAT_BOLD | FORMAT_WRAP | FORMAT_LINE,
                     .ink = 0x1F3A5F,
                     .fill = 0xE8EEF5,
                     .role = THEME_TEXT,
                     .accent = true},
    [CELL_HEADER_RIGHT] = {.flags = FORMAT_BOLD | FORMAT_WRAP | FORMAT_LINE | FORMAT_RIGHT,
                           .ink = 0x1F3A5F,
                           .fill = 0xE8EEF5,
                           .role = THEME_TEXT,
                           .accent = true},
    [CELL_LABEL] = {.ink = 0x5F6368, .role = THEME_QUIET},
    [CELL_LINK] = {.flags = FORMAT_UNDERLINE, .ink = 0x1F5A9E},
    [CELL_LINK_WRAP] = {.flags = FORMAT_UNDERLINE | FORMAT_WRAP, .ink = 0x1F5A9E},
    [CELL_LINK_STRONG] = {.flags = FORMAT_UNDERLINE | FORMAT_WRAP | FORMAT_BOLD, .ink = 0x1F5A9E},
    [CELL_STRONG] = {.flags = FORMAT_BOLD | FORMAT_WRAP},
    [CELL_PASS] = {.ink = 0x0B5A3C, .fill = 0xDDF2E6, .role = THEME_GOOD},
    [CELL_TIGHT] = {.ink = 0x6B4900, .fill = 0xFFF1CC, .role = THEME_WARNING},
    [CELL_FAIL] = {.flags = FORMAT_BOLD, .ink = 0x8A1C12, .fill = 0xFBE0DD, .role = THEME_BAD},
    [CELL_NEUTRAL] = {.ink = 0x5F6368, .fill = 0xF1F3F4, .role = THEME_QUIET},
    [CELL_WHOLE] = {.number = "#,##0"},
    [CELL_ONE] = {.number = "#,##0.0"},
    [CELL_TWO] = {.number = "#,##0.00"},
    [CELL_FOUR] = {.number = "#,##0.0000"},
    [CELL_TINY] = {.number = "0.00E+00"},
    [CELL_PERCENT] = {.number = "0.0%"},
    [CELL_SIGNED_PERCENT] = {.number = "+0.0%;-0.0%;0.0%"},
    [CELL_AT_MOST_ONE] = {.number = "\"\u2264 \"#,##0.0", .ink = 0x1F3A5F, .role = THEME_TEXT},
    [CELL_AT_MOST_PERCENT] = {.number = "\"\u2264 \"0.0%", .ink = 0x1F3A5F, .role = THEME_TEXT},
    [CELL_AT_LEAST_WHOLE] = {.number = "\"\u2265 \"#,##0", .ink = 0x1F3A5F, .role = THEME_TEXT},
    [CELL_AT_LEAST_TWO] = {.number = "\"\u2265 \"#,##0.00", .ink = 0x1F3A5F, .role = THEME_TEXT},
    [CELL_INPUT_ONE] = {.number = "#,##0.0",
                        .flags = FORMAT_BOX,
                        .ink = 0x0B3D91,
                        .fill = 0xFFF9DB},
    [CELL_INPUT_TWO] = {.number = "#,##0.00",
                        .flags = FORMAT_BOX,
                        .ink = 0x0B3D91,
                        .fill = 0xFFF9DB},
    [CELL_INPUT_PERCENT] = {.number = "0.0%",
                            .flags = FORMAT_BOX,
                            .ink = 0x0B3D91,
                            .fill = 0xFFF9DB},
};

double cell_format_size(enum cell_style style)
{
    return format_rows[style].size > 0 ? format_rows[style].size : CELL_FONT_SIZE;
}

bool cell_format_wraps(enum cell_style style)
{
    return (format_rows[style].flags & FORMAT_WRAP) != 0;
}

/* ---- Colours of a theme, on the white of a sheet ---- */

#define WHITE 0xFFFFFFu
/* What of the ink the ground of a verdict has at most, and a bar of its area. */
#define TINT 0.12
#define BAR_TINT 0.3
/* WCAG 2.1, success criterion 1.4.3. */
#define LEAST_CONTRAST 4.5

static uint32_t mix_with_white(uint32_t colour, double share)
{
    uint32_t mixed = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        double part = (double)(colour >> shift & 0xFF);
        mixed |= (uint32_t)lround(255 + (part - 255) * share) << shift;
    }
    return mixed;
}

/* The lightest trace of the ink on which it still reads. */
static uint32_t ground_of(uint32_t ink)
{
    double share = TINT;
    while (share > 0.01 && theme_contrast(ink, mix_with_white(ink, share)) < LEAST_CONTRAST)
        share -= 0.01;
    return mix_with_white(ink, share);
}

/* The row in the colours of the theme, unless its ink was made for a dark page. */
static struct format_row in_theme(const struct format_row *row, const struct theme *theme)
{
    struct format_row themed = *row;
    if (theme == NULL || row->role == THEME_PAGE)
        return themed;
    uint32_t ink = (row->accent ? theme->area[THEME_SELECTED].fill : theme->ink[row->role]) & WHITE;
    if (theme_contrast(ink, WHITE) < LEAST_CONTRAST)
        return themed;
    themed.ink = ink;
    if (row->fill != 0)
        themed.fill = ground_of(ink);
    return themed;
}

static void choose_bars(struct workbook *workbook, const struct theme *theme)
{
    static const enum theme_area areas[CELL_BAR_COUNT] = {
        [CELL_BAR_MEMORY] = THEME_SELECTED, [CELL_BAR_THROUGHPUT] = THEME_COMMUNICATION};
    static const uint32_t plain[CELL_BAR_COUNT] = {
        [CELL_BAR_MEMORY] = 0xBCD5EE, [CELL_BAR_THROUGHPUT] = 0xC4E4D0};
    for (size_t i = 0; i < CELL_BAR_COUNT; i++) {
        uint32_t themed =
            theme != NULL ? mix_with_white(theme->area[areas[i]].fill & WHITE, BAR_TINT) : plain[i];
        bool reads = theme_contrast(0, themed) >= LEAST_CONTRAST;
        workbook->bars[i] = reads ? themed : plain[i];
    }
}

/* ---- Formats ---- */

static void apply_format(lxw_format *format, const struct format_row *row, const char *font)
{
    format_set_align(format, LXW_ALIGN_VERTICAL_CENTER);
    format_set_font_name(format, (row->flags & FORMAT_MONO) ? "Consolas" : font);
    format_set_font_size(format, row->size > 0 ? row->size : CELL_FONT_SIZE);
    if (row->flags & FORMAT_RIGHT)
        format_set_align(format, LXW_ALIGN_RIGHT);
    if (row->number == NULL && !(row->flags & FORMAT_RIGHT))
        format_set_align(format, LXW_ALIGN_LEFT);
    /* Off the number at its left. */
    if (row->number == NULL && row->size == 0 && !(row->flags & FORMAT_RIGHT))
        format_set_indent(format, 1);
    if (row->number != NULL)
        format_set_num_format(format, row->number);
    if (row->flags & FORMAT_BOLD)
        format_set_bold(format);
    if (row->flags & FORMAT_WRAP)
        format_set_text_wrap(format);
    if (row->flags & FORMAT_LINE) {
        format_set_bottom(format, LXW_BORDER_THIN);
        format_set_bottom_color(format, 0x9AA8B8);
    }
    if (row->flags & FORMAT_BOX) {
        format_set_border(format, LXW_BORDER_MEDIUM);
        format_set_border_color(format, 0xB08900);
    }
    if (row->flags & FORMAT_UNDERLINE)
        format_set_underline(format, LXW_UNDERLINE_SINGLE);
    if (row->ink != 0)
        format_set_font_color(format, row->ink);
    if (row->fill != 0) {
        format_set_pattern(format, LXW_PATTERN_SOLID);
        format_set_fg_color(format, row->fill);
        format_set_bg_color(format, row->fill);
    }
}

bool cell_make_formats(struct workbook *workbook, const struct theme *theme)
{
    choose_bars(workbook, theme);
    /* The first format is the library's own, of cells without one; widths are in its digits. */
    lxw_format *normal = STAILQ_FIRST(workbook->book->formats);
    format_set_font_name(normal, FONT);
    format_set_font_size(normal, CELL_FONT_SIZE);
    normal->font_scheme[0] = '\0';
    for (size_t i = 0; i < CELL_STYLE_COUNT; i++) {
        workbook->formats[i] = workbook_add_format(workbook->book);
        if (workbook->formats[i] == NULL)
            return false;
        const struct format_row row = in_theme(&format_rows[i], theme);
        apply_format(workbook->formats[i], &row, texts_get(workbook->texts, "report.font"));
    }
    return true;
}
