#ifndef RANKLEDGER_PDF_COLUMNS_H
#define RANKLEDGER_PDF_COLUMNS_H

#include "pdf_flow.h"

/* How wide the columns of a table are. */

#define PDF_COLUMNS_GUTTER 9.0 /* between two columns */
#define PDF_COLUMNS_MARK 9.0   /* room of a mark before a text */

struct pdf_columns {
    double left[MANUSCRIPT_COLUMNS_MOST], width[MANUSCRIPT_COLUMNS_MOST];
    double size; /* of the fonts, by the usual: less for a table that would not fit */
};

/* The font of a cell. */
struct canvas_font pdf_columns_font(const struct pdf_flow *flow, const struct pdf_columns *columns,
                                    const struct manuscript_column *column,
                                    enum manuscript_tone tone);
struct canvas_font pdf_columns_head_font(const struct pdf_flow *flow,
                                         const struct pdf_columns *columns);

/*
 * Columns that share the flow's width by their content: each as wide as its texts where all fit,
 * else the widest give way first, down to their longest word. In a table that still would not fit
 * the font becomes smaller, then words are broken.
 */
struct pdf_columns pdf_columns_share(struct pdf_flow *flow, const struct manuscript_table *table);

#endif
