#ifndef RANKLEDGER_CHART_CHANGES_H
#define RANKLEDGER_CHART_CHANGES_H

#include "chart.h"

/* What changed between BASE and NEW, strategy by strategy; of a report of a comparison alone. */
enum status chart_changes_draw(const struct chart_input *input, struct canvas *canvas,
                               struct diag *diag);
bool chart_changes_has_content(const struct chart_input *input);

#endif
