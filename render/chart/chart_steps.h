#ifndef RANKLEDGER_CHART_STEPS_H
#define RANKLEDGER_CHART_STEPS_H

#include "chart.h"

/* Step times over the run, rank by rank, in a panel a candidate: drift, stragglers, rounds. */
enum status chart_steps_draw(const struct chart_input *input, struct canvas *canvas,
                             struct diag *diag) STATUS_CHECKED;

/* Whether any run recorded a step's time. */
bool chart_steps_has_content(const struct chart_input *input);

#endif
