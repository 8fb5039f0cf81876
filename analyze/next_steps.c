#include "next_steps.h"

#include <math.h>
#include <string.h>

#include "collector_command.h"
#include "message_table.h"
#include "text_buffer.h"

/* More repairs would not be read; the invalid sources are listed in full elsewhere. */
#define MAX_REPAIRS 5

static struct action *add(struct next_steps *steps)
{
    struct action *items =
        arena_room(steps->arena, steps->items, steps->count, &steps->capacity, sizeof *items);
    if (items == NULL)
        return NULL;
    steps->items = items;
    struct action *action = &steps->items[steps->count];
    *action = (struct action){.gate = "",
                              .kind = "collect",
                              .strategy = STRATEGY_COUNT,
                              .world_size = NAN,
                              .micro_batch = NAN,
                              .gradient_accumulation = NAN,
                              .activation_checkpointing = -1,
                              .predicted_peak_mb = NAN};
    return action;
}

/* Completes the action that add() began with its sentence. */
static enum status say(struct next_steps *steps, const char *id,
                       const struct sentence_value *values, size_t count, struct diag *diag)
{
    enum status status = message_table_make(steps->arena, id, values, count,
                                            &steps->items[steps->count].message, diag);
    if (status == STATUS_OK)
        steps->count++;
    return status;
}

static const char *first_error(const struct finding_list *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == FINDING_ERROR)
            return findings->items[i].message;
    return "";
}

enum status next_steps_repairs(const struct evidence_set *set, struct next_steps *steps,
                               struct diag *diag)
{
    for (size_t i = 0; set != NULL && i < set->rejected_count && i < MAX_REPAIRS; i++) {
        struct action *action = add(steps);
        if (action == NULL)
            return diag_no_memory(diag);
        action->kind = "fix_input";
        const struct sentence_value values[] = {
            MESSAGE_TEXT("path", set->rejected[i].path),
            MESSAGE_TEXT("error", first_error(&set->rejected[i].findings))};
        enum status status = say(steps, "action.fix_input", values, 2, diag);
        if (status != STATUS_OK)
            return status;
    }
    if (set == NULL || set->incomplete == NULL)
        return STATUS_OK;
    struct action *action = add(steps);
    if (action == NULL)
        return diag_no_memory(diag);
    action->kind = "fix_input";
    const struct sentence_value values[] = {MESSAGE_TEXT("failure", set->incomplete)};
    return say(steps, "action.complete_summary", values, 1, diag);
}

/* The strategies of the group, with commas, in the order of the table; NULL: memory exhausted. */
static const char *strategies_of(const struct group *group, struct arena *arena)
{
    bool seen[STRATEGY_COUNT] = {false};
    for (size_t i = 0; i < group->candidate_count; i++)
        seen[group->candidates[i].strategy] = true;
    struct text_buffer text = {0};
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (seen[i])
            text_buffer_printf(&text, "%s%s", text.length > 0 ? "," : "",
                               training_state_row((enum strategy)i)->name);
    const char *copy = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return copy;
}

/* A repetition of the whole group's runs; the command where the collector can make one. */
static enum status repeat(const struct group *group, double world_size, const char *backend,
                          struct next_steps *steps, struct diag *diag)
{
    struct action *action = &steps->items[steps->count];
    struct collector_command what = {.like = &group->candidates[0],
                                     .strategy = strategies_of(group, steps->arena),
                                     .world_size = world_size,
                                     .micro_batch = NAN,
                                     .gradient_accumulation = NAN,
                                     .activation_checkpointing = -1,
                                     .backend = backend};
    action->world_size = isnan(world_size) ? what.like->workload.world_size : world_size;
    if (what.strategy == NULL || !collector_command_make(&what, steps->arena, &action->command))
        return diag_no_memory(diag);
    return STATUS_OK;
}

static enum status collect_real(const struct group *group, struct next_steps *steps,
                                struct diag *diag)
{
    if (add(steps) == NULL)
        return diag_no_memory(diag);
    enum status status = repeat(group, NAN, "cuda", steps, diag);
    if (status != STATUS_OK)
        return status;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("level", group->level_name != NULL ? group->level_name : "")};
    return say(steps, "action.collect_multi_gpu", values, 1, diag);
}

static enum status collect_more_ranks(const struct group *group, struct next_steps *steps,
                                      struct diag *diag)
{
    if (add(steps) == NULL)
        return diag_no_memory(diag);
    enum status status = repeat(group, 2, NULL, steps, diag);
    if (status != STATUS_OK)
        return status;
    return say(steps, "action.more_ranks", NULL, 0, diag);
}

static enum status state_world_size(const struct candidate *candidate, struct next_steps *steps,
                                    struct diag *diag)
{
    struct action *action = add(steps);
    if (action == NULL)
        return diag_no_memory(diag);
    action->kind = "fix_input";
    const struct sentence_value values[] = {MESSAGE_TEXT(
        "path", candidate->record_count > 0 ? candidate->records[0]->path : candidate->label)};
    return say(steps, "action.state_world_size", values, 1, diag);
}

static enum status run_baseline(const struct candidate *selected, const struct policy *policy,
                                struct next_steps *steps, struct diag *diag)
{
    struct action *action = add(steps);
    if (action == NULL)
        return diag_no_memory(diag);
    const char *baseline = training_state_row(policy->baseline)->name;
    const struct collector_command what = {.like = selected,
                                           .strategy = baseline,
                                           .world_size = NAN,
                                           .micro_batch = NAN,
                                           .gradient_accumulation = NAN,
                                           .activation_checkpointing = -1};
    action->strategy = policy->baseline;
    action->world_size = selected->workload.world_size;
    if (!collector_command_make(&what, steps->arena, &action->command))
        return diag_no_memory(diag);
    const struct sentence_value values[] = {MESSAGE_TEXT("baseline", baseline),
                                            MESSAGE_TEXT("strategy", selected->label)};
    return say(steps, "action.run_baseline", values, 2, diag);
}

static enum status use_smaller(const struct candidate *candidate, struct next_steps *steps,
                               struct diag *diag)
{
    struct action *action = add(steps);
    if (action == NULL)
        return diag_no_memory(diag);
    action->gate = "memory";
    action->kind = "strategy";
    action->strategy = candidate->strategy;
    action->world_size = candidate->workload.world_size;
    action->micro_batch = candidate->workload.micro_batch;
    action->gradient_accumulation = candidate->workload.gradient_accumulation;
    action->activation_checkpointing = candidate->workload.activation_checkpointing;
    action->predicted_peak_mb = candidate->peak_mb;
    action->basis = "measured";
    action->verified = true;
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", candidate->label),
                                            MESSAGE_NUMBER("peak_mb", candidate->peak_mb)};
    return say(steps, "action.use_smaller", values, 2, diag);
}

static enum status adjust(const struct planner *planner, const struct policy *policy,
                          struct next_steps *steps, struct diag *diag)
{
    const struct action *actions;
    size_t count;
    enum status status = planner_actions(planner, policy, steps->arena, &actions, &count, diag);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct action *action = add(steps);
        if (action == NULL)
            return diag_no_memory(diag);
        *action = actions[i];
        steps->count++;
    }
    return status;
}

/* Below the fraction: a candidate that is there already, else adjustments under that tighter
 * limit. */
static enum status below_fraction(const struct decide_case *decided, struct next_steps *steps,
                                  struct diag *diag)
{
    const struct decide_input *input = decided->input;
    long below = decided->facts.below_fraction;
    if (below >= 0)
        return use_smaller(&input->group->candidates[below], steps, diag);
    struct policy tighter = *decided->policy;
    tighter.memory_limit_mb *= tighter.max_memory_fraction;
    return adjust(input->planner, &tighter, steps, diag);
}

enum status next_steps_add(const struct decide_case *decided, struct next_steps *steps,
                           struct diag *diag)
{
    const struct decide_input *input = decided->input;
    const struct decide_facts *facts = &decided->facts;
    const struct candidate *candidates = input->group->candidates;
    const char *name = decided->rule->name;
    if (strcmp(name, "no_evidence") == 0 || strcmp(name, "incomplete") == 0)
        return next_steps_repairs(input->set, steps, diag);
    if (strcmp(name, "evidence_level") == 0)
        return collect_real(input->group, steps, diag);
    if (strcmp(name, "not_sharded") == 0)
        return collect_more_ranks(input->group, steps, diag);
    if (strcmp(name, "not_comparable") == 0)
        return state_world_size(&candidates[facts->world_size_absent], steps, diag);
    if (strcmp(name, "memory_fraction") == 0)
        return below_fraction(decided, steps, diag);
    if (strcmp(name, "no_baseline") == 0 && facts->baseline < 0)
        return run_baseline(&candidates[facts->selected], decided->policy, steps, diag);
    if (strcmp(name, "adjustment") == 0 || strcmp(name, "all_failed") == 0)
        return adjust(input->planner, decided->policy, steps, diag);
    return STATUS_OK;
}

enum status next_steps_not_comparable(const struct group_list *groups, struct next_steps *steps,
                                      struct diag *diag)
{
    const struct group_difference *difference = &groups->difference;
    if (add(steps) == NULL)
        return diag_no_memory(diag);
    const struct sentence_value values[] = {
        MESSAGE_TEXT("field", difference->field != NULL ? difference->field : "world_size"),
        MESSAGE_TEXT("value", difference->value_a != NULL ? difference->value_a : "...")};
    return say(steps, "action.same_settings", values, 2, diag);
}
