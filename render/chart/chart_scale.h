#ifndef RANKLEDGER_CHART_SCALE_H
#define RANKLEDGER_CHART_SCALE_H

#include <stdbool.h>

#include "chart.h"

/* Resident training state of one rank by the ledger, over the world size, and what was measured. */
enum status chart_scale_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag) STATUS_CHECKED;

/* Whether the ledger of any candidate is known. */
bool chart_scale_has_content(const struct chart_input *input);

#endif
