/* What the emulated cuBLASLt offers and what it refuses. */
#include "emulation_cublaslt.h"

#include <cstring>

#include "cuda_emulation.h"

namespace emulation
{

namespace
{

constexpr uint64_t algorithm_mark = 0x636C74616C676F21u;
/* Far less than a real one takes, so that small tests stay quick. */
constexpr uint64_t algorithm_workspace = 64 << 10;
/* The second one takes no workspace. */
constexpr int most_algorithms = 2;

bool fits(const cublasLtMatrixLayoutOpaque &matrix, uint64_t rows, uint64_t columns)
{
    return matrix.rows == rows && matrix.columns == columns && matrix.ld > 0 &&
           (uint64_t)matrix.ld >= rows && matrix.batch >= 1;
}

bool sizes_fit(const product &asked)
{
    const bool a = asked.operation->trans_a != CUBLAS_OP_N;
    const bool b = asked.operation->trans_b != CUBLAS_OP_N;
    const uint64_t m = asked.d->rows, n = asked.d->columns;
    const uint64_t k = a ? asked.a->rows : asked.a->columns;
    const int32_t batch = asked.d->batch;
    return m > 0 && n > 0 && k > 0 && fits(*asked.a, a ? k : m, a ? m : k) &&
           fits(*asked.b, b ? n : k, b ? k : n) && fits(*asked.c, m, n) && fits(*asked.d, m, n) &&
           asked.a->batch == batch && asked.b->batch == batch && asked.c->batch == batch;
}

/* Both factors of one type; results of that or, of bf16, fp32. */
bool types_go_together(const product &asked)
{
    const bool known = asked.a->type == CUDA_R_16BF || asked.a->type == CUDA_R_32F;
    return known && asked.a->type == asked.b->type && asked.c->type == asked.d->type &&
           (asked.d->type == CUDA_R_32F || asked.d->type == asked.a->type);
}

cublasStatus_t epilogue_offered(const product &asked, uint64_t alignment)
{
    const cublasLtMatmulDescOpaque &operation = *asked.operation;
    const bool aux = operation.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS ||
                     operation.epilogue == CUBLASLT_EPILOGUE_DGELU;
    const bool bias = operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
                      operation.epilogue != CUBLASLT_EPILOGUE_DGELU;
    if (operation.epilogue == CUBLASLT_EPILOGUE_DEFAULT)
        return CUBLAS_STATUS_SUCCESS;
    if ((bias && operation.bias == nullptr) || (aux && operation.aux == nullptr))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (aux && (operation.aux_ld % 8 != 0 || operation.aux_ld < (int64_t)asked.d->rows))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (asked.d->batch > 1)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (operation.epilogue == CUBLASLT_EPILOGUE_BIAS)
        return CUBLAS_STATUS_SUCCESS;
    if (operation.epilogue == CUBLASLT_EPILOGUE_BGRADB && operation.trans_b == CUBLAS_OP_N)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool known = aux || operation.epilogue == CUBLASLT_EPILOGUE_BGRADB;
    return known && alignment >= 16 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

uint64_t mixed(uint64_t number, uint64_t word)
{
    return (number ^ word) * UINT64_C(0x100000001B3) + 1;
}

uint64_t size_of(cudaDataType type)
{
    return type == CUDA_R_16BF ? 2 : 4;
}

bool is_multiple(const void *pointer, uint64_t alignment)
{
    return (uintptr_t)pointer % alignment == 0;
}

/* Refuses what the algorithm cannot do with these addresses. */
cublasStatus_t check_addresses(const product &asked, const algorithm &chosen, const void *workspace,
                               size_t workspace_bytes)
{
    const cublasLtMatmulDescOpaque &operation = *asked.operation;
    if (asked.A == nullptr || asked.B == nullptr || asked.D == nullptr ||
        (asked.beta != 0 && asked.C == nullptr) || asked.A == asked.B)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (const void *pointer : {asked.A, asked.B, asked.C, (const void *)asked.D})
        if (!is_multiple(pointer, chosen.alignment))
            return CUBLAS_STATUS_NOT_SUPPORTED;
    for (const cublasLtMatrixLayoutOpaque *matrix : {asked.a, asked.b, asked.c, asked.d})
        if (matrix->batch > 1 && (uint64_t)matrix->step * size_of(matrix->type) % chosen.alignment)
            return CUBLAS_STATUS_NOT_SUPPORTED;
    if (operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
        (!is_multiple(operation.bias, along_alignment) ||
         !is_multiple(operation.aux, along_alignment)))
        return CUBLAS_STATUS_EXECUTION_FAILED; /* a misaligned address on the device */
    const bool enough = workspace_bytes >= chosen.workspace &&
                        (chosen.workspace == 0 || workspace != nullptr) &&
                        is_multiple(workspace, workspace_alignment);
    return enough ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

} // namespace

uint64_t problem_number(const product &asked)
{
    uint64_t number = UINT64_C(0xCBF29CE484222325);
    for (const cublasLtMatrixLayoutOpaque *matrix : {asked.a, asked.b, asked.c, asked.d})
        for (const uint64_t word :
             {(uint64_t)matrix->type, matrix->rows, matrix->columns, (uint64_t)matrix->ld,
              (uint64_t)matrix->batch, (uint64_t)matrix->step})
            number = mixed(number, word);
    for (const uint64_t word :
         {(uint64_t)asked.operation->trans_a, (uint64_t)asked.operation->trans_b,
          (uint64_t)asked.operation->epilogue, (uint64_t)asked.operation->aux_ld})
        number = mixed(number, word);
    return number;
}

cublasStatus_t offered(const product &asked, uint64_t alignment)
{
    const cublasLtMatmulDescOpaque &operation = *asked.operation;
    if (!sizes_fit(asked))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!types_go_together(asked) || operation.compute != CUBLAS_COMPUTE_32F ||
        operation.scale != CUDA_R_32F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (alignment % size_of(asked.a->type) != 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return epilogue_offered(asked, alignment);
}

} // namespace emulation

using namespace emulation;

/* The least alignment that is promised, as far as any algorithm could use it: of the matrices, and
 * of the addresses that the operation has. */
static uint64_t promised_alignment(const cublasLtMatmulPreferenceOpaque &preference,
                                   const cublasLtMatmulDescOpaque &operation)
{
    uint64_t least = 16;
    for (const uint32_t alignment : preference.alignments)
        least = alignment < least ? alignment : least;
    while (least > 1 &&
           ((uintptr_t)operation.bias % least != 0 || (uintptr_t)operation.aux % least != 0))
        least /= 2;
    return least;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (operation == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr ||
        preference == nullptr || requested < 1 || results == nullptr || found == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const product asked = {operation, a, b, c, d, 1, 0, nullptr, nullptr, nullptr, nullptr};
    const uint64_t alignment = promised_alignment(*preference, *operation);
    *found = 0;
    if (cuda_emulation_enter("cublasLtMatmulAlgoGetHeuristic") != cudaSuccess)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const cublasStatus_t status = offered(asked, alignment);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    for (; *found < requested && *found < most_algorithms; (*found)++) {
        cublasLtMatmulHeuristicResult_t &result = results[*found];
        const uint64_t bytes = *found == 0 ? algorithm_workspace : 0;
        const algorithm chosen = {algorithm_mark, problem_number(asked), alignment,
                                  preference->workspace < bytes ? preference->workspace : bytes};
        result = {};
        static_assert(sizeof chosen <= sizeof result.algo, "an algorithm lies in the library's");
        std::memcpy(&result.algo, &chosen, sizeof chosen);
        result.workspaceSize = chosen.workspace;
        result.state = CUBLAS_STATUS_SUCCESS;
        result.wavesCount = 1;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void *alpha, const void *A, cublasLtMatrixLayout_t a,
                              const void *B, cublasLtMatrixLayout_t b, const void *beta,
                              const void *C, cublasLtMatrixLayout_t c, void *D,
                              cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (operation == nullptr || alpha == nullptr || beta == nullptr || a == nullptr ||
        b == nullptr || c == nullptr || d == nullptr || algo == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (cuda_emulation_enter("cublasLtMatmul") != cudaSuccess ||
        cuda_emulation_stream_device(stream) != handle->device)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    const product asked = {operation,
                           a,
                           b,
                           c,
                           d,
                           *static_cast<const float *>(alpha),
                           *static_cast<const float *>(beta),
                           A,
                           B,
                           C,
                           D};
    algorithm chosen;
    std::memcpy(&chosen, algo, sizeof chosen);
    if (chosen.mark != algorithm_mark || chosen.problem != problem_number(asked))
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t status = offered(asked, chosen.alignment);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check_addresses(asked, chosen, workspace, workspace_bytes);
    if (status == CUBLAS_STATUS_SUCCESS &&
        cuda_emulation_enter("cublasLtMatmulRefused") != cudaSuccess)
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    cuda_emulation_begin(stream, "cublasLtMatmul");
    if (chosen.workspace > 0) {
        cuda_emulation_touch(workspace, chosen.workspace, true);
        std::memset(workspace, 0xFF, chosen.workspace);
    }
    multiply(asked);
    cuda_emulation_end();
    return CUBLAS_STATUS_SUCCESS;
}
