#include "dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "bfloat16.h"
#include "checkpoint_file.h"
#include "model_data.h"
#include "output_folder.h"

#define TOKENS_NAME "tokens.safetensors"
#define TOKEN_BATCH (UINT64_C(1) << 20) /* bytes of tokens written at once, or one sequence */

static const char *const part_names[DUMP_PART_COUNT] = {
    [DUMP_INITIAL] = "initial",
    [DUMP_GRADIENTS] = "gradients",
    [DUMP_FINAL] = "final",
};

struct dump {
    struct executor *executor;
    const struct executor_request *context;
    uint64_t first_step; /* whose tokens come first */
    bool written[DUMP_PART_COUNT];
    struct output_folder folder; /* rank 0's */
};

static bool is_root(const struct dump *dump)
{
    return dump->context->communicator->rank == 0;
}

static void file_name(const char *part, char *name, size_t size)
{
    snprintf(name, size, "%s.safetensors", part);
}

bool dump_is_file(const char *name)
{
    char expected[64];
    for (size_t part = 0; part < DUMP_PART_COUNT; part++) {
        file_name(part_names[part], expected, sizeof expected);
        if (strcmp(name, expected) == 0)
            return true;
    }
    return strcmp(name, TOKENS_NAME) == 0;
}

enum status dump_begin(struct executor *executor, const struct executor_request *context,
                       const struct dump_request *request, struct dump **dump, struct diag *diag)
{
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    struct dump *made = calloc(1, sizeof *made);
    enum status status = made == NULL ? diag_no_memory(diag) : STATUS_OK;
    if (status == STATUS_OK) {
        made->executor = executor;
        made->context = context;
        made->first_step = executor_steps(executor);
        if (is_root(made))
            status = output_folder_begin(&made->folder, request->directory, dump_is_file,
                                         request->force, diag);
    }
    status = agreement_status(context->communicator, status, diag);
    if (status != STATUS_OK) {
        dump_abandon(made);
        return status;
    }
    *dump = made;
    return STATUS_OK;
}

void dump_abandon(struct dump *dump)
{
    if (dump == NULL)
        return;
    output_folder_abandon(&dump->folder);
    free(dump);
}

/* What the files of a dump say about themselves. */
static void describe(const struct dump *dump, const char *content, struct checkpoint_facts *facts)
{
    checkpoint_facts_of(facts, dump->executor, dump->context);
    snprintf(facts->text[CHECKPOINT_FORMAT], sizeof facts->text[0], "%s",
             CHECKPOINT_FACTS_DUMP_FORMAT);
    snprintf(facts->text[CHECKPOINT_CONTENT], sizeof facts->text[0], "%s", content);
}

/* --- a state as fp32 --- */

struct writing {
    struct checkpoint_work work;
    struct checkpoint_content content;
    struct checkpoint_facts facts;
    struct checkpoint_file file;
};

static void widen(float *to, const uint16_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = bfloat16_widen(from[i]);
}

static enum status receive(void *context, const struct checkpoint_stretch *stretch,
                           const void *data, struct diag *diag)
{
    struct writing *writing = context;
    if (executor_state_bytes(writing->work.executor, stretch->state) == 4)
        return checkpoint_file_write(&writing->file, stretch, data, diag);
    /* The gather left room for these at the staging buffer's end, whose size is a multiple of 64.
     */
    unsigned char *end = writing->work.staging + writing->work.staging_bytes;
    float *wide = (float *)(void *)end - stretch->count;
    widen(wide, data, stretch->count);
    return checkpoint_file_write(&writing->file, stretch, wide, diag);
}

static enum status create_file(const struct dump *dump, struct writing *writing,
                               const char *content, struct diag *diag)
{
    char name[64];
    file_name(content, name, sizeof name);
    char *path = output_folder_path(dump->folder.temporary, name);
    if (path == NULL)
        return diag_no_memory(diag);
    enum status status =
        checkpoint_file_create(&writing->file, &writing->work, &writing->content, path, diag);
    free(path);
    return status;
}

static enum status write_state(const struct dump *dump, struct writing *writing,
                               enum executor_state state, struct diag *diag)
{
    struct communicator *communicator = dump->context->communicator;
    const uint64_t bytes = executor_state_bytes(dump->executor, state);
    const struct checkpoint_receiver receiver = {receive, writing, bytes == 2 ? 4 : 0};
    enum status status =
        checkpoint_work_begin(&writing->work, SCHEDULE_PHASE_CHECKPOINT_SAVE, diag);
    if (status != STATUS_OK)
        return status;
    if (is_root(dump))
        status = create_file(dump, writing, writing->facts.text[CHECKPOINT_CONTENT], diag);
    status = agreement_root(communicator, 0, status, diag);
    if (status == STATUS_OK)
        status = checkpoint_work_gather(&writing->work, state, &receiver, diag);
    if (status != STATUS_OK)
        return status;
    if (is_root(dump))
        status = checkpoint_file_finish(&writing->file, diag);
    return agreement_root(communicator, 0, status, diag);
}

enum status dump_write(struct dump *dump, enum dump_part part, struct diag *diag)
{
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    enum executor_state state = EXECUTOR_GRADIENTS;
    if (part != DUMP_GRADIENTS)
        state = executor_state_bytes(dump->executor, EXECUTOR_MASTER) != 0 ? EXECUTOR_MASTER
                                                                           : EXECUTOR_PARAMETERS;
    struct writing writing = {
        .work = {.executor = dump->executor, .context = dump->context},
        .content = {.states = &state, .state_count = 1, .whole = true, .widened = true},
    };
    describe(dump, part_names[part], &writing.facts);
    writing.content.facts = &writing.facts;
    enum status status = write_state(dump, &writing, state, diag);
    checkpoint_file_abandon(&writing.file);
    checkpoint_work_end(&writing.work);
    dump->written[part] = status == STATUS_OK;
    return status;
}

/* --- tokens --- */

/* All sequences of all steps, in order: sequence k is number k mod (global batch) of its step. */
static enum status write_sequences(const struct dump *dump, struct safetensors_writer *writer,
                                   uint64_t count, struct diag *diag)
{
    const struct model_shape *shape = &dump->context->schedule->request.shape;
    const uint64_t batch = training_global_batch(dump->context->training);
    const uint64_t length = shape->seq_len + 1, bytes = length * sizeof(int32_t);
    const uint64_t at_once = TOKEN_BATCH / bytes > 0 ? TOKEN_BATCH / bytes : 1;
    int32_t *tokens = calloc(at_once, bytes);
    if (tokens == NULL)
        return diag_no_memory(diag);
    enum status status = STATUS_OK;
    for (uint64_t first = 0; first < count && status == STATUS_OK; first += at_once) {
        const uint64_t now = count - first < at_once ? count - first : at_once;
        for (uint64_t i = 0; i < now; i++)
            model_data_tokens(shape, dump->context->training->seed,
                              dump->first_step + (first + i) / batch, (first + i) % batch,
                              tokens + i * length);
        status = safetensors_write(writer, first * bytes, tokens, now * bytes, diag);
    }
    free(tokens);
    return status;
}

static enum status write_tokens(const struct dump *dump, struct diag *diag)
{
    const struct executor_request *context = dump->context;
    const uint64_t steps = executor_steps(dump->executor) - dump->first_step;
    const uint64_t batch = training_global_batch(context->training);
    struct safetensors_tensor tensor = {
        .name = "tokens",
        .dtype = SAFETENSORS_I32,
        .dimensions = 3,
        .shape = {steps, batch, context->schedule->request.shape.seq_len + 1},
    };
    struct checkpoint_facts facts;
    struct safetensors_note notes[CHECKPOINT_FACT_COUNT];
    struct safetensors_layout layout = {&tensor, 1, notes, CHECKPOINT_FACT_COUNT};
    struct safetensors_writer writer;
    describe(dump, "tokens", &facts);
    checkpoint_facts_notes(&facts, notes);
    char *path = output_folder_path(dump->folder.temporary, TOKENS_NAME);
    if (path == NULL)
        return diag_no_memory(diag);
    enum status status = safetensors_create(&writer, path, &layout, diag);
    free(path);
    if (status != STATUS_OK)
        return status;
    status = write_sequences(dump, &writer, steps * batch, diag);
    if (status == STATUS_OK)
        return safetensors_finish(&writer, diag);
    safetensors_abandon(&writer);
    return status;
}

static enum status check_complete(const struct dump *dump, struct diag *diag)
{
    for (size_t part = 0; part < DUMP_PART_COUNT; part++)
        if (!dump->written[part])
            return diag_set(diag, STATUS_BUG, "the dump has no part %s", part_names[part]);
    return STATUS_OK;
}

enum status dump_finish(struct dump *dump, struct diag *diag)
{
    struct diag own = {0};
    if (diag == NULL)
        diag = &own;
    enum status status = check_complete(dump, diag);
    if (status == STATUS_OK && is_root(dump))
        status = write_tokens(dump, diag);
    if (status == STATUS_OK && is_root(dump))
        status = output_folder_commit(&dump->folder, diag);
    status = agreement_root(dump->context->communicator, 0, status, diag);
    dump_abandon(dump);
    return status;
}
