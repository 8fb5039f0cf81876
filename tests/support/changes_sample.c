#include "changes_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void *take(struct summary *summary, size_t size)
{
    void *memory = arena_take(&summary->arena, size);
    if (memory == NULL)
        abort();
    return memory;
}

/* A relative change with the verdict that suits it. */
struct change {
    double relative;
    const char *verdict;
    double half; /* of its interval; NAN: none */
};

static const struct change changes[] = {{0, "same", NAN},
                                        {0.074, "better", 0.02},
                                        {-0.12, "worse", 0.01},
                                        {-0.004, "within_noise", 0.011},
                                        {0.013, "within_tolerance", NAN},
                                        {0.35, "better", NAN}};

static struct changes_value value_of(const char *name, const char *unit, double now, size_t index)
{
    struct change turned = changes[index % COUNT(changes)];
    const struct change *change = &turned;
    if (strcmp(name, "throughput") != 0) /* less is better */
        turned.relative = -turned.relative;
    struct changes_value value = {.name = name,
                                  .category = "throughput",
                                  .verdict = change->verdict,
                                  .unit = unit,
                                  .interval_unit = index % 4 == 1 ? "round" : "within_run",
                                  .base = now / (1 + change->relative),
                                  .now = now,
                                  .relative = change->relative,
                                  .lower = 1 + change->relative - change->half,
                                  .upper = 1 + change->relative + change->half,
                                  .worse_by = fabs(change->relative),
                                  .beyond = strcmp(change->verdict, "worse") == 0};
    value.change = value.now - value.base;
    if (isnan(now)) {
        value.verdict = index % 2 == 0 ? "not_measured" : "no_longer_measured";
        value.relative = value.change = value.lower = value.upper = NAN;
    }
    return value;
}

static const struct changes_candidate *
side_of(struct summary *summary, const struct summary_candidate *candidate, bool failed)
{
    struct changes_candidate *side = take(summary, sizeof *side);
    *side = (struct changes_candidate){.label = candidate->label,
                                       .evidence_level = candidate->evidence_level,
                                       .failure = failed ? candidate->failure.reason : NULL,
                                       .eligible = candidate->eligible,
                                       .rank = candidate->rank,
                                       .repeats = 1,
                                       .samples = 24,
                                       .gates = candidate->gates,
                                       .gate_count = candidate->gate_count};
    return side;
}

static void fill(struct summary *summary, const struct summary_candidate *candidate, size_t index,
                 struct changes_strategy *strategy)
{
    bool failed = candidate->failure.reason != NULL;
    struct changes_value *values = take(summary, 4 * sizeof *values);
    values[0] = value_of("throughput", "tokens/s", candidate->throughput, index + 1);
    values[1] = value_of("peak_memory_mb", "MiB", candidate->peak_memory_mb, index * 3);
    values[2] = value_of("communication_ratio", "ratio", candidate->communication_ratio, index + 2);
    values[3] = value_of("communication_payload_mb", "MiB", candidate->formula_payload_mb, 0);
    for (size_t i = 0; i < 4 && failed; i++) {
        values[i].verdict = "not_comparable";
        values[i].unlike = "failed";
    }
    *strategy = (struct changes_strategy){
        .label = candidate->label,
        .strategy = candidate->strategy,
        .presence = index % 11 == 9    ? "missing"
                    : index % 11 == 10 ? "new"
                                       : "both",
        .base = index % 11 == 10 ? NULL : side_of(summary, candidate, false),
        .now = index % 11 == 9 ? NULL : side_of(summary, candidate, failed),
        .values = values,
        .value_count = index % 11 >= 9 ? 0 : 4,
        .losses = {.told = true,
                   .base_count = 26,
                   .now_count = 26,
                   .compared = 26,
                   .first_difference = index % 2 == 0 ? NAN : 3,
                   .largest_difference = index % 2 == 0 ? NAN : 1e-4,
                   .largest_at = index % 2 == 0 ? NAN : 7,
                   .broken_at = NAN},
    };
}

static void add_findings(struct summary *summary, struct changes_group *group)
{
    struct changes_finding *findings =
        take(summary, (group->strategy_count + 1) * sizeof *findings);
    size_t count = 0;
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_strategy *strategy = &group->strategies[i];
        if (strategy->base != NULL && strategy->now != NULL)
            continue;
        struct sentence_value *value = take(summary, sizeof *value);
        *value = (struct sentence_value){.name = "strategy", .text = strategy->label};
        bool missing = strategy->now == NULL;
        findings[count++] = (struct changes_finding){
            .message = {missing ? "compare.missing" : "compare.new_strategy", "", value, 1},
            .tendency = missing ? "regression" : "note",
            .category = "missing",
            .strategy = strategy->label,
            .beyond = missing};
    }
    group->findings = (struct changes_findings){findings, count};
}

void changes_sample_add(struct summary *summary)
{
    static const struct changes_rejected rejected[] = {{"new/broken.json", "no JSON"}};
    static const struct changes_policy_difference policy[] = {{"min_throughput", "null", "400000"}};
    static const char *const fail_on[] = {"throughput", "memory"};
    const struct summary_group *from = &summary->groups[0];
    struct changes *told = take(summary, sizeof *told);
    struct changes_group *group = take(summary, sizeof *group);
    struct changes_strategy *strategies =
        take(summary, (from->candidate_count + 1) * sizeof *strategies);
    for (size_t i = 0; i < from->candidate_count; i++)
        fill(summary, &from->candidates[i], i, &strategies[i]);
    const struct changes_choice choice = {.label = from->label,
                                          .evidence_level = from->evidence_level,
                                          .decision = from->decision.decision,
                                          .strategy = from->decision.label,
                                          .reason = from->decision.reason,
                                          .gain = NAN};
    *group = (struct changes_group){.label = from->label,
                                    .base = choice,
                                    .now = choice,
                                    .strategies = strategies,
                                    .strategy_count = from->candidate_count,
                                    .shown = true};
    add_findings(summary, group);
    *told = (struct changes){.verdict = {.id = "", .text = "Regressions: 2, improvements: 1."},
                             .regressions = 2,
                             .improvements = 1,
                             .beyond = 1,
                             .base = {.path = "base/", .kind = "archive", .sources = 5},
                             .now = {.path = "new/",
                                     .kind = "summary",
                                     .sources = 4,
                                     .rejected = rejected,
                                     .rejected_count = 1},
                             .tolerance = 0.02,
                             .max_regression = 0.1,
                             .interval_level = 0.95,
                             .fail_on = {fail_on, COUNT(fail_on)},
                             .policy = policy,
                             .policy_count = 1,
                             .groups = group,
                             .group_count = 1,
                             .shown = {0},
                             .shown_count = 1};
    summary->changes = told;
}
