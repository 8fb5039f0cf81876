#include "analysis.h"

#include <string.h>

#include "decide.h"
#include "gates.h"
#include "message_table.h"
#include "next_steps.h"
#include "planner.h"
#include "selection.h"
#include "text.h"

/* More of one kind would bury the other notes; the selection has all. */
#define NOTED_TIES 3

/* What intervals say of the order is the first that a reader of the decision should know. */
static enum status note_ties(const struct selection *selection, struct arena *arena,
                             struct decision *decision, struct diag *diag)
{
    size_t count = 0;
    struct message *notes =
        arena_take_array(arena, decision->note_count + NOTED_TIES, sizeof *notes);
    if (notes == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < selection->tie_count && count < NOTED_TIES; i++)
        if (selection_is_interval_remark(&selection->ties[i]))
            notes[count++] = selection->ties[i];
    for (size_t i = 0; i < decision->note_count; i++)
        notes[count++] = decision->notes[i];
    decision->notes = notes;
    decision->note_count = count;
    return STATUS_OK;
}

/* Gates, selection and decision of one group. */
static enum status judge_group(struct analysis *analysis, struct group *group,
                               struct group_outcome *outcome, struct diag *diag)
{
    const struct policy *policy = &analysis->options.policy;
    struct arena *arena = &analysis->arena;
    struct planner planner = {0};
    struct decide_input input = {.group = group,
                                 .planner = &planner,
                                 .set = &analysis->set,
                                 .allow_invalid = analysis->options.allow_invalid};
    enum status status = gates_apply(policy, group, arena, diag);
    if (status == STATUS_OK)
        status = selection_rank(policy, group, arena, &input.order, diag);
    if (status == STATUS_OK)
        status = planner_prepare(group, input.order, arena, &planner, diag);
    if (status == STATUS_OK)
        status = selection_make(policy, group, input.order, arena, &outcome->selection, diag);
    if (status == STATUS_OK)
        status = decide_make(&input, policy, arena, &outcome->decision, diag);
    if (status == STATUS_OK)
        status = note_ties(&outcome->selection, arena, &outcome->decision, diag);
    return status;
}

static enum status judge_groups(struct analysis *analysis, struct diag *diag)
{
    size_t count = analysis->groups.count;
    analysis->outcomes = arena_take_array(&analysis->arena, count, sizeof *analysis->outcomes);
    if (analysis->outcomes == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        enum status status =
            judge_group(analysis, &analysis->groups.items[i], &analysis->outcomes[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status matches_all(const struct analysis *analysis, const struct group *group,
                               bool *matches, struct diag *diag)
{
    *matches = true;
    for (size_t i = 0; i < analysis->options.filter_count && *matches; i++) {
        enum status status = group_matches(group, &analysis->options.filters[i], matches, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status analysis_no_group(const struct analysis_options *options, struct diag *diag)
{
    char key[128];
    char value[256];
    const struct group_filter *filter = &options->filters[0];
    text_escape_into(key, sizeof key, filter->key, strlen(filter->key));
    text_escape_into(value, sizeof value, filter->value, strlen(filter->value));
    return diag_set(diag, STATUS_INPUT, "no group has %s=%s%s", key, value,
                    options->filter_count > 1 ? " and the other values asked for" : "");
}

/* The only group, or the only one that the filters leave. */
static enum status pick_group(struct analysis *analysis, struct diag *diag)
{
    size_t found = 0;
    analysis->picked = -1;
    for (size_t i = 0; i < analysis->groups.count; i++) {
        bool matches;
        enum status status = matches_all(analysis, &analysis->groups.items[i], &matches, diag);
        if (status != STATUS_OK)
            return status;
        if (!matches)
            continue;
        analysis->picked = (long)i;
        found++;
    }
    if (found == 0 && analysis->groups.count > 0)
        return analysis_no_group(&analysis->options, diag);
    if (found > 1)
        analysis->picked = -1;
    return STATUS_OK;
}

/* Nothing could be used: the decision of a group without candidates. */
static enum status decide_without_evidence(struct analysis *analysis, struct diag *diag)
{
    struct group nothing = {.times_count = true};
    struct group_outcome outcome;
    enum status status = judge_group(analysis, &nothing, &outcome, diag);
    if (status == STATUS_OK) {
        analysis->selection = outcome.selection;
        analysis->decision = outcome.decision;
    }
    return status;
}

static bool every_run_failed(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->groups.count; i++)
        if (strcmp(analysis->outcomes[i].decision.rule, "all_failed") != 0)
            return false;
    return true;
}

static const char *or_absent(const char *text)
{
    return text != NULL ? text : "not given";
}

/* Records that must not be compared: each group has its own decision, the whole has none. */
static enum status decide_not_comparable(struct analysis *analysis, struct diag *diag)
{
    const struct group_difference *difference = &analysis->groups.difference;
    struct arena *arena = &analysis->arena;
    struct next_steps steps = {.arena = arena};
    analysis->selection = (struct selection){.verdict = VERDICT_REJECT,
                                             .candidate = -1,
                                             .fastest = -1,
                                             .reason = "the records are not comparable"};
    struct decision decision = {
        .verdict = VERDICT_TUNE, .rule = "not_comparable", .candidate = -1, .baseline = -1};
    const struct sentence_value values[] = {
        MESSAGE_TEXT("field", or_absent(difference->field)),
        MESSAGE_TEXT("value", or_absent(difference->value_a)),
        MESSAGE_TEXT("path", or_absent(difference->path_a)),
        MESSAGE_TEXT("other_value", or_absent(difference->value_b)),
        MESSAGE_TEXT("other_path", or_absent(difference->path_b))};
    enum status status =
        message_table_make(arena, "reason.not_comparable", values, sizeof values / sizeof values[0],
                           &decision.reason, diag);
    if (status == STATUS_OK)
        status = next_steps_not_comparable(&analysis->groups, &steps, diag);
    if (status == STATUS_OK)
        status = next_steps_repairs(&analysis->set, &steps, diag);
    decision.actions = steps.items;
    decision.action_count = steps.count;
    analysis->decision = decision;
    return status;
}

static enum status decide_whole(struct analysis *analysis, struct diag *diag)
{
    if (analysis->groups.count == 0)
        return decide_without_evidence(analysis, diag);
    if (analysis->picked < 0 && !every_run_failed(analysis))
        return decide_not_comparable(analysis, diag);
    size_t index = analysis->picked < 0 ? 0 : (size_t)analysis->picked;
    analysis->selection = analysis->outcomes[index].selection;
    analysis->decision = analysis->outcomes[index].decision;
    if (analysis->picked < 0) { /* of several groups that all failed: nothing of one of them */
        analysis->decision.baseline = -1;
        analysis->decision.sensitivity_count = 0;
    }
    return STATUS_OK;
}

enum status analysis_no_evidence(const struct evidence_set *set, struct diag *diag)
{
    const char *failure = set->incomplete;
    struct text_buffer safe = {0};
    if (failure != NULL)
        text_redact(&safe, failure, strlen(failure));
    if (failure == NULL && set->skipped_count > 0)
        diag_set(diag, STATUS_INPUT, "no evidence: no record was found in the input; %s: %s",
                 set->skipped[0].path, set->skipped[0].why);
    diag_set(diag, STATUS_INPUT, "no evidence: no record was found in the input%s%s",
             safe.length > 0 ? "; a summary there says: " : "", safe.length > 0 ? safe.text : "");
    text_buffer_fini(&safe);
    return STATUS_INPUT;
}

enum status analysis_judge(struct analysis *analysis, struct diag *diag)
{
    if (analysis->set.record_count == 0 && analysis->set.rejected_count == 0)
        return analysis_no_evidence(&analysis->set, diag);
    enum status status = group_form(&analysis->set, &analysis->options.policy, &analysis->arena,
                                    &analysis->groups, diag);
    if (status == STATUS_OK)
        status = pick_group(analysis, diag);
    if (status == STATUS_OK)
        status = judge_groups(analysis, diag);
    if (status == STATUS_OK)
        status = decide_whole(analysis, diag);
    return status;
}

enum status analysis_run(struct analysis *analysis, const struct path_list *paths, const char *base,
                         const struct analysis_options *options, struct diag *diag)
{
    *analysis = (struct analysis){.options = *options, .picked = -1};
    const struct evidence_choice choice = {.only = options->only,
                                           .only_count = options->only_count};
    enum status status = evidence_set_load_chosen(&analysis->set, paths, base, &choice, diag);
    return status == STATUS_OK ? analysis_judge(analysis, diag) : status;
}

void analysis_fini(struct analysis *analysis)
{
    if (analysis == NULL)
        return;
    evidence_set_fini(&analysis->set);
    arena_fini(&analysis->arena);
    *analysis = (struct analysis){.picked = -1};
}
