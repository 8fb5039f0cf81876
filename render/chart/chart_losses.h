#ifndef RANKLEDGER_CHART_LOSSES_H
#define RANKLEDGER_CHART_LOSSES_H

#include "chart.h"

/* The losses of all candidates over the steps of the run, on one axis: where they part, by how
 * much, and which runs failed or left the numbers. */
enum status chart_losses_draw(const struct chart_input *input, struct canvas *canvas,
                              struct diag *diag) STATUS_CHECKED;

/* Whether any run recorded a loss. */
bool chart_losses_has_content(const struct chart_input *input);

#endif
