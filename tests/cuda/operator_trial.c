#include "operator_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_product.h"

enum { BORDER = 64 };

static const unsigned char border_byte = 0x5A;

static void check(enum status status, const struct diag *diag)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", diag->text);
    exit(1);
}

static size_t workspace_bytes(const struct operator_trial *operators)
{
    return (size_t)operators->cuda->base.workspace_bytes;
}

void operator_trial_init(struct operator_trial *operators, struct device_trial *trial,
                         const struct model_shape *shape, bool bf16)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = {
        .shape = *shape, .dtype = bf16 ? MODEL_BF16 : MODEL_FP32, .threads = 1};
    check(backend_cuda_create(&request, &backend, &diag), &diag);
    *operators = (struct operator_trial){
        .trial = trial, .cuda = backend_cuda_of(backend), .operations = backend->operations};
    trial->bf16 = bf16;
    const size_t bytes = workspace_bytes(operators);
    void *made = NULL;
    device_trial_check(cudaMalloc(&made, bytes + 2 * BORDER), "cudaMalloc");
    operators->allocation = made;
    device_trial_check(cudaMemset(made, border_byte, bytes + 2 * BORDER), "cudaMemset");
    device_trial_check(cudaMemset(operators->allocation + BORDER, 0xFF, bytes), "cudaMemset");
    device_trial_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    operators->operations->set_workspace(backend, operators->allocation + BORDER);
    operators->planned = cuda_products_count(operators->cuda->products);
}

static void expect_border(struct operator_trial *operators, size_t at, const char *where)
{
    unsigned char border[BORDER];
    device_trial_check(
        cudaMemcpy(border, operators->allocation + at, BORDER, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    for (size_t i = 0; i < BORDER; i++)
        if (border[i] != border_byte) {
            device_trial_fault(operators->trial, "byte %zu of the border %s the workspace changed",
                               i, where);
            return;
        }
}

void operator_trial_fini(struct operator_trial *operators)
{
    const size_t planned = cuda_products_count(operators->cuda->products);
    expect_border(operators, 0, "before");
    expect_border(operators, BORDER + workspace_bytes(operators), "behind");
    if (operators->cuda->attention_tile_bytes == 0 && planned != operators->planned)
        device_trial_fault(operators->trial, "%zu products were planned in the middle of a step",
                           planned - operators->planned);
    operators->operations->destroy(&operators->cuda->base);
    device_trial_check(cudaFree(operators->allocation), "cudaFree");
}

static cudaError_t launch(void *context, cudaStream_t stream)
{
    const struct operator_call *call = context;
    struct diag diag = {0};
    (void)stream; /* the backend has its own, and is waited for */
    call->call(call);
    check(call->operators->operations->synchronise(&call->operators->cuda->base, &diag), &diag);
    return cudaSuccess;
}

void operator_trial_run(const struct operator_call *call, struct device_tensor *const changed[],
                        size_t changed_count)
{
    struct operator_call copy = *call;
    struct device_run run = {.launch = launch, .context = &copy};
    memcpy(run.changed, changed, changed_count * sizeof changed[0]);
    device_trial_run(call->operators->trial, &run);
}

double operator_trial_relative(const struct operator_trial *operators)
{
    return operators->cuda->bf16 ? 5e-3 : 1e-5;
}
