#include "saved_trial.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "communicator_mpi.h"
#include "mpi_expect.h"

void saved_trial_make_folder(char folder[SAVED_TRIAL_PATH], uint64_t rank)
{
    struct communicator *communicator = NULL;
    struct diag diag = {0};
    enum status status = communicator_mpi_create(MODEL_FP32, 1, &communicator, &diag);
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, SAVED_TRIAL_PATH, "%s/test_checkpoint.XXXXXX", base);
    mpi_expect(rank != 0 || mkdtemp(folder) != NULL, "a folder in %s", base);
    if (status == STATUS_OK)
        status = communicator_broadcast(communicator, folder, SAVED_TRIAL_PATH, 0, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    communicator_destroy(communicator);
}

struct trial *saved_trial_create(const struct training *training, bool alone)
{
    struct diag diag = {0};
    struct trial *trial = NULL;
    const struct trial_request request = {
        .training = *training,
        .connect = alone ? communicator_mpi_create_self : communicator_mpi_create,
        .checkpoints = true,
    };
    enum status status = trial_create(&request, &trial, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    return trial;
}

const struct executor_request *saved_trial_context(const struct trial *trial)
{
    return &trial->executor->request;
}

struct saved_trial_outcome saved_trial_run(struct trial *trial, unsigned steps)
{
    struct saved_trial_outcome outcome = {0};
    for (unsigned i = 0; i < steps; i++) {
        struct executor_step step;
        struct diag diag = {0};
        enum status status = trial_step(trial, &step, &diag);
        mpi_expect(status == STATUS_OK, "%s", diag.text);
        outcome = (struct saved_trial_outcome){step.loss_sum, step.grad_norm};
    }
    return outcome;
}

void saved_trial_collect(struct trial *trial, struct saved_trial_state *state)
{
    const bool has_master = executor_state_bytes(trial->executor, EXECUTOR_MASTER) != 0;
    const enum executor_state states[SAVED_TRIAL_STATES] = {
        has_master ? EXECUTOR_MASTER : EXECUTOR_PARAMETERS, EXECUTOR_PARAMETERS, EXECUTOR_MOMENT1,
        EXECUTOR_MOMENT2};
    *state = (struct saved_trial_state){
        .count = model_parameters(&trial->training.schedule.shape),
        .steps = executor_steps(trial->executor),
    };
    for (int i = 0; i < SAVED_TRIAL_STATES; i++) {
        struct diag diag = {0};
        state->values[i] = calloc(state->count, sizeof *state->values[i]);
        mpi_expect(state->values[i] != NULL, "memory");
        enum status status = trial_collect(trial, states[i], state->values[i], &diag);
        mpi_expect(status == STATUS_OK, "%s", diag.text);
    }
}

void saved_trial_fini(struct saved_trial_state *state)
{
    for (int i = 0; i < SAVED_TRIAL_STATES; i++)
        free(state->values[i]);
    *state = (struct saved_trial_state){0};
}

bool saved_trial_same(const struct saved_trial_state *a, const struct saved_trial_state *b,
                      bool typed)
{
    for (int i = 0; i < SAVED_TRIAL_STATES; i++)
        if ((i != 1 || typed) &&
            memcmp(a->values[i], b->values[i], a->count * sizeof *a->values[i]) != 0)
            return false;
    return a->count == b->count && a->steps == b->steps;
}

/* To the nearest, ties to even; finite numbers. */
static float round_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool saved_trial_rounded(const struct saved_trial_state *state, bool is_bf16)
{
    for (uint64_t i = 0; i < state->count; i++) {
        const float weight = state->values[0][i];
        if (state->values[1][i] != (is_bf16 ? round_bf16(weight) : weight))
            return false;
    }
    return true;
}

struct checkpoint_result saved_trial_save(struct trial *trial,
                                          const struct saved_trial_place *saved)
{
    struct diag diag = {0};
    struct checkpoint_result result;
    const struct checkpoint_place place = {.directory = saved->folder, .sharded = saved->sharded};
    const struct executor_request *context = saved_trial_context(trial);
    enum status status = checkpoint_save(trial->executor, context, &place, &result, &diag);
    mpi_expect(status == STATUS_OK, "saving: %s", diag.text);
    status = checkpoint_verify(trial->executor, context, &place, &result, &diag);
    mpi_expect(status == STATUS_OK && result.verified, "verifying: %s", diag.text);
    return result;
}

void saved_trial_restore(struct trial *trial, const char *folder)
{
    struct diag diag = {0};
    struct checkpoint_result result;
    const struct checkpoint_place place = {.directory = folder};
    enum status status =
        checkpoint_restore(trial->executor, saved_trial_context(trial), &place, &result, &diag);
    mpi_expect(status == STATUS_OK, "restoring: %s", diag.text);
}

void saved_trial_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    mpi_expect(entries != NULL, "%s to be a folder", folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[SAVED_TRIAL_PATH + 300];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        mpi_expect(checkpoint_is_file(entry->d_name), "no file such as %s", path);
        unlink(path);
    }
    closedir(entries);
    mpi_expect(rmdir(folder) == 0, "%s to be empty", folder);
}
