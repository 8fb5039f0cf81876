#ifndef RANKLEDGER_CUDA_PRODUCT_PLAN_H
#define RANKLEDGER_CUDA_PRODUCT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <cublasLt.h>

#include "cuda_product.h"

/*
 * How one product is asked of cuBLASLt. The addresses that an algorithm is chosen for: of whole
 * elements, or multiples of what a 16-byte access needs. No algorithm wants more (TMA takes global
 * addresses and strides that are multiples of 16: CUDA C++ programming guide, "Tensor maps").
 */
enum cuda_product_plan_address {
    CUDA_PRODUCT_PLAN_ANYWHERE,
    CUDA_PRODUCT_PLAN_ALIGNED,
    CUDA_PRODUCT_PLAN_ADDRESS_COUNT
};
#define CUDA_PRODUCT_PLAN_ALIGNED_BYTES 16u

/*
 * The heuristic's algorithms, the best first. It offers some that the product itself then refuses
 * (pytorch/pytorch, pull request 76021: matrices whose rows lie far apart), so there are more than
 * one; `next` is the one to take.
 */
#define CUDA_PRODUCT_PLAN_CHOICES 4
struct cuda_product_plan_choices {
    cublasLtMatmulAlgo_t algorithms[CUDA_PRODUCT_PLAN_CHOICES];
    int next, count;
};

struct cuda_product_plan {
    struct cuda_product_shape shape;
    cublasLtMatmulDesc_t operation;   /* owned */
    cublasLtMatrixLayout_t a, b, out; /* owned; the library's A and B, which are our b and a */
    struct cuda_product_plan_choices choices[CUDA_PRODUCT_PLAN_ADDRESS_COUNT];
    bool even_steps;        /* the batch's matrices are multiples of 16 bytes apart */
    cublasStatus_t refusal; /* the reason why one is not offered */
};

static inline bool cuda_product_plan_offers(const struct cuda_product_plan *plan,
                                            enum cuda_product_plan_address address)
{
    return plan->choices[address].next < plan->choices[address].count;
}

/* Fills a plan that is zero but for its shape. */
void cuda_product_plan_make(struct cuda_product_plan *plan, cublasLtHandle_t handle, bool bf16);
void cuda_product_plan_fini(struct cuda_product_plan *plan);
/* Where vector and matrix lie; the heuristic takes their alignment from here, too. */
cublasStatus_t cuda_product_plan_set_addresses(const struct cuda_product_plan *plan,
                                               const void *vector, const void *matrix);

#endif
