#include "group_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "candidate_ledger.h"
#include "candidate_times.h"
#include "text.h"

/* A record while it is sorted into candidates. */
struct entry {
    const struct record *record;
    size_t index;
    const char *const *texts; /* its comparability values */
    const bool *freed;
};

/* Numbers by size, other texts bytewise, absent last. */
static int compare_values(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL) - (b == NULL);
    char *a_end = NULL;
    char *b_end = NULL;
    double x = strtod(a, &a_end);
    double y = strtod(b, &b_end);
    if (a_end != a && *a_end == '\0' && b_end != b && *b_end == '\0' && x != y)
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

/* The order of candidates; 0 for records of one candidate. */
static int compare_candidates(const struct entry *a, const struct entry *b)
{
    if (a->record->strategy != b->record->strategy)
        return a->record->strategy < b->record->strategy ? -1 : 1;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        int order = a->freed[field] ? compare_values(a->texts[field], b->texts[field]) : 0;
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int order = compare_candidates(a, b);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* The freed fields in which members of the group differ: only these tell candidates apart. */
static void find_varied(const struct entry *entries, size_t count,
                        bool varied[COMPARABILITY_FIELD_COUNT])
{
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        varied[field] = false;
        for (size_t i = 1; i < count && entries[0].freed[field] && !varied[field]; i++)
            varied[field] = compare_values(entries[0].texts[field], entries[i].texts[field]) != 0;
    }
}

/* "zero2", and the varied fields: "zero2, micro-batch 16". */
static const char *label_of(const struct entry *entry, const bool *varied, struct arena *arena)
{
    struct text_buffer label = {0};
    text_buffer_puts(&label, training_state_row(entry->record->strategy)->name);
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        if (!varied[field])
            continue;
        const char *value = entry->texts[field] == NULL ? "not given" : entry->texts[field];
        text_buffer_printf(&label, ", %s ", comparability_words((enum comparability_field)field));
        text_escape(&label, value, strlen(value));
    }
    const char *copy = label.failed ? NULL : arena_copy(arena, label.text, label.length);
    text_buffer_fini(&label);
    return copy;
}

static struct entry *sorted_entries(const struct group_members *members, struct arena *arena)
{
    struct entry *entries = arena_take_array(arena, members->count, sizeof *entries);
    if (entries == NULL)
        return NULL;
    for (size_t i = 0; i < members->count; i++) {
        size_t index = members->indices[i];
        entries[i] = (struct entry){&members->records[index], index,
                                    members->partition->texts[index], members->freed};
    }
    if (members->count > 1)
        qsort(entries, members->count, sizeof *entries, compare_entries);
    return entries;
}

static enum status form_candidate(const struct entry *entries, size_t count,
                                  const struct policy *policy, struct arena *arena,
                                  struct candidate *candidate, struct diag *diag)
{
    const struct record **records = arena_take_array(arena, count, sizeof *records);
    if (records == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        records[i] = entries[i].record;
    enum status status = repeats_pool(records, count, policy, arena, candidate, diag);
    if (status != STATUS_OK)
        return status;
    candidate->input_order = entries[0].index;
    status = candidate_times_fill(candidate, arena, diag);
    return status != STATUS_OK ? status : candidate_ledger_fill(candidate, arena, diag);
}

enum status group_candidates_form(struct group *group, const struct group_members *members,
                                  const struct policy *policy, struct arena *arena,
                                  struct diag *diag)
{
    struct entry *entries = sorted_entries(members, arena);
    group->candidates = arena_take_array(arena, members->count, sizeof *group->candidates);
    if (entries == NULL || group->candidates == NULL)
        return diag_no_memory(diag);
    bool *varied = arena_take_array(arena, COMPARABILITY_FIELD_COUNT, sizeof *varied);
    if (varied == NULL)
        return diag_no_memory(diag);
    find_varied(entries, members->count, varied);
    group->varied = varied;
    size_t from = 0;
    while (from < members->count) {
        size_t to = from + 1;
        while (to < members->count && compare_candidates(&entries[from], &entries[to]) == 0)
            to++;
        struct candidate *candidate = &group->candidates[group->candidate_count];
        enum status status =
            form_candidate(entries + from, to - from, policy, arena, candidate, diag);
        if (status != STATUS_OK)
            return status;
        candidate->label = label_of(&entries[from], varied, arena);
        if (candidate->label == NULL)
            return diag_no_memory(diag);
        group->candidate_count++;
        from = to;
    }
    return STATUS_OK;
}
