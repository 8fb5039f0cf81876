#ifndef RANKLEDGER_CHART_ORDER_H
#define RANKLEDGER_CHART_ORDER_H

#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "summary.h"

/*
 * The candidates of a group as a chart shows them: by strategy in the order in which strategies
 * shard more, unknown ones last, then by label with numbers by their value, then as they come.
 */
struct chart_order_rows {
    const struct summary_candidate **items; /* borrowed from the group, the list in the arena */
    size_t count;
};

/* Of more than `most` candidates the best ranked are taken. */
enum status chart_order(const struct summary_group *group, size_t most, struct arena *arena,
                        struct chart_order_rows *rows, struct diag *diag) STATUS_CHECKED;

#endif
