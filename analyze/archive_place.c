#include "archive_place.h"

#include <stdlib.h>
#include <string.h>

#include "evidence_key.h"

/* The groups by world size, which every refused source with a key gives. */
struct entry {
    const char *const *key;
    size_t group;
};

struct look_up {
    struct entry *entries; /* sorted by world size */
    size_t count;          /* without the groups that do not give it */
    const bool *freed;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int order = strcmp(a->key[COMPARABILITY_WORLD_SIZE], b->key[COMPARABILITY_WORLD_SIZE]);
    return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

static size_t first_from(const struct look_up *look_up, const char *world_size)
{
    size_t from = 0;
    size_t to = look_up->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(look_up->entries[middle].key[COMPARABILITY_WORLD_SIZE], world_size) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* -1: none, or several. */
static long group_of(const struct look_up *look_up, const char *const *key)
{
    const char *world_size = key[COMPARABILITY_WORLD_SIZE];
    bool any = look_up->freed[COMPARABILITY_WORLD_SIZE];
    long found = -1;
    for (size_t i = any ? 0 : first_from(look_up, world_size); i < look_up->count; i++) {
        const struct entry *entry = &look_up->entries[i];
        if (!any && strcmp(entry->key[COMPARABILITY_WORLD_SIZE], world_size) != 0)
            break;
        if (!evidence_key_agrees(key, entry->key, look_up->freed))
            continue;
        if (found >= 0)
            return -1;
        found = (long)entry->group;
    }
    return found;
}

/* Counts the sources of each group, then puts them there. */
static void distribute(const long *groups, size_t count, size_t group_count,
                       struct archive_place *place)
{
    for (size_t i = 0; i < count; i++) {
        if (groups[i] < 0)
            place->unplaced++;
        else
            place->starts[groups[i] + 1]++;
    }
    for (size_t g = 0; g < group_count; g++)
        place->starts[g + 1] += place->starts[g];
    for (size_t i = count; i-- > 0;) /* from the end, so that each moves its group's end down */
        if (groups[i] >= 0)
            place->order[--place->starts[groups[i] + 1]] = i;
    for (size_t g = 0; g < group_count; g++)
        place->starts[g] = place->starts[g + 1];
    place->starts[group_count] = count - place->unplaced;
}

enum status archive_place_make(const struct evidence_set *set,
                               const char *(*keys)[COMPARABILITY_FIELD_COUNT], size_t group_count,
                               const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                               struct archive_place *place, struct diag *diag)
{
    size_t count = set->rejected_count;
    struct look_up look_up = {.freed = freed};
    struct archive_place made = {.order = arena_take_array(arena, count + 1, sizeof *made.order),
                                 .starts =
                                     arena_take_array(arena, group_count + 1, sizeof *made.starts)};
    long *groups = arena_take_array(arena, count + 1, sizeof *groups);
    look_up.entries = arena_take_array(arena, group_count + 1, sizeof *look_up.entries);
    if (made.order == NULL || made.starts == NULL || groups == NULL || look_up.entries == NULL)
        return diag_no_memory(diag);
    for (size_t g = 0; g < group_count; g++)
        if (keys[g][COMPARABILITY_WORLD_SIZE] != NULL)
            look_up.entries[look_up.count++] = (struct entry){keys[g], g};
    if (look_up.count > 1)
        qsort(look_up.entries, look_up.count, sizeof *look_up.entries, compare_entries);
    for (size_t i = 0; i < count; i++)
        groups[i] = set->rejected[i].key == NULL ? -1 : group_of(&look_up, set->rejected[i].key);
    distribute(groups, count, group_count, &made);
    *place = made;
    return STATUS_OK;
}
