#include "stage_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_data.h"

/* Filled with what is no sensible number in any type: what is read before it was written shows. */
static void *memory(uint64_t bytes)
{
    const size_t size = (size_t)((bytes + 63) / 64 * 64);
    void *base = aligned_alloc(64, size == 0 ? 64 : size);
    if (base == NULL) {
        fprintf(stderr, "stage trial: no memory for %zu bytes\n", size);
        abort();
    }
    memset(base, 0xff, size);
    return base;
}

static void insist(enum status status, const struct diag *diag)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "stage trial: %s\n", diag->text);
    abort();
}

static void synchronise(struct backend *backend)
{
    struct diag diag = {0};
    insist(backend->operations->synchronise(backend, &diag), &diag);
}

static void make_backend(struct stage_trial *trial)
{
    const struct backend_request request = {trial->request.shape, trial->request.dtype, 1, 0};
    struct diag diag = {0};
    insist(backend_find("cpu")->create(&request, &trial->stage.backend, &diag), &diag);
    struct backend *backend = trial->stage.backend;
    trial->scratch = memory(backend->workspace_bytes);
    backend->operations->set_workspace(backend, trial->scratch);
}

static void make_parameters(struct stage_trial *trial)
{
    struct backend *backend = trial->stage.backend;
    const uint64_t bytes = model_dtype_bytes(trial->request.dtype);
    for (size_t i = 0; i < trial->tensor_count; i++) {
        const uint64_t count = model_tensor(&trial->request.shape, i).elements;
        float *values = memory(count * sizeof *values);
        model_data_initial(&trial->request.shape, trial->request.seed, i, 0, count, values);
        trial->parameters[i] = memory(count * bytes);
        backend->operations->narrow(backend, trial->parameters[i], values, count);
        synchronise(backend);
        trial->stage.parameters[i] = trial->parameters[i];
        trial->stage.gradients[i] = memory(count * bytes);
        free(values);
    }
}

static void make_buffers(struct stage_trial *trial)
{
    struct model_stage *stage = &trial->stage;
    const struct model_shape *shape = &trial->request.shape;
    stage->plan = activation_plan_of(shape, stage->dtype);
    stage->workspace = memory(model_stage_workspace_bytes(shape, stage->dtype));
    stage->saved[0] = NULL;
    for (size_t s = 0; s <= shape->layers; s++) {
        stage->streams[s] = memory(stage->plan.stream_bytes);
        stage->saved[s + 1] =
            memory(s == shape->layers ? stage->plan.head_bytes : stage->plan.block_bytes);
    }
}

void stage_trial_init(struct stage_trial *trial, const struct stage_trial_request *request)
{
    const size_t stages = (size_t)request->shape.layers + 2;
    *trial = (struct stage_trial){
        .request = *request,
        .tensor_count = model_tensor_count(&request->shape),
        .gradients = memory(model_parameters(&request->shape) * sizeof(float)),
    };
    struct model_stage *stage = &trial->stage;
    stage->shape = request->shape;
    stage->dtype = request->dtype;
    trial->parameters = memory(trial->tensor_count * sizeof(void *));
    stage->parameters = memory(trial->tensor_count * sizeof(void *));
    stage->gradients = memory(trial->tensor_count * sizeof(void *));
    stage->streams = memory(stages * sizeof(void *));
    stage->saved = memory(stages * sizeof(void *));
    stage->loss_scale = 1.0f / (float)(request->shape.micro_batch * request->shape.seq_len *
                                       request->micro_batches);
    make_backend(trial);
    make_parameters(trial);
    make_buffers(trial);
}

static enum status pause_between(void *context, struct diag *diag)
{
    struct stage_trial *trial = context;
    trial->pauses++;
    if (trial->pauses == trial->stop_at)
        return diag_set(diag, STATUS_ENVIRONMENT, "stopped at operator %zu", (size_t)trial->pauses);
    return STATUS_OK;
}

static enum status forward(struct stage_trial *trial, struct diag *diag)
{
    const struct model_stage_between between = {pause_between, trial};
    for (size_t s = 0; s <= trial->request.shape.layers + 1; s++) {
        enum status status = model_stage_forward(&trial->stage, s, &between, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* What checkpointing does: a block's activations are gone, and made again without its outgoing
 * stream, which is gone too. */
static enum status recompute(struct stage_trial *trial, size_t s, struct diag *diag)
{
    struct model_stage *stage = &trial->stage;
    void *stream = stage->streams[s];
    memset(stage->saved[s], 0xff, (size_t)stage->plan.block_bytes);
    memset(stream, 0xff, (size_t)stage->plan.stream_bytes);
    stage->streams[s] = NULL;
    enum status status = model_stage_forward(stage, s, NULL, diag);
    stage->streams[s] = stream;
    return status;
}

static enum status backward(struct stage_trial *trial, int accumulate, struct diag *diag)
{
    static const enum model_module block[] = {MODEL_DOWN,       MODEL_UP,  MODEL_LN2,
                                              MODEL_PROJECTION, MODEL_QKV, MODEL_LN1};
    static const enum model_module head[] = {MODEL_WTE, MODEL_LN_F}, embedding[] = {MODEL_WPE};
    const size_t last = (size_t)trial->request.shape.layers + 1;
    const struct model_stage_between between = {pause_between, trial};
    for (size_t s = last + 1; s-- > 0;) {
        const enum model_module *modules = s == last ? head : s == 0 ? embedding : block;
        const size_t count = s == last ? 2 : s == 0 ? 1 : 6;
        enum status status = STATUS_OK;
        if (trial->request.checkpointing && s != 0 && s != last)
            status = recompute(trial, s, diag);
        for (size_t m = 0; m < count && status == STATUS_OK; m++)
            status = model_stage_backward(&trial->stage, s, modules[m], accumulate, &between, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* [B][T + 1] of one micro-batch. */
static void make_tokens(const struct stage_trial *trial, uint64_t micro_batch, int32_t *tokens)
{
    const struct model_shape *shape = &trial->request.shape;
    for (uint64_t b = 0; b < shape->micro_batch; b++)
        model_data_tokens(shape, trial->request.seed, trial->request.step,
                          micro_batch * shape->micro_batch + b, tokens + b * (shape->seq_len + 1));
}

static void read_gradients(struct stage_trial *trial)
{
    struct backend *backend = trial->stage.backend;
    float *to = trial->gradients;
    for (size_t i = 0; i < trial->tensor_count; i++) {
        const uint64_t count = model_tensor(&trial->request.shape, i).elements;
        backend->operations->accumulate(backend, to, trial->stage.gradients[i], count, 0, 0);
        to += count;
    }
    synchronise(backend);
}

enum status stage_trial_run(struct stage_trial *trial, struct diag *diag)
{
    const struct model_shape *shape = &trial->request.shape;
    const uint64_t rows = shape->micro_batch * shape->seq_len;
    int32_t *tokens = memory(shape->micro_batch * (shape->seq_len + 1) * sizeof *tokens);
    enum status status = STATUS_OK;
    double sum = 0;
    trial->pauses = 0;
    trial->stage.tokens = tokens;
    for (uint64_t m = 0; m < trial->request.micro_batches && status == STATUS_OK; m++) {
        make_tokens(trial, m, tokens);
        status = forward(trial, diag);
        if (status == STATUS_OK) {
            model_stage_add_losses(&trial->stage, &sum);
            status = backward(trial, m > 0, diag);
        }
    }
    trial->loss = sum / (double)(rows * trial->request.micro_batches);
    synchronise(trial->stage.backend);
    if (status == STATUS_OK)
        read_gradients(trial);
    free(tokens);
    return status;
}

void stage_trial_fini(struct stage_trial *trial)
{
    struct model_stage *stage = &trial->stage;
    for (size_t i = 0; i < trial->tensor_count; i++) {
        free(trial->parameters[i]);
        free(stage->gradients[i]);
    }
    for (size_t s = 0; s <= trial->request.shape.layers; s++) {
        free(stage->streams[s]);
        free(stage->saved[s + 1]);
    }
    free(trial->parameters);
    free(stage->parameters);
    free(stage->gradients);
    free(stage->streams);
    free(stage->saved);
    free(stage->workspace);
    free(trial->scratch);
    free(trial->gradients);
    stage->backend->operations->destroy(stage->backend);
}
