#ifndef RANKLEDGER_CHART_H
#define RANKLEDGER_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "chart_table.h"
#include "diag.h"
#include "summary.h"
struct texts; /* texts.h */
struct theme; /* theme.h */

/*
 * One chart of one comparability group, drawn once and kept in two forms. A chart never changes
 * the summary, and everything it says comes from the summary and the language's texts.
 */

struct chart_input {
    const struct summary *summary;
    size_t group; /* index into summary->groups */
    const struct texts *texts;
    const struct theme *theme;
    double width; /* of the page, CSS pixels; at least CHART_WIDTH_LEAST */
    /* Rows first_row to first_row + row_count - 1 only, for a chart that needs several pages; a
     * row_count of 0 is all of them. Every page has the axis of the whole chart. */
    size_t first_row, row_count;
    bool on_page;       /* of paper, which is to hold two charts: panels are lower */
    bool below_heading; /* a heading above it says what it is: it is drawn without its title */
};

#define CHART_WIDTH 960.0 /* of a picture file */
#define CHART_WIDTH_LEAST 720.0

/* How many rows a chart has that can be spread over pages; 1 for one that cannot. */
size_t chart_rows(const struct chart_row *row, const struct chart_input *input);

/* Whether it has something to show: a report leaves it out otherwise. (Drawn all the same, it says
 * what was not recorded.) */
bool chart_has_content(const struct chart_row *row, const struct chart_input *input);

/* Which forms of a picture are asked for. */
struct chart_forms {
    bool svg, png;
};
#define CHART_BOTH_FORMS ((struct chart_forms){true, true})

struct chart_image { /* a form that was not asked for is NULL */
    char *svg;       /* UTF-8, NUL-terminated beside its size; text is drawn as outlines */
    size_t svg_size;
    unsigned char *png;
    size_t png_size;
    unsigned width, height; /* CSS pixels; the PNG has twice as many in each direction */
    unsigned head;          /* so much of the height is for the title alone, CSS pixels */
    bool glyphs_missing;    /* some character has no glyph in any installed font: worth a warning */
};

/*
 * Draws a chart into `image` (written on success only; release it with chart_image_fini).
 * STATUS_ENVIRONMENT if memory is exhausted or the drawing library refuses. Equal input gives equal
 * bytes on a machine, whatever the locale, the time zone or the order of the calls.
 */
enum status chart_render(const struct chart_row *row, const struct chart_input *input,
                         struct chart_forms forms, struct chart_image *image,
                         struct diag *diag) STATUS_CHECKED;

/* Releases what chart_render made; a zeroed image and NULL are fine. */
void chart_image_fini(struct chart_image *image);

#endif
