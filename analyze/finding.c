#include "finding.h"

#include <string.h>

bool finding_add(struct finding_list *list, struct arena *arena, const struct finding *finding)
{
    struct finding *items =
        arena_room(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
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
