#include "partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record while it is being sorted. */
struct item {
    const char *value; /* of the field that splits; NULL: absent */
    size_t index;
};

struct splitting {
    struct item *items;
    const bool *freed;
    struct partition *partition;
    struct part *parts;
};

struct part {
    size_t first_index; /* of its first record */
    size_t start, count;
};

/* How a set of records stands in one field. */
enum agreement { AGREES, DIFFERS, DIFFERS_AND_LACKS };

static enum agreement agreement_of(const struct splitting *splitting, size_t start, size_t end,
                                   int field)
{
    const char *seen = NULL;
    bool differs = false;
    bool lacks = false;
    for (size_t i = start; i < end; i++) {
        const char *value = splitting->partition->texts[splitting->items[i].index][field];
        if (value == NULL)
            lacks = true;
        else if (seen == NULL)
            seen = value;
        else if (!differs)
            differs = strcmp(seen, value) != 0;
    }
    if (!differs)
        return AGREES;
    return lacks ? DIFFERS_AND_LACKS : DIFFERS;
}

/* The field that splits the set, or -1 if all its records may be compared. */
static int splitting_field(const struct splitting *splitting, size_t start, size_t end)
{
    int second_choice = -1;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        if (splitting->freed[field])
            continue;
        enum agreement agreement = agreement_of(splitting, start, end, field);
        if (agreement == DIFFERS)
            return field;
        if (agreement == DIFFERS_AND_LACKS && second_choice < 0)
            second_choice = field;
    }
    return second_choice;
}

/* By value, absent last, then by index. */
static int compare_items(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->value == NULL || b->value == NULL) {
        if (a->value != b->value)
            return a->value == NULL ? 1 : -1;
    } else {
        int order = strcmp(a->value, b->value);
        if (order != 0)
            return order;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static bool same_value(const struct item *a, const struct item *b)
{
    if (a->value == NULL || b->value == NULL)
        return a->value == b->value;
    return strcmp(a->value, b->value) == 0;
}

static void add_part(struct splitting *splitting, size_t start, size_t end)
{
    struct partition *partition = splitting->partition;
    splitting->parts[partition->count++] =
        (struct part){splitting->items[start].index, start, end - start};
}

/* Splits [start, end) until all its parts agree. The depth is bounded by the number of fields, for
 * the parts of a split agree in its field. */
static void split(struct splitting *splitting, size_t start, size_t end)
{
    int field = splitting_field(splitting, start, end);
    struct item *items = splitting->items;
    if (field < 0) {
        add_part(splitting, start, end);
        return;
    }
    for (size_t i = start; i < end; i++)
        items[i].value = splitting->partition->texts[items[i].index][field];
    qsort(items + start, end - start, sizeof *items, compare_items);
    if (items[end - 1].value == NULL)
        splitting->partition->split_by_absence[field] = true;
    size_t from = start;
    while (from < end) {
        size_t to = from + 1;
        while (to < end && same_value(&items[from], &items[to]))
            to++;
        /* Deeper splits overwrite values of [from, to) only. */
        split(splitting, from, to);
        from = to;
    }
}

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left;
    const struct part *b = right;
    return (a->first_index > b->first_index) - (a->first_index < b->first_index);
}

static bool read_texts(const struct record *records, size_t count, struct arena *arena,
                       struct partition *partition)
{
    partition->texts = arena_take_array(arena, count, sizeof *partition->texts);
    if (partition->texts == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
            if (!comparability_text(&records[i], (enum comparability_field)field, arena,
                                    &partition->texts[i][field]))
                return false;
    return true;
}

/* Sets the parts of records that stand alone, and the items of the others; returns their number. */
static size_t set_apart(struct splitting *splitting, const struct record *records, size_t count)
{
    size_t others = 0;
    size_t alone = count; /* items of lonely records are filled from the end */
    for (size_t i = 0; i < count; i++) {
        bool lonely = isnan(records[i].workload.world_size) && !records[i].failure.failed &&
                      !splitting->freed[COMPARABILITY_WORLD_SIZE];
        size_t at = lonely ? --alone : others++;
        splitting->items[at].index = i;
        if (lonely)
            add_part(splitting, at, at + 1);
    }
    if (alone < count && count > 1)
        splitting->partition->split_by_absence[COMPARABILITY_WORLD_SIZE] = true;
    return others;
}

enum status partition_form(const struct record *records, size_t count,
                           const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                           struct partition *partition, struct diag *diag)
{
    struct partition result = {0};
    struct splitting splitting = {
        .items = arena_take_array(arena, count, sizeof *splitting.items),
        .freed = freed,
        .partition = &result,
        .parts = arena_take_array(arena, count, sizeof *splitting.parts),
    };
    result.order = arena_take_array(arena, count, sizeof *result.order);
    result.starts = arena_take_array(arena, count + 1, sizeof *result.starts);
    if (splitting.items == NULL || splitting.parts == NULL || result.order == NULL ||
        result.starts == NULL || !read_texts(records, count, arena, &result))
        return diag_no_memory(diag);
    size_t others = set_apart(&splitting, records, count);
    if (others > 0)
        split(&splitting, 0, others);
    if (result.count > 1)
        qsort(splitting.parts, result.count, sizeof *splitting.parts, compare_parts);
    size_t at = 0;
    for (size_t p = 0; p < result.count; p++) {
        result.starts[p] = at;
        for (size_t i = 0; i < splitting.parts[p].count; i++)
            result.order[at++] = splitting.items[splitting.parts[p].start + i].index;
    }
    result.starts[result.count] = at;
    *partition = result;
    return STATUS_OK;
}
