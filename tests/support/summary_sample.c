#include "summary_sample.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary_sample_margins.h"
#include "summary_sample_measured.h"

const char *const summary_sample_kind_names[SUMMARY_SAMPLE_KIND_COUNT] = {
    "complete", "missing", "failed", "extreme", "names"};

static const char *const strategies[] = {"ddp", "zero1", "zero2", "zero3", "fsdp_full_shard"};
/* 7.5e8 parameters in bf16 on 4 ranks, MiB: parameters, gradients, optimizer state. */
static const double states[5][3] = {{1430.511, 1430.511, 8583.069},
                                    {1430.511, 1430.511, 2145.767},
                                    {1430.511, 357.628, 2145.767},
                                    {357.628, 357.628, 2145.767},
                                    {715.256, 715.256, 1430.511}};
static const double temporaries[5] = {50, 50, 75, 420, 610};
static const double throughputs[5] = {456000, 448300, 431900, 371250, 402480};
static const double ratios[5] = {0.081, 0.093, 0.128, 0.272, 0.194};

static void *take(struct summary *summary, size_t size)
{
    void *memory = arena_take(&summary->arena, size);
    if (memory == NULL)
        abort();
    return memory;
}

static const char *label(struct summary *summary, const char *strategy, size_t batch)
{
    char local[64];
    snprintf(local, sizeof local, "%s, micro-batch %zu", strategy, batch);
    char *copy = take(summary, strlen(local) + 1);
    return strcpy(copy, local);
}

static void clear(struct summary_candidate *candidate)
{
    double *numbers[] = {&candidate->rank,
                         &candidate->micro_batch,
                         &candidate->gradient_accumulation,
                         &candidate->global_batch,
                         &candidate->peak_memory_mb,
                         &candidate->throughput,
                         &candidate->step_time_ms,
                         &candidate->communication_ratio,
                         &candidate->skew_ratio,
                         &candidate->in_flight_ratio,
                         &candidate->checkpoint_peak_memory_mb,
                         &candidate->utilisation,
                         &candidate->allocated_mb,
                         &candidate->reserved_mb,
                         &candidate->device_mb,
                         &candidate->ledger.parameters_mb,
                         &candidate->ledger.gradients_mb,
                         &candidate->ledger.optimizer_state_mb,
                         &candidate->ledger.resident_mb,
                         &candidate->ledger.persistent_parameters_mb,
                         &candidate->ledger.padding_mb,
                         &candidate->ledger.residual_mb,
                         &candidate->formula_payload_mb,
                         &candidate->ledger.predicted_peak_mb,
                         &candidate->step_time_smallest_ms,
                         &candidate->step_time_largest_ms,
                         &candidate->step_time_variation,
                         &candidate->step_time_lower_ms,
                         &candidate->step_time_upper_ms,
                         &candidate->throughput_lower,
                         &candidate->throughput_upper,
                         &candidate->ratio_lower,
                         &candidate->ratio_upper,
                         &candidate->failure.rank,
                         &candidate->failure.step};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = NAN;
}

static void fill(struct summary *summary, struct summary_candidate *candidate, size_t index)
{
    size_t s = index % 5;
    size_t batch = (size_t)1 << (index / 5 % 8);
    struct summary_amount *temporary = take(summary, sizeof *temporary);
    *temporary = (struct summary_amount){"gathered_parameters", NULL, temporaries[s]};
    clear(candidate);
    candidate->strategy = strategies[s];
    candidate->label = strategies[s];
    if (index >= 5) {
        struct summary_condition *varied = take(summary, sizeof *varied);
        char *text = take(summary, 8);
        snprintf(text, 8, "%zu", batch);
        *varied = (struct summary_condition){
            .name = "micro_batch", .text = text, .number = (double)batch};
        candidate->varied = (struct summary_conditions){varied, 1};
        candidate->label = label(summary, strategies[s], batch);
    }
    candidate->evidence_level = "multi_gpu";
    candidate->ledger = (struct summary_ledger){
        .available = true,
        .source = "formula",
        .parameters_mb = states[s][0],
        .gradients_mb = states[s][1],
        .optimizer_state_mb = states[s][2],
        .resident_mb = states[s][0] + states[s][1] + states[s][2],
        .persistent_parameters_mb = s == 3 ? 96 : NAN,
        .padding_mb = s == 3 ? 12 : NAN,
        .temporary = {temporary, 1},
    };
    candidate->memory_kind = "reserved";
    candidate->peak_memory_mb =
        candidate->ledger.resident_mb + temporaries[s] + 2600.0 * (double)batch + 130.0 * (double)s;
    candidate->throughput_unit = "tokens/s";
    candidate->throughput = throughputs[s] * (1 + 0.11 * (double)(index / 5));
    candidate->communication_ratio = ratios[s] / (1 + 0.2 * (double)(index / 5));
    candidate->repeats = 1;
    candidate->source_count = 1;
    summary_sample_measure(summary, candidate, index);
}

static void drop_metrics(struct summary_candidate *candidate, size_t index)
{
    if (index % 3 == 0)
        candidate->peak_memory_mb = NAN;
    if (index % 2 == 1)
        candidate->communication_ratio = NAN;
    if (index % 4 == 1) {
        candidate->ledger = (struct summary_ledger){.available = false};
        candidate->scale = (struct summary_scale){0};
    }
    if (index % 4 == 2) {
        candidate->throughput = NAN;
        summary_sample_interrupt(candidate, 0);
    }
    if (index % 4 == 3) { /* another tool's output: medians alone */
        candidate->timing.available = false;
        candidate->step_times = (struct summary_samples){0};
        candidate->losses = (struct summary_numbers){0};
        candidate->phase_count = 0;
        candidate->collective_count = 0;
        candidate->link_count = 0;
    }
    if (index % 5 == 4)
        candidate->peak_memory_mb = candidate->ledger.available ? 1800 : NAN;
}

static void stretch(struct summary_candidate *candidate, size_t index)
{
    static const double factors[] = {1e15, 1e-9, 1e6, 1, 3e14};
    double factor = factors[index % 5];
    candidate->peak_memory_mb = factor;
    candidate->throughput = factor * 3;
    candidate->communication_ratio = index % 3 == 0 ? 1e-9 : index % 3 == 1 ? 1 : 0.5;
    candidate->ledger.parameters_mb = factor / 7;
    candidate->ledger.gradients_mb = index % 2 == 0 ? factor / 7 : factor * 2;
    candidate->ledger.optimizer_state_mb = factor / 3;
    summary_sample_stretch(candidate, throughputs[index % 5] / candidate->throughput);
    summary_sample_diverge(candidate, index);
}

#define HAN                                                                                        \
    "\xE8\xAE\xAD\xE7\xBB\x83\xE7\x8A\xB6\xE6\x80\x81\xE5\x88\x87\xE5\x88\x86" /* 6 characters */
#define HAN30 HAN HAN HAN HAN HAN

static void rename_candidate(struct summary_candidate *candidate, size_t index)
{
    static const char *const names[] = {
        HAN30 HAN30 HAN30 HAN30,
        "a_very_long_candidate_name_without_a_single_space_that_goes_on_and_on_for_ever_and_then_"
        "some_more_of_it_until_nobody_reads_it_any_longer_x1",
        "<b>&amp;\"quoted\" 'name' =1+1</b>",
        "\xD7\xA2\xD7\x91\xD7\xA8\xD7\x99\xD7\xAA \xD8\xB9\xD8\xB1\xD8\xA8\xD9\x8A zero2",
        "line\nbreak\ttab \x1b[31mred\x80 \xE2\x80\xAE"
        "desrever",
        "z\xCC\x80\xCC\x81\xCC\x82\xCC\x83\xCC\x84\xCC\x85\xCC\x86\xCC\x87\xCC\x88\xCC\x89"
        "a\xCC\x80\xCC\x81\xCC\x82\xCC\x83\xCC\x84\xCC\x85 l\xCC\x80g\xCC\xA7\xCC\xA8\xCC\xB2o",
        "",
        "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC emoji \xF0\x9F\x9A\x80",
    };
    candidate->label = names[index % (sizeof names / sizeof names[0])];
}

static void fail(struct summary_candidate *candidate, size_t index)
{
    static const char *const reasons[] = {
        "CUDA out of memory",
        "out of memory: rank 3 asked for 2,147,483,648 bytes in backward, step 7, of which "
        "1,073,741,824 were free; the allocator had reserved 23.1 GiB and could not return any of "
        "it to the device, so that the run was ended by the watchdog after 600 s",
        "\xE6\x98\xBE\xE5\xAD\x98\xE4\xB8\x8D\xE8\xB6\xB3" HAN30,
    };
    candidate->failure.reason = reasons[index % 3];
    candidate->throughput = NAN;
    candidate->communication_ratio = NAN;
    if (index % 2 == 0)
        candidate->peak_memory_mb = NAN;
    if (index % 4 == 1) {
        candidate->ledger = (struct summary_ledger){.available = false};
        candidate->scale = (struct summary_scale){0};
    }
    summary_sample_interrupt(candidate, index % 3 == 1 ? 7 : 0);
}

/* ---- Judging ---- */

static void add_gate(struct summary_gate *gate, const char *name, double value, double limit)
{
    bool at_most = strcmp(name, "throughput") != 0;
    bool passes = at_most ? value <= limit : value >= limit;
    *gate = (struct summary_gate){.name = name, .value = value, .limit = limit};
    gate->unit = !at_most ? "tokens/s" : strcmp(name, "memory") == 0 ? "MiB" : "ratio";
    gate->verdict = isnan(limit)                                                    ? "not_applied"
                    : isnan(value)                                                  ? "not_measured"
                    : !passes                                                       ? "fail"
                    : at_most && value > 0.9 * limit && strcmp(name, "memory") == 0 ? "tight"
                                                                                    : "pass";
    gate->failed = !isnan(limit) && !passes;
    gate->margin = at_most ? limit - value : value - limit;
    gate->margin_percent = 100 * gate->margin / limit;
}

static void judge(struct summary *summary, struct summary_candidate *candidate)
{
    struct summary_gate *gates = take(summary, 4 * sizeof *gates);
    const char **failures = take(summary, 4 * sizeof *failures);
    const struct summary_policy *policy = &summary->policy;
    bool failed = candidate->failure.reason != NULL;
    gates[0] = (struct summary_gate){.name = "runtime",
                                     .verdict = failed ? "fail" : "pass",
                                     .failed = failed,
                                     .detail = failed ? candidate->failure.reason : "completed",
                                     .value = NAN,
                                     .limit = NAN,
                                     .margin = NAN,
                                     .margin_percent = NAN};
    add_gate(&gates[1], "memory", candidate->peak_memory_mb, policy->memory_limit_mb);
    add_gate(&gates[2], "throughput", candidate->throughput, policy->min_throughput);
    add_gate(&gates[3], "communication", candidate->communication_ratio,
             policy->max_communication_ratio);
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (i > 0 && failed && isnan(gates[i].value)) {
            gates[i].verdict = "not_evaluated";
            gates[i].failed = false;
        }
        if (gates[i].failed)
            failures[count++] = gates[i].name;
    }
    candidate->gates = gates;
    candidate->gate_count = 4;
    candidate->gate_failures = (struct summary_texts){failures, count};
    candidate->eligible = count == 0;
    candidate->rank = NAN;
}

struct summary_group *summary_sample_group(struct summary *summary)
{
    return (struct summary_group *)(uintptr_t)summary->groups;
}

struct summary_candidate *summary_sample_candidate(struct summary *summary, size_t index)
{
    return (struct summary_candidate *)(uintptr_t)&summary->groups[0].candidates[index];
}

/* The eligible ones by throughput, then the others as they stand. */
static void put_in_order(struct summary *summary, struct summary_group *group)
{
    size_t *order = take(summary, (group->candidate_count + 1) * sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        size_t at = count++;
        if (group->candidates[i].eligible)
            for (; at > 0 &&
                   (!group->candidates[order[at - 1]].eligible ||
                    group->candidates[order[at - 1]].throughput < group->candidates[i].throughput);
                 at--)
                order[at] = order[at - 1];
        order[at] = i;
    }
    group->order = order;
}

void summary_sample_judge(struct summary *summary)
{
    struct summary_group *group = summary_sample_group(summary);
    long best = -1;
    for (size_t i = 0; i < group->candidate_count; i++) {
        struct summary_candidate *candidate = summary_sample_candidate(summary, i);
        judge(summary, candidate);
        if (candidate->eligible &&
            (best < 0 || candidate->throughput > group->candidates[best].throughput))
            best = (long)i;
    }
    if (best >= 0)
        summary_sample_candidate(summary, (size_t)best)->rank = 1;
    group->decision.decision = best >= 0 ? "accept" : "reject";
    group->decision.candidate = best;
    group->decision.strategy = best >= 0 ? group->candidates[best].strategy : NULL;
    group->decision.label = best >= 0 ? group->candidates[best].label : NULL;
    put_in_order(summary, group);
    summary_sample_find_front(group);
    summary_sample_margins(summary);
    summary->decision = group->decision;
}

void summary_sample_make(struct summary *summary, enum summary_sample_kind kind, size_t count)
{
    *summary = (struct summary){
        .program_version = "0.1.0",
        .policy = {.memory_limit_mb = 24576,
                   .min_throughput = kind == SUMMARY_SAMPLE_EXTREME ? 2e6 : 400000,
                   .max_communication_ratio = 0.25,
                   .max_memory_fraction = NAN,
                   .tight_memory_fraction = 0.9,
                   .max_step_time_variation = NAN,
                   .throughput_unit = "tokens/s",
                   .goal = "throughput",
                   .baseline = "ddp"},
    };
    struct summary_group *group = take(summary, sizeof *group);
    struct summary_candidate *candidates = take(summary, (count + 1) * sizeof *candidates);
    *group = (struct summary_group){.label = "gpt2_750m, 4 ranks, global batch 320",
                                    .evidence_level = "multi_gpu",
                                    .device = "NVIDIA A10G",
                                    .model = "gpt2_750m",
                                    .dtype = "bf16",
                                    .times_count = true,
                                    .world_size = 4,
                                    .global_batch = 320,
                                    .seq_len = 1024,
                                    .parameters = 7.5e8,
                                    .device_count = 4,
                                    .candidates = candidates,
                                    .candidate_count = count};
    group->decision = (struct summary_decision){
        .baseline = "ddp", .goal = "throughput", .gain = NAN, .candidate = -1};
    summary_sample_describe(group);
    summary->groups = group;
    summary->group_count = 1;
    for (size_t i = 0; i < count; i++) {
        fill(summary, &candidates[i], i);
        if (kind == SUMMARY_SAMPLE_MISSING)
            drop_metrics(&candidates[i], i);
        if (kind == SUMMARY_SAMPLE_EXTREME)
            stretch(&candidates[i], i);
        if (kind == SUMMARY_SAMPLE_NAMES) {
            rename_candidate(&candidates[i], i);
            summary_sample_vary(summary, &candidates[i], i);
        }
        if (kind == SUMMARY_SAMPLE_FAILED || (kind == SUMMARY_SAMPLE_COMPLETE && i % 7 == 4) ||
            (kind == SUMMARY_SAMPLE_NAMES && i % 5 == 4))
            fail(&candidates[i], i);
    }
    if (kind != SUMMARY_SAMPLE_COMPLETE)
        group->evidence_level = "published_report";
    summary_sample_judge(summary);
}

void summary_sample_fini(struct summary *summary)
{
    arena_fini(&summary->arena);
    *summary = (struct summary){0};
}
