#ifndef RANKLEDGER_CHART_FRONTIER_H
#define RANKLEDGER_CHART_FRONTIER_H

#include <stdbool.h>

#include "chart.h"

/* Throughput against peak memory, one sign a candidate, with both limits and the Pareto front. */
enum status chart_frontier_draw(const struct chart_input *input, struct canvas *canvas,
                                struct diag *diag) STATUS_CHECKED;

/* Whether any candidate completed with both measured. */
bool chart_frontier_has_content(const struct chart_input *input);

#endif
