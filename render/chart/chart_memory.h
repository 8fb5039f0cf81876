#ifndef RANKLEDGER_CHART_MEMORY_H
#define RANKLEDGER_CHART_MEMORY_H

#include "chart.h"

/* Memory per candidate against the limit; the draw function of its row in chart_table.c. */
enum status chart_memory_draw(const struct chart_input *input, struct canvas *canvas,
                              struct diag *diag) STATUS_CHECKED;

#endif
