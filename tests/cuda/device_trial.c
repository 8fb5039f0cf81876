#include "device_trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BORDER = 256, MOST_PRINTED = 20 };

static const unsigned char border_byte = 0xA5;

void device_trial_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

void device_trial_init(struct device_trial *trial)
{
    *trial = (struct device_trial){.random = 1};
    device_trial_check(cudaStreamCreateWithFlags(&trial->stream, cudaStreamNonBlocking), "stream");
}

int device_trial_fini(struct device_trial *trial)
{
    device_trial_check(cudaStreamDestroy(trial->stream), "stream");
    printf("%u faults\n", trial->faults);
    return trial->faults == 0 ? 0 : 1;
}

void device_trial_case(struct device_trial *trial, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->where, sizeof trial->where, format, arguments);
    va_end(arguments);
}

void device_trial_fault(struct device_trial *trial, const char *format, ...)
{
    if (trial->faults++ >= MOST_PRINTED)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("%s: ", trial->where);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

uint64_t device_trial_random(struct device_trial *trial)
{
    /* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) */
    uint64_t z = trial->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

double *device_zeros(size_t count)
{
    return allocate(count, sizeof(double));
}

static size_t size_of(enum device_type type)
{
    return type == DEVICE_FP64 ? 8 : type == DEVICE_BF16 ? 2 : 4;
}

/* Rounds by arithmetic instead of bits: independent of what is tested. */
static uint16_t to_bf16(double value)
{
    float single = (float)value;
    uint32_t bits;
    if (isfinite(value) && value != 0) {
        int exponent; /* 8 bits of mantissa, ties to even */
        const double mantissa = frexp(value, &exponent);
        single = (float)ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
    }
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static void put_value(const struct device_tensor *tensor, size_t index, double value)
{
    unsigned char *at = tensor->initial + tensor->first + index * size_of(tensor->type);
    const float single = (float)value;
    const uint16_t half = to_bf16(value);
    const int32_t integer = (int32_t)(tensor->type == DEVICE_INT32 ? value : 0);
    switch (tensor->type) {
    case DEVICE_FP32:
        memcpy(at, &single, sizeof single);
        break;
    case DEVICE_BF16:
        memcpy(at, &half, sizeof half);
        break;
    case DEVICE_FP64:
        memcpy(at, &value, sizeof value);
        break;
    case DEVICE_INT32:
        memcpy(at, &integer, sizeof integer);
        break;
    }
}

static double get_value(const struct device_tensor *tensor, const unsigned char *bytes,
                        size_t index)
{
    const unsigned char *at = bytes + tensor->first + index * size_of(tensor->type);
    double number;
    float single;
    int32_t integer;
    if (tensor->type == DEVICE_FP64) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    if (tensor->type == DEVICE_INT32) {
        memcpy(&integer, at, sizeof integer);
        return integer;
    }
    unsigned char bits[4] = {0}; /* a bf16 number is the upper half of an fp32 one */
    memcpy(bits + 4 - size_of(tensor->type), at, size_of(tensor->type));
    memcpy(&single, bits, sizeof single);
    return (double)single;
}

static void read_values(struct device_tensor *tensor, const unsigned char *bytes)
{
    for (size_t i = 0; i < tensor->count; i++)
        tensor->values[i] = get_value(tensor, bytes, i);
}

/* Without its bytes on the device. */
static struct device_tensor prepare(enum device_type type, size_t count, size_t offset)
{
    struct device_tensor tensor = {.type = type, .count = count};
    tensor.first = BORDER + offset * size_of(type);
    tensor.bytes = tensor.first + count * size_of(type) + BORDER;
    tensor.values = device_zeros(count);
    tensor.initial = allocate(tensor.bytes, 1);
    tensor.fetched = allocate(tensor.bytes, 1);
    memset(tensor.initial, border_byte, tensor.bytes);
    memset(tensor.initial + tensor.first, 0xFF, count * size_of(type)); /* NaN in every type */
    device_trial_check(cudaMalloc(&tensor.allocation, tensor.bytes), "cudaMalloc");
    tensor.data = (unsigned char *)tensor.allocation + tensor.first;
    return tensor;
}

/* The copy of pageable memory can return before the device has it all, and the trial's stream does
 * not wait for it. */
static void upload(struct device_tensor *tensor)
{
    device_trial_check(
        cudaMemcpy(tensor->allocation, tensor->initial, tensor->bytes, cudaMemcpyHostToDevice),
        "cudaMemcpy");
    device_trial_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static enum device_type type_of(const struct device_trial *trial, bool typed)
{
    return typed && trial->bf16 ? DEVICE_BF16 : DEVICE_FP32;
}

struct device_tensor device_tensor_of(enum device_type type, const double *values, size_t count,
                                      size_t offset)
{
    struct device_tensor tensor = prepare(type, count, offset);
    for (size_t i = 0; i < count; i++)
        put_value(&tensor, i, values[i]);
    read_values(&tensor, tensor.initial);
    upload(&tensor);
    return tensor;
}

struct device_tensor device_tensor_random(struct device_trial *trial, size_t count, double size,
                                          bool typed, size_t offset)
{
    double *values = device_zeros(count);
    for (size_t i = 0; i < count; i++)
        values[i] = size * (ldexp((double)(device_trial_random(trial) >> 11), -52) - 1);
    const struct device_tensor tensor =
        device_tensor_of(type_of(trial, typed), values, count, offset);
    free(values);
    return tensor;
}

struct device_tensor device_tensor_poisoned(struct device_trial *trial, size_t count, bool typed,
                                            size_t offset)
{
    struct device_tensor tensor = prepare(type_of(trial, typed), count, offset);
    upload(&tensor);
    return tensor;
}

struct device_tensor device_tensor_scratch(size_t bytes)
{
    struct device_tensor tensor = prepare(DEVICE_FP32, (bytes + 3) / 4, 0);
    upload(&tensor);
    return tensor;
}

void device_tensor_free(struct device_tensor *tensor)
{
    device_trial_check(cudaFree(tensor->allocation), "cudaFree");
    free(tensor->values);
    free(tensor->initial);
    free(tensor->fetched);
    *tensor = (struct device_tensor){0};
}

static void fetch(struct device_tensor *tensor, cudaStream_t stream)
{
    device_trial_check(cudaMemcpyAsync(tensor->fetched, tensor->allocation, tensor->bytes,
                                       cudaMemcpyDeviceToHost, stream),
                       "cudaMemcpyAsync");
    device_trial_check(cudaStreamSynchronize(stream), "kernel");
}

static void expect_borders(struct device_trial *trial, const struct device_tensor *tensor,
                           size_t number)
{
    const size_t end = tensor->bytes - BORDER;
    for (size_t i = 0; i < tensor->bytes; i++)
        if ((i < tensor->first || i >= end) && tensor->fetched[i] != border_byte) {
            device_trial_fault(trial, "changed tensor %zu: a byte %zu %s it was written", number,
                               i < end ? tensor->first - i : i - end,
                               i < end ? "before" : "behind");
            return;
        }
}

void device_trial_run(struct device_trial *trial, const struct device_run *run)
{
    device_trial_check(run->launch(run->context, trial->stream), trial->where);
    for (size_t i = 0; run->changed[i] != NULL; i++) {
        fetch(run->changed[i], trial->stream);
        expect_borders(trial, run->changed[i], i);
        upload(run->changed[i]);
    }
    device_trial_check(run->launch(run->context, trial->stream), trial->where);
    for (size_t i = 0; run->changed[i] != NULL; i++) {
        struct device_tensor *tensor = run->changed[i];
        unsigned char *before = allocate(tensor->bytes, 1);
        memcpy(before, tensor->fetched, tensor->bytes);
        fetch(tensor, trial->stream);
        if (memcmp(before, tensor->fetched, tensor->bytes) != 0)
            device_trial_fault(trial, "changed tensor %zu: other bits on the second run", i);
        free(before);
        read_values(tensor, tensor->fetched);
    }
}

void device_trial_expect(struct device_trial *trial, const struct device_tensor *tensor,
                         const double *expected, double relative, const char *what)
{
    const double half_unit = tensor->type == DEVICE_BF16 ? ldexp(1, -8) : 0;
    double most = 0;
    for (size_t i = 0; i < tensor->count; i++)
        if (isfinite(expected[i]))
            most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < tensor->count; i++) {
        const double allowed = relative * most + half_unit * fabs(expected[i]);
        const double error = fabs(tensor->values[i] - expected[i]);
        if (error <= allowed || tensor->values[i] == expected[i] /* both infinite */ ||
            (isnan(expected[i]) && isnan(tensor->values[i])))
            continue;
        device_trial_fault(trial, "%s[%zu] is %.9g instead of %.9g (largest %.9g, allowed %.3g)",
                           what, i, tensor->values[i], expected[i], most, allowed);
        return;
    }
}

void device_trial_unchanged(struct device_trial *trial, const struct device_tensor *tensor,
                            const char *what)
{
    if (memcmp(tensor->fetched, tensor->initial, tensor->bytes) != 0)
        device_trial_fault(trial, "%s has changed", what);
}
