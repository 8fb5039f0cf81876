#include "checkpoint_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum safetensors_dtype dtype_of(const struct checkpoint_file *file,
                                       enum executor_state state)
{
    bool is_typed = executor_state_bytes(file->work->executor, state) == 2;
    return is_typed && !file->content->widened ? SAFETENSORS_BF16 : SAFETENSORS_F32;
}

/* The first element of tensor `index` that the file holds, and how many. */
static struct shard_run held_run(const struct checkpoint_file *file, size_t index)
{
    const struct executor_request *context = file->work->context;
    if (!file->content->whole)
        return shard_run_of(context->schedule, index, context->communicator->rank);
    return (struct shard_run){
        .tensor = index,
        .count = model_tensor(&context->schedule->request.shape, index).elements,
    };
}

static void add_tensor(struct checkpoint_file *file, enum executor_state state, size_t index)
{
    const struct model_shape *shape = &file->work->context->schedule->request.shape;
    const struct shard_run run = held_run(file, index);
    if (run.count == 0)
        return;
    size_t at = file->tensor_count++;
    file->index[(size_t)state * model_tensor_count(shape) + index] = at;
    char name[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(shape, index, name);
    snprintf(file->names[at], sizeof file->names[at], "%s%s", name,
             file->content->widened ? "" : checkpoint_work_suffix(state));
    struct safetensors_tensor *tensor = &file->tensors[at];
    *tensor = (struct safetensors_tensor){
        .name = file->names[at],
        .dtype = dtype_of(file, state),
        .dimensions = 1,
        .shape = {run.count},
    };
    const struct model_tensor whole = model_tensor(shape, index);
    if (!file->content->whole || whole.columns == 0)
        return;
    tensor->dimensions = 2;
    tensor->shape[0] = whole.rows;
    tensor->shape[1] = whole.columns;
}

static bool take_tables(struct checkpoint_file *file)
{
    size_t count = file->work->context->schedule->tensor_count;
    size_t most = count * file->content->state_count;
    file->tensors = calloc(most, sizeof *file->tensors);
    file->names = calloc(most, sizeof *file->names);
    file->index = calloc(count * EXECUTOR_STATE_COUNT, sizeof *file->index);
    if (file->tensors == NULL || file->names == NULL || file->index == NULL)
        return false;
    memset(file->index, 0xff, count * EXECUTOR_STATE_COUNT * sizeof *file->index); /* SIZE_MAX */
    return true;
}

static void release_tables(struct checkpoint_file *file)
{
    free(file->tensors);
    free(file->names);
    free(file->index);
    *file = (struct checkpoint_file){0};
}

enum status checkpoint_file_create(struct checkpoint_file *file, const struct checkpoint_work *work,
                                   const struct checkpoint_content *content, const char *path,
                                   struct diag *diag)
{
    *file = (struct checkpoint_file){.work = work, .content = content};
    if (!take_tables(file)) {
        release_tables(file);
        return diag_no_memory(diag);
    }
    for (size_t s = 0; s < content->state_count; s++)
        for (size_t i = 0; i < work->context->schedule->tensor_count; i++)
            if (executor_state_bytes(work->executor, content->states[s]) != 0)
                add_tensor(file, content->states[s],
                           content->widened ? i : work->map.entries[i].tensor);
    struct safetensors_note notes[CHECKPOINT_FACT_COUNT];
    checkpoint_facts_notes(content->facts, notes);
    struct safetensors_layout layout = {file->tensors, file->tensor_count, notes,
                                        CHECKPOINT_FACT_COUNT};
    enum status status = safetensors_create(&file->writer, path, &layout, diag);
    if (status != STATUS_OK) {
        release_tables(file);
        return status;
    }
    file->bytes = file->writer.data_begin + file->writer.data_bytes;
    if (work->place != NULL && work->place->inject_disk_full)
        file->writer.full_at = file->writer.data_bytes / 2;
    return STATUS_OK;
}

enum status checkpoint_file_write(struct checkpoint_file *file,
                                  const struct checkpoint_stretch *stretch, const void *data,
                                  struct diag *diag)
{
    const size_t count = file->work->context->schedule->tensor_count;
    struct shard_cursor cursor = shard_cursor(&file->work->map, stretch->unit, stretch->first,
                                              stretch->first + stretch->count);
    struct shard_run run;
    while (shard_next(&cursor, &run)) {
        size_t at = file->index[(size_t)stretch->state * count + run.tensor];
        if (at == SIZE_MAX)
            return diag_set(diag, STATUS_BUG, "%s: a tensor that the file does not hold",
                            file->writer.path);
        const struct safetensors_tensor *tensor = &file->tensors[at];
        const uint64_t bytes = safetensors_dtype_bytes(tensor->dtype);
        const uint64_t from = run.first - held_run(file, run.tensor).first;
        enum status status = safetensors_write(&file->writer, tensor->offset + from * bytes,
                                               (const unsigned char *)data + run.offset * bytes,
                                               run.count * bytes, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status checkpoint_file_finish(struct checkpoint_file *file, struct diag *diag)
{
    enum status status = safetensors_finish(&file->writer, diag);
    checkpoint_file_abandon(file);
    return status;
}

void checkpoint_file_abandon(struct checkpoint_file *file)
{
    if (file == NULL || file->work == NULL)
        return;
    safetensors_abandon(&file->writer);
    release_tables(file);
}
