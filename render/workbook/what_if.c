#include "what_if.h"

#include <math.h>
#include <string.h>

#include "report_view.h"
#include "sheet_candidates.h"

void what_if_policy(const struct summary *summary, struct what_if_limits *limits)
{
    const struct summary_policy *policy = &summary->policy;
    bool tokens = report_view_is_tokens(policy->throughput_unit);
    /* Without a minimum its unit says nothing: take the one that was measured. */
    if (isnan(policy->min_throughput))
        tokens = report_view_has_unit(summary, true) || !report_view_has_unit(summary, false);
    *limits = (struct what_if_limits){.memory_mb = policy->memory_limit_mb,
                                      .tight_fraction = policy->tight_memory_fraction,
                                      .throughput = policy->min_throughput,
                                      .communication = policy->max_communication_ratio,
                                      .gain = policy->min_gain,
                                      .memory_fraction = policy->max_memory_fraction,
                                      .tokens = tokens};
}

size_t what_if_ranking(const struct summary_policy *policy, enum what_if_key keys[WHAT_IF_KEYS])
{
    static const char *const names[WHAT_IF_KEYS] = {
        [WHAT_IF_BY_THROUGHPUT] = "throughput",
        [WHAT_IF_BY_COMMUNICATION] = "communication_ratio",
        [WHAT_IF_BY_PEAK] = "peak_memory_mb",
    };
    size_t count = 0;
    for (size_t i = 0; i < policy->ranking.count && count < WHAT_IF_KEYS; i++)
        for (size_t k = 0; k < WHAT_IF_KEYS; k++)
            if (strcmp(policy->ranking.items[i], names[k]) == 0 && count < WHAT_IF_KEYS)
                keys[count++] = (enum what_if_key)k;
    for (size_t k = 0; count == 0 && k < WHAT_IF_KEYS; k++) /* a summary that does not say */
        keys[k] = (enum what_if_key)k;
    return count > 0 ? count : WHAT_IF_KEYS;
}

/* ---- Gates ---- */

static bool failed(const struct summary_candidate *candidate)
{
    return candidate->failure.reason != NULL;
}

static enum what_if_verdict absent(const struct summary_candidate *candidate)
{
    return failed(candidate) ? WHAT_IF_NOT_EVALUATED : WHAT_IF_NOT_MEASURED;
}

static bool fails(enum what_if_verdict verdict)
{
    return verdict == WHAT_IF_FAIL || verdict == WHAT_IF_NOT_MEASURED ||
           verdict == WHAT_IF_UNIT_DIFFERS;
}

static void judge_gates(const struct what_if_limits *limits, struct what_if_row *row)
{
    const struct summary_candidate *candidate = row->candidate;
    double peak = candidate->peak_memory_mb;
    bool times = sheet_candidates_times_count(candidate);
    row->memory = row->throughput = row->communication = WHAT_IF_NOT_APPLIED;
    if (!isnan(limits->memory_mb)) {
        row->memory = isnan(peak)                ? absent(candidate)
                      : peak > limits->memory_mb ? WHAT_IF_FAIL
                                                 : WHAT_IF_PASS;
        if (row->memory == WHAT_IF_PASS && limits->memory_mb > 0 &&
            peak / limits->memory_mb > limits->tight_fraction)
            row->memory = WHAT_IF_TIGHT;
    }
    if (!isnan(limits->throughput)) {
        bool known = times && !isnan(candidate->throughput);
        row->throughput = !known ? absent(candidate)
                          : report_view_is_tokens(candidate->throughput_unit) != limits->tokens
                              ? WHAT_IF_UNIT_DIFFERS
                          : candidate->throughput < limits->throughput ? WHAT_IF_FAIL
                                                                       : WHAT_IF_PASS;
    }
    if (!isnan(limits->communication)) {
        bool known = times && !isnan(candidate->communication_ratio);
        row->communication = !known ? absent(candidate)
                             : candidate->communication_ratio > limits->communication
                                 ? WHAT_IF_FAIL
                                 : WHAT_IF_PASS;
    }
    row->failures = sheet_candidates_others(candidate) + fails(row->memory) +
                    fails(row->throughput) + fails(row->communication);
}

/* ---- Ranking ---- */

/* The value of a key, negated where larger is better; what is not measured is behind everything. */
static double key_value(const struct summary_candidate *candidate, enum what_if_key key)
{
    double value = key == WHAT_IF_BY_THROUGHPUT      ? -candidate->throughput
                   : key == WHAT_IF_BY_COMMUNICATION ? candidate->communication_ratio
                                                     : candidate->peak_memory_mb;
    return isnan(value) ? (double)INFINITY : value;
}

struct ranking {
    const struct summary_group *group;
    enum what_if_key keys[WHAT_IF_KEYS];
    size_t key_count;
};

/* True if `a` ranks before `b`: equal ones keep the order of input, and of what is told to stand at
 * one place there the order of the rows. */
static bool ranks_before(const struct ranking *ranking, const struct what_if_row *a,
                         const struct what_if_row *b)
{
    for (size_t i = 0; i < ranking->key_count; i++) {
        double left = key_value(a->candidate, ranking->keys[i]);
        double right = key_value(b->candidate, ranking->keys[i]);
        if (left != right)
            return left < right;
    }
    double left = sheet_candidates_order(ranking->group, a->candidate);
    double right = sheet_candidates_order(ranking->group, b->candidate);
    return left < right || (left == right && a < b);
}

static void rank_rows(const struct summary *summary, const struct summary_group *group,
                      struct what_if_row *rows)
{
    struct ranking ranking = {.group = group};
    ranking.key_count = what_if_ranking(&summary->policy, ranking.keys);
    for (size_t i = 0; i < group->candidate_count; i++) {
        rows[i].rank = rows[i].failures > 0 ? (double)NAN : 1;
        for (size_t k = 0; k < group->candidate_count && rows[i].failures == 0; k++)
            if (rows[k].failures == 0 && ranks_before(&ranking, &rows[k], &rows[i]))
                rows[i].rank++;
    }
}

/* ---- Gain and decision ---- */

static const struct what_if_row *find_baseline(const struct summary *summary,
                                               struct what_if_row *rows, size_t count)
{
    struct what_if_row *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].failures == 0 && sheet_candidates_is_baseline(summary, rows[i].candidate) &&
            (best == NULL || rows[i].rank < best->rank))
            best = &rows[i];
    if (best != NULL)
        best->baseline = true;
    return best;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static double gain_over(const struct summary_policy *policy,
                        const struct summary_candidate *candidate,
                        const struct summary_candidate *baseline)
{
    double own = (double)NAN;
    double from = (double)NAN;
    if (is_same(policy->goal, "memory")) {
        if (is_same(candidate->memory_kind, baseline->memory_kind)) {
            own = -candidate->peak_memory_mb;
            from = baseline->peak_memory_mb;
        }
    } else if (report_view_is_tokens(candidate->throughput_unit) ==
               report_view_is_tokens(baseline->throughput_unit)) {
        own = candidate->throughput;
        from = -baseline->throughput;
    }
    double gain = (own + from) / fabs(from);
    return isfinite(gain) ? gain : (double)NAN;
}

/* True for the rules that come before a selection is looked at (decision.md, rules 1 and 2). */
static bool is_fixed(const char *rule)
{
    static const char *const rules[] = {"no_evidence",    "all_failed",     "incomplete",
                                        "evidence_level", "not_comparable", "not_sharded"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (is_same(rule, rules[i]))
            return true;
    return false;
}

static enum what_if_decision decide(const struct summary *summary, const char *rule,
                                    const struct what_if_limits *limits,
                                    const struct what_if_row *selected)
{
    if (is_fixed(rule))
        return WHAT_IF_FIXED;
    if (selected == NULL)
        return WHAT_IF_NONE;
    if (limits->memory_mb > 0 &&
        selected->candidate->peak_memory_mb / limits->memory_mb > limits->memory_fraction)
        return WHAT_IF_TUNE;
    if (sheet_candidates_is_baseline(summary, selected->candidate) || isnan(selected->gain))
        return WHAT_IF_ACCEPT;
    double needed = isnan(limits->gain) ? 0 : limits->gain;
    return selected->gain >= needed ? WHAT_IF_ACCEPT : WHAT_IF_REJECT;
}

struct what_if_result what_if_judge(const struct summary *summary, size_t group_index,
                                    const struct what_if_limits *limits, struct what_if_row *rows)
{
    const struct summary_group *group = &summary->groups[group_index];
    struct what_if_result result = {.selected = NULL};
    for (size_t i = 0; i < group->candidate_count; i++) {
        rows[i] = (struct what_if_row){.candidate = &group->candidates[group->order[i]]};
        judge_gates(limits, &rows[i]);
    }
    rank_rows(summary, group, rows);
    const struct what_if_row *baseline = find_baseline(summary, rows, group->candidate_count);
    for (size_t i = 0; i < group->candidate_count; i++) {
        rows[i].gain = baseline != NULL && baseline != &rows[i]
                           ? gain_over(&summary->policy, rows[i].candidate, baseline->candidate)
                           : (double)NAN;
        if (rows[i].rank == 1)
            result.selected = &rows[i];
    }
    result.decision = decide(summary, group->decision.rule, limits, result.selected);
    return result;
}
