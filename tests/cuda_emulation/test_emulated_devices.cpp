/* Devices, their memory, and calls that fail on purpose. */
#include <cstdlib>
#include <cstring>

#include "emulation_check.h"
#include "sample_kernels.h"

using namespace emulation_check;

namespace
{

void description()
{
    int count = 0, value = 0, can = 0;
    struct cudaDeviceProp properties;
    char bus[32];
    expect(cudaGetDeviceCount(&count), cudaSuccess, "count");
    check(count == 2, "there are two devices");
    expect(cudaGetDeviceProperties(&properties, 1), cudaSuccess, "properties");
    check(std::strcmp(properties.name, "Other") == 0 && properties.totalGlobalMem == 16 << 20,
          "the second device's name and memory");
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0), cudaSuccess, "limit");
    check(value == 1024, "threads of a block");
    expect(cudaDeviceGetPCIBusId(bus, sizeof bus, 1), cudaSuccess, "bus");
    check(std::strcmp(bus, "none:02:00.0") == 0, bus);
    expect(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess, "peer");
    check(can == 0, "no device accesses another's memory");
    expect(cudaGetDeviceProperties(&properties, 2), cudaErrorInvalidDevice, "a third device");
    expect(cudaSetDevice(2), cudaErrorInvalidDevice, "a third device");
    expect(cudaSetDevice(-1), cudaErrorInvalidDevice, "a device before the first");
}

void memory()
{
    size_t free_bytes = 0, total = 0;
    void *half = nullptr, *more = nullptr;
    expect(cudaMemGetInfo(&free_bytes, &total), cudaSuccess, "memory");
    check(free_bytes == 12 << 20 && total == 16 << 20, "16 MiB, 4 of them used by others");
    expect(cudaMalloc(&half, 8 << 20), cudaSuccess, "8 MiB");
    cudaMemGetInfo(&free_bytes, &total);
    check(free_bytes == 4 << 20, "4 MiB are left");
    expect(cudaMalloc(&more, (4 << 20) + 1), cudaErrorMemoryAllocation, "one byte too many");
    expect(cudaGetLastError(), cudaErrorMemoryAllocation, "the last error");
    cuda_emulation_set_others(0, 0);
    expect(cudaMalloc(&more, 8 << 20), cudaSuccess, "when the others have gone");
    cuda_emulation_set_others(0, 4 << 20);
    expect(cudaFree(half), cudaSuccess, "free");
    expect(cudaFree(more), cudaSuccess, "free");
    expect(cudaFree(nullptr), cudaSuccess, "free of nothing");
    expect(cudaFreeHost(half), cudaErrorInvalidValue, "device memory as the host's");
    cudaMemGetInfo(&free_bytes, &total);
    check(free_bytes == 12 << 20, "all is given back");
}

void two_devices()
{
    cudaStream_t first = nullptr, second = nullptr;
    float *mine = device_copy(std::vector<float>(64));
    expect(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess, "stream");
    expect(cudaSetDevice(1), cudaSuccess, "the second device");
    float *theirs = device_copy(std::vector<float>(64));
    expect(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess, "stream");
    expect(sample_empty(1, 1, first), cudaErrorInvalidResourceHandle, "the other's stream");
    expect(sample_empty(1, 1, second), cudaSuccess, "its own stream");
    refuses("memory of the other device", {"device 1 reads 16 bytes of another device", "device 0"},
            [&] { (void)sample_double(theirs, mine, 16, 0, second); });
    cudaFree(theirs);
    cudaStreamDestroy(second);
    cudaSetDevice(0);
    cudaFree(mine);
    cudaStreamDestroy(first);
}

void failures()
{
    void *made = nullptr;
    const uint64_t before = cuda_emulation_calls("cudaMalloc");
    cuda_emulation_fail(0, "cudaMalloc", 2, cudaErrorMemoryAllocation);
    cuda_emulation_fail(1, "cudaLaunchKernelExC", 1, cudaErrorLaunchFailure);
    expect(cudaMalloc(&made, 64), cudaSuccess, "the first call");
    cudaFree(made);
    expect(cudaMalloc(&made, 64), cudaErrorMemoryAllocation, "the second call");
    expect(cudaMalloc(&made, 64), cudaSuccess, "the third call");
    check(cuda_emulation_calls("cudaMalloc") == before + 3, "three calls are counted");
    check(cuda_emulation_calls("cudaMallocManaged") == 0, "and none of what is never called");
    cudaFree(made);
    expect(sample_empty(1, 1, nullptr), cudaSuccess, "a launch on the device that is not meant");
    cudaSetDevice(1);
    expect(sample_empty(1, 1, nullptr), cudaErrorLaunchFailure, "a launch on the one that is");
    cudaSetDevice(0);
    cuda_emulation_fail(-1, "cublasLtMatmul", 1, 14);
    check((int)cuda_emulation_enter("cublasLtMatmul") == 14,
          "a library's call, with its own error");
    cuda_emulation_heal();
}

void loss()
{
    size_t free_bytes = 0, total = 0;
    int count = 0;
    cuda_emulation_lose(0, cudaErrorLaunchFailure);
    expect(cudaDeviceSynchronize(), cudaErrorLaunchFailure, "a lost device");
    expect(cudaMemGetInfo(&free_bytes, &total), cudaErrorLaunchFailure, "a lost device");
    expect(cudaGetLastError(), cudaErrorLaunchFailure, "the last error");
    expect(cudaGetLastError(), cudaErrorLaunchFailure, "the last error stays");
    expect(cudaSetDevice(1), cudaSuccess, "the other device");
    expect(cudaDeviceSynchronize(), cudaSuccess, "the other device");
    cudaGetDeviceCount(&count);
    check(count == 2, "both are counted");
    expect(cudaSetDevice(0), cudaErrorLaunchFailure, "back to the lost one");
    cuda_emulation_heal();
    expect(cudaSetDevice(0), cudaSuccess, "healed");
    expect(cudaDeviceSynchronize(), cudaSuccess, "healed");
}

/* What the environment says counts in a process that has not asked yet. */
void environment(const char *self)
{
    setenv("CUDA_EMULATION_DRIVER", "12040", 1);
    check(std::system((std::string(self) + " 35").c_str()) == 0, "a driver that is too old");
    unsetenv("CUDA_EMULATION_DRIVER");
    setenv("CUDA_EMULATION_DEVICES", "0", 1);
    check(std::system((std::string(self) + " 100").c_str()) == 0, "no device");
    setenv("CUDA_EMULATION_DEVICES", "1", 1);
    setenv("CUDA_EMULATION_FAIL", "1/cudaMalloc:1:2,0/cudaDeviceSynchronize:2:719!", 1);
    check(std::system((std::string(self) + " 719").c_str()) == 0,
          "a failure that loses the device");
}

/* Started by environment(): whether a call fails with that error. */
int child(int error)
{
    void *made = nullptr;
    int count = 0;
    if (error != 719)
        return cudaGetDeviceCount(&count) == error && cudaMalloc(&made, 4) == error ? 0 : 1;
    const bool right = cudaDeviceSynchronize() == cudaSuccess &&
                       cudaMalloc(&made, 4) == cudaSuccess && cudaDeviceSynchronize() == error &&
                       cudaMalloc(&made, 4) == error;
    return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(std::atoi(argv[1]));
    setenv("CUDA_EMULATION_DEVICES", "2", 1);
    setenv("CUDA_EMULATION_NAMES", "One,Other", 1);
    setenv("CUDA_EMULATION_MEMORY", "16M", 1);
    setenv("CUDA_EMULATION_OTHERS", "4M", 1);
    setenv("CUDA_EMULATION_PEERS", "0", 1);
    description();
    memory();
    two_devices();
    failures();
    loss();
    environment(argv[0]);
    return finish("devices are as they were asked for, and fail when they are asked to");
}
