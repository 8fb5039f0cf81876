#include "session_parts.h"

#include "run_folders.h"

/* --- checkpoints --- */

static void advance(void *context)
{
    session_parts_advance(context);
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
    char path[RUN_FOLDERS_PATH_SIZE];
    struct checkpoint_result result = {0};
    const struct checkpoint_place place = {
        .directory = path,
        .sharded = sharded,
        .force = session->config->force,
        .inject_disk_full = session_parts_disk_full(session),
        .progress = advance,
        .progress_context = session,
    };
    enum status status =
        run_folders_checkpoint(session->config, session->request->strategy, sharded, path, diag);
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

enum status session_parts_checkpoints(struct session *session, struct diag *diag)
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

enum status session_parts_restore(struct session *session, struct diag *diag)
{
    struct checkpoint_result result = {0};
    const struct checkpoint_place place = {
        .directory = session->config->restore_dir,
        .progress = advance,
        .progress_context = session,
    };
    if (place.directory == NULL)
        return STATUS_OK;
    session->doing = RANK_FAILURE_CHECKPOINT;
    session_parts_enter(session, RANK_CHECKPOINT_RESTORE);
    return checkpoint_restore(session->executor, &session->context, &place, &result, diag);
}

/* --- the dump --- */

/* The first part opens it, the last one puts it in its place. */
static enum status dump(struct session *session, enum dump_part part, struct diag *diag)
{
    char path[RUN_FOLDERS_PATH_SIZE];
    const struct dump_request request = {path, session->config->force};
    enum status status = STATUS_OK;
    if (part == DUMP_INITIAL) {
        status = run_folders_dump(session->config, session->request->strategy, path, diag);
        if (status == STATUS_OK)
            status =
                dump_begin(session->executor, &session->context, &request, &session->dump, diag);
    }
    if (status == STATUS_OK)
        status = dump_write(session->dump, part, diag);
    if (status != STATUS_OK || part != DUMP_FINAL)
        return status;
    struct dump *whole = session->dump;
    session->dump = NULL;
    return dump_finish(whole, diag);
}

enum status session_parts_dump(struct session *session, enum dump_part part, struct diag *diag)
{
    if (session->config->dump_dir == NULL || session->request->round > 0)
        return STATUS_OK;
    const enum rank_failure_kind doing = session->doing;
    session->doing = RANK_FAILURE_CHECKPOINT;
    enum status status = dump(session, part, diag);
    if (status == STATUS_OK)
        session->doing = doing;
    session_parts_advance(session);
    return status;
}
