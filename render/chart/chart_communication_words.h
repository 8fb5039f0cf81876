#ifndef RANKLEDGER_CHART_COMMUNICATION_WORDS_H
#define RANKLEDGER_CHART_COMMUNICATION_WORDS_H

#include "chart_communication_rows.h"

/* What the communication chart says in words. */

/* Fills the cells of a row, whose data is read. */
void chart_communication_words_fill(struct chart_frame *frame, struct chart_communication_row *row,
                                    const struct chart_communication_columns *columns);

/* How many of all counted collectives equal their formula. */
const char *chart_communication_words_subtitle(struct chart_frame *frame);

#endif
