#ifndef RANKLEDGER_PDF_FLOW_H
#define RANKLEDGER_PDF_FLOW_H

#include "manuscript.h"
#include "pdf_page.h"
#include "report.h"
#include "theme.h"

/*
 * Blocks set below one another on pages. Each takes the height that it needs and gets the upper
 * edge of its place, on the page that has it; headings wait for the block that follows them, so
 * that none stands alone at a page's end.
 */

enum pdf_font {
    PDF_FONT_TEXT,
    PDF_FONT_STRONG,
    PDF_FONT_SMALL,
    PDF_FONT_SMALL_STRONG,
    PDF_FONT_TABLE,
    PDF_FONT_TABLE_STRONG,
    PDF_FONT_TABLE_CODE,
    PDF_FONT_CODE,
    PDF_FONT_HEADING_1,
    PDF_FONT_HEADING_2,
    PDF_FONT_HEADING_3,
    PDF_FONT_VERDICT,
    PDF_FONT_VALUE,
    PDF_FONT_COUNT
};

/* How close everything is set; 1 is the usual. */
struct pdf_density {
    double size;    /* of fonts */
    double gap;     /* between blocks */
    double leading; /* distance of baselines by the size of the font */
};
extern const struct pdf_density pdf_density_usual;

#define PDF_MARGIN 40.0        /* left and right */
#define PDF_MARGIN_TOP 56.0    /* of the content; the header is above */
#define PDF_MARGIN_BOTTOM 52.0 /* the footer is below */
#define PDF_HEADINGS_MOST 8

struct pdf_heading {
    const struct manuscript_block *block;
    struct canvas_font font;
    struct text_lines lines;
    double height, before;
};

struct pdf_flow {
    const struct report_input *input;
    struct pdf_document *document;
    struct pdf_density density;
    double left, width, top, bottom; /* of the content of a page */
    double y;                        /* upper edge of what is free */
    bool empty;                      /* nothing is on the page */
    bool below_heading;              /* a heading is the last thing on the page */
    struct pdf_heading waiting[PDF_HEADINGS_MOST];
    size_t waiting_count;
    bool chart_bears_heading; /* the next block is a chart whose title is its heading */
    bool in_list;             /* the last block was an item, or its command */
    double chart_width;       /* that the next charts_planned charts are laid out for, pixels */
    size_t charts_planned;
    size_t rows_most, items_most; /* of a table, of a list; 0: all */
    const char *rest;             /* anchor of the place where the rows left out are */
    size_t rest_page;
    size_t rows_left_out;
};

void pdf_flow_init(struct pdf_flow *flow, const struct report_input *input,
                   struct pdf_document *document);

struct canvas_font pdf_flow_font(const struct pdf_flow *flow, enum pdf_font font);
canvas_colour pdf_flow_ink(const struct pdf_flow *flow, enum theme_ink ink);
/* The ink of a tone. */
canvas_colour pdf_flow_tone(const struct pdf_flow *flow, enum manuscript_tone tone);
/* A ground for texts in that tone: the page with a little of its ink. */
canvas_colour pdf_flow_ground(const struct pdf_flow *flow, enum manuscript_tone tone);

/* Ends the page, unless nothing is on it. */
void pdf_flow_break(struct pdf_flow *flow);
/* Whether `height` still fits the page, headings that wait and a gap included. */
bool pdf_flow_fits(const struct pdf_flow *flow, double gap, double height);
/* How many lines of that height fit the page. */
size_t pdf_flow_lines_fit(const struct pdf_flow *flow, double gap, double line);
/* Takes `height` below a gap, on a new page if need be, and returns its upper edge. */
double pdf_flow_take(struct pdf_flow *flow, double gap, double height);
/* The page that was taken from last. */
struct scene *pdf_flow_scene(const struct pdf_flow *flow);

/* Sets a heading before the next block; one that is not shown is a place and an entry of the
 * outline only. */
void pdf_flow_head(struct pdf_flow *flow, const struct manuscript_block *block, bool shown);

/* Lines of one font below one another. `line` is the height of one. */
double pdf_flow_line(const struct pdf_flow *flow, const struct canvas_font *font,
                     const struct text_lines *lines);
/* Draws lines [from, to) from the upper left corner. */
void pdf_flow_draw(struct pdf_flow *flow, const struct text_lines *lines, size_t from, size_t to,
                   struct canvas_point corner, const struct canvas_font *font,
                   canvas_colour colour);

/* A sign for a tone, `size` high, so that no tone is told by its colour alone; PLAIN, STRONG and
 * QUIET have none. */
bool pdf_flow_has_mark(enum manuscript_tone tone);
void pdf_flow_mark(struct pdf_flow *flow, enum manuscript_tone tone, struct canvas_point corner,
                   double size);

#endif
