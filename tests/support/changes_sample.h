#ifndef RANKLEDGER_CHANGES_SAMPLE_H
#define RANKLEDGER_CHANGES_SAMPLE_H

#include "changes.h"

/* Makes the sample a report of a comparison, whose NEW it is: BASE had other values, made up from
 * the places of the candidates. In the sample's arena; aborts when memory is exhausted. */
void changes_sample_add(struct summary *summary);

#endif
