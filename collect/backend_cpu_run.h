#ifndef RANKLEDGER_BACKEND_CPU_RUN_H
#define RANKLEDGER_BACKEND_CPU_RUN_H

#include <stdint.h>

/*
 * Loops over `count` elements that lie side by side, for more than one operator. `to` and what is
 * read never overlap in part; where they may be the same it says so.
 */
void backend_cpu_run_widen(float *to, const uint16_t *from, uint64_t count);
void backend_cpu_run_narrow(uint16_t *to, const float *from, uint64_t count);
/* `rows` rows of `count` elements, each `stride` behind the one before. */
struct backend_cpu_run_rows {
    const float *from;
    float *to;
    uint64_t from_stride, to_stride;
    uint64_t rows, count;
};
/* to = scales[row] * from; without scales, = from. */
void backend_cpu_run_copy_rows(const struct backend_cpu_run_rows *rows, const float *scales);
/* to[i] += from[i] */
void backend_cpu_run_add(float *to, const float *from, uint64_t count);
/* The largest element; of NaN it may miss some. */
float backend_cpu_run_maximum(const float *x, uint64_t count);
/* x[i] becomes e^(x[i] - most), a NaN stays one; returns their sum. */
float backend_cpu_run_exponentials(float *x, float most, uint64_t count);
void backend_cpu_run_scale(float *x, float scale, uint64_t count);
/* out[i] = gelu(in[i]), tanh form. */
void backend_cpu_run_gelu(float *out, const float *in, uint64_t count);
/* to[i] *= gelu'(input[i]) */
void backend_cpu_run_gelu_slope(float *to, const float *input, uint64_t count);

#endif
