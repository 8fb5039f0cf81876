#ifndef RANKLEDGER_CHART_COMMUNICATION_H
#define RANKLEDGER_CHART_COMMUNICATION_H

#include "chart.h"

/* Counted bytes of each collective against the formula, and its bus bandwidth; one row a
 * candidate, with a bar a collective and purpose. */
enum status chart_communication_draw(const struct chart_input *input, struct canvas *canvas,
                                     struct diag *diag) STATUS_CHECKED;

/* Whether some run counted its collectives. */
bool chart_communication_has_content(const struct chart_input *input);

#endif
