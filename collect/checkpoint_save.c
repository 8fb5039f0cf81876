#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agreement.h"
#include "checkpoint_file.h"
#include "checkpoint_index.h"
#include "checkpoint_source.h"
#include "output_folder.h"
#include "text.h"

/* One checkpoint on its way to the disk. */
struct saving {
    struct checkpoint_work work;
    struct checkpoint_facts facts;
    struct checkpoint_content content;
    struct output_folder folder; /* rank 0's */
    char temporary[PATH_MAX];    /* its path, on all ranks */
    struct checkpoint_file file; /* of the ranks that write one */
    uint64_t files, bytes;       /* this rank's */
};

static bool is_root(const struct saving *saving)
{
    return saving->work.context->communicator->rank == 0;
}

bool checkpoint_is_file(const char *name)
{
    unsigned long long rank, world_size;
    char expected[CHECKPOINT_INDEX_FILE_SIZE];
    if (strcmp(name, CHECKPOINT_FULL_NAME) == 0 || strcmp(name, CHECKPOINT_INDEX_NAME) == 0)
        return true;
    if (sscanf(name, "rank-%llu-of-%llu.", &rank, &world_size) != 2)
        return false;
    checkpoint_index_file(rank, world_size, expected);
    return strcmp(name, expected) == 0;
}

/* The temporary folder, whose path all ranks learn. */
static enum status open_folder(struct saving *saving, struct diag *diag)
{
    const struct checkpoint_place *place = saving->work.place;
    struct communicator *communicator = saving->work.context->communicator;
    enum status status = STATUS_OK;
    if (is_root(saving)) {
        status = output_folder_begin(&saving->folder, place->directory, checkpoint_is_file,
                                     place->force, diag);
        if (status == STATUS_OK)
            snprintf(saving->temporary, sizeof saving->temporary, "%s", saving->folder.temporary);
    }
    status = agreement_root(communicator, 0, status, diag);
    if (status != STATUS_OK)
        return status;
    return communicator_broadcast(communicator, saving->temporary, sizeof saving->temporary, 0,
                                  diag);
}

static enum status create_file(struct saving *saving, const char *name, struct diag *diag)
{
    char *path = output_folder_path(saving->temporary, name);
    if (path == NULL)
        return diag_no_memory(diag);
    enum status status =
        checkpoint_file_create(&saving->file, &saving->work, &saving->content, path, diag);
    saving->files = 1;
    saving->bytes = saving->file.bytes;
    free(path);
    return status;
}

/* Says so where a rank on another host does not see rank 0's folder: "no such file" alone would not
 * be understood. */
static enum status look_for_folder(const struct saving *saving, struct diag *diag)
{
    char shown[PATH_MAX / 4];
    if (is_root(saving) || access(saving->temporary, F_OK) == 0 || errno != ENOENT)
        return STATUS_OK;
    text_escape_into(shown, sizeof shown, saving->work.place->directory,
                     strlen(saving->work.place->directory));
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "%s: this rank's host does not see the folder that rank 0 made there; a "
                    "checkpoint needs a file system that all hosts share",
                    shown);
}

/* --- full: rank 0 writes what all ranks have --- */

static enum status receive(void *context, const struct checkpoint_stretch *stretch,
                           const void *data, struct diag *diag)
{
    struct saving *saving = context;
    return checkpoint_file_write(&saving->file, stretch, data, diag);
}

static enum status save_full(struct saving *saving, struct diag *diag)
{
    struct communicator *communicator = saving->work.context->communicator;
    const struct checkpoint_receiver receiver = {receive, saving, 0};
    enum status status = STATUS_OK;
    if (is_root(saving))
        status = create_file(saving, CHECKPOINT_FULL_NAME, diag);
    status = agreement_root(communicator, 0, status, diag);
    for (size_t s = 0; s < CHECKPOINT_STATE_COUNT && status == STATUS_OK; s++)
        if (executor_state_bytes(saving->work.executor, checkpoint_work_states[s]) != 0)
            status =
                checkpoint_work_gather(&saving->work, checkpoint_work_states[s], &receiver, diag);
    if (status == STATUS_OK && is_root(saving))
        status = checkpoint_file_finish(&saving->file, diag);
    return status;
}

/* --- sharded: each rank writes its own --- */

static enum status write_unit(struct saving *saving, enum executor_state state, size_t unit,
                              struct diag *diag)
{
    const struct checkpoint_work *work = &saving->work;
    const uint64_t part = shard_part_elements(work->context->schedule, unit);
    const uint64_t capacity = work->staging_bytes / executor_state_bytes(work->executor, state);
    for (uint64_t first = 0; first < part; first += capacity) {
        struct checkpoint_stretch stretch = {state, unit, first,
                                             part - first < capacity ? part - first : capacity};
        enum status status = checkpoint_work_fetch(work, &stretch, work->staging, diag);
        stretch.first += work->context->communicator->rank * part; /* in the unit */
        if (status == STATUS_OK)
            status = checkpoint_file_write(&saving->file, &stretch, work->staging, diag);
        if (status != STATUS_OK)
            return status;
        checkpoint_work_advance(work);
    }
    return STATUS_OK;
}

static enum status write_shards(struct saving *saving, struct diag *diag)
{
    const struct checkpoint_work *work = &saving->work;
    const struct communicator *communicator = work->context->communicator;
    char name[CHECKPOINT_INDEX_FILE_SIZE];
    checkpoint_index_file(communicator->rank, communicator->world_size, name);
    enum status status = look_for_folder(saving, diag);
    if (status == STATUS_OK)
        status = create_file(saving, name, diag);
    for (size_t s = 0; s < CHECKPOINT_STATE_COUNT; s++)
        for (size_t unit = 0; unit < work->context->schedule->unit_count; unit++)
            if (status == STATUS_OK &&
                executor_state_bytes(work->executor, checkpoint_work_states[s]) != 0)
                status = write_unit(saving, checkpoint_work_states[s], unit, diag);
    if (status == STATUS_OK)
        status = checkpoint_file_finish(&saving->file, diag);
    return status;
}

static enum status save_sharded(struct saving *saving, struct diag *diag)
{
    uint64_t index_bytes = 0;
    enum status status = write_shards(saving, diag);
    if (status == STATUS_OK && is_root(saving)) {
        status = checkpoint_index_write(saving->work.context->schedule, &saving->facts,
                                        saving->temporary, &index_bytes, diag);
        saving->files++;
        saving->bytes += index_bytes;
    }
    return status;
}

/* --- both --- */

/* Once every rank's files are on the disk, and not before, the folder takes its place. */
static enum status commit(struct saving *saving, enum status status, struct diag *diag)
{
    struct communicator *communicator = saving->work.context->communicator;
    status = agreement_status(communicator, status, diag);
    if (status != STATUS_OK)
        return status;
    if (is_root(saving))
        status = output_folder_commit(&saving->folder, diag);
    return agreement_root(communicator, 0, status, diag);
}

static enum status save(struct saving *saving, struct diag *diag)
{
    enum status status = checkpoint_work_begin(&saving->work, SCHEDULE_PHASE_CHECKPOINT_SAVE, diag);
    if (status == STATUS_OK)
        status = open_folder(saving, diag);
    if (status != STATUS_OK)
        return status;
    bool sharded = saving->work.place->sharded;
    status = sharded ? save_sharded(saving, diag) : save_full(saving, diag);
    return commit(saving, status, diag);
}

enum status checkpoint_save(struct executor *executor, const struct executor_request *context,
                            const struct checkpoint_place *place, struct checkpoint_result *result,
                            struct diag *diag)
{
    struct saving saving = {
        .work = {.executor = executor, .context = context, .place = place},
        .content = {.states = checkpoint_work_states,
                    .state_count = CHECKPOINT_STATE_COUNT,
                    .whole = !place->sharded},
    };
    struct diag own = {0}; /* the message travels to the other ranks, whether or not it is wanted */
    if (diag == NULL)
        diag = &own;
    checkpoint_facts_of(&saving.facts, executor, context);
    snprintf(saving.facts.text[CHECKPOINT_CONTENT], sizeof saving.facts.text[0], "%s",
             place->sharded ? "sharded" : "full");
    saving.content.facts = &saving.facts;
    enum status status = save(&saving, diag);
    checkpoint_file_abandon(&saving.file);
    output_folder_abandon(&saving.folder);
    checkpoint_work_end(&saving.work);
    if (status != STATUS_OK)
        return status;
    *result = (struct checkpoint_result){saving.files, saving.bytes,
                                         checkpoint_work_ms(&saving.work), 0, false};
    status = agreement_sum(context->communicator, &result->files, diag);
    if (status == STATUS_OK)
        status = agreement_sum(context->communicator, &result->bytes, diag);
    if (status == STATUS_OK)
        status = agreement_largest(context->communicator, &result->save_ms, diag);
    return status;
}
