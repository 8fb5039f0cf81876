#include <criterion/criterion.h>
#include <stdio.h>

#include "same_bytes.h"

/* What ranks of worlds larger than this machine would take and send: the communicator counts and
 * moves nothing, so the numbers are meaningless and the bytes are right. */

static void check(enum strategy strategy, enum model_dtype dtype, uint64_t world_size,
                  uint64_t rank, unsigned variant)
{
    enum { STEPS = 2 };
    struct diag diag = {0};
    struct trial *trial = NULL;
    struct trial_request request = {
        .training = trial_training(strategy, dtype, world_size, 1 + variant % 3, 1), .rank = rank};
    trial_vary(&request.training.schedule, variant);
    cr_assert_eq(trial_create(&request, &trial, &diag), STATUS_OK, "%s", diag.text);
    communicator_clear_usage(trial->communicator);
    for (int i = 0; i < STEPS; i++) {
        struct executor_step step;
        cr_assert_eq(trial_step(trial, &step, &diag), STATUS_OK, "%s", diag.text);
    }
    char text[300];
    const char *fault = same_bytes_fault(trial, STEPS, text, sizeof text);
    cr_assert_null(fault, "%s %s, rank %u of %u, variant %u: %s",
                   training_state_row(strategy)->name, model_dtype_name(dtype), (unsigned)rank,
                   (unsigned)world_size, variant, text);
    trial_destroy(trial);
}

static void check_world(enum strategy strategy, uint64_t world_size)
{
    for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
        for (unsigned variant = 0; variant < TRIAL_VARIANTS; variant++)
            check(strategy, dtype, world_size, variant % 2 == 0 ? 0 : world_size - 1, variant);
}

static const uint64_t worlds[] = {1, 2, 3, 5, 8, 16, 33, 64};

static void check_strategy(enum strategy strategy)
{
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++)
        check_world(strategy, worlds[i]);
}

Test(executor_bytes, ddp_takes_and_sends_what_its_schedule_says)
{
    check_strategy(STRATEGY_DDP);
}

Test(executor_bytes, zero1_takes_and_sends_what_its_schedule_says)
{
    check_strategy(STRATEGY_ZERO1);
}

Test(executor_bytes, zero2_takes_and_sends_what_its_schedule_says)
{
    check_strategy(STRATEGY_ZERO2);
}

Test(executor_bytes, zero3_takes_and_sends_what_its_schedule_says)
{
    check_strategy(STRATEGY_ZERO3);
}

Test(executor_bytes, fsdp_takes_and_sends_what_its_schedule_says)
{
    check_strategy(STRATEGY_FSDP);
}
