#ifndef RANKLEDGER_CUDA_PRODUCT_H
#define RANKLEDGER_CUDA_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

/*
 * Matrix products of typed (or, as result, fp32) row-major matrices by cuBLASLt: fp32 sums, without
 * TF32, rounded once when stored. A product is planned before the first step: descriptors, layouts
 * and the algorithm that the library's heuristic picks, once for matrices that begin at multiples
 * of 16 bytes and once for ones that begin anywhere. A step then only says where they lie and
 * launches.
 */
struct backend_cuda;
struct cuda_products;

/* What is done to a product before it is rounded. cuBLASLt offers the last three for some shapes
 * and devices only. */
enum cuda_product_after {
    CUDA_PRODUCT_PLAIN,
    CUDA_PRODUCT_BIAS,       /* + vector[columns] */
    CUDA_PRODUCT_GELU,       /* + vector[columns]; this goes to `matrix`, gelu of it to `out` */
    CUDA_PRODUCT_GELU_SLOPE, /* times gelu' of `matrix` */
    CUDA_PRODUCT_SUMS,       /* and vector[rows] = sums of the factor a over the depth */
    CUDA_PRODUCT_AFTER_COUNT
};

/* How a matrix lies in memory, in elements: from a row to the next, from one of the batch to the
 * next. */
struct cuda_product_layout {
    uint64_t stride, step;
};

/*
 * out[rows, columns] = a[rows, depth] b[depth, columns], `batch` of them. A transposed factor lies
 * in memory as [depth, rows], or [columns, depth]. No padding: compared byte by byte.
 */
struct cuda_product_shape {
    uint64_t rows, columns, depth;
    uint64_t batch; /* at least 1 */
    struct cuda_product_layout a, b, out;
    uint32_t a_transposed, b_transposed;
    uint32_t after;    /* enum cuda_product_after */
    uint32_t fp32_out; /* the result is fp32 whatever the dtype */
};

/* out = scale a b + added, and what comes after. */
struct cuda_product_operands {
    const void *a, *b;
    const void *added; /* lies like out, may be it; NULL: nothing is added */
    void *out;
    const void *vector; /* the bias; or where the sums go */
    const void *matrix; /* lies like out: gelu's input, read, or written by CUDA_PRODUCT_GELU */
    float scale;
};

/*
 * For the device that is current, with every product that the request's model needs. Heap; freed by
 * destroy, which takes NULL. STATUS_ENVIRONMENT if the library cannot be started or has no
 * algorithm.
 */
enum status cuda_products_create(const struct backend_request *request,
                                 struct cuda_products **products, struct diag *diag) STATUS_CHECKED;
void cuda_products_destroy(struct cuda_products *products);

/* Plans a product; it is no failure if what comes after it is not offered. */
enum status cuda_products_plan(struct cuda_products *products,
                               const struct cuda_product_shape *shape,
                               struct diag *diag) STATUS_CHECKED;

/*
 * Asks for a product on the backend's compute stream. False, and nothing is done, if what comes
 * after it is not offered for that shape and those addresses; never for CUDA_PRODUCT_PLAIN. One
 * that was not planned is planned now.
 */
bool cuda_products_multiply(struct backend_cuda *cuda, const struct cuda_product_shape *shape,
                            const struct cuda_product_operands *operands);

/* Which of enum cuda_product_after are used, a bit each; for tests and measurements. */
void cuda_products_restrict(struct cuda_products *products, uint32_t allowed);
uint32_t cuda_products_allowed(const struct cuda_products *products);
/* Products planned so far. */
size_t cuda_products_count(const struct cuda_products *products);

#endif
