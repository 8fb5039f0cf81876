#ifndef RANKLEDGER_GROUP_MEMBERS_H
#define RANKLEDGER_GROUP_MEMBERS_H

#include "group.h"
#include "partition.h"

/* The records of one group: indices into all records of the set. */
struct group_members {
    const struct record *records;
    const size_t *indices;
    size_t count;
    const struct partition *partition;
    const bool *freed; /* by comparability field */
};

#endif
