#ifndef RANKLEDGER_GROUP_LABEL_H
#define RANKLEDGER_GROUP_LABEL_H

#include "group.h"
#include "partition.h"

/*
 * Labels every group: "gpt2_124m, 4 ranks, global batch 128", then as many of the fields in which
 * groups differ as it takes to tell them apart, and where no field does, the first record's path.
 */
enum status group_label_all(struct group_list *groups, const struct partition *partition,
                            const bool *freed, struct arena *arena,
                            struct diag *diag) STATUS_CHECKED;

#endif
