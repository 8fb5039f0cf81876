#include <string.h>

#include "backend_cpu.h"
#include "backend_cpu_run.h"

/* For each token the first row that has it, and for each row the next with the same token. */
uint64_t backend_cpu_embedding_shared_bytes(const struct backend_request *request)
{
    const struct model_shape *shape = &request->shape;
    return (shape->vocab + shape->micro_batch * shape->seq_len) * sizeof(int32_t);
}

/* The token of row b T + t; tokens has T + 1 columns. */
static uint64_t token_of(const int32_t *tokens, uint64_t row, uint64_t length)
{
    return (uint64_t)tokens[row + row / length];
}

void backend_cpu_embedding_forward(struct backend *backend, void *out, const int32_t *tokens,
                                   const void *wte, const void *wpe)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const uint64_t width = backend->request.shape.width, length = backend->request.shape.seq_len;
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t row = 0; row < cpu->rows; row++) {
        float *scratch = backend_cpu_scratch(cpu);
        const uint64_t token = token_of(tokens, row, length);
        const float *a = backend_cpu_read(cpu, wte, token * width, width, scratch);
        const float *b = backend_cpu_read(cpu, wpe, row % length * width, width, scratch + width);
        float *to = backend_cpu_begin_write(cpu, out, row * width, scratch);
        if (to != a) /* bf16: the same scratch */
            memcpy(to, a, width * sizeof *to);
        backend_cpu_run_add(to, b, width);
        backend_cpu_end_write(cpu, out, row * width, width, to);
    }
}

/* Chains of rows with the same token, each in ascending order. */
static void chain_tokens(int32_t *first, int32_t *next, const int32_t *tokens,
                         const struct backend_cpu *cpu)
{
    const uint64_t length = cpu->base.request.shape.seq_len;
    for (uint64_t token = 0; token < cpu->base.request.shape.vocab; token++)
        first[token] = -1;
    for (uint64_t row = cpu->rows; row-- > 0;) {
        int32_t *head = &first[token_of(tokens, row, length)];
        next[row] = *head;
        *head = (int32_t)row;
    }
}

/* gradient[at..] += the sum of the rows of dout along the chain, rounded once. */
static void add_chain(const struct backend_cpu *cpu, void *gradient, uint64_t at, const void *dout,
                      const int32_t *next, int32_t row)
{
    const uint64_t width = cpu->base.request.shape.width;
    float *scratch = backend_cpu_scratch(cpu);
    float *to = backend_cpu_begin_change(cpu, gradient, at, width, scratch);
    for (; row >= 0; row = next[row])
        backend_cpu_run_add(
            to, backend_cpu_read(cpu, dout, (uint64_t)row * width, width, scratch + width), width);
    backend_cpu_end_write(cpu, gradient, at, width, to);
}

/* Each position's gradient is the sum over the batch. */
static void position_gradient(const struct backend_cpu *cpu, void *dwpe, const void *dout,
                              int accumulate)
{
    const uint64_t width = cpu->base.request.shape.width;
    const uint64_t length = cpu->base.request.shape.seq_len;
#pragma omp parallel for schedule(static) num_threads(cpu->base.request.threads)
    for (uint64_t position = 0; position < length; position++) {
        float *scratch = backend_cpu_scratch(cpu);
        const uint64_t at = position * width;
        float *to = backend_cpu_begin_change(cpu, dwpe, at, width, scratch);
        if (!accumulate)
            memset(to, 0, width * sizeof *to);
        for (uint64_t row = position; row < cpu->rows; row += length)
            backend_cpu_run_add(
                to, backend_cpu_read(cpu, dout, row * width, width, scratch + width), width);
        backend_cpu_end_write(cpu, dwpe, at, width, to);
    }
}

void backend_cpu_embedding_backward(struct backend *backend, void *dwte, void *dwpe,
                                    const void *dout, const int32_t *tokens, int accumulate)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const struct model_shape *shape = &backend->request.shape;
    if (dwpe != NULL)
        position_gradient(cpu, dwpe, dout, accumulate);
    if (dwte == NULL)
        return;
    int32_t *first = backend_cpu_shared(cpu);
    int32_t *next = first + shape->vocab;
    chain_tokens(first, next, tokens, cpu);
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t row = 0; row < cpu->rows; row++) {
        const uint64_t token = token_of(tokens, row, shape->seq_len);
        if (first[token] == (int32_t)row)
            add_chain(cpu, dwte, token * shape->width, dout, next, (int32_t)row);
    }
}
