#include "shard.h"

#include <stdlib.h>

uint64_t shard_part_elements(const struct schedule *schedule, size_t unit)
{
    return schedule->units[unit].padded / schedule->request.world_size;
}

/* What of a tensor lies in elements [begin, end) of its unit; `offset` from begin. */
static struct shard_run overlap(const struct schedule *schedule, size_t tensor, uint64_t begin,
                                uint64_t end)
{
    uint64_t from = schedule->places[tensor].offset;
    uint64_t to = from + model_tensor(&schedule->request.shape, tensor).elements;
    uint64_t first = from > begin ? from : begin;
    uint64_t last = to < end ? to : end;
    struct shard_run run = {.tensor = tensor};
    if (first >= last)
        return run;
    run.first = first - from;
    run.count = last - first;
    run.offset = first - begin;
    return run;
}

struct shard_run shard_run_of(const struct schedule *schedule, size_t tensor, uint64_t rank)
{
    uint64_t part = shard_part_elements(schedule, schedule->places[tensor].unit);
    return overlap(schedule, tensor, rank * part, (rank + 1) * part);
}

static int by_place(const void *a, const void *b)
{
    const struct shard_entry *left = a, *right = b;
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

enum status shard_map_init(struct shard_map *map, const struct schedule *schedule,
                           struct diag *diag)
{
    *map = (struct shard_map){.schedule = schedule};
    map->entries = calloc(schedule->tensor_count + 1, sizeof *map->entries);
    map->begin = calloc(schedule->unit_count + 1, sizeof *map->begin);
    if (map->entries == NULL || map->begin == NULL) {
        shard_map_fini(map);
        return diag_no_memory(diag);
    }
    for (size_t i = 0; i < schedule->tensor_count; i++) {
        const struct schedule_place *place = &schedule->places[i];
        map->entries[i] = (struct shard_entry){place->unit, place->offset, i};
        map->begin[place->unit + 1]++;
    }
    qsort(map->entries, schedule->tensor_count, sizeof *map->entries, by_place);
    for (size_t unit = 0; unit < schedule->unit_count; unit++)
        map->begin[unit + 1] += map->begin[unit];
    return STATUS_OK;
}

void shard_map_fini(struct shard_map *map)
{
    if (map == NULL)
        return;
    free(map->entries);
    free(map->begin);
    *map = (struct shard_map){0};
}

struct shard_cursor shard_cursor(const struct shard_map *map, size_t unit, uint64_t begin,
                                 uint64_t end)
{
    return (struct shard_cursor){map, map->begin[unit], map->begin[unit + 1], begin, end};
}

bool shard_next(struct shard_cursor *cursor, struct shard_run *run)
{
    while (cursor->next < cursor->last) {
        size_t tensor = cursor->map->entries[cursor->next++].tensor;
        *run = overlap(cursor->map->schedule, tensor, cursor->begin, cursor->end);
        if (run->count > 0)
            return true;
    }
    return false;
}
