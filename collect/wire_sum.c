#include "wire_sum.h"

#include "backend_cpu_clones.h"
#include "bfloat16.h"

/* Elements that are added up at a time: their fp32 sums stay in the first-level cache. */
#define BLOCK_ELEMENTS 2048

BACKEND_CPU_CLONES static void add_fp32(float *to, const float *a, const float *b, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        to[i] = a[i] + b[i];
    }
}

BACKEND_CPU_CLONES static void add_bf16(uint16_t *to, const uint16_t *a, const uint16_t *b,
                                        size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        to[i] = bfloat16_narrow(bfloat16_widen(a[i]) + bfloat16_widen(b[i]));
    }
}

BACKEND_CPU_CLONES static void widen_pair(float *sums, const uint16_t *a, const uint16_t *b,
                                          size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        sums[i] = bfloat16_widen(a[i]) + bfloat16_widen(b[i]);
    }
}

BACKEND_CPU_CLONES static void widen_add(float *sums, const uint16_t *from, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        sums[i] += bfloat16_widen(from[i]);
    }
}

BACKEND_CPU_CLONES static void add_narrow(uint16_t *to, const float *sums, const uint16_t *from,
                                          size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        to[i] = bfloat16_narrow(sums[i] + bfloat16_widen(from[i]));
    }
}

/* `to` may be any of the sources, so nothing is written to it before the last has been read. */
static void sum_fp32_block(float *to, const void *const *from, size_t from_count, size_t first,
                           size_t count)
{
    float sums[BLOCK_ELEMENTS];
    const size_t last = from_count - 1;
    add_fp32(sums, (const float *)from[0] + first, (const float *)from[1] + first, count);
    for (size_t k = 2; k < last; k++) {
        add_fp32(sums, sums, (const float *)from[k] + first, count);
    }
    add_fp32(to + first, sums, (const float *)from[last] + first, count);
}

static void sum_bf16_block(uint16_t *to, const void *const *from, size_t from_count, size_t first,
                           size_t count)
{
    float sums[BLOCK_ELEMENTS];
    const size_t last = from_count - 1;
    widen_pair(sums, (const uint16_t *)from[0] + first, (const uint16_t *)from[1] + first, count);
    for (size_t k = 2; k < last; k++) {
        widen_add(sums, (const uint16_t *)from[k] + first, count);
    }
    add_narrow(to + first, sums, (const uint16_t *)from[last] + first, count);
}

void wire_sum(enum model_dtype wire, void *to, const void *const *from, size_t from_count,
              size_t elements)
{
    if (from_count == 2 && wire == MODEL_FP32) {
        add_fp32(to, from[0], from[1], elements);
        return;
    }
    if (from_count == 2) {
        add_bf16(to, from[0], from[1], elements);
        return;
    }
    for (size_t first = 0; first < elements; first += BLOCK_ELEMENTS) {
        size_t left = elements - first;
        size_t count = left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;
        if (wire == MODEL_FP32) {
            sum_fp32_block(to, from, from_count, first, count);
        } else {
            sum_bf16_block(to, from, from_count, first, count);
        }
    }
}
