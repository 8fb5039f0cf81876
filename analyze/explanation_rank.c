#include <math.h>
#include <string.h>

#include "candidate_times.h"
#include "explanation_parts.h"
#include "message_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- beside another candidate ---- */

static const char *throughput_id(double change, const struct interval *ratio)
{
    bool ahead = change > 0;
    if (change == 0)
        return "explain.equal";
    if (isnan(ratio->lower))
        return ahead ? "explain.ahead_unsampled" : "explain.behind_unsampled";
    if (ratio->lower <= 1 && ratio->upper >= 1)
        return ahead ? "explain.ahead_unresolved" : "explain.behind_unresolved";
    return ahead ? "explain.ahead_resolved" : "explain.behind_resolved";
}

static bool same_unit(const struct comparison_candidate *a, const struct comparison_candidate *b)
{
    return a->throughput_unit != NULL && b->throughput_unit != NULL &&
           strcmp(a->throughput_unit, b->throughput_unit) == 0;
}

static void tell_throughput(struct explanation_teller *teller)
{
    const struct comparison_candidate *own = teller->item->candidate;
    const struct comparison_candidate *other = teller->item->other;
    double change = (own->throughput - other->throughput) / fabs(other->throughput);
    if (isnan(change) || !same_unit(own, other))
        return;
    struct interval ratio = candidate_times_ratio(&own->times, &other->times);
    bool rounds =
        own->times.medians.unit == INTERVAL_ROUND && other->times.medians.unit == INTERVAL_ROUND;
    teller->within_run = !rounds && (ratio.lower > 1 || ratio.upper < 1);
    const struct sentence_value values[] = {
        MESSAGE_TEXT("other", other->label),
        MESSAGE_NUMBER("value", own->throughput),
        MESSAGE_NUMBER("base", other->throughput),
        MESSAGE_TEXT("unit", own->throughput_unit),
        MESSAGE_NUMBER("change", fabs(change)),
        MESSAGE_NUMBER("lower", ratio.lower),
        MESSAGE_NUMBER("upper", ratio.upper),
        MESSAGE_NUMBER("one", 1),
        MESSAGE_NUMBER("needed", INTERVAL_MIN_SAMPLES),
        MESSAGE_TEXT("drawn", rounds ? "by rounds" : "within-run")};
    explanation_parts_tell(teller, EXPLANATION_AGAINST, throughput_id(change, &ratio), values,
                           COUNT(values));
}

static double peak_of(const struct comparison_candidate *candidate)
{
    return candidate->memory_kind < 0 ? (double)NAN : candidate->peak_mb[candidate->memory_kind];
}

static void tell_pair(struct explanation_teller *teller, const char *id, double value, double base)
{
    const struct sentence_value values[] = {MESSAGE_TEXT("other", teller->item->other->label),
                                            MESSAGE_NUMBER("value", value),
                                            MESSAGE_NUMBER("base", base)};
    if (!isnan(value) && !isnan(base))
        explanation_parts_tell(teller, EXPLANATION_AGAINST, id, values, COUNT(values));
}

void explanation_parts_against(struct explanation_teller *teller)
{
    const struct comparison_candidate *own = teller->item->candidate;
    const struct comparison_candidate *other = teller->item->other;
    if (other == NULL || own->failed_repeats >= own->repeats || /* a part of a run */
        other->failed_repeats >= other->repeats)
        return;
    tell_throughput(teller);
    tell_pair(teller, "explain.share", own->communication_ratio, other->communication_ratio);
    if (own->memory_kind == other->memory_kind)
        tell_pair(teller, "explain.memory", peak_of(own), peak_of(other));
}

/* ---- what limits would change ---- */

/* How the sentences call a limit, with an article and without. */
static const struct {
    const char *limit, *with, *bare;
} limits[] = {
    {"memory_limit_mb", "a memory limit", "memory limit"},
    {"min_throughput", "a minimum throughput", "minimum throughput"},
    {"max_communication_ratio", "a largest exposed communication", "largest exposed communication"},
    {"min_gain", "a gain asked for", "gain"},
    {"max_memory_fraction", "a largest share of the memory limit", "memory limit"},
};

static const char *comparison_words(const char *comparison)
{
    static const struct {
        const char *comparison, *words;
    } rows[] = {{"below", "below"},
                {"above", "above"},
                {"at_most", "of at most"},
                {"at_least", "of at least"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].comparison, comparison) == 0)
            return rows[i].words;
    return comparison;
}

/*
 * The candidate that is selected beyond a limit; NULL: none. Several candidates may be of one
 * strategy, in several settings; a summary of an earlier edition names the strategy alone, and then
 * the first candidate of it stands for all.
 */
static const struct comparison_candidate *selected_beyond(const struct explanation_teller *teller,
                                                          struct summary_reader *reader,
                                                          uint32_t change)
{
    const struct comparison_members *group = teller->item->group;
    const char *strategy = summary_reader_text(reader, change, "strategy");
    long index = json_fields_index(&reader->fields, change, "candidate", group->candidate_count);
    if (index >= 0)
        return &group->candidates[index];
    for (size_t i = 0; i < group->candidate_count && strategy != NULL; i++)
        if (strcmp(group->candidates[i].strategy, strategy) == 0)
            return &group->candidates[i];
    return NULL;
}

struct change_shape {
    bool share; /* the limit is a share: written in percent */
    bool any;   /* any limit at all changes it */
};

/* A change of the selection towards this candidate or away from it, or, while it stays selected,
 * of the decision. NULL: neither. */
static const char *change_id(const struct explanation_teller *teller,
                             const struct comparison_candidate *beyond, const char *decision,
                             const struct change_shape *shape)
{
    bool selected = strcmp(teller->item->verdict, "chosen") == 0;
    bool own = beyond == teller->item->candidate;
    if (selected && own)
        return shape->any || strcmp(decision, teller->item->group->choice.decision) == 0 ? NULL
               : shape->share ? "explain.change_decision_share"
                              : "explain.change_decision";
    if (selected && shape->any)
        return "explain.change_away_any";
    if (selected)
        return shape->share ? "explain.change_away_share" : "explain.change_away";
    if (!own)
        return NULL;
    if (shape->any)
        return "explain.change_any";
    return shape->share ? "explain.change_share" : "explain.change";
}

/* A candidate's value of what a limit limits, NAN: not measured. */
static double limited_value(const struct comparison_candidate *candidate, const char *limit)
{
    if (strcmp(limit, "memory_limit_mb") == 0)
        return peak_of(candidate);
    if (strcmp(limit, "min_throughput") == 0)
        return candidate->throughput;
    if (strcmp(limit, "max_communication_ratio") == 0)
        return candidate->communication_ratio;
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (strcmp(limit, "max_memory_fraction") == 0 &&
            strcmp(candidate->gates[i].name, "memory") == 0)
            return peak_of(candidate) / candidate->gates[i].limit;
    return (double)NAN;
}

/* The nearest value of a candidate further in the direction: there the answer may change again.
 * Infinite: none. */
static double find_beyond(const struct comparison_members *group, const char *limit, double value,
                          bool up)
{
    double found = up ? (double)INFINITY : -(double)INFINITY;
    for (size_t i = 0; limit != NULL && i < group->candidate_count; i++) {
        double own = limited_value(&group->candidates[i], limit);
        if (up ? own > value : own < value)
            found = up ? fmin(found, own) : fmax(found, own);
    }
    return found;
}

static void tell_change(struct explanation_teller *teller, struct summary_reader *reader,
                        uint32_t row, uint32_t change)
{
    const char *limit = summary_reader_need_text(reader, row, "limit");
    const char *unit = summary_reader_need_text(reader, row, "unit");
    const char *comparison = summary_reader_need_text(reader, change, "comparison");
    const char *rule = summary_reader_text(reader, change, "rule");
    const char *decision = summary_reader_need_text(reader, change, "decision");
    const char *direction = summary_reader_text(reader, change, "direction");
    bool up = direction != NULL && strcmp(direction, "up") == 0;
    const struct change_shape shape = {strcmp(unit, "ratio") == 0, strcmp(comparison, "any") == 0};
    double value = json_fields_number(&reader->fields, change, "value");
    double beyond = find_beyond(teller->item->group, limit, value, up);
    const char *id = change_id(teller, selected_beyond(teller, reader, change), decision, &shape);
    const char *words = limit;
    for (size_t i = 0; i < COUNT(limits); i++)
        if (strcmp(limits[i].limit, limit) == 0)
            words = shape.any ? limits[i].bare : limits[i].with;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("limit", words),
        MESSAGE_TEXT("comparison", comparison_words(comparison)),
        MESSAGE_NUMBER("value", explanation_parts_rounded(value, shape.share, beyond)),
        MESSAGE_TEXT("unit", unit),
        MESSAGE_TEXT("decision", decision),
        MESSAGE_TEXT("rule", rule != NULL ? rule : "")};
    if (teller->status == STATUS_OK)
        teller->status = reader->fields.status;
    if (id != NULL)
        explanation_parts_tell(teller, EXPLANATION_CHANGE, id, values, COUNT(values));
}

static void tell_needed_speed(struct explanation_teller *teller)
{
    const struct comparison_candidate *own = teller->item->candidate;
    const struct comparison_candidate *other = teller->item->other;
    bool ranked = strcmp(teller->item->verdict, "ranked") == 0;
    if (!ranked || other == NULL || !same_unit(own, other) ||
        !(own->throughput < other->throughput))
        return;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("other", other->label), MESSAGE_NUMBER("base", other->throughput),
        MESSAGE_TEXT("unit", own->throughput_unit),
        MESSAGE_NUMBER("change", explanation_parts_rounded(other->throughput / own->throughput - 1,
                                                           true, (double)INFINITY))};
    explanation_parts_tell(teller, EXPLANATION_CHANGE, "explain.need_speed", values, COUNT(values));
}

void explanation_parts_changes(struct explanation_teller *teller)
{
    struct summary_reader *reader = &teller->explanation->side.readers[0];
    size_t rows, changes;
    const uint32_t *row = summary_reader_objects(
        reader,
        json_fields_member(&reader->fields, teller->item->group->decision_node, "sensitivity",
                           JSON_READ_ARRAY),
        &rows);
    for (size_t i = 0; i < rows; i++) {
        const uint32_t *change = summary_reader_objects(
            reader, json_fields_member(&reader->fields, row[i], "changes", JSON_READ_ARRAY),
            &changes);
        for (size_t k = 0; k < changes && teller->status == STATUS_OK; k++)
            tell_change(teller, reader, row[i], change[k]);
    }
    if (teller->status == STATUS_OK)
        teller->status = reader->fields.status;
    tell_needed_speed(teller);
}
