#include <stdio.h>
#include <stdlib.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "same_mathematics.h"

/*
 * Faults that a training run can hide, planted one at a time: each must lie outside the limits that
 * every sound run keeps (test_same_mathematics). Run with 2 and 3 ranks.
 */
enum { STEPS = 6, ACCUMULATION = 3 };

static uint64_t rank, world_size;

/* --- a communicator that loses one call --- */

static struct communicator_operations losing;
static const struct communicator_operations *sound;
static enum schedule_purpose lost_purpose;
static int calls_until_lost;

static enum status post_losing(struct communicator *communicator,
                               const struct communicator_call *call, bool *complete,
                               struct diag *diag)
{
    if (call->purpose == lost_purpose && calls_until_lost-- == 0) {
        *complete = true;
        return STATUS_OK;
    }
    return sound->post(communicator, call, complete, diag);
}

static void lose(struct trial *trial, enum schedule_purpose purpose, int after)
{
    sound = trial->communicator->operations;
    losing = *sound;
    losing.post = post_losing;
    trial->communicator->operations = &losing;
    lost_purpose = purpose;
    calls_until_lost = after;
}

/* --- the faults --- */

static void lose_average(struct trial *trial)
{
    trial->executor->stage.loss_scale *= (float)world_size;
}

static void lose_first_reduction(struct trial *trial)
{
    lose(trial, SCHEDULE_GRADIENT_REDUCTION, 0);
}

static void lose_later_reduction(struct trial *trial)
{
    lose(trial, SCHEDULE_GRADIENT_REDUCTION, 3);
}

static void lose_gather(struct trial *trial)
{
    lose(trial, SCHEDULE_PARAMETER_GATHER, 1);
}

static void lose_sync(struct trial *trial)
{
    lose(trial, SCHEDULE_PARAMETER_SYNC, 0);
}

/* The second unit's shard lies where the third one's does. */
static void shift_shard(struct schedule *schedule)
{
    schedule->units[1].shard_offset = schedule->units[2].shard_offset;
}

/* The second micro-batch's gradients take the place of the first one's. */
static void forget_first_micro_batch(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->action_count; i++)
        if (schedule->actions[i].micro_batch == 1)
            schedule->actions[i].accumulate = false;
}

static const struct {
    const char *name;
    void (*change)(struct schedule *schedule); /* before the executor is made */
    void (*plant)(struct trial *trial);        /* after */
    bool strategies[STRATEGY_COUNT];
} faults[] = {
    {"no 1/N", NULL, lose_average, {true, true, true, true, true}},
    {"first reduction missed", NULL, lose_first_reduction, {true, true, true, true, true}},
    {"later reduction missed", NULL, lose_later_reduction, {false, false, true, true, true}},
    {"stale gather", NULL, lose_gather, {[STRATEGY_ZERO3] = true, [STRATEGY_FSDP] = true}},
    {"stale sync",
     NULL,
     lose_sync,
     {[STRATEGY_ZERO1] = true, [STRATEGY_ZERO2] = true, [STRATEGY_ZERO3] = true}},
    {"shifted shard", shift_shard, NULL, {false, true, true, true, true}},
    {"micro-batch forgotten", forget_first_micro_batch, NULL, {true, true, true, true, true}},
};

/* --- */

static const char *seen_in(const struct same_mathematics_distance *apart,
                           const struct same_mathematics_distance *limit)
{
    if (apart->gradient > limit->gradient)
        return "gradients";
    if (apart->norm > limit->norm)
        return "norms";
    return apart->loss > limit->loss ? "losses" : "key biases";
}

static void check(size_t fault, enum strategy strategy, enum model_dtype dtype,
                  const struct same_mathematics_outcome *expected)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    struct same_mathematics_outcome outcome;
    const struct trial_request request = {
        .training = trial_training(strategy, dtype, world_size, ACCUMULATION, 1),
        .connect = communicator_mpi_create,
        .change = faults[fault].change,
    };
    const char *name = training_state_row(strategy)->name;
    enum status status = trial_create(&request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    if (faults[fault].plant != NULL)
        faults[fault].plant(trial);
    status = same_mathematics_run(trial, STEPS, &outcome, &diag);
    /* A number that is not finite is caught as it occurs, on all ranks. */
    mpi_expect(status == STATUS_OK || status == STATUS_NEGATIVE, "%s: %s", name, diag.text);
    if (rank == 0 && status == STATUS_OK) {
        const struct same_mathematics_distance *limit = &same_mathematics_limits[dtype];
        struct same_mathematics_distance apart = same_mathematics_compare(&outcome, expected);
        mpi_expect(!same_mathematics_within(&apart, limit), "%s %s: \"%s\" was not seen", name,
                   model_dtype_name(dtype), faults[fault].name);
        printf("%s %s: \"%s\" seen in the %s (gradients %.1e, norms %.1e, losses %.1e)\n", name,
               model_dtype_name(dtype), faults[fault].name, seen_in(&apart, limit), apart.gradient,
               apart.norm, apart.loss);
    }
    same_mathematics_fini(&outcome);
    trial_destroy(trial);
}

static void check_all(void)
{
    struct same_mathematics_outcome expected = {0};
    const struct training training =
        trial_training(STRATEGY_DDP, MODEL_FP32, world_size, ACCUMULATION, 1);
    if (rank == 0)
        same_mathematics_reference(&training, STEPS, &expected);
    for (size_t fault = 0; fault < sizeof faults / sizeof faults[0]; fault++)
        for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
            for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
                if (faults[fault].strategies[strategy])
                    check(fault, strategy, dtype, &expected);
    same_mathematics_fini(&expected);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    check_all();
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
