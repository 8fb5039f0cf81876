#ifndef RANKLEDGER_SHARD_H
#define RANKLEDGER_SHARD_H

#include "schedule.h"

/*
 * Which elements of which tensor a rank owns: arithmetic on a schedule's units and places. A unit
 * holds its tensors one after the other and then padding; rank r owns the r-th of its N equal
 * parts. So a tensor's owned elements are one run at most, and a stretch of a unit is a few runs of
 * neighbouring tensors.
 */

/* Elements [first, first + count) of a tensor, stored without a gap from `offset` on (of what, the
 * function says). */
struct shard_run {
    size_t tensor;
    uint64_t first, count, offset;
};

/* Elements of a rank's part of a unit, padding included: the same on every rank. */
uint64_t shard_part_elements(const struct schedule *schedule, size_t unit);

/* What of a tensor the rank owns; `offset` is from the start of its part of the tensor's unit. A
 * count of 0: nothing. */
struct shard_run shard_run_of(const struct schedule *schedule, size_t tensor, uint64_t rank);

/* The tensors in the order in which the units hold them. Its arrays are the heap's; a zeroed map is
 * safe to fini. */
struct shard_entry {
    size_t unit;
    uint64_t offset; /* elements from the start of the unit */
    size_t tensor;
};
struct shard_map {
    const struct schedule *schedule; /* borrowed */
    struct shard_entry *entries;     /* one a tensor, by unit and offset */
    size_t *begin;                   /* [unit_count + 1]: where a unit's entries begin */
};
enum status shard_map_init(struct shard_map *map, const struct schedule *schedule,
                           struct diag *diag) STATUS_CHECKED;
void shard_map_fini(struct shard_map *map);

/*
 * The runs that elements [begin, end) of a unit consist of, in order; padding gives none. Their
 * `offset` is from `begin`.
 *
 *     struct shard_cursor cursor = shard_cursor(&map, unit, begin, end);
 *     while (shard_next(&cursor, &run))
 */
struct shard_cursor {
    const struct shard_map *map;
    size_t next, last; /* of map->entries */
    uint64_t begin, end;
};
struct shard_cursor shard_cursor(const struct shard_map *map, size_t unit, uint64_t begin,
                                 uint64_t end);
bool shard_next(struct shard_cursor *cursor, struct shard_run *run);

#endif
