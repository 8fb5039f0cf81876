#include "path_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static enum status add_entry(void *context, const struct path_entry *entry, struct diag *diag)
{
    struct path_list *list = context;
    if (entry->directory_link) {
        list->directory_links++;
        return STATUS_OK;
    }
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        struct path_entry *entries = capacity > SIZE_MAX / sizeof *entries
                                         ? NULL
                                         : realloc(list->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return diag_no_memory(diag);
        list->entries = entries;
        list->capacity = capacity;
    }
    struct path_entry *added = &list->entries[list->count];
    *added = *entry;
    added->folder = NULL; /* so many cannot stay open */
    added->path = arena_copy(&list->arena, entry->path, strlen(entry->path));
    if (added->path == NULL)
        return diag_no_memory(diag);
    list->count++;
    return STATUS_OK;
}

enum status path_list_add(struct path_list *list, const char *operand, struct diag *diag)
{
    return path_walk_operand(operand, add_entry, list, diag);
}

enum status path_list_add_from(struct path_list *list, const char *path, bool nul_separated,
                               struct diag *diag)
{
    return path_walk_list(path, nul_separated, add_entry, list, diag);
}

void path_list_fini(struct path_list *list)
{
    if (list == NULL)
        return;
    free(list->entries);
    arena_fini(&list->arena);
    *list = (struct path_list){0};
}
