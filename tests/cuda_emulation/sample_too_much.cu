#include "cuda_launch.cuh"
#include "sample_kernels.h"

static __global__ void shared_too_much(float *to)
{
    __shared__ float many[12000], more[300];
    many[threadIdx.x] = 1.0f;
    more[threadIdx.x] = 1.0f;
    to[threadIdx.x] = many[threadIdx.x] + more[threadIdx.x];
}

cudaError_t sample_shared_too_much(float *to, cudaStream_t stream)
{
    return cuda_launch(shared_too_much, 1, 64, stream, to);
}
