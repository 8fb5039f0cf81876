#ifndef RANKLEDGER_DEVICE_DESCRIPTION_H
#define RANKLEDGER_DEVICE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_DESCRIPTION_MOST 32 /* devices of one host */
#define DEVICE_DESCRIPTION_TEXT 96

struct device_description_device {
    char name[DEVICE_DESCRIPTION_TEXT]; /* as the driver says: "NVIDIA H200" */
    char bus[32];                       /* PCI address */
    uint64_t memory_bytes;
    uint64_t free_bytes; /* 0: not measured */
    int capability_major, capability_minor;
    int multiprocessors;
    bool peer[DEVICE_DESCRIPTION_MOST]; /* can read and write that device's memory directly */
};

/* The devices of this host that this process sees, and the libraries that use them. */
struct device_description {
    size_t count;
    struct device_description_device devices[DEVICE_DESCRIPTION_MOST];
    /* "13.0", "580.159.03" ...; "" where unknown. driver: what the driver calls itself;
     * driver_cuda: the CUDA version that it serves. */
    char driver[DEVICE_DESCRIPTION_TEXT], driver_cuda[DEVICE_DESCRIPTION_TEXT];
    char runtime[DEVICE_DESCRIPTION_TEXT]; /* CUDA runtime that we are linked with */
    char blas[DEVICE_DESCRIPTION_TEXT];    /* cuBLASLt */
    char nccl[DEVICE_DESCRIPTION_TEXT];
    bool emulated; /* a host emulation, whose times mean nothing */
};

#endif
