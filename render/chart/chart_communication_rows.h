#ifndef RANKLEDGER_CHART_COMMUNICATION_ROWS_H
#define RANKLEDGER_CHART_COMMUNICATION_ROWS_H

#include "chart_plot.h"
#include "communication_bars.h"

/* The rows of the communication chart: what stands where. */

#define CHART_COMMUNICATION_BAR 12.0

struct chart_communication_bar {
    const struct communication_bar *data;
    struct chart_cell name;         /* above the bars: collective, purpose, calls */
    struct chart_cell amount, rate; /* right of them */
    double y, height, bar_y;
};

struct chart_communication_row {
    const struct summary_candidate *candidate;
    struct communication_bars data;
    struct chart_communication_bar *bars; /* data.count of them */
    struct chart_cell label;
    struct chart_cell note; /* scalars, failure, what is left out; below the bars */
    double y, height, note_y;
};

/* The panels and columns; of the page alone. */
struct chart_communication_columns {
    struct chart_plot amount, rate;
    bool rates;                      /* the bandwidth of some collective is measured */
    double label_width;              /* at most */
    double amount_x, rate_x;         /* of the values */
    double amount_width, rate_width; /* of the columns of values */
    double note_width;
};

/* Gives the rows their places from frame->y downwards, with their stripes. */
void chart_communication_rows_place(struct chart_communication_row *rows, size_t count,
                                    struct chart_frame *frame,
                                    struct chart_communication_columns *columns);

/* Adds all texts with the grounds on which they are read, and describes the rows. */
void chart_communication_rows_put_texts(const struct chart_communication_row *rows, size_t count,
                                        struct chart_frame *frame,
                                        const struct chart_communication_columns *columns);

#endif
