#include "finding.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct finding_list *list, struct arena *arena)
{
    size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
    struct finding *items = arena_take_array(arena, capacity, sizeof *items);
    if (items == NULL)
        return false;
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
    return true;
}

bool finding_add(struct finding_list *list, struct arena *arena, const struct finding *finding)
{
    if (list->count == list->capacity && !grow(list, arena))
        return false;
    struct finding copy = *finding;
    copy.pointer = arena_copy(arena, finding->pointer, strlen(finding->pointer));
    copy.message = arena_copy(arena, finding->message, strlen(finding->message));
    if (copy.pointer == NULL || copy.message == NULL)
        return false;
    list->items[list->count++] = copy;
    if (finding->severity == FINDING_ERROR)
        list->errors++;
    else
        list->warnings++;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct finding *a = left;
    const struct finding *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->severity != b->severity)
        return a->severity == FINDING_ERROR ? -1 : 1;
    int order = strcmp(a->rule, b->rule);
    return order != 0 ? order : strcmp(a->message, b->message);
}

void finding_sort(struct finding_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof list->items[0], compare);
}
