#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "communication_volume.h"
#include "temporary_memory.h"

/* A small model whose numbers are easy to count by hand: C 64, L 3, H 4, V 512, T 32, B 2. */
static struct temporary_memory_shape small(void)
{
    return (struct temporary_memory_shape){
        .width = 64,
        .layers = 3,
        .heads = 4,
        .vocab = 512,
        .seq_len = 32,
        .micro_batch = 2,
        .parameter_wire_bytes = 2,
        .gradient_wire_bytes = 2,
        .activation_bytes = 2,
        .bucket_bytes = NAN,
        .activation_checkpointing = 0,
    };
}

/* Counted tensor by tensor, as the model is described: not from the formula under test. */
static const double block_matrices = 3 * 64 * 64 + 64 * 64 + 4 * 64 * 64 + 4 * 64 * 64;
static const double block_vectors = 3 * 64 + 64 + 4 * 64 + 64 + 4 * 64;
static const double embedding = 512 * 64;
static const double root = 512 * 64 + 32 * 64 + 2 * 64;

/* 16 bit: 34 bytes a token and channel, 5 bytes a pair of tokens and head (arXiv:2205.05198). */
static const double layer16 = 34.0 * (32 * 2) * 64 + 5.0 * 4 * 32 * 32 * 2;
static const double head16 = 2.0 * 2 * (32 * 2) * 64 + 4.0 * (32 * 2) * 512;

static double amount(const struct temporary_memory *memory, const char *category)
{
    for (size_t i = 0; i < memory->count; i++)
        if (strcmp(memory->amounts[i].category, category) == 0)
            return memory->amounts[i].bytes;
    return -1;
}

Test(temporary_memory, a_block_counted_by_hand_is_the_closed_form)
{
    struct temporary_memory_shape shape = small();
    cr_assert_eq(temporary_memory_block_matrices(64), block_matrices);
    cr_assert_eq(temporary_memory_block_parameters(64), block_matrices + block_vectors);
    cr_assert_eq(temporary_memory_root_parameters(&shape), root);
}

Test(temporary_memory, gpt2_124m_has_the_published_number_of_parameters)
{
    struct temporary_memory_shape shape = {.width = 768, .vocab = 50304, .seq_len = 1024};
    cr_assert_eq(12 * temporary_memory_block_parameters(768) +
                     temporary_memory_root_parameters(&shape),
                 124475904);
}

Test(temporary_memory, ddp_and_zero1_need_activations_alone)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    for (int s = STRATEGY_DDP; s <= STRATEGY_ZERO1; s++) {
        temporary_memory_of(&shape, (enum strategy)s, &memory);
        cr_assert_eq(memory.count, 1);
        cr_assert_eq(memory.missing_count, 0);
        cr_assert_eq(amount(&memory, "activations"), 3 * layer16 + head16);
        cr_assert_eq(memory.total_bytes, 3 * layer16 + head16);
    }
}

Test(temporary_memory, zero2_needs_two_buckets_and_the_tied_gradient)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    temporary_memory_of(&shape, STRATEGY_ZERO2, &memory);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), 3 * (block_matrices + block_vectors) * 2,
                 "two buckets of 25 MiB never hold more than there is");
    shape.bucket_bytes = 100000;
    temporary_memory_of(&shape, STRATEGY_ZERO2, &memory);
    cr_assert_eq(amount(&memory, "communication_buffers"), 200000);
    shape.bucket_bytes = 1;
    temporary_memory_of(&shape, STRATEGY_ZERO2, &memory);
    cr_assert_eq(amount(&memory, "communication_buffers"), 2 * (4 * 64 * 64 * 2),
                 "a tensor is never split");
    cr_assert_eq(memory.total_bytes, 3 * layer16 + head16 + embedding * 2 + 2 * (4 * 64 * 64 * 2));
}

Test(temporary_memory, zero3_gathers_two_blocks_and_the_embedding_fsdp_the_whole_root)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    double blocks = 2 * (block_matrices + block_vectors) * 2;
    temporary_memory_of(&shape, STRATEGY_ZERO3, &memory);
    cr_assert_eq(amount(&memory, "gathered_parameters"), (2 * block_matrices + embedding) * 2);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), blocks);
    temporary_memory_of(&shape, STRATEGY_FSDP, &memory);
    cr_assert_eq(amount(&memory, "gathered_parameters"), blocks + root * 2);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), root * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), blocks);
    shape.layers = 1;
    temporary_memory_of(&shape, STRATEGY_FSDP, &memory);
    cr_assert_eq(amount(&memory, "gathered_parameters"), blocks / 2 + root * 2,
                 "one layer: one block");
}

Test(temporary_memory, checkpointing_keeps_each_input_and_one_full_layer)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    shape.activation_checkpointing = 1;
    temporary_memory_of(&shape, STRATEGY_DDP, &memory);
    cr_assert_eq(amount(&memory, "activations"), 3 * (2.0 * 32 * 2 * 64) + layer16 + head16);
}

/* karpathy/llm.c train_gpt2.c: per layer 18 of B T C, 2 of B H T T, 4 of B T, all fp32. */
Test(temporary_memory, fp32_counts_the_tensors_of_a_gpt2_without_dropout)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    shape.activation_bytes = 4;
    temporary_memory_of(&shape, STRATEGY_DDP, &memory);
    double layer = 18.0 * 2 * 32 * 64 + 2.0 * 2 * 4 * 32 * 32 + 4.0 * 2 * 32;
    double head = 2.0 * 2 * 32 * 64 + 2.0 * 2 * 32 * 512 + 3.0 * 2 * 32;
    cr_assert_eq(amount(&memory, "activations"), 4 * (3 * layer + head));
}

Test(temporary_memory, a_missing_input_is_named_and_the_sum_unknown)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    shape.vocab = NAN;
    shape.activation_checkpointing = -1;
    temporary_memory_of(&shape, STRATEGY_ZERO2, &memory);
    cr_assert(isnan(memory.total_bytes));
    cr_assert_eq(memory.missing_count, 2);
    cr_assert_str_eq(memory.missing[0], "workload.vocab");
    cr_assert_str_eq(memory.missing[1], "workload.activation_checkpointing");
    cr_assert_eq(memory.count, 1, "the buckets need no vocabulary");
    cr_assert_str_eq(memory.amounts[0].category, "communication_buffers");
    struct temporary_memory_shape nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -1};
    temporary_memory_of(&nothing, STRATEGY_FSDP, &memory);
    cr_assert_eq(memory.count, 0);
    cr_assert_eq(memory.missing_count, 8);
}

/* ---- communication ---- */

Test(communication_volume, closed_forms_of_the_five_strategies)
{
    struct communication_volume_input input = {1000, 4, 2, 3, 8};
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_DDP), 1000 * 3);
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_ZERO1), 1000 * 3 + 1000 * 2);
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_ZERO2), 4 * 1000 * 3 + 1000 * 2);
    for (int s = STRATEGY_ZERO3; s <= STRATEGY_FSDP; s++)
        cr_assert_eq(communication_volume_bytes(&input, (enum strategy)s),
                     4 * 1000 * 2 * 2 + 4 * 1000 * 3);
}

/* ZeRO section 7: with equal widths stage 3 moves 3 G P against ddp's 2 P on the wire (an
 * all-reduce counts twice there). */
Test(communication_volume, the_textbook_bound_is_three_times_the_model)
{
    struct communication_volume_input input = {1000, 1, 2, 2, 8};
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_ZERO3), 3 * 1000 * 2);
    cr_assert(strstr(communication_volume_text(STRATEGY_ZERO3), "textbook bound") != NULL);
}

Test(communication_volume, one_rank_moves_nothing_and_unknown_stays_unknown)
{
    struct communication_volume_input input = {1000, NAN, 2, 2, 1};
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_ZERO2), 0);
    input.world_size = 4;
    cr_assert(isnan(communication_volume_bytes(&input, STRATEGY_ZERO2)));
    cr_assert_eq(communication_volume_bytes(&input, STRATEGY_ZERO1), 4000,
                 "accumulation does not matter to zero1");
    input.world_size = NAN;
    cr_assert(isnan(communication_volume_bytes(&input, STRATEGY_DDP)));
}

Test(communication_volume, beyond_a_double_is_unknown)
{
    struct communication_volume_input input = {1e300, 1e300, 2, 2, 8};
    cr_assert(isnan(communication_volume_bytes(&input, STRATEGY_ZERO2)));
}

Test(temporary_memory, a_dimension_beyond_reason_counts_as_missing)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory;
    shape.width = 1e200;
    temporary_memory_of(&shape, STRATEGY_FSDP, &memory);
    cr_assert_eq(memory.count, 0);
    cr_assert_eq(memory.missing_count, 1);
    cr_assert_str_eq(memory.missing[0], "workload.width");
    shape = small();
    shape.width = shape.layers = shape.heads = shape.vocab = shape.seq_len = shape.micro_batch =
        1e15;
    temporary_memory_of(&shape, STRATEGY_FSDP, &memory);
    cr_assert(isfinite(memory.total_bytes));
}
