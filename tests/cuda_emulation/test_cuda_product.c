#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "cuda_emulation.h"
#include "cuda_product.h"
#include "cuda_workspace.h"

/* How products are planned, and what becomes of failures. What they compute: tests/cuda. */

static struct backend_request request_of(uint64_t seq_len, enum model_dtype dtype)
{
    return (struct backend_request){.shape = {.width = 32,
                                              .layers = 1,
                                              .heads = 2,
                                              .vocab = 64,
                                              .seq_len = seq_len,
                                              .micro_batch = 2},
                                    .dtype = dtype,
                                    .threads = 1};
}

static struct backend *create(uint64_t seq_len, enum model_dtype dtype)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = request_of(seq_len, dtype);
    const enum status status = backend_cuda_create(&request, &backend, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", diag.text);
    return backend;
}

static void expect_words(const struct diag *diag, const char *words)
{
    cr_assert(strstr(diag->text, words) != NULL, "\"%s\" in: %s", words, diag->text);
}

/* A linear layer of 32 by 32 somewhere behind the workspace. */
static void multiply(struct backend *backend, const void *bias)
{
    struct diag diag = {0};
    void *base = NULL;
    const uint64_t bytes = 1 << 16;
    const enum status status =
        backend->operations->reserve(backend, backend->workspace_bytes + bytes, &base, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", diag.text);
    unsigned char *at = (unsigned char *)base + backend->workspace_bytes / 64 * 64 + 64;
    backend->operations->set_workspace(backend, base);
    backend->operations->linear_forward(backend, at, at + bytes / 4, at + bytes / 2, bias, 32, 32);
}

Test(cuda_product, plans_are_few_however_long_sequences_are)
{
    struct backend *little = create(8, MODEL_BF16);
    struct backend *much = create(1 << 20, MODEL_BF16);
    const size_t few = cuda_products_count(backend_cuda_of(little)->products);
    const size_t many = cuda_products_count(backend_cuda_of(much)->products);
    cr_assert_gt(few, 10);
    /* cuda_attention.h: 64 numbers of keys, two numbers of rows, six products each. */
    cr_assert_lt(many, few + 2 * 65 * 6);
    little->operations->destroy(little);
    much->operations->destroy(much);
}

Test(cuda_product, gelu_is_fused_in_bf16_from_hopper_on)
{
    /* The emulated device is older than that. */
    struct backend *bf16 = create(8, MODEL_BF16), *fp32 = create(8, MODEL_FP32);
    const uint32_t always = 1u << CUDA_PRODUCT_PLAIN | 1u << CUDA_PRODUCT_BIAS;
    cr_assert_eq(cuda_products_allowed(backend_cuda_of(bf16)->products), always);
    cr_assert_eq(cuda_products_allowed(backend_cuda_of(fp32)->products), always);
    cuda_products_restrict(backend_cuda_of(bf16)->products, 0);
    cr_assert_eq(cuda_products_allowed(backend_cuda_of(bf16)->products), 1u << CUDA_PRODUCT_PLAIN);
    bf16->operations->destroy(bf16);
    fp32->operations->destroy(fp32);
}

Test(cuda_product, a_library_that_does_not_start_is_said)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = request_of(8, MODEL_BF16);
    cuda_emulation_fail(-1, "cublasLtCreate", 1, cudaErrorMemoryAllocation);
    cr_assert_eq(backend_cuda_create(&request, &backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0: starting cuBLASLt: CUBLAS_STATUS_NOT_INITIALIZED");
}

Test(cuda_product, a_product_without_an_algorithm_is_said)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = request_of(8, MODEL_FP32);
    /* The first product that is planned: for either kind of addresses, one behind the other. */
    for (int i = 0; i < 2; i++)
        cuda_emulation_fail(-1, "cublasLtMatmulAlgoGetHeuristic", 1, cudaErrorNotSupported);
    cr_assert_eq(backend_cuda_create(&request, &backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0: cuBLASLt has no algorithm for a fp32 product of 16 x 96 x 32 "
                        "(CUBLAS_STATUS_NOT_SUPPORTED)");
}

Test(cuda_product, a_device_that_is_lost_while_products_are_planned_is_said)
{
    struct diag diag = {0};
    struct backend *backend = NULL;
    const struct backend_request request = request_of(8, MODEL_BF16);
    /* 214: cudaErrorECCUncorrectable; with ! the device is lost from then on. */
    setenv("CUDA_EMULATION_FAIL", "cublasLtMatmulAlgoGetHeuristic:1:214!", 1);
    cr_assert_eq(backend_cuda_create(&request, &backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0 was lost");
    expect_words(&diag, "planning the products");
}

Test(cuda_product, a_failed_product_is_said_by_who_waits)
{
    struct diag diag = {0};
    struct backend *backend = create(8, MODEL_BF16);
    cuda_emulation_fail(-1, "cublasLtMatmul", 1, cudaErrorNotSupported);
    multiply(backend, NULL);
    cr_assert_eq(backend->operations->synchronise(backend, &diag), STATUS_ENVIRONMENT);
    expect_words(&diag, "GPU 0 failed, noticed at matrix product: CUBLAS_STATUS_EXECUTION_FAILED");
    backend->operations->destroy(backend);
}

/* --- what the heuristic offers and the product refuses --- */

#define REFUSED "cublasLtMatmulRefused"

/* The next `count` products are refused. */
static void refuse(int count)
{
    cuda_emulation_heal();
    for (int i = 0; i < count; i++)
        cuda_emulation_fail(-1, REFUSED, 1, cudaErrorNotSupported);
}

/* How many products the library was asked for in a layer, with a bias or without. */
static uint64_t asked_in(struct backend *backend, const void *bias, struct diag *diag)
{
    const uint64_t before = cuda_emulation_calls(REFUSED);
    multiply(backend, bias);
    if (backend->operations->synchronise(backend, diag) != STATUS_OK)
        cr_assert(backend->lost);
    return cuda_emulation_calls(REFUSED) - before;
}

/* Two algorithms for aligned addresses and two for any; what was refused is not asked for again. */
Test(cuda_product, a_refused_product_is_asked_for_otherwise)
{
    struct diag diag = {0};
    struct backend *backend = create(8, MODEL_BF16);
    refuse(3);
    cr_assert_eq(asked_in(backend, NULL, &diag), 4);
    cr_assert_eq(asked_in(backend, NULL, &diag), 1);
    cr_assert_eq(diag.text[0], '\0', "%s", diag.text);
    refuse(1);
    cr_assert_eq(asked_in(backend, NULL, &diag), 1);
    expect_words(&diag, "GPU 0 failed, noticed at matrix product: CUBLAS_STATUS_NOT_SUPPORTED");
    backend->operations->destroy(backend);
}

Test(cuda_product, a_refused_fusion_is_made_by_own_kernels)
{
    struct diag diag = {0};
    struct backend *backend = create(8, MODEL_BF16);
    void *bias = NULL;
    cr_assert_eq(backend->operations->reserve(backend, 64, &bias, &diag), STATUS_OK);
    refuse(4);
    cr_assert_eq(asked_in(backend, bias, &diag), 5);
    cr_assert_eq(asked_in(backend, bias, &diag), 1);
    cr_assert_eq(diag.text[0], '\0', "%s", diag.text);
    backend->operations->destroy(backend);
}

Test(cuda_product, workspace_grows_no_further_than_a_tile)
{
    const struct backend_request a = request_of(1 << 14, MODEL_BF16);
    const struct backend_request b = request_of(1 << 15, MODEL_BF16);
    /* Twice the rows: of attention only sums of gradients of keys and values, fp32, double. */
    const uint64_t more = cuda_workspace_bytes(&b) - cuda_workspace_bytes(&a);
    cr_assert_leq(more, UINT64_C(2) << 20, "%llu bytes", (unsigned long long)more);
}
