#ifndef RANKLEDGER_NOTES_CONTEXT_H
#define RANKLEDGER_NOTES_CONTEXT_H

#include "group.h"
#include "message_table.h"

/* Of which group notes are taken, and where they go; nothing is owned. */
struct notes_context {
    const struct group *group;
    struct arena *arena;
    struct message_list *notes;
    struct diag *diag;
};

/* Adds the note `id` (message_table.h) with its values. */
static inline enum status notes_context_add(const struct notes_context *context, const char *id,
                                            const struct sentence_value *values, size_t count)
{
    return message_table_add(context->notes, context->arena, id, values, count, context->diag);
}

#endif
