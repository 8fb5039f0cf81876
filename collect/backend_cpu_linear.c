#include "backend_cpu_product.h"
#include "backend_cpu_run.h"

void backend_cpu_linear_residual_forward(struct backend *backend, void *out, const void *residual,
                                         const void *x, const void *weight, const void *bias,
                                         uint64_t inputs, uint64_t outputs)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_product product = {.out = out,
                                                .a = x,
                                                .b = weight,
                                                .b_transposed = true,
                                                .m = cpu->rows,
                                                .n = outputs,
                                                .k = inputs,
                                                .bias = bias,
                                                .residual = residual};
    backend_cpu_multiply(cpu, &product);
}

void backend_cpu_linear_forward(struct backend *backend, void *out, const void *x,
                                const void *weight, const void *bias, uint64_t inputs,
                                uint64_t outputs)
{
    backend_cpu_linear_residual_forward(backend, out, NULL, x, weight, bias, inputs, outputs);
}

void backend_cpu_linear_gelu_forward(struct backend *backend, void *out, void *gelu_out,
                                     const void *x, const void *weight, const void *bias,
                                     uint64_t inputs, uint64_t outputs)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    backend_cpu_linear_forward(backend, out, x, weight, bias, inputs, outputs);
    enum { CHUNK = 1024 };
    const uint64_t count = cpu->rows * outputs;
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t at = 0; at < count; at += CHUNK) {
        float in[CHUNK], gelu[CHUNK];
        const uint64_t size = count - at < CHUNK ? count - at : CHUNK;
        float *to = backend_cpu_begin_write(cpu, gelu_out, at, gelu);
        backend_cpu_run_gelu(to, backend_cpu_read(cpu, out, at, size, in), size);
        backend_cpu_end_write(cpu, gelu_out, at, size, to);
    }
}

void backend_cpu_linear_backward_input(struct backend *backend, void *dx, const void *dout,
                                       const void *weight, const void *gelu_input, uint64_t inputs,
                                       uint64_t outputs)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_product product = {.out = dx,
                                                .a = dout,
                                                .b = weight,
                                                .m = cpu->rows,
                                                .n = inputs,
                                                .k = outputs,
                                                .gelu_input = gelu_input};
    backend_cpu_multiply(cpu, &product);
}

/* Sums of columns, a strip of columns at a time so that the sums stay in the first cache. */
static void sum_rows(const struct backend_cpu *cpu, void *dbias, const void *dout, uint64_t outputs,
                     int accumulate)
{
    enum { STRIP = 256 };
#pragma omp parallel for schedule(static) num_threads(cpu->base.request.threads)
    for (uint64_t column = 0; column < outputs; column += STRIP) {
        const uint64_t size = outputs - column < STRIP ? outputs - column : STRIP;
        float sums[STRIP] = {0}, row[STRIP];
        if (accumulate)
            backend_cpu_run_add(sums, backend_cpu_read(cpu, dbias, column, size, row), size);
        for (uint64_t at = column; at < cpu->rows * outputs; at += outputs)
            backend_cpu_run_add(sums, backend_cpu_read(cpu, dout, at, size, row), size);
        float *to = backend_cpu_begin_write(cpu, dbias, column, row);
        for (uint64_t i = 0; i < size; i++)
            to[i] = sums[i];
        backend_cpu_end_write(cpu, dbias, column, size, to);
    }
}

void backend_cpu_linear_backward_weight(struct backend *backend, void *dweight, void *dbias,
                                        const void *dout, const void *x, uint64_t inputs,
                                        uint64_t outputs, int accumulate)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct backend_cpu_product product = {.out = dweight,
                                                .a = dout,
                                                .a_transposed = true,
                                                .b = x,
                                                .m = outputs,
                                                .n = inputs,
                                                .k = cpu->rows,
                                                .accumulate = accumulate != 0};
    if (dweight != NULL)
        backend_cpu_multiply(cpu, &product);
    if (dbias != NULL)
        sum_rows(cpu, dbias, dout, outputs, accumulate);
}
