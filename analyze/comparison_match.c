#include <math.h>
#include <string.h>

#include "comparison_parts.h"

/* ---- groups ---- */

/* Fields that a policy of either side frees may differ. */
static void find_freed(const struct comparison *comparison, bool freed[COMPARABILITY_FIELD_COUNT])
{
    bool other[COMPARABILITY_FIELD_COUNT];
    comparability_freed(&comparison->base.policy, freed);
    comparability_freed(&comparison->now.policy, other);
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        freed[field] = freed[field] || other[field];
}

struct likeness {
    size_t differing; /* fields that both give, and give otherwise */
    size_t absent;    /* fields that one alone gives */
    int first;        /* the first of the differing; -1 */
};

static struct likeness likeness_of(const struct comparison_members *a,
                                   const struct comparison_members *b,
                                   const bool freed[COMPARABILITY_FIELD_COUNT])
{
    struct likeness likeness = {.first = -1};
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        if (freed[field] || (a->key[field] == NULL && b->key[field] == NULL))
            continue;
        if (a->key[field] == NULL || b->key[field] == NULL) {
            likeness.absent++;
            continue;
        }
        if (strcmp(a->key[field], b->key[field]) == 0)
            continue;
        likeness.differing++;
        if (likeness.first < 0)
            likeness.first = field;
    }
    return likeness;
}

struct matcher {
    struct comparison *comparison;
    bool freed[COMPARABILITY_FIELD_COUNT];
    long *partner; /* of each group of BASE, in NEW; -1 */
    bool *taken;   /* of each group of NEW */
};

/* Pairs groups that differ in nothing and lack at most `absent` fields of each other. */
static void pair_groups(struct matcher *matcher, size_t absent)
{
    const struct comparison_side *base = &matcher->comparison->base;
    const struct comparison_side *now = &matcher->comparison->now;
    for (size_t b = 0; b < base->group_count; b++) {
        for (size_t n = 0; n < now->group_count && matcher->partner[b] < 0; n++) {
            if (matcher->taken[n])
                continue;
            struct likeness likeness =
                likeness_of(&base->groups[b], &now->groups[n], matcher->freed);
            if (likeness.differing > 0 || likeness.absent > absent)
                continue;
            matcher->partner[b] = (long)n;
            matcher->taken[n] = true;
        }
    }
}

/* Says where a group without a partner differs from the most alike one of the other side. */
static struct comparison_unmatched explain_unmatched(const struct matcher *matcher,
                                                     const struct comparison_members *group,
                                                     const struct comparison_side *others)
{
    struct comparison_unmatched unmatched = {.group = group};
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < others->group_count; i++) {
        const struct comparison_members *other = &others->groups[i];
        struct likeness likeness = likeness_of(group, other, matcher->freed);
        if (likeness.first < 0 || likeness.differing >= fewest)
            continue;
        fewest = likeness.differing;
        unmatched.field = comparability_name((enum comparability_field)likeness.first);
        unmatched.value = group->key[likeness.first];
        unmatched.other = other->key[likeness.first];
    }
    return unmatched;
}

/* ---- strategies ---- */

/* The same strategy at the same values of the fields that may vary inside a group. */
static bool same_setting(const struct comparison_candidate *a, const struct comparison_candidate *b)
{
    if (strcmp(a->strategy, b->strategy) != 0)
        return false;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        if (a->workload[field] != b->workload[field] && !isnan(a->workload[field]) &&
            !isnan(b->workload[field]))
            return false;
    return true;
}

/* That of the same label, else the first of the same setting, that has no partner yet. */
static long find_partner(const struct comparison_candidate *candidate,
                         const struct comparison_members *group, const bool *taken)
{
    long found = -1;
    for (size_t i = 0; i < group->candidate_count; i++) {
        if (taken[i] || !same_setting(candidate, &group->candidates[i]))
            continue;
        if (strcmp(candidate->label, group->candidates[i].label) == 0)
            return (long)i;
        if (found < 0)
            found = (long)i;
    }
    return found;
}

static enum status match_strategies(struct comparison *comparison, struct comparison_pair *pair,
                                    struct diag *diag)
{
    const struct comparison_members *base = pair->base;
    const struct comparison_members *now = pair->now;
    struct arena *arena = &comparison->arena;
    bool *taken = arena_take_array(arena, now->candidate_count + 1, sizeof *taken);
    pair->strategies = arena_take_array(arena, base->candidate_count + now->candidate_count + 1,
                                        sizeof *pair->strategies);
    if (taken == NULL || pair->strategies == NULL)
        return diag_no_memory(diag);
    for (size_t b = 0; b < base->candidate_count; b++) {
        struct comparison_strategy *row = &pair->strategies[pair->strategy_count++];
        long partner = find_partner(&base->candidates[b], now, taken);
        row->base = &base->candidates[b];
        row->label = row->base->label;
        if (partner < 0)
            continue;
        taken[partner] = true;
        row->now = &now->candidates[partner];
        comparison->compared++;
        comparison_parts_values(&comparison->settings, row);
    }
    for (size_t n = 0; n < now->candidate_count; n++)
        if (!taken[n])
            pair->strategies[pair->strategy_count++] = (struct comparison_strategy){
                .label = now->candidates[n].label, .now = &now->candidates[n]};
    return STATUS_OK;
}

/* ---- policies ---- */

static const char *policy_value(const struct comparison_side *side, const char *field)
{
    for (size_t i = 0; i < side->policy_count; i++)
        if (strcmp(side->policy_fields[i], field) == 0)
            return side->policy_values[i];
    return "null";
}

static bool has_field(const struct comparison_side *side, const char *field)
{
    for (size_t i = 0; i < side->policy_count; i++)
        if (strcmp(side->policy_fields[i], field) == 0)
            return true;
    return false;
}

static void compare_field(struct comparison *comparison, const char *field)
{
    const char *base = policy_value(&comparison->base, field);
    const char *now = policy_value(&comparison->now, field);
    if (strcmp(base, now) != 0)
        comparison->policy[comparison->policy_count++] =
            (struct comparison_policy_difference){field, base, now};
}

static enum status compare_policies(struct comparison *comparison, struct diag *diag)
{
    const struct comparison_side *base = &comparison->base;
    const struct comparison_side *now = &comparison->now;
    comparison->policy = arena_take_array(
        &comparison->arena, base->policy_count + now->policy_count, sizeof *comparison->policy);
    if (comparison->policy == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < base->policy_count; i++)
        compare_field(comparison, base->policy_fields[i]);
    for (size_t i = 0; i < now->policy_count; i++)
        if (!has_field(base, now->policy_fields[i]))
            compare_field(comparison, now->policy_fields[i]);
    return STATUS_OK;
}

/* ---- all ---- */

static enum status take_lists(struct matcher *matcher, struct diag *diag)
{
    struct comparison *comparison = matcher->comparison;
    struct arena *arena = &comparison->arena;
    size_t base = comparison->base.group_count;
    size_t now = comparison->now.group_count;
    matcher->partner = arena_take_array(arena, base, sizeof *matcher->partner);
    matcher->taken = arena_take_array(arena, now, sizeof *matcher->taken);
    comparison->pairs = arena_take_array(arena, base, sizeof *comparison->pairs);
    comparison->missing = arena_take_array(arena, base, sizeof *comparison->missing);
    comparison->added = arena_take_array(arena, now, sizeof *comparison->added);
    if (matcher->partner == NULL || matcher->taken == NULL || comparison->pairs == NULL ||
        comparison->missing == NULL || comparison->added == NULL)
        return diag_no_memory(diag);
    for (size_t b = 0; b < base; b++)
        matcher->partner[b] = -1;
    return STATUS_OK;
}

enum status comparison_parts_match(struct comparison *comparison, struct diag *diag)
{
    struct matcher matcher = {.comparison = comparison};
    const struct comparison_side *base = &comparison->base;
    const struct comparison_side *now = &comparison->now;
    enum status status = take_lists(&matcher, diag);
    if (status != STATUS_OK)
        return status;
    find_freed(comparison, matcher.freed);
    pair_groups(&matcher, 0);
    pair_groups(&matcher, COMPARABILITY_FIELD_COUNT);
    for (size_t b = 0; b < base->group_count && status == STATUS_OK; b++) {
        if (matcher.partner[b] < 0) {
            comparison->missing[comparison->missing_count++] =
                explain_unmatched(&matcher, &base->groups[b], now);
            continue;
        }
        struct comparison_pair *pair = &comparison->pairs[comparison->pair_count++];
        *pair = (struct comparison_pair){.base = &base->groups[b],
                                         .now = &now->groups[matcher.partner[b]]};
        status = match_strategies(comparison, pair, diag);
    }
    for (size_t n = 0; n < now->group_count; n++)
        if (!matcher.taken[n])
            comparison->added[comparison->added_count++] =
                explain_unmatched(&matcher, &now->groups[n], base);
    return status == STATUS_OK ? compare_policies(comparison, diag) : status;
}
