#include "cross_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_view.h"

/* Both sides of an identity, the collector's own arithmetic: rounding of sums apart. */
#define EXACT 1e-6
/* Published numbers are often rounded to three digits. */
#define ROUNDED 0.01
/* Above it ranks are named as unequal (decision.md, "Project decision"). */
#define RANKS_APART 0.05

/* False if one is unknown or there is nothing to divide by. */
static bool set_pair(struct cross_check_pair *pair, double stated, double other, const char *unit)
{
    if (isnan(stated) || isnan(other))
        return false;
    double apart = fabs(stated - other);
    pair->stated = stated;
    pair->other = other;
    pair->unit = unit;
    pair->difference = apart == 0 ? 0 : apart / fabs(other != 0 ? other : stated);
    return true;
}

static void keep_worse(struct cross_check_pair *worst, bool *found,
                       const struct cross_check_pair *pair)
{
    if (!*found || pair->difference > worst->difference)
        *worst = *pair;
    *found = true;
}

/* ---- Communication ---- */

static bool measure_payload(const struct cross_check_case *checked, struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    bool found = false;
    for (size_t i = 0; i < candidate->collective_count; i++) {
        struct cross_check_pair own;
        const struct summary_collective *collective = &candidate->collectives[i];
        if (set_pair(&own, collective->payload_mb, collective->expected_mb, "MiB"))
            keep_worse(pair, &found, &own);
    }
    return found;
}

static bool measure_calls(const struct cross_check_case *checked, struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    bool found = false;
    for (size_t i = 0; i < candidate->collective_count; i++) {
        struct cross_check_pair own;
        const struct summary_collective *collective = &candidate->collectives[i];
        if (set_pair(&own, collective->calls, collective->expected_calls, NULL))
            keep_worse(pair, &found, &own);
    }
    return found;
}

/* ---- Memory ---- */

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* The measured peak against everything that the ledger and the measured temporaries account for. */
static bool measure_ledger(const struct cross_check_case *checked, struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    const struct summary_ledger *ledger = &candidate->ledger;
    if (!ledger->available || ledger->temporary.count == 0)
        return false;
    double held = ledger->resident_mb + or_zero(ledger->persistent_parameters_mb) +
                  or_zero(ledger->padding_mb);
    for (size_t i = 0; i < ledger->temporary.count; i++)
        held += ledger->temporary.items[i].mb;
    return set_pair(pair, candidate->peak_memory_mb, held, "MiB");
}

static bool measure_prediction(const struct cross_check_case *checked,
                               struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    return set_pair(pair, candidate->peak_memory_mb, candidate->ledger.predicted_peak_mb, "MiB");
}

static bool measure_rank_memory(const struct cross_check_case *checked,
                                struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    const struct summary_numbers *ranks = &candidate->per_rank_mb;
    double least = (double)NAN;
    double most = (double)NAN;
    for (size_t i = 0; i < ranks->count; i++) {
        least = fmin(least, ranks->items[i]);
        most = fmax(most, ranks->items[i]);
    }
    return ranks->count > 1 && set_pair(pair, most, least, "MiB");
}

/* ---- Time ---- */

static bool measure_throughput(const struct cross_check_case *checked,
                               struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    bool tokens = report_view_is_tokens(candidate->throughput_unit);
    double batch =
        isnan(candidate->global_batch) ? checked->group->global_batch : candidate->global_batch;
    double amount = tokens ? batch * checked->group->seq_len : batch;
    if (!(candidate->step_time_ms > 0))
        return false;
    return set_pair(pair, candidate->throughput, amount / (candidate->step_time_ms / 1000),
                    report_view_unit_of(candidate));
}

static int compare_numbers(const void *a, const void *b)
{
    const double *left = a;
    const double *right = b;
    return (*left > *right) - (*left < *right);
}

/* The median of an array, which is sorted. */
static double median(double *items, size_t count)
{
    qsort(items, count, sizeof *items, compare_numbers);
    return count % 2 == 1 ? items[count / 2] : (items[count / 2 - 1] + items[count / 2]) / 2;
}

/* The median over the steps of the slowest rank's time of each. */
static bool measure_step_time(const struct cross_check_case *checked, struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    const struct summary_samples *times = &candidate->step_times;
    size_t count = times->rank_count > 0 ? times->ranks[0].count : 0;
    for (size_t i = 0; i < times->rank_count; i++)
        if (times->ranks[i].count != count)
            return false;
    if (count == 0)
        return false;
    double *slowest = arena_take_array(checked->arena, count, sizeof *slowest);
    pair->failed = slowest == NULL;
    if (slowest == NULL)
        return false;
    for (size_t i = 0; i < times->rank_count; i++)
        for (size_t step = 0; step < count; step++)
            slowest[step] = fmax(slowest[step], times->ranks[i].items[step]);
    return set_pair(pair, candidate->step_time_ms, median(slowest, count), "ms");
}

/* ---- Training ---- */

/* The gate's value is the largest deviation in parts of its tolerance. */
static bool measure_correctness(const struct cross_check_case *checked,
                                struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    const struct summary_gate *gate = report_view_gate(candidate, "correctness");
    if (gate == NULL || isnan(gate->value) || isnan(gate->limit) || !(gate->limit > 0))
        return false;
    *pair =
        (struct cross_check_pair){gate->value, gate->limit, gate->value / gate->limit, NULL, false};
    return true;
}

static bool measure_checkpoint(const struct cross_check_case *checked,
                               struct cross_check_pair *pair)
{
    const struct summary_candidate *candidate = checked->candidate;
    bool found = false;
    bool equal = true;
    for (size_t i = 0; i < candidate->checkpoint_count; i++) {
        enum summary_answer answer = candidate->checkpoints[i].restore_verified;
        found |= answer != SUMMARY_NOT_TOLD;
        equal &= answer != SUMMARY_NO;
    }
    *pair = (struct cross_check_pair){equal, 1, equal ? 0 : 1, NULL, false};
    return found;
}

/* ---- All ---- */

const struct cross_check *cross_check_table(size_t *count)
{
    static const struct cross_check rows[] = {
        {"payload", EXACT, false, false, measure_payload},
        {"calls", EXACT, false, false, measure_calls},
        {"ledger", ROUNDED, false, false, measure_ledger},
        {"prediction", ROUNDED, false, false, measure_prediction},
        {"throughput", ROUNDED, false, false, measure_throughput},
        {"step_time", EXACT, false, false, measure_step_time},
        {"correctness", 1, false, true, measure_correctness},
        {"rank_memory", RANKS_APART, false, false, measure_rank_memory},
        {"checkpoint", 0, true, false, measure_checkpoint},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

struct cross_check_result cross_check_run(const struct cross_check *check,
                                          const struct summary_group *group, struct arena *arena)
{
    struct cross_check_result result = {0};
    const struct summary_candidate *baseline = report_view_baseline(group);
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[group->order[i]];
        struct cross_check_pair pair = {0};
        if (candidate->failure.reason != NULL || (check->of_others && candidate == baseline))
            continue;
        const struct cross_check_case checked = {group, candidate, arena};
        if (!check->measure(&checked, &pair)) {
            result.failed |= pair.failed;
            result.unmeasured++;
            continue;
        }
        if (pair.difference <= check->tolerance)
            result.agree++;
        else
            result.differ++;
        if (result.worst == NULL || pair.difference > result.pair.difference) {
            result.worst = candidate;
            result.pair = pair;
        }
    }
    return result;
}
