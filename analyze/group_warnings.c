#include "group_warnings.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "normalise.h"
#include "text.h"

struct warning_context {
    const struct group_members *members;
    struct arena *arena;
    struct message_list list;
};

static const struct record *member(const struct group_members *members, size_t i)
{
    return &members->records[members->indices[i]];
}

/* An escaped copy; NULL: memory exhausted. */
static const char *safe(struct arena *arena, const char *text)
{
    struct text_buffer buffer = {0};
    text_escape(&buffer, text, strlen(text));
    const char *copy = buffer.failed ? NULL : arena_copy(arena, buffer.text, buffer.length);
    text_buffer_fini(&buffer);
    return copy;
}

/* ---- given in some records, not in others ---- */

static bool warn_absent(struct warning_context *context, const char *field, size_t giver,
                        size_t lacker)
{
    const struct group_members *members = context->members;
    const char *with = safe(context->arena, member(members, giver)->path);
    const char *without = safe(context->arena, member(members, lacker)->path);
    struct message *warning = message_list_add(&context->list, context->arena);
    return warning != NULL && with != NULL && without != NULL &&
           message_set(warning, context->arena, "field_absent",
                       "%s is given in %s and not in %s: taken as equal", field, with, without) &&
           message_add_text(warning, context->arena, "field", field) &&
           message_add_text(warning, context->arena, "given_in", with) &&
           message_add_text(warning, context->arena, "absent_in", without);
}

static bool check_absent(struct warning_context *context)
{
    const struct group_members *members = context->members;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        size_t giver = members->count;
        size_t lacker = members->count;
        if (members->freed[field] || field == COMPARABILITY_THROUGHPUT_UNIT)
            continue; /* no throughput: the gate says so */
        for (size_t i = members->count; i-- > 0;) {
            bool given = members->partition->texts[members->indices[i]][field] != NULL;
            *(given ? &giver : &lacker) = i;
        }
        if (giver < members->count && lacker < members->count &&
            !warn_absent(context, comparability_name((enum comparability_field)field), giver,
                         lacker))
            return false;
    }
    return true;
}

/* ---- given in both, and different ---- */

static bool warn_differs(struct warning_context *context, const char *id, const char *what,
                         const char *const values[2], const char *const names[2])
{
    struct message *warning = message_list_add(&context->list, context->arena);
    const char *texts[4] = {safe(context->arena, values[0]), safe(context->arena, values[1]),
                            safe(context->arena, names[0]), safe(context->arena, names[1])};
    for (size_t i = 0; i < 4; i++)
        if (texts[i] == NULL)
            return false;
    return warning != NULL &&
           message_set(warning, context->arena, id, "%s differs: %s in %s, %s in %s", what,
                       texts[0], texts[2], texts[1], texts[3]) &&
           message_add_text(warning, context->arena, "value_a", texts[0]) &&
           message_add_text(warning, context->arena, "value_b", texts[1]) &&
           message_add_text(warning, context->arena, "source_a", texts[2]) &&
           message_add_text(warning, context->arena, "source_b", texts[3]);
}

typedef const char *value_text(struct warning_context *context, const struct record *record,
                               bool *failed);

static const char *number_text(struct warning_context *context, double value, bool *failed)
{
    char digits[64];
    if (isnan(value))
        return NULL;
    text_number_exact(digits, sizeof digits, value);
    const char *text = arena_copy(context->arena, digits, strlen(digits));
    *failed = *failed || text == NULL;
    return text;
}

static const char *warmup_text(struct warning_context *context, const struct record *record,
                               bool *failed)
{
    return number_text(context, record->workload.warmup, failed);
}

static const char *repeats_text(struct warning_context *context, const struct record *record,
                                bool *failed)
{
    return number_text(context, record->workload.repeats, failed);
}

/* The program's version stands in `run`, under one of these names. */
static const char *version_text(struct warning_context *context, const struct record *record,
                                bool *failed)
{
    static const char *const names[] = {"program_version", "version"};
    struct normalise look = {.json = record->json, .arena = context->arena};
    uint32_t run = json_read_member(record->json, record->node, "run");
    const char *text = NULL;
    for (size_t i = 0; text == NULL && i < sizeof names / sizeof names[0]; i++)
        text = normalise_text(&look, run, names[i]);
    *failed = *failed || look.failed;
    return text;
}

/* As many devices on more hosts: what connects them is another network. */
static const char *hosts_text(struct warning_context *context, const struct record *record,
                              bool *failed)
{
    struct normalise look = {.json = record->json, .arena = context->arena};
    uint32_t hardware = json_read_member(record->json, record->node, "hardware");
    return number_text(context, normalise_number(&look, hardware, "hosts"), failed);
}

static bool check_differs(struct warning_context *context)
{
    static const struct {
        const char *id, *what;
        value_text *text;
    } rows[] = {
        {"warmup_differs", "warm-up", warmup_text},
        {"repeats_differs", "the number of measured steps", repeats_text},
        {"version_differs", "the program's version", version_text},
        {"hosts_differ", "the number of hosts", hosts_text},
    };
    const struct group_members *members = context->members;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        const char *values[2] = {NULL, NULL};
        const char *names[2] = {NULL, NULL};
        bool failed = false;
        for (size_t i = 0; values[1] == NULL && i < members->count; i++) {
            const struct record *record = member(members, i);
            const char *value = rows[row].text(context, record, &failed);
            if (failed)
                return false;
            if (value == NULL || (values[0] != NULL && strcmp(values[0], value) == 0))
                continue;
            size_t at = values[0] == NULL ? 0 : 1;
            values[at] = value;
            names[at] = record->path;
        }
        if (values[1] != NULL &&
            !warn_differs(context, rows[row].id, rows[row].what, values, names))
            return false;
    }
    return true;
}

static bool check_memory_kinds(struct warning_context *context, const struct group *group)
{
    const struct candidate *first = NULL;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *candidate = &group->candidates[i];
        if (candidate->memory_kind < 0)
            continue;
        if (first == NULL)
            first = candidate;
        if (candidate->memory_kind == first->memory_kind)
            continue;
        const char *values[2] = {memory_kind_name((enum memory_kind)first->memory_kind),
                                 memory_kind_name((enum memory_kind)candidate->memory_kind)};
        const char *names[2] = {first->label, candidate->label};
        return warn_differs(context, "memory_kind_differs", "the kind of the peak", values, names);
    }
    return true;
}

enum status group_warnings_add(struct group *group, const struct group_members *members,
                               struct arena *arena, struct diag *diag)
{
    struct warning_context context = {.members = members, .arena = arena};
    if (!check_absent(&context) || !check_differs(&context) || !check_memory_kinds(&context, group))
        return diag_no_memory(diag);
    group->warnings = context.list.items;
    group->warning_count = context.list.count;
    return STATUS_OK;
}
