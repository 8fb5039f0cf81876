#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "communication_volume.h"
#include "schedule_walk.h"
#include "temporary_memory.h"

/* A small model whose numbers are easy to count by hand: C 64, L 3, H 4, V 512, T 32, B 2. Every
 * tensor divides by 64, so that 4 ranks need no padding. */
static struct temporary_memory_shape small(void)
{
    return (struct temporary_memory_shape){
        .width = 64,
        .layers = 3,
        .heads = 4,
        .vocab = 512,
        .seq_len = 32,
        .micro_batch = 2,
        .world_size = 4,
        .parameter_wire_bytes = 2,
        .gradient_wire_bytes = 2,
        .activation_bytes = 2,
        .bucket_bytes = NAN,
        .prefetch = NAN,
        .persistence_threshold = NAN,
        .overlap = -1,
        .activation_checkpointing = 0,
    };
}

/* Counted tensor by tensor, as the model is described: not from the code under test. */
static const double block_matrices = 3 * 64 * 64 + 64 * 64 + 4 * 64 * 64 + 4 * 64 * 64;
static const double block_vectors = 3 * 64 + 64 + 4 * 64 + 64 + 4 * 64;
static const double embedding = 512 * 64;
static const double positions = 32 * 64;
static const double norm = 2 * 64;

/* What a block keeps, tokens times numbers: 4 C of inputs of norms and projections and 3 + 4 + 4 C
 * of the rest in 16 bit; two norms' mean and deviation and one number a head in 32 bit. */
static const double stream16 = 2 * (32 * 2) * 64;
static const double block16 = 2.0 * (32 * 2) * 15 * 64 + 4.0 * (32 * 2) * (2 + 2 + 4);
static const double head16 = 2.0 * (32 * 2) * (64 + 512) + 4.0 * (32 * 2) * (2 + 1);

static struct temporary_memory memory_of(const struct temporary_memory_shape *shape,
                                         enum strategy strategy)
{
    struct temporary_memory memory;
    struct diag diag = {0};
    cr_assert_eq(temporary_memory_of(shape, strategy, &memory, &diag), STATUS_OK, "%s", diag.text);
    return memory;
}

static double amount(const struct temporary_memory *memory, const char *category)
{
    for (size_t i = 0; i < memory->count; i++)
        if (strcmp(memory->amounts[i].category, category) == 0)
            return memory->amounts[i].bytes;
    return NAN;
}

Test(temporary_memory, ddp_and_zero1_need_activations_alone)
{
    struct temporary_memory_shape shape = small();
    for (int s = STRATEGY_DDP; s <= STRATEGY_ZERO1; s++) {
        struct temporary_memory memory = memory_of(&shape, (enum strategy)s);
        cr_assert_eq(memory.count, 1);
        cr_assert_eq(amount(&memory, "activations"), 4 * stream16 + 3 * block16 + head16);
        cr_assert_eq(memory.total_bytes, memory.amounts[0].bytes);
        cr_assert_eq(memory.missing_count, 0);
    }
}

Test(temporary_memory, zero2_needs_two_buckets_and_the_tied_gradient)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory = memory_of(&shape, STRATEGY_ZERO2);
    double all = norm + 3 * (block_matrices + block_vectors) + positions;
    cr_assert_eq(memory.count, 3);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), all * 2, "25 MiB would hold all");
    shape.bucket_bytes = 1; /* a bucket a module: the largest neighbours are down and up */
    memory = memory_of(&shape, STRATEGY_ZERO2);
    cr_assert_eq(amount(&memory, "communication_buffers"), (2 * 4 * 64 * 64 + 64 + 4 * 64) * 2);
    shape.gradient_wire_bytes = 4;
    memory = memory_of(&shape, STRATEGY_ZERO2);
    cr_assert_eq(amount(&memory, "communication_buffers"), (2 * 4 * 64 * 64 + 64 + 4 * 64) * 4);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 4);
}

Test(temporary_memory, zero3_gathers_two_blocks_and_fsdp_the_whole_root_besides)
{
    struct temporary_memory_shape shape = small();
    struct temporary_memory memory = memory_of(&shape, STRATEGY_ZERO3);
    double block = block_matrices + block_vectors;
    cr_assert_eq(memory.count, 4);
    cr_assert_eq(amount(&memory, "gathered_parameters"), 2 * block_matrices * 2);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), 2 * block * 2);
    memory = memory_of(&shape, STRATEGY_FSDP);
    double root = embedding + positions + norm;
    cr_assert_eq(amount(&memory, "gathered_parameters"), (root + 2 * block) * 2);
    cr_assert_eq(amount(&memory, "gradients_unsharded"), root * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), 2 * block * 2);
    shape.layers = 1;
    memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert_eq(amount(&memory, "gathered_parameters"), (root + block) * 2, "one block is all");
}

Test(temporary_memory, follows_the_options_of_the_run)
{
    struct temporary_memory_shape shape = small();
    double block = block_matrices + block_vectors;
    shape.prefetch = 0;
    struct temporary_memory memory = memory_of(&shape, STRATEGY_ZERO3);
    cr_assert_eq(amount(&memory, "gathered_parameters"), block_matrices * 2);
    shape.prefetch = 2;
    shape.persistence_threshold = 3 * 64 * 64; /* up and down alone are gathered, and wte */
    memory = memory_of(&shape, STRATEGY_ZERO3);
    cr_assert_eq(amount(&memory, "gathered_parameters"), (embedding + 2 * 8 * 64 * 64) * 2);
    shape.overlap = 0; /* one at a time */
    memory = memory_of(&shape, STRATEGY_ZERO3);
    cr_assert_eq(amount(&memory, "gathered_parameters"), embedding * 2);
    cr_assert_eq(amount(&memory, "communication_buffers"), block * 2);
}

Test(temporary_memory, checkpointing_keeps_each_input_and_one_full_layer_or_the_head)
{
    struct temporary_memory_shape shape = small();
    shape.activation_checkpointing = 1;
    struct temporary_memory memory = memory_of(&shape, STRATEGY_DDP);
    cr_assert_gt(block16, head16);
    cr_assert_eq(memory.total_bytes, 4 * stream16 + block16);
    shape.vocab = 1024;
    memory = memory_of(&shape, STRATEGY_DDP);
    cr_assert_eq(memory.total_bytes, 4 * stream16 + head16 + 2.0 * 64 * 512, "a larger head");
}

/* What the closed form of activations says, every strategy's walk says too. */
Test(temporary_memory, activations_are_those_of_the_schedule)
{
    for (int s = 0; s < STRATEGY_COUNT; s++) {
        for (int way = 0; way < 4; way++) {
            struct temporary_memory_shape shape = small();
            struct schedule_request request;
            struct schedule schedule;
            struct schedule_walk walk;
            struct arena arena = {0};
            struct diag diag = {0};
            shape.activation_checkpointing = way % 2;
            shape.activation_bytes = way < 2 ? 2 : 4;
            cr_assert(temporary_memory_request(&shape, (enum strategy)s, &request));
            cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_OK);
            cr_assert_eq(schedule_walk_of(&schedule, &walk, &diag), STATUS_OK);
            cr_assert_eq(temporary_memory_activations(&shape, way % 2 == 1),
                         (double)walk.category_peak[SCHEDULE_ACTIVATIONS]);
            arena_fini(&arena);
        }
    }
}

Test(temporary_memory, one_layer_and_what_lies_outside_make_the_whole)
{
    struct temporary_memory_shape shape = small();
    cr_assert_eq(temporary_memory_layer_input(&shape), stream16);
    cr_assert_eq(temporary_memory_layer_activations(&shape), stream16 + block16);
    cr_assert_eq(temporary_memory_root_activations(&shape), stream16 + head16);
    shape.vocab = NAN;
    cr_assert_eq(temporary_memory_layer_activations(&shape), stream16 + block16);
    cr_assert(isnan(temporary_memory_root_activations(&shape)));
    cr_assert(isnan(temporary_memory_activations(&shape, false)));
}

Test(temporary_memory, a_missing_input_is_named_and_the_sum_unknown)
{
    struct temporary_memory_shape shape = small();
    shape.heads = NAN;
    shape.activation_checkpointing = -1;
    struct temporary_memory memory = memory_of(&shape, STRATEGY_ZERO2);
    cr_assert(isnan(memory.total_bytes));
    cr_assert_eq(memory.missing_count, 2);
    cr_assert_str_eq(memory.missing[0], "workload.heads");
    cr_assert_str_eq(memory.missing[1], "workload.activation_checkpointing");
    cr_assert_eq(amount(&memory, "gradients_unsharded"), embedding * 2, "what is known stays");
    cr_assert(isnan(amount(&memory, "activations")));
    shape = small();
    shape.world_size = NAN;
    memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert_eq(memory.missing_count, 1);
    cr_assert_str_eq(memory.missing[0], "workload.world_size");
    cr_assert_eq(memory.count, 1, "activations alone do not depend on it");
    struct temporary_memory_shape nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                                             NAN, NAN, NAN, NAN, NAN, -1,  -1};
    memory = memory_of(&nothing, STRATEGY_FSDP);
    cr_assert_eq(memory.count, 0);
    cr_assert_eq(memory.missing_count, 9);
    cr_assert_str_eq(memory.missing[0], "workload.width");
    cr_assert_str_eq(memory.missing[6], "workload.world_size");
    cr_assert_str_eq(memory.missing[7], "workload.dtype");
}

Test(temporary_memory, a_micro_batch_of_0_leaves_the_activations_out)
{
    struct temporary_memory_shape shape = small();
    shape.micro_batch = 0;
    shape.heads = NAN;
    shape.activation_bytes = NAN;
    shape.activation_checkpointing = -1;
    struct temporary_memory memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert_eq(memory.missing_count, 0);
    cr_assert_eq(memory.count, 3);
    shape = (struct temporary_memory_shape){NAN, NAN, NAN, NAN, NAN, 0,  NAN, NAN,
                                            NAN, NAN, NAN, NAN, NAN, -1, -1};
    memory = memory_of(&shape, STRATEGY_ZERO1);
    cr_assert_eq(memory.missing_count, 0, "nothing else is needed");
    cr_assert_eq(memory.total_bytes, 0);
}

Test(temporary_memory, a_size_beyond_reason_counts_as_missing)
{
    struct temporary_memory_shape shape = small();
    shape.width = 1e300;
    struct temporary_memory memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert(isnan(memory.total_bytes));
    cr_assert_eq(memory.count, 0);
    cr_assert_eq(memory.missing_count, 1);
    cr_assert_str_eq(memory.missing[0], "workload.width");
    shape = small();
    shape.heads = 5; /* 64 columns in 5 heads */
    memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert_eq(memory.missing_count, 1);
    cr_assert_str_eq(memory.missing[0], "workload.heads");
    shape = small();
    shape.width = shape.vocab = shape.seq_len = 1 << 24; /* each can be, all cannot */
    memory = memory_of(&shape, STRATEGY_FSDP);
    cr_assert(isnan(memory.total_bytes));
    cr_assert_eq(memory.missing_count, 5);
    shape = small();
    shape.width = 64.0000001;
    cr_assert_eq(memory_of(&shape, STRATEGY_FSDP).missing_count, 0, "rounded");
}

static double volume_of(const struct communication_volume_input *input, enum strategy strategy,
                        bool exact)
{
    struct communication_volume volume;
    struct diag diag = {0};
    cr_assert_eq(communication_volume_of(input, strategy, &volume, &diag), STATUS_OK);
    cr_assert_eq(volume.exact, exact);
    return volume.bytes;
}

/* 1000 parameters of 2 and 3 bytes, 4 micro-batches, 8 ranks; of the model nothing else. */
static struct communication_volume_input unshaped(void)
{
    return (struct communication_volume_input){
        .parameters = 1000,
        .gradient_accumulation = 4,
        .shape = {.width = NAN,
                  .layers = NAN,
                  .heads = NAN,
                  .vocab = NAN,
                  .seq_len = NAN,
                  .micro_batch = NAN,
                  .world_size = 8,
                  .parameter_wire_bytes = 2,
                  .gradient_wire_bytes = 3,
                  .activation_bytes = NAN,
                  .bucket_bytes = NAN,
                  .prefetch = NAN,
                  .persistence_threshold = NAN},
    };
}

Test(communication_volume, closed_forms_of_the_five_strategies)
{
    struct communication_volume_input input = unshaped();
    cr_assert_eq(volume_of(&input, STRATEGY_DDP, false), 1000 * 3);
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO1, false), 1000 * 3 + 1000 * 2);
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO2, false), 4 * 1000 * 3 + 1000 * 2);
    for (int s = STRATEGY_ZERO3; s <= STRATEGY_FSDP; s++)
        cr_assert_eq(volume_of(&input, (enum strategy)s, false), 2 * 4 * 1000 * 2 + 4 * 1000 * 3);
}

Test(communication_volume, one_rank_moves_nothing_and_unknown_stays_unknown)
{
    struct communication_volume_input input = unshaped();
    input.gradient_accumulation = NAN;
    input.shape.world_size = 1;
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO2, false), 0);
    input.shape.world_size = 8;
    cr_assert(isnan(volume_of(&input, STRATEGY_ZERO2, false)));
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO1, false), 5000,
                 "zero1 does not depend on the accumulation");
    input.shape.world_size = NAN;
    cr_assert(isnan(volume_of(&input, STRATEGY_DDP, false)));
}

Test(communication_volume, beyond_a_double_is_unknown)
{
    struct communication_volume_input input = unshaped();
    input.parameters = input.gradient_accumulation = 1e300;
    cr_assert(isnan(volume_of(&input, STRATEGY_ZERO2, false)));
}

/* The same model on 4 ranks: no padding, so that the sums are those of the tensors; the scalar's 8
 * bytes in all but ddp. */
Test(communication_volume, of_a_known_shape_is_that_of_the_schedule)
{
    const double block = block_matrices + block_vectors;
    const double all = embedding + positions + norm + 3 * block;
    const double persistent = 3 * block_vectors + norm;
    struct communication_volume_input input = {
        .parameters = all, .gradient_accumulation = 5, .shape = small()};
    cr_assert_eq(volume_of(&input, STRATEGY_DDP, true), all * 2);
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO1, true), all * 2 + all * 2 + 8);
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO2, true), 5 * all * 2 + all * 2 + 8);
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO3, true),
                 5 * all * 2 + 8 + persistent * 2 +
                     5 * (2 * 3 * block_matrices + 2 * embedding + positions) * 2);
    cr_assert_eq(volume_of(&input, STRATEGY_FSDP, true),
                 5 * all * 2 + 8 + 5 * (2 * 3 * block + embedding + positions + norm) * 2);
    input.shape.gradient_wire_bytes = 4;
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO1, true), all * 4 + all * 2 + 8);
    input.parameters = NAN;
    cr_assert_eq(volume_of(&input, STRATEGY_ZERO1, true), all * 4 + all * 2 + 8);
}

Test(communication_volume, of_another_model_than_the_shape_says_is_the_closed_form)
{
    struct communication_volume_input input = {
        .parameters = 1000, .gradient_accumulation = 2, .shape = small()};
    cr_assert_eq(volume_of(&input, STRATEGY_FSDP, false), 3 * 2 * 1000 * 2);
}
