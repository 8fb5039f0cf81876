#ifndef RANKLEDGER_DEVICE_TRIAL_H
#define RANKLEDGER_DEVICE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

/*
 * For tests of kernels, on a GPU or on its emulation: tensors in device memory with their values on
 * the host as double, and a run that is made twice. Only calls of CUDA's runtime are used. A call
 * that fails ends the program; a wrong number is printed and counted.
 */
struct device_trial {
    cudaStream_t stream;
    bool bf16;       /* of typed tensors made from now on */
    uint64_t random; /* state of the generator */
    char where[160]; /* printed in front of a fault: the case that is tried */
    unsigned faults;
};

void device_trial_init(struct device_trial *trial);
/* Prints how it went; the program's exit status. */
int device_trial_fini(struct device_trial *trial);
/* Says which case is tried from now on. */
void device_trial_case(struct device_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts a fault and prints it, unless there were many already. */
void device_trial_fault(struct device_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the program if the call failed. */
void device_trial_check(cudaError_t error, const char *what);
uint64_t device_trial_random(struct device_trial *trial);

enum device_type { DEVICE_FP32, DEVICE_BF16, DEVICE_FP64, DEVICE_INT32 };

/*
 * `count` elements in device memory, with borders on both sides that must stay as they are. The
 * first lies `offset` elements behind a multiple of 256 bytes.
 */
struct device_tensor {
    void *data; /* device memory */
    enum device_type type;
    size_t count;
    double *values;         /* as last set or fetched */
    unsigned char *initial; /* the bytes, borders included, as first put there */
    unsigned char *fetched; /* as last fetched */
    void *allocation;
    size_t bytes, first; /* of the allocation, and where in it the data begins */
};

/* typed: the trial's dtype, otherwise fp32. */
struct device_tensor device_tensor_random(struct device_trial *trial, size_t count, double size,
                                          bool typed, size_t offset);
/* All NaN, so that what is not written shows. */
struct device_tensor device_tensor_poisoned(struct device_trial *trial, size_t count, bool typed,
                                            size_t offset);
/* `values` rounded to the type. */
struct device_tensor device_tensor_of(enum device_type type, const double *values, size_t count,
                                      size_t offset);
/* Scratch: `bytes` of NaN. */
struct device_tensor device_tensor_scratch(size_t bytes);
void device_tensor_free(struct device_tensor *tensor);

/* A launch, and the tensors that it may change. */
struct device_run {
    cudaError_t (*launch)(void *context, cudaStream_t stream);
    void *context;
    struct device_tensor *changed[8]; /* up to the first NULL */
};

/* Runs, puts everything back as it was at first, runs again, and fetches; the two results must be
 * the same bits, and the borders whole. */
void device_trial_run(struct device_trial *trial, const struct device_run *run);

/*
 * Compares with the expected values after device_trial_run: every element within `relative` of the
 * largest expected one; in bf16 also half a unit in the last place (2^-8) of itself, for the
 * rounding.
 */
void device_trial_expect(struct device_trial *trial, const struct device_tensor *tensor,
                         const double *expected, double relative, const char *what);
/* Nothing of it has changed. */
void device_trial_unchanged(struct device_trial *trial, const struct device_tensor *tensor,
                            const char *what);

double *device_zeros(size_t count);

#endif
