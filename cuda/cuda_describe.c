#include "cuda_describe.h"

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_nccl.h"
#include "cuda_nvml.h"
#include "text.h"

/* The oldest architecture that the kernels are compiled for (cuda/CMakeLists.txt): Ampere, the
 * first with bf16. */
#define LEAST_MAJOR 8

/* ---- versions ---- */

/* cuda_runtime_api.h: 1000 major + 10 minor. */
static const char *cuda_version(int version, char *text, size_t size)
{
    snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
    return text;
}

/* The first word of the kind 580.159.03 in the kernel module's own line. */
static void read_driver(char *text, size_t size)
{
    char line[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    if (file == NULL)
        return;
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        size_t digits = strspn(word, "0123456789");
        if (digits == 0 || word[digits] != '.')
            continue;
        snprintf(text, size, "%.40s", word);
        return;
    }
}

static void load_versions(const struct cuda_nvml *nvml, struct device_description *description)
{
    int version = 0;
    if (!cuda_nvml_driver(nvml, description->driver, sizeof description->driver))
        read_driver(description->driver, sizeof description->driver);
    if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        (void)cuda_version(version, description->driver_cuda, sizeof description->driver_cuda);
    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        (void)cuda_version(version, description->runtime, sizeof description->runtime);
    /* cublas_api.h: 10000 major + 100 minor + patch. */
    size_t blas = cublasLtGetVersion();
    snprintf(description->blas, sizeof description->blas, "%zu.%zu.%zu", blas / 10000,
             blas % 10000 / 100, blas % 100);
    communicator_nccl_version(description->nccl, sizeof description->nccl);
}

/* ---- devices ---- */

static enum status refuse(int device, const char *doing, cudaError_t code, struct diag *diag)
{
    return diag_set(diag, STATUS_ENVIRONMENT, "GPU %d: cannot %s: %s", device, doing,
                    cudaGetErrorString(code));
}

static enum status use_for_free(int device, uint64_t *bytes, struct diag *diag)
{
    size_t free_bytes = 0;
    size_t total = 0;
    cudaError_t code = cudaSetDevice(device);
    if (code == cudaSuccess)
        code = cudaMemGetInfo(&free_bytes, &total);
    if (code != cudaSuccess)
        return refuse(device, "measure its free memory", code, diag);
    *bytes = free_bytes;
    return STATUS_OK;
}

/*
 * As the management library tells; `whole`: what CUDA says of the device. The library counts what
 * the driver keeps for itself, too, up to a GiB, and of a part of a GPU (MIG), which has its
 * address, it tells the whole GPU's memory: that is of no use.
 */
static bool told_memory(const struct cuda_nvml *nvml, const char *bus, uint64_t whole,
                        uint64_t *left, uint64_t *used)
{
    uint64_t free_bytes = 0;
    uint64_t all = 0;
    if (!cuda_nvml_memory(nvml, bus, &free_bytes, &all) || whole < all - all / 8)
        return false;
    *left = free_bytes < whole ? free_bytes : whole;
    *used = all - free_bytes;
    return true;
}

static enum status load_device(int index, struct device_description_device *device,
                               struct diag *diag)
{
    struct cudaDeviceProp properties;
    cudaError_t code = cudaGetDeviceProperties(&properties, index);
    if (code == cudaSuccess)
        code = cudaDeviceGetPCIBusId(device->bus, (int)sizeof device->bus, index);
    if (code != cudaSuccess)
        return refuse(index, "say what it is", code, diag);
    (void)text_escape_into(device->name, sizeof device->name, properties.name,
                           strlen(properties.name));
    device->memory_bytes = properties.totalGlobalMem;
    device->capability_major = properties.major;
    device->capability_minor = properties.minor;
    device->multiprocessors = properties.multiProcessorCount;
    return STATUS_OK;
}

static void load_peers(size_t index, struct device_description *description)
{
    for (size_t other = 0; other < description->count; other++) {
        int can = 0;
        if (other != index && cudaDeviceCanAccessPeer(&can, (int)index, (int)other) == cudaSuccess)
            description->devices[index].peer[other] = can != 0;
    }
}

static enum status load_devices(const struct cuda_nvml *nvml, bool free_memory,
                                struct device_description *description, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < description->count && status == STATUS_OK; i++) {
        struct device_description_device *device = &description->devices[i];
        status = load_device((int)i, device, diag);
        uint64_t used = 0;
        if (status == STATUS_OK &&
            !told_memory(nvml, device->bus, device->memory_bytes, &device->free_bytes, &used) &&
            free_memory)
            status = use_for_free((int)i, &device->free_bytes, diag);
        load_peers(i, description);
    }
    return status;
}

enum status cuda_describe(bool free_memory, struct device_description *description,
                          struct diag *diag)
{
    int count = 0;
    struct cuda_nvml nvml;
    *description = (struct device_description){0};
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess)
        return diag_set(diag, STATUS_ENVIRONMENT, "CUDA does not start: %s",
                        cudaGetErrorString(code));
    description->count = (size_t)count;
    if (description->count > DEVICE_DESCRIPTION_MOST)
        description->count = DEVICE_DESCRIPTION_MOST;
    cuda_nvml_open(&nvml);
    load_versions(&nvml, description);
    enum status status = load_devices(&nvml, free_memory, description, diag);
    cuda_nvml_close(&nvml);
    return status;
}

bool cuda_describe_used(int device, uint64_t *bytes)
{
    char bus[32];
    uint64_t left = 0;
    struct cuda_nvml nvml;
    struct cudaDeviceProp properties;
    if (cudaDeviceGetPCIBusId(bus, (int)sizeof bus, device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return false;
    cuda_nvml_open(&nvml);
    bool known = told_memory(&nvml, bus, properties.totalGlobalMem, &left, bytes);
    cuda_nvml_close(&nvml);
    return known;
}

/* ---- whether it can be used at all ---- */

#define WORDS 320

static const char *no_driver(char words[WORDS])
{
    char own[16];
    char served[16];
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return "there is no NVIDIA driver: install one";
    snprintf(words, WORDS,
             "the driver is too old: it serves CUDA %s, and this program is built with CUDA %s; "
             "install a newer driver, or build with an older toolkit",
             cuda_version(driver, served, sizeof served),
             cuda_version(CUDART_VERSION, own, sizeof own));
    return words;
}

static const char *no_device(char words[WORDS])
{
    char shown[128];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible == NULL)
        return "the driver sees no GPU";
    snprintf(words, WORDS, "no GPU can be seen: CUDA_VISIBLE_DEVICES is \"%s\"",
             text_escape_into(shown, sizeof shown, visible, strlen(visible)));
    return words;
}

static const char *too_old(int count, char words[WORDS])
{
    for (int i = 0; i < count; i++) {
        char name[96];
        struct cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess ||
            properties.major >= LEAST_MAJOR)
            continue;
        snprintf(words, WORDS,
                 "GPU %d (%s) has compute capability %d.%d, and %d.0 is the least; leave it out "
                 "with CUDA_VISIBLE_DEVICES",
                 i, text_escape_into(name, sizeof name, properties.name, strlen(properties.name)),
                 properties.major, properties.minor, LEAST_MAJOR);
        return words;
    }
    return NULL;
}

const char *cuda_describe_unavailable(void)
{
    static char words[WORDS]; /* the contract gives no place for words that hold versions */
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorInsufficientDriver)
        return no_driver(words);
    if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
        return no_device(words);
    if (code == cudaErrorSystemNotReady) /* driver_types.h: a daemon is missing */
        return "the GPUs are not ready: where NVSwitches connect them, the driver's service "
               "nvidia-fabricmanager has to run";
    if (code == cudaSuccess)
        return too_old(count, words);
    snprintf(words, sizeof words, "CUDA does not start: %s", cudaGetErrorString(code));
    return words;
}
