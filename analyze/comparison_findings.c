#include <math.h>
#include <string.h>

#include "comparison_parts.h"
#include "message_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *comparison_category_name(enum comparison_category category)
{
    static const char *const names[] = {"throughput", "memory", "communication", "failure",
                                        "losses",     "gates",  "decision",      "missing"};
    return category < COMPARISON_CATEGORY_COUNT ? names[category] : NULL;
}

const char *comparison_tendency_name(enum comparison_tendency tendency)
{
    static const char *const names[] = {"regression", "improvement", "note"};
    return names[tendency];
}

static bool counts(const struct comparison *comparison, enum comparison_category category)
{
    return !isnan(comparison->settings.max_regression) && comparison->settings.counts[category];
}

/* ---- a group ---- */

/* accept before tune before reject. */
static int standing(const char *decision)
{
    return strcmp(decision, "accept") == 0 ? 0 : strcmp(decision, "tune") == 0 ? 1 : 2;
}

static void tell_decision(const struct comparison *comparison, struct comparison_teller *teller,
                          const struct comparison_pair *pair)
{
    const struct comparison_choice *base = &pair->base->choice;
    const struct comparison_choice *now = &pair->now->choice;
    int change = standing(now->decision) - standing(base->decision);
    const struct comparison_finding finding = {.tendency = change > 0   ? COMPARISON_REGRESSION
                                                           : change < 0 ? COMPARISON_IMPROVEMENT
                                                                        : COMPARISON_NOTE,
                                               .category = COMPARISON_DECISION,
                                               .beyond = change > 0 &&
                                                         counts(comparison, COMPARISON_DECISION)};
    const struct sentence_value values[] = {
        MESSAGE_TEXT("decision", now->decision), MESSAGE_TEXT("base", base->decision),
        MESSAGE_TEXT("rule", now->rule != NULL ? now->rule : ""),
        MESSAGE_TEXT("base_rule", base->rule != NULL ? base->rule : ""),
        MESSAGE_TEXT("reason", now->reason != NULL ? now->reason : "")};
    if (change != 0)
        comparison_parts_tell(teller, &finding, "compare.decision", values, COUNT(values));
}

static void tell_selection(struct comparison_teller *teller, const struct comparison_pair *pair)
{
    const char *base = pair->base->choice.strategy;
    const char *now = pair->now->choice.strategy;
    const struct comparison_finding finding = {.tendency = COMPARISON_NOTE,
                                               .category = COMPARISON_DECISION};
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", now != NULL ? now : ""),
                                            MESSAGE_TEXT("base", base != NULL ? base : "")};
    const char *id = base == NULL  ? "compare.selected_first"
                     : now == NULL ? "compare.selected_none"
                                   : "compare.selected";
    bool same = base == NULL || now == NULL ? base == now : strcmp(base, now) == 0;
    if (!same)
        comparison_parts_tell(teller, &finding, id, values, COUNT(values));
}

/* The fields that only one of the two tells. */
static void tell_absent(struct comparison_teller *teller, const struct comparison_pair *pair)
{
    const struct comparison_finding finding = {.tendency = COMPARISON_NOTE,
                                               .category = COMPARISON_CATEGORY_COUNT};
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        bool in_base = pair->base->key[field] != NULL;
        bool in_now = pair->now->key[field] != NULL;
        /* Which of the two measured no throughput is said of each strategy. */
        if (in_base == in_now || field == COMPARABILITY_THROUGHPUT_UNIT)
            continue;
        const struct sentence_value values[] = {
            MESSAGE_TEXT("field", comparability_name((enum comparability_field)field)),
            MESSAGE_TEXT("given", in_base ? "BASE" : "NEW"),
            MESSAGE_TEXT("absent", in_base ? "NEW" : "BASE")};
        comparison_parts_tell(teller, &finding, "compare.absent", values, COUNT(values));
    }
}

static void tell_presence(const struct comparison *comparison, struct comparison_teller *teller,
                          const struct comparison_strategy *row)
{
    bool missing = row->now == NULL;
    const struct comparison_finding finding = {
        .tendency = missing ? COMPARISON_REGRESSION : COMPARISON_NOTE,
        .category = COMPARISON_MISSING,
        .beyond = missing && counts(comparison, COMPARISON_MISSING),
        .strategy = row->label};
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", row->label)};
    comparison_parts_tell(teller, &finding, missing ? "compare.missing" : "compare.new_strategy",
                          values, COUNT(values));
}

static void tell_pair(struct comparison *comparison, struct comparison_teller *teller,
                      struct comparison_pair *pair)
{
    teller->findings = &pair->findings;
    tell_decision(comparison, teller, pair);
    tell_selection(teller, pair);
    for (size_t i = 0; i < pair->strategy_count; i++) {
        const struct comparison_strategy *row = &pair->strategies[i];
        if (row->base != NULL && row->now != NULL)
            comparison_parts_changes(teller, row);
        else
            tell_presence(comparison, teller, row);
    }
    tell_absent(teller, pair);
}

/* ---- the whole ---- */

static void tell_unmatched(struct comparison *comparison, struct comparison_teller *teller,
                           const struct comparison_unmatched *unmatched, bool missing)
{
    /* A workload that was not run again is no regression, unless that was asked for. */
    bool regression = missing && counts(comparison, COMPARISON_MISSING);
    const struct comparison_finding finding = {.tendency = regression ? COMPARISON_REGRESSION
                                                                      : COMPARISON_NOTE,
                                               .category = COMPARISON_MISSING,
                                               .beyond = regression};
    bool near = unmatched->field != NULL;
    const struct sentence_value values[] = {MESSAGE_TEXT("group", unmatched->group->label),
                                            MESSAGE_TEXT("field", near ? unmatched->field : ""),
                                            MESSAGE_TEXT("value", near ? unmatched->value : ""),
                                            MESSAGE_TEXT("other", near ? unmatched->other : "")};
    const char *id = missing ? (near ? "compare.group_missing_near" : "compare.group_missing")
                             : (near ? "compare.group_new_near" : "compare.group_new");
    comparison_parts_tell(teller, &finding, id, values, COUNT(values));
}

static void tell_left_out(struct comparison_teller *teller, const struct comparison_side *side,
                          const char *name)
{
    const struct comparison_finding finding = {.tendency = COMPARISON_NOTE,
                                               .category = COMPARISON_CATEGORY_COUNT};
    if (side->rejected_count == 0)
        return;
    const struct comparison_rejected *first = &side->rejected[0];
    const struct sentence_value values[] = {
        MESSAGE_TEXT("side", name), MESSAGE_NUMBER("count", (double)side->rejected_count),
        MESSAGE_TEXT("path", first->path != NULL ? first->path : ""),
        MESSAGE_TEXT("error", first->error != NULL ? first->error : "")};
    comparison_parts_tell(teller, &finding, "compare.left_out", values, COUNT(values));
}

static void tell_policies(struct comparison *comparison, struct comparison_teller *teller)
{
    const struct comparison_finding finding = {.tendency = COMPARISON_NOTE,
                                               .category = COMPARISON_CATEGORY_COUNT};
    for (size_t i = 0; i < comparison->policy_count; i++) {
        const struct comparison_policy_difference *difference = &comparison->policy[i];
        const struct sentence_value values[] = {MESSAGE_TEXT("field", difference->field),
                                                MESSAGE_TEXT("value", difference->now),
                                                MESSAGE_TEXT("base", difference->base)};
        comparison_parts_tell(teller, &finding, "compare.policy", values, COUNT(values));
    }
}

static void tell_whole(struct comparison *comparison, struct comparison_teller *teller)
{
    const struct comparison_finding note = {.tendency = COMPARISON_NOTE,
                                            .category = COMPARISON_CATEGORY_COUNT};
    teller->findings = &comparison->findings;
    if (comparison->same_input)
        comparison_parts_tell(teller, &note, "compare.same_input", NULL, 0);
    tell_policies(comparison, teller);
    tell_left_out(teller, &comparison->base, "BASE");
    tell_left_out(teller, &comparison->now, "NEW");
    for (size_t i = 0; i < comparison->missing_count; i++)
        tell_unmatched(comparison, teller, &comparison->missing[i], true);
    for (size_t i = 0; i < comparison->added_count; i++)
        tell_unmatched(comparison, teller, &comparison->added[i], false);
}

/* Steps of one run say nothing of the next: that has to be said where a verdict rests on them. */
static bool rests_on_single_runs(const struct comparison_pair *pair)
{
    for (size_t i = 0; i < pair->strategy_count; i++) {
        const struct comparison_value *value =
            &pair->strategies[i].values[COMPARISON_OF_THROUGHPUT];
        if (value->verdict < COMPARISON_SAME) /* then the step time is what was judged */
            value = &pair->strategies[i].values[COMPARISON_OF_STEP_TIME];
        if ((value->verdict == COMPARISON_BETTER || value->verdict == COMPARISON_WORSE) &&
            !isnan(value->ratio.lower) && value->drawn == INTERVAL_WITHIN_RUN)
            return true;
    }
    return false;
}

static void tell_single_runs(struct comparison *comparison, struct comparison_teller *teller)
{
    const struct comparison_finding note = {.tendency = COMPARISON_NOTE,
                                            .category = COMPARISON_CATEGORY_COUNT};
    teller->findings = &comparison->findings;
    for (size_t i = 0; i < comparison->pair_count; i++)
        if (rests_on_single_runs(&comparison->pairs[i])) {
            comparison_parts_tell(teller, &note, "compare.within_run", NULL, 0);
            return;
        }
}

static void add_up(struct comparison *comparison, const struct comparison_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        comparison->regressions += findings->items[i].tendency == COMPARISON_REGRESSION;
        comparison->improvements += findings->items[i].tendency == COMPARISON_IMPROVEMENT;
        comparison->beyond += findings->items[i].beyond;
    }
}

static enum status make_verdict(struct comparison *comparison, struct diag *diag)
{
    const struct sentence_value values[] = {
        MESSAGE_NUMBER("regressions", (double)comparison->regressions),
        MESSAGE_NUMBER("improvements", (double)comparison->improvements),
        MESSAGE_NUMBER("beyond", (double)comparison->beyond),
        MESSAGE_NUMBER("strategies", (double)comparison->compared),
        MESSAGE_NUMBER("groups", (double)comparison->pair_count),
        MESSAGE_NUMBER("limit", comparison->settings.max_regression)};
    const char *id = "compare.verdict_changed";
    if (comparison->compared == 0)
        id = "compare.verdict_none";
    else if (comparison->beyond > 0)
        id = "compare.verdict_beyond";
    else if (!isnan(comparison->settings.max_regression))
        id = "compare.verdict_within";
    else if (comparison->regressions + comparison->improvements == 0)
        id = "compare.verdict_same";
    return message_table_make(&comparison->arena, id, values, COUNT(values), &comparison->verdict,
                              diag);
}

enum status comparison_parts_findings(struct comparison *comparison, struct diag *diag)
{
    struct comparison_teller teller = {
        .settings = &comparison->settings, .arena = &comparison->arena, .diag = diag};
    tell_whole(comparison, &teller);
    add_up(comparison, &comparison->findings);
    for (size_t i = 0; i < comparison->pair_count; i++) {
        tell_pair(comparison, &teller, &comparison->pairs[i]);
        add_up(comparison, &comparison->pairs[i].findings);
    }
    tell_single_runs(comparison, &teller);
    return teller.status != STATUS_OK ? teller.status : make_verdict(comparison, diag);
}
