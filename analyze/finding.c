#include "finding.h"

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
