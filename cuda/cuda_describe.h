#ifndef RANKLEDGER_CUDA_DESCRIBE_H
#define RANKLEDGER_CUDA_DESCRIBE_H

#include "device_description.h"
#include "diag.h"

/*
 * What there is of GPUs and libraries. Asking makes no context on a device, which would take memory
 * there, unless describe is asked for free memory that nobody else knows.
 */

/* backend.h's row: NULL, or what is missing: a driver, one new enough, a GPU that may be seen and
 * that our kernels are made for. The text is good until the next call. */
const char *cuda_describe_unavailable(void);

/* backend.h's row. The driver's management library tells the free memory; where it does not, and
 * `free_memory` is asked for, the device is used to find out. */
enum status cuda_describe(bool free_memory, struct device_description *description,
                          struct diag *diag) STATUS_CHECKED;

/* Bytes of a device's memory that are in use, by everybody and by the driver itself, told without
 * using the device; false if that cannot be known. */
bool cuda_describe_used(int device, uint64_t *bytes);

#endif
