#include "selection.h"

#include <math.h>
#include <stdlib.h>

#include "message_table.h"

/* A report needs the first few; with hundreds of equal candidates the rest says nothing new. */
#define MAX_TIES 20

const char *selection_key_name(enum policy_key key)
{
    static const char *const names[] = {
        [POLICY_BY_THROUGHPUT] = "throughput",
        [POLICY_BY_COMMUNICATION] = "communication_ratio",
        [POLICY_BY_PEAK] = "peak_memory_mb",
    };
    return names[key];
}

/* The value of a key, negated where larger is better, so that smaller is always better. */
static double key_value(const struct candidate *candidate, enum policy_key key)
{
    if (key == POLICY_BY_THROUGHPUT)
        return -candidate->metrics.throughput;
    return key == POLICY_BY_COMMUNICATION ? candidate->metrics.communication_ratio
                                          : candidate->peak_mb;
}

/* Below 0: a is better in this key. Not measured is worse than any value. */
static int compare_key(const struct candidate *a, const struct candidate *b, enum policy_key key)
{
    double left = key_value(a, key);
    double right = key_value(b, key);
    if (isnan(left) || isnan(right))
        return (isnan(left) ? 1 : 0) - (isnan(right) ? 1 : 0);
    return (left > right) - (left < right);
}

/* The first key in which a and b differ; ranking_count if in none. */
static size_t deciding_key(const struct policy *policy, const struct candidate *a,
                           const struct candidate *b)
{
    size_t i = 0;
    while (i < policy->ranking_count && compare_key(a, b, policy->ranking[i]) == 0)
        i++;
    return i;
}

struct entry { /* qsort passes no context, so that each entry carries it */
    const struct policy *policy;
    const struct candidate *candidate;
    size_t index;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    size_t key = deciding_key(a->policy, a->candidate, b->candidate);
    if (key < a->policy->ranking_count)
        return compare_key(a->candidate, b->candidate, a->policy->ranking[key]);
    if (a->candidate->input_order != b->candidate->input_order)
        return a->candidate->input_order < b->candidate->input_order ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

enum status selection_rank(const struct policy *policy, const struct group *group,
                           struct arena *arena, const size_t **order, struct diag *diag)
{
    size_t count = group->candidate_count;
    size_t *result = arena_take_array(arena, count, sizeof *result);
    struct entry *entries = malloc((count + 1) * sizeof *entries);
    enum status status = STATUS_OK;
    if (result == NULL || entries == NULL) {
        status = diag_no_memory(diag);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){policy, &group->candidates[i], i};
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++)
        result[i] = entries[i].index;
    *order = result;
cleanup:
    free(entries);
    return status;
}

/* What the order of two neighbours does not say by itself. */
static enum status add_tie(const struct policy *policy, const struct candidate *better,
                           const struct candidate *worse, struct message_list *ties,
                           struct arena *arena, struct diag *diag)
{
    size_t key = deciding_key(policy, better, worse);
    if (key == policy->ranking_count) {
        const struct sentence_value values[] = {MESSAGE_TEXT("strategy", better->label),
                                                MESSAGE_TEXT("other", worse->label)};
        return message_table_add(ties, arena, "tie.equal", values, 2, diag);
    }
    if (!isnan(key_value(worse, policy->ranking[key])))
        return STATUS_OK;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", worse->label), MESSAGE_TEXT("other", better->label),
        MESSAGE_TEXT("metric", selection_key_name(policy->ranking[key]))};
    return message_table_add(ties, arena, "tie.not_measured", values, 3, diag);
}

static const char *make_reason(const struct policy *policy, const struct group *group,
                               const struct selection *selection, struct arena *arena)
{
    if (selection->candidate < 0)
        return arena_printf(arena, "none of %zu candidate%s passes every gate",
                            group->candidate_count, group->candidate_count == 1 ? "" : "s");
    const char *label = group->candidates[selection->candidate].label;
    if (selection->order_count == 1)
        return arena_printf(arena, "%s is the only one of %zu that passes every gate", label,
                            group->candidate_count);
    return arena_printf(arena, "%s ranks first by %s of %zu that pass every gate", label,
                        policy->ranking_count > 0 ? selection_key_name(policy->ranking[0])
                                                  : "order of input",
                        selection->order_count);
}

enum status selection_make(const struct policy *policy, struct group *group, const size_t *order,
                           struct arena *arena, struct selection *selection, struct diag *diag)
{
    size_t *eligible = arena_take_array(arena, group->candidate_count, sizeof *eligible);
    if (eligible == NULL)
        return diag_no_memory(diag);
    struct selection result = {.order = eligible, .candidate = -1, .verdict = VERDICT_REJECT};
    struct message_list ties = {0};
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct candidate *candidate = &group->candidates[order[i]];
        candidate->rank = 0;
        if (!candidate->eligible)
            continue;
        if (result.order_count > 0 && ties.count < MAX_TIES) {
            const struct candidate *better = &group->candidates[eligible[result.order_count - 1]];
            enum status status = add_tie(policy, better, candidate, &ties, arena, diag);
            if (status != STATUS_OK)
                return status;
        }
        eligible[result.order_count++] = order[i];
        candidate->rank = result.order_count;
    }
    if (result.order_count > 0) {
        result.candidate = (long)eligible[0];
        result.verdict = VERDICT_ACCEPT;
    }
    result.ties = ties.items;
    result.tie_count = ties.count;
    result.reason = make_reason(policy, group, &result, arena);
    if (result.reason == NULL)
        return diag_no_memory(diag);
    *selection = result;
    return STATUS_OK;
}
