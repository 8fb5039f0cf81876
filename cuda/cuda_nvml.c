#include "cuda_nvml.h"

#include <dlfcn.h>

/* nvml.h, whose names these are: NVML_SUCCESS is 0, and nvmlMemory_t has three numbers. It is not
 * included, because it comes with some toolkits only. */
#define SUCCESS 0
struct memory {
    unsigned long long total, free, used;
};

/* A function's address as POSIX makes dlsym give it: an object pointer with the same bits. */
static bool find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

void cuda_nvml_open(struct cuda_nvml *nvml)
{
    int (*init)(void) = NULL;
    *nvml = (struct cuda_nvml){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (nvml->library == NULL)
        return;
    if (find(nvml->library, "nvmlInit_v2", &init) &&
        find(nvml->library, "nvmlShutdown", &nvml->shutdown) &&
        find(nvml->library, "nvmlSystemGetDriverVersion", &nvml->driver_version) &&
        find(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml->handle) &&
        find(nvml->library, "nvmlDeviceGetMemoryInfo", &nvml->memory) && init() == SUCCESS)
        return;
    (void)dlclose(nvml->library);
    *nvml = (struct cuda_nvml){0};
}

void cuda_nvml_close(struct cuda_nvml *nvml)
{
    if (nvml->library == NULL)
        return;
    (void)nvml->shutdown();
    (void)dlclose(nvml->library);
    *nvml = (struct cuda_nvml){0};
}

bool cuda_nvml_driver(const struct cuda_nvml *nvml, char *text, size_t size)
{
    return nvml->library != NULL && nvml->driver_version(text, (unsigned)size) == SUCCESS;
}

bool cuda_nvml_memory(const struct cuda_nvml *nvml, const char *bus, uint64_t *left,
                      uint64_t *whole)
{
    void *device = NULL;
    struct memory memory = {0};
    if (nvml->library == NULL || nvml->handle(bus, &device) != SUCCESS ||
        nvml->memory(device, &memory) != SUCCESS)
        return false;
    *left = memory.free;
    *whole = memory.total;
    return true;
}
