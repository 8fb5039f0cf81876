#include "cuda_product.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda.h"
#include "cuda_attention.h"
#include "cuda_linear.h"
#include "cuda_product_plan.h"
#include "cuda_rate.h"
#include "cuda_workspace.h"

struct cuda_products {
    cublasLtHandle_t handle;
    bool bf16;
    int device;
    uint32_t allowed;
    struct cuda_product_plan *
        *slots;        /* owned; a hash table with open addressing, NULL where free */
    size_t slot_count; /* a power of two, more than twice the plans */
    size_t count;
};

/* --- the table --- */

/* FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv), a 32-bit word at a time. */
static size_t shape_hash(const struct cuda_product_shape *shape)
{
    uint32_t words[sizeof *shape / sizeof(uint32_t)];
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    memcpy(words, shape, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001B3);
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a shape, or the free one where it belongs. */
static struct cuda_product_plan **find_slot(const struct cuda_products *products,
                                            const struct cuda_product_shape *shape)
{
    size_t at = shape_hash(shape) & (products->slot_count - 1);
    while (products->slots[at] != NULL &&
           memcmp(&products->slots[at]->shape, shape, sizeof *shape) != 0)
        at = (at + 1) & (products->slot_count - 1);
    return &products->slots[at];
}

static enum status make_room(struct cuda_products *products, struct diag *diag)
{
    if (2 * (products->count + 1) < products->slot_count)
        return STATUS_OK;
    const struct cuda_products old = *products;
    products->slot_count = old.slot_count == 0 ? 64 : 2 * old.slot_count;
    products->slots = calloc(products->slot_count, sizeof(struct cuda_product_plan *));
    if (products->slots == NULL) {
        *products = old;
        return diag_no_memory(diag);
    }
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i] != NULL)
            *find_slot(products, &old.slots[i]->shape) = old.slots[i];
    free(old.slots);
    return STATUS_OK;
}

/* Whether there is an algorithm for any addresses at all. */
static bool is_offered(const struct cuda_product_plan *plan)
{
    return cuda_product_plan_offers(plan, CUDA_PRODUCT_PLAN_ANYWHERE) ||
           cuda_product_plan_offers(plan, CUDA_PRODUCT_PLAN_ALIGNED);
}

/* A device that was lost meanwhile has no algorithm for anything. */
static enum status refuse(const struct cuda_products *products,
                          const struct cuda_product_plan *plan, struct diag *diag)
{
    const struct cuda_product_shape *shape = &plan->shape;
    const cudaError_t code = cudaDeviceSynchronize();
    if (code != cudaSuccess)
        return cuda_error_set(products->device, "planning the products", code, diag);
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "GPU %d: cuBLASLt has no algorithm for a %s product of %" PRIu64 " x %" PRIu64
                    " x %" PRIu64
                    " (%s): a newer cuBLAS, or another shape of the model, may have one",
                    products->device, products->bf16 ? "bf16" : "fp32", shape->rows, shape->columns,
                    shape->depth, cublasLtGetStatusString(plan->refusal));
}

enum status cuda_products_plan(struct cuda_products *products,
                               const struct cuda_product_shape *shape, struct diag *diag)
{
    enum status status = make_room(products, diag);
    if (status != STATUS_OK)
        return status;
    struct cuda_product_plan **slot = find_slot(products, shape);
    if (*slot != NULL)
        return STATUS_OK;
    struct cuda_product_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return diag_no_memory(diag);
    plan->shape = *shape;
    cuda_product_plan_make(plan, products->handle, products->bf16);
    if (shape->after == CUDA_PRODUCT_PLAIN && !is_offered(plan)) {
        status = refuse(products, plan, diag);
        cuda_product_plan_fini(plan);
        free(plan);
        return status;
    }
    *slot = plan;
    products->count++;
    return STATUS_OK;
}

/* --- creation --- */

/*
 * What is fused. The library's gelu has the tanh form (pytorch/pytorch, pull request 104061). fp32
 * is for comparing, to 1e-5, and nothing says how exact that tanh is, so that gelu is our own
 * there. Before Hopper its bf16 gelu was slower than a kernel behind the product (karpathy/llm.c,
 * pull request 338 and its default for --ge). The sums of a bias' gradient are our own, too: with
 * them a large product took longer on an A100 (NVIDIA/CUDALibrarySamples, issue 90), and for Hopper
 * and Blackwell cuBLASLt 13.0 names no bf16 kernel that makes them, only Ampere's.
 */
static uint32_t default_allowed(bool bf16, int device)
{
    const uint32_t gelu = 1u << CUDA_PRODUCT_GELU | 1u << CUDA_PRODUCT_GELU_SLOPE;
    const uint32_t always = 1u << CUDA_PRODUCT_PLAIN | 1u << CUDA_PRODUCT_BIAS;
    int major = 0;
    const bool known =
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess;
    return bf16 && known && major >= 9 ? always | gelu : always;
}

static enum status start(struct cuda_products *products, const struct backend_request *request,
                         struct diag *diag)
{
    const cublasStatus_t status = cublasLtCreate(&products->handle);
    if (status != CUBLAS_STATUS_SUCCESS)
        return diag_set(diag, STATUS_ENVIRONMENT, "GPU %d: starting cuBLASLt: %s", request->device,
                        cublasLtGetStatusString(status));
    products->bf16 = request->dtype == MODEL_BF16;
    products->device = request->device;
    products->allowed = default_allowed(products->bf16, request->device);
    return STATUS_OK;
}

enum status cuda_products_create(const struct backend_request *request,
                                 struct cuda_products **products, struct diag *diag)
{
    struct cuda_products *made = calloc(1, sizeof *made);
    if (made == NULL)
        return diag_no_memory(diag);
    enum status status = start(made, request, diag);
    if (status == STATUS_OK)
        status = cuda_linear_plan(made, request, diag);
    if (status == STATUS_OK)
        status = cuda_attention_plan(made, request, diag);
    if (status == STATUS_OK)
        status = cuda_rate_plan(made, request, diag);
    if (status == STATUS_OK)
        *products = made;
    else
        cuda_products_destroy(made);
    return status;
}

void cuda_products_destroy(struct cuda_products *products)
{
    if (products == NULL)
        return;
    for (size_t i = 0; i < products->slot_count; i++)
        if (products->slots[i] != NULL) {
            cuda_product_plan_fini(products->slots[i]);
            free(products->slots[i]);
        }
    free(products->slots);
    if (products->handle != NULL)
        cublasLtDestroy(products->handle);
    free(products);
}

/* --- a step --- */

static bool is_aligned(const void *address)
{
    return (uintptr_t)address % CUDA_PRODUCT_PLAN_ALIGNED_BYTES == 0;
}

/* By where every matrix of the batch begins. What can take any address takes an aligned one, too.
 */
static enum cuda_product_plan_address address_of(const struct cuda_product_plan *plan,
                                                 const struct cuda_product_operands *operands)
{
    const bool aligned = plan->even_steps && is_aligned(operands->a) && is_aligned(operands->b) &&
                         is_aligned(operands->added) && is_aligned(operands->out);
    return aligned && cuda_product_plan_offers(plan, CUDA_PRODUCT_PLAN_ALIGNED)
               ? CUDA_PRODUCT_PLAN_ALIGNED
               : CUDA_PRODUCT_PLAN_ANYWHERE;
}

/*
 * Whether there is an algorithm for these addresses. What goes along with a product must be
 * aligned: the heuristic is told of the matrices' alignment only, and picks kernels that read 16
 * bytes of a bias at once (pytorch/pytorch, pull request 194497: a misaligned address on the
 * device, which is lost then).
 */
static bool fits(const struct cuda_product_plan *plan, const struct cuda_product_operands *operands)
{
    return is_aligned(operands->vector) && is_aligned(operands->matrix) &&
           cuda_product_plan_offers(plan, address_of(plan, operands));
}

/* The library only says that a launch failed; the runtime knows whether the device is lost. */
static void note(struct backend_cuda *cuda, cublasStatus_t status)
{
    static const char doing[] = "matrix product";
    const cudaError_t code = status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaPeekAtLastError();
    if (status == CUBLAS_STATUS_SUCCESS || code != cudaSuccess)
        cuda_error_note(&cuda->error, doing, code);
    else
        cuda_error_note_words(&cuda->error, doing, cublasLtGetStatusString(status));
}

static cublasStatus_t ask(struct backend_cuda *cuda, const struct cuda_product_plan *plan,
                          const struct cuda_product_operands *operands,
                          const cublasLtMatmulAlgo_t *algorithm)
{
    const float beta = operands->added == NULL ? 0.0f : 1.0f;
    const void *added = operands->added == NULL ? operands->out : operands->added;
    const cublasStatus_t status =
        cuda_product_plan_set_addresses(plan, operands->vector, operands->matrix);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return cublasLtMatmul(cuda->products->handle, plan->operation, &operands->scale, operands->b,
                          plan->a, operands->a, plan->b, &beta, added, plan->out, operands->out,
                          plan->out, algorithm, cuda_workspace_product(cuda),
                          CUDA_WORKSPACE_PRODUCT_BYTES, cuda->compute);
}

/* False if every algorithm is refused: then nothing was launched. What is refused once is not asked
 * for again. */
static bool launch(struct backend_cuda *cuda, struct cuda_product_plan *plan,
                   const struct cuda_product_operands *operands)
{
    while (fits(plan, operands)) {
        struct cuda_product_plan_choices *choices = &plan->choices[address_of(plan, operands)];
        const cublasStatus_t status =
            ask(cuda, plan, operands, &choices->algorithms[choices->next]);
        if (status != CUBLAS_STATUS_NOT_SUPPORTED && status != CUBLAS_STATUS_INVALID_VALUE) {
            note(cuda, status);
            return true;
        }
        plan->refusal = status;
        choices->next++;
    }
    return false;
}

/* NULL, and noted, if it cannot be made. */
static struct cuda_product_plan *plan_of(struct backend_cuda *cuda,
                                         const struct cuda_product_shape *shape)
{
    struct cuda_products *products = cuda->products;
    struct cuda_product_plan *plan = products->count == 0 ? NULL : *find_slot(products, shape);
    if (plan != NULL)
        return plan;
    struct diag diag = {0};
    if (cuda_products_plan(products, shape, &diag) == STATUS_OK)
        return *find_slot(products, shape);
    cuda_error_note_words(&cuda->error, "planning a matrix product", diag.text);
    return NULL;
}

bool cuda_products_multiply(struct backend_cuda *cuda, const struct cuda_product_shape *shape,
                            const struct cuda_product_operands *operands)
{
    if (!(cuda->products->allowed & 1u << shape->after))
        return false;
    struct cuda_product_plan *plan = plan_of(cuda, shape);
    if (plan == NULL)
        return true;
    if (launch(cuda, plan, operands))
        return true;
    if (shape->after != CUDA_PRODUCT_PLAIN)
        return false;
    note(cuda, plan->refusal);
    return true;
}

void cuda_products_restrict(struct cuda_products *products, uint32_t allowed)
{
    products->allowed = allowed | 1u << CUDA_PRODUCT_PLAIN;
}

uint32_t cuda_products_allowed(const struct cuda_products *products)
{
    return products->allowed;
}

size_t cuda_products_count(const struct cuda_products *products)
{
    return products->count;
}
