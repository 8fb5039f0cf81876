/*
 * How fast the device copies within its own memory: bytes read and written in a second, the median
 * of several copies of an array that no cache holds. Prints "copy RATE GB/s".
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES ((size_t)1 << 30)
#define COPIES 11

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    void *from = NULL, *to = NULL;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float ms[COPIES];
    check(cudaStreamCreate(&stream), "stream");
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaMalloc(&from, BYTES), "memory");
    check(cudaMalloc(&to, BYTES), "memory");
    check(cudaMemsetAsync(from, 1, BYTES, stream), "fill");
    for (int i = -2; i < COPIES; i++) { /* the first two warm up */
        float took;
        check(cudaEventRecord(begin, stream), "event");
        check(cudaMemcpyAsync(to, from, BYTES, cudaMemcpyDeviceToDevice, stream), "copy");
        check(cudaEventRecord(end, stream), "event");
        check(cudaStreamSynchronize(stream), "copy");
        check(cudaEventElapsedTime(&took, begin, end), "event");
        if (i >= 0)
            ms[i] = took;
    }
    qsort(ms, COPIES, sizeof ms[0], by_size);
    printf("copy %.1f GB/s\n", 2.0 * (double)BYTES / (double)ms[COPIES / 2] / 1e6);
    check(cudaFree(from), "memory");
    check(cudaFree(to), "memory");
    return 0;
}
