#include <math.h>
#include <string.h>

#include "candidate_times.h"
#include "comparison_parts.h"

static const struct comparison_quantity_row rows[] = {
    [COMPARISON_OF_THROUGHPUT] = {"throughput", "throughput", NULL, COMPARISON_THROUGHPUT, true,
                                  false},
    [COMPARISON_OF_STEP_TIME] = {"step_time_ms", "step time", "ms", COMPARISON_THROUGHPUT, false,
                                 false},
    [COMPARISON_OF_PEAK] = {"peak_memory_mb", "peak memory", "MiB", COMPARISON_MEMORY, false,
                            false},
    [COMPARISON_OF_EXPOSED] = {"communication_ratio", "exposed communication", "ratio",
                               COMPARISON_COMMUNICATION, false, true},
    [COMPARISON_OF_PAYLOAD] = {"communication_payload_mb", "communication payload", "MiB",
                               COMPARISON_COMMUNICATION, false, false},
    [COMPARISON_OF_RESIDENT] = {"resident_mb", "resident state", "MiB", COMPARISON_CATEGORY_COUNT,
                                false, false},
    [COMPARISON_OF_CHECKPOINT] = {"checkpoint_peak_memory_mb", "peak memory of checkpoints", "MiB",
                                  COMPARISON_CATEGORY_COUNT, false, false},
};

const struct comparison_quantity_row *comparison_quantity_row(enum comparison_quantity quantity)
{
    return &rows[quantity];
}

const char *comparison_verdict_name(enum comparison_verdict verdict)
{
    static const char *const names[] = {[COMPARISON_NOT_MEASURED] = "not_measured",
                                        [COMPARISON_NEW_MEASURED] = "newly_measured",
                                        [COMPARISON_LOST] = "no_longer_measured",
                                        [COMPARISON_UNLIKE] = "not_comparable",
                                        [COMPARISON_SAME] = "same",
                                        [COMPARISON_NOISE] = "within_noise",
                                        [COMPARISON_TOLERATED] = "within_tolerance",
                                        [COMPARISON_BETTER] = "better",
                                        [COMPARISON_WORSE] = "worse"};
    return names[verdict];
}

/* ---- one value ---- */

/* A change from 0 has no ratio: it is infinite in its direction. */
static double relative_to(double change, double base)
{
    if (change == 0)
        return 0;
    return base == 0 ? copysign(INFINITY, change) : change / fabs(base);
}

static enum comparison_verdict presence(const struct comparison_value *value)
{
    if (isnan(value->base) && isnan(value->now))
        return COMPARISON_NOT_MEASURED;
    if (isnan(value->base))
        return COMPARISON_NEW_MEASURED;
    if (isnan(value->now))
        return COMPARISON_LOST;
    return value->unlike != NULL ? COMPARISON_UNLIKE : COMPARISON_SAME;
}

/* True if the change may be nothing. */
static bool may_be_nothing(const struct comparison_settings *settings,
                           const struct comparison_quantity_row *row,
                           const struct comparison_value *value)
{
    if (!isnan(value->ratio.lower))
        return value->ratio.lower <= 1 && value->ratio.upper >= 1;
    return fabs(row->in_points ? value->change : value->relative) <= settings->tolerance;
}

static void judge(const struct comparison_settings *settings, enum comparison_quantity quantity,
                  struct comparison_value *value)
{
    const struct comparison_quantity_row *row = &rows[quantity];
    if (value->unit == NULL)
        value->unit = row->unit;
    value->change = value->relative = NAN;
    value->worse_by = 0;
    value->verdict = presence(value);
    bool counts = row->category < COMPARISON_CATEGORY_COUNT && settings->counts[row->category] &&
                  !isnan(settings->max_regression);
    /* What is not measured, or only of another kind, cannot be shown to be no worse. */
    if (value->verdict == COMPARISON_LOST ||
        (value->verdict == COMPARISON_UNLIKE && strcmp(value->unlike, "kind") == 0))
        value->beyond = counts;
    if (value->verdict != COMPARISON_SAME) {
        value->ratio = (struct interval){NAN, NAN};
        return;
    }
    value->change = value->now - value->base;
    value->relative = relative_to(value->change, value->base);
    if (value->change == 0)
        return;
    bool worse = (value->change > 0) != row->larger_is_better;
    if (may_be_nothing(settings, row, value))
        value->verdict = isnan(value->ratio.lower) ? COMPARISON_TOLERATED : COMPARISON_NOISE;
    else
        value->verdict = worse ? COMPARISON_WORSE : COMPARISON_BETTER;
    if (value->verdict != COMPARISON_WORSE)
        return;
    value->worse_by = fabs(row->in_points ? value->change : value->relative);
    value->beyond = counts && value->worse_by > settings->max_regression;
}

/* ---- the values of a strategy ---- */

static void set_times(const struct comparison_strategy *row, struct comparison_value *values)
{
    const struct comparison_candidate *base = row->base;
    const struct comparison_candidate *now = row->now;
    struct comparison_value *throughput = &values[COMPARISON_OF_THROUGHPUT];
    struct comparison_value *step = &values[COMPARISON_OF_STEP_TIME];
    bool rounds =
        base->times.medians.unit == INTERVAL_ROUND && now->times.medians.unit == INTERVAL_ROUND;
    *throughput = (struct comparison_value){
        .base = base->throughput, .now = now->throughput, .unit = now->throughput_unit};
    *step = (struct comparison_value){.base = base->step_time_ms, .now = now->step_time_ms};
    if (throughput->unit == NULL)
        throughput->unit = base->throughput_unit != NULL ? base->throughput_unit : "tokens/s";
    if (base->throughput_unit != NULL && now->throughput_unit != NULL &&
        strcmp(base->throughput_unit, now->throughput_unit) != 0)
        throughput->unlike = "unit";
    if (!base->times_count || !now->times_count)
        throughput->unlike = step->unlike = "times";
    throughput->ratio = candidate_times_ratio(&now->times, &base->times);
    step->ratio = interval_of_ratio(1, &now->times.medians, &base->times.medians);
    throughput->drawn = step->drawn = rounds ? INTERVAL_ROUND : INTERVAL_WITHIN_RUN;
    values[COMPARISON_OF_EXPOSED] = (struct comparison_value){
        .base = base->communication_ratio, .now = now->communication_ratio, .unlike = step->unlike};
}

/* Of the kind that BASE's gate reads, or else that NEW's does, or any that both have. */
static void set_peak(const struct comparison_strategy *row, struct comparison_value *value)
{
    const struct comparison_candidate *base = row->base;
    const struct comparison_candidate *now = row->now;
    const int order[] = {base->memory_kind, now->memory_kind, MEMORY_DEVICE, MEMORY_RESERVED,
                         MEMORY_ALLOCATED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (order[i] < 0 || isnan(base->peak_mb[order[i]]) || isnan(now->peak_mb[order[i]]))
            continue;
        *value = (struct comparison_value){.base = base->peak_mb[order[i]],
                                           .now = now->peak_mb[order[i]],
                                           .kind = memory_kind_name((enum memory_kind)order[i])};
        return;
    }
    *value = (struct comparison_value){
        .base = base->memory_kind < 0 ? (double)NAN : base->peak_mb[base->memory_kind],
        .now = now->memory_kind < 0 ? (double)NAN : now->peak_mb[now->memory_kind],
        .unlike = "kind"};
}

/* Every run of it failed: what was measured until then is a part of a run. */
static bool is_partial(const struct comparison_candidate *candidate)
{
    return candidate->failure != NULL &&
           (candidate->failed_repeats == 0 || candidate->failed_repeats >= candidate->repeats);
}

static void compare_losses(const struct comparison_strategy *row, struct comparison_losses *losses)
{
    const struct series *base = &row->base->losses;
    const struct series *now = &row->now->losses;
    *losses = (struct comparison_losses){.base_count = base->count,
                                         .now_count = now->count,
                                         .first_difference = -1,
                                         .largest_at = -1,
                                         .broken_at = -1};
    losses->compared = base->count < now->count ? base->count : now->count;
    for (size_t i = 0; i < losses->compared; i++) {
        double before = base->values[i];
        double after = now->values[i];
        if (isnan(before) || before == after)
            continue;
        if (losses->first_difference < 0)
            losses->first_difference = (long)i;
        if (isnan(after)) {
            losses->broken_at = losses->broken_at < 0 ? (long)i : losses->broken_at;
            continue;
        }
        double difference = fabs(relative_to(after - before, before));
        if (losses->largest_at < 0 || difference > losses->largest) {
            losses->largest = difference;
            losses->largest_at = (long)i;
        }
    }
}

void comparison_parts_values(const struct comparison_settings *settings,
                             struct comparison_strategy *row)
{
    struct comparison_value *values = row->values;
    set_times(row, values);
    set_peak(row, &values[COMPARISON_OF_PEAK]);
    values[COMPARISON_OF_PAYLOAD] =
        (struct comparison_value){.base = row->base->payload_mb, .now = row->now->payload_mb};
    values[COMPARISON_OF_RESIDENT] =
        (struct comparison_value){.base = row->base->resident_mb, .now = row->now->resident_mb};
    values[COMPARISON_OF_CHECKPOINT] = (struct comparison_value){
        .base = row->base->checkpoint_peak_mb, .now = row->now->checkpoint_peak_mb};
    bool partial = is_partial(row->base) || is_partial(row->now);
    for (int quantity = 0; quantity < COMPARISON_QUANTITY_COUNT; quantity++) {
        if (partial)
            values[quantity].unlike = "failed";
        if (quantity != COMPARISON_OF_THROUGHPUT && quantity != COMPARISON_OF_STEP_TIME)
            values[quantity].ratio = (struct interval){NAN, NAN};
        judge(settings, (enum comparison_quantity)quantity, &values[quantity]);
    }
    /* The step time says the same as the throughput: it counts where there is none. */
    if (values[COMPARISON_OF_THROUGHPUT].verdict != COMPARISON_NOT_MEASURED)
        values[COMPARISON_OF_STEP_TIME].beyond = false;
    /* A run that fails has lost its metrics with that, which is said once. */
    for (int quantity = 0; quantity < COMPARISON_QUANTITY_COUNT && row->now->failure != NULL;
         quantity++)
        if (values[quantity].verdict == COMPARISON_LOST)
            values[quantity].beyond = false;
    compare_losses(row, &row->losses);
}
