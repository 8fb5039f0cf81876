#ifndef RANKLEDGER_BACKEND_CPU_ATTENTION_H
#define RANKLEDGER_BACKEND_CPU_ATTENTION_H

#include "backend_cpu.h"

/*
 * What forward and backward of attention share. One task is one head of one sequence; it walks down
 * the rows (queries) in tiles, and for each tile only the keys up to its last row are looked at.
 */
enum { BACKEND_CPU_ATTENTION_TILE = 48 };

/* T, D = C / H and the scale of the scores. */
struct backend_cpu_attention {
    uint64_t length, depth, width;
    float scale;
};

struct backend_cpu_attention backend_cpu_attention_of(const struct backend_request *request);

/* A matrix [T, D] as fp32 with the distance of its rows: one to read, one to write. */
struct backend_cpu_panel {
    const float *values;
    uint64_t stride;
};

struct backend_cpu_target {
    float *values;
    uint64_t stride;
};

/* The panel of a head in a typed tensor: `first` its element (0, 0), `stride` between rows. In
 * place, or widened into `scratch` (T D floats). */
struct backend_cpu_panel backend_cpu_panel_read(const struct backend_cpu *cpu, const void *typed,
                                                uint64_t first, uint64_t stride, float *scratch);
/* The same for a panel to be written, and its end. */
struct backend_cpu_target backend_cpu_target_begin(const struct backend_cpu *cpu, void *typed,
                                                   uint64_t first, uint64_t stride, float *scratch);
void backend_cpu_target_end(const struct backend_cpu *cpu, void *typed, uint64_t first,
                            uint64_t stride, const struct backend_cpu_target *target);

#endif
