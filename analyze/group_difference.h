#ifndef RANKLEDGER_GROUP_DIFFERENCE_H
#define RANKLEDGER_GROUP_DIFFERENCE_H

#include "group.h"
#include "partition.h"

/* Why records fall into several groups: the first field, in the order of the rules, in which two
 * groups differ, with its values and a record on each side. Fills *difference and returns the
 * field; -1 if there is one group. A value that is NULL afterwards: memory exhausted. */
int group_difference_find(const struct partition *partition, const struct record *records,
                          const bool *freed, struct arena *arena,
                          struct group_difference *difference);

/* Whether some two groups differ in the field. */
bool group_difference_tells(const struct partition *partition, int field);

/* The first value of the field in a part, or NULL; *record is who gives it. */
const char *group_difference_value(const struct partition *partition, size_t part, int field,
                                   size_t *record);

/* An escaped copy, "not given" for NULL; NULL: memory exhausted. */
const char *group_difference_shown(const char *value, struct arena *arena);

#endif
