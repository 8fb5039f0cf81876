#include <math.h>

#include "backend_cpu.h"
#include "backend_cpu_run.h"

/* The row becomes scale (softmax - one at the target); its loss. A row with a NaN has a NaN loss:
 * the exponential of a NaN is one. */
static float row_loss(float *x, uint64_t count, uint64_t target, float scale)
{
    const float most = backend_cpu_run_maximum(x, count);
    const float of_target = x[target] - most;
    const float sum = backend_cpu_run_exponentials(x, most, count);
    backend_cpu_run_scale(x, scale / sum, count);
    x[target] -= scale;
    return logf(sum) - of_target;
}

void backend_cpu_cross_entropy(struct backend *backend, float *losses, void *logits,
                               const int32_t *tokens, float scale)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const uint64_t vocab = backend->request.shape.vocab, length = backend->request.shape.seq_len;
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t row = 0; row < cpu->rows; row++) {
        float *scratch = backend_cpu_scratch(cpu);
        float *x = backend_cpu_begin_change(cpu, logits, row * vocab, vocab, scratch);
        losses[row] = row_loss(x, vocab, (uint64_t)tokens[row + row / length + 1], scale);
        backend_cpu_end_write(cpu, logits, row * vocab, vocab, x);
    }
}

void backend_cpu_loss_sum(struct backend *backend, double *sum, const float *losses)
{
    double of_rows = 0;
    for (uint64_t row = 0; row < backend_cpu_of(backend)->rows; row++)
        of_rows += (double)losses[row];
    *sum += of_rows;
}
