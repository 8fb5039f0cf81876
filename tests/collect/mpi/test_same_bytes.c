#include <stdio.h>
#include <stdlib.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "same_bytes.h"

/*
 * What real ranks take and send is what the schedule says, byte by byte, for every strategy. Run
 * with 1 to 4 ranks; tests/collect/unit/test_executor_bytes.c does the same for more, without
 * ranks.
 */
enum { STEPS = 2 };

static void check(const struct training *training, const char *what)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    const struct trial_request request = {
        .training = *training,
        .connect = communicator_mpi_create,
        .communicator_bytes = communicator_mpi_buffer_bytes(training->schedule.world_size),
    };
    char text[300];
    enum status status = trial_create(&request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s: %s", what, diag.text);
    communicator_clear_usage(trial->communicator);
    for (int i = 0; i < STEPS; i++) {
        struct executor_step step;
        status = trial_step(trial, &step, &diag);
        mpi_expect(status == STATUS_OK, "%s: %s", what, diag.text);
    }
    const char *fault = same_bytes_fault(trial, STEPS, text, sizeof text);
    mpi_expect(fault == NULL, "%s: %s", what, text);
    trial_destroy(trial);
}

static void check_all(uint64_t world_size)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
            for (unsigned variant = 0; variant < TRIAL_VARIANTS; variant++) {
                char what[100];
                struct training training =
                    trial_training(strategy, dtype, world_size, 1 + variant % 3, 2);
                trial_vary(&training.schedule, variant);
                snprintf(what, sizeof what, "%s %s, %u ranks, variant %u",
                         training_state_row(strategy)->name, model_dtype_name(dtype),
                         (unsigned)world_size, variant);
                check(&training, what);
            }
}

int main(void)
{
    uint64_t rank, world_size;
    mpi_expect_start(&rank, &world_size);
    check_all(world_size);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
