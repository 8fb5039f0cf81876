#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate_ledger.h"
#include "gates.h"
#include "planner.h"

/* ---- what was run ---- */

static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (a > b) - (a < b);
}

static int compare_settings(enum strategy strategy, const struct workload *workload,
                            const struct candidate *other)
{
    if (strategy != other->strategy)
        return strategy < other->strategy ? -1 : 1;
    int order = compare_numbers(workload->world_size, other->workload.world_size);
    if (order == 0)
        order = compare_numbers(workload->micro_batch, other->workload.micro_batch);
    if (order == 0)
        order =
            compare_numbers(workload->gradient_accumulation, other->workload.gradient_accumulation);
    if (order == 0)
        order = workload->activation_checkpointing - other->workload.activation_checkpointing;
    return order;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = *(const struct candidate *const *)left;
    const struct candidate *b = *(const struct candidate *const *)right;
    return compare_settings(a->strategy, &a->workload, b);
}

bool planner_was_run(const struct planner *planner, enum strategy strategy,
                     const struct workload *workload)
{
    size_t low = 0;
    size_t high = planner->group->candidate_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_settings(strategy, workload, planner->measured[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* ---- what a strategy holds ---- */

/* Memory that grows with the micro-batch: in a prediction it is a part of what was measured beyond
 * the ledger, not of what the strategy adds. */
static bool grows_with_batch(const char *category)
{
    return strcmp(category, "activations") == 0 || strcmp(category, "workspace") == 0;
}

static double own_temporary(const struct candidate_ledger *ledger)
{
    double sum = 0;
    for (size_t i = 0; i < ledger->temporary_count; i++)
        if (!grows_with_batch(ledger->temporary[i].category))
            sum += ledger->temporary[i].mb;
    return sum;
}

/*
 * By formula and schedule. A micro-batch of 0 leaves the activations out, and with them the need
 * for inputs that only they have; ddp and zero1 need nothing else.
 */
static enum status state_by_formula(const struct workload *workload, enum strategy strategy,
                                    struct arena *arena, struct planner_state *state,
                                    struct diag *diag)
{
    struct workload still = *workload;
    still.micro_batch = 0;
    struct candidate_ledger ledger;
    enum status status = candidate_ledger_of_workload(&still, strategy, arena, &ledger, diag);
    if (status != STATUS_OK)
        return status;
    bool adds = strategy != STRATEGY_DDP && strategy != STRATEGY_ZERO1;
    size_t more = adds ? ledger.temporary_missing_count : 0;
    const char **missing = arena_take_array(arena, ledger.missing_count + more, sizeof *missing);
    if (missing == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < ledger.missing_count; i++)
        missing[i] = ledger.missing[i];
    for (size_t i = 0; i < more; i++)
        missing[ledger.missing_count + i] = ledger.temporary_missing[i];
    double held = ledger.state.resident + candidate_ledger_kept_mb(&ledger);
    *state = (struct planner_state){.resident_mb = ledger.available ? held : NAN,
                                    .temporary_mb = adds ? ledger.temporary_mb : 0,
                                    .missing = missing,
                                    .missing_count = ledger.missing_count + more};
    return STATUS_OK;
}

/* The candidate's own strategy: as its record says where it does. */
static enum status state_of(const struct candidate *candidate, enum strategy strategy,
                            struct arena *arena, struct planner_state *state, struct diag *diag)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    if (strategy != candidate->strategy || !ledger->from_record)
        return state_by_formula(&candidate->workload, strategy, arena, state, diag);
    *state = (struct planner_state){.resident_mb =
                                        ledger->state.resident + candidate_ledger_kept_mb(ledger),
                                    .temporary_mb = own_temporary(ledger)};
    return STATUS_OK;
}

static enum status prepare_subjects(const struct group *group, const size_t *order,
                                    struct arena *arena, struct planner *planner, struct diag *diag)
{
    for (size_t i = 0; i < planner->subject_count; i++) {
        struct planner_subject *subject = &planner->subjects[i];
        subject->candidate = order[i];
        for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
            enum status status = state_of(&group->candidates[order[i]], (enum strategy)strategy,
                                          arena, &subject->states[strategy], diag);
            if (status != STATUS_OK)
                return status;
        }
    }
    return planner_walks_add(group, planner->subjects, planner->subject_count, arena, diag);
}

enum status planner_prepare(const struct group *group, const size_t *order, struct arena *arena,
                            struct planner *planner, struct diag *diag)
{
    size_t count = group->candidate_count;
    struct planner result = {.group = group};
    result.subject_count = count < PLANNER_MAX_SUBJECTS ? count : PLANNER_MAX_SUBJECTS;
    result.subjects = arena_take_array(arena, result.subject_count, sizeof *result.subjects);
    result.measured = arena_take_array(arena, count, sizeof *result.measured);
    if (result.subjects == NULL || result.measured == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        result.measured[i] = &group->candidates[i];
    if (count > 1)
        qsort(result.measured, count, sizeof *result.measured, compare_candidates);
    enum status status = prepare_subjects(group, order, arena, &result, diag);
    if (status == STATUS_OK)
        *planner = result;
    return status;
}
