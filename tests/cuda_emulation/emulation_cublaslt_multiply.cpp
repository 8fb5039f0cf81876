/* The arithmetic of the emulated cuBLASLt. Matrices lie column by column. */
#include <cblas.h>
#include <cmath>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_emulation.h"
#include "emulation_cublaslt.h"

namespace emulation
{

namespace
{

size_t element_bytes(cudaDataType type)
{
    return type == CUDA_R_16BF ? sizeof(__nv_bfloat16) : sizeof(float);
}

float read(const void *base, cudaDataType type, size_t index)
{
    if (type == CUDA_R_16BF)
        return __bfloat162float(static_cast<const __nv_bfloat16 *>(base)[index]);
    return static_cast<const float *>(base)[index];
}

void write(void *base, cudaDataType type, size_t index, float value)
{
    if (type == CUDA_R_16BF)
        static_cast<__nv_bfloat16 *>(base)[index] = __float2bfloat16_rn(value);
    else
        static_cast<float *>(base)[index] = value;
}

/* Declares the elements of a batch of matrices, not what lies between their columns. */
void touch(const void *base, const cublasLtMatrixLayoutOpaque &matrix, bool written)
{
    const size_t size = element_bytes(matrix.type);
    for (int32_t i = 0; i < matrix.batch; i++) {
        const char *first =
            static_cast<const char *>(base) + (size_t)i * (size_t)matrix.step * size;
        if ((uint64_t)matrix.ld == matrix.rows) {
            cuda_emulation_touch(first, matrix.rows * matrix.columns * size, written);
            continue;
        }
        for (uint64_t column = 0; column < matrix.columns; column++)
            cuda_emulation_touch(first + column * (size_t)matrix.ld * size, matrix.rows * size,
                                 written);
    }
}

void touch_all(const product &asked)
{
    const cublasLtMatmulDescOpaque &operation = *asked.operation;
    const size_t size = element_bytes(asked.d->type);
    touch(asked.A, *asked.a, false);
    touch(asked.B, *asked.b, false);
    if (asked.beta != 0)
        touch(asked.C, *asked.c, false);
    touch(asked.D, *asked.d, true);
    if (operation.epilogue == CUBLASLT_EPILOGUE_BGRADB)
        cuda_emulation_touch(operation.bias, asked.d->columns * size, true);
    else if (operation.epilogue & CUBLASLT_EPILOGUE_BIAS)
        cuda_emulation_touch(operation.bias, asked.d->rows * size, false);
    cublasLtMatrixLayoutOpaque aux = *asked.d;
    aux.ld = operation.aux_ld;
    if (operation.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS ||
        operation.epilogue == CUBLASLT_EPILOGUE_DGELU)
        touch(operation.aux, aux, operation.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
}

/* One matrix of a batch as fp32, side by side. */
std::vector<float> widened(const void *base, const cublasLtMatrixLayoutOpaque &matrix, size_t index)
{
    std::vector<float> values(matrix.rows * matrix.columns);
    const size_t first = index * (size_t)matrix.step;
    for (size_t column = 0; column < matrix.columns; column++)
        for (size_t row = 0; row < matrix.rows; row++)
            values[column * matrix.rows + row] =
                read(base, matrix.type, first + column * (size_t)matrix.ld + row);
    return values;
}

/* tanh form, as in "Gaussian Error Linear Units" (arXiv:1606.08415). */
float tanh_argument(float x)
{
    return 0.7978845608028654f * (x + 0.044715f * x * x * x);
}

float gelu(float x)
{
    return 0.5f * x * (1.0f + std::tanh(tanh_argument(x)));
}

float gelu_slope(float x)
{
    const float t = std::tanh(tanh_argument(x));
    return 0.5f * (1.0f + t) +
           0.5f * x * (1.0f - t * t) * 0.7978845608028654f * (1.0f + 3.0f * 0.044715f * x * x);
}

/* What the epilogue makes of a sum; `at`: the element in the auxiliary matrix. */
float finish(const product &asked, float value, size_t row, size_t at)
{
    const cublasLtMatmulDescOpaque &operation = *asked.operation;
    const cudaDataType type = asked.d->type;
    switch (operation.epilogue) {
    case CUBLASLT_EPILOGUE_BIAS:
        return value + read(operation.bias, type, row);
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
        value += read(operation.bias, type, row);
        write(const_cast<void *>(operation.aux), type, at, value);
        return gelu(value);
    case CUBLASLT_EPILOGUE_DGELU:
        return value * gelu_slope(read(operation.aux, type, at));
    default:
        return value;
    }
}

void store(const product &asked, const std::vector<float> &sums, size_t index)
{
    const size_t first = index * (size_t)asked.d->step, rows = asked.d->rows;
    for (size_t column = 0; column < asked.d->columns; column++)
        for (size_t row = 0; row < rows; row++) {
            const size_t at = first + column * (size_t)asked.d->ld + row;
            const size_t added = index * (size_t)asked.c->step + column * (size_t)asked.c->ld + row;
            float value = sums[column * rows + row];
            if (asked.beta != 0)
                value += asked.beta * read(asked.C, asked.c->type, added);
            const size_t aux = column * (size_t)asked.operation->aux_ld + row;
            write(asked.D, asked.d->type, at, finish(asked, value, row, aux));
        }
}

/* Sums of op(B) over the depth, which is B's columns: it is transposed. */
void sum_columns(const product &asked, const std::vector<float> &b)
{
    for (size_t column = 0; column < asked.d->columns; column++) {
        float sum = 0;
        for (size_t k = 0; k < asked.b->columns; k++)
            sum += b[k * asked.b->rows + column];
        write(const_cast<void *>(asked.operation->bias), asked.d->type, column, sum);
    }
}

} // namespace

void multiply(const product &asked)
{
    const bool a_transposed = asked.operation->trans_a != CUBLAS_OP_N;
    const bool b_transposed = asked.operation->trans_b != CUBLAS_OP_N;
    const size_t m = asked.d->rows, n = asked.d->columns;
    const size_t k = a_transposed ? asked.a->rows : asked.a->columns;
    touch_all(asked);
    std::vector<float> sums(m * n);
    for (int32_t i = 0; i < asked.d->batch; i++) {
        const std::vector<float> a = widened(asked.A, *asked.a, (size_t)i);
        const std::vector<float> b = widened(asked.B, *asked.b, (size_t)i);
        cblas_sgemm(CblasColMajor, a_transposed ? CblasTrans : CblasNoTrans,
                    b_transposed ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, asked.alpha,
                    a.data(), (int)asked.a->rows, b.data(), (int)asked.b->rows, 0, sums.data(),
                    (int)m);
        if (asked.operation->epilogue == CUBLASLT_EPILOGUE_BGRADB)
            sum_columns(asked, b);
        store(asked, sums, (size_t)i);
    }
}

} // namespace emulation
