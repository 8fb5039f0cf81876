#include "group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group_candidates.h"
#include "group_difference.h"
#include "group_label.h"
#include "group_warnings.h"
#include "text.h"

/* ---- what the records of a group share ---- */

static size_t fields_given(const struct partition *partition, size_t record)
{
    size_t given = 0;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        given += partition->texts[record][field] != NULL;
    return given;
}

/* A run that succeeded before one that failed, then the one that says most, then the first. */
static size_t most_complete(const struct group_members *members)
{
    size_t best = members->indices[0];
    for (size_t i = 1; i < members->count; i++) {
        size_t at = members->indices[i];
        bool failed = members->records[at].failure.failed;
        bool best_failed = members->records[best].failure.failed;
        if (failed != best_failed
                ? best_failed
                : fields_given(members->partition, at) > fields_given(members->partition, best))
            best = at;
    }
    return best;
}

/* Removes from the shared values what differs: only varied fields can. */
static void remove_field(struct record *shared, int field)
{
    struct workload *workload = &shared->workload;
    double *const numbers[COMPARABILITY_FIELD_COUNT] = {
        [COMPARABILITY_WORLD_SIZE] = &workload->world_size,
        [COMPARABILITY_GLOBAL_BATCH] = &workload->global_batch,
        [COMPARABILITY_MICRO_BATCH] = &workload->micro_batch,
        [COMPARABILITY_GRADIENT_ACCUMULATION] = &workload->gradient_accumulation,
        [COMPARABILITY_SEQ_LEN] = &workload->seq_len,
        [COMPARABILITY_PARAMETERS] = &workload->parameters,
        [COMPARABILITY_WIDTH] = &workload->width,
        [COMPARABILITY_LAYERS] = &workload->layers,
        [COMPARABILITY_HEADS] = &workload->heads,
        [COMPARABILITY_VOCAB] = &workload->vocab,
        [COMPARABILITY_STATE_BYTES] = &workload->state_bytes_sum,
        [COMPARABILITY_DEVICE_COUNT] = &shared->hardware.device_count,
    };
    const char **const texts[COMPARABILITY_FIELD_COUNT] = {
        [COMPARABILITY_MODEL] = &workload->model,
        [COMPARABILITY_DTYPE] = &workload->dtype,
        [COMPARABILITY_OPTIMIZER] = &workload->optimizer,
        [COMPARABILITY_DEVICE] = &shared->hardware.device,
    };
    if (numbers[field] != NULL)
        *numbers[field] = NAN;
    if (texts[field] != NULL)
        *texts[field] = NULL;
    if (field == COMPARABILITY_STATE_BYTES)
        workload->state_bytes = (struct training_state_bytes){NAN, NAN, NAN};
    if (field == COMPARABILITY_ACTIVATION_CHECKPOINTING)
        workload->activation_checkpointing = -1;
}

static bool differs_among(const struct group_members *members, int field)
{
    const char *seen = NULL;
    for (size_t i = 0; i < members->count; i++) {
        const char *value = members->partition->texts[members->indices[i]][field];
        if (value == NULL)
            continue;
        if (seen != NULL && strcmp(seen, value) != 0)
            return true;
        seen = value;
    }
    return false;
}

static const struct record *shared_values(const struct group_members *members, struct arena *arena)
{
    struct record *shared = arena_take(arena, sizeof *shared);
    if (shared == NULL)
        return NULL;
    *shared = members->records[most_complete(members)];
    for (size_t i = 0; i < members->count; i++) {
        const struct record *record = &members->records[members->indices[i]];
        repeats_complete_workload(&shared->workload, &record->workload);
        if (shared->hardware.device == NULL)
            shared->hardware.device = record->hardware.device;
        if (isnan(shared->hardware.device_count))
            shared->hardware.device_count = record->hardware.device_count;
    }
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        if (members->freed[field] && differs_among(members, field))
            remove_field(shared, field);
    return shared;
}

/* ---- forming ---- */

static void set_level(struct group *group, const struct group_members *members)
{
    const struct record *weakest = &members->records[members->indices[0]];
    for (size_t i = 1; i < members->count; i++) {
        const struct record *record = &members->records[members->indices[i]];
        if (evidence_level_rank(record->level) < evidence_level_rank(weakest->level))
            weakest = record;
    }
    group->level_name = weakest->level_name;
    group->level_rank = evidence_level_rank(weakest->level);
    group->times_count = record_times_count(weakest);
}

/* What is formed of which records. */
struct forming {
    const struct evidence_set *set;
    const struct policy *policy;
    struct arena *arena;
    bool freed[COMPARABILITY_FIELD_COUNT];
    struct partition partition;
    bool outline; /* no candidates and no warnings */
};

static enum status form_group(const struct forming *forming, struct group *group, struct diag *diag)
{
    const struct partition *partition = &forming->partition;
    size_t g = group->index;
    struct group_members members = {
        .records = forming->set->records,
        .indices = partition->order + partition->starts[g],
        .count = partition->starts[g + 1] - partition->starts[g],
        .partition = partition,
        .freed = forming->freed,
    };
    set_level(group, &members);
    group->first = shared_values(&members, forming->arena);
    if (group->first == NULL)
        return diag_no_memory(diag);
    if (forming->outline)
        return STATUS_OK;
    enum status status =
        group_candidates_form(group, &members, forming->policy, forming->arena, diag);
    if (status != STATUS_OK)
        return status;
    return group_warnings_add(group, &members, forming->arena, diag);
}

static enum status form_groups(struct forming *forming, struct group_list *groups,
                               struct diag *diag)
{
    const struct evidence_set *set = forming->set;
    struct partition *partition = &forming->partition;
    struct group_list result = {0};
    enum status status = STATUS_OK;
    comparability_freed(forming->policy, forming->freed);
    if (set->record_count > 0)
        status = partition_form(set->records, set->record_count, forming->freed, forming->arena,
                                partition, diag);
    if (status != STATUS_OK)
        return status;
    result.count = partition->count;
    result.items = arena_take_array(forming->arena, result.count + 1, sizeof *result.items);
    if (result.items == NULL)
        return diag_no_memory(diag);
    if (group_difference_find(partition, set->records, forming->freed, forming->arena,
                              &result.difference) >= 0 &&
        (result.difference.value_a == NULL || result.difference.value_b == NULL))
        return diag_no_memory(diag);
    for (size_t g = 0; g < result.count && status == STATUS_OK; g++) {
        result.items[g].index = g;
        status = form_group(forming, &result.items[g], diag);
    }
    if (status == STATUS_OK)
        status = group_label_all(&result, partition, forming->freed, forming->arena, diag);
    if (status == STATUS_OK)
        *groups = result;
    return status;
}

enum status group_form(const struct evidence_set *set, const struct policy *policy,
                       struct arena *arena, struct group_list *groups, struct diag *diag)
{
    struct forming forming = {.set = set, .policy = policy, .arena = arena};
    return form_groups(&forming, groups, diag);
}

enum status group_outline(const struct evidence_set *set, const struct policy *policy,
                          struct arena *arena, struct group_list *groups,
                          struct partition *partition, struct diag *diag)
{
    struct forming forming = {.set = set, .policy = policy, .arena = arena, .outline = true};
    enum status status = form_groups(&forming, groups, diag);
    if (status == STATUS_OK)
        *partition = forming.partition;
    return status;
}

/* ---- look-ups ---- */

const char *const *group_fields(size_t *count)
{
    *count = COMPARABILITY_FIELD_COUNT;
    return comparability_names();
}

const char *group_field_text(const struct record *record, const char *field, struct arena *arena)
{
    enum comparability_field found;
    const char *text = NULL;
    if (!comparability_find(field, &found) || !comparability_text(record, found, arena, &text) ||
        text == NULL)
        return NULL;
    return group_difference_shown(text, arena);
}

static bool value_matches(const char *text, const char *printed, const char *wanted)
{
    if (strcmp(text, wanted) == 0 || strcmp(printed, wanted) == 0)
        return true;
    char *text_end = NULL;
    char *wanted_end = NULL;
    double a = strtod(text, &text_end);
    double b = strtod(wanted, &wanted_end);
    return text_end != text && *text_end == '\0' && wanted_end != wanted && *wanted_end == '\0' &&
           a == b;
}

static enum status refuse_key(const struct group_filter *filter, struct diag *diag)
{
    struct text_buffer known = {0};
    char key[128];
    size_t count = 0;
    const char *const *names = group_fields(&count);
    for (size_t i = 0; i < count; i++)
        text_buffer_printf(&known, "%s%s", i == 0 ? "" : ", ", names[i]);
    enum status status =
        known.failed ? diag_no_memory(diag)
                     : diag_set(diag, STATUS_USAGE, "--group: \"%s\" is not one of %s",
                                text_escape_into(key, sizeof key, filter->key, strlen(filter->key)),
                                known.text);
    text_buffer_fini(&known);
    return status;
}

static bool record_matches(const struct record *record, enum comparability_field field,
                           const char *wanted, struct arena *arena, bool *failed)
{
    const char *text = NULL;
    if (!comparability_text(record, field, arena, &text)) {
        *failed = true;
        return false;
    }
    if (text == NULL)
        return false;
    const char *printed = group_difference_shown(text, arena);
    *failed = *failed || printed == NULL;
    return printed != NULL && value_matches(text, printed, wanted);
}

enum status group_matches(const struct group *group, const struct group_filter *filter,
                          bool *matches, struct diag *diag)
{
    enum comparability_field field;
    struct arena arena = {0};
    bool failed = false;
    if (!comparability_find(filter->key, &field))
        return refuse_key(filter, diag);
    bool found = false;
    for (size_t c = 0; !found && c < group->candidate_count; c++) {
        const struct candidate *candidate = &group->candidates[c];
        for (size_t r = 0; !found && !failed && r < candidate->record_count; r++)
            found = record_matches(candidate->records[r], field, filter->value, &arena, &failed);
    }
    arena_fini(&arena);
    if (failed)
        return diag_no_memory(diag);
    *matches = found;
    return STATUS_OK;
}
