#ifndef RANKLEDGER_CUDA_NVML_H
#define RANKLEDGER_CUDA_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The driver's management library (NVML), where there is one: it tells of GPUs without using them.
 * It belongs to the driver, so it is loaded when asked, and everything goes without it.
 */
struct cuda_nvml {
    void *library; /* NULL: there is none */
    int (*shutdown)(void);
    int (*driver_version)(char *text, unsigned size);
    int (*handle)(const char *bus, void **device);
    int (*memory)(void *device, void *info);
};

/* Zeroed where there is none; then the others say that nothing is known. */
void cuda_nvml_open(struct cuda_nvml *nvml);
void cuda_nvml_close(struct cuda_nvml *nvml);

/* What the driver calls itself, "580.159.03"; false if it is not known. */
bool cuda_nvml_driver(const struct cuda_nvml *nvml, char *text, size_t size);
/* Free bytes of the GPU at a PCI address, and all, with what the driver keeps for itself; false if
 * they are not known. */
bool cuda_nvml_memory(const struct cuda_nvml *nvml, const char *bus, uint64_t *left,
                      uint64_t *whole);

#endif
