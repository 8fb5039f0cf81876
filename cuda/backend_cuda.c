#include "backend_cuda.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "cuda_describe.h"
#include "cuda_product.h"
#include "cuda_workspace.h"

static void set_workspace(struct backend *backend, void *workspace)
{
    backend_cuda_of(backend)->workspace = workspace;
}

static void destroy(struct backend *backend)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    cuda_products_destroy(cuda->products);
    while (cuda->arenas != NULL)
        backend_cuda_unreserve(backend, cuda->arenas->base, 0);
    cuda_timeline_fini(&cuda->timeline);
    cuda_staging_fini(&cuda->staging);
    if (cuda->communication != NULL)
        (void)cudaStreamDestroy(cuda->communication);
    if (cuda->compute != NULL)
        (void)cudaStreamDestroy(cuda->compute);
    free(cuda);
}

static const struct backend_operations operations = {
    .name = "cuda",
    .host_memory = false,
    .reserve = backend_cuda_reserve,
    .unreserve = backend_cuda_unreserve,
    .set_workspace = set_workspace,
    .fill_zero = backend_cuda_fill_zero,
    .copy = backend_cuda_copy,
    .to_host = backend_cuda_to_host,
    .from_host = backend_cuda_from_host,
    .synchronise = backend_cuda_synchronise,
    .memory_used = backend_cuda_memory_used,
    .embedding_forward = backend_cuda_embedding_forward,
    .embedding_backward = backend_cuda_embedding_backward,
    .layer_norm_forward = backend_cuda_layer_norm_forward,
    .layer_norm_backward = backend_cuda_layer_norm_backward,
    .linear_forward = backend_cuda_linear_forward,
    .linear_residual_forward = backend_cuda_linear_residual_forward,
    .linear_gelu_forward = backend_cuda_linear_gelu_forward,
    .linear_backward_input = backend_cuda_linear_backward_input,
    .linear_backward_weight = backend_cuda_linear_backward_weight,
    .attention_forward = backend_cuda_attention_forward,
    .attention_backward = backend_cuda_attention_backward,
    .cross_entropy = backend_cuda_cross_entropy,
    .loss_sum = backend_cuda_loss_sum,
    .square_sum = backend_cuda_square_sum,
    .clip = backend_cuda_clip,
    .accumulate = backend_cuda_accumulate,
    .narrow = backend_cuda_narrow,
    .adamw = backend_cuda_adamw,
    .matrix_product_rate = backend_cuda_matrix_product_rate,
    .destroy = destroy,
};

/* Rows and columns of matrices, and with them the blocks of a launch, are counted in ints. */
static enum status check_sizes(const struct model_shape *shape, struct diag *diag)
{
    const uint64_t sizes[] = {shape->micro_batch * shape->seq_len, 4 * shape->width, shape->vocab};
    static const char *const names[] = {"micro-batch x sequence length", "4 x width", "vocabulary"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] > INT_MAX)
            return diag_set(diag, STATUS_USAGE,
                            "%s is %" PRIu64 ", and the cuda backend's matrix products reach to %d",
                            names[i], sizes[i], INT_MAX);
    return STATUS_OK;
}

static enum status check_device(int device, struct diag *diag)
{
    int count = 0;
    const char *missing = cuda_describe_unavailable();
    if (missing != NULL)
        return diag_set(diag, STATUS_ENVIRONMENT, "%s", missing);
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess)
        return cuda_error_set(device, "counting GPUs", code, diag);
    if (device >= 0 && device < count)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "GPU %d is asked for, and %d can be seen here, from 0: start fewer ranks on "
                    "this host, or show more with CUDA_VISIBLE_DEVICES",
                    device, count);
}

enum status backend_cuda_plan(const struct backend_request *request, uint64_t *workspace_bytes,
                              struct diag *diag)
{
    enum status status = check_sizes(&request->shape, diag);
    if (status == STATUS_OK)
        status = check_device(request->device, diag);
    if (status == STATUS_OK)
        *workspace_bytes = cuda_workspace_bytes(request);
    return status;
}

/* The device is used from here on, which takes memory of it. */
static cudaError_t use_device(struct backend_cuda *cuda)
{
    const int device = cuda->base.request.device;
    if (!cuda_describe_used(device, &cuda->used_before))
        cuda->used_before = 0;
    return cudaSetDevice(device);
}

/* Collectives come first where blocks of both streams could start: the others wait for them. */
static cudaError_t create_streams(struct backend_cuda *cuda)
{
    int least = 0;
    int greatest = 0;
    cudaError_t code = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (code == cudaSuccess)
        code = cudaStreamCreateWithPriority(&cuda->compute, cudaStreamNonBlocking, least);
    if (code == cudaSuccess)
        code = cudaStreamCreateWithPriority(&cuda->communication, cudaStreamNonBlocking, greatest);
    return code;
}

static enum status prepare(struct backend_cuda *cuda, struct diag *diag)
{
    cudaError_t code = use_device(cuda);
    if (code == cudaSuccess)
        code = create_streams(cuda);
    if (code == cudaSuccess)
        code = cuda_staging_init(&cuda->staging);
    if (code != cudaSuccess)
        return cuda_error_set(cuda->base.request.device, "preparing it", code, diag);
    cuda_timeline_init(&cuda->timeline, cuda->compute, cuda->communication, &cuda->error);
    cuda->base.timeline = cuda_timeline_shown(&cuda->timeline);
    return cuda_products_create(&cuda->base.request, &cuda->products, diag);
}

enum status backend_cuda_create(const struct backend_request *request, struct backend **backend,
                                struct diag *diag)
{
    uint64_t workspace_bytes = 0;
    enum status status = backend_cuda_plan(request, &workspace_bytes, diag);
    if (status != STATUS_OK)
        return status;
    struct backend_cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return diag_no_memory(diag);
    cuda->base = (struct backend){
        .operations = &operations, .request = *request, .workspace_bytes = workspace_bytes};
    cuda->bf16 = request->dtype == MODEL_BF16;
    cuda->rows = request->shape.micro_batch * request->shape.seq_len;
    status = prepare(cuda, diag);
    if (status != STATUS_OK) {
        destroy(&cuda->base);
        return status;
    }
    *backend = &cuda->base;
    return STATUS_OK;
}
