#include "checkpoint_index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_read.h"
#include "json_write.h"
#include "output.h"
#include "output_folder.h"
#include "shard.h"
#include "text.h"

void checkpoint_index_file(uint64_t rank, uint64_t world_size,
                           char name[CHECKPOINT_INDEX_FILE_SIZE])
{
    snprintf(name, CHECKPOINT_INDEX_FILE_SIZE, "rank-%" PRIu64 "-of-%" PRIu64 ".safetensors", rank,
             world_size);
}

/* --- writing --- */

static json_t *runs_of(struct json_write *json, const struct schedule *schedule, size_t tensor)
{
    json_t *runs = json_write_array(json);
    for (uint64_t rank = 0; rank < schedule->request.world_size; rank++) {
        const struct shard_run run = shard_run_of(schedule, tensor, rank);
        if (run.count == 0)
            continue;
        json_t *object = json_write_object(json);
        json_write_set(json, object, "file", json_write_integer(json, (int64_t)rank));
        json_write_set(json, object, "first", json_write_integer(json, (int64_t)run.first));
        json_write_set(json, object, "count", json_write_integer(json, (int64_t)run.count));
        json_write_append(json, runs, object);
    }
    return runs;
}

static json_t *build(struct json_write *json, const struct schedule *schedule,
                     const struct checkpoint_facts *facts)
{
    json_t *root = json_write_object(json), *metadata = json_write_object(json),
           *files = json_write_array(json), *tensors = json_write_object(json);
    for (int fact = 0; fact < CHECKPOINT_FACT_COUNT; fact++)
        json_write_set(json, metadata, checkpoint_facts_key((enum checkpoint_fact)fact),
                       json_write_string(json, facts->text[fact]));
    for (uint64_t rank = 0; rank < schedule->request.world_size; rank++) {
        char name[CHECKPOINT_INDEX_FILE_SIZE];
        checkpoint_index_file(rank, schedule->request.world_size, name);
        json_write_append(json, files, json_write_string(json, name));
    }
    for (size_t tensor = 0; tensor < schedule->tensor_count; tensor++) {
        char name[MODEL_TENSOR_NAME_SIZE];
        model_tensor_name(&schedule->request.shape, tensor, name);
        json_write_set(json, tensors, name, runs_of(json, schedule, tensor));
    }
    json_write_set(json, root, "metadata", metadata);
    json_write_set(json, root, "files", files);
    json_write_set(json, root, "tensors", tensors);
    return root;
}

/* A new file, on the disk when this returns. */
static enum status write_synced(const char *path, const struct text_buffer *text, struct diag *diag)
{
    char printed[1024];
    text_escape_into(printed, sizeof printed, path, strlen(path));
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s", printed,
                        diag_reason(errno));
    enum status status = output_write_descriptor(descriptor, path, text->text, text->length, diag);
    if (status == STATUS_OK && fsync(descriptor) != 0)
        status =
            diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s", printed, diag_reason(errno));
    if (close(descriptor) != 0 && status == STATUS_OK && errno != EINTR)
        status =
            diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s", printed, diag_reason(errno));
    return status;
}

enum status checkpoint_index_write(const struct schedule *schedule,
                                   const struct checkpoint_facts *facts, const char *folder,
                                   uint64_t *bytes, struct diag *diag)
{
    struct json_write json = {0};
    struct text_buffer text = {0};
    json_t *root = build(&json, schedule, facts);
    enum status status = json_write_text(&json, root, &text, diag);
    json_decref(root);
    char *path = output_folder_path(folder, CHECKPOINT_INDEX_NAME);
    if (status == STATUS_OK && path == NULL)
        status = diag_no_memory(diag);
    if (status == STATUS_OK)
        status = write_synced(path, &text, diag);
    *bytes = text.length;
    free(path);
    text_buffer_fini(&text);
    return status;
}
