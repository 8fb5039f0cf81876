/* What a program can ask of devices and errors. */
#include <cstdio>
#include <cstring>

#include "emulation_parts.h"

using namespace emulation;

namespace
{

struct error_text {
    cudaError_t error;
    const char *name, *text;
};

/* The words are CUDA 13's own. */
const error_text error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable",
     "uncorrectable NVLink error detected during the execution"},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    {cudaErrorOperatingSystem, "cudaErrorOperatingSystem",
     "OS call failed or operation not supported on this OS"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorSystemNotReady, "cudaErrorSystemNotReady", "system not yet initialized"},
    {cudaErrorSystemDriverMismatch, "cudaErrorSystemDriverMismatch",
     "system has unsupported display driver / cuda driver combination"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

/* Limits of every device since compute capability 3.0 (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"); the rest is made up, small on purpose. */
void fill_properties(struct cudaDeviceProp *properties, const device &one, int index)
{
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "%s", one.name.c_str());
    properties->totalGlobalMem = one.memory;
    properties->sharedMemPerBlock = properties->sharedMemPerMultiprocessor = 48 << 10;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = properties->maxThreadsPerMultiProcessor = 1024;
    const int threads[3] = {1024, 1024, 64}, grid[3] = {2147483647, 65535, 65535};
    std::memcpy(properties->maxThreadsDim, threads, sizeof threads);
    std::memcpy(properties->maxGridSize, grid, sizeof grid);
    properties->totalConstMem = 64 << 10;
    properties->major = one.major;
    properties->minor = one.minor;
    properties->multiProcessorCount = 2;
    properties->concurrentKernels = properties->unifiedAddressing = 1;
    properties->pciBusID = index + 1;
    properties->asyncEngineCount = 1;
    properties->l2CacheSize = 1 << 20;
}

int attribute_of(const struct cudaDeviceProp &of, enum cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return of.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
        return of.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        return of.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return (int)of.sharedMemPerBlock;
    case cudaDevAttrWarpSize:
        return of.warpSize;
    case cudaDevAttrMultiProcessorCount:
        return of.multiProcessorCount;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
        return 1;
    case cudaDevAttrPciBusId:
        return of.pciBusID;
    case cudaDevAttrL2CacheSize:
        return of.l2CacheSize;
    case cudaDevAttrComputeCapabilityMajor:
        return of.major;
    case cudaDevAttrComputeCapabilityMinor:
        return of.minor;
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
        return 0;
    }
    return -1;
}

} // namespace

extern "C" {

const char *cudaGetErrorString(cudaError_t error)
{
    for (const error_text &row : error_texts)
        if (row.error == error)
            return row.text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (const error_text &row : error_texts)
        if (row.error == error)
            return row.name;
    return "unrecognized error code";
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return api("cudaRuntimeGetVersion", [&] {
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    return api("cudaGetDeviceProperties", [&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        fill_properties(properties, device_at(device), device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    return api("cudaDeviceGetAttribute", [&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        struct cudaDeviceProp properties;
        fill_properties(&properties, device_at(device), device);
        *value = attribute_of(properties, attribute);
        return *value < 0 ? cudaErrorInvalidValue : cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int bytes, int device)
{
    return api("cudaDeviceGetPCIBusId", [&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        const std::string &text = device_at(device).bus;
        if (bytes <= (int)text.size())
            return cudaErrorInvalidValue;
        std::memcpy(bus, text.c_str(), text.size() + 1);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return api("cudaDeviceEnablePeerAccess", [&] {
        int can = 0;
        if (flags != 0)
            return cudaErrorInvalidValue;
        const cudaError_t error = cudaDeviceCanAccessPeer(&can, current_device(), peer);
        if (error != cudaSuccess || !can)
            return cudaErrorInvalidDevice;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return api("cudaDeviceGetStreamPriorityRange", [&] {
        *least = 0;
        *greatest = -5;
        return cudaSuccess;
    });
}

} // extern "C"
