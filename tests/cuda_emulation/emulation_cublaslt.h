/*
 * What the files of the emulated cuBLASLt share; C++.
 *
 * It multiplies with OpenBLAS in fp32, from bf16 widened, and rounds once. It refuses, with the
 * status that the library documents, what the library would: types that do not go together, sizes
 * that do not fit, an auxiliary matrix whose leading dimension is no multiple of 8, addresses that
 * are less aligned than the algorithm was chosen for, a workspace that is too small or not 256-byte
 * aligned. It offers less than the library where nobody needs it: epilogues in a batch, GELU and
 * sums for addresses that are not multiples of 16. What goes along with a product (a bias, an
 * auxiliary matrix) is read 16 bytes at a time, whatever its address was when the algorithm was
 * chosen: at another address the product fails. An algorithm overwrites its workspace.
 *
 * "cublasLtMatmulRefused" (cuda_emulation_fail): the n-th product is not supported, though its
 * algorithm was offered.
 */
#ifndef CUDA_EMULATION_CUBLASLT_PARTS_H
#define CUDA_EMULATION_CUBLASLT_PARTS_H

#include <cstddef>
#include <cstdint>

#include "cublasLt.h"

struct cublasLtContext {
    int device;
};

struct cublasLtMatrixLayoutOpaque {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t ld;
    int32_t batch;
    int64_t step;
};

struct cublasLtMatmulDescOpaque {
    int32_t compute, scale;
    int32_t trans_a, trans_b;
    uint32_t epilogue;
    const void *bias;
    const void *aux;
    int64_t aux_ld;
};

struct cublasLtMatmulPreferenceOpaque {
    uint64_t workspace;
    uint32_t reductions;
    uint32_t alignments[4]; /* of A, B, C, D */
};

namespace emulation
{

/* A product as it is asked for. */
struct product {
    const cublasLtMatmulDescOpaque *operation;
    const cublasLtMatrixLayoutOpaque *a, *b, *c, *d;
    float alpha, beta;
    const void *A, *B, *C;
    void *D;
};

/* What an algorithm was chosen for; it lies in a cublasLtMatmulAlgo_t. */
struct algorithm {
    uint64_t mark;
    uint64_t problem;   /* a number made of everything but the addresses */
    uint64_t alignment; /* of every address */
    uint64_t workspace; /* bytes that it uses */
};

constexpr size_t workspace_alignment = 256;
constexpr uint64_t along_alignment = 16;

uint64_t problem_number(const product &asked);
/* Whether the library has an algorithm, for addresses that are multiples of `alignment`. */
cublasStatus_t offered(const product &asked, uint64_t alignment);
/* Declares what is read and written to the emulation, and does it. */
void multiply(const product &asked);

} // namespace emulation

#endif
