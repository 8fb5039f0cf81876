#ifndef RANKLEDGER_CHART_THROUGHPUT_HEAD_H
#define RANKLEDGER_CHART_THROUGHPUT_HEAD_H

#include "chart_lines.h"
#include "chart_throughput_marks.h"

/* The chart of throughput while it is laid out, and what stands above its rows. */

/* What is drawn on and below a bar. */
struct row_marks {
    struct throughput_samples samples;
    struct chart_throughput_spread spread;
};

struct throughput_chart {
    struct chart_frame frame;
    struct chart_plot plot;  /* throughput */
    struct chart_plot share; /* exposed communication in percent; right of the values */
    struct chart_lines lines;
    const char *unit; /* of the axis; NULL: nothing is measured */
    bool shares;      /* the exposed communication of some candidate is measured */
    bool share_panel; /* and there is room to draw it */
    bool chosen;      /* the best eligible is what the decision accepts */
    bool areas[THEME_AREA_COUNT];
    bool signs[CHART_SIGN_MARK + 1];
    struct row_marks *every; /* as frame.every */
    struct row_marks *marks; /* of the lines */
};

/* Adds what must be known before the numbers are read. */
void chart_throughput_head_notices(struct throughput_chart *chart);
/* Adds the keys of colours and signs that are seen. */
void chart_throughput_head_legend(struct throughput_chart *chart);
/* Adds the headings of the columns and the labels of the limits. */
void chart_throughput_head_headings(struct throughput_chart *chart);

#endif
