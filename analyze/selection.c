#include "selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate_times.h"
#include "message_table.h"
#include "selection_ties.h"

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

/* Not measured is worse than any value. */
int selection_compare_key(const struct candidate *a, const struct candidate *b, enum policy_key key)
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
    while (i < policy->ranking_count && selection_compare_key(a, b, policy->ranking[i]) == 0)
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
        return selection_compare_key(a->candidate, b->candidate, a->policy->ranking[key]);
    if (a->candidate->input_order != b->candidate->input_order)
        return a->candidate->input_order < b->candidate->input_order ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

enum status selection_sort(const struct policy *policy, const struct group *group,
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

enum status selection_rank(const struct policy *policy, struct group *group, struct arena *arena,
                           const size_t **order, struct diag *diag)
{
    enum status status = selection_ties_prepare(policy, group, arena, diag);
    return status != STATUS_OK ? status : selection_sort(policy, group, arena, order, diag);
}

/* ---- what the order does not say by itself ---- */

struct remarks {
    const struct policy *policy;
    const struct group *group;
    struct message_list list;
    struct arena *arena;
    struct diag *diag;
    enum status status;
};

static void remark(struct remarks *remarks, const char *id, const struct sentence_value *values,
                   size_t count)
{
    if (remarks->status == STATUS_OK && remarks->list.count < MAX_TIES)
        remarks->status =
            message_table_add(&remarks->list, remarks->arena, id, values, count, remarks->diag);
}

/* What was drawn, in words. */
static const char *sampled(const struct candidate *a, const struct candidate *b)
{
    bool rounds =
        a->times.medians.unit == INTERVAL_ROUND && b->times.medians.unit == INTERVAL_ROUND;
    return rounds ? "by rounds" : "within-run";
}

/* The interval of the throughput of `other` over that of `faster` contains 1. */
static void remark_interval(struct remarks *remarks, const char *id, const struct candidate *faster,
                            const struct candidate *other, const char *metric)
{
    struct interval ratio = candidate_times_ratio(&other->times, &faster->times);
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", faster->label),
        MESSAGE_TEXT("other", other->label),
        MESSAGE_NUMBER("lower", ratio.lower),
        MESSAGE_NUMBER("upper", ratio.upper),
        MESSAGE_NUMBER("one", 1), /* so that a bound close to it is not shown as 1 */
        MESSAGE_TEXT("unit", sampled(faster, other)),
        MESSAGE_TEXT("metric", metric)};
    remark(remarks, id, values, sizeof values / sizeof values[0]);
}

/* The order of two neighbours. */
static void remark_order(struct remarks *remarks, const struct candidate *better,
                         const struct candidate *worse)
{
    const struct policy *policy = remarks->policy;
    size_t key = deciding_key(policy, better, worse);
    if (key == policy->ranking_count) {
        const struct sentence_value values[] = {MESSAGE_TEXT("strategy", better->label),
                                                MESSAGE_TEXT("other", worse->label)};
        remark(remarks, "tie.equal", values, 2);
    } else if (isnan(key_value(worse, policy->ranking[key]))) {
        const struct sentence_value values[] = {
            MESSAGE_TEXT("strategy", worse->label), MESSAGE_TEXT("other", better->label),
            MESSAGE_TEXT("metric", selection_key_name(policy->ranking[key]))};
        remark(remarks, "tie.not_measured", values, 3);
    } else if (policy->ranking[key] == POLICY_BY_THROUGHPUT &&
               candidate_times_tied(&worse->times, &better->times)) {
        remark_interval(remarks, "tie.unresolved", better, worse, "");
    }
}

/* What puts the one before the other where their throughputs count as equal. */
static const char *key_between(const struct policy *policy, size_t after, const struct candidate *a,
                               const struct candidate *b)
{
    for (size_t i = after + 1; i < policy->ranking_count; i++)
        if (selection_compare_key(a, b, policy->ranking[i]) != 0)
            return selection_key_name(policy->ranking[i]);
    return "order of input";
}

/* An eligible candidate beside the fastest one, under statistical ties. */
static void remark_tie(struct remarks *remarks, size_t index)
{
    const struct selection_ties *ties = remarks->group->ties;
    const struct candidate *fastest = &remarks->group->candidates[ties->fastest];
    const struct candidate *other = &remarks->group->candidates[index];
    if (index == ties->fastest)
        return;
    if (ties->tied[index]) {
        remark_interval(remarks, "tie.statistical", fastest, other,
                        key_between(remarks->policy, ties->key, fastest, other));
        return;
    }
    if (isnan(other->metrics.throughput) || !isnan(other->times.ratio.lower))
        return;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", fastest->label), MESSAGE_TEXT("other", other->label),
        MESSAGE_NUMBER("samples", (double)fastest->times.medians.samples),
        MESSAGE_NUMBER("other_samples", (double)other->times.medians.samples),
        MESSAGE_NUMBER("needed", INTERVAL_MIN_SAMPLES)};
    remark(remarks, "tie.no_interval", values, sizeof values / sizeof values[0]);
}

static void remark_all(struct remarks *remarks, const struct selection *selection)
{
    const struct group *group = remarks->group;
    const bool statistical = group->ties != NULL && group->ties->tied_count > 0;
    for (size_t i = 0; i < selection->order_count && statistical; i++)
        remark_tie(remarks, selection->order[i]);
    size_t first = selection->tied_count > 1 ? selection->tied_count : 1;
    for (size_t i = first; i < selection->order_count; i++)
        remark_order(remarks, &group->candidates[selection->order[i - 1]],
                     &group->candidates[selection->order[i]]);
}

bool selection_is_interval_remark(const struct message *message)
{
    static const char *const ids[] = {"tie.no_interval", "tie.statistical", "tie.unresolved"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (strcmp(message->id, ids[i]) == 0)
            return true;
    return false;
}

/* ---- the selection ---- */

static const char *first_key(const struct policy *policy, size_t from)
{
    return from < policy->ranking_count ? selection_key_name(policy->ranking[from])
                                        : "order of input";
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
    if (selection->tied_count > 1)
        return arena_printf(arena,
                            "%s ranks first by %s of %zu whose throughputs are not told apart, of "
                            "%zu that pass every gate",
                            label,
                            key_between(policy, group->ties->key,
                                        &group->candidates[selection->order[0]],
                                        &group->candidates[selection->order[1]]),
                            selection->tied_count, selection->order_count);
    return arena_printf(arena, "%s ranks first by %s of %zu that pass every gate", label,
                        first_key(policy, 0), selection->order_count);
}

/* Every candidate's throughput over that of the fastest eligible one. */
static void set_ratios(struct group *group, struct selection *selection)
{
    const struct selection_ties *ties = group->ties;
    selection->fastest = ties != NULL && ties->tied_count > 0 ? (long)ties->fastest : -1;
    for (size_t i = 0; i < selection->order_count && ties == NULL; i++) {
        double throughput = group->candidates[selection->order[i]].metrics.throughput;
        if (!isnan(throughput) &&
            (selection->fastest < 0 ||
             throughput > group->candidates[selection->fastest].metrics.throughput))
            selection->fastest = (long)selection->order[i];
    }
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct candidate *candidate = &group->candidates[i];
        candidate->times.ratio = (struct interval){NAN, NAN};
        if (selection->fastest >= 0)
            candidate->times.ratio = candidate_times_ratio(
                &candidate->times, &group->candidates[selection->fastest].times);
    }
}

enum status selection_make(const struct policy *policy, struct group *group, const size_t *order,
                           struct arena *arena, struct selection *selection, struct diag *diag)
{
    size_t *eligible = arena_take_array(arena, group->candidate_count, sizeof *eligible);
    if (eligible == NULL)
        return diag_no_memory(diag);
    struct selection result = {.order = eligible, .candidate = -1, .verdict = VERDICT_REJECT};
    order = selection_ties_arrange(policy, group, order);
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct candidate *candidate = &group->candidates[order[i]];
        candidate->rank = 0;
        if (!candidate->eligible)
            continue;
        eligible[result.order_count++] = order[i];
        candidate->rank = result.order_count;
    }
    if (result.order_count > 0) {
        result.candidate = (long)eligible[0];
        result.verdict = VERDICT_ACCEPT;
    }
    result.tied = eligible;
    result.tied_count = group->ties != NULL ? group->ties->tied_count : 0;
    set_ratios(group, &result);
    struct remarks remarks = {.policy = policy, .group = group, .arena = arena, .diag = diag};
    remark_all(&remarks, &result);
    if (remarks.status != STATUS_OK)
        return remarks.status;
    result.ties = remarks.list.items;
    result.tie_count = remarks.list.count;
    result.reason = make_reason(policy, group, &result, arena);
    if (result.reason == NULL)
        return diag_no_memory(diag);
    *selection = result;
    return STATUS_OK;
}
