#include "checkpoint_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output_folder.h"
#include "text.h"

uint64_t checkpoint_source_bytes(const struct checkpoint_source *source, enum executor_state state)
{
    if (state == EXECUTOR_PARAMETERS)
        return source->meaning.narrow_parameters ? 2 : 4;
    if (state == EXECUTOR_MASTER)
        return source->meaning.narrow_parameters ? 4 : 0;
    return state == EXECUTOR_GRADIENTS ? 0 : 4;
}

static void state_name(const struct checkpoint_source *source, enum executor_state state,
                       size_t tensor, char name[CHECKPOINT_NAME_SIZE])
{
    char plain[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(&source->shape, tensor, plain);
    snprintf(name, CHECKPOINT_NAME_SIZE, "%s%s", plain, checkpoint_work_suffix(state));
}

/* --- opening --- */

static enum status open_file(struct checkpoint_source *source, const char *directory,
                             const char *name, struct diag *diag)
{
    char *path = output_folder_path(directory, name);
    if (path == NULL)
        return diag_no_memory(diag);
    enum status status = safetensors_open(&source->files[source->file_count], path, diag);
    if (status == STATUS_OK)
        source->file_count++;
    free(path);
    return status;
}

static enum status file_facts(const struct safetensors_reader *file, struct checkpoint_facts *facts,
                              struct diag *diag)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < CHECKPOINT_FACT_COUNT && status == STATUS_OK; i++) {
        enum checkpoint_fact fact = (enum checkpoint_fact)i;
        status = checkpoint_facts_take(
            facts, fact, safetensors_note(file, checkpoint_facts_key(fact)), file->path, diag);
    }
    return status;
}

/* A full checkpoint as an index would say it: one file, of each tensor one run. */
static enum status open_full(struct checkpoint_source *source, const char *directory,
                             const struct checkpoint_facts *own, struct diag *diag)
{
    const size_t count = model_tensor_count(&source->shape);
    struct checkpoint_index *index = &source->index;
    index->file_count = 1;
    index->runs = arena_take_array(&source->arena, count, sizeof *index->runs);
    index->begin = arena_take_array(&source->arena, count + 1, sizeof *index->begin);
    source->files = arena_take_array(&source->arena, 1, sizeof *source->files);
    if (index->runs == NULL || index->begin == NULL || source->files == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        index->runs[i].count = model_tensor(&source->shape, i).elements;
        index->begin[i + 1] = i + 1;
    }
    enum status status = open_file(source, directory, CHECKPOINT_FULL_NAME, diag);
    if (status == STATUS_OK)
        status = file_facts(&source->files[0], &index->facts, diag);
    if (status == STATUS_OK)
        status = checkpoint_facts_understand(&index->facts, own, source->files[0].path,
                                             &source->meaning, diag);
    return status;
}

/* A file that belongs to another checkpoint would pass every other check. */
static enum status check_same_facts(const struct checkpoint_source *source,
                                    const struct safetensors_reader *file, struct diag *diag)
{
    struct checkpoint_facts facts;
    enum status status = file_facts(file, &facts, diag);
    for (int i = 0; i < CHECKPOINT_FACT_COUNT && status == STATUS_OK; i++) {
        const char *found = facts.text[i], *expected = source->index.facts.text[i];
        char printed[2][80];
        if (strcmp(found, expected) != 0)
            return diag_set(
                diag, STATUS_INPUT,
                "%s: the metadata's \"%s\" is \"%s\", " CHECKPOINT_INDEX_NAME
                " says \"%s\": the file is of another checkpoint",
                file->path, checkpoint_facts_key((enum checkpoint_fact)i),
                text_escape_into(printed[0], sizeof printed[0], found, strlen(found)),
                text_escape_into(printed[1], sizeof printed[1], expected, strlen(expected)));
    }
    return status;
}

static enum status open_sharded(struct checkpoint_source *source, const char *directory,
                                const char *index_path, const struct checkpoint_facts *own,
                                struct diag *diag)
{
    const struct checkpoint_index_request request = {index_path, &source->shape, own,
                                                     &source->arena};
    enum status status = checkpoint_index_read(&request, &source->index, &source->meaning, diag);
    if (status != STATUS_OK)
        return status;
    if (source->index.file_count != source->meaning.world_size) {
        char printed[1024];
        text_escape_into(printed, sizeof printed, index_path, strlen(index_path));
        return diag_set(diag, STATUS_INPUT, "%s: %zu files of %" PRIu64 " ranks", printed,
                        source->index.file_count, source->meaning.world_size);
    }
    source->files =
        arena_take_array(&source->arena, source->index.file_count + 1, sizeof *source->files);
    if (source->files == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < source->index.file_count && status == STATUS_OK; i++) {
        status = open_file(source, directory, source->index.files[i], diag);
        if (status == STATUS_OK)
            status = check_same_facts(source, &source->files[i], diag);
    }
    return status;
}

/* --- checking --- */

/* The tensor that holds a run, or of a full checkpoint the whole tensor. */
static enum status check_run(const struct checkpoint_source *source, enum executor_state state,
                             size_t tensor, const struct checkpoint_index_run *run,
                             struct diag *diag)
{
    const struct safetensors_reader *file = &source->files[run->file];
    char name[CHECKPOINT_NAME_SIZE];
    state_name(source, state, tensor, name);
    const struct safetensors_tensor *found = safetensors_find(file, name);
    if (found == NULL)
        return diag_set(diag, STATUS_INPUT, "%s: has no tensor %s", file->path, name);
    enum safetensors_dtype dtype =
        checkpoint_source_bytes(source, state) == 2 ? SAFETENSORS_BF16 : SAFETENSORS_F32;
    if (found->dtype != dtype)
        return diag_set(diag, STATUS_INPUT, "%s: tensor %s is %s, expected %s", file->path, name,
                        safetensors_dtype_name(found->dtype), safetensors_dtype_name(dtype));
    if (found->bytes != run->count * safetensors_dtype_bytes(dtype))
        return diag_set(diag, STATUS_INPUT,
                        "%s: tensor %s has %" PRIu64 " elements, expected %" PRIu64, file->path,
                        name, found->bytes / safetensors_dtype_bytes(dtype), run->count);
    return STATUS_OK;
}

static enum status check_tensors(const struct checkpoint_source *source, struct diag *diag)
{
    const size_t count = model_tensor_count(&source->shape);
    enum status status = STATUS_OK;
    for (size_t s = 0; s < CHECKPOINT_STATE_COUNT; s++) {
        const enum executor_state state = checkpoint_work_states[s];
        if (checkpoint_source_bytes(source, state) == 0)
            continue;
        for (size_t tensor = 0; tensor < count; tensor++)
            for (size_t i = source->index.begin[tensor];
                 i < source->index.begin[tensor + 1] && status == STATUS_OK; i++)
                status = check_run(source, state, tensor, &source->index.runs[i], diag);
    }
    return status;
}

static enum status open_directory(struct checkpoint_source *source, const char *directory,
                                  const struct checkpoint_facts *own, struct diag *diag)
{
    char *index = output_folder_path(directory, CHECKPOINT_INDEX_NAME);
    char *full = output_folder_path(directory, CHECKPOINT_FULL_NAME);
    enum status status;
    if (index == NULL || full == NULL) {
        status = diag_no_memory(diag);
    } else if (access(index, F_OK) == 0) {
        status = open_sharded(source, directory, index, own, diag);
    } else if (access(full, F_OK) == 0) {
        status = open_full(source, directory, own, diag);
    } else {
        char printed[1024];
        status = diag_set(diag, STATUS_INPUT,
                          "%s: no checkpoint: it has neither " CHECKPOINT_INDEX_NAME
                          " nor " CHECKPOINT_FULL_NAME,
                          text_escape_into(printed, sizeof printed, directory, strlen(directory)));
    }
    free(index);
    free(full);
    return status;
}

enum status checkpoint_source_open(struct checkpoint_source *source, const char *directory,
                                   const struct checkpoint_facts *own,
                                   const struct model_shape *shape, struct diag *diag)
{
    *source = (struct checkpoint_source){.shape = *shape};
    enum status status = open_directory(source, directory, own, diag);
    if (status == STATUS_OK)
        status = check_tensors(source, diag);
    if (status != STATUS_OK)
        checkpoint_source_close(source);
    return status;
}

/* --- reading --- */

/* A stretch of a file that a run of a tensor consists of. */
struct piece {
    const struct safetensors_reader *file;
    uint64_t offset, bytes; /* of the file's data */
    uint64_t skipped;       /* bytes of the run before it */
};

/* The piece of `run` that lies in the tensor's stored run `i`; false if none does. */
static bool find_piece(const struct checkpoint_source *source, enum executor_state state,
                       const struct shard_run *run, size_t i, struct piece *piece)
{
    const struct checkpoint_index_run *stored = &source->index.runs[i];
    const uint64_t bytes = checkpoint_source_bytes(source, state);
    const uint64_t end = run->first + run->count, stored_end = stored->first + stored->count;
    const uint64_t from = stored->first > run->first ? stored->first : run->first;
    const uint64_t to = stored_end < end ? stored_end : end;
    if (from >= to)
        return false;
    char name[CHECKPOINT_NAME_SIZE];
    state_name(source, state, run->tensor, name);
    piece->file = &source->files[stored->file];
    piece->offset = safetensors_find(piece->file, name)->offset + (from - stored->first) * bytes;
    piece->bytes = (to - from) * bytes;
    piece->skipped = (from - run->first) * bytes;
    return true;
}

enum status checkpoint_source_read(const struct checkpoint_source *source,
                                   enum executor_state state, const struct shard_run *run,
                                   void *data, struct diag *diag)
{
    const size_t *begin = &source->index.begin[run->tensor];
    enum status status = STATUS_OK;
    struct piece piece;
    for (size_t i = begin[0]; i < begin[1] && status == STATUS_OK; i++)
        if (find_piece(source, state, run, i, &piece))
            status = safetensors_read(piece.file, piece.offset,
                                      (unsigned char *)data + piece.skipped, piece.bytes, diag);
    return status;
}

void checkpoint_source_close(struct checkpoint_source *source)
{
    if (source == NULL)
        return;
    for (size_t i = 0; i < source->file_count; i++)
        safetensors_close(&source->files[i]);
    arena_fini(&source->arena);
    *source = (struct checkpoint_source){0};
}
