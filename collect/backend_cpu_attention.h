#ifndef RANKLEDGER_BACKEND_CPU_ATTENTION_H
#define RANKLEDGER_BACKEND_CPU_ATTENTION_H

#include "backend_cpu.h"

/*
 * What forward and backward of attention share. One task is one head of one sequence. Its factors
 * are copied into fp32 panels in the thread's workspace, and it then walks over blocks of rows
 * (queries), each with the keys up to its last row: what lies above the diagonal is not computed.
 */
enum { BACKEND_CPU_ATTENTION_BLOCK = BACKEND_CPU_TILE_ROWS };

/* T, D = C / H, both also padded to BACKEND_CPU_TILE_COLUMNS, and the scale of the scores. */
struct backend_cpu_attention {
    uint64_t length, depth, width;
    uint64_t padded_length, padded_depth;
    float scale;
};

struct backend_cpu_attention backend_cpu_attention_of(const struct backend_request *request);

/* Rows of one head in a typed tensor: the element where the first begins and the distance. */
struct backend_cpu_head {
    const void *typed;
    uint64_t first, stride;
};

/* Copies rows [row, row + count) of a head to `panel`, which begins with them. What pads
 * them is left as it is: a product's padded columns depend on those alone, and nobody reads them.
 */
void backend_cpu_attention_load(const struct backend_cpu *cpu, const struct backend_cpu_head *head,
                                uint64_t row, uint64_t count, float *panel);
/* Copies all rows, transposed and times `scale`, to panel[D, padded T]; `scratch` holds
 * BACKEND_CPU_TILE_COLUMNS rows. */
void backend_cpu_attention_transpose(const struct backend_cpu *cpu,
                                     const struct backend_cpu_head *head, float scale, float *panel,
                                     float *scratch);
/* The same of a tensor that is written. */
struct backend_cpu_place {
    void *typed;
    uint64_t first, stride;
};

/* Writes `count` rows of a panel (which may change), each times scales[row] unless that is NULL. */
void backend_cpu_attention_store(const struct backend_cpu *cpu,
                                 const struct backend_cpu_place *place, float *panel,
                                 uint64_t count, const float *scales);

#endif
