#include <math.h>
#include <omp.h>
#include <string.h>

#include "backend_cpu.h"
#include "backend_cpu_clones.h"

#define NORM_EPSILON 1e-5f

/* Each thread's sums of dweight and dbias. */
uint64_t backend_cpu_norm_shared_bytes(const struct backend_request *request)
{
    return (uint64_t)request->threads * 2 * request->shape.width * sizeof(float);
}

/* Mean and reciprocal deviation of a row: two passes, because the difference of two large sums
 * would lose the variance of a row far from zero. */
BACKEND_CPU_CLONES static void row_moments(float moments[2], const float *restrict x,
                                           uint64_t count)
{
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += x[i];
    const float mean = sum / (float)count;
#pragma omp simd reduction(+ : squares)
    for (uint64_t i = 0; i < count; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    moments[0] = mean;
    moments[1] = 1.0f / sqrtf(squares / (float)count + NORM_EPSILON);
}

BACKEND_CPU_CLONES static void normalise_row(float *restrict out, const float *restrict x,
                                             const float *restrict weight,
                                             const float *restrict bias, const float moments[2],
                                             uint64_t count)
{
    const float mean = moments[0], scale = moments[1];
    for (uint64_t i = 0; i < count; i++)
        out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

void backend_cpu_layer_norm_forward(struct backend *backend, void *out, float *stats, const void *x,
                                    const void *weight, const void *bias)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const uint64_t width = backend->request.shape.width, rows = cpu->rows;
#pragma omp parallel num_threads(backend->request.threads)
    {
        float *scratch = backend_cpu_scratch(cpu);
        const float *w = backend_cpu_read(cpu, weight, 0, width, scratch);
        const float *b = backend_cpu_read(cpu, bias, 0, width, scratch + width);
#pragma omp for schedule(static)
        for (uint64_t row = 0; row < rows; row++) {
            const float *from = backend_cpu_read(cpu, x, row * width, width, scratch + 2 * width);
            float *to = backend_cpu_begin_write(cpu, out, row * width, scratch + 3 * width);
            float moments[2];
            row_moments(moments, from, width);
            normalise_row(to, from, w, b, moments, width);
            backend_cpu_end_write(cpu, out, row * width, width, to);
            stats[row] = moments[0];
            stats[rows + row] = moments[1];
        }
    }
}

/* A row's part in the gradients, all fp32. `sums`: dweight, then dbias; NULL: not wanted. */
struct norm_row {
    float *dx, *sums;
    const float *dout, *x, *weight;
    float mean, scale;
    bool set;
};

/*
 * With n = (x - mean) scale and g = dout weight: dx = scale (g - mean(g) - n mean(g n)), because
 * both mean and deviation depend on every element of the row.
 */
BACKEND_CPU_CLONES static void row_gradient(const struct norm_row *row, uint64_t count)
{
    const float *restrict dout = row->dout, *restrict x = row->x, *restrict weight = row->weight;
    const float mean = row->mean, scale = row->scale;
    float *restrict dx = row->dx;
    float plain = 0, along = 0;
#pragma omp simd reduction(+ : plain, along)
    for (uint64_t i = 0; i < count; i++) {
        const float g = dout[i] * weight[i];
        plain += g;
        along += g * ((x[i] - mean) * scale);
    }
    plain /= (float)count;
    along /= (float)count;
    if (row->set)
        for (uint64_t i = 0; i < count; i++)
            dx[i] = scale * (dout[i] * weight[i] - plain - (x[i] - mean) * scale * along);
    else
        for (uint64_t i = 0; i < count; i++)
            dx[i] += scale * (dout[i] * weight[i] - plain - (x[i] - mean) * scale * along);
}

BACKEND_CPU_CLONES static void row_sums(const struct norm_row *row, uint64_t count)
{
    const float *restrict dout = row->dout, *restrict x = row->x;
    const float mean = row->mean, scale = row->scale;
    float *restrict dweight = row->sums, *restrict dbias = row->sums + count;
    for (uint64_t i = 0; i < count; i++) {
        dweight[i] += dout[i] * ((x[i] - mean) * scale);
        dbias[i] += dout[i];
    }
}

/* dweight or dbias from the threads' sums. */
static void combine(const struct backend_cpu *cpu, void *gradient, const float *sums,
                    int accumulate)
{
    const uint64_t width = cpu->base.request.shape.width;
    float *scratch = backend_cpu_scratch(cpu);
    float *to = backend_cpu_begin_change(cpu, gradient, 0, width, scratch);
    for (uint64_t i = 0; i < width; i++) {
        float sum = accumulate ? to[i] : 0;
        for (int thread = 0; thread < cpu->base.request.threads; thread++)
            sum += sums[(uint64_t)thread * 2 * width + i];
        to[i] = sum;
    }
    backend_cpu_end_write(cpu, gradient, 0, width, to);
}

void backend_cpu_layer_norm_backward(struct backend *backend, void *dx, void *dweight, void *dbias,
                                     const void *dout, const void *x, const float *stats,
                                     const void *weight, int accumulate, int set)
{
    const struct backend_cpu *cpu = backend_cpu_of(backend);
    const uint64_t width = backend->request.shape.width, rows = cpu->rows;
    const bool summed = dweight != NULL || dbias != NULL;
    float *all_sums = backend_cpu_shared(cpu);
    memset(all_sums, 0, backend_cpu_norm_shared_bytes(&backend->request));
#pragma omp parallel num_threads(backend->request.threads)
    {
        float *scratch = backend_cpu_scratch(cpu);
        float *sums = all_sums + (uint64_t)omp_get_thread_num() * 2 * width;
        const float *w = backend_cpu_read(cpu, weight, 0, width, scratch);
#pragma omp for schedule(static)
        for (uint64_t at = 0; at < rows * width; at += width) {
            struct norm_row row = {.sums = sums,
                                   .dout = backend_cpu_read(cpu, dout, at, width, scratch + width),
                                   .x = backend_cpu_read(cpu, x, at, width, scratch + 2 * width),
                                   .weight = w,
                                   .mean = stats[at / width],
                                   .scale = stats[rows + at / width],
                                   .set = set != 0};
            if (dx != NULL) {
                row.dx = backend_cpu_begin_change(cpu, dx, at, width, scratch + 3 * width);
                row_gradient(&row, width);
                backend_cpu_end_write(cpu, dx, at, width, row.dx);
            }
            if (summed)
                row_sums(&row, width);
        }
    }
    if (dweight != NULL)
        combine(cpu, dweight, all_sums, accumulate);
    if (dbias != NULL)
        combine(cpu, dbias, all_sums + width, accumulate);
}
