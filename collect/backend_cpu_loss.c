#include <math.h>

#include "backend_cpu.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_math.h"

BACKEND_CPU_CLONES static float row_maximum(const float *x, uint64_t count)
{
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (uint64_t i = 0; i < count; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* x[i] becomes e^(x[i] - most); their sum. */
BACKEND_CPU_CLONES static float row_exponentials(float *x, float most, uint64_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) {
        x[i] = backend_cpu_exp(x[i] - most);
        sum += x[i];
    }
    return sum;
}

BACKEND_CPU_CLONES static void row_scale(float *x, float scale, uint64_t count)
{
#pragma omp simd
    for (uint64_t i = 0; i < count; i++)
        x[i] *= scale;
}

/* The row becomes scale (softmax - one at the target); its loss. A row with a NaN has a NaN loss:
 * the exponential of a NaN is one. */
static float row_loss(float *x, uint64_t count, uint64_t target, float scale)
{
    const float most = row_maximum(x, count);
    const float of_target = x[target] - most;
    const float sum = row_exponentials(x, most, count);
    row_scale(x, scale / sum, count);
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
        backend_cpu_read(cpu, logits, row * vocab, vocab, scratch);
        float *x = backend_cpu_begin_write(cpu, logits, row * vocab, scratch);
        losses[row] = row_loss(x, vocab, (uint64_t)tokens[row + row / length + 1], scale);
        backend_cpu_end_write(cpu, logits, row * vocab, vocab, x);
    }
}

double backend_cpu_loss_sum(struct backend *backend, const float *losses)
{
    double sum = 0;
    for (uint64_t row = 0; row < backend_cpu_of(backend)->rows; row++)
        sum += (double)losses[row];
    return sum;
}
