#ifndef RANKLEDGER_CHART_THROUGHPUT_H
#define RANKLEDGER_CHART_THROUGHPUT_H

#include "chart.h"

/* Throughput per candidate against the minimum, beside it the share of a step that is exposed
 * communication; the draw function of its row in chart_table.c. */
enum status chart_throughput_draw(const struct chart_input *input, struct canvas *canvas,
                                  struct diag *diag) STATUS_CHECKED;

#endif
