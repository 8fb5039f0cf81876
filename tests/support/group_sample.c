#include "group_sample.h"

#include <criterion/criterion.h>
#include <math.h>

void group_sample_init(struct group_sample *sample)
{
    *sample = (struct group_sample){0};
    policy_init(&sample->policy);
    sample->group = (struct group){.label = "sample",
                                   .candidates = sample->candidates,
                                   .times_count = true,
                                   .level_name = "multi_gpu",
                                   .level_rank = 9};
}

struct candidate *group_sample_add(struct group_sample *sample, enum strategy strategy,
                                   double throughput, double communication_ratio, double peak_mb)
{
    size_t index = sample->group.candidate_count++;
    struct candidate *candidate = &sample->candidates[index];
    *candidate = (struct candidate){
        .label = training_state_row(strategy)->name,
        .strategy = strategy,
        .input_order = index,
        .workload = {.parameters = NAN,
                     .width = NAN,
                     .layers = NAN,
                     .heads = NAN,
                     .vocab = NAN,
                     .seq_len = NAN,
                     .micro_batch = NAN,
                     .gradient_accumulation = NAN,
                     .global_batch = NAN,
                     .world_size = 4,
                     .warmup = NAN,
                     .repeats = NAN,
                     .state_bytes = {NAN, NAN, NAN},
                     .state_bytes_sum = NAN,
                     .parameter_wire_bytes = NAN,
                     .gradient_wire_bytes = NAN,
                     .bucket_bytes = NAN,
                     .prefetch = NAN,
                     .persistence_threshold = NAN,
                     .overlap = -1,
                     .activation_checkpointing = -1},
        .metrics = {.peak_mb = {peak_mb, NAN, NAN},
                    .checkpoint_peak_mb = NAN,
                    .throughput = throughput,
                    .throughput_unit = THROUGHPUT_TOKENS,
                    .step_time_ms = NAN,
                    .communication_ratio = communication_ratio,
                    .skew_ratio = NAN,
                    .in_flight_ratio = NAN,
                    .utilisation = NAN,
                    .achieved_tflops = NAN},
        .memory_kind = isnan(peak_mb) ? -1 : MEMORY_ALLOCATED,
        .peak_mb = peak_mb,
        .times_count = true,
        .level_name = "multi_gpu",
        .ledger = {.state = {NAN, NAN, NAN, NAN},
                   .persistent_parameters_mb = NAN,
                   .padding_mb = NAN,
                   .temporary_mb = NAN,
                   .residual_mb = NAN,
                   .foreseen_peak_mb = NAN,
                   .measured_peak_mb = NAN},
        .formula_payload_mb = NAN,
    };
    return candidate;
}

struct candidate *group_sample_add_failed(struct group_sample *sample, enum strategy strategy,
                                          const char *reason)
{
    struct candidate *candidate = group_sample_add(sample, strategy, NAN, NAN, NAN);
    candidate->failure =
        (struct failure){.failed = true, .reason = reason, .rank = NAN, .step = NAN};
    return candidate;
}

void group_sample_judge(struct group_sample *sample)
{
    struct diag diag = {0};
    sample->input = (struct decide_input){
        .group = &sample->group, .planner = &sample->planner, .set = &sample->set};
    cr_assert_eq(gates_apply(&sample->policy, &sample->group, &sample->arena, &diag), STATUS_OK,
                 "%s", diag.text);
    cr_assert_eq(selection_rank(&sample->policy, &sample->group, &sample->arena,
                                &sample->input.order, &diag),
                 STATUS_OK, "%s", diag.text);
    cr_assert_eq(planner_prepare(&sample->group, sample->input.order, &sample->arena,
                                 &sample->planner, &diag),
                 STATUS_OK, "%s", diag.text);
    cr_assert_eq(selection_make(&sample->policy, &sample->group, sample->input.order,
                                &sample->arena, &sample->selection, &diag),
                 STATUS_OK, "%s", diag.text);
}

void group_sample_decide(struct group_sample *sample)
{
    struct diag diag = {0};
    group_sample_judge(sample);
    cr_assert_eq(
        decide_make(&sample->input, &sample->policy, &sample->arena, &sample->decision, &diag),
        STATUS_OK, "%s", diag.text);
}

const char *group_sample_failures(struct group_sample *sample, size_t index)
{
    const char *names = gates_failures(&sample->candidates[index], &sample->arena);
    cr_assert_not_null(names);
    return names;
}
