#ifndef RANKLEDGER_CUDA_LAUNCH_CUH
#define RANKLEDGER_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>

/*
 * Starts `kernel` on `stream` with one thread for each of `blocks` x `threads`; arguments are
 * converted to the kernel's parameters. A function instead of <<<>>>, so that the host emulation's
 * compiler reads the same source. cudaErrorInvalidConfiguration for nothing to start.
 */
template <typename... Parameters, typename... Arguments>
static inline cudaError_t cuda_launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                      cudaStream_t stream, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
