#include "summary_sample_margins.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The first to fit when the memory limit goes up. */
static const struct summary_candidate *next_above(const struct summary_group *group, double limit)
{
    const struct summary_candidate *found = NULL;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct summary_candidate *candidate = &group->candidates[i];
        if (candidate->peak_memory_mb > limit &&
            (found == NULL || candidate->peak_memory_mb < found->peak_memory_mb))
            found = candidate;
    }
    return found;
}

static struct summary_sensitivity *take_rows(struct summary *summary)
{
    static const char *const names[][2] = {{"memory_limit_mb", "MiB"},
                                           {"min_throughput", "tokens/s"},
                                           {"max_communication_ratio", "ratio"},
                                           {"min_gain", "ratio"},
                                           {"max_memory_fraction", "ratio"}};
    const struct summary_policy *policy = &summary->policy;
    const double now[] = {policy->memory_limit_mb, policy->min_throughput,
                          policy->max_communication_ratio, 0, policy->max_memory_fraction};
    struct summary_sensitivity *rows = arena_take(&summary->arena, 5 * sizeof *rows);
    if (rows == NULL)
        abort();
    for (size_t i = 0; i < 5; i++)
        rows[i] = (struct summary_sensitivity){
            .limit = names[i][0], .unit = names[i][1], .current = now[i]};
    return rows;
}

void summary_sample_margins(struct summary *summary)
{
    struct summary_group *group = (struct summary_group *)(uintptr_t)summary->groups;
    struct summary_change *changes = arena_take(&summary->arena, 5 * sizeof *changes);
    struct summary_sensitivity *rows = take_rows(summary);
    if (changes == NULL)
        abort();
    group->decision.sensitivity = rows;
    group->decision.sensitivity_count = 5;
    if (group->decision.candidate < 0)
        return;
    const struct summary_candidate *best = &group->candidates[group->decision.candidate];
    const struct summary_candidate *next = next_above(group, summary->policy.memory_limit_mb);
    changes[0] =
        (struct summary_change){"down", "below", NULL, "tune", best->peak_memory_mb, NULL, NAN};
    changes[1] = (struct summary_change){"up",
                                         "at_least",
                                         next != NULL ? next->strategy : NULL,
                                         "accept",
                                         next != NULL ? next->peak_memory_mb : NAN,
                                         next != NULL ? next->label : NULL,
                                         NAN};
    changes[2] =
        (struct summary_change){"up", "above", NULL, "reject", best->throughput, NULL, NAN};
    changes[3] = (struct summary_change){"down", "any", NULL, "tune", NAN, NULL, NAN};
    changes[4] = (struct summary_change){"down",
                                         "below",
                                         best->strategy,
                                         "tune",
                                         best->peak_memory_mb / summary->policy.memory_limit_mb,
                                         best->label,
                                         NAN};
    rows[0].changes = changes;
    rows[0].change_count = isnan(best->peak_memory_mb) ? 0 : next != NULL ? 2 : 1;
    rows[1].changes = &changes[2];
    rows[1].change_count = isnan(best->throughput) ? 0 : 1;
    rows[2].changes = &changes[3];
    rows[2].change_count = isnan(best->communication_ratio) ? 1 : 0;
    rows[4].changes = &changes[4];
    rows[4].change_count = isnan(changes[4].value) ? 0 : 1;
}
