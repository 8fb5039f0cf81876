#ifndef RANKLEDGER_COMPARISON_CANDIDATE_H
#define RANKLEDGER_COMPARISON_CANDIDATE_H

#include "comparison_side.h"

/* Fills a candidate from its object in a summary; the reader has the first error. */
void comparison_candidate_read(struct summary_reader *reader, uint32_t node,
                               struct comparison_candidate *candidate);

#endif
