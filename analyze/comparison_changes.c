#include <math.h>
#include <string.h>

#include "comparison_parts.h"
#include "message_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

void comparison_parts_tell(struct comparison_teller *teller,
                           const struct comparison_finding *finding, const char *id,
                           const struct sentence_value *values, size_t count)
{
    struct comparison_findings *list = teller->findings;
    if (teller->status != STATUS_OK)
        return;
    struct comparison_finding *items =
        arena_room(teller->arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL) {
        teller->status = diag_no_memory(teller->diag);
        return;
    }
    list->items = items;
    struct comparison_finding *place = &list->items[list->count];
    *place = *finding;
    teller->status =
        message_table_make(teller->arena, id, values, count, &place->message, teller->diag);
    list->count += teller->status == STATUS_OK;
}

/* True if a finding of that category makes the answer no, whatever its size. */
static bool counts(const struct comparison_teller *teller, enum comparison_category category)
{
    return !isnan(teller->settings->max_regression) && teller->settings->counts[category];
}

/* ---- values ---- */

/* `sampled`: a value whose steps could have been told. */
static const char *id_of(const struct comparison_value *value, bool in_points, bool sampled)
{
    bool better = value->verdict == COMPARISON_BETTER;
    if (isinf(value->relative) && !in_points)
        return better ? "compare.better_from_nothing" : "compare.worse_from_nothing";
    if (in_points)
        return better ? "compare.exposed_better" : "compare.exposed_worse";
    if (isnan(value->ratio.lower) && sampled)
        return better ? "compare.better_unsampled" : "compare.worse_unsampled";
    if (isnan(value->ratio.lower))
        return better ? "compare.better" : "compare.worse";
    return better ? "compare.better_resolved" : "compare.worse_resolved";
}

/* NULL: of a run that failed, which is said already. */
static const char *unlike_id(const struct comparison_value *value)
{
    if (strcmp(value->unlike, "failed") == 0)
        return NULL;
    if (strcmp(value->unlike, "kind") == 0)
        return "compare.kind_differs";
    return strcmp(value->unlike, "unit") == 0 ? "compare.unit_differs" : "compare.times";
}

/* The sentence that fits; NULL: the table says enough. */
static const char *sentence_of(const struct comparison_teller *teller,
                               const struct comparison_quantity_row *row,
                               const struct comparison_value *value)
{
    switch (value->verdict) {
    case COMPARISON_LOST:
        return "compare.lost";
    case COMPARISON_NEW_MEASURED:
        return "compare.measured";
    case COMPARISON_UNLIKE:
        return unlike_id(value);
    case COMPARISON_NOISE:
        return fabs(value->relative) > teller->settings->tolerance ? "compare.noise" : NULL;
    case COMPARISON_BETTER:
    case COMPARISON_WORSE:
        return id_of(value, row->in_points, row->category == COMPARISON_THROUGHPUT);
    default:
        return NULL;
    }
}

/* What the two sides call the thing that is unlike. */
static const char *unlike_word(const struct comparison_candidate *candidate,
                               const struct comparison_value *value)
{
    if (value->unlike == NULL || strcmp(value->unlike, "kind") == 0)
        return candidate->memory_kind < 0
                   ? ""
                   : memory_kind_name((enum memory_kind)candidate->memory_kind);
    return candidate->throughput_unit != NULL ? candidate->throughput_unit : "";
}

/* That times do not count is true of all of them, and is said once. */
static bool is_said(const struct comparison_strategy *row, enum comparison_quantity quantity)
{
    const struct comparison_value *value = &row->values[quantity];
    if (value->verdict != COMPARISON_UNLIKE || strcmp(unlike_id(value), "compare.times") != 0)
        return false;
    for (int earlier = 0; earlier < (int)quantity; earlier++)
        if (row->values[earlier].verdict == COMPARISON_UNLIKE &&
            strcmp(unlike_id(&row->values[earlier]), "compare.times") == 0)
            return true;
    return false;
}

static void tell_value(struct comparison_teller *teller, const struct comparison_strategy *row,
                       enum comparison_quantity quantity)
{
    const struct comparison_quantity_row *kind = comparison_quantity_row(quantity);
    const struct comparison_value *value = &row->values[quantity];
    const char *id = sentence_of(teller, kind, value);
    if (id == NULL || is_said(row, quantity))
        return;
    bool unlike = value->verdict == COMPARISON_UNLIKE;
    const struct sentence_value names = MESSAGE_TEXT("base", unlike_word(row->base, value));
    const struct sentence_value number = MESSAGE_NUMBER("base", value->base);
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", row->label),
        MESSAGE_TEXT("metric", kind->words),
        unlike ? names : number,
        MESSAGE_NUMBER("value", value->now),
        MESSAGE_TEXT("unit", unlike ? unlike_word(row->now, value) : value->unit),
        MESSAGE_TEXT("kind", unlike_word(row->now, value)),
        MESSAGE_NUMBER("change", fabs(value->relative)),
        MESSAGE_NUMBER("tolerance", teller->settings->tolerance),
        MESSAGE_NUMBER("lower", value->ratio.lower),
        MESSAGE_NUMBER("upper", value->ratio.upper),
        MESSAGE_NUMBER("one", 1),
        MESSAGE_NUMBER("needed", INTERVAL_MIN_SAMPLES),
        MESSAGE_TEXT("drawn", value->drawn == INTERVAL_ROUND ? "by rounds" : "within-run")};
    bool bad = value->verdict == COMPARISON_WORSE ||
               (value->verdict == COMPARISON_LOST && row->now->failure == NULL) ||
               (unlike && value->beyond);
    const struct comparison_finding finding = {.tendency = bad ? COMPARISON_REGRESSION
                                                           : value->verdict == COMPARISON_BETTER
                                                               ? COMPARISON_IMPROVEMENT
                                                               : COMPARISON_NOTE,
                                               .category = kind->category,
                                               .beyond = value->beyond,
                                               .strategy = row->label};
    comparison_parts_tell(teller, &finding, id, values, COUNT(values));
}

/* ---- failures, gates, losses, levels ---- */

static void tell_failure(struct comparison_teller *teller, const struct comparison_strategy *row)
{
    const char *before = row->base->failure;
    const char *after = row->now->failure;
    if (before == NULL && after == NULL)
        return;
    if (before != NULL && after != NULL && strcmp(before, after) == 0)
        return;
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", row->label),
                                            MESSAGE_TEXT("failure", after != NULL ? after : before),
                                            MESSAGE_TEXT("base", before != NULL ? before : "")};
    struct comparison_finding finding = {
        .tendency = COMPARISON_NOTE, .category = COMPARISON_FAILURE, .strategy = row->label};
    const char *id = "compare.fails_otherwise";
    if (before == NULL) {
        id = "compare.fails";
        finding.tendency = COMPARISON_REGRESSION;
        finding.beyond = counts(teller, COMPARISON_FAILURE);
    } else if (after == NULL) {
        id = "compare.recovered";
        finding.tendency = COMPARISON_IMPROVEMENT;
    }
    comparison_parts_tell(teller, &finding, id, values, COUNT(values));
}

static const struct comparison_gate *find_gate(const struct comparison_candidate *candidate,
                                               const char *name)
{
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (strcmp(candidate->gates[i].name, name) == 0)
            return &candidate->gates[i];
    return NULL;
}

static bool has_verdict(const struct comparison_gate *gate, const char *verdict)
{
    return gate->verdict != NULL && strcmp(gate->verdict, verdict) == 0;
}

/* What NEW's policy asks for and BASE's did not: that tells nothing of how the two measured. */
static bool was_not_applied(const struct comparison_gate *base, const struct comparison_gate *now)
{
    return now->failed && has_verdict(base, "not_applied");
}

/* Of a limit on a number its value and limit are told, of the others the gate's own words. */
static const char *gate_id(const struct comparison_gate *base, const struct comparison_gate *now)
{
    bool plain = strcmp(now->name, "memory") == 0 || strcmp(now->name, "throughput") == 0;
    bool fresh = was_not_applied(base, now);
    if (!now->failed)
        return "compare.gate_passes";
    if (strcmp(now->name, "communication") == 0 && !isnan(now->value) && !isnan(now->limit))
        return fresh ? "compare.gate_fails_applied_share" : "compare.gate_fails_share";
    if (plain && !isnan(now->value) && !isnan(now->limit))
        return fresh ? "compare.gate_fails_applied" : "compare.gate_fails";
    return fresh ? "compare.gate_fails_applied_other" : "compare.gate_fails_other";
}

/* Whether a gate's answer changed. What was not judged, because the run failed before it measured
 * that, was neither passed nor failed; and without a limit nothing is passed. */
static bool gate_changed(const struct comparison_gate *base, const struct comparison_gate *now)
{
    if (base->failed == now->failed)
        return false;
    return now->failed ? !has_verdict(base, "not_evaluated")
                       : has_verdict(now, "pass") || has_verdict(now, "tight");
}

/* The runtime gate says what a failure says. */
static void tell_gates(struct comparison_teller *teller, const struct comparison_strategy *row)
{
    for (size_t i = 0; i < row->now->gate_count; i++) {
        const struct comparison_gate *now = &row->now->gates[i];
        const struct comparison_gate *base = find_gate(row->base, now->name);
        if (base == NULL || strcmp(now->name, "runtime") == 0 || !gate_changed(base, now))
            continue;
        const struct sentence_value values[] = {
            MESSAGE_TEXT("strategy", row->label),
            MESSAGE_TEXT("gate", now->name),
            MESSAGE_NUMBER("value", now->value),
            MESSAGE_NUMBER("limit", now->limit),
            MESSAGE_TEXT("unit", now->unit != NULL ? now->unit : ""),
            MESSAGE_TEXT("detail", now->detail != NULL ? now->detail : now->verdict)};
        bool regression = now->failed && !was_not_applied(base, now);
        const struct comparison_finding finding = {
            .tendency = regression    ? COMPARISON_REGRESSION
                        : now->failed ? COMPARISON_NOTE
                                      : COMPARISON_IMPROVEMENT,
            .category = COMPARISON_GATES,
            .beyond = regression && counts(teller, COMPARISON_GATES),
            .strategy = row->label};
        comparison_parts_tell(teller, &finding, gate_id(base, now), values, COUNT(values));
    }
}

static void tell_losses(struct comparison_teller *teller, const struct comparison_strategy *row)
{
    const struct comparison_losses *losses = &row->losses;
    struct comparison_finding finding = {
        .tendency = COMPARISON_NOTE, .category = COMPARISON_LOSSES, .strategy = row->label};
    if (losses->broken_at >= 0) {
        const struct sentence_value values[] = {MESSAGE_TEXT("strategy", row->label),
                                                MESSAGE_NUMBER("step", (double)losses->broken_at)};
        finding.tendency = COMPARISON_REGRESSION;
        finding.beyond = counts(teller, COMPARISON_LOSSES);
        comparison_parts_tell(teller, &finding, "compare.losses_broken", values, COUNT(values));
    } else if (losses->first_difference >= 0) {
        const struct sentence_value values[] = {
            MESSAGE_TEXT("strategy", row->label),
            MESSAGE_NUMBER("step", (double)losses->first_difference),
            MESSAGE_NUMBER("difference", losses->largest),
            MESSAGE_NUMBER("at", (double)losses->largest_at)};
        comparison_parts_tell(teller, &finding, "compare.losses_differ", values, COUNT(values));
    }
}

static void tell_level(struct comparison_teller *teller, const struct comparison_strategy *row)
{
    const char *before = row->base->level != NULL ? row->base->level : "";
    const char *after = row->now->level != NULL ? row->now->level : "";
    const struct comparison_finding finding = {
        .tendency = COMPARISON_NOTE, .category = COMPARISON_CATEGORY_COUNT, .strategy = row->label};
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", row->label),
                                            MESSAGE_TEXT("level", after),
                                            MESSAGE_TEXT("base", before)};
    if (strcmp(before, after) != 0)
        comparison_parts_tell(teller, &finding, "compare.level", values, COUNT(values));
}

void comparison_parts_changes(struct comparison_teller *teller,
                              const struct comparison_strategy *row)
{
    tell_failure(teller, row);
    for (int i = 0; i < COMPARISON_QUANTITY_COUNT; i++) {
        enum comparison_quantity quantity = (enum comparison_quantity)i;
        bool throughput = row->values[COMPARISON_OF_THROUGHPUT].verdict != COMPARISON_NOT_MEASURED;
        if (quantity == COMPARISON_OF_STEP_TIME && throughput)
            continue; /* the same in other words */
        tell_value(teller, row, quantity);
    }
    tell_gates(teller, row);
    tell_losses(teller, row);
    tell_level(teller, row);
}
