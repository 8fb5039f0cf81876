#ifndef CUDA_EMULATION_SAMPLE_KERNELS_H
#define CUDA_EMULATION_SAMPLE_KERNELS_H

#include <cuda_runtime.h>

/* Kernels that are right, and kernels that make one mistake each, for tests of the emulation. They
 * compile under nvcc as well. */
#ifdef __cplusplus
extern "C" {
#endif

/* sums[block] = the sum of each block's 256 numbers; `count` is a multiple of 256. */
cudaError_t sample_block_sums(float *sums, const float *numbers, unsigned count,
                              cudaStream_t stream);
/* to[row, column] = from[column, row] of a square matrix whose side is a multiple of 32. */
cudaError_t sample_transpose(float *to, const float *from, unsigned side, cudaStream_t stream);
/* to[i] = 2 from[i] for groups of four; `skip` elements are left out in front. */
cudaError_t sample_double(float *to, const float *from, unsigned groups, unsigned skip,
                          cudaStream_t stream);

/* to[kind, lane]: what each lane of one warp gets, in segments of 8 lanes, of the lanes' numbers:
 * of the segment's lane 3; of 2 lanes up; of 2 lanes down; of lane ^ 4. */
cudaError_t sample_shuffles(float *to, cudaStream_t stream);
/* Each value rounded to bfloat16; `count` at most 1024. */
cudaError_t sample_round(float *values, unsigned count, cudaStream_t stream);

enum sample_mistake {
    SAMPLE_NONE,
    SAMPLE_READ_BEHIND,  /* one element behind the end of `from` */
    SAMPLE_WRITE_BEFORE, /* one element before `to` */
    SAMPLE_EXIT_AT_BARRIER,
    SAMPLE_TWO_BARRIERS,
    SAMPLE_EXIT_AT_SHUFFLE,
    SAMPLE_MASK_WITHOUT_SELF,
    SAMPLE_MASK_NOT_RUNNING,
    SAMPLE_LANE_NOT_NAMED,
    SAMPLE_TWO_MASKS,
    SAMPLE_SHUFFLE_AND_BARRIER,
    SAMPLE_SHARED_BEHIND,
    SAMPLE_SHARED_NO_BARRIER,
    SAMPLE_SHARED_ASKEW, /* four elements from the second on, as one access */
    SAMPLE_BLOCKS_WRITE, /* two blocks write the same element */
    SAMPLE_BLOCK_READS,  /* the second block reads what the first has written */
    SAMPLE_BLOCK_WRITES, /* the second block writes what the first has read */
    SAMPLE_WARP_READS,   /* a warp reads what another has written, without a barrier */
    SAMPLE_WARP_WRITES,
    SAMPLE_SHARED_UNWRITTEN, /* no refusal: to[0] becomes NaN */
};
/* One block of 64 threads. */
cudaError_t sample_mistake_run(enum sample_mistake mistake, float *to, const float *from,
                               unsigned count, cudaStream_t stream);
/* to[i] = 1 + to[i - 1] within one warp, as if its lanes ran one after another; to[0] = 0. */
cudaError_t sample_order(float *to, cudaStream_t stream);
/* A block with more shared memory than there is; nvcc's assembler refuses this one by itself, so
 * that it is in a file of its own (sample_too_much.cu). */
cudaError_t sample_shared_too_much(float *to, cudaStream_t stream);
/* An empty kernel. */
cudaError_t sample_empty(dim3 blocks, dim3 threads, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
