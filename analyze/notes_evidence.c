#include "notes_evidence.h"

#include <string.h>

static bool has_level(const struct candidate *candidate, const char *level)
{
    return candidate->level_name != NULL && strcmp(candidate->level_name, level) == 0;
}

static enum status note_level(const struct notes_context *context)
{
    const struct group *group = context->group;
    size_t count = 0;
    if (group->level_name == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < group->candidate_count; i++)
        count += has_level(&group->candidates[i], group->level_name);
    const struct sentence_value values[] = {
        MESSAGE_TEXT("level", group->level_name), MESSAGE_NUMBER("count", (double)count),
        MESSAGE_NUMBER("candidate_count", (double)group->candidate_count)};
    return notes_context_add(context, "note.evidence_level", values, 3);
}

/* What carries over to GPUs follows from the schedule; nothing else does. */
static enum status note_cpu(const struct notes_context *context)
{
    static const char level[] = "cpu_multi_process";
    const struct group *group = context->group;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (has_level(&group->candidates[i], level) && group->candidates[i].own_collector)
            return notes_context_add(context, "note.level_cpu_multi_process", NULL, 0);
    return STATUS_OK;
}

static const char *injected_fault(const struct candidate *candidate)
{
    for (size_t i = 0; i < candidate->record_count; i++)
        if (candidate->records[i]->injected != NULL)
            return candidate->records[i]->injected;
    return NULL;
}

static enum status note_injected(const struct notes_context *context)
{
    const struct group *group = context->group;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < group->candidate_count && status == STATUS_OK; i++) {
        const char *fault = injected_fault(&group->candidates[i]);
        if (fault == NULL)
            continue;
        const struct sentence_value values[] = {
            MESSAGE_TEXT("strategy", group->candidates[i].label), MESSAGE_TEXT("fault", fault)};
        status = notes_context_add(context, "note.injected", values, 2);
    }
    return status;
}

enum status notes_evidence_add(const struct notes_context *context)
{
    enum status status = note_level(context);
    if (status == STATUS_OK)
        status = note_cpu(context);
    if (status == STATUS_OK)
        status = note_injected(context);
    return status;
}
