#include "cuda_product_plan.h"

#include <stddef.h>

#include "cuda_workspace.h"

/*
 * cuBLASLt counts columns first (CUBLASLT_ORDER_COL), so that a row-major matrix is to it the
 * transposed one, and out = a b is asked for as out' = b' a': its A is our b, its B our a, its rows
 * our columns. The alternative, layouts of CUBLASLT_ORDER_ROW, has no epilogue that runs along the
 * memory.
 */

static cublasStatus_t set_operation(cublasLtMatmulDesc_t operation,
                                    cublasLtMatmulDescAttributes_t attribute, int32_t value)
{
    return cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value);
}

static bool has_vector(const struct cuda_product_shape *shape)
{
    return shape->after == CUDA_PRODUCT_BIAS || shape->after == CUDA_PRODUCT_GELU ||
           shape->after == CUDA_PRODUCT_SUMS;
}

static bool has_matrix(const struct cuda_product_shape *shape)
{
    return shape->after == CUDA_PRODUCT_GELU || shape->after == CUDA_PRODUCT_GELU_SLOPE;
}

cublasStatus_t cuda_product_plan_set_addresses(const struct cuda_product_plan *plan,
                                               const void *vector, const void *matrix)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (has_vector(&plan->shape))
        status = cublasLtMatmulDescSetAttribute(plan->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                &vector, sizeof vector);
    if (status == CUBLAS_STATUS_SUCCESS && has_matrix(&plan->shape))
        status = cublasLtMatmulDescSetAttribute(
            plan->operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &matrix, sizeof matrix);
    return status;
}

/* The bias' and the auxiliary matrix' types are the result's by default. BGRADB sums the library's
 * B, our a. */
static cublasStatus_t describe_operation(struct cuda_product_plan *plan)
{
    static const cublasLtEpilogue_t epilogues[CUDA_PRODUCT_AFTER_COUNT] = {
        [CUDA_PRODUCT_PLAIN] = CUBLASLT_EPILOGUE_DEFAULT,
        [CUDA_PRODUCT_BIAS] = CUBLASLT_EPILOGUE_BIAS,
        [CUDA_PRODUCT_GELU] = CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        [CUDA_PRODUCT_GELU_SLOPE] = CUBLASLT_EPILOGUE_DGELU,
        [CUDA_PRODUCT_SUMS] = CUBLASLT_EPILOGUE_BGRADB,
    };
    const struct cuda_product_shape *shape = &plan->shape;
    const int64_t stride = (int64_t)shape->out.stride;
    cublasStatus_t status =
        cublasLtMatmulDescCreate(&plan->operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = set_operation(plan->operation, CUBLASLT_MATMUL_DESC_TRANSA,
                               shape->b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = set_operation(plan->operation, CUBLASLT_MATMUL_DESC_TRANSB,
                               shape->a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = set_operation(plan->operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                               (int32_t)epilogues[shape->after]);
    if (status == CUBLAS_STATUS_SUCCESS && has_matrix(shape))
        status = cublasLtMatmulDescSetAttribute(
            plan->operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &stride, sizeof stride);
    return status;
}

static cublasStatus_t describe_matrix(cublasLtMatrixLayout_t *layout, cudaDataType_t type,
                                      const uint64_t extent[2], struct cuda_product_layout memory,
                                      uint64_t batch)
{
    const int32_t count = (int32_t)batch;
    const int64_t step = (int64_t)memory.step;
    cublasStatus_t status =
        cublasLtMatrixLayoutCreate(layout, type, extent[1], extent[0], (int64_t)memory.stride);
    if (status != CUBLAS_STATUS_SUCCESS || batch == 1)
        return status;
    status = cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                              sizeof count);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatrixLayoutSetAttribute(
            *layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step);
    return status;
}

static cublasStatus_t describe_matrices(struct cuda_product_plan *plan, bool bf16)
{
    const struct cuda_product_shape *shape = &plan->shape;
    const cudaDataType_t typed = bf16 ? CUDA_R_16BF : CUDA_R_32F;
    const uint64_t a[2][2] = {{shape->rows, shape->depth}, {shape->depth, shape->rows}};
    const uint64_t b[2][2] = {{shape->depth, shape->columns}, {shape->columns, shape->depth}};
    const uint64_t out[2] = {shape->rows, shape->columns};
    cublasStatus_t status =
        describe_matrix(&plan->a, typed, b[shape->b_transposed != 0], shape->b, shape->batch);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            describe_matrix(&plan->b, typed, a[shape->a_transposed != 0], shape->a, shape->batch);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = describe_matrix(&plan->out, shape->fp32_out ? CUDA_R_32F : typed, out, shape->out,
                                 shape->batch);
    return status;
}

static cublasStatus_t prefer(cublasLtMatmulPreference_t preference, uint32_t alignment)
{
    static const cublasLtMatmulPreferenceAttributes_t addresses[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    const uint64_t bytes = CUDA_WORKSPACE_PRODUCT_BYTES;
    /* A sum that is split may be put together in the result's type; that would round it twice. */
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasStatus_t status = cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, sizeof reductions);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        if (status == CUBLAS_STATUS_SUCCESS)
            status = cublasLtMatmulPreferenceSetAttribute(preference, addresses[i], &alignment,
                                                          sizeof alignment);
    return status;
}

/*
 * The heuristic's choices for matrices at multiples of `alignment`. The workspace does not exist
 * yet, and it looks at no memory: any aligned number stands for the addresses of what goes along,
 * which are always aligned (cuda_product.c).
 */
static cublasStatus_t choose(cublasLtHandle_t handle, const struct cuda_product_plan *plan,
                             uint32_t alignment, struct cuda_product_plan_choices *choices)
{
    const void *somewhere = (const void *)(uintptr_t)CUDA_PRODUCT_PLAN_ALIGNED_BYTES;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t results[CUDA_PRODUCT_PLAN_CHOICES];
    int found = 0;
    cublasStatus_t status = cuda_product_plan_set_addresses(plan, somewhere, somewhere);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulPreferenceCreate(&preference);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status = prefer(preference, alignment);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulAlgoGetHeuristic(handle, plan->operation, plan->a, plan->b,
                                                plan->out, plan->out, preference,
                                                CUDA_PRODUCT_PLAN_CHOICES, results, &found);
    cublasLtMatmulPreferenceDestroy(preference);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < found; i++)
        if (results[i].state == CUBLAS_STATUS_SUCCESS)
            choices->algorithms[choices->count++] = results[i].algo;
    return choices->count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

void cuda_product_plan_fini(struct cuda_product_plan *plan)
{
    if (plan->operation != NULL)
        cublasLtMatmulDescDestroy(plan->operation);
    if (plan->a != NULL)
        cublasLtMatrixLayoutDestroy(plan->a);
    if (plan->b != NULL)
        cublasLtMatrixLayoutDestroy(plan->b);
    if (plan->out != NULL)
        cublasLtMatrixLayoutDestroy(plan->out);
    *plan = (struct cuda_product_plan){.shape = plan->shape};
}

static bool has_even_steps(const struct cuda_product_shape *shape, bool bf16)
{
    const uint64_t size = bf16 ? 2 : 4;
    const uint64_t bytes[] = {shape->a.step * size, shape->b.step * size,
                              shape->out.step * (shape->fp32_out ? 4 : size)};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        if (shape->batch > 1 && bytes[i] % CUDA_PRODUCT_PLAN_ALIGNED_BYTES != 0)
            return false;
    return true;
}

void cuda_product_plan_make(struct cuda_product_plan *plan, cublasLtHandle_t handle, bool bf16)
{
    const uint32_t alignments[CUDA_PRODUCT_PLAN_ADDRESS_COUNT] = {
        [CUDA_PRODUCT_PLAN_ANYWHERE] = bf16 ? 2 : 4,
        [CUDA_PRODUCT_PLAN_ALIGNED] = CUDA_PRODUCT_PLAN_ALIGNED_BYTES};
    cublasStatus_t status = describe_operation(plan);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = describe_matrices(plan, bf16);
    plan->refusal = status;
    plan->even_steps = has_even_steps(&plan->shape, bf16);
    if (status != CUBLAS_STATUS_SUCCESS)
        return;
    for (int i = 0; i < CUDA_PRODUCT_PLAN_ADDRESS_COUNT; i++) {
        status = choose(handle, plan, alignments[i], &plan->choices[i]);
        if (status != CUBLAS_STATUS_SUCCESS)
            plan->refusal = status;
    }
}
