/*
 * The part of the driver's management library that the backend asks, loaded in its place: one GPU
 * at whatever address, with the memory that the environment names (MADE_UP_NVML_TOTAL, _FREE).
 */
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int nvmlInit_v2(void);
EXPORTED int nvmlShutdown(void);
EXPORTED int nvmlSystemGetDriverVersion(char *text, unsigned size);
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
EXPORTED int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.1");
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    static int gpu;
    *device = &gpu;
    return bus == NULL;
}

static unsigned long long number(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* nvml.h: total, free, used. */
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    memory[0] = number("MADE_UP_NVML_TOTAL");
    memory[1] = number("MADE_UP_NVML_FREE");
    memory[2] = memory[0] - memory[1];
    return device == NULL;
}
