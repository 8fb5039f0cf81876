#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "group_sample.h"

static struct group_sample sample;

static void setup(void)
{
    group_sample_init(&sample);
}

static void teardown(void)
{
    arena_fini(&sample.arena);
}

TestSuite(planner, .init = setup, .fini = teardown);

/* 2^20 parameters of 4+4+8 bytes on 4 ranks: ddp 16 MiB, zero1 10, zero2 7, zero3 4. */
static struct candidate *add_sized(enum strategy strategy, double peak_mb)
{
    struct candidate *candidate = group_sample_add(&sample, strategy, 1000, 0.5, peak_mb);
    struct workload *workload = &candidate->workload;
    workload->parameters = 1048576;
    workload->state_bytes = (struct training_state_bytes){4, 4, 8};
    workload->state_bytes_sum = 16;
    workload->dtype = "fp32";
    workload->width = 64;
    workload->layers = 4;
    workload->heads = 1;
    workload->vocab = 128;
    workload->seq_len = 32;
    workload->micro_batch = 8;
    workload->gradient_accumulation = 2;
    workload->global_batch = 64;
    workload->activation_checkpointing = 0;
    workload->parameter_wire_bytes = 4;
    workload->gradient_wire_bytes = 4;
    return candidate;
}

static const struct action *action(const char *kind, enum strategy strategy)
{
    for (size_t i = 0; i < sample.decision.action_count; i++)
        if (strcmp(sample.decision.actions[i].kind, kind) == 0 &&
            sample.decision.actions[i].strategy == strategy)
            return &sample.decision.actions[i];
    return NULL;
}

Test(planner, predicts_the_peak_of_a_strategy_that_shards_more)
{
    add_sized(STRATEGY_DDP, 100);
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, "adjustment");
    const struct action *found = action("strategy", STRATEGY_ZERO1);
    cr_assert_not_null(found);
    cr_assert_eq(found->predicted_peak_mb, 94, "100 - 16 + 10");
    cr_assert(found->verified);
    cr_assert_str_eq(found->gate, "memory");
    cr_assert_str_eq(found->command,
                     "rankledger-collect run --strategy zero1 --world-size 4 --backend cuda "
                     "--width 64 --layers 4 --heads 1 --vocab 128 --seq-len 32 --micro-batch 8 "
                     "--gradient-accumulation 2 --dtype fp32 --output-dir evidence-next");
}

Test(planner, proposes_to_share_a_gpu_where_ranks_shared_one)
{
    add_sized(STRATEGY_DDP, 100)->level_name = "single_gpu_shared";
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    const struct action *found = action("strategy", STRATEGY_ZERO1);
    cr_assert_not_null(found);
    cr_assert_not_null(strstr(found->command, " --backend cuda --share-device --width 64"), "%s",
                       found->command);
}

Test(planner, proposes_the_backend_whose_workspace_was_measured)
{
    add_sized(STRATEGY_DDP, 100)->level_name = "emulated_cuda";
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    const struct action *found = action("strategy", STRATEGY_ZERO1);
    cr_assert_not_null(found);
    cr_assert_not_null(strstr(found->command, " --backend cuda --width 64"), "%s", found->command);
}

Test(planner, predicts_the_peak_of_a_smaller_micro_batch)
{
    add_sized(STRATEGY_ZERO3, 104);
    sample.policy.memory_limit_mb = 60;
    group_sample_decide(&sample);
    const struct action *found = action("micro_batch", STRATEGY_ZERO3);
    cr_assert_not_null(found);
    double fixed = sample.planner.subjects[0].states[STRATEGY_ZERO3].resident_mb +
                   sample.planner.subjects[0].states[STRATEGY_ZERO3].temporary_mb;
    cr_assert_eq(found->predicted_peak_mb, fixed + (104 - fixed) / 2);
    cr_assert_eq(found->micro_batch, 4);
    cr_assert_eq(found->gradient_accumulation, 4, "the global batch stays");
    cr_assert_not(found->changes_global_batch);
}

Test(planner, leaves_out_what_is_predicted_to_fail)
{
    add_sized(STRATEGY_DDP, 100);
    sample.policy.memory_limit_mb = 93; /* zero1 needs 94 */
    group_sample_decide(&sample);
    cr_assert_null(action("strategy", STRATEGY_ZERO1));
    cr_assert_not_null(action("strategy", STRATEGY_ZERO2));
}

Test(planner, rejects_when_every_prediction_fails)
{
    struct candidate *candidate = add_sized(STRATEGY_DDP, 100);
    candidate->workload.micro_batch = 1;
    sample.policy.memory_limit_mb = 3; /* zero3 alone holds 4 */
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, "no_adjustment");
}

Test(planner, names_what_a_prediction_lacks)
{
    add_sized(STRATEGY_DDP, 100)->workload.parameters = NAN;
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    const struct action *found = action("strategy", STRATEGY_ZERO1);
    cr_assert_not_null(found);
    cr_assert_not(found->verified);
    cr_assert_eq(found->missing_count, 1);
    cr_assert_str_eq(found->missing[0], "workload.parameters");
    cr_assert(isnan(found->predicted_peak_mb));
}

Test(planner, does_not_propose_what_was_run)
{
    add_sized(STRATEGY_DDP, 100);
    add_sized(STRATEGY_ZERO1, 99);
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    cr_assert_null(action("strategy", STRATEGY_ZERO1));
    cr_assert_not_null(action("strategy", STRATEGY_ZERO2));
}

Test(planner, accumulates_where_communication_comes_once_a_step)
{
    add_sized(STRATEGY_DDP, 100);
    sample.policy.max_communication_ratio = 0.25; /* 0.5 / (3 * 0.5 + 0.5) */
    group_sample_decide(&sample);
    const struct action *found = action("gradient_accumulation", STRATEGY_DDP);
    cr_assert_not_null(found);
    cr_assert_eq(found->gradient_accumulation, 6);
    cr_assert(found->changes_global_batch);
    cr_assert(found->verified);
}

Test(planner, raises_the_micro_batch_where_communication_comes_with_each)
{
    add_sized(STRATEGY_ZERO3, 100);
    sample.policy.max_communication_ratio = 0.34; /* 0.25 / 0.75 */
    group_sample_decide(&sample);
    const struct action *found = action("micro_batch", STRATEGY_ZERO3);
    cr_assert_not_null(found);
    cr_assert_eq(found->micro_batch, 16);
    cr_assert_eq(found->gradient_accumulation, 1);
    cr_assert_not(found->changes_global_batch);
    cr_assert_not_null(action("strategy", STRATEGY_ZERO2), "or less sharding");
}

Test(planner, raises_the_micro_batch_only_where_memory_allows)
{
    add_sized(STRATEGY_ZERO3, 100);
    sample.policy.max_communication_ratio = 0.34;
    sample.policy.memory_limit_mb = 120;
    group_sample_decide(&sample);
    cr_assert_null(action("micro_batch", STRATEGY_ZERO3));
    sample.policy.memory_limit_mb = 200;
    group_sample_decide(&sample);
    cr_assert_not_null(action("micro_batch", STRATEGY_ZERO3));
}

Test(planner, shards_less_for_throughput)
{
    add_sized(STRATEGY_ZERO3, 100);
    sample.policy.min_throughput = 1100;
    group_sample_decide(&sample);
    const struct action *found = action("strategy", STRATEGY_ZERO2);
    cr_assert_not_null(found);
    cr_assert_not(found->verified, "its speed cannot be predicted");
    cr_assert_str_eq(found->gate, "throughput");
}

Test(planner, asks_for_a_missing_measurement)
{
    add_sized(STRATEGY_DDP, 100)->metrics.communication_ratio = NAN;
    sample.policy.max_communication_ratio = 0.25;
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, "adjustment");
    cr_assert_str_eq(sample.decision.actions[0].kind, "collect");
    cr_assert_str_eq(sample.decision.actions[0].missing[0], "metrics.communication_ratio");
}

Test(planner, takes_a_run_out_of_memory_for_a_memory_failure)
{
    struct candidate *failed = add_sized(STRATEGY_DDP, NAN);
    failed->failure = (struct failure){.failed = true, .reason = "CUDA out of memory"};
    add_sized(STRATEGY_ZERO1, 100);
    sample.policy.memory_limit_mb = 50;
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, "adjustment");
}

Test(planner, offers_no_smaller_micro_batch_to_what_is_too_slow_already)
{
    add_sized(STRATEGY_ZERO3, 104);
    sample.policy.memory_limit_mb = 60;
    sample.policy.min_throughput = 1001;
    group_sample_decide(&sample);
    cr_assert_null(action("micro_batch", STRATEGY_ZERO3));
    sample.policy.min_throughput = 1000;
    group_sample_decide(&sample);
    cr_assert_not_null(action("micro_batch", STRATEGY_ZERO3));
}

/*
 * fp32, 256 tokens a micro-batch: a layer keeps 256 * 4 * (15 * 64 + 5) = 988,160 bytes, the head
 * 256 * 4 * (64 + 128 + 3). With checkpointing three layers and the smaller of both go.
 */
Test(planner, predicts_what_checkpointing_spares)
{
    add_sized(STRATEGY_DDP, 100);
    sample.policy.memory_limit_mb = 99;
    group_sample_decide(&sample);
    const struct action *found = action("activation_checkpointing", STRATEGY_DDP);
    cr_assert_not_null(found);
    cr_assert(found->verified);
    double expected = 100 - (3 * 988160 + 199680) / 1048576.0;
    cr_assert_float_eq(found->predicted_peak_mb, expected, 1e-12); /* another order of adding */
}

/*
 * The schedule counts 4 * 988,160 bytes in the layers, but of the peak only 2 MiB are beyond the
 * state. Outside the layers 199,680 + 65,536 bytes stay; of the layers' rest a quarter stays for
 * the one being recomputed, and 4 inputs of 65,536.
 */
Test(planner, leaves_the_head_its_memory_where_the_schedule_counts_too_much)
{
    add_sized(STRATEGY_DDP, 18);
    sample.policy.memory_limit_mb = 17.5;
    group_sample_decide(&sample);
    const struct action *found = action("activation_checkpointing", STRATEGY_DDP);
    cr_assert_not_null(found);
    cr_assert(found->verified);
    double outside = (199680 + 65536) / 1048576.0;
    double expected = 16 + outside + (2 - outside) / 4 + 4 * 65536 / 1048576.0;
    cr_assert_float_eq(found->predicted_peak_mb, expected, 1e-12); /* another order of adding */
}

Test(planner, predicts_no_checkpointing_where_the_head_alone_counts_more_than_was_measured)
{
    add_sized(STRATEGY_DDP, 16.25);
    sample.policy.memory_limit_mb = 16.2;
    group_sample_decide(&sample);
    const struct action *found = action("activation_checkpointing", STRATEGY_DDP);
    cr_assert_not_null(found);
    cr_assert_not(found->verified);
    cr_assert_str_eq(found->missing[0], "memory.per_rank");
}

Test(planner, predicts_no_checkpointing_of_an_unknown_type)
{
    add_sized(STRATEGY_DDP, 100)->workload.dtype = "int4";
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    const struct action *found = action("activation_checkpointing", STRATEGY_DDP);
    cr_assert_not_null(found);
    cr_assert_str_eq(found->missing[0], "workload.dtype");
}

Test(planner, mends_no_wrong_mathematics)
{
    static const double right[] = {8};
    static const double wrong[] = {9};
    struct candidate *ddp = add_sized(STRATEGY_DDP, 100);
    struct candidate *zero1 = add_sized(STRATEGY_ZERO1, 94);
    ddp->metrics.losses = (struct series){right, 1};
    ddp->failure = (struct failure){.failed = true, .reason = "killed"};
    zero1->metrics.losses = (struct series){wrong, 1};
    zero1->own_collector = true;
    group_sample_decide(&sample);
    cr_assert_str_eq(sample.decision.rule, "no_adjustment");
}

Test(planner, makes_no_command_for_a_model_of_unknown_shape)
{
    add_sized(STRATEGY_DDP, 100)->workload.width = NAN;
    sample.policy.memory_limit_mb = 95;
    group_sample_decide(&sample);
    cr_assert_null(action("strategy", STRATEGY_ZERO1)->command);
}
