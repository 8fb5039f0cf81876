#include <math.h>
#include <string.h>
#include <strings.h>

#include "gates.h"
#include "memory_change.h"
#include "planner.h"

/* Beyond this, accumulation changes the training more than it helps. */
#define LARGEST_ACCUMULATION 64

/* One subject under one policy. */
struct visit {
    const struct planner *planner;
    const struct planner_subject *subject;
    const struct candidate *from;
    const struct policy *policy;
    struct gate_result gates[PLANNER_OTHER]; /* memory, throughput, communication */
    bool out_of_memory;
    planner_visit *visit;
    void *context;
};

static void add_missing(struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->missing_count; i++)
        if (strcmp(plan->missing[i], name) == 0)
            return;
    if (plan->missing_count < PLANNER_MAX_MISSING)
        plan->missing[plan->missing_count++] = name;
}

static struct plan start(const struct visit *visit, enum planner_gate gate, enum planner_kind kind,
                         const char *message)
{
    const struct workload *workload = &visit->from->workload;
    return (struct plan){.from = visit->from,
                         .gate = gate,
                         .kind = kind,
                         .message = message,
                         .strategy = visit->from->strategy,
                         .micro_batch = workload->micro_batch,
                         .gradient_accumulation = workload->gradient_accumulation,
                         .global_batch = workload->global_batch,
                         .activation_checkpointing = workload->activation_checkpointing,
                         .peak_mb = NAN,
                         .limit_mb = visit->policy->memory_limit_mb,
                         .communication_ratio = NAN,
                         .throughput = NAN};
}

/* The policy's limit is of another kind of memory than the walk gives. */
static bool other_kind(const struct policy *policy, const struct planner_walk *walk)
{
    const enum memory_kind kind = walk->basis == PLANNER_DEVICE ? MEMORY_DEVICE : MEMORY_ALLOCATED;
    return policy->memory_kind >= 0 && policy->memory_kind != (int)kind;
}

/* What a run that ran out of memory was allowed; NAN: not told, or the fault was made on purpose.
 */
static double limit_met(const struct candidate *candidate)
{
    for (size_t i = 0; i < candidate->record_count; i++)
        if (candidate->records[i]->injected != NULL)
            return NAN;
    return candidate->failure.limit_mb;
}

/* By the collector's own schedule, where its run can be walked; false: it cannot. */
static bool walk_peak(const struct visit *visit, struct plan *plan)
{
    const struct planner_walk *walk = planner_walks_find(visit->subject, plan);
    if (walk == NULL || other_kind(visit->policy, walk))
        return false;
    plan->peak_mb = walk->peak_mb;
    plan->basis = walk->basis;
    if (!visit->out_of_memory || !isnan(plan->limit_mb))
        return true;
    plan->limit_mb = limit_met(visit->from);
    if (isnan(plan->limit_mb))
        add_missing(plan, "policy.memory_limit_mb"); /* it needs less, but is it little enough? */
    else
        plan->fails = plan->peak_mb > plan->limit_mb;
    return true;
}

/* Fills the predicted peak, or names what is missing. Without a limit no peak is asked for. */
static void predict_peak(const struct visit *visit, struct plan *plan,
                         const struct memory_change *change)
{
    struct memory_change_result result;
    if (walk_peak(visit, plan))
        return;
    memory_change_predict(visit->from, &visit->subject->states[visit->from->strategy],
                          &visit->subject->states[plan->strategy], change, &result);
    plan->peak_mb = result.peak_mb;
    if (visit->out_of_memory) { /* the peak of a run that did not get through says nothing */
        plan->peak_mb = NAN;
        add_missing(plan, "metrics.peak_memory_mb");
    }
    if (isnan(visit->policy->memory_limit_mb))
        return;
    for (size_t i = 0; i < result.missing_count; i++)
        add_missing(plan, result.missing[i]);
}

/* A gate that the subject fails must be predicted to pass; one that it passes is only looked at
 * where a prediction exists. */
static void settle_gate(const struct gate_result *gate, double predicted, bool passes,
                        const char *metric, struct plan *plan)
{
    if (!isnan(predicted) && !isnan(gate->limit))
        plan->fails = plan->fails || !passes;
    else if (gate->failed)
        add_missing(plan, metric);
}

static void emit(const struct visit *visit, struct plan *plan)
{
    const struct policy *policy = visit->policy;
    const struct gate_result *memory = &visit->gates[PLANNER_MEMORY];
    if (!isnan(plan->peak_mb) || plan->missing_count == 0) /* else the reason is named already */
        settle_gate(memory, plan->peak_mb, plan->peak_mb <= policy->memory_limit_mb,
                    "metrics.peak_memory_mb", plan);
    settle_gate(&visit->gates[PLANNER_THROUGHPUT], plan->throughput,
                plan->throughput >= policy->min_throughput, "metrics.throughput", plan);
    settle_gate(&visit->gates[PLANNER_COMMUNICATION], plan->communication_ratio,
                plan->communication_ratio <= policy->max_communication_ratio,
                "metrics.communication_ratio", plan);
    size_t count;
    const struct gate_row *rows = gate_table(&count);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].moves && visit->from->gates[i].failed && strcmp(rows[i].name, "runtime") != 0)
            add_missing(plan, rows[i].name);
    visit->visit(visit->context, plan);
}

static int sharded_parts(enum strategy strategy)
{
    const struct training_state_row *row = training_state_row(strategy);
    return row->shards_parameters + row->shards_gradients + row->shards_optimizer;
}

static bool was_run(const struct visit *visit, const struct plan *plan)
{
    struct workload workload = visit->from->workload;
    workload.micro_batch = plan->micro_batch;
    workload.gradient_accumulation = plan->gradient_accumulation;
    workload.activation_checkpointing = plan->activation_checkpointing;
    return planner_was_run(visit->planner, plan->strategy, &workload);
}

static void other_strategy(const struct visit *visit, enum planner_gate gate,
                           enum strategy strategy, const char *message)
{
    struct plan plan = start(visit, gate, PLANNER_STRATEGY, message);
    plan.strategy = strategy;
    if (was_run(visit, &plan))
        return;
    predict_peak(visit, &plan, &(struct memory_change){.batch_factor = 1});
    emit(visit, &plan);
}

static void shard_more(const struct visit *visit)
{
    int own = sharded_parts(visit->from->strategy);
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (sharded_parts((enum strategy)i) > own)
            other_strategy(visit, PLANNER_MEMORY, (enum strategy)i, "action.shard_more");
}

/* Down to `fewest` sharded parts, the closest strategy first. */
static void shard_less(const struct visit *visit, enum planner_gate gate, int fewest)
{
    int own = sharded_parts(visit->from->strategy);
    for (int i = STRATEGY_COUNT - 1; i >= 0; i--) {
        int parts = sharded_parts((enum strategy)i);
        if (parts < own && parts >= fewest)
            other_strategy(visit, gate, (enum strategy)i, "action.shard_less");
    }
}

/* Makes the plan fail where its subject is too slow already, for what is planned makes it no
 * faster; where it is fast enough, how much slower it gets is for a measurement to say. */
static void no_faster(const struct visit *visit, struct plan *plan)
{
    if (visit->gates[PLANNER_THROUGHPUT].verdict == GATE_FAIL)
        plan->throughput = visit->from->metrics.throughput;
}

/* The same for communication: more micro-batches a step do not lower its share. */
static void no_less_communication(const struct visit *visit, struct plan *plan)
{
    if (visit->gates[PLANNER_COMMUNICATION].verdict == GATE_FAIL)
        plan->communication_ratio = visit->from->metrics.communication_ratio;
}

static bool smaller_micro_batch_by(const struct visit *visit, double divisor)
{
    struct plan plan =
        start(visit, PLANNER_MEMORY, PLANNER_MICRO_BATCH, "action.smaller_micro_batch");
    plan.micro_batch /= divisor;
    plan.gradient_accumulation *= divisor;
    if (was_run(visit, &plan))
        return false;
    predict_peak(visit, &plan, &(struct memory_change){.batch_factor = 1 / divisor});
    no_faster(visit, &plan);
    no_less_communication(visit, &plan);
    emit(visit, &plan);
    return !plan.fails; /* the largest that may pass is enough */
}

static void smaller_micro_batch(const struct visit *visit)
{
    double batch = visit->from->workload.micro_batch;
    if (isnan(batch)) {
        struct plan plan =
            start(visit, PLANNER_MEMORY, PLANNER_MICRO_BATCH, "action.smaller_micro_batch");
        add_missing(&plan, "workload.micro_batch");
        no_faster(visit, &plan);
        no_less_communication(visit, &plan);
        emit(visit, &plan);
        return;
    }
    for (int divisor = 2; divisor <= PLANNER_LARGEST_DIVISOR && divisor < batch; divisor++)
        if (fmod(batch, divisor) == 0 && smaller_micro_batch_by(visit, divisor))
            return;
    if (batch > 1)
        smaller_micro_batch_by(visit, batch);
}

static void checkpointing(const struct visit *visit)
{
    if (visit->from->workload.activation_checkpointing == 1)
        return;
    struct plan plan = start(visit, PLANNER_MEMORY, PLANNER_CHECKPOINTING, "action.checkpointing");
    plan.activation_checkpointing = 1;
    if (was_run(visit, &plan))
        return;
    if (visit->from->workload.activation_checkpointing < 0)
        add_missing(&plan, "workload.activation_checkpointing");
    predict_peak(visit, &plan, &(struct memory_change){.batch_factor = 1, .checkpointing = true});
    no_faster(visit, &plan);
    emit(visit, &plan);
}

/*
 * With e the exposed and c the other time of a step of G micro-batches, k times as many take k*c
 * and e' (ddp, zero1: communicate once per step, e' = e; zero2: reduces per micro-batch and gathers
 * once, e' = e*(kG+1)/(G+1)). The ratio is e'/(k*c + e').
 */
static void accumulate_by(const struct visit *visit, double factor, struct plan *plan)
{
    double ratio = visit->from->metrics.communication_ratio;
    double accumulation = visit->from->workload.gradient_accumulation;
    double exposed = ratio;
    if (visit->from->strategy == STRATEGY_ZERO2)
        exposed = ratio * (factor * accumulation + 1) / (accumulation + 1);
    double time = factor * (1 - ratio) + exposed;
    plan->gradient_accumulation = factor * accumulation;
    plan->global_batch = factor * visit->from->workload.global_batch;
    plan->communication_ratio = exposed / time;
    plan->throughput = visit->from->metrics.throughput * factor / time;
}

static void accumulate(const struct visit *visit)
{
    struct plan plan =
        start(visit, PLANNER_COMMUNICATION, PLANNER_ACCUMULATION, "action.accumulate");
    plan.changes_global_batch = true;
    plan.peak_mb = visit->from->peak_mb; /* a micro-batch more needs no more memory */
    const struct planner_walk *own = planner_walks_find(visit->subject, &plan);
    plan.basis = own != NULL ? own->basis : PLANNER_SCALED;
    if (isnan(visit->from->workload.gradient_accumulation))
        add_missing(&plan, "workload.gradient_accumulation");
    double limit = visit->policy->max_communication_ratio;
    for (int factor = 2; factor <= LARGEST_ACCUMULATION; factor++) {
        accumulate_by(visit, factor, &plan);
        if (isnan(plan.communication_ratio) || plan.communication_ratio <= limit)
            break;
    }
    emit(visit, &plan);
}

/*
 * zero3 and fsdp communicate per micro-batch: with micro-batches k times as large the exposed time
 * per token is 1/k. What a larger micro-batch does to the others' speed cannot be predicted.
 */
static bool larger_micro_batch_by(const struct visit *visit, enum planner_gate gate, int factor)
{
    struct plan plan = start(visit, gate, PLANNER_MICRO_BATCH, "action.larger_micro_batch");
    plan.micro_batch *= factor;
    if (fmod(plan.gradient_accumulation, factor) == 0) {
        plan.gradient_accumulation /= factor;
    } else {
        plan.global_batch *= factor;
        plan.changes_global_batch = true;
    }
    if (isnan(plan.micro_batch))
        add_missing(&plan, "workload.micro_batch");
    if (was_run(visit, &plan))
        return false;
    if (sharded_parts(plan.strategy) == 3) {
        double exposed = visit->from->metrics.communication_ratio / factor;
        double time = 1 - visit->from->metrics.communication_ratio + exposed;
        plan.communication_ratio = exposed / time;
        plan.throughput = visit->from->metrics.throughput / time;
    }
    predict_peak(visit, &plan, &(struct memory_change){.batch_factor = factor});
    emit(visit, &plan);
    return !plan.fails;
}

static void larger_micro_batch(const struct visit *visit, enum planner_gate gate)
{
    for (int factor = 2; factor <= PLANNER_LARGEST_MULTIPLE; factor *= 2)
        if (larger_micro_batch_by(visit, gate, factor))
            return;
}

static void memory_failed(const struct visit *visit)
{
    shard_more(visit);
    smaller_micro_batch(visit);
    checkpointing(visit);
}

static void communication_failed(const struct visit *visit)
{
    if (sharded_parts(visit->from->strategy) < 3) {
        accumulate(visit);
        return;
    }
    larger_micro_batch(visit, PLANNER_COMMUNICATION);
    shard_less(visit, PLANNER_COMMUNICATION, 0);
}

static void throughput_failed(const struct visit *visit)
{
    shard_less(visit, PLANNER_THROUGHPUT, 0);
    larger_micro_batch(visit, PLANNER_THROUGHPUT);
}

static void collect(const struct visit *visit, enum planner_gate gate, const char *message,
                    const char *metric)
{
    struct plan plan = start(visit, gate, PLANNER_COLLECT, message);
    plan.metric = metric;
    add_missing(&plan, metric);
    visit->visit(visit->context, &plan);
}

static void fix_unit(const struct visit *visit)
{
    struct plan plan = start(visit, PLANNER_THROUGHPUT, PLANNER_FIX_INPUT, "action.unit");
    plan.metric = "policy.throughput_unit";
    add_missing(&plan, plan.metric);
    visit->visit(visit->context, &plan);
}

/* The gates whose limits do not move: evidence level, correctness, stability. */
static void other_gates(const struct visit *visit)
{
    const struct gate_result *level = gates_find(visit->from, "evidence_level");
    const struct gate_result *correctness = gates_find(visit->from, "correctness");
    const struct gate_result *stability = gates_find(visit->from, "stability");
    if (level != NULL && level->failed)
        collect(visit, PLANNER_OTHER, "action.stronger_evidence", "evidence_level");
    if (correctness != NULL && correctness->verdict == GATE_NOT_MEASURED)
        collect(visit, PLANNER_OTHER, "action.measure", "metrics.losses");
    if (stability != NULL && stability->failed)
        collect(visit, PLANNER_OTHER,
                stability->verdict == GATE_FAIL ? "action.longer_run" : "action.measure",
                "metrics.step_times_ms");
}

static void each_gate(const struct visit *visit)
{
    static const char *const metrics[] = {"metrics.peak_memory_mb", "metrics.throughput",
                                          "metrics.communication_ratio"};
    static void (*const failed[])(const struct visit *) = {memory_failed, throughput_failed,
                                                           communication_failed};
    for (int gate = 0; gate < PLANNER_OTHER; gate++) {
        enum gate_verdict verdict = visit->gates[gate].verdict;
        if (verdict == GATE_FAIL)
            failed[gate](visit);
        else if (verdict == GATE_NOT_MEASURED)
            collect(visit, (enum planner_gate)gate, "action.measure", metrics[gate]);
        else if (verdict == GATE_UNIT_DIFFERS)
            fix_unit(visit);
    }
    other_gates(visit);
}

/* Without a kind (other producers) the reason's words tell. */
static bool ran_out_of_memory(const struct failure *failure)
{
    if (!failure->failed)
        return false;
    if (failure->kind != NULL)
        return strcmp(failure->kind, "out_of_memory") == 0;
    if (failure->reason == NULL)
        return false;
    return strcasestr(failure->reason, "out of memory") != NULL ||
           strcasestr(failure->reason, "outofmemory") != NULL ||
           strcasecmp(failure->reason, "oom") == 0;
}

static void judge(struct visit *visit)
{
    static const char *const names[] = {"memory", "throughput", "communication"};
    const struct gate_context context = {visit->policy, NULL};
    size_t count;
    const struct gate_row *rows = gate_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int gate = 0; gate < PLANNER_OTHER; gate++)
            if (strcmp(rows[i].name, names[gate]) == 0)
                gates_judge(&rows[i], &context, visit->from, &visit->gates[gate]);
}

void planner_each(const struct planner *planner, const struct policy *policy, planner_visit *visit,
                  void *context)
{
    for (size_t i = 0; i < planner->subject_count; i++) {
        const struct planner_subject *subject = &planner->subjects[i];
        const struct candidate *from = &planner->group->candidates[subject->candidate];
        const struct gate_result *correctness = gates_find(from, "correctness");
        if (correctness != NULL && correctness->verdict == GATE_FAIL)
            continue; /* no adjustment mends wrong mathematics */
        struct visit one = {planner, subject, from, policy, {{0}}, false, visit, context};
        one.out_of_memory = ran_out_of_memory(&from->failure);
        judge(&one);
        if (one.out_of_memory)
            memory_failed(&one);
        else if (!from->failure.failed)
            each_gate(&one);
    }
}
