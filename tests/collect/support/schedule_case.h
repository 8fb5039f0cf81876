#ifndef RANKLEDGER_SCHEDULE_CASE_H
#define RANKLEDGER_SCHEDULE_CASE_H

#include "schedule.h"

/* Small models at the edges: sizes that no world size divides, shards without a valid element, one
 * layer, buckets that end inside a block. */
extern const struct model_shape schedule_case_shapes[];
extern const size_t schedule_case_shape_count;

/* One of every combination of the options beside strategy, shape and world size; false once
 * `index` is beyond the last. */
bool schedule_case_options(size_t index, struct schedule_request *request);

/* Where a request stands, for a failing test's message. */
const char *schedule_case_text(const struct schedule_request *request, char text[256]);

#endif
