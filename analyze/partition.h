#ifndef RANKLEDGER_PARTITION_H
#define RANKLEDGER_PARTITION_H

#include "comparability.h"

/*
 * Which records may be compared. "Equal where both say" is no equivalence: a record that lacks a
 * field agrees with two that differ in it. The rule that makes groups of it, whatever the order of
 * the records:
 *
 * - a set of records is split by the first field, in the order of the rules, in which its records
 *   differ and which all of them have; when there is none, by the first field in which they differ
 *   at all;
 * - where a field splits a set and some records lack it, those form a part of their own, for
 * nothing says which of the others they belong to; where all records that have the field agree, the
 * ones that lack it stay with them (the caller warns);
 * - a record without a world size that did not fail is alone: nothing can be compared with it
 *   (unless the policy frees the world size).
 *
 * Each split fixes one field, so the work is linear in the number of records but for sorting.
 */
struct partition {
    size_t *order;  /* record indices, part after part; ascending inside a part */
    size_t *starts; /* `count` + 1 positions in `order` */
    size_t count;   /* parts, ordered by their first record */
    const char *(*texts)[COMPARABILITY_FIELD_COUNT];  /* each record's values, NULL where absent */
    bool split_by_absence[COMPARABILITY_FIELD_COUNT]; /* some part was split off for lacking it */
};

/* Everything lives in the arena. */
enum status partition_form(const struct record *records, size_t count,
                           const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                           struct partition *partition, struct diag *diag) STATUS_CHECKED;

#endif
