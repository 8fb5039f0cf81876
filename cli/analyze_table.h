#ifndef RANKLEDGER_ANALYZE_TABLE_H
#define RANKLEDGER_ANALYZE_TABLE_H

#include "analysis.h"

/* The candidates of a group against the limits, best first: strategy, peak, share of the limit,
 * throughput, exposed communication, verdict with the failed gates. */
void analyze_table(const struct group *group, const struct policy *policy,
                   const struct selection *selection, struct arena *arena, struct text_buffer *out);

#endif
