#ifndef RANKLEDGER_SUMMARY_SAMPLE_MARGINS_H
#define RANKLEDGER_SUMMARY_SAMPLE_MARGINS_H

#include "summary.h"

/* Adds to the decision of the first group how far its limits may move: the memory limit both ways,
 * the minimum throughput up, the largest exposed communication by any value, the gain by none. */
void summary_sample_margins(struct summary *summary);

#endif
