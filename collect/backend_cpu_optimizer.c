#include <math.h>
#include <omp.h>
#include <string.h>

#include "backend_cpu.h"
#include "backend_cpu_clones.h"
#include "backend_cpu_run.h"
#include "training.h"

/* Elements that are widened and narrowed at a time; all arrays of a chunk stay in the first
 * cache. */
enum { CHUNK = 1024 };

static uint64_t chunk_size(uint64_t at, uint64_t count)
{
    return count - at < CHUNK ? count - at : CHUNK;
}

BACKEND_CPU_CLONES static double run_square_sum(const float *x, uint64_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

void backend_cpu_square_sum(struct backend *backend, double *sum, const void *gradient,
                            uint64_t count, int typed)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const int threads = backend->request.threads;
    double *sums = backend_cpu_shared(cpu);
    for (int i = 0; i < threads; i++)
        sums[i] = 0;
#pragma omp parallel num_threads(threads)
    {
        double of_thread = 0;
        float scratch[CHUNK];
#pragma omp for schedule(static)
        for (uint64_t at = 0; at < count; at += CHUNK) {
            const uint64_t size = chunk_size(at, count);
            const float *x = typed ? backend_cpu_read(cpu, gradient, at, size, scratch)
                                   : (const float *)gradient + at;
            of_thread += run_square_sum(x, size);
        }
        sums[omp_get_thread_num()] = of_thread;
    }
    double of_all = 0;
    for (int i = 0; i < threads; i++)
        of_all += sums[i];
    *sum += of_all;
}

void backend_cpu_clip(struct backend *backend, float *scale, const double *square_sum,
                      double max_norm)
{
    (void)backend;
    const double norm = sqrt(*square_sum);
    const double most = max_norm > 0 ? max_norm / (norm + TRAINING_CLIP_EPSILON) : 1;
    *scale = isfinite(norm) ? (float)(most < 1 ? most : 1) : NAN;
}

void backend_cpu_accumulate(struct backend *backend, void *to, const void *from, uint64_t count,
                            int typed, int add)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const bool narrow = cpu->bf16 && typed;
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t size = chunk_size(at, count);
        float scratch[CHUNK], added[CHUNK];
        const float *x = backend_cpu_read(cpu, from, at, size, added);
        float *sum = narrow ? scratch : (float *)to + at;
        if (narrow && add)
            backend_cpu_run_widen(scratch, (const uint16_t *)to + at, size);
        if (add)
            backend_cpu_run_add(sum, x, size);
        else
            memcpy(sum, x, size * sizeof(float));
        if (narrow)
            backend_cpu_run_narrow((uint16_t *)to + at, scratch, size);
    }
}

void backend_cpu_narrow_all(struct backend *backend, void *to, const float *from, uint64_t count)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t at = 0; at < count; at += CHUNK) {
        if (cpu->bf16)
            backend_cpu_run_narrow((uint16_t *)to + at, from + at, chunk_size(at, count));
        else
            memcpy((float *)to + at, from + at, chunk_size(at, count) * sizeof(float));
    }
}

/* A run's arrays. */
struct adamw_run {
    float *weight, *moment1, *moment2;
    const float *gradient;
    uint64_t count;
    float scale;
};

BACKEND_CPU_CLONES static void adamw_run(const struct adamw_run *run,
                                         const struct backend_adamw *how)
{
    float *restrict weight = run->weight;
    float *restrict moment1 = run->moment1, *restrict moment2 = run->moment2;
    const float *restrict gradient = run->gradient;
    const float beta1 = how->beta1, beta2 = how->beta2, epsilon = how->epsilon;
    const float scale = run->scale;
    const float decay = how->learning_rate * how->weight_decay;
    const float step = how->learning_rate / how->correction1;
    const float unbias = 1.0f / sqrtf(how->correction2);
    for (uint64_t i = 0; i < run->count; i++) {
        const float g = gradient[i] * scale;
        const float m = beta1 * moment1[i] + (1.0f - beta1) * g;
        const float v = beta2 * moment2[i] + (1.0f - beta2) * g * g;
        moment1[i] = m;
        moment2[i] = v;
        weight[i] -= decay * weight[i] + step * m / (sqrtf(v) * unbias + epsilon);
    }
}

void backend_cpu_adamw(struct backend *backend, const struct backend_update *update,
                       const struct backend_adamw *how)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    float *weight = update->weight;
    void *copy = update->typed_copy;
    if (!isfinite(*update->scale))
        return;
#pragma omp parallel for schedule(static) num_threads(backend->request.threads)
    for (uint64_t at = 0; at < update->count; at += CHUNK) {
        float scratch[CHUNK];
        const uint64_t size = chunk_size(at, update->count);
        const struct adamw_run run = {
            .weight = weight + at,
            .moment1 = update->moment1 + at,
            .moment2 = update->moment2 + at,
            .gradient = update->typed ? backend_cpu_read(cpu, update->gradient, at, size, scratch)
                                      : (const float *)update->gradient + at,
            .count = size,
            .scale = *update->scale,
        };
        adamw_run(&run, how);
        if (copy == NULL || copy == (void *)weight)
            continue;
        if (cpu->bf16)
            backend_cpu_run_narrow((uint16_t *)copy + at, weight + at, size);
        else
            memcpy((float *)copy + at, weight + at, size * sizeof(float));
    }
}
