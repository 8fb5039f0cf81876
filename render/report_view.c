#include "report_view.h"

#include <math.h>
#include <string.h>

const char *report_view_name(const struct texts *texts, const struct summary *summary)
{
    return texts_get(texts, summary->changes != NULL ? "report.changes_title" : "report.title");
}

const char *report_view_subject(const struct texts *texts, const struct summary *summary)
{
    return texts_get(texts, summary->changes != NULL ? "report.changes_subject" : "report.subject");
}

const struct summary_candidate *report_view_selected(const struct summary_group *group)
{
    long index = group->decision.candidate;
    if (index < 0 || (size_t)index >= group->candidate_count)
        return NULL;
    return &group->candidates[index];
}

const struct summary_gate *report_view_gate(const struct summary_candidate *candidate,
                                            const char *name)
{
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (candidate->gates[i].name != NULL && strcmp(candidate->gates[i].name, name) == 0)
            return &candidate->gates[i];
    return NULL;
}

const struct summary_change *report_view_find_change(const struct summary_sensitivity *item,
                                                     const char *direction)
{
    for (size_t i = 0; i < item->change_count; i++)
        if (item->changes[i].direction != NULL &&
            strcmp(item->changes[i].direction, direction) == 0)
            return &item->changes[i];
    return NULL;
}

/* The candidate that the decision's reason names. */
static const struct summary_candidate *named_closest(const struct summary_group *group)
{
    const struct summary_message *reason = &group->decision.reason;
    for (size_t i = 0; i < reason->value_count; i++) {
        if (strcmp(reason->values[i].name, "strategy") != 0 || reason->values[i].text == NULL)
            continue;
        for (size_t k = 0; k < group->candidate_count; k++)
            if (strcmp(group->candidates[k].label, reason->values[i].text) == 0)
                return &group->candidates[k];
    }
    return NULL;
}

/* The smallest margin of the failed gates in percent; a gate without a number is the farthest. */
static double worst_margin(const struct summary_candidate *candidate)
{
    double worst = (double)INFINITY;
    for (size_t i = 0; i < candidate->gate_count; i++)
        if (candidate->gates[i].failed)
            worst = isnan(candidate->gates[i].margin_percent)
                        ? -(double)INFINITY
                        : fmin(worst, candidate->gates[i].margin_percent);
    return worst;
}

const struct summary_candidate *report_view_closest(const struct summary_group *group)
{
    const struct summary_candidate *closest = named_closest(group);
    bool named = closest != NULL;
    for (size_t i = 0; i < group->candidate_count && !named; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        size_t own = candidate->gate_failures.count;
        size_t best = closest != NULL ? closest->gate_failures.count : 0;
        if (closest == NULL || own < best ||
            (own == best && worst_margin(candidate) > worst_margin(closest)))
            closest = candidate;
    }
    return closest;
}

static bool has_strategy(const struct summary_candidate *candidate, const char *name)
{
    return candidate->strategy != NULL && strcmp(candidate->strategy, name) == 0;
}

const struct summary_candidate *report_view_baseline(const struct summary_group *group)
{
    const char *name = group->decision.baseline;
    long index = group->decision.baseline_candidate;
    if (name == NULL)
        return NULL;
    if (index >= 0 && (size_t)index < group->candidate_count &&
        has_strategy(&group->candidates[index], name))
        return &group->candidates[index];
    for (size_t i = 0; i < group->candidate_count; i++)
        if (has_strategy(&group->candidates[i], name))
            return &group->candidates[i];
    return NULL;
}

const char *report_view_baseline_name(const struct summary_group *group)
{
    const struct summary_candidate *baseline = report_view_baseline(group);
    return baseline != NULL && baseline->label != NULL ? baseline->label : group->decision.baseline;
}

bool report_view_is_tokens(const char *unit)
{
    return unit == NULL || strcmp(unit, "tokens/s") == 0;
}

const char *report_view_unit_of(const struct summary_candidate *candidate)
{
    return candidate->throughput_unit != NULL ? candidate->throughput_unit : "tokens/s";
}

bool report_view_group_tokens(const struct summary_group *group)
{
    bool tokens = true;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[i].throughput_unit != NULL)
            tokens = report_view_is_tokens(group->candidates[i].throughput_unit);
    return tokens;
}

double report_view_gain(const struct summary_group *group,
                        const struct summary_candidate *candidate)
{
    const struct summary_candidate *baseline = report_view_baseline(group);
    if (baseline == NULL || baseline == candidate || !(baseline->throughput > 0) ||
        baseline->failure.reason != NULL || candidate->failure.reason != NULL ||
        report_view_is_tokens(baseline->throughput_unit) !=
            report_view_is_tokens(candidate->throughput_unit))
        return (double)NAN;
    return candidate->throughput / baseline->throughput - 1;
}

const char *report_view_verdict(const struct summary_group *group,
                                const struct summary_candidate *candidate)
{
    if (candidate == report_view_selected(group))
        return "selected";
    if (candidate->eligible)
        return "eligible";
    return candidate->failure.reason != NULL ? "failed_run" : "not_eligible";
}

enum cell_style report_view_verdict_style(const char *verdict)
{
    static const struct {
        const char *verdict;
        enum cell_style style;
    } rows[] = {
        {"selected", CELL_PASS},   {"eligible", CELL_PASS},     {"pass", CELL_PASS},
        {"tight", CELL_TIGHT},     {"fail", CELL_FAIL},         {"not_eligible", CELL_FAIL},
        {"failed_run", CELL_FAIL}, {"unit_differs", CELL_FAIL},
    };
    for (size_t i = 0; verdict != NULL && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].verdict, verdict) == 0)
            return rows[i].style;
    return CELL_NEUTRAL;
}

static bool has_name(const struct report_view_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

void report_view_add_name(struct report_view_names *names, const char *name)
{
    if (has_name(names, name))
        return;
    if (names->count == REPORT_VIEW_NAMES)
        names->more = true;
    else
        names->items[names->count++] = name;
}

double report_view_amount(const struct summary_amounts *amounts,
                          const struct report_view_names *names, const char *name)
{
    double sum = (double)NAN;
    for (size_t i = 0; i < amounts->count; i++) {
        const struct summary_amount *item = &amounts->items[i];
        bool wanted = name != NULL ? strcmp(item->name, name) == 0 : !has_name(names, item->name);
        if (wanted && !isnan(item->mb))
            sum = isnan(sum) ? item->mb : sum + item->mb;
    }
    return sum;
}

bool report_view_has_unit(const struct summary *summary, bool tokens)
{
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++) {
            const struct summary_candidate *candidate = &summary->groups[i].candidates[k];
            if (!isnan(candidate->throughput) &&
                report_view_is_tokens(candidate->throughput_unit) == tokens)
                return true;
        }
    return false;
}

enum cell_style report_view_style_for(double largest)
{
    return largest >= 10000 ? CELL_WHOLE : largest >= 100 ? CELL_ONE : CELL_TWO;
}

double report_view_largest_throughput(const struct summary *summary)
{
    double largest = 0;
    for (size_t i = 0; i < summary->group_count; i++)
        for (size_t k = 0; k < summary->groups[i].candidate_count; k++)
            largest = fmax(largest, summary->groups[i].candidates[k].throughput);
    return largest;
}
