#include "evidence_key.h"

#include <string.h>

enum status evidence_key_read(const struct json_read_document *json, uint32_t node,
                              struct arena *arena, const char *const **key, struct diag *diag)
{
    struct record record;
    *key = NULL;
    if (!json_read_is(json, node, JSON_READ_OBJECT))
        return STATUS_OK;
    enum status status = record_read_refused(json, node, arena, &record, diag);
    if (status != STATUS_OK)
        return status;
    const char **texts = arena_take_array(arena, COMPARABILITY_FIELD_COUNT, sizeof *texts);
    if (texts == NULL)
        return diag_no_memory(diag);
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        if (!comparability_text(&record, (enum comparability_field)field, arena, &texts[field]))
            return diag_no_memory(diag);
    if (texts[COMPARABILITY_WORLD_SIZE] != NULL)
        *key = texts;
    return STATUS_OK;
}

bool evidence_key_agrees(const char *const *key, const char *const *other, const bool *freed)
{
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        if (!freed[field] && key[field] != NULL && other[field] != NULL &&
            strcmp(key[field], other[field]) != 0)
            return false;
    return true;
}
