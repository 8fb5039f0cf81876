/* The emulated cuBLASLt multiplies right, and refuses what the library would. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cublasLt.h"
#include "cuda_bf16.h"
#include "cuda_emulation.h"

namespace
{

int failed = 0;

void check(bool holds, const char *what)
{
    if (!holds) {
        std::printf("FAILED: %s\n", what);
        failed++;
    }
}

/* Numbers in device memory as bf16; small integers, so that products and their sums are exact. */
struct numbers {
    void *data = nullptr;
    std::vector<float> values;

    numbers(size_t count, unsigned seed) : values(count)
    {
        std::vector<__nv_bfloat16> rounded(count);
        for (size_t i = 0; i < count; i++) {
            values[i] = (float)((i * 7 + seed) % 5) - 2;
            rounded[i] = __float2bfloat16_rn(values[i]);
        }
        check(cudaMalloc(&data, count * 2 + 64) == cudaSuccess, "cudaMalloc");
        cudaMemcpy(data, rounded.data(), count * 2, cudaMemcpyHostToDevice);
    }
    numbers(const numbers &) = delete;
    ~numbers()
    {
        cudaFree(data);
    }
    std::vector<float> fetched() const
    {
        std::vector<__nv_bfloat16> rounded(values.size());
        cudaMemcpy(rounded.data(), data, rounded.size() * 2, cudaMemcpyDeviceToHost);
        std::vector<float> result;
        for (const __nv_bfloat16 number : rounded)
            result.push_back(__bfloat162float(number));
        return result;
    }
};

constexpr size_t workspace_bytes = 1 << 20;
enum { M = 16, N = 24, K = 8 };

/* D[M, N] = A[K, M]^T B[N, K]^T, column by column; pieces are changed before it is asked for. */
struct request {
    cublasLtHandle_t handle = nullptr;
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
    cublasLtMatmulPreference_t preference = nullptr;
    numbers A{M * K, 1}, B{N * K, 2}, C{M * N, 3}, D{M * N, 0}, bias{N, 4}, aux{M * N, 0};
    void *workspace = nullptr;
    float beta = 0;

    explicit request(cublasLtEpilogue_t epilogue, cudaDataType result = CUDA_R_16BF)
    {
        const int32_t transposed = CUBLAS_OP_T;
        const uint64_t bytes = workspace_bytes;
        const int64_t ld = M;
        check(cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS, "create");
        cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
        set(CUBLASLT_MATMUL_DESC_TRANSB, transposed);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)epilogue);
        set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.data);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, ld);
        cublasLtMatrixLayoutCreate(&a, CUDA_R_16BF, K, M, K);
        cublasLtMatrixLayoutCreate(&b, CUDA_R_16BF, N, K, N);
        cublasLtMatrixLayoutCreate(&d, result, M, N, M);
        cublasLtMatmulPreferenceCreate(&preference);
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &bytes, sizeof bytes);
        check(cudaMalloc(&workspace, workspace_bytes) == cudaSuccess, "cudaMalloc");
    }
    request(const request &) = delete;
    ~request()
    {
        cublasLtMatmulPreferenceDestroy(preference);
        cublasLtMatmulDescDestroy(operation);
        for (cublasLtMatrixLayout_t layout : {a, b, d})
            cublasLtMatrixLayoutDestroy(layout);
        cublasLtDestroy(handle);
        cudaFree(workspace);
    }
    template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, const T &value)
    {
        check(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value) ==
                  CUBLAS_STATUS_SUCCESS,
              "attribute");
    }
    cublasStatus_t choose(cublasLtMatmulAlgo_t *algorithm)
    {
        cublasLtMatmulHeuristicResult_t result = {};
        int found = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle, operation, a, b, d, d, preference, 1, &result, &found);
        *algorithm = result.algo;
        return status;
    }
    cublasStatus_t multiply(const cublasLtMatmulAlgo_t &algorithm, size_t bytes = workspace_bytes,
                            size_t skip = 0)
    {
        const float alpha = 1;
        char *const to = static_cast<char *>(D.data) + skip;
        return cublasLtMatmul(handle, operation, &alpha, A.data, a, B.data, b, &beta, C.data, d, to,
                              d, &algorithm, workspace, bytes, nullptr);
    }
    cublasStatus_t both()
    {
        cublasLtMatmulAlgo_t algorithm;
        const cublasStatus_t status = choose(&algorithm);
        return status == CUBLAS_STATUS_SUCCESS ? multiply(algorithm) : status;
    }
    float product(size_t row, size_t column) const
    {
        float sum = beta * C.values[column * M + row];
        for (size_t k = 0; k < K; k++)
            sum += A.values[row * K + k] * B.values[k * N + column];
        return sum;
    }
};

void multiplies()
{
    request plain(CUBLASLT_EPILOGUE_DEFAULT), biased(CUBLASLT_EPILOGUE_BIAS);
    request summing(CUBLASLT_EPILOGUE_BGRADB), gelu(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    biased.beta = 1;
    for (request *asked : {&plain, &biased, &summing, &gelu})
        check(asked->both() == CUBLAS_STATUS_SUCCESS, "a product");
    const std::vector<float> first = plain.D.fetched(), second = biased.D.fetched();
    const std::vector<float> sums = summing.bias.fetched(), input = gelu.aux.fetched();
    for (size_t column = 0; column < N; column++) {
        float sum = 0;
        for (size_t k = 0; k < K; k++)
            sum += summing.B.values[k * N + column];
        check(sums[column] == sum, "sums of B");
        for (size_t row = 0; row < M; row++) {
            const size_t at = column * M + row;
            check(first[at] == plain.product(row, column), "a plain product");
            check(second[at] == biased.product(row, column) + biased.bias.values[row],
                  "bias and C");
            check(input[at] == gelu.product(row, column) + gelu.bias.values[row], "gelu's input");
        }
    }
}

void refuses_what_does_not_go_together()
{
    request odd(CUBLASLT_EPILOGUE_GELU_AUX_BIAS), untransposed(CUBLASLT_EPILOGUE_BGRADB);
    request nowhere(CUBLASLT_EPILOGUE_BIAS), narrow(CUBLASLT_EPILOGUE_DEFAULT);
    odd.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)M + 4);
    check(odd.both() == CUBLAS_STATUS_INVALID_VALUE, "an auxiliary matrix with an odd stride");
    nowhere.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)nullptr);
    check(nowhere.both() == CUBLAS_STATUS_INVALID_VALUE, "no bias");
    const int64_t ld = K - 1;
    cublasLtMatrixLayoutSetAttribute(narrow.a, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld);
    check(narrow.both() == CUBLAS_STATUS_INVALID_VALUE, "rows that overlap");
    const int32_t batch = 2;
    request batches(CUBLASLT_EPILOGUE_DEFAULT);
    cublasLtMatrixLayoutSetAttribute(batches.a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                     sizeof batch);
    check(batches.both() == CUBLAS_STATUS_INVALID_VALUE, "batches of different sizes");
    check(cublasLtMatrixLayoutSetAttribute(batches.a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                           8) == CUBLAS_STATUS_INVALID_VALUE,
          "an attribute of another size");
    untransposed.set(CUBLASLT_MATMUL_DESC_TRANSB, (int32_t)CUBLAS_OP_N);
    check(untransposed.both() != CUBLAS_STATUS_SUCCESS, "another shape");
}

void refuses_what_an_algorithm_is_not_for()
{
    request asked(CUBLASLT_EPILOGUE_DEFAULT);
    cublasLtMatmulAlgo_t algorithm;
    check(asked.choose(&algorithm) == CUBLAS_STATUS_SUCCESS, "an algorithm");
    check(asked.multiply(algorithm, 1024) == CUBLAS_STATUS_INVALID_VALUE, "a small workspace");
    check(asked.multiply(algorithm, workspace_bytes, 2) == CUBLAS_STATUS_NOT_SUPPORTED,
          "an address that is less aligned than was said");
    asked.set(CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)CUBLASLT_EPILOGUE_BIAS);
    check(asked.multiply(algorithm) == CUBLAS_STATUS_INVALID_VALUE, "another operation");
    const uint32_t element = 2;
    request anywhere(CUBLASLT_EPILOGUE_DEFAULT);
    for (int i = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
         i <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; i++)
        cublasLtMatmulPreferenceSetAttribute(
            anywhere.preference, (cublasLtMatmulPreferenceAttributes_t)i, &element, sizeof element);
    check(anywhere.choose(&algorithm) == CUBLAS_STATUS_SUCCESS, "an algorithm for any address");
    check(anywhere.multiply(algorithm, workspace_bytes, 2) == CUBLAS_STATUS_SUCCESS,
          "an address of whole elements");
    check(cublasLtDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED, "no handle");
    request biased(CUBLASLT_EPILOGUE_BIAS);
    biased.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)((char *)biased.bias.data + 2));
    check(biased.both() == CUBLAS_STATUS_EXECUTION_FAILED, "a bias at an odd address");
}

void fails_when_told_to()
{
    request asked(CUBLASLT_EPILOGUE_DEFAULT);
    cuda_emulation_fail(-1, "cublasLtMatmul", 1, cudaErrorLaunchFailure);
    check(asked.both() == CUBLAS_STATUS_EXECUTION_FAILED, "a planned failure");
    cuda_emulation_heal();
    check(asked.both() == CUBLAS_STATUS_SUCCESS, "and none behind it");
    cuda_emulation_fail(-1, "cublasLtMatmulRefused", 1, 1);
    check(asked.both() == CUBLAS_STATUS_NOT_SUPPORTED, "a planned refusal");
}

} // namespace

int main()
{
    multiplies();
    refuses_what_does_not_go_together();
    refuses_what_an_algorithm_is_not_for();
    fails_when_told_to();
    std::printf("%d checks failed\n", failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
