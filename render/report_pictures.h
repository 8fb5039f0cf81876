#ifndef RANKLEDGER_REPORT_PICTURES_H
#define RANKLEDGER_REPORT_PICTURES_H

#include "chart.h"
#include "report.h"

/* The charts that a report's files, workbook and HTML page show, each drawn once. */

struct report_picture {
    const struct chart_row *chart;
    size_t group;
    struct chart_image image; /* what no format needs is released and NULL */
};

struct report_pictures {
    struct report_picture *items; /* by group, then in the order of the table */
    size_t count;
    bool glyphs_missing; /* some character has no glyph in any installed font */
};

/* An HTML page has the charts of so many groups: one with more (some 300 KB a group) is no page
 * that a browser opens well. */
#define REPORT_PICTURES_PAGE_GROUPS 40

/* The chart as picture files, workbook and page show it. */
struct chart_input report_pictures_input(const struct report_input *input, size_t group);

/* Draws what the input's formats need and what has content. Release it with report_pictures_fini,
 * whatever this returns. */
enum status report_pictures_make(const struct report_input *input, struct report_pictures *pictures,
                                 struct diag *diag) STATUS_CHECKED;
void report_pictures_fini(struct report_pictures *pictures);

/* NULL if it was not drawn. */
const struct report_picture *report_pictures_find(const struct report_pictures *pictures,
                                                  const struct chart_row *chart, size_t group);

#endif
