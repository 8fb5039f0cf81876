#include "session_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stopwatch.h"

#define PATH_SIZE 4096
#define BARE_STEPS 5 /* enough for a median and a spread */
#define MATRIX_PRODUCTS 5

/* --- checkpoints --- */

/* The folder of this run's checkpoints: as asked, else beside the evidence. */
static int base_folder(const struct run_config *config, char *path, size_t size)
{
    const char *folder =
        config->checkpoint_dir != NULL ? config->checkpoint_dir : config->output_dir;
    if (folder != NULL)
        return snprintf(path, size, "%s", folder);
    const char *slash = config->output == NULL ? NULL : strrchr(config->output, '/');
    if (slash == NULL)
        return snprintf(path, size, ".");
    return snprintf(path, size, "%.*s", (int)(slash - config->output) + 1, config->output);
}

static enum status checkpoint_path(const struct session *session, bool sharded, char *path,
                                   struct diag *diag)
{
    char folder[PATH_SIZE];
    int length = base_folder(session->config, folder, sizeof folder);
    const char *strategy = training_state_row(session->request->strategy)->name;
    if (length >= 0 && length < PATH_SIZE)
        length =
            snprintf(path, PATH_SIZE, "%s/%s-%s", folder, strategy, sharded ? "sharded" : "full");
    if (length >= 0 && length < PATH_SIZE)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT, "the checkpoint's path is longer than %d bytes",
                    PATH_SIZE - 1);
}

static void note_checkpoint(struct session *session, const struct checkpoint_place *place,
                            const struct checkpoint_result *result, bool restored)
{
    struct rank_checkpoint *noted = &session->record->checkpoints[place->sharded];
    *noted = (struct rank_checkpoint){
        .sharded = place->sharded,
        .done = true,
        .restored = restored,
        .verified = result->verified,
        .files = result->files,
        .bytes = result->bytes,
        .save_ms = result->save_ms,
        .restore_ms = result->restore_ms,
    };
    session_parts_note_memory(session);
}

static enum status checkpoint(struct session *session, bool sharded, struct diag *diag)
{
    char path[PATH_SIZE];
    struct checkpoint_result result = {0};
    const struct checkpoint_place place = {
        .directory = path, .sharded = sharded, .seed = session->training.seed};
    enum status status = checkpoint_path(session, sharded, path, diag);
    if (status != STATUS_OK)
        return status;
    session_parts_enter(session, RANK_CHECKPOINT_SAVE);
    session_parts_before_checkpoint(session);
    status = checkpoint_save(session->executor, &session->context, &place, &result, diag);
    if (status != STATUS_OK)
        return status;
    note_checkpoint(session, &place, &result, false);
    session_parts_enter(session, RANK_CHECKPOINT_RESTORE);
    status = checkpoint_verify(session->executor, &session->context, &place, &result, diag);
    if (status == STATUS_OK)
        note_checkpoint(session, &place, &result, true);
    return status;
}

static enum status checkpoints(struct session *session, struct diag *diag)
{
    const enum run_checkpoint asked = session->config->checkpoint;
    enum status status = STATUS_OK;
    if (session->request->round > 0)
        return STATUS_OK;
    session->doing = RANK_FAILURE_CHECKPOINT;
    if (asked == RUN_CHECKPOINT_FULL || asked == RUN_CHECKPOINT_BOTH)
        status = checkpoint(session, false, diag);
    if (status == STATUS_OK && (asked == RUN_CHECKPOINT_SHARDED || asked == RUN_CHECKPOINT_BOTH))
        status = checkpoint(session, true, diag);
    return status;
}

enum status session_parts_dump(struct session *session, const char *name, enum executor_state state,
                               struct diag *diag)
{
    const struct run_config *config = session->config;
    char path[PATH_SIZE];
    if (config->dump_dir == NULL || session->request->round > 0)
        return STATUS_OK;
    const enum rank_failure_kind doing = session->doing;
    session->doing = RANK_FAILURE_CHECKPOINT;
    int length = snprintf(path, sizeof path, "%s/%s.safetensors", config->dump_dir, name);
    if (length < 0 || length >= PATH_SIZE)
        return diag_set(diag, STATUS_ENVIRONMENT, "the dump's path is longer than %d bytes",
                        PATH_SIZE - 1);
    enum status status = checkpoint_dump(session->executor, &session->context, state, path, diag);
    if (status == STATUS_OK)
        session->doing = doing;
    session_parts_advance(session);
    return status;
}

/* --- the pass without collectives --- */

/* Steps on real values whose results nobody uses: what a step costs without its collectives. All
 * ranks start together, because they share the machine in the measured steps, too. */
static enum status run_bare(struct session *session, struct diag *diag)
{
    struct rank_record *record = session->record;
    struct communicator *communicator = session->communicator;
    const uint64_t repeats = session->training.repeats;
    const uint64_t count = repeats < BARE_STEPS ? repeats : BARE_STEPS;
    if (communicator->world_size == 1)
        return STATUS_OK;
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_NO_COLLECTIVES);
    enum status status = communicator_barrier(communicator, diag);
    communicator->off = true;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct executor_step step;
        status = session_parts_step(session, &step, diag);
        if (status == STATUS_OK)
            record->bare_ns[record->bare_steps++] = step.times.total_ns;
        session_parts_advance(session);
    }
    communicator->off = false;
    if (status == STATUS_NEGATIVE) { /* these steps are no training: numbers may run away */
        diag->status = STATUS_OK;
        return STATUS_OK;
    }
    return status;
}

/* --- calibration --- */

static enum status calibrate(struct session *session, struct diag *diag)
{
    session->doing = RANK_FAILURE_COMMUNICATION;
    session_parts_enter(session, RANK_CALIBRATION);
    session->record->matrix_product_flops =
        session->backend->operations->matrix_product_rate(session->backend, MATRIX_PRODUCTS);
    session_parts_advance(session);
    (void)diag;
    return STATUS_OK;
}

enum status session_parts_finish(struct session *session, struct diag *diag)
{
    enum status status = session_parts_dump(session, "final", EXECUTOR_PARAMETERS, diag);
    if (status == STATUS_OK)
        status = checkpoints(session, diag);
    if (status == STATUS_OK)
        status = run_bare(session, diag);
    if (status == STATUS_OK)
        status = calibrate(session, diag);
    if (status != STATUS_OK)
        return status;
    session_parts_enter(session, RANK_FINISH);
    session_parts_note_memory(session);
    return communicator_barrier(session->communicator, diag);
}
