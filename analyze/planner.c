#include "planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector_command.h"
#include "gates.h"
#include "message_table.h"
#include "text_buffer.h"

/* More would not be read; room for every adjustment of one run that fails memory. */
#define MAX_ACTIONS 6

const char *planner_kind_name(enum planner_kind kind)
{
    static const char *const names[] = {
        [PLANNER_STRATEGY] = "strategy",
        [PLANNER_MICRO_BATCH] = "micro_batch",
        [PLANNER_ACCUMULATION] = "gradient_accumulation",
        [PLANNER_CHECKPOINTING] = "activation_checkpointing",
        [PLANNER_COLLECT] = "collect",
        [PLANNER_FIX_INPUT] = "fix_input",
    };
    return names[kind];
}

const char *planner_gate_name(enum planner_gate gate)
{
    static const char *const names[] = {
        [PLANNER_MEMORY] = "memory",
        [PLANNER_THROUGHPUT] = "throughput",
        [PLANNER_COMMUNICATION] = "communication",
        [PLANNER_OTHER] = "",
    };
    return names[gate];
}

const char *planner_basis_name(enum planner_basis basis)
{
    static const char *const names[] = {
        [PLANNER_SCALED] = "estimated",
        [PLANNER_DEVICE] = "with libraries",
        [PLANNER_AT_MOST] = "at most",
        [PLANNER_EXACT] = "exact",
    };
    return names[basis];
}

static void find_any(void *context, const struct plan *plan)
{
    bool *found = context;
    *found = *found || !plan->fails;
}

bool planner_finds(const struct planner *planner, const struct policy *policy)
{
    bool found = false;
    planner_each(planner, policy, find_any, &found);
    return found;
}

/* The best few plans, in order, without two of one kind for the same setting. */
struct shortlist {
    struct plan plans[MAX_ACTIONS];
    size_t count;
};

/* Below 0: a is the better advice. Equal: the one that came first stays. */
static int compare_plans(const struct plan *a, const struct plan *b)
{
    if ((a->missing_count == 0) != (b->missing_count == 0))
        return a->missing_count == 0 ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int step_a = abs((int)a->strategy - (int)a->from->strategy);
    int step_b = abs((int)b->strategy - (int)b->from->strategy);
    return step_a - step_b;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_advice(const struct plan *a, const struct plan *b)
{
    if (a->kind != b->kind || a->gate != b->gate)
        return false;
    if (a->metric != NULL && b->metric != NULL)
        return strcmp(a->metric, b->metric) == 0;
    return a->strategy == b->strategy && same_number(a->micro_batch, b->micro_batch) &&
           same_number(a->gradient_accumulation, b->gradient_accumulation) &&
           a->activation_checkpointing == b->activation_checkpointing;
}

static void shorten(void *context, const struct plan *plan)
{
    struct shortlist *list = context;
    if (plan->fails)
        return;
    size_t place = 0;
    while (place < list->count && compare_plans(plan, &list->plans[place]) >= 0) {
        if (same_advice(plan, &list->plans[place]))
            return;
        place++;
    }
    size_t last = place; /* what makes room: the same advice from a worse place, or the end */
    while (last < list->count && !same_advice(plan, &list->plans[last]))
        last++;
    if (last == list->count) {
        if (list->count == MAX_ACTIONS)
            last--;
        else
            list->count++;
    }
    if (place >= MAX_ACTIONS)
        return;
    memmove(&list->plans[place + 1], &list->plans[place], (last - place) * sizeof *plan);
    list->plans[place] = *plan;
}

static const char *join_missing(const struct plan *plan, struct arena *arena)
{
    struct text_buffer text = {0};
    text_buffer_puts(&text, "");
    for (size_t i = 0; i < plan->missing_count; i++)
        text_buffer_printf(&text, "%s%s", i > 0 ? ", " : "", plan->missing[i]);
    const char *copy = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return copy;
}

/* The sentence: of the prediction where there is one, else of what it lacks. */
static enum status make_sentence(const struct plan *plan, const struct policy *policy,
                                 struct arena *arena, struct message *message, struct diag *diag)
{
    static const char *const with_peak[] = {"action.shard_more", "action.shard_less"};
    const char *id = plan->message;
    const char *missing = join_missing(plan, arena);
    if (missing == NULL)
        return diag_no_memory(diag);
    bool predicted = plan->missing_count == 0 || plan->kind >= PLANNER_COLLECT;
    for (size_t i = 0; i < sizeof with_peak / sizeof with_peak[0]; i++)
        if (strcmp(id, with_peak[i]) == 0 && !isnan(plan->peak_mb) && !isnan(plan->limit_mb))
            predicted = true;
    if (!predicted)
        id = arena_printf(arena, "%s_unverified", id);
    if (id == NULL)
        return diag_no_memory(diag);
    const struct candidate *from = plan->from;
    bool batch = plan->kind == PLANNER_MICRO_BATCH;
    bool strategy = plan->kind == PLANNER_STRATEGY;
    double old = batch ? from->workload.micro_batch : from->workload.gradient_accumulation;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", strategy ? training_state_row(plan->strategy)->name : from->label),
        {.name = "from", .text = strategy ? from->label : NULL, .number = old},
        MESSAGE_NUMBER("to", batch ? plan->micro_batch : plan->gradient_accumulation),
        MESSAGE_NUMBER("gradient_accumulation", plan->gradient_accumulation),
        MESSAGE_NUMBER("global_batch", plan->global_batch),
        MESSAGE_NUMBER("predicted_peak_mb", plan->peak_mb),
        MESSAGE_TEXT("basis",
                     isnan(plan->peak_mb) ? "not predicted" : planner_basis_name(plan->basis)),
        MESSAGE_NUMBER("limit_mb", plan->limit_mb),
        MESSAGE_NUMBER("ratio", from->metrics.communication_ratio),
        MESSAGE_NUMBER("predicted_ratio", plan->communication_ratio),
        MESSAGE_TEXT("missing", missing),
        MESSAGE_TEXT("metric", plan->metric != NULL ? plan->metric : ""),
        MESSAGE_TEXT("level", policy->min_evidence_level != NULL ? policy->min_evidence_level : ""),
        MESSAGE_TEXT("unit", throughput_unit_name(from->metrics.throughput_unit)),
    };
    return message_table_make(arena, id, values, sizeof values / sizeof values[0], message, diag);
}

static enum status make_action(const struct plan *plan, const struct policy *policy,
                               struct arena *arena, struct action *action, struct diag *diag)
{
    const char **missing = arena_take_array(arena, plan->missing_count, sizeof *missing);
    if (missing == NULL)
        return diag_no_memory(diag);
    if (plan->missing_count > 0)
        memcpy(missing, plan->missing, plan->missing_count * sizeof *missing);
    *action =
        (struct action){.gate = planner_gate_name(plan->gate),
                        .kind = planner_kind_name(plan->kind),
                        .strategy = plan->strategy,
                        .world_size = plan->from->workload.world_size,
                        .micro_batch = plan->micro_batch,
                        .gradient_accumulation = plan->gradient_accumulation,
                        .activation_checkpointing = plan->activation_checkpointing,
                        .predicted_peak_mb = plan->peak_mb,
                        .basis = isnan(plan->peak_mb) ? NULL : planner_basis_name(plan->basis),
                        .verified = plan->missing_count == 0,
                        .missing = missing,
                        .missing_count = plan->missing_count,
                        .changes_global_batch = plan->changes_global_batch};
    const struct collector_command what = {
        .like = plan->from,
        .strategy = training_state_row(plan->strategy)->name,
        .world_size = NAN,
        .micro_batch = plan->micro_batch,
        .gradient_accumulation = plan->gradient_accumulation,
        .activation_checkpointing = plan->activation_checkpointing,
        .backend = NULL,
    };
    if (plan->kind != PLANNER_FIX_INPUT && !collector_command_make(&what, arena, &action->command))
        return diag_no_memory(diag);
    return make_sentence(plan, policy, arena, &action->message, diag);
}

enum status planner_actions(const struct planner *planner, const struct policy *policy,
                            struct arena *arena, const struct action **actions, size_t *count,
                            struct diag *diag)
{
    struct shortlist list = {.count = 0};
    planner_each(planner, policy, shorten, &list);
    struct action *result = arena_take_array(arena, list.count, sizeof *result);
    if (result == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < list.count; i++) {
        enum status status = make_action(&list.plans[i], policy, arena, &result[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    *actions = result;
    *count = list.count;
    return STATUS_OK;
}
